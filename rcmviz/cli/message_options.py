"""Options shared by `decode` and `sample`: the message typed on a keypad, and adaptive rejection."""

from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Annotated

import typer
from rich.markup import escape

from rcmviz.cli.console import show_spinner

DEFAULT_LM = "lm-english-words"


class RefineStrategy(StrEnum):
    """Places where ARS refines its bound."""

    sweep = "sweep"
    worst = "worst"
    jump = "jump"


@dataclass(frozen=True)
class MessageOptions:
    """Options of the message."""

    keypad: Annotated[str | None, typer.Option(help='Keys, blanks between words, e.g. "3637 843 66639 39478 *".')] = (
        None
    )
    text: Annotated[str | None, typer.Option(help="Words instead, typed for you.")] = None
    noise: Annotated[int | None, typer.Option(help="With --text: fingers slip, drawn with this seed.")] = None
    slope: Annotated[float, typer.Option(help="k of the noise; the larger, the fewer slips.")] = 64.0
    candidates: Annotated[int | None, typer.Option(help="How many per word, those nearest to the keys.")] = None
    lm: Annotated[str, typer.Option("--lm", help="An ARPA or .npz file, or a shipped language model.")] = DEFAULT_LM
    order: Annotated[int | None, typer.Option(help="Forget the longer n-grams of the model.")] = None
    end: Annotated[bool, typer.Option(help="The message ends where the keys end.")] = True
    temperature: Annotated[float, typer.Option(help="Divides the log probabilities of the language model.")] = 1.0

    def read(self):
        """(message, HMM); ValueError where not exactly one of --keypad and --text is given."""
        import rcmviz
        from rcmviz.lm.shorten import shorten
        from rcmviz.tasks.sms.messages import read_digits, read_text

        if (self.keypad is None) == (self.text is None):
            raise ValueError('give either --keypad "3637 843" or --text "does the"')
        if self.keypad is not None and self.noise is not None:
            raise ValueError("--noise is for --text; keys are taken as they were typed")
        with show_spinner(f"reading {self.lm}"):
            lm = rcmviz.load_lm(self.lm)
        if self.end and lm.end < 0:
            raise ValueError(f"{self.lm}: the model has no </s> and cannot score where a message ends; add --no-end")
        lm = lm if self.order is None else shorten(lm, self.order)
        how = {"slope": self.slope, "most": self.candidates}
        if self.keypad is not None:
            message = read_digits(lm, self.keypad, **how)
        else:
            message = read_text(lm, self.text, seed=self.noise, **how)
        return message, message.hmm(lm, end=self.end, temperature=self.temperature)


@dataclass(frozen=True)
class ArsOptions:
    """Options of adaptive rejection."""

    strategy: Annotated[RefineStrategy | None, typer.Option(help="ars: sweep (by default), worst or jump.")] = None
    look_ahead: Annotated[bool | None, typer.Option(help="ars: bounds over the neighbours' candidates.")] = None
    seconds: Annotated[float | None, typer.Option(help="ars: stop after this time, with the bounds so far.")] = None

    def limits(self, **further):
        """The given ones, as keyword arguments."""
        given = {
            "strategy": self.strategy and str(self.strategy),
            "look_ahead": self.look_ahead,
            "seconds": self.seconds,
        } | further
        return {name: value for name, value in given.items() if value is not None}


def message_dict(message):
    """A message ready for JSON."""
    return {"keys": list(message.keys), "meant": list(message.meant), "unknown": list(message.unknown)}


def print_message(console, message):
    """The keys, what was meant by them, and which words the model does not know."""
    console.print(f"[bold]keys[/]   {escape(message.digits)}", soft_wrap=True)
    if message.meant:
        console.print(f"[bold]meant[/]  {escape(' '.join(message.meant))}", soft_wrap=True)
    if message.unknown:
        console.print(f"note: the model does not know {escape(', '.join(message.unknown))}", soft_wrap=True)


def log_z_text(lower, upper):
    """A sentence on the bounds of log Z."""
    if not isfinite(upper):
        return f"log Z is at least {lower:.3f}"
    return f"log Z between {lower:.3f} and {upper:.3f}" if upper > lower else f"log Z {lower:.3f}"
