"""Parameters of a classifier in its file."""

from dataclasses import fields

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
}


def training_of(written):
    """The settings of a training as a file has them."""
    usual = Training().to_dict()
    return Training.from_dict({name: written[name] for name in (*SETTINGS, "seed") if name in written or name in usual})


def other_parameters(given):
    """The given ones of `OTHERS`, each of its kind or None."""
    known = {name: given[name] for name in OTHERS if name in given}
    return {name: value if value is None else OTHERS[name](value) for name, value in known.items()}
