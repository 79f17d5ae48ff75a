"""The commands `decode` and `sample`: messages typed on a phone's keypad, decoded with a proof or drawn exactly."""

import json
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from math import exp, isfinite, prod
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from rcmviz.cli.options import Json, as_choices, counted, takes_groups, terminal
from rcmviz.core.methods import DECODERS

DEFAULT_LM = "lm-english-words"


Finder = as_choices(DECODERS)


class RefineStrategy(StrEnum):
    """Where ARS refines its bound."""

    sweep = "sweep"
    worst = "worst"
    jump = "jump"


@dataclass(frozen=True)
class MessageOptions:
    """What was typed, and how it is understood."""

    keypad: Annotated[str | None, typer.Option(help='Keys, blanks between words, e.g. "3637 843 66639 39478 *".')] = (
        None
    )
    text: Annotated[str | None, typer.Option(help="Words instead, typed for you.")] = None
    noise: Annotated[int | None, typer.Option(help="With --text: fingers slip, drawn with this seed.")] = None
    slope: Annotated[float, typer.Option(help="k of the noise; the larger, the fewer slips.")] = 64.0
    most: Annotated[int | None, typer.Option(help="Only so many candidates per word, those nearest to the keys.")] = (
        None
    )
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
        with Console(stderr=True).status(f"reading {escape(self.lm)}"):
            lm = rcmviz.load_lm(self.lm)
        if self.end and lm.end < 0:
            raise ValueError(f"{self.lm}: the model has no </s> and cannot score where a message ends; add --no-end")
        lm = lm if self.order is None else shorten(lm, self.order)
        how = {"slope": self.slope, "most": self.most}
        if self.keypad is not None:
            message = read_digits(lm, self.keypad, **how)
        else:
            message = read_text(lm, self.text, seed=self.noise, **how)
        return message, message.hmm(lm, end=self.end, temperature=self.temperature)


@dataclass(frozen=True)
class ArsOptions:
    """How adaptive rejection works."""

    strategy: Annotated[RefineStrategy | None, typer.Option(help="ars: sweep (by default), worst or jump.")] = None
    look_ahead: Annotated[bool | None, typer.Option(help="ars: bounds over the neighbours' candidates.")] = None
    seconds: Annotated[float | None, typer.Option(help="ars: stop after so long, with what is proved by then.")] = None

    def limits(self, **further):
        """What was told of these, as keyword arguments."""
        told = {"strategy": self.strategy and str(self.strategy), "look_ahead": self.look_ahead,
                "seconds": self.seconds} | further  # fmt: skip
        return {name: value for name, value in told.items() if value is not None}


@takes_groups
def decode(
    *,
    typed: MessageOptions,
    method: Annotated[Finder, typer.Option(help="ars proves its answer; beam and rcms take --budget.")] = Finder.ars,
    budget: Annotated[int, typer.Option(help="beam, rcms: contexts kept per position.")] = 20,
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="How many of the best messages.")] = 1,
    rejection: ArsOptions,
    iterations: Annotated[int | None, typer.Option(help="ars: stop after so many rounds.")] = None,
    gap: Annotated[float | None, typer.Option(help="ars: stop when no message can be better by more.")] = None,
    as_json: Json = False,
):
    """The most probable message behind keys typed on a phone, with the proof that it is.

    rcmviz decode --keypad "3637 843 66639 39478 *"
    """
    from rcmviz.tasks.decoding import decode as find

    message, hmm = typed.read()
    limits = rejection.limits(max_iterations=iterations, gap=gap)
    found = find(hmm, str(method), budget=budget, k=k, **limits)
    if as_json:
        return typer.echo(json.dumps(_typed_dict(message) | decoded_dict(found), ensure_ascii=False))
    console = terminal()
    _print_typed(console, message)
    if k == 1:
        console.print(f"[bold]found[/]  {escape(' '.join(found.best.words))}   log p {found.best.log_score:.3f}")
    else:
        console.print(_ranking(found))
    for line in (found.certificate, *costs(hmm, found)):
        console.print(escape(line), soft_wrap=True)


def _typed_dict(message):
    return {"keys": list(message.keys), "meant": list(message.meant), "unknown": list(message.unknown)}


def decoded_dict(found):
    """A ``Decoded`` ready for JSON; None for what is not finite."""
    answers = [
        {"words": list(one.words), "log_score": finite(one.log_score), "gap": one.gap and finite(one.gap)}
        for one in found.answers
    ]
    return {
        "method": found.method, "answers": answers, "certificate": found.certificate, "stopped": found.stopped,
        "rounds": found.rounds, "contexts": found.contexts, "ngrams": found.ngrams, "confidence": found.confidence,
        "log_z_bounds": found.log_z_bounds and [finite(bound) for bound in found.log_z_bounds],
    }  # fmt: skip


def finite(value):
    """The number, None where JSON has none for it."""
    return value if isfinite(value) else None


def _print_typed(console, message):
    console.print(f"[bold]keys[/]   {escape(message.digits)}", soft_wrap=True)
    if message.meant:
        console.print(f"[bold]meant[/]  {escape(' '.join(message.meant))}", soft_wrap=True)
    if message.unknown:
        console.print(f"note: the model does not know {escape(', '.join(message.unknown))}", soft_wrap=True)


