"""Figure 6, the panel of decipherment: how many words the contexts remember, pass after pass of EM."""

from collections.abc import Mapping
from dataclasses import asdict

import numpy as np
import plotly.graph_objects as go

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
ARMS = (*(DecipherArm("rcms", 2, budget) for budget in (60, 30, 20, 10)), DecipherArm("rcms", 1, 60))
STAYS, LEAST = 0.9, 0.05  # share of the growth after which lengths stay; words from which an overshoot counts
LOOKS = (1, 3, 5, 7, 10, 20)


def arms(plan: Plan) -> tuple[DecipherArm, ...]:
    """RCMS with every budget of figure 5; a quick run has the largest and the smallest."""
    return (ARMS[0], ARMS[3]) if plan.quick else ARMS


def specs(plan: Plan) -> list[dict]:
    """One spec per arm and seed."""
    passes = PASSES // 2 if plan.quick else PASSES
    return [spec_of(arm, plan.data, seed, passes) for arm in arms(plan) for seed in range(plan.seeds)]


def report(plan: Plan, results: list[dict]) -> Report:
    """The table and the figure."""
    remaining = iter(results)
    lengths = {arm: curves([next(remaining) for _ in range(plan.seeds)], "mean_length") for arm in arms(plan)}
    text = _text(plan, lengths)
    return Report("figure6-decipher", text, _document(plan, lengths), _figure(plan, lengths))


def _text(plan, lengths):
    looks = [look for look in LOOKS if look <= next(iter(lengths.values())).shape[1]]
    lines = [[arm.name, *(tables.spread(rows[:, k - 1], 2) for k in looks)] for arm, rows in lengths.items()]
    return (
        "# Figure 6, decipherment: length of the contexts\n\n"
        f"RCMS on {data_text(plan.data)}, as in figure 5; mean ± standard deviation over {plan.seeds} seeds. How many "
        "words a context remembers, weighted by its mass, a mean over the positions of a line and over the lines.\n\n"
        f"{tables.markdown_table(('contexts', *(f'pass {look}' for look in looks)), lines)}\n\n"
        f"## What reproduces\n\n{conclusions.claims_table(claims_of(lengths))}\n"
    )


def claims_of(lengths: Mapping[DecipherArm, np.ndarray]) -> list[tuple]:
    """Whether the contexts of every budget are short at first, then grow, and then stay; (S, passes) by arm."""
    return [claim for arm, rows in lengths.items() for claim in course_claims(arm.name, rows.mean(axis=0))]


def course_claims(name: str, mean: np.ndarray) -> list[tuple]:
    """The paper's course of one arm, by the mean length after every pass.

    >>> course_claims("RCMS", np.array([0.5, 1.5, 3.0, 3.1]))[0]
    ('RCMS: contexts grow', '.5 to 3.1', True)
    """
    first, last, highest = float(mean[0]), float(mean[-1]), float(mean.max())
    reached = int(np.argmax(mean >= first + STAYS * (highest - first))) + 1
    return [
        (f"{name}: contexts grow", f"{tables.number_text(first, 1)} to {tables.number_text(last, 1)}", first < last),
        (
            f"{name}: and then stay, without an overshoot",
            f"{STAYS:.0%} of the growth by pass {reached}, highest {tables.number_text(highest, 2)}, last "
            f"{tables.number_text(last, 2)}",
            bool(reached < len(mean) and highest - last < LEAST),
        ),
    ]


def _document(plan, lengths):
    rows = [{"name": arm.name, **asdict(arm), "mean_length": rows.tolist()} for arm, rows in lengths.items()]
    return {"figure": "figure6-decipher", "plan": asdict(plan), "rows": rows}


def _figure(plan, lengths):
    figure, dashes = go.Figure(), ("solid", "dash", "dashdot", "dot")
    for arm, rows in lengths.items():
        colour = style.SERIES_COLOURS[0 if arm.order == 2 else 1]
        line = {"color": colour, "width": 2.5, "dash": dashes[(60, 30, 20, 10).index(arm.budget)]}
        passes = np.arange(1, rows.shape[1] + 1)
        figure.add_scatter(x=passes, y=rows.mean(axis=0), mode="lines", name=arm.name, line=line)
    subtitle = f"RCMS on {data_text(plan.data)}; mean of {plan.seeds} seeds"
    style.apply_style(figure, "Words that a context remembers while a cipher is read", subtitle, height=520)
    right_of_plot = {"orientation": "v", "x": 1.02, "xanchor": "left", "y": 1, "yanchor": "top"}
    figure.update_layout(legend=right_of_plot, margin={**style.MARGIN, "r": 160})
    figure.update_xaxes(title_text="pass of EM")
    figure.update_yaxes(title_text="mean context length, weighted by mass", rangemode="tozero")
    return figure
