"""The methods that Precision compares, and their names in links.

``runs=rcms:10,beam:10,exact`` names the methods; each uses the weights trained for it, exact inference those of RCMS.
``rcms:10x2`` makes two passes, ``beam:10@rcms`` uses the weights of RCMS, and ``@pen:1000:0;rcms:10;step:1200`` is a
checkpoint of the Learn page with its training settings.
"""

import re
from dataclasses import dataclass

from pages.learn.checkpoint import checkpoint_title, read_checkpoint, write_checkpoint
from pages.shell.methods import MAX_BUDGET
from pages.shell.trained_models import is_checkpoint
from pages.word.question import Options, default_model
from rcmviz.core.methods import METHODS, USUAL_BUDGET, WITH_WEIGHTS, MethodChoice
from rcmviz.evaluation.evaluate import Contender
from rcmviz.views.precision.payload import MOST_METHODS

WEIGHTS = tuple(dict.fromkeys(method.weights for method in WITH_WEIGHTS.values()))
MOST_PASSES = 5


@dataclass(frozen=True)
class ComparedMethod(MethodChoice):
    """A method with ``passes``, ``deduplicate``, and ``weights``: one of ``WEIGHTS``, or a checkpoint."""

    passes: int = 1
    weights: str = "rcms"
    deduplicate: bool = False

    @property
    def is_checkpoint(self):
        """Whether it is a training of the Learn page."""
        return is_checkpoint(self.weights)

    @property
    def name(self):
        """The name on screen: ``Beam 10, trained for RCMS``."""
        if self.is_checkpoint:
            return checkpoint_title(self.weights)
        passes = f", {self.passes} passes" if self.passes > 1 else ""
        foreign = f", trained for {METHODS[self.weights].full_title}" if self.is_foreign else ""
        return super().name + passes + foreign

    @property
    def is_foreign(self):
        """Whether it uses weights that were not trained for it."""
        return self.weights != self.entry.weights

    @property
    def row(self):
        """The method as a row of an evaluation."""
        return Contender(self.kind, self.budget, self.passes, self.deduplicate, self.name)

    def options(self, model):
        """Return the options of the Step page; ``model`` has the weights."""
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
    """Return the name of the model of a method: a shipped one, or a checkpoint."""
    if arm.is_checkpoint:
        return arm.weights
    return default_model(trial.source) + ("" if arm.weights == "rcms" else f"-{arm.weights}")


def parse_arms(text):
    """Parse ``rcms:10,beam:10@rcms,exact``; ValueError says what is wrong.

    >>> [arm.name for arm in parse_arms("rcms:10x2,beam:10,exact")]
    ['RCMS 10, 2 passes', 'Beam 10', 'Exact']
    """
    arms = tuple(map(_parse_arm, text.split(",")[: MOST_METHODS + 1]))
    if len(arms) > MOST_METHODS or len(set(arms)) < len(arms):
        raise ValueError(f"choose one to {MOST_METHODS} different methods")
    return arms


def trained_arm(name):
    """Return a checkpoint of the Learn page as a method; ValueError if it is malformed or cannot read letters."""
    source, training, _ = read_checkpoint(name)
    if source.kind == "upload":
        raise ValueError("a training on an uploaded file cannot read these words; evaluate it with `rcmviz evaluate`")
    return ComparedMethod(training.method, training.budget, training.passes, name, training.deduplicate)


def models_in_training(run, plan):
    """Return the latest checkpoints of a Learn run as methods; none if it is trained on an upload."""
    if run is None or plan is None or plan.source.kind == "upload":
        return []
    both = zip(plan.trainings, run.snapshots(), strict=True)
    latest = [(training, one.step) for training, snapshot in both for one in snapshot.checkpoints[-1:]]
    return [trained_arm(write_checkpoint(plan.source, training, step)) for training, step in latest]


def check_unseen(trial):
    """Raise ValueError if a training used the words that it would be tested on."""
    for arm in trial.arms:
        source = read_checkpoint(arm.weights)[0] if arm.is_checkpoint else None
        if source and trial.source == source.kind == "pen" and trial.seed == source.seed:
            raise ValueError(f"{arm.name} was trained on the pens {trial.seed}: choose others to test it on new words")


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
        raise ValueError(f"{text[:40]!r}: only rcms has passes, 1 to {MOST_PASSES}")
    if weights and weights not in WEIGHTS:
        raise ValueError(f"{text[:40]!r}: choose weights of {' or '.join(WEIGHTS)}")
    return ComparedMethod(kind, int(budget or USUAL_BUDGET), int(passes or 1), weights or method.weights)
