"""The files in which Numba keeps a kernel's compiled code: an index, and a file for each signature."""

from uuid import uuid4


class OnDisk:
    """Those of one kernel; of none where it is not compiled, or Numba keeps them in another way by now."""

    def __init__(self, dispatcher):
        self._dispatcher = dispatcher
        index = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
        self._index = index if hasattr(index, "_data_name_pattern") and hasattr(index, "_load_index") else None

    def has_code(self):
        """Whether the index names code for this processor, in whatever types; true of no index."""
        if self._index is None:
            return True
        processor = self._dispatcher.targetctx.codegen().magic_tuple()
        return any(key[1] == processor for key in self._index._load_index())

    def keep_apart(self):
        """Have each file of code be named by chance, and no longer by how many the index has.

        Of two processes that compile a kernel for two signatures at a time, each counts before the other has written
        its index; one file has then the code of one and is listed as the other's.
        """
        if self._index is not None:
            stem = self._index._data_name_pattern.removesuffix("{number:d}.nbc")
            self._index._data_name = lambda number: f"{stem}{uuid4().hex[:16]}.nbc"
