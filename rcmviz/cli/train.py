"""The command `train`: a model from handwriting or from your own file."""

import json
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import Annotated, Any

import typer

from rcmviz.cli.console import finite, print_note, progress_bar, terminal
from rcmviz.cli.files import check_npz, check_sequence_file, naming_file, read_like_training, sequences_of
from rcmviz.cli.learn_options import (
    HANDWRITING,
    FileOptions,
    HandwritingOptions,
    HandwritingSource,
    TrainingOptions,
    What,
    check_options,
    load_words,
)
from rcmviz.cli.options import Json, as_choices, takes_groups
from rcmviz.core.methods import TRAINABLE
from rcmviz.core.shared.wording import counted
from rcmviz.tasks import TEST_FOLD

TrainableName = as_choices(TRAINABLE)
TICKS = 300  # how often a progress bar moves


@dataclass(frozen=True)
class ModelOptions:
    """Options of the model and its contexts."""

    method: Annotated[TrainableName, typer.Option(help="How contexts are chosen.")] = TrainableName.rcms
    budget: Annotated[int, typer.Option(help="Contexts kept per position.")] = 10
    order: Annotated[int, typer.Option(min=1, help="How many past labels a window sees.")] = 3
    seed: Annotated[int, typer.Option(help="For the order of the sequences, and for the pen.")] = 0

    def options(self):
        """Keyword arguments for `Training`."""
        return {"method": str(self.method), "budget": self.budget, "order": self.order, "seed": self.seed}


@dataclass(frozen=True)
class ProgressOptions:
    """On the way: what a training is tested on, and where it is kept."""

    held_out: Annotated[Path | None, typer.Option(help="File: further sequences, to watch the accuracy on.")] = None
    checkpoint: Annotated[Path | None, typer.Option(help="File that keeps the training for --resume.")] = None
    resume: Annotated[Path | None, typer.Option(help="A checkpoint to continue from, on the same data.")] = None

    @property
    def kept_in(self):
        """The checkpoint that is written, None for none."""
        return self.checkpoint or self.resume


@dataclass(frozen=True)
class TrainingInput:
    """A training's input: source, ``data`` and ``held_out`` Sequences, ``info`` for the model, a sequence's name."""

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
    model: ModelOptions,
    learning: TrainingOptions,
    progress: ProgressOptions,
    reading: FileOptions,
    forbidden: Annotated[
        str | None, typer.Option(help="File: scheme that answers keep to, as its labels do: bio, iob1, bioes or bilou.")
    ] = None,
    handwriting: HandwritingOptions,
    as_json: Json = False,
):
    """Train a model; Ctrl-C keeps the model learnt by then; with --checkpoint, --resume continues.

    On handwriting it learns from all folds but the test fold, fold 1.
    """
    from rcmviz.learn.pruning import round_weights
    from rcmviz.learn.settings import Training

    check_npz(out, "a model")
    check_npz(progress.kept_in or out, "a checkpoint")
    options = model.options() | learning.options()
    check_options(context, what)
    if what == HANDWRITING:
        learnt = _handwriting_input(handwriting, Training(**options), out)
    else:
        learnt = file_input(what, reading, progress.held_out, _scheme(forbidden))
    trainer = _trainer(learnt, options, progress.resume)
    history = _train(trainer, learnt, progress.kept_in)
    trained = trainer.model() if what == HANDWRITING else round_weights(trainer.model())  # as a classifier's fit does
    if not trainer.done:
        trained = replace(trained, info=trained.info | {"stopped": True})
    trained.save(out)
    if as_json:
        document = {"model": str(out), "settings": trainer.settings.to_dict(), "history": list(map(_row, history))}
        return typer.echo(json.dumps(document))
    terminal().print(
        f"{out}: {counted(len(learnt.data), learnt.unit)}{_latest(history, learnt.unit, trainer.settings)}",
        soft_wrap=True,
    )


def _row(state):
    """The numbers of a state ready for JSON."""
    from rcmviz.learn.settings import numbers

    return {name: finite(value) for name, value in numbers(state).items()}


def _handwriting_input(handwriting, settings, out):
    from rcmviz.tasks.handwriting import letter_data

    source, grid = handwriting.data, handwriting.grid
    words, _ = letter_data.split(load_words(source, handwriting.words, settings.seed), TEST_FOLD)
    command = (
        f"rcmviz train handwriting --data {source} --grid {grid} --order {settings.order} --budget {settings.budget} "
        f"--epochs {settings.epochs} --seed {settings.seed}"
    )
    command += f" --words {handwriting.words}" if source is HandwritingSource.pen else ""
    info = {
        "name": out.stem,
        "source": source.value,
        "grid": grid.value,
        "words": len(words),
        "test_fold": TEST_FOLD,
        "command": command + _changed_options(settings),
    }
    return TrainingInput(HANDWRITING, letter_data.word_sequences(words, grid), None, info, "word")


def _changed_options(settings):
    """The further options that differ from the usual ones, as they are written in a command."""
    usual = type(settings)()
    text = ""
    for name, value in settings.to_dict().items():
        if name not in ("order", "budget", "epochs", "seed") and value != getattr(usual, name):
            option = name.replace("_", "-")
            text += f" --{option}" if value is True else f" --no-{option}" if value is False else f" --{option} {value}"
    return text


