"""The settings of a training, and what it reports after each stretch."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

import numpy as np

from rcmviz.core.methods import TRAINABLE, USUAL_BUDGET
from rcmviz.core.models.model import MODES, NgramModel
from rcmviz.core.shared import checks

LOST_GOLD = ("numerator", "both", "skip", "early")
TABLES = ("auto", "dense", "hashed")
OBJECTIVES = ("likelihood", "perceptron")
UPDATES = ("standard", "early", "max-violation")
PRECISIONS = ("f8", "f4")
OF_LIKELIHOOD, OF_PERCEPTRON = ("lost_gold", "eta", "delta", "l2", "precision"), ("update", "mira")


@dataclass(frozen=True)
class CheckedSettings:
    """Settings as a frozen dataclass, to and from JSON."""

    def __post_init__(self):
        for name, value in vars(self).items():
            if isinstance(value, np.generic):  # of a grid search over np.arange; JSON writes Python's numbers only
                object.__setattr__(self, name, value.item())

    def to_dict(self) -> dict[str, Any]:
        """The fields as a plain dict, ready for JSON.

        Returns
        -------
        dict
            ``{name: value}``.
        """
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The settings that ``to_dict`` wrote.

        Parameters
        ----------
        values : mapping of str
            ``{name: value}``; fields that are missing have their default.

        Returns
        -------
        settings
            The settings.

        Raises
        ------
        ValueError
            There is no such field, or its value is out of range.
        """
        known = {entry.name for entry in fields(cls)}
        checks.instance("values", values, Mapping, "a dict {name: value}")
        strange = [name for name in values if name not in known]
        if strange:
            raise ValueError(f"{strange[0]!r} is no setting of a training; there are {', '.join(sorted(known))}")
        return cls(**values)

    def check_choices(self, **among: Collection[str]) -> None:
        """Raise a ValueError unless fields have one of their possible values.

        Parameters
        ----------
        **among : collection of str
            The possible values of a field, by its name.
        """
        for name, values in among.items():
            checks.choice(name, getattr(self, name), values)

    def check_wholes(self, **ranges: tuple[int, int]) -> None:
        """Raise a ValueError unless fields are whole numbers in a range; they are ints from then on.

        Parameters
        ----------
        **ranges : tuple of two ints
            The lowest and the highest value of a field, by its name.
        """
        for name, (low, high) in ranges.items():
            object.__setattr__(self, name, checks.whole(name, getattr(self, name), low, high))

    def check_each(self, check: Callable[[str, Any], Any], *names: str) -> None:
        """Raise a ValueError unless fields pass a check of ``core/shared/checks.py``, whose values they then have.

        A step size of 1 becomes 1.0: with another type the kernels would be compiled again.

        Parameters
        ----------
        check : function of a name and a value
            As ``checks.positive``.
        *names : str
            Names of the fields.
        """
        for name in names:
            object.__setattr__(self, name, check(name, getattr(self, name)))


