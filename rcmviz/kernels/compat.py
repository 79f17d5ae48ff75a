"""Numba's dispatcher, extended by what it has no documented way for: files of compiled code that may be damaged."""

import errno
import os
import pickle
import threading
from contextlib import suppress
from pathlib import Path

from numba import config, njit

from rcmviz.kernels.damaged import CODE_FILES

# A process that is forked while a thread compiles would find Numba's lock taken for ever.
COMPILING = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=COMPILING.acquire, after_in_parent=COMPILING.release, after_in_child=COMPILING.release)


def _nothing():
    """A function that is never compiled."""


class Kernel(object if config.DISABLE_JIT else type(njit(_nothing))):
    """A function that Numba compiles, with or without files of compiled code: whatever is wrong with those.

    Numba has no documented way to continue without a file that cannot be read or written
    (https://github.com/numba/numba/issues/10434), so its dispatcher is extended here, if it has what that needs.
    """

    prefix = ""  # how the names of its files begin; empty if it has none

    def keep(self):
        """Keep compiled code in Numba's current cache folder; OSError if that cannot be written."""
        with suppress(RuntimeError):  # Numba has tried its other folders, and found none
            self.enable_caching()
        folder = self.stats.cache_path
        if folder is None or not Path(folder).is_relative_to(config.CACHE_DIR):
            raise OSError(errno.EACCES, "cannot be written", config.CACHE_DIR)
        name = f"{Path(self.py_func.__code__.co_filename).stem}.{self.py_func.__qualname__}-"
        self.prefix = name.replace("<", "").replace(">", "")
        CODE_FILES.enter(folder, self.prefix)

    def compile(self, sig):
        """As Numba does; a fault of the files means that the code is compiled and not kept."""
        with COMPILING:
            if not self.prefix or (isinstance(sig, tuple) and sig in self.overloads):
                return super().compile(sig)
            folder = self.stats.cache_path
            if not CODE_FILES.are_sound(folder, self.prefix):
                return self._compile_unkept(sig)
            known = len(self.overloads)
            with CODE_FILES.saving(self, folder, self.prefix):
                try:
                    return super().compile(sig)
                except OSError as error:
                    CODE_FILES.give_up(error)
                except (EOFError, pickle.UnpicklingError):  # changed since it was found to be sound
                    pass
            # Compiled code is among the overloads before it is saved; code that could not be loaded is not.
            return super().compile(sig) if len(self.overloads) > known else self._compile_unkept(sig)

    def _compile_unkept(self, sig):
        """Compile without looking at files."""
        plain = Kernel(self.py_func, self.locals, self.targetoptions)
        plain.compile(sig)
        for compiled in plain.overloads.values():
            self.add_overload(compiled)
        return super().compile(sig)


# Whether Numba's dispatcher can be extended; if a release changes it, kernels are Numba's own.
IS_EXTENSIBLE = all(hasattr(Kernel, name) for name in ("enable_caching", "add_overload", "stats"))
