"""Settings and states of a training of alignments."""

from dataclasses import dataclass

from rcmviz.align.model import MODES, MOST_MEMORY, MOST_ORDER
from rcmviz.align.workspace import STRATEGIES
from rcmviz.core.shared import checks
from rcmviz.learn.settings import CheckedSettings

DECODERS = ("viterbi", "marginal")


@dataclass(frozen=True)
class AlignTraining(CheckedSettings):
    """Everything that decides the outcome of a training, apart from the examples; checked when it is made (ValueError).

    ``strategy`` how the contexts are chosen: "rcms"; beams by the "model", by the "target", the observed letters, or by
    both ("hybrid"); or "forced", where an exact bigram model of ``initial_epochs`` says which alignment is the observed
    one, and RCMS learns that · ``budget`` contexts per cell, the roots not counted · ``passes`` over each example (of
    rcms and forced) · ``order`` n, ``mode`` of the features · ``memory`` symbols that a context remembers at most ·
    ``joined``: contexts that no feature can tell apart are one · ``eta``, ``delta`` of AdaGrad · ``average`` the
    weights over all steps · ``epochs``, ``seed``, ``shuffle`` · ``decoder`` of held-out examples, the ``"viterbi"``
    alignment's letters or the text of the largest ``"marginal"``. The defaults did best on held-out words
    (docs/results.md, figure 4); the paper's order of 5 there has η = 0.2, δ = 1e-4.
    """

    strategy: str = "rcms"
    budget: int = 20
    passes: int = 1
    order: int = 3
    mode: str = "additive"
    memory: int = MOST_MEMORY
    joined: bool = True
    eta: float = 0.5
    delta: float = 1.0
    average: bool = False
    epochs: int = 5
    initial_epochs: int = 5
    seed: int = 0
    shuffle: bool = True
    decoder: str = "viterbi"

    def __post_init__(self):
        super().__post_init__()
        self.check_choices(strategy=STRATEGIES, mode=MODES, decoder=DECODERS)
        object.__setattr__(self, "budget", checks.budget(self.budget))
        object.__setattr__(self, "passes", checks.passes(self.passes))
        if self.passes > 1 and self.strategy not in ("rcms", "forced"):
            raise ValueError(f"passes {self.passes}: only rcms ranks contexts by the pass before; leave it at 1")
        self.check_wholes(order=(1, MOST_ORDER), memory=(1, MOST_MEMORY), seed=(0, 2**63 - 1))
        self.check_wholes(epochs=(1, 10_000), initial_epochs=(1, 1_000))
        self.check_each(checks.positive, "eta", "delta")
        self.check_each(checks.switch, "joined", "average", "shuffle")


@dataclass(frozen=True)
class AlignState:
    """State of a training after ``step`` examples.

    Means over the examples since the state before, each before its own update: ``log_likelihood`` and ``gradient_norm``
    of those ``explained``, the number for which an alignment with the observed letters was kept, of ``examples``;
    ``mean_length`` symbols remembered (NaN for none). Of the examples held out, NaN
    without any: ``error_rate`` of characters and share of ``exact`` texts. ``epoch`` complete passes, ``seconds`` of
    training so far.
    """

    step: int
    examples: int
    explained: int
    log_likelihood: float
    gradient_norm: float
    mean_length: float
    error_rate: float
    exact: float
    epoch: int
    seconds: float
