"""Figure 6: how many labels the contexts remember while RCMS learns handwriting.

The paper plots the mass-weighted mean length of the contexts as a cumulative average, every 50 words over about one
epoch, sees an overshoot at the beginning, and puts it down to stochastic gradients. Here the step size and the order of
the words are varied apart, so that one can see which of them it is.
"""

from dataclasses import asdict

import numpy as np
import plotly.graph_objects as go

from rcmviz.experiments import tables
from rcmviz.experiments.report import Plan, Report
from rcmviz.experiments.trainings import context_lengths as cell
from rcmviz.learn.settings import Training
from rcmviz.plot import style
from rcmviz.tasks import TEST_FOLD

__all__ = ["cell", "report", "specs"]

EVERY = 50
ETAS = (0.2, 1.0)  # the paper's, and a step that is clearly too large
ORDERS = {
    "shuffled": "shuffled",
    "file": "as in the file",
    "runs": "runs of one word",  # as in the file, where one word by many writers stands together, but in random order
}
HEADS = ("order of the words", "η", "first 50 words", "highest", "after … words", "whole epoch", "overshoot",
         "last 500 words")  # fmt: skip


def arms(plan: Plan) -> dict[tuple[str, float], list[int]]:
    """The seeds of every (order, η); in the order of the file there is nothing to draw, so one is enough."""
    return {(order, eta): list(range(1 if order == "file" else plan.seeds)) for order in ORDERS for eta in ETAS}


def specs(plan: Plan) -> list[dict]:
    """One spec per order, step size and seed: an epoch of RCMS 10."""
    return [
        {
            "data": plan.data, "test_fold": TEST_FOLD, "unseen": [], "every": EVERY, "order": order,
            "training": Training(epochs=1, eta=eta, seed=seed, shuffle=order == "shuffled").to_dict(),
        }
        for (order, eta), seeds in arms(plan).items()
        for seed in seeds
    ]  # fmt: skip


def report(plan: Plan, results: list[dict]) -> Report:
    """The table, what it says about the overshoot, and the figure."""
    steps, remaining = results[0]["steps"], iter(results)
    found = {arm: [next(remaining) for _ in seeds] for arm, seeds in arms(plan).items()}
    lengths = {arm: np.array([one["lengths"] for one in trainings]) for arm, trainings in found.items()}
    averages = {arm: cumulative(steps, values) for arm, values in lengths.items()}
    lines = [_line(*arm, steps, lengths[arm], averages[arm]) for arm in found]
    text = _text(plan, lines, _first_words(found, averages))
    return Report("figure6", text, _document(plan, steps, lengths), _figure(plan, steps, averages))


def cumulative(steps: list[int], lengths: np.ndarray) -> np.ndarray:
    """The average over all words so far, from averages (S, K) over the words between ``steps`` (K,).

    >>> cumulative([50, 100, 120], np.array([[1.0, 2.0, 4.5]])).tolist()
    [[1.0, 1.5, 2.0]]
    """
    return np.cumsum(lengths * np.diff(steps, prepend=0), axis=1) / np.array(steps)


def overshoot(averages: np.ndarray) -> np.ndarray:
    """By how much each cumulative average (S, K) falls from its highest point to its end, (S,)."""
    return averages.max(axis=1) - averages[:, -1]


def _line(order, eta, steps, lengths, averages):
    peak = np.array(steps)[averages.argmax(axis=1)]
    recent = lengths[:, -min(500 // EVERY, lengths.shape[1]) :].mean(axis=1)
    return [
        ORDERS[order], f"{eta:g}", tables.spread(averages[:, 0], 2), tables.spread(averages.max(axis=1), 2),
        f"{np.median(peak):,.0f}", tables.spread(averages[:, -1], 2), tables.spread(overshoot(averages), 2),
        tables.spread(recent, 2),
    ]  # fmt: skip


def _first_words(found, averages):
    """A table of the overshoot by the word that begins, where words stand in runs, for the paper's step."""
    arms = [(order, ETAS[0]) for order in ("file", "runs")]
    pairs = [
        (one["first"], fall) for arm in arms for one, fall in zip(found[arm], overshoot(averages[arm]), strict=True)
    ]
    pairs.sort(key=lambda pair: (-len(pair[0]), pair[0]))
    heads = ("first word", *(word for word, _ in pairs))
    return tables.markdown(heads, [["overshoot", *(tables.number(fall, 2) for _, fall in pairs)]])


def _text(plan, lines, first_words):
    return (
        "# Figure 6: length of the contexts in the first epoch\n\n"
        f"RCMS 10 on {plan.described}, fold 1 left out; mean ± standard deviation over {plan.seeds} seeds (the file "
        "has one order). The mass-weighted mean number of labels that a context remembers, as the cumulative average "
        "that the paper plots. *Overshoot*: how far it falls from its highest point to the end of the epoch.\n\n"
        f"{tables.markdown(HEADS, lines)}\n\nWhere words stand in runs, the overshoot by the word of the first run (η "
        f"= {ETAS[0]:g}, one seed each):\n\n{first_words}\n{FINDING if plan.data == 'kassel' else ''}"
    )


FINDING = """
## What reproduces

The trend does: contexts grow as the weights sharpen. The overshoot at the beginning appears with the words in the order
of the file, and not with shuffled words, whatever the step size. In the file one word by many writers stands together:
the first 120 words are all *ommanding*, so the model is soon sure of it, remembers nearly everything, and unlearns that
when the next word comes. Runs of one word in random order overshoot where the first runs are of long words, in which
there is much to remember, and hardly where they are of short ones. A larger step makes contexts longer from the first
word on, but makes no overshoot of its own. So the paper's explanation, that stochastic gradients overshoot, holds for
such an order only; the overshoot is the first word learnt by heart.
"""


def _document(plan, steps, found):
    lengths = [
        {"order": order, "eta": eta, "lengths": values.round(4).tolist()} for (order, eta), values in found.items()
    ]
    return {"figure": "figure6", "plan": asdict(plan), "origin": tables.origin(), "steps": steps, "arms": lengths}


def _figure(plan, steps, averages):
    figure = go.Figure()
    for (order, eta), rows in averages.items():
        look = {"color": style.METHOD_COLOURS[list(ORDERS).index(order)], "dash": "solid" if eta == ETAS[0] else "dot"}
        for row in rows if len(rows) > 1 else ():
            thin = look | {"width": 1}
            figure.add_scatter(
                x=steps, y=row, mode="lines", line=thin, opacity=0.25, hoverinfo="skip", showlegend=False
            )
        name = style.escaped(f"{ORDERS[order]}, η = {eta:g}")
        figure.add_scatter(x=steps, y=rows.mean(axis=0), mode="lines", name=name, line=look | {"width": 2.5})
    subtitle = f"RCMS 10 on {plan.described}; cumulative average, mean and each of {plan.seeds} seeds"
    style.styled(figure, "Labels that a context remembers, in the first epoch", subtitle, height=560)
    beside = {"orientation": "v", "x": 1.02, "xanchor": "left", "y": 1, "yanchor": "top"}
    figure.update_layout(legend=beside, margin={**style.MARGIN, "r": 200})
    figure.update_xaxes(title_text="words learnt from", tickformat=",d")
    figure.update_yaxes(title_text="mean context length, weighted by mass", rangemode="tozero")
    return figure
