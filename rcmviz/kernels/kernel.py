"""How every kernel is compiled."""

from functools import partial

from numba import config, njit

from rcmviz.kernels.damaged import CODE_FILES


def _compiled(**flags):
    def decorated(function):
        is_kept = flags["cache"] and bool(config.CACHE_DIR)  # without a folder Numba writes beside the source
        dispatcher = njit(**flags | {"cache": is_kept})(function)
        if is_kept and not config.DISABLE_JIT:
            CODE_FILES.remove_damaged(dispatcher.stats.cache_path)
        return dispatcher

    return decorated


# Compiled once and kept on disk; runs without Python's lock. No C code calls a kernel through a pointer, so none has
# that wrapper. Other flags stand at the kernel. The digest of its cache folder covers both files.
kernel = partial(_compiled, cache=True, nogil=True, no_cfunc_wrapper=True)

# A kernel that only other kernels call: LLVM inlines it, once it is typed by itself. Numba's own ``inline="always"``
# types it within its caller, and the time that takes grows faster than the length: it is for a few lines only.
part = partial(kernel, forceinline=True, no_cpython_wrapper=True)
