"""The commands `rcmviz searn …`: policies that learn to search, tested and used."""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from rcmviz.cli.console import error_terminal, finite, plain_table, progress_bar, terminal
from rcmviz.cli.files import (
    check_npz,
    check_sequence_file,
    check_text_out,
    naming_file,
    read_like_training,
    sequences_of,
    write_or_print,
)
from rcmviz.cli.learn_options import (
    HANDWRITING,
    FileOptions,
    HandwritingOptions,
    HandwritingSource,
    PenWords,
    What,
    check_options,
    load_words,
)
from rcmviz.cli.options import Json, takes_groups
from rcmviz.cli.train import ProgressOptions, file_input
from rcmviz.core.shared.wording import counted
from rcmviz.tasks import TEST_FOLD

searn_app = typer.Typer(no_args_is_help=True, help="Learning to search: SEARN, DAgger, LOLS, gold prefixes.")
MaxMb = Annotated[int, typer.Option(min=1, help="File: the most megabytes that are read.")]
Model = Annotated[Path, typer.Option(help="The policies that rcmviz searn train wrote.")]


class AlgorithmName(StrEnum):
    """Policies that roll in and out."""

    searn = "searn"
    dagger = "dagger"
    lols = "lols"
    gold = "gold"


class LossName(StrEnum):
    """The loss of an output."""

    hamming = "hamming"
    zero_one = "zero-one"
    chunks = "chunks"
    edit = "edit"


class ReductionName(StrEnum):
    """Reductions of costs to classification."""

    margin = "margin"
    regression = "regression"
    all_pairs = "all-pairs"
    costing = "costing"


class PredictionName(StrEnum):
    """Ways to decode by a mixture."""

    vote = "vote"
    sample = "sample"


@dataclass(frozen=True)
class SearchOptions:
    """Settings of learning to search; the defaults are those of `SearchTraining`."""

    algorithm: Annotated[AlgorithmName, typer.Option(help="Who rolls in and out.")] = AlgorithmName.searn
    loss: Annotated[LossName, typer.Option(help="Loss of an output; chunks: 1 - F1.")] = LossName.hamming
    order: Annotated[int, typer.Option(help="How many past labels a policy sees.")] = 1
    iterations: Annotated[int | None, typer.Option(help="Classifiers, one after the other; 10 by default.")] = None
    beta: Annotated[str, typer.Option(help="Weight of a new classifier: .3, adaptive or cubic.")] = "0.3"
    reduction: Annotated[ReductionName, typer.Option(help="How a classifier learns from costs.")] = ReductionName.margin
    epochs: Annotated[int, typer.Option(help="Its visits to each position.")] = 5
    eta: Annotated[float, typer.Option(help="Size of AdaGrad's steps.")] = 0.2
    delta: Annotated[float, typer.Option(help="Added to AdaGrad's squares.")] = 1e-4
    average: Annotated[bool, typer.Option(help="Average the weights over all steps.")] = True
    warm: Annotated[bool, typer.Option(help="Begin with the weights of the classifier before.")] = True
    seed: Annotated[int, typer.Option(help="For the policies that are drawn, and for the pen.")] = 0

    def options(self):
        """Keyword arguments for `SearchTraining`."""
        given = {name: value for name, value in asdict(self).items() if value is not None}
        given = {name: str(value) if isinstance(value, StrEnum) else value for name, value in given.items()}
        return given | {"beta": _number_or_name(self.beta)}


def _number_or_name(text):
    try:
        return float(text)
    except ValueError:
        return text


@dataclass(frozen=True)
class Tested:
    """The input of policies: ``data`` with gold labels, and the name of a sequence."""

    data: Any
    heading: str
    unit: str


