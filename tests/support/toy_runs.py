"""Small random models and finished runs on them, for the tests of the player."""

import numpy as np

import rcmviz as rv
from rcmviz.views import Run

LABELS = "abcde"


def model_and_emissions(length=6, seed=0, labels=LABELS, order=3):
    rng = np.random.default_rng(seed)
    windows = {}
    for _ in range(60):
        known = [str(label) for label in rng.choice(list(labels), rng.integers(0, order + 1))]
        window = ("*",) * (order - len(known)) + tuple(known) + (str(rng.choice(list(labels))),)
        windows[window] = float(rng.normal(0, 1.5))
    model = rv.NgramModel.from_windows(tuple(labels), order, windows, mode="additive")
    return model, rng.normal(0, 1.5, (length, len(labels)))


def runs_of(methods=("rcms",), budget=4, **options):
    model, log_emit = model_and_emissions(**options)
    made = {
        "rcms": lambda: rv.rcms(model, log_emit, budget),
        "beam": lambda: rv.beam(model, log_emit, budget),
        "exact": lambda: rv.exact(model, log_emit),
    }
    return [Run(method, *made[method]()) for method in methods]
