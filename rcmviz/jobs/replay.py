"""Back in time: what a model makes of one sequence, and the model of an earlier step, trained again.

A training is decided by its data and settings, so any of its steps can be had again without having been kept.
"""

from dataclasses import dataclass

import numpy as np

from rcmviz.core.builders.build import build_lattice
from rcmviz.core.inference import infer
from rcmviz.core.inference.batch import infer_batch
from rcmviz.core.methods import TRAINABLE
from rcmviz.learn.trainer import Trainer


@dataclass(frozen=True)
class DecodedSequence:
    """``decoded`` label numbers (T,) and their probability, the ``confidence`` · ``gold`` the probability of the gold
    labels, None where not all of them are known.
    """

    decoded: tuple[int, ...]
    confidence: float
    gold: float | None


def read(model, settings, sequence):
    """The ``DecodedSequence`` of one sequence (``Sequences`` of length one) by the method that the settings name."""
    log_emit = sequence.log_emits(model.emission)[0]
    gold = sequence.gold if (sequence.gold >= 0).all() else None
    reader = _read_lattice if TRAINABLE[settings.method].selects else _read_exact
    return reader(model, settings, log_emit, gold)


def _read_lattice(model, settings, log_emit, gold):
    options = TRAINABLE[settings.method].taken({"passes": settings.passes, "deduplicate": settings.deduplicate})
    root = {"root_weight": model.root_weight}
    lattice, _ = build_lattice(settings.method, model, log_emit, settings.budget, **options, **root, record=False)
    path = infer.viterbi(lattice)
    number = {label: y for y, label in enumerate(model.labels)}
    likely = None if gold is None else infer.log_prob(lattice, [model.labels[y] for y in gold])
    return _make_reading([number[label] for label in path.labels], path.log_prob, likely)


def _read_exact(model, settings, log_emit, gold):
    """Without a lattice, which would have a million arcs: every history is complete, so the gold's score is a sum."""
    batch = infer_batch(model, [log_emit], "exact", threads=1)
    likely = None if gold is None else gold_score(model, log_emit, gold) - batch.log_z[0]
    return _make_reading(batch.labels[0], batch.log_prob[0], likely)


def _make_reading(decoded, log_prob, likely):
    return DecodedSequence(
        tuple(map(int, decoded)), float(np.exp(log_prob)), None if likely is None else float(np.exp(likely))
    )


def gold_score(model, log_emit, gold):
    """Log score of label numbers (T,) whose contexts are their whole histories."""
    score, code = 0.0, 0
    for i, y in enumerate(gold):
        known = min(i, model.order)
        row = model.rows(i, known, np.array([code]))[0]
        score += model.log_table[row, y] + log_emit[i, y]
        code = int(y) + len(model.labels) * (code % int(model.powers[model.order - 1]))
    return score


def retrained(data, settings, step, info=None):
    """The model after ``step`` examples, trained from the beginning."""
    trainer = Trainer(data, settings, info=info)
    while trainer.step < step and not trainer.done:
        trainer.advance(step - trainer.step)
    return trainer.model()
