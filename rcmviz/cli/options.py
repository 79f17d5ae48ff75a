"""Options shared by several commands: methods by name, the example, and how it is run.

A command takes `example: ExampleOptions` or `settings: RunOptions` as a parameter; `takes_groups` spreads their fields
out as options of the command and hands them over as one value.
"""

import dataclasses
import difflib
import functools
import inspect
import sys
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

import typer

from rcmviz.cli.files import INPUT, STDIN
from rcmviz.core.methods import BUILDERS, DECODERS, MethodChoice
from rcmviz.core.rules import FORWARD, RULES, fitting_rule
from rcmviz.tasks import TEST_FOLD

EXAMPLE_TEXT, DEFAULT_TAGGER = "creation", "tagger-ewt"
# Those that only some builders have.
BUILDER_OPTIONS = ("passes", "deduplicate", "root_weight", "select", "adaptive", "budget_at")
OF_BUILDER = {"budget_at": "budgets"}  # options that a builder calls otherwise

Json = Annotated[bool, typer.Option("--json", help="Print JSON for a machine to read.")]
DecoderBudget = Annotated[int, typer.Option(help="beam, rcms: contexts kept per position; bestfirst: the queue.")]
RuleName = Annotated[str, typer.Option(help=f"How candidates are ranked: {', '.join(RULES)}.")]
TaggerName = Annotated[str, typer.Option(help="A shipped tagger, or the .npz file of one.")]


def as_choices(methods):
    """Methods as values of an option."""
    return StrEnum("Method", {kind: kind for kind in methods})


BuilderName = as_choices(BUILDERS)
DecoderName = as_choices(DECODERS)


def parse_methods(text, budget):
    """`rcms,beam:200,exact` as a list of MethodChoice, ``budget`` where none is named; ValueError for another text."""
    return [_parse_method(part.strip(), budget) for part in text.split(",")]


def _parse_method(text, budget):
    try:
        return MethodChoice.parse(text, budget)
    except ValueError:
        raise ValueError(f"{text!r} is no method; write e.g. rcms:10,beam:200,exact,repaired") from None


def whole_numbers(text, option, example):
    """`5,10` as a list of numbers; ValueError for another text, with an example of a right one."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise ValueError(f"{option} {text}: write whole numbers with commas, e.g. {example}")
    return [int(part) for part in parts]


def takes_groups(command):
    """The command with every parameter whose annotation is a dataclass replaced by that dataclass' fields."""
    parameters = inspect.signature(command).parameters.values()
    groups = {p.name: p.annotation for p in parameters if dataclasses.is_dataclass(p.annotation)}

    @functools.wraps(command)
    def spread(**given):
        values = {
            name: group(**{entry.name: given.pop(entry.name) for entry in dataclasses.fields(group)})
            for name, group in groups.items()
        }
        return command(**values, **given)

    flat = [q for p in parameters for q in (_as_parameters(groups[p.name]) if p.name in groups else [p])]
    spread.__signature__ = inspect.Signature([p.replace(kind=p.KEYWORD_ONLY) for p in flat])
    return spread


def _as_parameters(group):
    return [
        inspect.Parameter(entry.name, inspect.Parameter.KEYWORD_ONLY, annotation=entry.type, default=_default(entry))
        for entry in dataclasses.fields(group)
    ]


def _default(entry):
    if entry.default_factory is not dataclasses.MISSING:
        return entry.default_factory()
    return inspect.Parameter.empty if entry.default is dataclasses.MISSING else entry.default


@dataclass(frozen=True)
class ExampleOptions:
    """Which example: a problem file, a pen-written text, or a real word by index or text."""

    problem: Annotated[
        str | None, typer.Argument(help="A problem file: .json, .csv, .npz, .npy; - is standard input.")
    ] = None
    text: Annotated[str | None, typer.Option(help=f"Letters for the pen to write, e.g. {EXAMPLE_TEXT}.")] = None
    seed: Annotated[int, typer.Option(help="The pen's writer.")] = 0
    noise: Annotated[float | None, typer.Option(help="How many of the pen's pixels are wrong, 0 to 0.5.")] = None
    index: Annotated[int | None, typer.Option(help="A real word by its number in letter.data, from 0.")] = None
    word: Annotated[str | None, typer.Option(help="A real word by its letters, e.g. ommanding.")] = None
    model: Annotated[
        str | None,
        typer.Option(
            help="handwriting-kassel, handwriting-pen, either trained by beam search: handwriting-kassel-beam, "
            "handwriting-pen-beam, or a path to an .npz file."
        ),
    ] = None
    transitions: Annotated[
        str | None, typer.Option(help="Weights from label to label (.csv or .npy) for a .csv, .npz or .npy.")
    ] = None
    labels: Annotated[str | None, typer.Option(help="Names of the columns of an .npy: a text file, one a line.")] = None

    def load(self):
        """The Problem; ValueError for more than one example or one that cannot be had."""
        from rcmviz.core.problems.problem_file import MAX_BYTES, label_names, parse_content, read_problem, read_table

        asked = {"a problem file": self.problem, "--text": self.text, "--index": self.index, "--word": self.word}
        given = [name for name, value in asked.items() if value is not None]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} name different examples; give one of them")
        if self.problem == STDIN:
            content = sys.stdin.buffer.read(MAX_BYTES + 1)
            parts = read_table(self.transitions), label_names(self.labels)
            return parse_content(content, INPUT, self.model, *parts)
        if self.problem is not None:
            return read_problem(self.problem, self.model, transitions=self.transitions, labels=self.labels)
        if self.transitions is not None or self.labels is not None:
            raise ValueError("--transitions and --labels belong to a problem file; give that, too")
        return self._handwritten(
            "handwriting-pen" if self.index is None and self.word is None else "handwriting-kassel"
        )

    def _handwritten(self, default_model):
        from rcmviz.core.models.shipped import load_model
        from rcmviz.tasks.handwriting.problems import problem_from_word

        name = self.model or default_model
        return problem_from_word(load_model(name), self.handwritten_word(), name)

    def handwritten_word(self):
        """The word of the pen, or the real one."""
        from rcmviz.tasks.handwriting import letter_data, pen

        if self.word is None and self.index is None:
            noise = pen.NOISE if self.noise is None else self.noise
            return pen.write_word(EXAMPLE_TEXT if self.text is None else self.text, self.seed, noise=noise)
        words = letter_data.load_words()
        return words[_checked_index(self.index, words)] if self.word is None else _word_spelt(self.word, words)


