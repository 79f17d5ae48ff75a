"""The command `ctc`: what the frames of a classifier with a blank say, read with a language model."""

import json
import sys
import warnings
from dataclasses import dataclass
from math import exp, inf
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import rcmviz
from rcmviz.cli.console import finite, plain_table, print_note, show_spinner, terminal
from rcmviz.cli.files import INPUT, STDIN, STDOUT, check_text_out, naming_file, write_or_print
from rcmviz.cli.options import Json, as_choices, takes_groups
from rcmviz.core.methods import BASIC
from rcmviz.core.shared.wording import counted

FrameMethod = as_choices(BASIC)


@dataclass(frozen=True)
class FrameOptions:
    """Which frames, and what their columns are."""

    frames: Annotated[
        Path, typer.Argument(metavar="FRAMES", help="Logs or probabilities: .npz, .npy or .csv; - is standard input.")
    ]
    labels: Annotated[
        Path | None, typer.Option(help="Names of the columns, one a line, <blank> for the blank; else the file's own.")
    ] = None
    blank: Annotated[
        int | None, typer.Option(help="Column of the blank, from 0, where none is called so; the last by default.")
    ] = None

    def read(self):
        """The ``Frames``."""
        from rcmviz.ctc_decoding.file import MAX_BYTES, parse_frames, parse_labels

        labels = None if self.labels is None else parse_labels(self.labels.read_bytes(), self.labels)
        if str(self.frames) == STDIN:
            return INPUT, parse_frames(sys.stdin.buffer.read(MAX_BYTES + 1), INPUT, labels, self.blank)
        with self.frames.open("rb") as file:
            return self.frames, parse_frames(file.read(MAX_BYTES + 1), self.frames, labels, self.blank)


@dataclass(frozen=True)
class ReadingOptions:
    """The arguments for the library."""

    lm: Annotated[
        str | None, typer.Option(help="A language model of the labels: .arpa, .npz, or a shipped one by name.")
    ] = None
    separator: Annotated[str | None, typer.Option(help="The label between words, where --lm knows words.")] = None
    method: Annotated[FrameMethod, typer.Option(help="How contexts are chosen.")] = FrameMethod.rcms
    budget: Annotated[int, typer.Option(help="Contexts kept per frame.")] = 20
    passes: Annotated[int, typer.Option(help="Passes of rcms.")] = 1
    lm_weight: Annotated[float, typer.Option("--lm-weight", "--alpha", help="Multiplies the model's logs.")] = 1.0
    label_bonus: Annotated[float, typer.Option(help="Added for every label, in nats.")] = 0.0
    word_bonus: Annotated[float, typer.Option(help="With --separator: added for every word.")] = 0.0
    unknown_score: Annotated[float, typer.Option(help="With --separator: added for words that --lm lacks.")] = -10.0
    unknown_letter: Annotated[float, typer.Option(help="… for each further letter of these.")] = -3.0
    end: Annotated[bool, typer.Option(help="Score the end of the output.")] = True

    def read(self, frames):
        """The Transcript."""
        lm = None if self.lm is None else rcmviz.load_lm(self.lm)
        words = {
            "separator": self.separator,
            "word_bonus": self.word_bonus,
            "unknown_score": self.unknown_score,
            "unknown_letter": self.unknown_letter,
        }
        return rcmviz.ctc(
            frames.log_probs,
            frames.labels,
            lm,
            self.budget,
            method=str(self.method),
            passes=self.passes,
            blank=frames.blank,
            lm_weight=self.lm_weight,
            label_bonus=self.label_bonus,
            end=self.end,
            **words,
        )


@takes_groups
def ctc(
    source: FrameOptions,
    how: ReadingOptions,
    nbest: Annotated[int, typer.Option(min=1, help="How many of the best outputs.")] = 5,
    gold: Annotated[str | None, typer.Option(help="The right output; labels of several characters are spaced.")] = None,
    export: Annotated[
        Path | None, typer.Option(help="A page that steps through the frames, .html; - prints it, and nothing else.")
    ] = None,
    as_json: Json = False,
):
    """Read the frames of a classifier with a blank (CTC), as of speech or handwriting, with a language model.

    rcmviz ctc frames.npz --lm words.arpa --separator " " --budget 100
    """
    check_text_out(export)
    name, frames = source.read()
    right = None if gold is None else _split(gold, frames.labels)
    with (
        warnings.catch_warnings(record=True) as caught,
        show_spinner(f"reading {counted(len(frames.log_probs), 'frame')}"),
    ):
        warnings.simplefilter("always")
        read = naming_file(name, how.read, frames)
        found = naming_file(name, read.nbest, nbest)
        log_prob = None if right is None else naming_file("--gold", read.log_prob, right)
    for one in caught:
        print_note(str(one.message))
    if frames.were_probabilities:
        print_note(f"{name}: its rows sum to 1, so they are taken as probabilities")
    if export is not None:
        page = rcmviz.export_html(read, gold=right, separator=how.separator)
        write_or_print(page, export, counted(len(frames.log_probs), "frame"))
        if str(export) == STDOUT:
            return
    if as_json:
        return typer.echo(json.dumps(_as_dict(read, found, how.separator, log_prob), ensure_ascii=False))
    _print(read, found, how.separator, log_prob)


def _split(text, labels):
    """A text as labels."""
    from rcmviz.lm.text import tokens

    return tuple(text) if all(len(label) == 1 for label in labels) else tuple(tokens(text))


def _gold_text(labels):
    """Labels as a text that ``--gold`` takes."""
    return ("" if all(len(label) == 1 for label in labels) else " ").join(labels)


def _as_dict(read, found, separator, log_prob):
    """The result, ready for JSON; None for numbers that are not finite."""
    document = {
        "method": read.method,
        "budget": read.budget,
        "frames": len(read.posterior),
        "log_z": finite(read.log_z),
        "proven": read.is_proven,
        "outputs": [
            {"text": _gold_text(one.labels), "confidence": one.confidence, "log_prob": one.log_prob} for one in found
        ],
        "labels": [
            {"label": label, "start": start, "stop": stop}
            for label, (start, stop) in zip(read.labels, read.frames.tolist(), strict=True)
        ],
    }
    if separator is not None:
        words = [{"word": word.text, "start": word.start, "stop": word.stop} for word in read.words(separator)]
        document["words"] = words
    return document if log_prob is None else document | {"gold": {"log_prob": finite(log_prob)}}


def _share(probability):
    return f"{probability:.4f}" if probability >= 1e-4 else f"{probability:.0e}"


def _print(read, found, separator, log_prob):
    console = terminal()
    rows = [(_share(one.confidence), f"{one.log_prob:.3f}", _gold_text(one.labels)) for one in found]
    console.print(plain_table(("probability", "log p", "output"), rows, ("output",)))
    if separator is not None:
        words = [(word.text, f"{word.start + 1}–{word.stop}") for word in read.words(separator)]
        console.print(plain_table(("word", "frames"), words, ("word",)))
    if log_prob is not None:
        share = "dropped, or impossible" if log_prob == -inf else f"{_share(exp(log_prob))}, log p {log_prob:.3f}"
        console.print(f"probability of the gold: {share}")
    proof = "no output is more probable" if read.is_proven else "the best that was found, not proven"
    console.print(escape(f"{read!r:.200}, log Z {read.log_z:.3f}; {proof}"), soft_wrap=True)
