"""The command `align`: how something sounds → how it is spelt, and which letter belongs to which phone."""

import json
import math
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from rcmviz.cli.learn import check_out, progress_bar
from rcmviz.cli.options import Json, counted, terminal

EVERY = 50  # examples between two looks at the clock


class ContextStrategy(StrEnum):
    """How a training chooses its contexts."""

    rcms = "rcms"
    model = "model"
    target = "target"
    hybrid = "hybrid"
    forced = "forced"


class ExampleSource(StrEnum):
    """What is learnt from, where no file is named."""

    lexicon = "lexicon"
    words = "words"
    utterances = "utterances"


def align(
    sounds: Annotated[list[str] | None, typer.Argument(help='Words, or phones of ARPAbet, e.g. "B R AY T".')] = None,
    source: Annotated[
        ExampleSource | None, typer.Option(help="Our lexicon, words of CMUdict, or utterances; the lexicon else.")
    ] = None,
    file: Annotated[Path | None, typer.Option(help="Learn from a file: a word and its phones a line.")] = None,
    model: Annotated[Path | None, typer.Option(help="A model that --save wrote: nothing is trained.")] = None,
    strategy: Annotated[
        ContextStrategy, typer.Option(help="How contexts are chosen, in training and after.")
    ] = ContextStrategy.rcms,
    order: Annotated[int, typer.Option(help="n: features are n-grams of letters and of edges.")] = 3,
    budget: Annotated[int, typer.Option(max=10_000, help="Contexts per cell.")] = 20,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the examples.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Of the order of the examples.")] = 0,
    save: Annotated[Path | None, typer.Option(help="Where the trained model goes, an .npz file.")] = None,
    as_json: Json = False,
):
    """Learn to spell what is heard, alignments unobserved; then spell words or phones and show the alignment.

    Ctrl-C ends the training and keeps what is learnt by then.

    rcmviz align phone "N AY T"
    """
    from rcmviz.align.model import AlignModel
    from rcmviz.align.settings import AlignTraining
    from rcmviz.jobs.alignments import aligner_of
    from rcmviz.tasks.speech import examples as speech

    if model is not None and (source, file, save) != (None, None, None):
        raise ValueError("--model is a model that is trained already; leave --source, --file and --save out")
    if source is not None and file is not None:
        raise ValueError(f"learn from --file {file} or from --source {source}; leave one of them out")
    if save is not None:
        check_out(save)
    training = AlignTraining(str(strategy), budget, order=order, epochs=epochs, seed=seed)
    if model is not None:
        learnt, history = AlignModel.load(model), []
        asked = [_phones(text, learnt.phones) for text in sounds or ()]
    else:
        loaded = (
            speech.load(str(source or ExampleSource.lexicon), seed) if file is None else speech.from_file(file, seed)
        )
        asked = [_phones(text, loaded.train.phones) for text in sounds or ()]  # what is wrong is said before the work
        learnt, history = _train(training, loaded, quiet=as_json)
    try:
        if save is not None:
            learnt.save(save)
    finally:  # what was asked is answered on a full disk too
        aligner = aligner_of(learnt, training)
        _tell([_read(aligner, *pair) for pair in zip(asked, sounds or (), strict=True)], history, as_json)


def _tell(readings, history, as_json):
    if as_json:
        return typer.echo(json.dumps({"passes": history, "readings": readings}, ensure_ascii=False))
    console = terminal()
    for reading in readings:
        console.print(_shown(reading), soft_wrap=True)


def _train(training, loaded, quiet):
    """The trained model, and what was said after every pass; shown as it goes on."""
    from rcmviz.align.train import AlignTrainer

    trainer = AlignTrainer(loaded.train, training, info={"data": loaded.described})
    console, history = terminal(), []
    if not quiet:
        tested = f"{counted(len(loaded.train), 'example')} to learn from, {len(loaded.test):,} to test on"
        console.print(f"{escape(loaded.described)}: {tested}", soft_wrap=True)
    with _until_stopped(trainer), progress_bar() as progress:
        shown = progress.add_task("training", total=training.epochs * len(loaded.train))
        while not trainer.done:
            explained, first = 0, trainer.epoch
            while trainer.epoch == first:
                left = len(loaded.train) - trainer.step % len(loaded.train)
                state = trainer.advance(min(EVERY, left))
                explained += state.explained
                progress.advance(shown, state.examples)
            history.append(_passed(trainer, loaded.test, explained))
            if not quiet:
                console.print(_line(history[-1], len(loaded.train)), soft_wrap=True)
    return trainer.model(), history


@contextmanager
def _until_stopped(trainer):
    """Ctrl-C ends the block, and the command only where nothing has been learnt yet."""
    try:
        yield
    except KeyboardInterrupt:
        if not trainer.step:
            raise
        told = f"stopped after {trainer.step:,} of {trainer.settings.epochs * len(trainer.data):,} examples"
        Console(stderr=True, highlight=False).print(f"{told}; the model is kept as it is by then", soft_wrap=True)


def _passed(trainer, test, explained):
    scores = trainer.evaluate(test)
    return {
        "pass": trainer.epoch, "explained": explained, "error_rate": round(scores.error_rate, 4),
        "exact": round(scores.exact, 4),
    }  # fmt: skip


def _line(told, examples):
    return (
        f"pass {told['pass']}: {told['explained']:,} of {examples:,} examples with any alignment; of the tested ones "
        f"{told['error_rate']:.1%} of the letters wrong, {told['exact']:.1%} all right"
    )


def _phones(text, inventory):
    """The phones that are meant: what is written in capitals or with blanks, else how the word sounds."""
    from rcmviz.tasks.speech.examples import pronunciation, spoken

    word = text.strip()
    written = " " in word or word.isupper()
    return spoken(text, inventory) if written or not word else pronunciation(word)


def _read(aligner, phones, text):
    """What is read from phones, and the alignment edge by edge."""
    best = aligner.forward(aligner.model.phone_numbers(phones)).best()
    if best is None:
        return {"given": text, "phones": list(phones), "text": "", "moves": "", "probability": 0.0}
    return {
        "given": text, "phones": list(phones), "text": best.text, "moves": best.moves,
        "probability": round(math.exp(best.log_prob), 6),
    }  # fmt: skip


def _shown(reading):
    """The phones, and below each its letters; ``·`` where the letter before takes the phone too."""
    if not reading["text"]:
        return f"{escape(reading['given'])}: no complete alignment was kept; take more contexts, or --strategy rcms"
    below, letters = [], iter(reading["text"])
    for move in reading["moves"]:
        if move == "C":
            below[-1] += next(letters)
        else:
            below.append(next(letters) if move == "D" else "·")
    widths = [max(len(phone), len(spelt)) for phone, spelt in zip(reading["phones"], below, strict=True)]
    above, under = (
        escape("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))
        for row in (reading["phones"], below)
    )
    sure = f"alignment {100 * reading['probability']:.1f} %"
    return f"[bold]{escape(reading['text'])}[/bold]  ({sure})\n  {above}\n  {under}"
