"""The command `align`: how something sounds → how it is spelt, and which letter belongs to which phone."""

import json
import math
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from rcmviz.cli.console import progress_bar, terminal, until_stopped
from rcmviz.cli.files import check_out, print_remarks
from rcmviz.cli.options import Json, takes_groups
from rcmviz.core.shared.wording import counted

EVERY = 50  # examples between two looks at the clock


class ContextStrategy(StrEnum):
    """The strategies of a training."""

    rcms = "rcms"
    model = "model"
    target = "target"
    hybrid = "hybrid"
    forced = "forced"


class ExampleSource(StrEnum):
    """The built-in training data, if no file is named."""

    lexicon = "lexicon"
    words = "words"
    utterances = "utterances"


@dataclass(frozen=True)
class SourceOptions:
    """The training data, or an existing model."""

    source: Annotated[
        ExampleSource | None, typer.Option(help="Our lexicon, words of CMUdict, or utterances; the lexicon else.")
    ] = None
    file: Annotated[Path | None, typer.Option(help="Learn from a file: a word and its phones a line.")] = None
    model: Annotated[Path | None, typer.Option(help="A model that --save wrote: nothing is trained.")] = None

    def check(self, save):
        """ValueError for options that exclude each other."""
        if self.model is not None and (self.source, self.file, save) != (None, None, None):
            raise ValueError("--model is a model that is trained already; leave --source, --file and --save out")
        if self.source is not None and self.file is not None:
            raise ValueError(f"learn from --file {self.file} or from --source {self.source}; leave one of them out")

    def load(self, seed):
        """The examples to learn from and to test on."""
        from rcmviz.tasks.speech import examples

        if self.file is not None:
            return examples.read_speech(self.file, seed)
        return examples.load(str(self.source or ExampleSource.lexicon), seed)


@dataclass(frozen=True)
class AlignOptions:
    """Options of the training."""

    strategy: Annotated[ContextStrategy, typer.Option(help="How contexts are chosen, in training and after.")] = (
        ContextStrategy.rcms
    )
    order: Annotated[int, typer.Option(help="n: features are n-grams of letters and of edges.")] = 3
    budget: Annotated[int, typer.Option(max=10_000, help="Contexts per cell.")] = 20
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the examples.")] = 5
    seed: Annotated[int, typer.Option(min=0, help="Of the order of the examples.")] = 0

    def settings(self):
        """The same as settings of a training."""
        from rcmviz.align.settings import AlignTraining

        return AlignTraining(str(self.strategy), self.budget, order=self.order, epochs=self.epochs, seed=self.seed)


@takes_groups
def align(
    *,
    sounds: Annotated[list[str] | None, typer.Argument(help='Words, or phones of ARPAbet, e.g. "B R AY T".')] = None,
    source: SourceOptions,
    learning: AlignOptions,
    save: Annotated[Path | None, typer.Option(help="Where the trained model goes, an .npz file.")] = None,
    as_json: Json = False,
):
    """Learn to spell what is heard, alignments unobserved; then spell words or phones and show the alignment.

    Ctrl-C ends the training and keeps the model learnt by then.

    rcmviz align phone "N AY T"
    """
    from rcmviz.align.model import AlignModel
    from rcmviz.jobs.alignments import aligner_of

    source.check(save)
    if save is not None:
        check_out(save)
    training = learning.settings()
    if source.model is not None:
        learnt, history = AlignModel.load(source.model), []
        asked = [_phones(text, learnt.phones) for text in sounds or ()]
    else:
        loaded = print_remarks(source.file, source.load(training.seed))
        asked = [_phones(text, loaded.train.phones) for text in sounds or ()]  # errors are raised before the work
        learnt, history = _train(training, loaded, quiet=as_json)
    try:
        if save is not None:
            learnt.save(save)
    finally:  # what was asked is answered on a full disk too
        aligner = aligner_of(learnt, training)
        _print_results(
            [_print_reading(aligner, *pair) for pair in zip(asked, sounds or (), strict=True)], history, as_json
        )


def _print_results(readings, history, as_json):
    if as_json:
        return typer.echo(json.dumps({"passes": history, "readings": readings}, ensure_ascii=False))
    console = terminal()
    for reading in readings:
        console.print(_spelling_text(reading), soft_wrap=True)


def _train(training, loaded, quiet):
    """The trained model, and the line of every pass, printed during the training."""
    from rcmviz.align.train import AlignTrainer

    trainer = AlignTrainer(loaded.train, training, info={"data": loaded.described})
    console, history = terminal(), []
    if not quiet:
        tested = f"{counted(len(loaded.train), 'example')} to learn from, {len(loaded.test):,} to test on"
        console.print(f"{escape(loaded.described)}: {tested}", soft_wrap=True)
    with until_stopped(lambda: _kept_message(trainer)), progress_bar() as progress:
        shown = progress.add_task("training", total=training.epochs * len(loaded.train))
        while not trainer.done:
            explained, first = 0, trainer.epoch
            while trainer.epoch == first:
                left = len(loaded.train) - trainer.step % len(loaded.train)
                state = trainer.advance(min(EVERY, left))
                explained += state.explained
                progress.advance(shown, state.examples)
            history.append(_pass_figures(trainer, loaded.test, explained))
            if not quiet:
                console.print(_line(history[-1], len(loaded.train)), soft_wrap=True)
    return trainer.model(), history


def _kept_message(trainer):
    """A sentence, None where nothing has been learnt yet."""
    if not trainer.step:
        return None
    visits = trainer.settings.epochs * len(trainer.data)
    return f"stopped after {trainer.step:,} of {visits:,} examples; the model is kept as it is by then"


def _pass_figures(trainer, test, explained):
    scores = trainer.evaluate(test)
    return {
        "pass": trainer.epoch,
        "explained": explained,
        "error_rate": round(scores.error_rate, 4),
        "exact": round(scores.exact, 4),
    }


def _line(passed, examples):
    return (
        f"pass {passed['pass']}: {passed['explained']:,} of {examples:,} examples with any alignment; of the tested "
        f"ones {passed['error_rate']:.1%} of the letters wrong, {passed['exact']:.1%} all right"
    )


def _phones(text, inventory):
    """The phones of an input: written in capitals or with blanks, else looked up from the word."""
    from rcmviz.tasks.speech.examples import pronunciation, spoken

    word = text.strip()
    written = " " in word or word.isupper()
    return spoken(text, inventory) if written or not word else pronunciation(word)


def _print_reading(aligner, phones, text):
    """Print the spelling of phones, and the alignment edge by edge."""
    best = aligner.forward(aligner.model.phone_numbers(phones)).best()
    if best is None:
        return {"given": text, "phones": list(phones), "text": "", "moves": "", "probability": 0.0}
    return {
        "given": text,
        "phones": list(phones),
        "text": best.text,
        "moves": best.moves,
        "probability": round(math.exp(best.log_prob), 6),
    }


def _spelling_text(reading):
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
