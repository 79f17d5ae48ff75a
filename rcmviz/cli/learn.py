"""The commands `train`, `evaluate` and `predict`, on handwriting or on a file of one's own."""

import json
import sys
from dataclasses import dataclass, replace
from math import isfinite, isnan
from pathlib import Path
from tempfile import TemporaryFile
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from rcmviz.cli.learn_options import (
    HANDWRITING,
    FileOptions,
    Grid,
    HandwritingSource,
    Pixels,
    TrainingOptions,
    What,
    Writer,
    check_options,
)
from rcmviz.cli.options import Json, as_choices, counted, parse_methods, takes_groups, terminal
from rcmviz.core.methods import TRAINABLE, MethodChoice
from rcmviz.tasks import TEST_FOLD

Trainable = as_choices(TRAINABLE)
TICKS = 300  # how often a progress bar moves


@dataclass(frozen=True)
class TrainingInput:
    """What is learnt: where from, ``data`` and ``held_out`` Sequences, ``info`` for the model, a sequence's name."""

    source: str
    data: Any
    held_out: Any
    info: dict
    unit: str


@takes_groups
def train(
    *,
    context: typer.Context,
    what: What = HANDWRITING,
    out: Annotated[Path, typer.Option(help="Where the model goes.")] = Path("model.npz"),
    method: Annotated[Trainable, typer.Option(help="How contexts are chosen.")] = Trainable.rcms,
    budget: Annotated[int, typer.Option(help="Contexts kept per position.")] = 10,
    order: Annotated[int, typer.Option(min=1, help="How many past labels a window sees.")] = 3,
    seed: Annotated[int, typer.Option(help="For the order of the sequences, and for the pen.")] = 0,
    learning: TrainingOptions,
    held_out: Annotated[Path | None, typer.Option(help="File: further sequences, to watch the accuracy on.")] = None,
    checkpoint: Annotated[Path | None, typer.Option(help="Where the training is kept, so that it can go on.")] = None,
    resume: Annotated[Path | None, typer.Option(help="A checkpoint to go on from, on the same data.")] = None,
    reading: FileOptions,
    data: Writer = HandwritingSource.pen,
    grid: Pixels = Grid.small,
    words: Annotated[int, typer.Option(min=10, help="Handwriting: how many words the pen writes.")] = 6000,
    as_json: Json = False,
):
    """Train a model; Ctrl-C keeps what is learnt by then, and with --checkpoint --resume goes on from there.

    On handwriting it learns from all folds but the test fold, fold 1.
    """
    from rcmviz.learn.settings import Training

    for path, what_for in ((out, "a model"), (checkpoint or resume or out, "a checkpoint")):
        _check_npz(path, what_for)
    told = {"method": str(method), "budget": budget, "order": order, "seed": seed} | learning.options()
    check_options(context, what)
    if what == HANDWRITING:
        lesson = _handwriting_lesson(data, grid, words, Training(**told), out)
    else:
        lesson = _file_lesson(what, reading, held_out)
    trainer = _trainer(lesson, told, resume)
    history = _train(trainer, lesson, checkpoint or resume)
    model = trainer.model()
    if not trainer.done:
        model = replace(model, info=model.info | {"stopped": True})
    model.save(out)
    if as_json:
        document = {"model": str(out), "settings": trainer.settings.to_dict(), "history": list(map(_finite, history))}
        return typer.echo(json.dumps(document))
    terminal().print(f"{out}: {counted(len(lesson.data), lesson.unit)}{_last(history, lesson.unit)}", soft_wrap=True)


def _finite(state):
    """The numbers of a state, None where there is none: JSON has no NaN."""
    from rcmviz.learn.classifier import numbers

    return {name: value if isfinite(value) else None for name, value in numbers(state).items()}


def _check_npz(out, what):
    if out.suffix != ".npz":
        raise ValueError(f"{out}: {what} is an .npz file; write e.g. {out.stem}.npz")
    check_out(out)


def check_out(out):
    """ValueError where nothing can be written to ``out``: before the work and not after it."""
    if not out.parent.is_dir():
        raise ValueError(f"{out}: there is no folder {out.parent}; make it first, so that the work is not lost")
    if out.exists() and not out.is_file():
        raise ValueError(f"{out}: a {'folder' if out.is_dir() else 'device'}; give the path of a file")
    try:
        with TemporaryFile(dir=out.parent):
            pass
    except OSError as error:
        raise ValueError(f"{out}: nothing can be written beside it ({error.strerror}); choose another folder") from None


