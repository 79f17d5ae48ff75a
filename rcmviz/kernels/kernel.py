"""How every kernel is compiled."""

from functools import partial

from numba import config, njit

from rcmviz.kernels.compat import IS_EXTENSIBLE, Kernel
from rcmviz.kernels.damaged import CODE_FILES


def _compiled(cache, **flags):
    options = {"nopython": True, "boundscheck": None, **flags}  # as ``njit`` gives them

    def decorated(function):
        if config.DISABLE_JIT:
            return function
        if not IS_EXTENSIBLE:
            return njit(**flags, cache=bool(cache and config.CACHE_DIR))(function)
        if cache and config.CACHE_DIR:  # without a folder Numba writes next to the source
            kept = Kernel(function, targetoptions=dict(options))
            try:
                kept.keep()
                return kept
            except OSError as error:
                CODE_FILES.give_up(error)
        return Kernel(function, targetoptions=dict(options))

    return decorated


# Compiled once and kept on disk; runs without Python's lock. No C code calls a kernel through a pointer, so none has
# that wrapper. Other flags stand at the kernel. The digest of its cache folder covers both files.
kernel = partial(_compiled, cache=True, nogil=True, no_cfunc_wrapper=True)

# A kernel that only other kernels call. Their compiled code contains it, so it has no files of its own.
helper = partial(kernel, cache=False, no_cpython_wrapper=True)

# A helper that LLVM inlines, once it is typed by itself. Numba's own ``inline="always"`` types it within its caller,
# and the time that takes grows faster than the length: it is for a few lines only.
part = partial(helper, forceinline=True)
