"""The files in which Numba keeps a kernel's compiled code: an index, and a file for each signature.

A wheel may bring such files along (``make wheel``), in ``compiled/`` with a folder for each digest as in the cache.
They are compiled for x86-64-v3, the processors that have AVX2 and FMA (Intel's since 2013, AMD's since 2015), and
loaded where the cache has no code for the very processor that is there. Numba takes an index for another version of
itself, of Python or of the source for empty; then it compiles, as without them.
"""

import os
from pathlib import Path
from uuid import uuid4

from numba import config

FOLDER = Path(__file__).with_name("compiled")
NATIVE = "RCMVIZ_NATIVE"  # of the environment: only code for this very processor is loaded
PROCESSOR = "x86-64-v3"
FEATURES = (
    "+avx,+avx2,+bmi,+bmi2,+cmov,+crc32,+cx16,+cx8,+f16c,+fma,+fxsr,+lzcnt,+mmx,+movbe,+popcnt,+sahf,+sse,+sse2,+sse3,"
    "+sse4.1,+sse4.2,+ssse3,+xsave"
)  # what the System V ABI lists for that level, in LLVM's names


class OnDisk:
    """Those of one kernel; of none where it is not compiled, or Numba keeps them in another way by now."""

    def __init__(self, dispatcher):
        self._dispatcher = dispatcher
        index = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
        self._index = index if hasattr(index, "_data_name_pattern") and hasattr(index, "_load_index") else None

    def has_code(self):
        """Whether there is code that runs on this processor, in whatever types; true of no index."""
        if self._index is None:
            return True
        processor = self._dispatcher.targetctx.codegen().magic_tuple()
        if any(key[1] == processor for key in self._index._load_index()):
            return True
        wheel = _in_wheel(self._index)
        return wheel is not None and any(key[1] == _portable(processor) for key in wheel._load_index())

    def keep_apart(self):
        """Have each file of code be named by chance, and no longer by how many the index has.

        Of two processes that compile a kernel for two signatures at a time, each counts before the other has written
        its index; one file has then the code of one and is listed as the other's.
        """
        if self._index is not None:
            stem = _stem(self._index)
            self._index._data_name = lambda number: f"{stem}.{uuid4().hex[:16]}.nbc"

    def look_in_wheel(self):
        """Have what the cache lacks be loaded from what came with the package."""
        wheel = None if self._index is None else _in_wheel(self._index)
        if wheel is not None:
            self._index.load = _first_of(self._index.load, wheel.load)


def _stem(index):
    return index._data_name_pattern.removesuffix(".{number:d}.nbc")


def _in_wheel(index):
    """The index of the same kernel that came with the package, or None."""
    folder = FOLDER / Path(index._cache_path).parent.name
    return type(index)(str(folder), _stem(index), index._source_stamp) if folder.is_dir() else None


def _portable(processor):
    """What the code in a wheel is listed under, where it runs on a processor; None elsewhere."""
    triple, _, features = processor
    runs = set(FEATURES.split(",")) <= set(features.split(","))
    is_wanted = not (os.environ.get(NATIVE) or config.BOUNDSCHECK)  # the code in a wheel checks no bounds
    return (triple, PROCESSOR, FEATURES) if runs and is_wanted else None


def _first_of(load, load_from_wheel):
    def loaded(key):
        found = load(key)
        if found is not None:
            return found
        signature, processor, code = key
        return load_from_wheel((signature, _portable(processor), code))

    return loaded