def _handwriting_lesson(source, grid, words, settings, out):
    from rcmviz.tasks.handwriting import letter_data

    learnt, _ = letter_data.split(_words(source, words, settings.seed), TEST_FOLD)
    command = (
        f"rcmviz train handwriting --data {source} --grid {grid} --order {settings.order} --budget {settings.budget} "
        f"--epochs {settings.epochs} --seed {settings.seed}"
    )
    command += (f" --words {words}" if source is HandwritingSource.pen else "") + _further(settings)
    info = {"name": out.stem, "source": source.value, "grid": grid.value, "words": len(learnt), "test_fold": TEST_FOLD,
            "command": command}  # fmt: skip
    return TrainingInput(HANDWRITING, letter_data.word_sequences(learnt, grid), None, info, "word")


def _further(settings):
    """The options that differ from the usual ones, as they are written in a command."""
    usual = type(settings)()
    told = ""
    for name, value in settings.to_dict().items():
        if name not in ("order", "budget", "epochs", "seed") and value != getattr(usual, name):
            option = name.replace("_", "-")
            told += f" --{option}" if value is True else f" --no-{option}" if value is False else f" --{option} {value}"
    return told


def _words(source, number, seed):
    from rcmviz.tasks.handwriting import letter_data, pen

    return letter_data.load_words() if source is HandwritingSource.kassel else pen.pen_words(number, seed)


def _file_lesson(path, reading, held_out):
    from rcmviz.sequences.encoding import Encoder
    from rcmviz.sequences.file import read_sequences

    _check_file(path)
    file = read_sequences(path, **reading.options())
    encoder, data = _located_in(path, Encoder.learn, file.X, file.y)
    if len(encoder.classes) == 1:
        _note(f"{path}: one label only, {encoder.classes[0]!r}, which will be the answer everywhere")
    further = None if held_out is None else _encoded(held_out, encoder, file.columns, reading.max_mb)[1]
    info = {"name": Path(path).stem, "source": "file", "encoder": encoder.to_dict(), "columns": file.columns.to_dict()}
    return TrainingInput(path, data, further, info, "sequence")


def _check_file(path):
    if not Path(path).suffix and not Path(path).exists():
        raise ValueError(f"there is no task or file {path!r}; write handwriting, or the path of a CoNLL or CSV file")


def _located_in(path, call, *arguments, **options):
    """What the call returns; its complaints begin with the name of the file."""
    try:
        return call(*arguments, **options)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _encoded(path, encoder, columns, max_mb):
    """A further file and its sequences, read as training read its own; labels that it has not seen are named."""
    from rcmviz.sequences.encoding import listed
    from rcmviz.sequences.file import read_sequences

    file = read_sequences(path, like=columns, max_bytes=max_mb * 1_000_000)
    if file.y is None:
        raise ValueError(f"{path}: no column of labels to compare with; rcmviz predict needs none")
    unseen = encoder.unseen(file.y)
    if unseen:
        _note(f"{path}: training has not seen {listed(unseen)}; such labels count as wrong")
    return file, _located_in(path, encoder.encode, file.X, file.y)


def _note(text):
    Console(stderr=True, highlight=False).print(f"note: {escape(text)}", soft_wrap=True)


def _trainer(lesson, told, resume):
    """A new training, or the one that was kept; ValueError where that had other settings or is over."""
    from rcmviz.learn.settings import Training
    from rcmviz.learn.trainer import Trainer

    settings, usual = Training(**told), Training()
    if resume is None:
        return _located_in(lesson.source, Trainer, lesson.data, settings, info=lesson.info)
    trainer = Trainer.resume(resume, lesson.data, epochs=told.get("epochs"))
    for name, value in settings.to_dict().items():
        if value not in (getattr(usual, name), getattr(trainer.settings, name)):
            had = getattr(trainer.settings, name)
            raise ValueError(f"{resume}: trained with {name} {had}, not {value}; leave --{name.replace('_', '-')} out")
    if trainer.done:
        raise ValueError(f"{resume}: all {trainer.epoch} epochs are over; ask for more with --epochs")
    return trainer


