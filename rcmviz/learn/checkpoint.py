"""Checkpoints of a training: one npz without pickle, which replaces the old one in one step."""

import hashlib
import json
from pathlib import Path

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.npz import UNFIT, read_npz, write_npz
from rcmviz.kernels.learn.weights import Group
from rcmviz.learn.settings import Training
from rcmviz.learn.tables import fill, touched_rows
from rcmviz.sequences.table import check_sequences

FORMAT, VERSION = "rcmviz/training", 1
GROUPS, PARTS = ("windows", "emission", "root"), ("weight", "square", "drift")


def save(path, trainer):
    """Write what ``Trainer.resume`` needs. OSError where the folder cannot be written to."""
    tables = trainer.tables
    where, windows = touched_rows(tables)
    arrays = {"addresses": where}
    for name, group in zip(GROUPS, (windows, tables.emission, tables.root), strict=True):
        arrays |= {f"{name}_{part}": array for part, array in zip(PARTS, group, strict=True)}
    head = {"settings": trainer.settings.to_dict(), "info": trainer.info}
    head |= {"step": trainer.step, "seconds": trainer.seconds}
    named = {"format": FORMAT, "version": VERSION, "data": digest(trainer.data), "head": json.dumps(head)}
    write_npz(path, named | arrays)


def digest(data):
    """A fingerprint of sequences: a checkpoint continues on the same data only."""
    found = hashlib.sha256(json.dumps([data.labels, data.F]).encode())
    for array in (data.offset, data.start, data.feature.astype(np.int64), data.value, data.gold):
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def read_head(path, data):
    """(settings, info) of a checkpoint of a training on these data; ValueError names the fault of another file."""
    check_sequences("data", data)
    parts = _read(path)
    if str(parts["data"]) != digest(data):
        raise ValueError(f"{path}: this training began with other data; give it the same sequences in the same order")
    return Training.from_dict(parts["head"]["settings"]), parts["head"]["info"]


def fill_from(path, trainer):
    """Give a fresh trainer of the same data and settings the weights and the place of the checkpoint."""
    parts = _read(path)
    try:
        head = parts["head"]
        groups = [Group(*(parts[f"{name}_{part}"] for part in PARTS)) for name in GROUPS]
        if trainer.settings.objective == "perceptron":  # up to rcmviz 0.2 it had squares, all zero
            groups = [group._replace(square=group.drift[:0]) for group in groups]
        addresses = checks.integers("addresses", parts["addresses"], 0, trainer.shape.size)
        if len(np.unique(addresses)) < len(addresses):
            raise ValueError("an address occurs twice")
        trainer.tables.keep_sums("f8" if parts["emission_square"].dtype == np.float64 else "f4")
        fill(trainer.tables, addresses, *map(tuple, groups))
        trainer.steps[0], trainer.seconds = int(head["step"]), float(head["seconds"])
    except UNFIT as error:
        raise ValueError(f"{path}: the checkpoint is damaged ({error}); start the training again") from None


def _read(path):
    if not Path(checks.path("path", path)).exists():
        raise ValueError(f"{path}: no such file; a checkpoint is written by a training that was given its path")
    parts = read_npz(path, "checkpoint", "start the training again")
    if str(parts.get("format")) != FORMAT:
        raise ValueError(f"{path}: an npz file, but not an rcmviz training checkpoint; a model cannot be resumed")
    try:
        if int(parts["version"]) > VERSION:
            raise ValueError("written by a newer rcmviz; update it")
        head = json.loads(str(parts["head"]))
        Training.from_dict(checks.as_dict("settings", head["settings"]))
        checks.as_dict("info", head["info"])
        checks.whole("step", head["step"], 0)
        checks.non_negative("seconds", head["seconds"])
        return parts | {"head": head, "data": str(parts["data"])}
    except UNFIT as error:
        raise ValueError(f"{path}: the checkpoint cannot be used ({error}); start the training again") from None
