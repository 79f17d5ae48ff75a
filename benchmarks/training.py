"""An epoch of a training in single precision, compared with the same in double precision.

The words of handwriting outside the test fold, order 3 unless the row says 1, on one thread, after two epochs for
warming up. The perceptron, which has no single precision, is compared with RCMS 10.
"""

from functools import partial

from benchmarks import handwriting
from benchmarks.case import Case
from benchmarks.timing import cpu_ms

SETTINGS = {
    "RCMS 10": {},
    "beam 10": {"method": "beam"},
    "RCMS 50": {"budget": 50},
    "RCMS 200": {"budget": 200},
    "RCMS 10, averaged": {"average": True},
    "RCMS 10, 2 passes": {"passes": 2},
    "RCMS 10, additive": {"mode": "additive"},
    "beam 10, additive": {"method": "beam", "mode": "additive"},
    "RCMS 10, additive, 2 passes": {"mode": "additive", "passes": 2},
    "exact 1": {"method": "exact", "order": 1},
    "exact 1, additive": {"method": "exact", "order": 1, "mode": "additive"},
}
PERCEPTRON = {"perceptron, exact 1": {"method": "exact", "order": 1, "objective": "perceptron", "average": True}}
IN_DOUBLE = ", double precision"


def epoch(settings, quick):
    """An epoch of a training that makes no models."""
    import rcmviz as rv

    trainer = rv.Trainer(handwriting.training_data(quick), rv.Training(epochs=1_000, **settings))
    trainer.model = lambda: None
    trainer.advance()
    return cpu_ms(trainer.advance)


CASE = Case(
    "an epoch of a training",
    {name: partial(epoch, settings | {"precision": "f4"}) for name, settings in SETTINGS.items()}
    | {name: partial(epoch, settings) for name, settings in PERCEPTRON.items()}
    | {name + IN_DOUBLE: partial(epoch, settings) for name, settings in SETTINGS.items()},
    repeats=5,
    compared={name: name + IN_DOUBLE for name in SETTINGS} | dict.fromkeys(PERCEPTRON, "RCMS 10"),
)