def _ranking(found):
    """The k best: log p, and how probable each is beside the first."""
    rows = [
        (f"{rank}", f"{one.log_score:.3f}", f"{exp(one.log_score - found.best.log_score):.4f}", " ".join(one.words))
        for rank, one in enumerate(found.answers, start=1)
    ]
    return columns(("", "log p", "ratio to the first", "message"), rows, ("message",))


def columns(headers, rows, left):
    """A plain table: the columns in ``left`` are texts, all others numbers."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in headers:
        table.add_column(name, justify="left" if name in left else "right", no_wrap=name not in left)
    for row in rows:
        table.add_row(*map(escape, row))
    return table


def costs(hmm, found):
    """Sentences on the size of the automaton or lattice, and on log Z."""
    if found.ngrams is not None:
        by_order = " / ".join(f"{count:,}" for count in found.ngrams)
        yield f"{counted(found.contexts, 'state')}, n-grams by order {by_order} of {_rounded(all_ngrams(hmm))}"
    else:
        yield f"{counted(found.contexts, 'context')}; confidence in its own answer {found.confidence:.3f}"
    if found.log_z_bounds is None:
        yield "log Z: that of RCMS belongs to another model and is no bound"
    else:
        yield _between("log Z", *found.log_z_bounds)


def _rounded(count):
    return f"{count:,.0f}" if count < 1e6 else f"{count:.1e}"


def _between(name, lower, upper):
    if not isfinite(upper):
        return f"{name} is at least {lower:.3f}"
    return f"{name} between {lower:.3f} and {upper:.3f}" if upper > lower else f"{name} {lower:.3f}"


def all_ngrams(hmm):
    """The n-grams of the highest order that the automaton would have if all were written out."""
    widths = [*map(len, hmm.candidates), *([1] if hmm.end else [])]
    return float(sum(prod(map(float, widths[max(0, i - hmm.order + 1) : i + 1])) for i in range(len(widths))))


@takes_groups
def sample(
    *,
    typed: MessageOptions,
    n: Annotated[int, typer.Option("-n", "--n", min=1, help="How many messages are drawn.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="For the draws.")] = 0,
    batch: Annotated[int, typer.Option(min=1, help="Trials between two refinements.")] = 50,
    trials: Annotated[int | None, typer.Option(min=1, help="Stop after so many trials.")] = None,
    acceptance: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="Stop when the last 100 trials were accepted so often.")
    ] = None,
    rejection: ArsOptions,
    show: Annotated[int, typer.Option(min=1, help="How many different messages are listed.")] = 10,
    as_json: Json = False,
):
    """Exact draws of the messages behind keys: how often each was drawn beside how probable it is.

    rcmviz sample --keypad "3637 843 66639 39478 *"
    """
    from rcmviz.ars.decode import ars_sample

    message, hmm = typed.read()
    limits = rejection.limits(max_trials=trials, stop_acceptance=acceptance)
    draws, _ = ars_sample(hmm, n, seed, batch=batch, record=False, **limits)
    rows = _frequencies(draws)
    if as_json:
        return typer.echo(json.dumps(_typed_dict(message) | _draws_dict(draws, rows), ensure_ascii=False))
    console = terminal()
    _print_typed(console, message)
    console.print(_urn(rows[:show], len(draws.words)))
    if len(rows) > show:
        console.print(f"… {counted(len(rows) - show, 'more message')}")
    console.print(
        f"{len(draws.words):,} drawn in {counted(draws.trials, 'trial')}: {100 * draws.acceptance:.1f} % accepted; "
        f"{counted(draws.states, 'state')}, {_between('log Z', *draws.log_z_bounds)}",
        soft_wrap=True,
    )


def _frequencies(draws):
    """[(words, how often drawn, log p)] of the distinct messages, the most probable first."""
    scores = dict(zip(draws.words, draws.log_score.tolist(), strict=True))
    drawn = Counter(draws.words)
    return [(words, drawn[words], scores[words]) for words in sorted(scores, key=lambda words: -scores[words])]


def _draws_dict(draws, rows):
    messages = [{"words": list(words), "drawn": drawn, "log_score": score} for words, drawn, score in rows]
    return {
        "messages": messages, "drawn": len(draws.words), "trials": draws.trials, "acceptance": draws.acceptance,
        "stopped": draws.stopped, "contexts": draws.states, "ngrams": draws.ngrams,
        "log_z_bounds": [finite(bound) for bound in draws.log_z_bounds],
    }  # fmt: skip


def _urn(rows, total):
    """Frequencies, and beside them the ratio to the first message as drawn and as it is."""
    if not rows:
        return "no trial was accepted: give it more trials or more time"
    _, first_drawn, first_score = rows[0]
    table = [
        (f"{drawn:,}", f"{100 * drawn / total:.1f} %", f"{drawn / first_drawn:.4f}", f"{exp(score - first_score):.4f}",
         f"{score:.3f}", " ".join(words))
        for words, drawn, score in rows
    ]  # fmt: skip
    return columns(("drawn", "share", "ratio drawn", "ratio exact", "log p", "message"), table, ("message",))
