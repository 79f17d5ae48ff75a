"""The link of the Precision page: the words, the methods, where to begin.

``runs=rcms:10,beam:10,exact`` names the methods; each reads with the weights that it learnt itself, exact inference
with those of RCMS. ``rcms:10x2`` makes two passes, ``beam:10@rcms`` reads with the weights that RCMS learnt, and
``@pen:1000:0;rcms:10;step:1200`` is a checkpoint of the Learn page, which reads as it was trained.
"""

import re
from dataclasses import dataclass

from pages.learn.link import checkpoint_title, read_checkpoint
from pages.shared import link
from pages.shared.trained_models import is_checkpoint
from pages.word.edits import MAX_BUDGET
from pages.word.settings import METHOD_NAMES, Method, Options, default_model
from rcmviz.evaluation import evaluate
from rcmviz.tasks.handwriting.pen import NOISE
from rcmviz.views.precision.payload import MOST_METHODS

SOURCES = ("pen", "kassel")
WEIGHTS = ("rcms", "beam")
LEARNT_BY = {"rcms": "RCMS", "beam": "beam search"}
FEWEST_WORDS, MOST_WORDS = 50, 2_000
MAX_SEED = 2**31 - 1
MOST_PASSES = 5


@dataclass(frozen=True)
class Arm:
    """A method that answers: ``kind``, ``budget``, ``passes``, whether it joins contexts (``deduplicate``), and who
    learnt its ``weights``: rcms, beam, or the name of a checkpoint.
    """

    kind: str = "rcms"
    budget: int = 10
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
        budget = "" if self.kind == "exact" else f" {self.budget}"
        passes = f", {self.passes} passes" if self.passes > 1 else ""
        foreign = "" if self.weights == own_weights(self.kind) else f", learnt by {LEARNT_BY[self.weights]}"
        return METHOD_NAMES[self.kind] + budget + passes + foreign

    @property
    def row(self):
        """The arm as a row of an evaluation."""
        return evaluate.Method(self.name, self.kind, self.budget, self.passes, self.deduplicate)

    @property
    def method(self):
        """The arm as a method of the Step page."""
        return Method(self.kind) if self.kind == "exact" else Method(self.kind, self.budget)

    def options(self, model):
        """The rest of it, as options of the Step page; ``model`` is what it reads with."""
        root = {"root_weight": model.root_weight} if self.kind == "repaired" else {}
        return Options(self.passes, self.deduplicate, **root)

    def __str__(self):
        if self.is_checkpoint:
            return "@" + self.weights.replace(",", ";")
        budget = "" if self.kind == "exact" else f":{self.budget}"
        passes = f"x{self.passes}" if self.passes > 1 else ""
        return self.kind + budget + passes + ("" if self.weights == own_weights(self.kind) else f"@{self.weights}")


def own_weights(kind):
    """Who learnt the weights that a method reads with unless told otherwise."""
    return "beam" if kind == "beam" else "rcms"


USUAL = (Arm(), Arm("beam", weights="beam"), Arm("exact"))
OFFERED = (*USUAL, Arm(passes=2), Arm(budget=50), Arm("beam", 200, weights="beam"), Arm("beam", weights="rcms"))


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
    return Arm(training.method, training.budget, training.passes, name, training.deduplicate)


def check_unseen(trial):
    """ValueError where a training has learnt from the very words that it would be tested on."""
    for arm in trial.arms:
        source = read_checkpoint(arm.weights)[0] if arm.is_checkpoint else None
        if source and trial.source == source.kind == "pen" and trial.seed == source.seed:
            raise ValueError(f"{arm.name} has learnt from the pens {trial.seed}: choose others, or it knows the words")


def _parse_arm(text):
    if text.startswith("@"):
        return trained_arm(text[1:].replace(";", ","))
    found = re.fullmatch(r"(rcms|beam|exact)(?::(\d{1,6}))?(?:x(\d))?(?:@(\w+))?", text)
    if not found:
        raise ValueError(f"{text[:40]!r} is not a method such as rcms:10, rcms:10x2, beam:10@rcms or exact")
    kind, budget, passes, weights = found.groups()
    if (budget is None) != (kind == "exact") or not 1 <= int(budget or 1) <= MAX_BUDGET:
        raise ValueError(f"{text[:40]!r}: give rcms and beam a budget from 1 to {MAX_BUDGET:,}, exact none")
    if passes and (kind != "rcms" or not 1 <= int(passes) <= MOST_PASSES):
        raise ValueError(f"{text[:40]!r}: only rcms makes passes, up to {MOST_PASSES}")
    if weights and weights not in WEIGHTS:
        raise ValueError(f"{text[:40]!r}: weights are those of {' or '.join(WEIGHTS)}")
    return Arm(kind, int(budget or 10), int(passes or 1), weights or own_weights(kind))


@dataclass(frozen=True)
class Place(link.Link):
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
class Trial(link.Link):
    """The words that are read, and who reads them; the pen's words are those of ``pen_words(words, seed, noise=…)``."""

    source: str = link.choice("src", "pen", SOURCES, always=True)
    words: int = link.whole("words", 500, FEWEST_WORDS, MOST_WORDS, of="pen", always=True)
    seed: int = link.whole("seed", 1, 1, MAX_SEED, of="pen", always=True)
    noise: float = link.real("noise", NOISE, 0.0, 0.5, of="pen")
    arms: tuple[Arm, ...] = link.coded("runs", USUAL, parse_arms, lambda arms: ",".join(map(str, arms)), always=True)

    def groups(self):
        """What decides these words."""
        return (self.source,)

    def place(self):
        """Where the view stands."""
        return Place(methods=len(self.arms))