@searn_app.command()
@takes_groups
def train(
    *,
    context: typer.Context,
    what: What = HANDWRITING,
    out: Annotated[Path, typer.Option(help="Where the policies go.")] = Path("policies.npz"),
    search: SearchOptions,
    progress: ProgressOptions,
    reading: FileOptions,
    handwriting: HandwritingOptions,
    as_json: Json = False,
):
    """Learn policies; Ctrl-C keeps finished iterations; with --checkpoint, --resume continues.

    On handwriting they learn from all folds but the test fold, fold 1.
    """
    from rcmviz.searn import checkpoint as files
    from rcmviz.searn.settings import SearchTraining

    check_npz(out, "a file of policies")
    check_npz(progress.kept_in or out, "a checkpoint")
    check_options(context, what)
    settings = SearchTraining(**search.options())
    if what == HANDWRITING:
        data, held_out, info, unit = (*_read_handwriting(handwriting, settings.seed), "word")
    else:
        learnt = file_input(what, reading, progress.held_out)
        data, held_out, info, unit = learnt.data, learnt.held_out, learnt.info, learnt.unit
    trainer = _trainer(what, data, held_out, settings, info, progress.resume, search.iterations)
    _run_iterations(trainer, progress.kept_in)
    files.write(out, files.SavedLearner(data.labels, trainer.mixture, trainer.settings, trainer.history, trainer.info))
    history = [{name: _json_value(value) for name, value in state.to_dict().items()} for state in trainer.history]
    if as_json:
        document = {"model": str(out), "settings": trainer.settings.to_dict(), "history": history}
        return typer.echo(json.dumps(document))
    terminal().print(f"{escape(str(out))}: {counted(len(data), unit)}{_latest(trainer)}", soft_wrap=True)


def _json_value(value):
    return finite(value) if isinstance(value, float) else value


def _read_handwriting(options, seed):
    """(data, None, info): Kassel's words or the pen's, but for the test fold."""
    from rcmviz.sequences.encoding import Encoder
    from rcmviz.tasks.handwriting import letter_data

    words, _ = letter_data.split(load_words(options.data, options.words, seed), TEST_FOLD)
    data = letter_data.word_sequences(words, options.grid)
    encoder = Encoder(tuple(letter_data.LETTERS), data.F)
    return data, None, {"source": options.data.value, "grid": options.grid.value, "encoder": encoder.to_dict()}


def _trainer(source, data, held_out, settings, info, resume, iterations):
    """A new training, or the one that was kept; ValueError where that is over."""
    from rcmviz.searn.trainer import SearchTrainer

    if resume is None:
        return naming_file(source, SearchTrainer, data, settings, held_out, info=info)
    trainer = SearchTrainer.resume(resume, data, held_out, iterations=iterations)
    if trainer.done:
        raise ValueError(f"{resume}: all {trainer.iteration} iterations are over; ask for more with --iterations")
    return trainer


def _run_iterations(trainer, checkpoint):
    """All iterations, with a bar of the work left; Ctrl-C ends them, once there is a policy."""
    with progress_bar() as progress:
        shown = progress.add_task("compiling", total=trainer.settings.iterations, completed=trainer.iteration)
        try:
            while not trainer.done:
                done = trainer.iteration
                trainer.iterate(lambda share, done=done: progress.update(shown, completed=done + share))
                text = f"iteration {trainer.iteration} of {trainer.settings.iterations}{_latest(trainer)}"
                progress.update(shown, completed=trainer.iteration, description=text)
                if checkpoint:
                    trainer.save(checkpoint)
        except KeyboardInterrupt:
            if not trainer.iteration:
                raise
            after = f"the command with --resume {checkpoint} continues" if checkpoint else "--checkpoint keeps them"
            text = f"stopped after {trainer.iteration} of {trainer.settings.iterations} iterations; {after}"
            error_terminal().print(text, soft_wrap=True)


def _latest(trainer):
    state = trainer.history[-1]
    held_out = "" if state.accuracy != state.accuracy else f", held-out accuracy {state.accuracy:.3f}"
    return f", errors of the roll-ins {state.roll_in_errors:.3f}{held_out}"


