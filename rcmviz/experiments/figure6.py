"""Figure 6: how many labels the contexts remember while RCMS learns handwriting.

The paper plots the mass-weighted mean length of the contexts as a cumulative average, every 50 words over about one
epoch, sees an overshoot at the beginning, and puts it down to stochastic gradients. Here the step size and the order of
the words are varied apart, so that one can see which of them it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np
import plotly.graph_objects as go
from scipy.stats import spearmanr

from rcmviz.experiments import conclusions, tables
from rcmviz.experiments.report import Plan, Report
from rcmviz.experiments.trainings import context_lengths as cell
from rcmviz.learn.settings import Training
from rcmviz.plot import style
from rcmviz.tasks import TEST_FOLD

__all__ = ["cell", "report", "specs"]

EVERY = 50
RECENT = 500 // EVERY  # points of the last 500 words
LEAST, RELATED = 0.05, 0.5  # labels from which an overshoot counts; a rank correlation that does
ETAS = (0.2, 1.0)  # the paper's, and a step that is clearly too large
ORDERS = {
    "shuffled": "shuffled",
    "file": "as in the file",
    "runs": "runs of one word",  # as in the file, where one word by many writers stands together, but in random order
}
HEADS = (
    "order of the words",
    "η",
    "first 50 words",
    "highest",
    "after … words",
    "whole epoch",
    "overshoot",
    "last 500 words",
)


def arms(plan: Plan) -> dict[tuple[str, float], list[int]]:
    """The seeds of every (order, η); in the order of the file there is nothing to draw, so one is enough."""
    return {(order, eta): list(range(1 if order == "file" else plan.seeds)) for order in ORDERS for eta in ETAS}


def specs(plan: Plan) -> list[dict]:
    """One spec per order, step size and seed: an epoch of RCMS 10."""
    return [
        {
            "data": plan.data,
            "test_fold": TEST_FOLD,
            "unseen": [],
            "every": EVERY,
            "order": order,
            "training": Training(epochs=1, eta=eta, seed=seed, shuffle=order == "shuffled").to_dict(),
        }
        for (order, eta), seeds in arms(plan).items()
        for seed in seeds
    ]


def report(plan: Plan, results: list[dict]) -> Report:
    """The table, what it says about the overshoot, and the figure."""
    steps, remaining = results[0]["steps"], iter(results)
    found = {arm: [next(remaining) for _ in seeds] for arm, seeds in arms(plan).items()}
    lengths = {arm: np.array([one["lengths"] for one in trainings]) for arm, trainings in found.items()}
    averages = {arm: cumulative(steps, values) for arm, values in lengths.items()}
    lines = [_line(*arm, steps, lengths[arm], averages[arm]) for arm in found]
    pairs = _first_words(found, averages)
    text = _text(plan, lines, pairs, claims_of(averages, lengths, pairs))
    first = {order: [one["first"] for one in found[order, ETAS[0]]] for order in ORDERS}
    document = _document(plan, steps, lengths, first)
    return Report("figure6", text, document, _figure(plan, steps, averages))


def cumulative(steps: list[int], lengths: np.ndarray) -> np.ndarray:
    """The average over all words so far, from averages (S, K) over the words between ``steps`` (K,).

    >>> cumulative([50, 100, 120], np.array([[1.0, 2.0, 4.5]])).tolist()
    [[1.0, 1.5, 2.0]]
    """
    return np.cumsum(lengths * np.diff(steps, prepend=0), axis=1) / np.array(steps)


def overshoot(averages: np.ndarray) -> np.ndarray:
    """By how much each cumulative average (S, K) falls from its highest point to its end, (S,)."""
    return averages.max(axis=1) - averages[:, -1]


def _recent(lengths):
    """The mean length in the last words."""
    return float(lengths[:, -RECENT:].mean())


def _line(order, eta, steps, lengths, averages):
    peak = np.array(steps)[averages.argmax(axis=1)]
    recent = lengths[:, -RECENT:].mean(axis=1)
    return [
        ORDERS[order],
        f"{eta:g}",
        tables.spread(averages[:, 0], 2),
        tables.spread(averages.max(axis=1), 2),
        f"{np.median(peak):,.0f}",
        tables.spread(averages[:, -1], 2),
        tables.spread(overshoot(averages), 2),
        tables.spread(recent, 2),
    ]


def _first_words(found, averages):
    """(the word that begins, the overshoot) where words stand in runs, for the paper's step; long words first."""
    arms = [(order, ETAS[0]) for order in ("file", "runs")]
    pairs = [
        (one["first"], float(fall))
        for arm in arms
        for one, fall in zip(found[arm], overshoot(averages[arm]), strict=True)
    ]
    return sorted(pairs, key=lambda pair: (-len(pair[0]), pair[0]))


