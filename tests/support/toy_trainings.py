"""Small trainings of every kind, and their comparison."""

import numpy as np
import pytest

import rcmviz as rv
from problems.learning import flat_model

LABELS, F, WORDS = "abc", 5, 7
MEANS = ("log_likelihood", "gradient_norm", "mean_length", "lost")
MEASURES = ("accuracy", "recall_99", "confidence")
NUMBERS = ("step", "epoch", *MEANS, *MEASURES)
KINDS = {
    "rcms": {},
    "rcms, everything on": {"mode": "additive", "passes": 2, "deduplicate": True, "average": True, "l2": 0.1},
    "beam": {"method": "beam", "l2": 0.1},
    "beam, both": {"method": "beam", "mode": "additive", "lost_gold": "both"},
    "beam, skip": {"method": "beam", "lost_gold": "skip", "budget": 4},
    "beam, early, averaged": {"method": "beam", "lost_gold": "early", "average": True},
    "repaired": {"method": "repaired", "average": True},
    "repaired, additive": {"method": "repaired", "mode": "additive", "l2": 0.1},
    "exact": {"method": "exact", "l2": 0.1},
    "exact, additive, averaged": {"method": "exact", "mode": "additive", "average": True},
}
each_kind = pytest.mark.parametrize("kind", KINDS)


def settings_of(kind, **more):
    """Order 2, two epochs, so small a budget that contexts merge and beams lose the gold."""
    return rv.Training(**{"order": 2, "budget": 2, "epochs": 2, "seed": 5, "eta": 0.5} | KINDS[kind] | more)


def sequences(seed, count):
    """Words of 1–5 labels with real-valued features, half of them zero."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 6, size=count)
    features = [rng.normal(size=(length, F)) * (rng.random((length, F)) < 0.5) for length in lengths]
    return rv.Sequences.from_arrays(features, ["".join(rng.choice(list(LABELS), size=n)) for n in lengths], LABELS)


DATA, HELD_OUT = sequences(0, WORDS), sequences(1, 20)


def finish(trainer, every=None):
    """All states until it is done, and the weights after each as bytes: ``[(state, weights)]``."""
    course = []
    while not trainer.done:
        course.append((trainer.advance(every), bits(trainer)))
    return course


def bits(trainer):
    """All weights in full; those of a state's model are rounded to single precision."""
    return flat_model(trainer.model("f8")).tobytes()


def numbers(state):
    """Return a state without clock and model as bytes, so that NaN equals NaN."""
    return np.array([getattr(state, name) for name in NUMBERS], float).tobytes()


def recorded(course):
    """Return a training's states in comparable form."""
    return [(numbers(state), weights) for state, weights in course]
