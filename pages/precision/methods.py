"""The methods that Precision compares, as links name them.

``runs=rcms:10,beam:10,exact`` names the methods; each reads with the weights that it learnt itself, exact inference
with those of RCMS. ``rcms:10x2`` makes two passes, ``beam:10@rcms`` reads with the weights that RCMS learnt, and
``@pen:1000:0;rcms:10;step:1200`` is a checkpoint of the Learn page, which reads as it was trained.
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


def models_in_training(run, plan):
    """The latest checkpoints of a run of the Learn page, as methods; none if it learns from an upload."""
    if run is None or plan is None or plan.source.kind == "upload":
        return []
    both = zip(plan.trainings, run.snapshots(), strict=True)
    latest = [(training, one.step) for training, snapshot in both for one in snapshot.checkpoints[-1:]]
    return [trained_arm(write_checkpoint(plan.source, training, step)) for training, step in latest]


def check_unseen(trial):
    """Raise ValueError if a training has learnt from the words that it would be tested on."""
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
