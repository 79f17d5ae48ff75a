"""What a training is told, and what it says after each stretch."""

from dataclasses import asdict, dataclass, fields

import numpy as np

from rcmviz.core.build import check_budget
from rcmviz.core.model import MODES, NgramModel

METHODS = ("rcms", "beam", "repaired", "exact")
LOST_GOLD = ("numerator", "both", "skip", "early")
TABLES = ("auto", "dense", "hashed")


class Told:
    """Settings as a frozen dataclass, to and from JSON."""

    def __post_init__(self):
        for name, value in vars(self).items():
            if isinstance(value, np.generic):  # of a grid search over np.arange; JSON writes Python's numbers only
                object.__setattr__(self, name, value.item())

    def to_dict(self):
        """The fields as a plain dict, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values):
        """The settings that ``to_dict`` wrote; ValueError for a field that there is none of."""
        known = {entry.name for entry in fields(cls)}
        strange = sorted(set(values) - known)
        if strange:
            raise ValueError(f"{strange[0]!r} is no setting of a training; there are {', '.join(sorted(known))}")
        return cls(**values)

    def check_choices(self, *choices):
        """ValueError where a (name, possible values) is another value."""
        for name, among in choices:
            if getattr(self, name) not in among:
                raise ValueError(f"{name} {getattr(self, name)!r}: choose one of {', '.join(among)}")

    def check_wholes(self, *ranges):
        """ValueError where a (name, lowest, highest) is no whole number in this range."""
        for name, low, high in ranges:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise ValueError(f"{name} {value!r}: a whole number from {low} to {high:,}")

    def check_numbers(self, *signs):
        """ValueError where a (name, whether it is positive) is no finite number, or a negative one."""
        for name, positive in signs:
            value = getattr(self, name)
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not number or not np.isfinite(value) or value < 0 or (positive and value == 0):
                raise ValueError(f"{name} {value!r}: a {'positive' if positive else 'non-negative'} number")

    def check_switches(self, *names):
        """ValueError where one of these is neither True nor False."""
        for name in names:
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} {getattr(self, name)!r}: True or False")


@dataclass(frozen=True)
class Training(Told):
    """Everything that decides the outcome of a training, beside the data; checked when it is made (ValueError).

    ``method`` how contexts are chosen, with ``budget`` contexts and ``passes`` over each sequence (rcms), contexts
    equal in their last n labels joined where ``deduplicate`` · ``order`` n and ``mode`` of the model ·
    ``lost_gold`` what an example does whose gold falls off the beam: it counts in the ``numerator`` only, in ``both``
    numerator and normaliser, it is left out (``skip``), or the update is ``early``, on the prefix after which it fell ·
    ``eta``, ``delta`` of AdaGrad (θ += η g / sqrt(δ + Σ g²)), ``l2`` the weight of a penalty ½ l2 Σ θ² over the rows
    that an example touches · ``average`` the weights over all steps · ``epochs``, ``seed`` and whether to ``shuffle``
    (else the order of the data) · ``table`` of weights: dense, hashed, or what fits.
    """

    method: str = "rcms"
    budget: int = 10
    order: int = 3
    mode: str = "single"
    passes: int = 1
    deduplicate: bool = False
    lost_gold: str = "numerator"
    eta: float = 0.2
    delta: float = 1e-4
    l2: float = 0.0
    average: bool = False
    epochs: int = 20
    seed: int = 0
    shuffle: bool = True
    table: str = "auto"

    def __post_init__(self):
        super().__post_init__()
        self.check_choices(("method", METHODS), ("mode", MODES), ("lost_gold", LOST_GOLD), ("table", TABLES))
        check_budget(self.budget)
        self.check_wholes(("order", 1, 20), ("passes", 1, 10), ("epochs", 1, 100_000), ("seed", 0, 2**63 - 1))
        self.check_numbers(("eta", True), ("delta", True), ("l2", False))
        self.check_switches("deduplicate", "average", "shuffle")
        if self.passes > 1 and self.method != "rcms":
            raise ValueError(f"passes {self.passes}: only rcms ranks contexts by the pass before; leave it at 1")


@dataclass(frozen=True)
class Measures:
    """What a training was like up to ``step``, the examples visited in all.

    Means over the examples since the measures before, each before its own update: ``log_likelihood`` (of a beam that
    counts a lost gold in the numerator only it can be positive), ``gradient_norm``, ``mean_length`` mass-weighted
    number of remembered labels, ``lost`` the share whose gold fell off. Of the sequences held out, NaN without any:
    ``accuracy`` of whole ones, ``recall_99``, mean ``confidence``.
    """

    step: int
    log_likelihood: float
    gradient_norm: float
    mean_length: float
    lost: float
    accuracy: float
    recall_99: float
    confidence: float


@dataclass(frozen=True)
class State(Measures):
    """Where a training stands: its ``Measures``, the means over the examples since the last state.

    ``epoch`` how many passes over the data are complete, ``seconds`` of training so far, ``model`` as it is now
    (averaged if so set).
    """

    epoch: int
    seconds: float
    model: NgramModel
