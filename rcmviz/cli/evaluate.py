"""The command `evaluate`: models on sequences that they have not seen."""

import json
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from rich.markup import escape

from rcmviz.cli.console import print_note, show_spinner, terminal
from rcmviz.cli.files import check_sequence_file, load_classifier, read_like_training
from rcmviz.cli.learn_options import HANDWRITING, HandwritingSource, PenWords, What, check_options, load_words
from rcmviz.cli.options import Json, RuleName, parse_methods, takes_groups
from rcmviz.core.methods import MOST_BUDGETS, MethodChoice
from rcmviz.core.rules import FORWARD, fitting_rule
from rcmviz.core.shared.wording import counted
from rcmviz.tasks import TEST_FOLD


@dataclass(frozen=True)
class ContenderOptions:
    """Which methods are compared, and how the RCMS rows are run."""

    methods: Annotated[str | None, typer.Option(help="Which, with commas and budgets: rcms:10,exact.")] = None
    passes: Annotated[int | None, typer.Option(min=1, help="Passes of the RCMS rows.")] = None
    deduplicate: Annotated[bool, typer.Option("--deduplicate", help="Join contexts equal in their last n labels.")] = (
        False
    )
    select: RuleName = FORWARD


@dataclass(frozen=True)
class WriterOptions:
    """Whose handwriting is read."""

    data: Annotated[
        HandwritingSource | None, typer.Option(help="Handwriting: Kassel's words if they are here, or the pen's.")
    ] = None
    words: PenWords = 1000
    seed: Annotated[int, typer.Option(help="Handwriting: the writers; 0 wrote what the model learnt from.")] = 1


@dataclass(frozen=True)
class VerdictOptions:
    """Whether mistakes are judged, and how large a budget is tried for them."""

    verdicts: Annotated[
        bool, typer.Option("--verdicts", help="Say of every mistake whether the model or the search is to blame.")
    ] = False
    most_budgets: Annotated[
        int, typer.Option(min=0, help="Verdicts: the largest budget tried for each search error; 0 tries none.")
    ] = MOST_BUDGETS


@dataclass(frozen=True)
class EvaluationInput:
    """An evaluation: a ``model`` on ``data``, its title, and the default rows; how a
    person finds each sequence, by ``numbers``, their order where None.
    """

    model: Any
    data: Any
    name: str
    heading: str
    units: tuple
    methods: str
    passes: int = 1
    deduplicate: bool = False
    numbers: tuple[int, ...] | None = None


@takes_groups
def evaluate(
    *,
    context: typer.Context,
    what: What = HANDWRITING,
    model: Annotated[str | None, typer.Option(help="A path, or a shipped model; by default that of the data.")] = None,
    contenders: ContenderOptions,
    judging: VerdictOptions,
    max_mb: Annotated[int, typer.Option(min=1, help="File: the most megabytes that are read.")] = 100,
    writer: WriterOptions,
    as_json: Json = False,
):
    """Evaluate on unseen sequences: accuracy, recall at 99 % precision, confidence, speed; ± is one standard error.

    Kassel's words are those of the test fold, fold 1; the pen's are by other writers than those of the training. A file
    is read as the model's training file was; its rows are as trained unless --methods says more. --verdicts says
    whether the model or the search made each mistake (docs/diagnosis.md).
    """
    from rcmviz.cli import report, verdicts
    from rcmviz.evaluation.evaluate import answer, score

    check_options(context, what)
    test = handwriting_input(writer, model) if what == HANDWRITING else file_input(what, model, max_mb)
    rows = _rows(contenders, test)
    answers = answer(test.model, test.data, rows)
    scores, judged = [score(one) for one in answers], _judge_rows(judging, test, rows, answers)
    numbers = test.numbers or range(len(test.data))
    if as_json:
        document = {"data": test.name, "scores": [one.to_dict() for one in scores]}
        return typer.echo(json.dumps(document | ({"verdicts": verdicts.document(judged, numbers)} if judged else {})))
    console = terminal()
    console.print(f"{escape(test.heading)}\n", soft_wrap=True)
    console.print(report.evaluation(scores, *test.units))
    if judged:
        console.print("", verdicts.counts(judged), "", sep="\n")
        for one in judged:
            console.print(verdicts.mistake_table(one, numbers, judging.most_budgets))


def _judge_rows(judging, test, rows, answers):
    """The verdicts of each row, if requested."""
    from rcmviz.evaluation.blame import blame_answers

    if not judging.verdicts:
        return []
    with show_spinner("judging the mistakes"):
        return [
            blame_answers(test.model, test.data, row, one, judging.most_budgets)
            for row, one in zip(rows, answers, strict=True)
        ]


def _rows(contenders, test):
    """The methods with their budgets and passes, by default those of the input."""
    from rcmviz.evaluation.evaluate import Contender

    deduplicate = contenders.deduplicate or test.deduplicate
    rows = []
    for chosen in parse_methods(contenders.methods or test.methods, 10):
        passes = (contenders.passes or test.passes) if chosen.entry.passes_in_bulk else 1
        select = fitting_rule(contenders.select, chosen.kind)
        title = chosen.title if select == FORWARD else f"{chosen.title}, {select}"
        rows.append(Contender(chosen.kind, chosen.budget, passes, deduplicate, title, select))
    return rows


def handwriting_input(writer, model):
    """The handwriting that a model has not seen, as ``EvaluationInput``."""
    from rcmviz.core.models.shipped import load_model
    from rcmviz.data.registry import find
    from rcmviz.tasks.handwriting import letter_data
    from rcmviz.tasks.handwriting.problems import grid_of

    source = writer.data or (HandwritingSource.kassel if find("ocr") else HandwritingSource.pen)
    trained = load_model(model or f"handwriting-{source.value}")
    words = load_words(source, writer.words, writer.seed)
    if source is HandwritingSource.kassel:
        words = letter_data.fold_words(words, TEST_FOLD)
    whose = f"Kassel's words of fold {TEST_FOLD}" if source is HandwritingSource.kassel else "words by the pen"
    heading = f"{len(words)} {whose}; model {trained.info.get('name', str(model))}"
    data = letter_data.word_sequences(words, grid_of(trained), trained.labels)
    return EvaluationInput(
        trained,
        data,
        source.value,
        heading,
        ("word", "letter"),
        "rcms:10,beam:10,beam:200,exact",
        numbers=tuple(word.index for word in words) if source is HandwritingSource.kassel else None,
    )


def file_input(path, model, max_mb):
    """The labelled file that a model reads, as ``EvaluationInput``."""
    check_sequence_file(path)
    classifier, columns = load_classifier(model)
    file, data = read_like_training(path, classifier.encoder_, columns, max_mb)
    if classifier.forbidden not in (None, "none", ()):
        print_note(
            f"{model}: forbidden={classifier.forbidden!r:.60} holds for rcmviz predict; here answers are without it"
        )
    heading = f"{counted(len(file), 'sequence')}, {counted(data.positions, 'label')} of {path}; model {model}"
    methods = str(MethodChoice(classifier.method, classifier.budget))
    return EvaluationInput(
        classifier.model_,
        data,
        str(path),
        heading,
        ("sequence", "label"),
        methods,
        classifier.passes,
        classifier.deduplicate,
    )