def _scheme(name):
    """The name of the scheme that is meant, None for none."""
    from rcmviz.sequences.schemes import SCHEMES, scheme_named

    if name in (None, "none"):
        return None
    try:
        return scheme_named(name).name
    except ValueError:
        *names, last = SCHEMES
        raise ValueError(f"--forbidden {name}: choose {', '.join(names)} or {last}") from None


def file_input(path, reading, held_out, forbidden=None):
    """The ``TrainingInput`` of a file, whose labels keep to a scheme where one is given, and of further sequences that
    are held out.
    """
    from rcmviz.learn.forbidden import check_allowed, forbidden_pairs
    from rcmviz.sequences.encoding import Encoder, too_large

    check_sequence_file(path)
    file = sequences_of(path, **reading.options())
    encoder, data = naming_file(path, Encoder.learn, file.X, file.y)
    naming_file(path, forbidden_pairs, forbidden, encoder.classes)
    lines = file.lines
    check_allowed(forbidden, encoder.classes, data.gold, data.offset, lambda w, i: f"{path}, line {lines[w][i]}")
    if len(encoder.classes) == 1:
        print_note(f"{path}: one label only, {encoder.classes[0]!r}, which will be the answer everywhere")
    large = too_large(data)
    if large:
        print_note(f"{path}: {large}")
    further = None if held_out is None else read_like_training(held_out, encoder, file.columns, reading.max_mb)[1]
    info = {"name": Path(path).stem, "source": "file", "encoder": encoder.to_dict(), "columns": file.columns.to_dict()}
    info |= {} if forbidden is None else {"forbidden": forbidden}
    return TrainingInput(path, data, further, info, "sequence")


def _trainer(learnt, options, resume):
    """A new training, or the one that was kept; ValueError where that had other settings or is over."""
    from rcmviz.learn.settings import Training
    from rcmviz.learn.trainer import Trainer

    settings, usual = Training(**options), Training()
    if resume is None:
        return naming_file(learnt.source, Trainer, learnt.data, settings, info=learnt.info)
    trainer = Trainer.resume(resume, learnt.data, epochs=options.get("epochs"))
    trainer.info |= {name: learnt.info[name] for name in ("forbidden",) if name in learnt.info}  # of answers alone
    for name, value in settings.to_dict().items():
        if value not in (getattr(usual, name), getattr(trainer.settings, name)):
            had = getattr(trainer.settings, name)
            raise ValueError(f"{resume}: trained with {name} {had}, not {value}; leave --{name.replace('_', '-')} out")
    if trainer.done:
        raise ValueError(f"{resume}: all {trainer.epoch} epochs are over; ask for more with --epochs")
    return trainer


def _train(trainer, learnt, checkpoint):
    """Train to the end with a progress bar, or to Ctrl-C; the states at the ends of epochs, each evaluated and kept."""
    from rcmviz.learn.trainer import advance_to_end

    examples, epochs = len(learnt.data), trainer.settings.epochs
    history, stretches, begin = [], [], trainer.step
    with progress_bar() as progress:
        shown = progress.add_task("compiling", total=epochs * examples, completed=trainer.step)
        try:
            for state in advance_to_end(trainer, every=-(-epochs * examples // TICKS)):
                stretches.append(replace(state, model=None))  # a model may be large
                if state.step % examples == 0:
                    history.append(_evaluate_state(_whole_epoch(state, stretches, begin), learnt, trainer.settings))
                    stretches, begin = [], state.step
                    if checkpoint:
                        trainer.save(checkpoint)
                description = _progress_text(state, history, learnt.unit, trainer.settings)
                progress.update(shown, completed=state.step, description=description)
        except KeyboardInterrupt:
            if not trainer.step:
                raise
            progress.console.print(_keep_state(trainer, epochs * examples, checkpoint), soft_wrap=True)
    return history


def _whole_epoch(state, stretches, begin):
    """The state at the end of an epoch, with the means over its stretches since step ``begin``."""
    import numpy as np

    sizes = np.diff([begin, *(one.step for one in stretches)])
    names = ("log_likelihood", "gradient_norm", "mean_length", "lost")
    means = np.average([[getattr(one, name) for name in names] for one in stretches], axis=0, weights=sizes)
    return replace(state, **dict(zip(names, means.tolist(), strict=True)))


def _evaluate_state(state, learnt, settings):
    from rcmviz.learn.trainer import evaluate_held_out

    if learnt.held_out is None:
        return state
    scores = evaluate_held_out(state.model, learnt.held_out, settings)
    return replace(state, **dict(zip(("accuracy", "recall_99", "confidence"), scores, strict=True)))


def _progress_text(state, history, unit, settings):
    epoch = min(state.epoch + 1, settings.epochs)
    return f"epoch {epoch} of {settings.epochs}{_latest(history or [state], unit, settings)}"


def _latest(history, unit, settings):
    if not history:
        return ", stopped in the first epoch"
    held_out = "" if isnan(history[-1].accuracy) else f", held-out accuracy {history[-1].accuracy:.3f}"
    return f", {settings.measured} per {unit} {history[-1].log_likelihood:.3f}{held_out}"


def _keep_state(trainer, steps, checkpoint):
    """Keep the training's state; return what happened, and how to continue."""
    if checkpoint is None:
        after = "--checkpoint keeps a training for --resume"
    else:
        trainer.save(checkpoint)
        after = f"the same command with --resume {checkpoint} continues"
    return f"stopped after {trainer.step:,} of {steps:,} steps, the model is kept; {after}"
