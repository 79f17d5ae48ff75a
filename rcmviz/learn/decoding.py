"""What decodes for a classifier: which kernels these are, and the process that compiles them (``beside.py``)."""

import json
import os
import sys
from dataclasses import dataclass
from threading import Event, Thread

import numpy as np

from rcmviz.core.batch import Search, infer_stacked, kernel_of
from rcmviz.core.model import NgramModel
from rcmviz.sequences.table import Sequences

POSITIONS = 20  # of a sequence that can fill any useful budget


@dataclass(frozen=True)
class Decoding:
    """How a classifier decodes: what decides which kernel it calls. ``labels`` is how many there are."""

    method: str
    budget: int
    order: int
    labels: int
    passes: int = 1
    deduplicate: bool = False

    def kernel(self, dtype):
        """The kernel that it calls in this precision."""
        return kernel_of(self._model, Search(self.method, self.budget, **self._options), POSITIONS, dtype)

    def compile(self, dtype):
        """Decode a sequence as a classifier does, with arrays of the same types."""
        model = self._model
        data = Sequences.from_arrays([[[1.0]] * POSITIONS], None, model.labels)
        stacked = data.stacked_log_emits(model.emission)
        infer_stacked(model, stacked, data.offset, self.method, self.budget, dtype=dtype, threads=1, **self._options)

    @property
    def _model(self):
        """A model of that size that weighs nothing."""
        zeros = np.zeros((2, self.labels), np.float32)
        labels = tuple(map(str, range(self.labels)))
        return NgramModel(labels, self.order, "single", np.zeros(1, np.int64), zeros[:1], zeros)

    @property
    def _options(self):
        return {"passes": self.passes, "deduplicate": self.deduplicate}


def _hear(is_free):
    """Whoever began this process holds the other end: a byte says that its fit is done; the system closes it when that
    process ends, however it does.
    """
    while os.read(0, 1):
        is_free.set()
    os._exit(1)


def main(decoding, needed, others):
    """Compile for the precisions ``needed``, and for ``others`` when no fit is waited for; a line says what is done."""
    is_free = Event()
    Thread(target=_hear, args=(is_free,), daemon=True).start()
    _compile(decoding, needed)
    if others:
        is_free.wait()
        _compile(decoding, others)


def _compile(decoding, dtypes):
    for dtype in dtypes.split():
        Decoding(**json.loads(decoding)).compile(dtype)
        print(dtype, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