def _text(plan, lines, pairs, claims):
    first_words = tables.markdown_table(
        ("first word", *(word for word, _ in pairs)),
        [["overshoot", *(tables.number_text(fall, 2) for _, fall in pairs)]],
    )
    parts = [
        "# Figure 6: length of the contexts in the first epoch",
        f"RCMS 10 on {plan.described}, fold 1 left out; mean ± standard deviation over {plan.seeds} seeds (the file "
        "has one order). The mass-weighted mean number of labels that a context remembers, as the cumulative average "
        "that the paper plots. *Overshoot*: how far it falls from its highest point to the end of the epoch; it "
        f"counts from {LEAST:g} on.",
        tables.markdown_table(HEADS, lines),
        "Where words stand in runs, as in the file, one word by many writers follows itself. The overshoot by the word "
        f"of the first run (η = {ETAS[0]:g}, one seed each):",
        first_words,
        "## What reproduces",
        conclusions.claims_table(claims),
    ]
    return "\n\n".join(parts) + "\n"


def claims_of(averages: Mapping, lengths: Mapping, pairs: Sequence[tuple[str, float]]) -> list[tuple]:
    """The paper's claims on growth and overshoot, and possible reasons for the overshoot.

    ``averages`` and ``lengths`` (S, K) by (order, η) · ``pairs`` (first word, overshoot) where words stand in runs.
    """
    falls = {arm: float(overshoot(values).mean()) for arm, values in averages.items()}
    small, large = ETAS
    return [
        growth_claim({arm: (float(rows[:, 0].mean()), _recent(rows)) for arm, rows in lengths.items()}),
        overshoot_claim("contexts overshoot with shuffled words (the paper)", falls["shuffled", small]),
        overshoot_claim(f"… and with a large step, η = {large:g}", falls["shuffled", large]),
        overshoot_claim("contexts overshoot in the order of the file", falls["file", small]),
        length_claim(pairs),
        step_claim({eta: float(lengths["shuffled", eta][:, 0].mean()) for eta in ETAS}),
    ]


def growth_claim(ends: Mapping[tuple, tuple[float, float]]) -> tuple:
    """Whether the contexts of every arm, (first, last) length, grow over the epoch."""
    shorter = [f"{ORDERS[order]}, η = {eta:g}" for (order, eta), (first, last) in ends.items() if first >= last]
    found = f"not: {conclusions.list_words(shorter)}" if shorter else f"in all {len(ends)} settings"
    return "contexts are longer at the end of the epoch than at its beginning", found, not shorter


def overshoot_claim(text: str, fall: float) -> tuple:
    """Whether a mean overshoot is more than nothing.

    >>> overshoot_claim("it overshoots", 1.02), overshoot_claim("it overshoots", 0.01)
    (('it overshoots', '1.02', True), ('it overshoots', '.01', False))
    """
    return text, tables.number_text(fall, 2), fall >= LEAST


def length_claim(pairs: Sequence[tuple[str, float]]) -> tuple:
    """Whether the overshoot is larger the longer the first word is, by Spearman's rank correlation."""
    text = (
        f"the longer the first word, the larger the overshoot (rank correlation above {tables.number_text(RELATED, 1)})"
    )
    sizes = [len(word) for word, _ in pairs]
    if len(set(sizes)) < 3 or len({fall for _, fall in pairs}) < 2:
        return text, "too few different first words", None
    related = float(spearmanr(sizes, [fall for _, fall in pairs]).statistic)
    return text, tables.number_text(related, 2), related > RELATED


def step_claim(first: Mapping[float, float]) -> tuple:
    """Whether a larger step makes contexts longer from the beginning on: mean length at first by η."""
    small, large = (first[eta] for eta in ETAS)
    text = f"with η = {ETAS[1]:g} contexts are longer from the first words on than with {ETAS[0]:g}"
    return text, f"{large:.2f} and {small:.2f}", conclusions.above(large, small, 2)


def _document(plan, steps, found, first):
    lengths = [
        {"order": order, "eta": eta, "first": first[order], "lengths": values.round(4).tolist()}
        for (order, eta), values in found.items()
    ]
    return {"figure": "figure6", "plan": asdict(plan), "steps": steps, "arms": lengths}


def _figure(plan, steps, averages):
    figure = go.Figure()
    for (order, eta), rows in averages.items():
        look = {"color": style.SERIES_COLOURS[list(ORDERS).index(order)], "dash": "solid" if eta == ETAS[0] else "dot"}
        for row in rows if len(rows) > 1 else ():
            thin = look | {"width": 1}
            figure.add_scatter(
                x=steps, y=row, mode="lines", line=thin, opacity=0.25, hoverinfo="skip", showlegend=False
            )
        name = style.escape_label(f"{ORDERS[order]}, η = {eta:g}")
        figure.add_scatter(x=steps, y=rows.mean(axis=0), mode="lines", name=name, line=look | {"width": 2.5})
    subtitle = f"RCMS 10 on {plan.described}; cumulative average, mean and each of {plan.seeds} seeds"
    style.apply_style(figure, "Labels that a context remembers, in the first epoch", subtitle, height=560)
    right_of_plot = {"orientation": "v", "x": 1.02, "xanchor": "left", "y": 1, "yanchor": "top"}
    figure.update_layout(legend=right_of_plot, margin={**style.MARGIN, "r": 200})
    figure.update_xaxes(title_text="words learnt from", tickformat=",d")
    figure.update_yaxes(title_text="mean context length, weighted by mass", rangemode="tozero")
    return figure