@dataclass(frozen=True)
class Training(CheckedSettings):
    """Everything that decides the outcome of a training, apart from the data.

    Parameters
    ----------
    method : str
        How contexts are chosen, one of ``rcmviz.core.methods.TRAINABLE``.
    budget : int
        Contexts per position, the root not counted.
    order : int
        How many past labels a weight can see, n, 1 to 20.
    mode : {"single", "additive"}
        One window fires per position, or the windows of all suffixes add up.
    passes : int
        Passes of RCMS over each sequence, 1 to 10; from the second on contexts are ranked by their posterior mass.
    deduplicate : bool
        Join contexts that are equal in their last n labels.
    lost_gold : {"numerator", "both", "skip", "early"}
        What an example does when its gold falls off the beam: count in the numerator only, count in numerator and
        normaliser, be left out, or learn from the prefix before the gold fell off.
    eta : float
        Step size of AdaGrad, above 0.
    delta : float
        What AdaGrad adds to its sum of squares, above 0.
    l2 : float
        Weight of the penalty ½ l2 Σ θ² over the rows that an example touches.
    average : bool
        Average the weights over all steps.
    epochs : int
        Passes over the data.
    seed : int
        Seed of the order of the examples.
    shuffle : bool
        Visit the examples of each epoch in random order, else in the order of the data.
    table : {"auto", "dense", "hashed"}
        How weights are stored; what fits, by default.
    objective : {"likelihood", "perceptron"}
        Climb the log-likelihood by AdaGrad, or correct wrong decodings by steps of the structured perceptron.
    update : {"standard", "early", "max-violation"}
        What a step of the perceptron compares: whole sequences, the prefixes at which the gold fell off the beam, or
        those by which the gold falls behind most.
    mira : float
        Largest passive-aggressive step, C, of a perceptron; 0 for steps of size one.
    precision : {"f8", "f4"}
        Precision of weights and masses, double or single. Single is for windows in a table that is not hashed, under
        RCMS or beam without joined contexts, a lost gold counting in the numerator, or exact chains of order 1; other
        trainings are double.

    Raises
    ------
    ValueError
        A value is out of range, or a setting of one objective is given to the other.

    Notes
    -----
    AdaGrad steps are θ += η g / sqrt(δ + Σ g²) with the present gradient in the sum (Duchi, Hazan and Singer, 2011).
    The defaults of ``eta`` and ``delta`` are those of Steinhardt and Liang (2015).

    The perceptron (Collins, 2002) adds the counts of the gold and subtracts those of the prediction. Its early update
    is that of Collins and Roark (2004), max-violation that of Huang, Fayong and Guo (2012), the passive-aggressive step
    min(C, loss / ‖difference‖²) that of Crammer et al. (2006, PA-I), its loss the number of wrong labels plus the
    prediction's score less the gold's. With ``average`` the model is the mean over the weights before the first step
    and after every step.

    Examples
    --------
    >>> import rcmviz as rv
    >>> rv.Training("beam", budget=5, epochs=3).to_dict()["budget"]
    5
    """

    method: str = "rcms"
    budget: int = USUAL_BUDGET
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
    objective: str = "likelihood"
    update: str = "standard"
    mira: float = 0.0
    precision: str = "f8"

    def __post_init__(self):
        super().__post_init__()
        self.check_choices(method=TRAINABLE, mode=MODES, lost_gold=LOST_GOLD, table=TABLES)
        self.check_choices(objective=OBJECTIVES, update=UPDATES, precision=PRECISIONS)
        checks.budget(self.budget)
        self.check_wholes(order=(1, 20), passes=(1, checks.MAX_PASSES), epochs=(1, 100_000), seed=(0, 2**63 - 1))
        self.check_each(checks.positive, "eta", "delta")
        self.check_each(checks.non_negative, "l2", "mira")
        self.check_each(checks.switch, "deduplicate", "average", "shuffle")
        object.__setattr__(self, "budget", TRAINABLE[self.method].contexts(self.budget))
        if self.passes > 1 and not TRAINABLE[self.method].passes_in_bulk:
            raise ValueError(f"passes {self.passes}: only rcms ranks contexts by the pass before; leave it at 1")
        self._check_objective()

    def to_dict(self) -> dict[str, Any]:
        """The settings as a plain dict, ready for JSON.

        Returns
        -------
        dict
            ``{name: value}``; of a likelihood without those of the perceptron, as it was before there was one, and
            without the precision where it is double, as it was before there was another.
        """
        left_out = {"objective", *OF_PERCEPTRON} if self.objective == "likelihood" else set()
        left_out |= {"precision"} if self.precision == "f8" else set()
        return {name: value for name, value in super().to_dict().items() if name not in left_out}

    @property
    def measured(self) -> str:
        """The name of ``Measures.log_likelihood``."""
        return "log likelihood" if self.objective == "likelihood" else "gold less prediction"

    def _check_objective(self):
        """ValueError where a setting is of the other objective, or nothing can fall off for an early update."""
        foreign = OF_PERCEPTRON if self.objective == "likelihood" else OF_LIKELIHOOD
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name in foreign and value != entry.default:
                raise ValueError(
                    f"{entry.name} {value!r}: objective {self.objective!r} has no such setting; leave it at "
                    f"{entry.default!r}"
                )
        if self.update == "early" and not TRAINABLE[self.method].drops:
            raise ValueError(f"update 'early': with {self.method} no gold falls off; choose standard or max-violation")


@dataclass(frozen=True)
class Measures:
    """Measures of a training since the previous ones, each example measured before its own update.

    Attributes
    ----------
    step : int
        Examples visited in all.
    log_likelihood : float
        Mean log-likelihood in nats; of a beam that counts a lost gold in the numerator only it can be positive. Of a
        perceptron the gold's score less the prediction's, the limit at temperature 0: positive where a search
        overlooked the gold.
    gradient_norm : float
        Mean Euclidean norm of the gradient, of a perceptron that of the difference of counts.
    mean_length : float
        Mean number of labels that a context remembers, weighted by mass.
    lost : float
        Share of the examples whose gold fell off.
    accuracy : float
        Share of the held-out sequences whose labels are all right; NaN without any.
    recall_99 : float
        Largest share of them that can be answered with 99 % precision; NaN without any.
    confidence : float
        Mean probability of their decoded outputs; NaN without any.
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
class TrainingState(Measures):
    """The state of a training: its ``Measures`` since the last state, and its model.

    Attributes
    ----------
    epoch : int
        Complete passes over the data.
    seconds : float
        Time of training so far.
    model : NgramModel
        The model as it is now, averaged where the settings say so.
    """

    epoch: int
    seconds: float
    model: NgramModel


def numbers(state):
    """The numbers of a training state, without its model."""
    return {name: value for name, value in vars(state).items() if name != "model"}