def _checked_index(index, words):
    if not 0 <= index < len(words):
        raise ValueError(f"there is no word {index}; the index is 0 to {len(words) - 1}")
    return index


def _word_spelt(letters, words):
    """The first copy of a word, in the test fold if there is one."""
    copies = [word for word in words if word.letters == letters]
    if not copies:
        near = difflib.get_close_matches(letters, {word.letters for word in words}, n=4, cutoff=0.0)
        raise ValueError(
            f"no real word is spelt {letters!r}; near it are {', '.join(near)} (first letters were cut off)"
        )
    return min(copies, key=lambda word: (word.fold != TEST_FOLD, word.index))


@dataclass(frozen=True)
class RunOptions:
    """Options of running an example, for all methods."""

    budget: Annotated[int, typer.Option(help="Contexts kept per position, the root not counted.")] = 10
    budget_at: Annotated[list[str], typer.Option(help="Another budget at one position, as 4:20.")] = field(
        default_factory=list
    )
    passes: Annotated[int, typer.Option(help="Passes; several rank candidates by estimated posterior.")] = 1
    deduplicate: Annotated[bool, typer.Option("--deduplicate", help="Join contexts equal in their last n labels.")] = (
        False
    )
    root_weight: Annotated[
        float | None, typer.Option(help="What the repaired beam pays to enter the root (a log).")
    ] = None
    select: RuleName = FORWARD
    adaptive: Annotated[
        str | None,
        typer.Option(help="Distribute the contexts of all positions by the pass before: by entropy or regret."),
    ] = None
    pin: Annotated[list[str], typer.Option(help="Keep a context, as 4:ol, or allow only a label, as 3:=a.")] = field(
        default_factory=list
    )
    forbid: Annotated[list[str], typer.Option(help="Forbid a context, as 4:ol, or a label, as 3:=a.")] = field(
        default_factory=list
    )

    def options(self, method, labels):
        """Keyword arguments for `Problem.run`; ValueError for an option that the method does not have."""
        usual = RunOptions()
        plain = {name: getattr(self, name) for name in BUILDER_OPTIONS if name != "budget_at"}
        chosen = {name: value for name, value in plain.items() if value != getattr(usual, name)}
        if self.budget_at:
            chosen["budget_at"] = dict(_budget_at(text) for text in self.budget_at)
        for name in chosen:
            if not _has_option(method, name):
                raise ValueError(f"{method} has no option --{name.replace('_', '-')}; leave it out")
        chosen = {OF_BUILDER.get(name, name): value for name, value in chosen.items()}
        edits = {"pin": self.pin, "forbid": self.forbid}
        return chosen | {name: [parse_edit(text, labels) for text in texts] for name, texts in edits.items() if texts}

    def common_options(self, method, labels):
        """The same, without the options that this method does not have: for methods side by side."""
        usual = RunOptions()
        left_out = {name: getattr(usual, name) for name in BUILDER_OPTIONS if not _has_option(method, name)}
        left_out["select"] = fitting_rule(self.select, method)
        return dataclasses.replace(self, **left_out).options(method, labels)


def _has_option(method, name):
    return OF_BUILDER.get(name, name) in BUILDERS[method].options


def _budget_at(text):
    position, _, budget = text.partition(":")
    if not position.isdecimal() or not budget.isdecimal():
        raise ValueError(f"--budget-at {text}: write position:budget, e.g. 4:20")
    return int(position), int(budget)


def parse_edit(text, labels):
    """`4:ol` → (4, ("o", "l")), a context; `3:=a` → (3, "a"), a label. Labels of several characters are spaced.

    Raises ValueError for another form or an unknown label.
    """
    position, colon, what = text.partition(":")
    if not colon or not position.strip().isdecimal() or not what:
        raise ValueError(f"{text!r} is no edit; write position:context, e.g. 4:ol, or position:=label, e.g. 3:=a")
    if what.startswith("=") and what != "=":
        return int(position), what[1:]
    from rcmviz.lm.text import tokens

    context = what.lstrip("*")
    single = all(len(label) == 1 for label in labels)
    remembered = tuple(context) if single else tuple(tokens(context))
    unknown = [label for label in remembered if label not in labels]
    if unknown:
        raise ValueError(f"{text!r}: {unknown[0]!r} is not one of the labels")
    return int(position), remembered
