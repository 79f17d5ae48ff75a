"""What the Precision page shows, as one frozen value that a link can carry: the words, the methods, where to begin.

``runs=rcms:10,beam:10,exact`` names the methods; each reads with the weights that it learnt itself, exact inference
with those of RCMS. ``rcms:10x2`` makes two passes, ``beam:10@rcms`` reads with the weights that RCMS learnt, and
``@pen:1000:0;rcms:10;step:1200`` is a checkpoint of the Learn page, which reads as it was trained.
"""

import re
from dataclasses import dataclass

from pages.learn.settings import checkpoint_title, read_checkpoint
from pages.shared.trained_models import is_checkpoint
from pages.word.edits import MAX_BUDGET
from pages.word.settings import METHOD_NAMES, Method, Options, Reader, default_model
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


@dataclass(frozen=True)
class Trial:
    """The words that are read, and who reads them; the pen's words are those of ``pen_words(words, seed, noise=…)``."""

    source: str = "pen"
    words: int = 500
    seed: int = 1
    noise: float = NOISE
    arms: tuple[Arm, ...] = USUAL


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


PLACE = ("by", "at", "focus", "curve", "band", "bins", "sort")  # what the browser writes: where the view stands
TRIAL = ("src", "words", "seed", "noise", "runs")


def read_trial(query):
    """(Trial, opening, notices) of a link; ``opening`` is where the view begins, None where the link does not say."""
    reader, usual = Reader(query), Trial()
    trial = Trial(
        reader.choice("src", SOURCES, usual.source),
        reader.number("words", FEWEST_WORDS, MOST_WORDS, usual.words),
        reader.number("seed", 1, MAX_SEED, usual.seed),
        reader.number("noise", 0.0, 0.5, usual.noise, float),
        reader.parsed("runs", parse_arms, usual.arms),
    )
    opening = _read_opening(reader, len(trial.arms)) if set(query) & set(PLACE) else None
    reader.refuse_others((*TRIAL, *PLACE))
    return trial, opening, reader.notices


def _read_opening(reader, methods):
    return {
        "by": reader.choice("by", ("precision", "confidence", "share"), "precision"),
        "at": reader.number("at", 0.0, 1.0, 0.99, float),
        "focus": reader.number("focus", 0, methods - 1, 0),
        "curve": reader.choice("curve", ("precision", "risk"), "precision"),
        "band": reader.choice("band", ("0", "1"), "0") == "1",
        "bins": reader.choice("bins", ("mass", "width"), "mass"),
        "sort": reader.choice("sort", ("surest", "least", "longest", "order"), "surest"),
    }


def write_trial(trial):
    """The trial as query parameters; the browser adds where the view stands."""
    query = {"src": trial.source}
    if trial.source == "pen":
        query |= {"words": str(trial.words), "seed": str(trial.seed)}
        if trial.noise != NOISE:
            query["noise"] = f"{trial.noise:g}"
    return query | {"runs": ",".join(map(str, trial.arms))}