def _train(trainer, lesson, checkpoint):
    """Train to the end with a progress bar, or to Ctrl-C; the states at the ends of epochs, each evaluated and kept."""
    from rcmviz.learn.trainer import run

    examples, epochs = len(lesson.data), trainer.settings.epochs
    history, stretches, begin = [], [], trainer.step
    with progress_bar() as progress:
        shown = progress.add_task("compiling", total=epochs * examples, completed=trainer.step)
        try:
            for state in run(trainer, every=-(-epochs * examples // TICKS)):
                stretches.append(replace(state, model=None))  # a model may be large
                if state.step % examples == 0:
                    history.append(_evaluated(_whole_epoch(state, stretches, begin), lesson, trainer.settings))
                    stretches, begin = [], state.step
                    if checkpoint:
                        trainer.save(checkpoint)
                progress.update(shown, completed=state.step, description=_told(state, epochs, history, lesson.unit))
        except KeyboardInterrupt:
            if not trainer.step:
                raise
            progress.console.print(_stopped(trainer, epochs * examples, checkpoint), soft_wrap=True)
    return history


def progress_bar():
    """A bar on standard error: what is being done, for how long, and how long it still takes."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    told = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()
    return Progress(*told, console=Console(stderr=True))


def _whole_epoch(state, stretches, begin):
    """The state at the end of an epoch, with the means over its stretches since step ``begin``."""
    import numpy as np

    sizes = np.diff([begin, *(one.step for one in stretches)])
    names = ("log_likelihood", "gradient_norm", "mean_length", "lost")
    means = np.average([[getattr(one, name) for name in names] for one in stretches], axis=0, weights=sizes)
    return replace(state, **dict(zip(names, means.tolist(), strict=True)))


def _evaluated(state, lesson, settings):
    from rcmviz.learn.trainer import evaluate_held_out

    if lesson.held_out is None:
        return state
    scores = evaluate_held_out(state.model, lesson.held_out, settings)
    return replace(state, **dict(zip(("accuracy", "recall_99", "confidence"), scores, strict=True)))


def _told(state, epochs, history, unit):
    return f"epoch {min(state.epoch + 1, epochs)} of {epochs}{_last(history or [state], unit)}"


def _last(history, unit):
    if not history:
        return ", stopped in the first epoch"
    held_out = "" if isnan(history[-1].accuracy) else f", held-out accuracy {history[-1].accuracy:.3f}"
    return f", log likelihood per {unit} {history[-1].log_likelihood:.3f}{held_out}"


def _stopped(trainer, steps, checkpoint):
    """Keep the training where it stands; what happened, and how to go on."""
    if checkpoint is None:
        after = "--checkpoint keeps a training so that it can go on"
    else:
        trainer.save(checkpoint)
        after = f"the same command with --resume {checkpoint} goes on"
    return f"stopped after {trainer.step:,} of {steps:,} steps, the model is kept; {after}"


@takes_groups
def evaluate(
    *,
    context: typer.Context,
    what: What = HANDWRITING,
    model: Annotated[str | None, typer.Option(help="A path, or a shipped model; by default that of the data.")] = None,
    methods: Annotated[str | None, typer.Option(help="Which, with commas and budgets: rcms:10,exact.")] = None,
    passes: Annotated[int | None, typer.Option(min=1, help="Passes of the RCMS rows.")] = None,
    deduplicate: Annotated[
        bool, typer.Option("--deduplicate", help="Join contexts equal in their last n labels.")
    ] = False,
    max_mb: Annotated[int, typer.Option(min=1, help="File: the most megabytes that are read.")] = 100,
    data: Annotated[
        HandwritingSource | None, typer.Option(help="Handwriting: Kassel's words if they are here, or the pen's.")
    ] = (None),
    words: Annotated[int, typer.Option(min=10, help="Handwriting: how many words the pen writes.")] = 1000,
    seed: Annotated[int, typer.Option(help="Handwriting: the writers; 0 wrote what the model learnt from.")] = 1,
    as_json: Json = False,
):
    """Evaluate on unseen sequences: accuracy, recall at 99 % precision, confidence, speed; ± is one standard error.

    Kassel's words are those of the test fold, fold 1; the pen's are by other writers than those of the training. A file
    is read as the model's training file was; its rows are as trained unless --methods says more.
    """
    from rcmviz.cli import report
    from rcmviz.evaluation.evaluate import Contender, evaluate_sequences

    check_options(context, what)
    exam = _handwriting_test(data, model, words, seed) if what == HANDWRITING else _file_test(what, model, max_mb)
    rows = [
        Contender(
            chosen.kind, chosen.budget, (passes or exam.passes) if chosen.entry.passes_in_bulk else 1,
            deduplicate or exam.deduplicate, chosen.title,
        )
        for chosen in parse_methods(methods or exam.methods, 10)
    ]  # fmt: skip
    scores = evaluate_sequences(exam.model, exam.data, rows)
    if as_json:
        return typer.echo(json.dumps({"data": exam.name, "scores": [score.to_dict() for score in scores]}))
    console = terminal()
    console.print(f"{escape(exam.heading)}\n", soft_wrap=True)
    console.print(report.evaluation(scores, *exam.units))


@dataclass(frozen=True)
class EvaluationInput:
    """What is evaluated: a ``model`` on ``data``, how it is announced, and the rows if nobody asks for others."""

    model: Any
    data: Any
    name: str
    heading: str
    units: tuple
    methods: str
    passes: int = 1
    deduplicate: bool = False


def _handwriting_test(source, model, words, seed):
    from rcmviz.core.shipped import load_model
    from rcmviz.data.registry import find
    from rcmviz.tasks.handwriting import letter_data
    from rcmviz.tasks.handwriting.problems import grid_of

    source = source or (HandwritingSource.kassel if find("ocr") else HandwritingSource.pen)
    trained = load_model(model or f"handwriting-{source.value}")
    test = _words(source, words, seed)
    if source is HandwritingSource.kassel:
        test = letter_data.fold_words(test, TEST_FOLD)
    whose = f"Kassel's words of fold {TEST_FOLD}" if source is HandwritingSource.kassel else "words by the pen"
    heading = f"{len(test)} {whose}; model {trained.info.get('name', str(model))}"
    data = letter_data.word_sequences(test, grid_of(trained), trained.labels)
    return EvaluationInput(trained, data, source.value, heading, ("word", "letter"), "rcms:10,beam:10,beam:200,exact")


def _file_test(path, model, max_mb):
    _check_file(path)
    classifier, columns = _trained_on_file(model)
    file, data = _encoded(path, classifier.encoder_, columns, max_mb)
    heading = f"{counted(len(file), 'sequence')}, {counted(data.positions, 'label')} of {path}; model {model}"
    methods = str(MethodChoice(classifier.method, classifier.budget))
    return EvaluationInput(
        classifier.model_, data, str(path), heading, ("sequence", "label"), methods, classifier.passes,
        classifier.deduplicate,
    )  # fmt: skip


def _trained_on_file(path):
    """The classifier in a file that `rcmviz train` wrote, and how the columns of its training file were read."""
    from rcmviz.learn.classifier import SequenceClassifier
    from rcmviz.sequences.file import Columns

    if path is None:
        raise ValueError("name the model that rcmviz train wrote: --model model.npz")
    classifier = SequenceClassifier.load(path)
    if "columns" not in classifier.model_.info:
        raise ValueError(f"{path}: trained in Python and not on a file; use SequenceClassifier.load there")
    return classifier, _located_in(path, Columns.from_dict, classifier.model_.info["columns"])


@takes_groups
def predict(
    *,
    what: Annotated[Path, typer.Argument(metavar="FILE", help="A CoNLL or CSV file like the training file.")],
    model: Annotated[str | None, typer.Option(help="The model that rcmviz train wrote.")] = None,
    out: Annotated[Path | None, typer.Option(help="Where the answers go; printed by default.")] = None,
    confidence: Annotated[bool, typer.Option("--confidence", help="Say how sure each sequence is.")] = False,
    budget: Annotated[int | None, typer.Option(help="Contexts kept per position; as trained by default.")] = None,
    passes: Annotated[int | None, typer.Option(min=1, help="Passes of rcms; as trained by default.")] = None,
    max_mb: Annotated[int, typer.Option(min=1, help="The most megabytes that are read.")] = 100,
    as_json: Json = False,
):
    """Label the sequences of a file, which needs no labels of its own; a last column with the answers is added."""
    from rcmviz.sequences.file import read_sequences

    if out is not None:
        check_out(out)
    classifier, columns = _trained_on_file(model)
    file = read_sequences(what, like=columns, max_bytes=max_mb * 1_000_000)
    classifier.set_params(test_budget=budget, test_passes=passes)
    labels, sure = _located_in(file.source, classifier.predict_with_confidence, file.X)
    if as_json:
        text = json.dumps({"labels": labels, "confidence": sure.tolist()}, ensure_ascii=False) + "\n"
    else:
        text = file.with_labels(labels, sure if confidence else None)
    if out is None:
        sys.stdout.write(text)
    else:
        out.write_text(text, encoding="utf-8")
        terminal().print(f"{out}: {counted(len(file), 'sequence')}, mean confidence {sure.mean():.3f}", soft_wrap=True)
