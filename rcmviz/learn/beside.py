"""What a first ``predict`` calls, compiled beside a training: that runs compiled code and leaves Python to others."""

import os
from threading import Thread

import numpy as np

from rcmviz.core.batch import infer_stacked
from rcmviz.core.model import NgramModel
from rcmviz.learn.visits import compile_visits
from rcmviz.sequences.table import Sequences

_begun = {}  # {method: its thread}, once each in a process


def compile_decoding_beside(trainer):
    """Have a thread compile or load what decodes by the trainer's method; the training's own kernels come first, for
    Numba compiles one thing at a time. A process that ends before waits for it: the next one finds it on disk.
    """
    method = trainer.settings.method
    if method not in _begun:
        compile_visits(trainer)
        _begun[method] = Thread(target=compile_decoding, args=(method,), name=f"rcmviz compiles {method}")
        _begun[method].start()


def wait():
    """Until nothing is compiled beside: a process that is forked meanwhile would wait for Numba's lock for ever."""
    for thread in _begun.values():
        thread.join()


def compile_decoding(method):
    """Decode one position as a classifier does, with arrays of the same types; long sequences take double precision."""
    zeros = np.zeros((2, 2), np.float32)
    model = NgramModel(("a", "b"), 1, "single", np.zeros(1, np.int64), zeros[:1], zeros)
    data = Sequences.from_arrays([[[1.0]]], None, "ab")
    for dtype in ("f4", "f8"):  # for labels, and for probabilities and what single precision does not hold
        infer_stacked(model, data.stacked_log_emits(model.emission), data.offset, method, 1, dtype=dtype, threads=1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=wait)