@searn_app.command()
def evaluate(
    context: typer.Context,
    what: What = HANDWRITING,
    model: Model = Path("policies.npz"),
    prediction: Annotated[PredictionName | None, typer.Option(help="By a vote, or one drawn per position.")] = None,
    max_mb: MaxMb = 100,
    data: Annotated[HandwritingSource | None, typer.Option(help="Handwriting: as trained by default.")] = None,
    words: PenWords = 1000,
    seed: Annotated[int, typer.Option(help="Handwriting: the writers.")] = 1,
    as_json: Json = False,
):
    """Evaluate policies on unseen sequences: labels, whole sequences, chunks, the loss; how errors pile up."""
    from rcmviz.searn.losses import OutputLoss, chunk_f1

    check_options(context, what)
    classifier = _classifier(model, prediction)
    tested = _words(classifier, data, words, seed) if what == HANDWRITING else _file(what, classifier, model, max_mb)
    outputs, golds = classifier.read(tested.data), tested.data.golds()
    right = [(gold == found).tolist() for gold, found in zip(golds, outputs, strict=True)]
    loss = OutputLoss(tested.data.labels, classifier.settings_.loss)
    piled = _compounding(golds, outputs)
    document = {
        "sequences": len(golds),
        "labels": sum(map(sum, right)) / tested.data.positions,
        "whole": sum(map(all, right)) / len(right),
        "chunk_f1": chunk_f1(golds, outputs, tested.data.labels),
        "loss": loss.name,
        "mean_loss": float(loss.of_all(golds, outputs).mean()),
        "compounding": piled.to_dict(),
    }
    if as_json:
        return typer.echo(json.dumps(document))
    console = terminal()
    console.print(f"{escape(tested.heading)}\n", soft_wrap=True)
    heads = "labels right", f"{tested.unit}s right", "F1 of chunks", f"mean loss ({loss.name})"
    names = "labels", "whole", "chunk_f1", "mean_loss"
    console.print(plain_table(heads, [[f"{document[name]:.4f}" for name in names]]))
    rows = [
        (str(count) if count < piled.earlier[-1] else f"{count} or more", f"{positions:,}", f"{rate:.3f}")
        for count, positions, rate in zip(piled.earlier, piled.positions, piled.rate, strict=True)
        if positions
    ]
    console.print(plain_table(("earlier errors", "positions", "of which wrong"), rows))


def _compounding(golds, outputs):
    from rcmviz.searn.explanation import compounding

    return compounding(golds, outputs)


def _classifier(path, prediction=None):
    from rcmviz.searn.classifier import SearchClassifier

    classifier = SearchClassifier.load(path)
    return classifier if prediction is None else classifier.set_params(prediction=str(prediction))


def _words(classifier, source, words, seed):
    from rcmviz.tasks.handwriting import letter_data

    info = classifier.info_
    if "grid" not in info:
        raise ValueError("these policies learnt from a file: give a file like it instead of handwriting")
    source = source or HandwritingSource(info["source"])
    given = load_words(source, words, seed)
    if source is HandwritingSource.kassel:
        given = letter_data.fold_words(given, TEST_FOLD)
    data = letter_data.word_sequences(given, info["grid"])
    return Tested(data, f"{counted(len(data), 'word')}, {source.value}, grid {info['grid']}", "word")


def _columns(classifier, path):
    from rcmviz.sequences.file import Columns

    if "columns" not in classifier.info_:
        raise ValueError(f"{path}: these policies did not learn from a file, and cannot read one")
    return naming_file(path, Columns.from_dict, classifier.info_["columns"])


def _file(path, classifier, model, max_mb):
    check_sequence_file(path)
    file, data = read_like_training(path, classifier.encoder_, _columns(classifier, model), max_mb)
    return Tested(data, f"{file.source}: {counted(len(file), 'sequence')}", "sequence")


@searn_app.command()
def predict(
    what: Annotated[Path, typer.Argument(metavar="FILE", help="A file like the training file; - is standard input.")],
    model: Model = Path("policies.npz"),
    out: Annotated[Path | None, typer.Option(help="Where the answers go; printed by default, as with -.")] = None,
    prediction: Annotated[PredictionName | None, typer.Option(help="By a vote, or one drawn per position.")] = None,
    max_mb: MaxMb = 100,
    as_json: Json = False,
):
    """Label the sequences of a file, which needs no labels of its own; a last column with the answers is added."""
    check_text_out(out)
    classifier = _classifier(model, prediction)
    file = sequences_of(what, max_mb * 1_000_000, _columns(classifier, model))
    labels = naming_file(file.source, classifier.predict, file.X)
    text = json.dumps({"labels": labels}, ensure_ascii=False) + "\n" if as_json else file.with_labels(labels)
    write_or_print(text, out, counted(len(file), "sequence"))
