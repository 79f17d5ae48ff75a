"""The link of the Precision page: the words, the methods, where to begin.

``runs=rcms:10,beam:10,exact`` names the methods; each reads with the weights that it learnt itself, exact inference
with those of RCMS. ``rcms:10x2`` makes two passes, ``beam:10@rcms`` reads with the weights that RCMS learnt, and
``@pen:1000:0;rcms:10;step:1200`` is a checkpoint of the Learn page, which reads as it was trained.
"""

import re
from dataclasses import dataclass

from pages.learn.link import checkpoint_title, read_checkpoint
from pages.shared.methods import MAX_BUDGET, write_methods
from pages.shared.trained_models import is_checkpoint
from pages.shell import link
from pages.word.link import Options, default_model
from rcmviz.core.methods import METHODS, USUAL_BUDGET, WITH_WEIGHTS, MethodChoice
from rcmviz.evaluation.evaluate import Contender
from rcmviz.tasks.handwriting.pen import NOISE
from rcmviz.views.precision.payload import MOST_METHODS

SOURCES = ("pen", "kassel")
WEIGHTS = tuple(dict.fromkeys(method.weights for method in WITH_WEIGHTS.values()))
FEWEST_WORDS, MOST_WORDS = 50, 2_000
MAX_SEED = 2**31 - 1
MOST_PASSES = 5


@dataclass(frozen=True)
class ComparedMethod(MethodChoice):
    """A method that answers, in how many ``passes``, whether it joins contexts (``deduplicate``), and who learnt its
    ``weights``: one of ``WEIGHTS``, or the name of a checkpoint.
    """

    passes: int = 1
    weights: str = "rcms"
    deduplicate: bool = False

    @property
    def is_checkpoint(self):
        """Whether it is a training of the Learn page."""
        return is_checkpoint(self.weights)

    @property
    def name(self):
        """How people call it: ``Beam 10, learnt by RCMS``."""
        if self.is_checkpoint:
            return checkpoint_title(self.weights)
        passes = f", {self.passes} passes" if self.passes > 1 else ""
        foreign = f", learnt by {METHODS[self.weights].full_title}" if self.is_foreign else ""
        return super().name + passes + foreign

    @property
    def is_foreign(self):
        """Whether it reads with weights that were not learnt for it."""
        return self.weights != self.entry.weights

    @property
    def row(self):
        """The arm as a row of an evaluation."""
        return Contender(self.kind, self.budget, self.passes, self.deduplicate, self.name)

    def options(self, model):
        """What the Step page calls options; ``model`` is what it reads with."""
        root = {"root_weight": model.root_weight} if "root_weight" in self.entry.options else {}
        return Options(self.passes, self.deduplicate, **root)

    def __str__(self):
        if self.is_checkpoint:
            return "@" + self.weights.replace(",", ";")
        passes = f"x{self.passes}" if self.passes > 1 else ""
        return super().__str__() + passes + (f"@{self.weights}" if self.is_foreign else "")


USUAL = (ComparedMethod(), ComparedMethod("beam", weights="beam"), ComparedMethod("exact"))
OFFERED = (
    *USUAL,
    ComparedMethod(passes=2),
    ComparedMethod(budget=50),
    ComparedMethod("beam", 200, weights="beam"),
    ComparedMethod("beam", weights="rcms"),
)


def model_of(trial, arm):
    """The name of the model that an arm reads with: a shipped one, or a checkpoint."""
    if arm.is_checkpoint:
        return arm.weights
    return default_model(trial.source) + ("" if arm.weights == "rcms" else f"-{arm.weights}")


def parse_arms(text):
    """``rcms:10,beam:10@rcms,exact`` as Arms; ValueError says what is wrong.

    >>> [arm.name for arm in parse_arms("rcms:10x2,beam:10,exact")]
    ['RCMS 10, 2 passes', 'Beam 10', 'Exact']
    """
    arms = tuple(map(_parse_arm, text.split(",")[: MOST_METHODS + 1]))
    if len(arms) > MOST_METHODS or len(set(arms)) < len(arms):
        raise ValueError(f"one to {MOST_METHODS} methods that differ can be shown")
    return arms


