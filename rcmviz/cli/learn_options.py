"""Options of the commands that learn: on which words or files, and how."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Annotated

import typer

HANDWRITING = "handwriting"


class HandwritingSource(StrEnum):
    """Handwriting data: Kassel's real words, or words that the pen writes."""

    kassel = "kassel"
    pen = "pen"


class Grid(StrEnum):
    """Which pixels the emissions see."""

    small = "8x4"
    full = "16x8"


class Mode(StrEnum):
    """Which windows fire at a position."""

    single = "single"
    additive = "additive"


class LostGold(StrEnum):
    """Updates after the gold was lost."""

    numerator = "numerator"
    both = "both"
    skip = "skip"
    early = "early"


class ObjectiveName(StrEnum):
    """Objectives of a training."""

    likelihood = "likelihood"
    perceptron = "perceptron"


class UpdateRule(StrEnum):
    """Update rules of the perceptron."""

    standard = "standard"
    early = "early"
    max_violation = "max-violation"


class WeightTable(StrEnum):
    """Storage of weights."""

    auto = "auto"
    dense = "dense"
    hashed = "hashed"


class WeightPrecision(StrEnum):
    """Precision of weights that learn."""

    f8 = "f8"
    f4 = "f4"


What = Annotated[str, typer.Argument(help="handwriting, or a CoNLL or CSV file (docs/classifier.md).")]
PenWords = Annotated[int, typer.Option(min=10, help="Handwriting: how many words the pen writes.")]


def load_words(source, number, seed):
    """Kassel's words, or a number of words from the pen."""
    from rcmviz.tasks.handwriting import letter_data, pen

    return letter_data.load_words() if source is HandwritingSource.kassel else pen.pen_words(number, seed)


@dataclass(frozen=True)
class HandwritingOptions:
    """The handwriting and its features."""

    data: Annotated[
        HandwritingSource, typer.Option(help="Handwriting: Kassel's words, or words that the pen writes.")
    ] = HandwritingSource.pen
    grid: Annotated[Grid, typer.Option(help="Handwriting: rows x columns of the images that the emissions see.")] = (
        Grid.small
    )
    words: PenWords = 6000


@dataclass(frozen=True)
class FileOptions:
    """Options of reading a file of sequences."""

    label: Annotated[str | None, typer.Option(help="File: the column of labels, by name or number.")] = None
    token: Annotated[str | None, typer.Option(help="File: the column whose spelling counts.")] = None
    columns: Annotated[str | None, typer.Option(help="File: the columns that describe a position, as 1,2.")] = None
    plain: Annotated[bool, typer.Option("--plain", help="File: cells as they are, no spelling or neighbours.")] = False
    max_mb: Annotated[int, typer.Option(min=1, help="File: the most megabytes that are read.")] = 100

    def options(self):
        """Keyword arguments for `read_sequences`."""
        columns = self.columns and [name.strip() for name in self.columns.split(",")]
        named = {"label": self.label, "token": self.token, "columns": columns, "plain": self.plain}
        return named | {"max_bytes": self.max_mb * 1_000_000}


@dataclass(frozen=True)
class TrainingOptions:
    """Settings of a training besides method, budget, order and seed; the defaults are those of `Training`."""

    mode: Annotated[Mode, typer.Option(help="One window per position, or all its suffixes added up.")] = Mode.single
    passes: Annotated[int, typer.Option(help="Passes of rcms over each sequence.")] = 1
    deduplicate: Annotated[bool, typer.Option("--deduplicate", help="Join contexts equal in their last n labels.")] = (
        False
    )
    lost_gold: Annotated[LostGold, typer.Option(help="What to do where a beam lost the gold.")] = LostGold.numerator
    eta: Annotated[float, typer.Option(help="Size of AdaGrad's steps.")] = 0.2
    delta: Annotated[float, typer.Option(help="Added to AdaGrad's squares.")] = 1e-4
    l2: Annotated[float, typer.Option(help="Weight of the penalty on squared weights.")] = 0.0
    average: Annotated[bool, typer.Option("--average", help="Average the weights over all steps.")] = False
    epochs: Annotated[int | None, typer.Option(min=1, help="Visits to each sequence, 20 by default.")] = None
    shuffle: Annotated[bool, typer.Option(help="Another order in each epoch, else that of the data.")] = True
    table: Annotated[WeightTable, typer.Option(help="Dense or hashed weights, or what fits.")] = WeightTable.auto
    objective: Annotated[
        ObjectiveName, typer.Option(help="Climb the likelihood, or correct errors: the perceptron.")
    ] = ObjectiveName.likelihood
    update: Annotated[UpdateRule, typer.Option(help="Perceptron: which prefix a step looks at.")] = UpdateRule.standard
    mira: Annotated[float, typer.Option(help="Perceptron: largest passive-aggressive step; 0 for steps of one.")] = 0.0
    precision: Annotated[
        WeightPrecision, typer.Option(help="Single (f4) is over three times as fast where vectors can do it.")
    ] = WeightPrecision.f8

    def options(self):
        """Keyword arguments for `Training`."""
        given = {name: value for name, value in asdict(self).items() if value is not None}
        return {name: str(value) if isinstance(value, StrEnum) else value for name, value in given.items()}


def check_options(context, what):
    """ValueError for an option that was given and whose help begins with the kind of data that ``what`` is not."""
    other, kind = ("File:", "a file") if what == HANDWRITING else ("Handwriting:", "handwriting")
    for option in context.command.params:
        given = context.get_parameter_source(option.name).name == "COMMANDLINE"
        if given and (option.help or "").startswith(other):
            raise ValueError(f"{what}: {option.opts[0]} is for {kind}; leave it out")
