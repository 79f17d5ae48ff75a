"""The note, once in a process, that a kernel is not on disk and is compiled."""

import multiprocessing
import os
import sys

from numba.core import event

QUIET = "RCMVIZ_QUIET"  # of the environment, so that processes which are started keep quiet too
TEXT = (
    "rcmviz: compiling, once on this machine: about 10 s of work for a classifier's first fit and predict, less for "
    "most else; `rcmviz warmup` does it ahead\n"
)


class Notice(event.Listener):
    """Writes ``TEXT`` on standard error when the first of our kernels is compiled, unless ``RCMVIZ_QUIET`` is set.

    Numba announces a compilation only after it has looked into its cache.
    """

    def __init__(self):
        self.is_said = self.is_folder_said = False

    def on_start(self, event):
        if event.data["dispatcher"].py_func.__module__.startswith("rcmviz."):
            self._say()

    def _say(self):
        if not self.is_said and not os.environ.get(QUIET):
            self.is_said = True
            sys.stderr.write(TEXT)
            sys.stderr.flush()

    def on_end(self, event):
        pass

    def say_folder(self, folder, fault):
        """Write that compiled code is kept in ``folder``, or not at all if that is None, and which variable to set.

        Nothing is written in a process that a pool has started.
        """
        if self.is_folder_said or os.environ.get(QUIET) or multiprocessing.parent_process() is not None:
            return
        self.is_folder_said = True
        what = f"is kept in {folder}" if folder else "is not kept: each process compiles again"
        text = f"rcmviz: {fault}; compiled code {what}; set NUMBA_CACHE_DIR to a folder that can be written"
        print(text, file=sys.stderr, flush=True)


NOTICE = Notice()
