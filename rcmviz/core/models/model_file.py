"""An n-gram model in a file: one compressed npz without pickle, every table checked when it is read."""

import json
from pathlib import Path

import numpy as np

from rcmviz.core.models.packed_weights import pack_weights, unpack_weights
from rcmviz.core.shared import checks
from rcmviz.core.shared.npz import UNFIT, head_text, read_npz, write_npz
from rcmviz.core.shared.npz import pack_text as packed_text
from rcmviz.core.shared.npz import unpack_text as unpacked_text

FORMAT = "rcmviz/model"
PLAIN, VERSION = 1, 2  # arrays as they are, and packed ones
TABLES = "weights", "emission"


def write_model(path, model):
    """Write a model, whole or not at all; rows whose weights are all 0 are left out.

    Version 1 keeps arrays as they are. Where the weights are multiples of a step they are packed, and with them all
    that takes room: that is version 2.
    """
    used = np.any(model.weights != 0, axis=1)
    emission = np.zeros((0, len(model.labels))) if model.emission is None else model.emission
    arrays = {
        "format": FORMAT,
        "version": PLAIN,
        "labels": np.array(model.labels),
        "order": model.order,
        "mode": model.mode,
        "keys": model.keys[used],
        "weights": model.weights[used],
        "emission": emission,
        "info": head_text(model.info),
        "root_weight": model.root_weight,
    }
    smaller = pack_weights("weights", arrays["weights"]) | pack_weights("emission", emission)
    if smaller.keys().isdisjoint(TABLES):
        arrays = {name: array for name, array in arrays.items() if name not in TABLES} | smaller
        arrays["info"], arrays["keys"] = packed_text(arrays["info"]), np.diff(arrays["keys"], prepend=0)
        arrays["version"] = VERSION
    write_npz(path, arrays, compressed=True)


def read_model(path, kind):
    """A model of the class ``kind`` out of a file; ValueError where it holds none or a damaged one."""
    if not Path(checks.path("path", path)).exists():
        raise ValueError(f"{path}: no such file; give the path of an .npz file that holds a model")
    parts = read_npz(path, "model", "it may be cut short, copy it again")
    if str(parts.get("format")) != FORMAT:
        raise ValueError(f"{path}: an npz file, but not an rcmviz model; save one with NgramModel.save")
    try:
        version = int(parts["version"])
    except UNFIT:
        raise ValueError(f"{path}: the model does not say its version; copy or train it again") from None
    if version > VERSION:
        raise ValueError(f"{path}: model version {version}, this rcmviz reads {VERSION}; update rcmviz")
    try:
        keys, info, (weights, emission) = parts["keys"], parts["info"], (unpack_weights(name, parts) for name in TABLES)
        if version > 1:
            keys, info = np.cumsum(checks.integers("keys", keys, 0, 2**62)), unpacked_text(info)
        emission = emission if len(emission) else None
        labels, info = tuple(str(label) for label in parts["labels"]), dict(json.loads(str(info)))
        _check_arrays(keys, weights, emission, len(labels))
        root_weight = float(parts.get("root_weight", 0.0))  # files of version 1 may lack it
        return kind(labels, parts["order"].item(), str(parts["mode"]), keys, weights, emission, info, root_weight)
    except UNFIT as error:
        raise ValueError(f"{path}: the model is damaged ({error}); copy or train it again") from None


def _check_arrays(keys, weights, emission, width):
    if keys.ndim != 1 or weights.shape != (len(keys), width) or weights.dtype.kind != "f":
        raise ValueError("rows and weights do not fit")
    if emission is not None and (emission.ndim != 2 or emission.shape[1] != width or emission.dtype.kind != "f"):
        raise ValueError("emissions do not fit the labels")
