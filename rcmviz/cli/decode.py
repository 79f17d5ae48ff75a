"""The command `decode`: the most probable message behind keys typed on a phone, with a proof."""

import json
from math import exp, prod
from typing import Annotated

import typer
from rich.markup import escape

from rcmviz.cli.console import finite, plain_table, terminal
from rcmviz.cli.message_options import ArsOptions, MessageOptions, log_z_text, message_dict, print_message
from rcmviz.cli.options import DecoderBudget, DecoderName, Json, takes_groups
from rcmviz.core.shared.wording import counted


@takes_groups
def decode(
    *,
    typed: MessageOptions,
    method: Annotated[
        DecoderName, typer.Option(help="ars proves its answer; beam and rcms take --budget.")
    ] = DecoderName.ars,
    budget: DecoderBudget = 20,
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="How many of the best messages.")] = 1,
    rejection: ArsOptions,
    iterations: Annotated[int | None, typer.Option(help="ars: most rounds.")] = None,
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
        return typer.echo(json.dumps(message_dict(message) | decoded_dict(found), ensure_ascii=False))
    console = terminal()
    print_message(console, message)
    if k == 1:
        console.print(f"[bold]found[/]  {escape(' '.join(found.best.words))}   log p {found.best.log_score:.3f}")
    else:
        console.print(_ranking(found))
    for line in (found.certificate, *costs(hmm, found)):
        console.print(escape(line), soft_wrap=True)


def decoded_dict(found):
    """A ``Decoded`` ready for JSON; None for numbers that are not finite."""
    answers = [
        {"words": list(one.words), "log_score": finite(one.log_score), "gap": one.gap and finite(one.gap)}
        for one in found.answers
    ]
    return {
        "method": found.method,
        "answers": answers,
        "certificate": found.certificate,
        "stopped": found.stopped,
        "rounds": found.rounds,
        "contexts": found.contexts,
        "ngrams": found.ngrams,
        "confidence": found.confidence,
        "log_z_bounds": found.log_z_bounds and [finite(bound) for bound in found.log_z_bounds],
    }


def _ranking(found):
    """The k best: log p, and the probability of each relative to the first."""
    rows = [
        (f"{rank}", f"{one.log_score:.3f}", f"{exp(one.log_score - found.best.log_score):.4f}", " ".join(one.words))
        for rank, one in enumerate(found.answers, start=1)
    ]
    return plain_table(("", "log p", "ratio to the first", "message"), rows, ("message",))


def costs(hmm, found):
    """Sentences on the size of the automaton or lattice, and on log Z."""
    if found.ngrams is not None:
        by_order = " / ".join(f"{count:,}" for count in found.ngrams)
        yield f"{counted(found.contexts, 'state')}, n-grams by order {by_order} of {_rounded_count(all_ngrams(hmm))}"
    elif found.confidence is None:
        yield f"{counted(found.contexts, 'context')} extended"
    else:
        yield f"{counted(found.contexts, 'context')}; confidence in its own answer {found.confidence:.3f}"
    if found.log_z_bounds is None:
        yield "log Z: that of RCMS belongs to another model and is no bound"
    else:
        yield log_z_text(*found.log_z_bounds)


def _rounded_count(count):
    return f"{count:,.0f}" if count < 1e6 else f"{count:.1e}"


def all_ngrams(hmm):
    """The n-grams of the highest order that the automaton would have if all were written out."""
    widths = [*map(len, hmm.candidates), *([1] if hmm.end else [])]
    return float(sum(prod(map(float, widths[max(0, i - hmm.order + 1) : i + 1])) for i in range(len(widths))))
