"""The command `rcmviz field train`: a Markov field from a text, or a tagger from a treebank."""

import json
import signal
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from rcmviz.cli.console import finite, progress_bar, terminal
from rcmviz.cli.files import STDIN, check_npz, naming_file, print_remarks, sentences_of
from rcmviz.cli.lm import Units
from rcmviz.cli.options import Json, takes_groups
from rcmviz.core.shared.wording import counted

GRAMMAR_SENTENCES = 4_000
SAVE_EVERY = 50  # steps between two checkpoints


@dataclass(frozen=True)
class FieldOptions:
    """Options of the field."""

    size: Annotated[
        int | None, typer.Option(help="Words, <S> and <unk> among them, 0 for all; by default at most 1,000.")
    ] = None
    order: Annotated[int, typer.Option(help="Neighbours on each side that a word is tied to.")] = 2
    rank: Annotated[int, typer.Option(help="Numbers of a word's vector, 0 for a number for every pair.")] = 30
    units: Annotated[Units, typer.Option(help="What a line is split into.")] = Units.tokens
    english: Annotated[bool, typer.Option("--english", help="The same as --units english.")] = False

    def split_into(self):
        """The name of the units; ValueError for two of them."""
        if self.english and self.units not in (Units.tokens, Units.english):
            raise ValueError(f"--english and --units {self.units} exclude each other; give one of them")
        return str(Units.english if self.english else self.units)


@dataclass(frozen=True)
class LearningOptions:
    """Options of the training and its checkpoint."""

    l2: Annotated[float, typer.Option(help="Weight of the squared numbers against the text.")] = 1.0
    held_out: Annotated[float, typer.Option(help="Share of the text, its end, that early stopping looks at.")] = 0.05
    max_steps: Annotated[int | None, typer.Option(help="Most steps: 2,000, of a tagger 400.")] = None
    patience: Annotated[int, typer.Option(help="Steps without a better held-out bound before it stops.")] = 50
    pseudo: Annotated[
        bool, typer.Option("--pseudo", help="By the pseudo-likelihood, in random batches; of low rank only.")
    ] = False
    seconds: Annotated[float | None, typer.Option(min=0, help="Stop after as many seconds of CPU time.")] = None
    seed: Annotated[int, typer.Option(min=0, help="Of the first vectors.")] = 0
    checkpoint: Annotated[Path | None, typer.Option(help="File that keeps the training for --resume.")] = None
    resume: Annotated[Path | None, typer.Option(help="A checkpoint to continue from, on the same text.")] = None


@dataclass(frozen=True)
class TaggerOptions:
    """A tagger in the place of a field."""

    tagger: Annotated[bool, typer.Option("--tagger", help="TEXT is a treebank (CoNLL-U): learn a tagger.")] = False
    tags: Annotated[str, typer.Option(help="With --tagger: xpos, or upos.")] = "xpos"
    window: Annotated[int, typer.Option(help="With --tagger: words that a tag sees, 1 to 3.")] = 1
    least: Annotated[int, typer.Option(help="With --tagger: words that share a feature, at least.")] = 2
    rare: Annotated[int, typer.Option(help="With --tagger: a word met more often is a feature itself.")] = 5


