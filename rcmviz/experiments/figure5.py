"""Figure 5: how many symbols of a word cipher are mapped to the right word, pass after pass of EM.

In addition to the paper's comparison, the reason why its last shape fails on short sentences: the same text, with
sentences joined so that histories are longer.
"""

from collections.abc import Mapping
from dataclasses import asdict

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from rcmviz.core.methods import MethodChoice
from rcmviz.experiments import conclusions, tables
from rcmviz.experiments.decipherments import (
    PASSES,
    DecipherArm,
    code_digest,
    curves,
    data_text,
    effort,
    spec_of,
    warm_up,
)
from rcmviz.experiments.decipherments import decipher as cell
from rcmviz.experiments.report import Plan, Report
from rcmviz.plot import style

__all__ = ["cell", "code_digest", "effort", "report", "specs", "warm_up"]

SEEDS = 3
PAIR = ("rcms", "beam")
SECOND = tuple(DecipherArm(method, 2, budget) for method in PAIR for budget in (60, 30, 20, 10))
FIRST = (DecipherArm("exact", 1), DecipherArm("rcms", 1, 60), DecipherArm("beam", 1, 60))
ARMS = SECOND + FIRST
LENGTHS = (1, 2, 4, 8)
JOINED = tuple(DecipherArm(method, 2, 60, joined) for joined in LENGTHS[1:] for method in PAIR)
QUICK = (DecipherArm("rcms", 2, 60), DecipherArm("rcms", 2, 10), DecipherArm("beam", 2, 60), DecipherArm("beam", 2, 10))
LOOKS = (3, 5, 10, 20)
HEADS = (
    "method",
    *(f"pass {number}" for number in LOOKS),
    "tokens, last",
    "assignment, last",
    "context, last",
    "s a pass",
)


def arms(plan: Plan) -> tuple[DecipherArm, ...]:
    """The compared arms; sentences are joined on Tatoeba only, a quick run has four arms."""
    if plan.quick:
        return QUICK
    return ARMS + (JOINED if plan.data == "tatoeba" else ())


def specs(plan: Plan) -> list[dict]:
    """One spec per arm and seed."""
    passes = PASSES // 2 if plan.quick else PASSES
    return [spec_of(arm, plan.data, seed, passes) for arm in arms(plan) for seed in range(plan.seeds)]


def report(plan: Plan, results: list[dict]) -> Report:
    """The tables, the claims and the figure."""
    remaining = iter(results)
    found = {arm: [next(remaining) for _ in range(plan.seeds)] for arm in arms(plan)}
    parts = [_introduction(plan, results[0]), _table([arm for arm in found if arm.joined == 1], found)]
    if len(found) > len(QUICK):
        parts += ["## What reproduces", conclusions.claims_table(_claims(found))]
    if any(arm.joined > 1 for arm in found):
        before = curves(found[DecipherArm("beam", 2, 60)], "mean_length")[:, -1].mean()  # whole histories
        parts += ["## Longer sentences", LONGER.format(before=f"{before:.1f}"), _longer(found)]
        parts.append(joined_sentence(_shares_by_joined(found)))
    return Report("figure5", "\n\n".join(parts) + "\n", _document(plan, found), _figure(plan, found))


def _introduction(plan, first):
    return (
        "# Figure 5: decipherment\n\n"
        f"EM on {first['lines']:,} enciphered {data_text(plan.data)}, {first['tokens']:,} tokens, {first['symbols']} "
        f"different symbols (the first seed's); mean ± standard deviation over {plan.seeds} seeds, which draw "
        "sentences and key. The paper's Gigaword is licensed and not used. The share of the symbols x whose word is "
        "argmax_y p(x | y); in the last columns the share of the tokens, the share of the symbols when no word may be "
        "taken twice, the mean length of the contexts and the seconds of the quickest pass on one core."
    )


def _table(chosen, found):
    return tables.markdown_table(HEADS, [_line(arm.name, found[arm]) for arm in chosen])


def _line(name, answers):
    accuracy = curves(answers)
    looks = [tables.spread(accuracy[:, look - 1], 2) if look <= accuracy.shape[1] else "" for look in LOOKS]
    last = [tables.spread(curves(answers, name)[:, -1], 2) for name in ("by_token", "assignment", "mean_length")]
    return [name, *looks, *last, f"{curves(answers, 'seconds').min():.2f}"]


def _claims(found):
    """Each claim at pass 10, seed by seed, and whether it holds for every seed."""
    at = {arm: curves(answers)[:, 9] for arm, answers in found.items() if arm.joined == 1}
    pairs = (
        (DecipherArm("rcms", 2, 60), DecipherArm("beam", 2, 60)),
        (DecipherArm("rcms", 2, 10), DecipherArm("beam", 2, 30)),
        (DecipherArm("exact", 1), DecipherArm("rcms", 1, 60)),
        (DecipherArm("rcms", 1, 60), DecipherArm("beam", 1, 60)),
    )
    claims = [ahead_claim(f"{one.name} above {other.name} at pass 10", at[one], at[other]) for one, other in pairs]
    last = {arm: curves(found[arm])[:, -1] for arm in (DecipherArm("rcms", 2, 60), DecipherArm("beam", 2, 60))}
    text = "RCMS 60 above beam 60 after the last pass, n = 2 (the paper's figure)"
    claims.append(ahead_claim(text, *last.values()))
    first = max(curves(found[arm])[:, -1].mean() for arm in FIRST)
    second = min(last_value.mean() for last_value in last.values())
    means = f"{tables.number_text(second, 2)} and {tables.number_text(first, 2)}"
    text = "every model of order 2 with 60 contexts above every one of order 1"
    return [*claims, (text, means, conclusions.above(second, first, 2))]


