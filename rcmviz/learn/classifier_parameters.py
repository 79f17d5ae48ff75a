"""Parameters of a classifier in its file, and the visits that weights of sequences ask for."""

from dataclasses import fields

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.learn.settings import Training

SETTINGS = tuple(entry.name for entry in fields(Training) if entry.name not in ("seed", "precision"))
TEST_SETTINGS = "test_budget", "test_passes"
OF_FILES = "forbidden", "set_since", "parameters", "history"  # in the info of a saved model, in addition to its own
OTHERS = {  # parameters that are neither the training's nor the answers', as a file has them
    "n_jobs": int,
    "verbose": int,
    "warm_start": bool,
    "early_stopping": bool,
    "validation_fraction": float,
    "n_iter_no_change": int,
    "min_weight": float,
    "test_select": str,
}


def training_of(written):
    """The settings of a training as a file has them."""
    usual = Training().to_dict()
    return Training.from_dict({name: written[name] for name in (*SETTINGS, "seed") if name in written or name in usual})


def other_parameters(given):
    """The given ones of `OTHERS`, each of its kind or None."""
    known = {name: given[name] for name in OTHERS if name in given}
    return {name: value if value is None else OTHERS[name](value) for name, value in known.items()}


def visits_of(sample_weight, y):
    """The sequences that are not empty as often as each is visited, None for once each."""
    if sample_weight is None:
        return None
    number, full = len(y), [len(labels) > 0 for labels in y]
    weights = checks.floats(sample_weight, "sample_weight: give one number per sequence")
    if (
        weights.shape != (number,)
        or not ((weights >= 0) & (weights == np.round(weights))).all()
        or not weights[full].any()
    ):
        raise ValueError(
            f"sample_weight of shape {weights.shape}: give whole numbers from 0 on, one per sequence, {number}, and "
            "not all 0: so often each is visited"
        )
    if weights.sum() > 100_000_000:
        raise ValueError(f"sample_weight: {weights.sum():,.0f} visits an epoch, at most 100,000,000; scale them down")
    return np.repeat(np.arange(sum(full)), weights[full].astype(np.int64))