def trained_arm(name):
    """A checkpoint of the Learn page as an Arm; ValueError where there is none such, or it cannot read letters."""
    source, training, _ = read_checkpoint(name)
    if source.kind == "upload":
        raise ValueError("a training on an uploaded file cannot read these words; evaluate it with `rcmviz evaluate`")
    return ComparedMethod(training.method, training.budget, training.passes, name, training.deduplicate)


def check_unseen(trial):
    """ValueError where a training has learnt from the very words that it would be tested on."""
    for arm in trial.arms:
        source = read_checkpoint(arm.weights)[0] if arm.is_checkpoint else None
        if source and trial.source == source.kind == "pen" and trial.seed == source.seed:
            raise ValueError(f"{arm.name} has learnt from the pens {trial.seed}: choose others, or it knows the words")


def _parse_arm(text):
    if text.startswith("@"):
        return trained_arm(text[1:].replace(";", ","))
    found = re.fullmatch(rf"({'|'.join(WITH_WEIGHTS)})(?::(\d{{1,6}}))?(?:x(\d))?(?:@(\w+))?", text)
    if not found:
        raise ValueError(f"{text[:40]!r} is not a method such as rcms:10, rcms:10x2, beam:10@rcms or exact")
    kind, budget, passes, weights = found.groups()
    method = WITH_WEIGHTS[kind]
    if (budget is not None) != method.has_budget or not 1 <= int(budget or 1) <= MAX_BUDGET:
        takers = " and ".join(name for name, each in WITH_WEIGHTS.items() if each.has_budget)
        without = "exact" if method.has_budget else kind
        raise ValueError(f"{text[:40]!r}: give {takers} a budget from 1 to {MAX_BUDGET:,}, {without} none")
    if passes and not (method.passes_in_bulk and 1 <= int(passes) <= MOST_PASSES):
        raise ValueError(f"{text[:40]!r}: only rcms makes passes, up to {MOST_PASSES}")
    if weights and weights not in WEIGHTS:
        raise ValueError(f"{text[:40]!r}: weights are those of {' or '.join(WEIGHTS)}")
    return ComparedMethod(kind, int(budget or USUAL_BUDGET), int(passes or 1), weights or method.weights)


@dataclass(frozen=True)
class PrecisionPlace(link.Link):
    """Where the view stands; one of the ``methods`` is in focus."""

    methods: int = len(USUAL)
    by: str = link.choice("by", "precision", ("precision", "confidence", "share"))
    at: float = link.real("at", 0.99, 0.0, 1.0)
    focus: int = link.whole("focus", 0, 0, lambda place: place.methods - 1)
    curve: str = link.choice("curve", "precision", ("precision", "risk"))
    band: bool = link.flag("band", False)
    bins: str = link.choice("bins", "mass", ("mass", "width"))
    sort: str = link.choice("sort", "surest", ("surest", "least", "longest", "order"))


@dataclass(frozen=True)
class Comparison(link.Link):
    """The words that are read, and who reads them; the pen's words are those of ``pen_words(words, seed, noise=…)``."""

    source: str = link.choice("src", "pen", SOURCES, always=True)
    words: int = link.whole("words", 500, FEWEST_WORDS, MOST_WORDS, of="pen", always=True)
    seed: int = link.whole("seed", 1, 1, MAX_SEED, of="pen", always=True)
    noise: float = link.real("noise", NOISE, 0.0, 0.5, of="pen")
    arms: tuple[ComparedMethod, ...] = link.coded("runs", USUAL, parse_arms, write_methods, always=True)

    def groups(self):
        """What decides these words."""
        return (self.source,)

    def place(self):
        """Where the view stands."""
        return PrecisionPlace(methods=len(self.arms))


# Of most pens RCMS answers several times as many words as beam search at 99 % precision (docs/precision.md); of the
# pens 1, which links mean that name none, neither answers many.
OPENING = Comparison(seed=8)
