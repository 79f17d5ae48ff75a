"""The settings of learning to search, and what an iteration reports."""

from dataclasses import dataclass

from rcmviz.core.shared import checks
from rcmviz.learn.settings import CheckedSettings

ROLL_INS, ROLL_OUTS = ("oracle", "mixture", "learned"), ("oracle", "mixture", "coin")
REDUCTIONS = ("margin", "regression", "all-pairs", "costing")
PREDICTIONS = ("vote", "sample")
RATES = ("adaptive", "cubic")  # of beta, instead of a number
TRIED = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0)  # where beta is adaptive


@dataclass(frozen=True)
class Algorithm:
    """One point of the space: who acts on the way to a state, ``roll_in``, and after each action, ``roll_out``.

    ``aggregates``: a classifier learns from the examples of all iterations and takes the place of those before it; else
    it learns from those of its own iteration and joins the mixture. ``iterates``: there is more than one iteration.
    """

    name: str
    roll_in: str
    roll_out: str
    aggregates: bool = False
    iterates: bool = True


ALGORITHMS = {
    "searn": Algorithm("SEARN", "mixture", "mixture"),
    "dagger": Algorithm("DAgger", "mixture", "oracle", aggregates=True),
    "lols": Algorithm("LOLS", "learned", "coin", aggregates=True),
    "gold": Algorithm("gold prefixes", "oracle", "oracle", iterates=False),
}


@dataclass(frozen=True)
class SearchTraining(CheckedSettings):
    """Everything that decides the outcome of learning to search, apart from the data and a custom loss or learner.

    Parameters
    ----------
    algorithm : {"searn", "dagger", "lols", "gold"}
        Who rolls in and out, and what becomes of earlier classifiers; "gold" learns from gold prefixes once.
    loss : {"hamming", "zero-one", "chunks", "edit"}
        Loss of a completed output: wrong labels, 1 unless all are right, 1 − F1 of chunks, Levenshtein's distance.
    order : int
        How many past labels a policy sees, n, 1 to 20.
    iterations : int
        Classifiers that are learnt one after the other.
    beta : float, "adaptive" or "cubic"
        Weight of a new classifier in the mixture, above 0 and up to 1; the one with the least loss on held-out
        sequences; or 1 / T³, T the length of the longest sequence, with which the guarantee of SEARN is proved.
    reduction : {"margin", "regression", "all-pairs", "costing"}
        How the linear classifier learns from the costs of actions.
    epochs : int
        Its visits to each position.
    eta : float
        Step size of AdaGrad, above 0.
    delta : float
        What AdaGrad adds to its sum of squares, above 0.
    average : bool
        Average the weights over all steps.
    warm : bool
        Begin each linear classifier with the weights of the one before.
    seed : int
        Seed of the policies that are drawn and of the order of the sequences.

    Raises
    ------
    ValueError
        A value is out of range.

    Notes
    -----
    SEARN is of Daumé, Langford and Marcu (2009), DAgger of Ross, Gordon and Bagnell (2011), LOLS of Chang and others
    (2015). With LOLS 1 − beta is the oracle's share of the roll-outs; with DAgger its share of the decisions on the way
    is (1 − beta)^t after t iterations.

    Examples
    --------
    >>> SearchTraining("dagger", beta=1.0).to_dict()["beta"]
    1.0
    """

    algorithm: str = "searn"
    loss: str = "hamming"
    order: int = 1
    iterations: int = 10
    beta: float | str = 0.3
    reduction: str = "margin"
    epochs: int = 5
    eta: float = 0.2
    delta: float = 1e-4
    average: bool = True
    warm: bool = True
    seed: int = 0

    def __post_init__(self):
        super().__post_init__()
        from rcmviz.searn.losses import LOSSES

        self.check_choices(algorithm=ALGORITHMS, loss=LOSSES, reduction=REDUCTIONS)
        if isinstance(self.beta, str):
            checks.choice("beta", self.beta, RATES, "a number above 0 and up to 1, 'adaptive' or 'cubic'")
        else:
            checks.number("beta", self.beta, "a number above 0 and up to 1, 'adaptive' or 'cubic'", above=0, most=1)
        self.check_wholes(order=(1, 20), iterations=(1, 10_000), epochs=(1, 100_000), seed=(0, 2**63 - 1))
        self.check_each(checks.positive, "eta", "delta")
        self.check_each(checks.switch, "average", "warm")
        if not self.point.iterates:
            object.__setattr__(self, "iterations", 1)

    @property
    def point(self) -> Algorithm:
        """The algorithm as a point of the space.

        Returns
        -------
        Algorithm
            Who rolls in and out.
        """
        return ALGORITHMS[self.algorithm]


@dataclass(frozen=True)
class IterationState:
    """Results of an iteration of learning to search.

    Attributes
    ----------
    iteration : int
        Classifiers that have been learnt so far.
    beta : float
        Weight of the new one.
    mixture : tuple of float
        Weights of the oracle and of every classifier so far.
    roll_in_errors : float
        Share of the labels of the roll-ins that are wrong.
    steps_per_action : float
        Decisions of roll-outs per action that was tried; NaN where the loss is a function.
    mistakes : float
        Share of the positions where the classifier's best action was none of the cheapest, in its last epoch; NaN for a
        learner that does not say.
    held_out : float
        Mean loss of the held-out sequences; NaN without any.
    accuracy : float
        Share of their labels that are right; NaN without any.
    seconds : float
        Time of training so far.
    """

    iteration: int
    beta: float
    mixture: tuple[float, ...]
    roll_in_errors: float
    steps_per_action: float
    mistakes: float
    held_out: float
    accuracy: float
    seconds: float

    def to_dict(self) -> dict:
        """The fields, ready for JSON; None in the place of NaN.

        Returns
        -------
        dict
            ``{name: value}``.
        """
        found = {name: None if value != value else value for name, value in vars(self).items()}
        return found | {"mixture": list(self.mixture)}
