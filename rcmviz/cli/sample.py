"""The command `sample`: exact draws of the messages behind keys typed on a phone."""

import json
from collections import Counter
from math import exp
from typing import Annotated, NamedTuple

import typer

from rcmviz.cli.console import finite, plain_table, terminal
from rcmviz.cli.message_options import ArsOptions, MessageOptions, log_z_text, message_dict, print_message
from rcmviz.cli.options import Json, takes_groups
from rcmviz.core.shared.wording import counted


@takes_groups
def sample(
    *,
    typed: MessageOptions,
    n: Annotated[int, typer.Option("-n", "--n", min=1, help="How many messages are drawn.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="For the draws.")] = 0,
    batch: Annotated[int, typer.Option(min=1, help="Trials between two refinements.")] = 50,
    trials: Annotated[int | None, typer.Option(min=1, help="Most trials.")] = None,
    acceptance: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="Stop when the last 100 trials were accepted so often.")
    ] = None,
    rejection: ArsOptions,
    show: Annotated[int, typer.Option(min=1, help="How many different messages are listed.")] = 10,
    as_json: Json = False,
):
    """Exact draws of the messages behind keys: how often each was drawn, and its probability.

    rcmviz sample --keypad "3637 843 66639 39478 *"
    """
    from rcmviz.ars.decode import ars_sample

    message, hmm = typed.read()
    limits = rejection.limits(max_trials=trials, stop_acceptance=acceptance)
    draws, _ = ars_sample(hmm, n, seed, batch=batch, record=False, **limits)
    rows = _frequencies(draws)
    if as_json:
        return typer.echo(json.dumps(message_dict(message) | _draws_dict(draws, rows), ensure_ascii=False))
    console = terminal()
    print_message(console, message)
    console.print(_draws_table(rows[:show], len(draws.words)))
    if len(rows) > show:
        console.print(f"… {counted(len(rows) - show, 'more message')}")
    console.print(
        f"{len(draws.words):,} drawn in {counted(draws.trials, 'trial')}: {100 * draws.acceptance:.1f} % accepted; "
        f"{counted(draws.states, 'state')}, {log_z_text(*draws.log_z_bounds)}",
        soft_wrap=True,
    )


class _Message(NamedTuple):
    """A message, how often it was drawn, and its log p."""

    words: tuple
    drawn: int
    log_score: float


def _frequencies(draws):
    """The distinct ``_Message``s, the most probable first."""
    scores = dict(zip(draws.words, draws.log_score.tolist(), strict=True))
    drawn = Counter(draws.words)
    return [_Message(words, drawn[words], scores[words]) for words in sorted(scores, key=lambda words: -scores[words])]


def _draws_dict(draws, rows):
    messages = [row._asdict() | {"words": list(row.words)} for row in rows]
    return {
        "messages": messages,
        "drawn": len(draws.words),
        "trials": draws.trials,
        "acceptance": draws.acceptance,
        "stopped": draws.stopped,
        "contexts": draws.states,
        "ngrams": draws.ngrams,
        "log_z_bounds": [finite(bound) for bound in draws.log_z_bounds],
    }


def _draws_table(rows, total):
    """Frequencies, with the drawn and the true ratio to the first message."""
    if not rows:
        return "no trial was accepted: give it more trials or more time"
    first = rows[0]
    table = [
        (
            f"{row.drawn:,}",
            f"{100 * row.drawn / total:.1f} %",
            f"{row.drawn / first.drawn:.4f}",
            f"{exp(row.log_score - first.log_score):.4f}",
            f"{row.log_score:.3f}",
            " ".join(row.words),
        )
        for row in rows
    ]
    return plain_table(("drawn", "share", "ratio drawn", "ratio exact", "log p", "message"), table, ("message",))
