"""How every kernel is compiled."""

from functools import partial

from numba import config, njit

from rcmviz.kernels.damaged import CODE_FILES
from rcmviz.kernels.on_disk import OnDisk
from rcmviz.kernels.part import Part, WholeCompiler


def _compiled(**flags):
    def decorated(function):
        is_kept = flags["cache"] and bool(config.CACHE_DIR)  # without a folder Numba writes beside the source
        dispatcher = njit(pipeline_class=WholeCompiler, **flags | {"cache": is_kept})(function)
        if is_kept and not config.DISABLE_JIT:
            CODE_FILES.remove_damaged(dispatcher.stats.cache_path)
        files = OnDisk(dispatcher)
        files.keep_apart()
        files.look_in_wheel()
        Part(dispatcher, flags).for_callers()
        return dispatcher

    return decorated


# Once, and kept on disk; it runs without Python's lock. C calls none through a pointer, so none has the wrapper for
# that, a fourteenth of what compiling executes (of the kernels behind ``rcms``: 38.7 for 41.6e9 instructions).
# Other flags stand beside the kernel. The digest of its cache folder covers both files.
kernel = partial(_compiled, cache=True, nogil=True, no_cfunc_wrapper=True)