def ahead_claim(text: str, one: np.ndarray, other: np.ndarray) -> tuple:
    """Whether one method is ahead of another on every seed; tied where their means look the same.

    >>> ahead_claim("A above B", np.array([0.8, 0.9]), np.array([0.7, 0.7]))
    ('A above B', '.85 ± .07 and .70 ± .00', True)
    """
    everywhere = bool(np.all(one > other))
    tied = conclusions.above(float(np.mean(one)), float(np.mean(other)), 2) == conclusions.TIED
    true = everywhere or (conclusions.TIED if tied else False)
    return text, f"{tables.spread(one, 2)} and {tables.spread(other, 2)}", true


LONGER = """
In the paper beam search with 60 contexts stays behind. The sentences are short here: a beam, which forgets nothing,
remembers {before} words on average. So the same text is enciphered again with 2, 4 and 8 sentences written as one: as
many tokens, the same words, the language model learnt from sentences joined in the same way; only histories are
longer. Share of the symbols mapped to the right word:
""".strip()


def _shares_by_joined(found):
    """By sentences in one: shares after the last pass, (RCMS 60, beam 60)."""
    return {
        joined: tuple(curves(found[DecipherArm(method, 2, 60, joined)])[:, -1] for method in PAIR) for joined in LENGTHS
    }


def joined_sentence(last: Mapping[int, tuple[np.ndarray, np.ndarray]]) -> str:
    """The budget where beam search catches up, and the losses of both, by the number of joined sentences.

    ``last`` shares after the last pass, (RCMS 60, beam 60), a seed each.

    >>> print(joined_sentence({1: ([0.8], [0.8]), 4: ([0.7], [0.1])}).replace(". ", ".\\n"))
    After the last pass, with 4 in one RCMS 60 is ahead of beam 60 on every seed and with 1 in one it is not.
    From 1 to 4 in one, RCMS 60 loses .10 and beam 60 .70.
    """
    one, other = (MethodChoice(method, 60).title for method in PAIR)
    ahead = [joined for joined, (first, second) in last.items() if np.all(np.greater(first, second))]
    level = [joined for joined in last if joined not in ahead]
    parts = [f"with {conclusions.list_words(ahead)} in one {one} is ahead of {other} on every seed"] if ahead else []
    parts += [f"with {conclusions.list_words(level)} in one it is not"] if level else []
    few, many = (np.mean(last[end], axis=1) for end in (min(last), max(last)))
    lost = [tables.number_text(fall, 2) for fall in few - many]
    text = f"After the last pass, {' and '.join(parts)}."
    return f"{text} From {min(last)} to {max(last)} in one, {one} loses {lost[0]} and {other} {lost[1]}."


def _longer(found):
    names = {method: MethodChoice(method, 60).title for method in PAIR}
    heads = ("sentences in one", *(f"{name}, pass {look}" for name in names.values() for look in (5, 10, 20)))
    lines = []
    for joined in LENGTHS:
        cells = [curves(found[DecipherArm(method, 2, 60, joined)]) for method in names]
        lines.append([str(joined), *(tables.spread(one[:, look - 1], 2) for one in cells for look in (5, 10, 20))])
    return tables.markdown_table(heads, lines)


def _document(plan, found):
    rows = [{"name": arm.name, **asdict(arm), "seeds": answers} for arm, answers in found.items()]
    return {"figure": "figure5", "plan": asdict(plan), "rows": rows}


DASHES = {60: "solid", 30: "dash", 20: "dashdot", 10: "dot", 0: "solid"}


def _figure(plan, found):
    groups = {"n = 2": [arm for arm in found if arm.order == 2 and arm.joined == 1]}
    if any(arm.order == 1 for arm in found):
        groups["n = 1"] = [arm for arm in found if arm.order == 1]
    if any(arm.joined > 1 for arm in found):
        groups["n = 2, four sentences in one"] = [arm for arm in found if arm.joined == 4]
    titles = list(groups)
    figure = make_subplots(cols=len(groups), shared_yaxes=True, horizontal_spacing=0.03, subplot_titles=titles)
    named = set()
    for column, chosen in enumerate(groups.values(), start=1):
        for arm in chosen:
            figure.add_trace(_curve(arm, curves(found[arm]), named), row=1, col=column)
    what = "share of the symbols mapped to the right word, argmax p(x | y)"
    subtitle = f"{what}; {data_text(plan.data)}, mean of {plan.seeds} seeds"
    style.apply_style(figure, "Decipherment by EM", subtitle, height=520)
    figure.update_layout(
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": -0.16, "yanchor": "top"},
        margin={**style.MARGIN, "b": 110, "t": 96},
    )
    figure.update_xaxes(title_text="pass of EM")
    figure.update_yaxes(range=[0, 0.9], tickformat=".1f")
    return figure


def _curve(arm, accuracy, named):
    name = arm.name.split(",")[0]
    shown = name not in named
    named.add(name)
    passes = np.arange(1, accuracy.shape[1] + 1)
    width = 2.5 if arm.budget in (0, 60) else 1.8
    line = {"color": style.method_colour(arm.method), "dash": DASHES[arm.budget], "width": width}
    return go.Scatter(
        x=passes, y=accuracy.mean(axis=0), mode="lines", name=name, legendgroup=name, showlegend=shown, line=line
    )
