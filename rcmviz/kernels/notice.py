"""What is said, once in a process, when a kernel of ours is not found on disk and is compiled."""

import os
import sys

from numba.core import event

QUIET = "RCMVIZ_QUIET"  # of the environment, so that processes which are started keep quiet too
TEXT = (
    "rcmviz: compiling, once on this machine: about 30 s of work for a classifier's first fit and predict, less for "
    "most else; `rcmviz warmup` does it ahead\n"
)


class Notice(event.Listener):
    """Writes ``TEXT`` on standard error when the first of our kernels is compiled, unless ``RCMVIZ_QUIET`` is set.

    Numba announces a compilation only after it has looked into its cache.
    """

    def __init__(self):
        self.is_said = False

    def on_start(self, event):
        if event.data["dispatcher"].py_func.__module__.startswith("rcmviz."):
            self.say()

    def say(self):
        """Write it, unless it has been."""
        if not self.is_said and not os.environ.get(QUIET):
            self.is_said = True
            sys.stderr.write(TEXT)
            sys.stderr.flush()

    def on_end(self, event):
        pass


NOTICE = Notice()