@takes_groups
def train(
    *,
    text: Annotated[
        Path | None,
        typer.Argument(
            help="UTF-8, also gzipped, a sentence per line, - is standard input; else our own grammar's sentences."
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Where it goes.")] = Path("field.npz"),
    field: FieldOptions,
    learning: LearningOptions,
    tagger: TaggerOptions,
    as_json: Json = False,
):
    """Learn a field from a text, or with --tagger a tagger from a treebank; Ctrl-C keeps the best by then."""
    check_npz(out, "a field")
    check_npz(learning.checkpoint or out, "a checkpoint")
    if tagger.tagger:
        return _train_tagger(text, out, learning, tagger, as_json)
    source, name = sentences_of_text(text, field.split_into())
    model, began = _new_field(field, learning), time.perf_counter()
    trainer = naming_file(name, model.trainer, source, resume=learning.resume)
    ended, processor = _run_training(trainer, learning)
    model.finish(trainer)
    command = f"rcmviz field train {name} --size {len(model.words)} --order {model.order} --rank {field.rank} --l2 "
    command += f"{model.l2:g} --held-out {model.held_out:g} --patience {model.patience} --seed {model.random_state}"
    command += " --pseudo" if learning.pseudo else ""
    command += "" if model.units == Units.tokens else f" --units {model.units}"
    info = {"name": out.stem, "source": name, "command": command, "seconds": round(processor, 1)}
    info |= {"units": model.units} | ({"stopped": True} if ended == "stopped" else {})
    model.save(out, info)
    best = trainer.best
    if as_json:
        numbers = {name: finite(value) for name, value in best.numbers().items() if name != "seconds_left"}
        document = {
            "model": str(out),
            "words": len(model.words),
            "tokens": model.tokens_,
            "ended": ended,
            "steps": trainer.step,
            "best": numbers,
            "info": info,
        }
        return typer.echo(json.dumps(document, ensure_ascii=False))
    seconds = time.perf_counter() - began
    terminal().print(
        f"{escape(str(out))}: {counted(len(model.words), 'word')}, {model.tokens_:,} tokens; {_bounds(trainer, best)} "
        f"at step {best.step} of {trainer.step}; {out.stat().st_size / 1e6:.1f} MB, {seconds:.1f} s",
        soft_wrap=True,
    )
    return None


def sentences_of_text(path, units):
    """(a text as fields take it, its name): a file, standard input split into ``units``, or our grammar's sentences."""
    from rcmviz.tasks.decipher import grammar

    if path is None:
        return grammar.sentences(GRAMMAR_SENTENCES), "our grammar"
    return list(sentences_of(path, units)) if str(path) == STDIN else path, str(path)


def _new_field(field, learning):
    from rcmviz.mrf.field import MarkovField

    size = "auto" if field.size is None else field.size or None
    steps = 2_000 if learning.max_steps is None else learning.max_steps
    return MarkovField(
        size,
        field.order,
        field.rank or None,
        l2=learning.l2,
        held_out=learning.held_out,
        max_steps=steps,
        patience=learning.patience,
        random_state=learning.seed,
        objective="pseudo-likelihood" if learning.pseudo else "likelihood",
        units=field.split_into(),
    )


@contextmanager
def stop_on_interrupt():
    """Yields whether Ctrl-C was pressed: no step is broken off; pressed once more, everything is."""
    pressed = []

    def press(*_):
        if pressed:
            raise KeyboardInterrupt
        pressed.append(True)

    before = signal.signal(signal.SIGINT, press)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)


def _run_training(trainer, learning):
    """Take the steps, with a bar and the time left at most; (why it ended, the seconds of CPU time
    that they took).
    """
    kept_in, began = learning.checkpoint or learning.resume, time.process_time()
    most = float("inf") if learning.seconds is None else learning.seconds
    with stop_on_interrupt() as stopping, progress_bar() as progress:
        shown = progress.add_task("learning", total=trainer.settings.max_steps, completed=trainer.step)
        while not trainer.done and not stopping() and time.process_time() - began < most:
            state = trainer.advance()
            progress.update(shown, completed=state.step, description=f"step {state.step}: {_bounds(trainer, state)}")
            if kept_in and state.step % SAVE_EVERY == 0:
                trainer.save(kept_in)
        took = time.process_time() - began
        if kept_in:
            trainer.save(kept_in)
        ended = trainer.ended or ("stopped" if stopping() else "seconds")
        if not trainer.done:
            after = f"--resume {kept_in} continues" if kept_in else "--checkpoint keeps a training for --resume"
            progress.console.print(
                f"stopped after step {trainer.step}; the best field is kept; {after}", soft_wrap=True
            )
    return ended, took


def _bounds(trainer, state):
    name = "bound" if trainer.settings.objective == "likelihood" else "pseudo-likelihood"
    held_out = "" if state.held_out != state.held_out else f", held out {state.held_out:.4f}"
    return f"{name} {state.bound:.4f}{held_out} nats per token"


def _train_tagger(treebank, out, learning, options, as_json):
    from rcmviz.mrf.tagger import FieldTagger
    from rcmviz.tasks.tagging.tagger import read_tagged

    if treebank is None:
        raise ValueError("--tagger: name a treebank, a CoNLL-U file, e.g. en_ewt-ud-train.conllu")
    if learning.checkpoint or learning.resume:
        raise ValueError("--checkpoint and --resume are for fields; a tagger is learnt in one go")
    if learning.pseudo or learning.seconds is not None:
        raise ValueError("--pseudo and --seconds are for fields; a tagger is learnt by its likelihood, in --max-steps")
    sentences, began = print_remarks(treebank, read_tagged(treebank, options.tags)), time.perf_counter()
    steps = 400 if learning.max_steps is None else learning.max_steps
    tagger = FieldTagger(options.window, l2=learning.l2, least=options.least, rare=options.rare, max_steps=steps)
    with stop_on_interrupt() as stopping, progress_bar() as progress:
        shown = progress.add_task("learning", total=steps)

        def step(numbers):
            text = f"step {numbers['step']}: {numbers['objective']:.4f} nats per token"
            progress.update(shown, completed=numbers["step"], description=text)
            return not stopping()

        naming_file(treebank, tagger.fit, *zip(*sentences, strict=True), progress=step)
        stopped = stopping()
    if stopped:
        typer.echo("stopped; the tagger of the last step is kept", err=True)
    tagger.save(out, {"name": out.stem, "source": treebank.name, "tags": options.tags})
    last = tagger.history_[-1]
    if as_json:
        return typer.echo(
            json.dumps(
                {
                    "model": str(out),
                    "tags": len(tagger.classes_),
                    "words": len(tagger.words_),
                    "stopped": stopped,
                    **last,
                }
            )
        )
    terminal().print(
        f"{escape(str(out))}: {counted(len(tagger.classes_), 'tag')}, {counted(len(tagger.words_), 'word')}; "
        f"{last['objective']:.4f} nats per token at step {last['step']}; {out.stat().st_size / 1e6:.1f} MB, "
        f"{time.perf_counter() - began:.1f} s",
        soft_wrap=True,
    )
    return None
