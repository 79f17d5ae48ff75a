"""Figure 4 of Carter et al. (2012): tagging with models of order 3 to 9, accuracy, time and size.

Decoding is compared with Viterbi on the full automaton, in which each look-up is made once per history of its newer
tags, and with one that looks every arc up by itself, as one would write it down.
"""

from collections.abc import Mapping
from dataclasses import asdict

import numpy as np
from plotly.subplots import make_subplots

from rcmviz.experiments import conclusions, pos_runs, tables
from rcmviz.experiments.measures import as_text
from rcmviz.experiments.pos_runs import EMISSIONS, HIGHEST, cell, tagging_spec
from rcmviz.experiments.report import Plan, Report
from rcmviz.plot import style
from rcmviz.plot.style import percent

__all__ = ["cell", "report", "specs"]

ORDERS = list(range(3, HIGHEST + 1))
FULL = {True: (3, 4, 5, 6), False: (3, 4, 5)}  # with shared look-ups, and without; more take too long
TITLES = {
    "TnT": "TnT as published: a known word has the tags it was seen with, another one all",
    "ours": "Our endings for all words, unlikely tags left out",
}
HEADS = ("n", "accuracy", "unknown words", "iterations", "states", "trials", "states")
TIME_HEADS = (
    "n",
    "ARS, s",
    "ARS with plain bounds, s",
    "full, s",
    "times ARS",
    "every arc looked up, s",
    "times ARS",
    "arcs of the full automaton",
    "sampling, ms a sentence",
)
NAMES = {"TnT": "TnT", "ours": "our endings"}
PAPERS_BEST = 5  # the order at which the paper's accuracy is best
LEAST_FACTOR = 1.5  # per order, from which a growth counts as exponential
SAME = 1e-9  # two scores closer than this are one


def specs(plan: Plan) -> list[dict]:
    """All orders by ARS with the bound that looks ahead and the plain one; the full automaton for the lower ones."""
    found, every = [], 40 if plan.quick else 1
    for emissions in EMISSIONS[plan.data]:
        how = {"emissions": emissions, "every": every}
        for order in ORDERS:
            found += [tagging_spec("decode", plan.data, order, look_ahead=ahead, **how) for ahead in (True, False)]
            found.append(tagging_spec("sample", plan.data, order, **how | {"every": 20}))
        for shared, orders in FULL.items():
            for order in orders:
                how["repeats"] = 1 if order == max(FULL[True]) else 2
                found.append(tagging_spec("full", plan.data, order, shared=shared, **how))
    return found


def report(plan: Plan, results: list[dict]) -> Report:
    """Two tables per way of explaining words, the growth of time with order, and the paper's four panels."""
    drawn = runs_by_order(results, "sample")[ORDERS[0]]
    parts = [
        "# Figure 4 of the paper: part-of-speech tagging",
        f"On {pos_runs.DESCRIBED[plan.data]}: {results[0]['sentences']:,} sentences, {results[0]['words']:,} words. "
        f"*Trials* and the *states* after them: sampling until {percent(pos_runs.STOP)} of the last 100 are "
        f"accepted, {pos_runs.BATCH} between refinements, {drawn['sentences']} of the sentences; mean ± standard error "
        "(median) over sentences. Seconds are CPU time on one core for all sentences, the best of two (*full*, n = "
        f"{max(FULL[True])}: one). *Full*: Viterbi on the full automaton, in which histories with the same newer tags "
        "share their look-ups; with *every arc looked up* by itself it is as one writes it down. ~: from the number "
        "of arcs, at the pace of the highest order that was run.",
    ]
    claims: list[tuple] = []
    for emissions in EMISSIONS[plan.data]:
        runs = [one for one in results if one["spec"]["emissions"] == emissions]
        parts += [f"## {TITLES[emissions]}", *_tables(runs)]
        claims += claims_of(NAMES[emissions], runs)
    parts += ["## What reproduces", conclusions.claims_table(claims)]
    text = "\n\n".join(parts) + "\n"
    document = {"figure": "figure-pos", "plan": asdict(plan), "runs": results}
    return Report("figure-pos", text, document, _figure(results))


def runs_by_order(runs: list[dict], task: str, **wanted) -> dict[int, dict]:
    """The runs of one task by order, those whose spec has the values ``wanted``."""
    return {
        one["spec"]["order"]: one
        for one in runs
        if one["spec"]["task"] == task and all(one["spec"].get(name) == value for name, value in wanted.items())
    }


def full_seconds(runs: list[dict], shared: bool) -> dict[int, tuple[float, bool]]:
    """By order: seconds of full Viterbi, and whether they were measured or follow from the arcs."""
    measured = {order: one["seconds"] for order, one in runs_by_order(runs, "full", shared=shared).items()}
    arcs = {order: one["arcs"] for order, one in runs_by_order(runs, "decode", look_ahead=True).items()}
    pace = measured[max(measured)] / arcs[max(measured)]
    return {order: (measured.get(order, pace * count), order in measured) for order, count in arcs.items()}


def _tables(runs):
    ahead, plain = (runs_by_order(runs, "decode", look_ahead=value) for value in (True, False))
    drawn, shared, alone = runs_by_order(runs, "sample"), full_seconds(runs, True), full_seconds(runs, False)
    yield tables.markdown_table(HEADS, [_line(ahead[n], drawn[n]) for n in ahead])
    lines = [_time_line(ahead[n], plain[n], shared[n], alone[n], drawn[n]) for n in ahead]
    yield tables.markdown_table(TIME_HEADS, lines)
    yield _line_fits(ahead, plain, shared, alone)


def _line(ahead, drawn):
    return [
        str(ahead["spec"]["order"]),
        tables.number_text(ahead["accuracy"]),
        tables.number_text(ahead["unknown"]),
        as_text(ahead["iterations"]),
        as_text(ahead["states"]),
        as_text(drawn["trials"]),
        as_text(drawn["states"]),
    ]


def _time_line(ahead, plain, shared, alone, drawn):
    line = [str(ahead["spec"]["order"]), f"{ahead['seconds']:.2f}", f"{plain['seconds']:.2f}"]
    for seconds, measured in (shared, alone):
        shown = f"{seconds:.2f}" if seconds < 10 else f"{seconds:,.0f}"
        line += [shown if measured else f"~{shown}", f"{seconds / ahead['seconds']:,.1f}"]
    return [*line, f"{ahead['arcs']:.1e}", as_text(drawn["ms"], 1)]


def _line_fits(ahead, plain, shared, alone):
    """The growth of time with order."""
    fits = [conclusions.linear_fit(list(found), [one["seconds"] for one in found.values()]) for found in (ahead, plain)]
    (slope, fit), (_, plain_fit) = fits
    factors = []
    for found in (shared, alone):
        measured = {order: seconds for order, (seconds, known) in found.items() if known}
        factors.append(conclusions.growth(list(measured), list(measured.values())))
    arcs = conclusions.growth(list(ahead), [one["arcs"] for one in ahead.values()])
    return (
        f"ARS grows by {slope:.2f} s per order, a line with R² = {tables.number_text(fit)} (with plain bounds "
        f"{tables.number_text(plain_fit)}); the full automaton's arcs grow by a factor of {arcs:.1f} per order, its "
        f"measured time by {factors[0]:.1f}, by {factors[1]:.1f} where every arc is looked up."
    )


def claims_of(name: str, runs: list[dict]) -> list[tuple]:
    """The paper's claims on accuracy, time and size, compared with the runs of one kind of emissions."""
    ahead, drawn = runs_by_order(runs, "decode", look_ahead=True), runs_by_order(runs, "sample")
    seconds = {order: one["seconds"] for order, one in ahead.items()}
    measured = {
        shared: {order: time for order, (time, known) in full_seconds(runs, shared).items() if known}
        for shared in (True, False)
    }
    claims = [
        accuracy_claim({order: one["accuracy"] for order, one in ahead.items()}),
        *time_claims(seconds, measured[True]),
        *(sampling_claim(key, {n: one[key]["mean"] for n, one in drawn.items()}) for key in ("trials", "states")),
        equality_claim(max(one["furthest"] for one in runs_by_order(runs, "full").values())),
        speed_claim("shared look-ups", seconds, measured[True]),
        speed_claim("every arc looked up", seconds, measured[False]),
    ]
    return [(f"{name}: {text}", *rest) for text, *rest in claims]


def accuracy_claim(accuracy: Mapping[int, float]) -> tuple:
    """Whether accuracy is best at the paper's order.

    >>> accuracy_claim({3: 0.9243, 5: 0.918})
    ('accuracy is best at n = 5', 'best at n = 3, .924', False)
    """
    orders = conclusions.best_keys(accuracy)
    true = conclusions.TIED if PAPERS_BEST in orders and len(orders) > 1 else orders == [PAPERS_BEST]
    found = f"best at n = {conclusions.list_words(orders)}, {tables.number_text(accuracy[orders[0]])}"
    return f"accuracy is best at n = {PAPERS_BEST}", found, true


def time_claims(ars: Mapping[int, float], full: Mapping[int, float]) -> list[tuple]:
    """Whether seconds grow linearly with the order for ARS, and exponentially for the full automaton."""
    slope, fit = conclusions.linear_fit(list(ars), list(ars.values()))
    factor = conclusions.growth(list(full), list(full.values()))
    bend = conclusions.bends(list(full), np.log(list(full.values())))
    exponential = None if bend is None else bend in ("faster", "the same") and factor >= LEAST_FACTOR
    return [
        (
            "the seconds of ARS grow linearly with n",
            f"by {slope:.2f} s per order, R² = {tables.number_text(fit)}",
            conclusions.is_linear(list(ars), list(ars.values())),
        ),
        (
            "those of the full automaton grow exponentially",
            f"times {factor:.1f} per order up to n = {max(full)}",
            exponential,
        ),
    ]


def sampling_claim(what: str, counts: Mapping[int, float]) -> tuple:
    """Whether the trials, or the states, of sampling grow linearly with the order.

    >>> sampling_claim("trials", {3: 265, 4: 400, 5: 420, 6: 428})
    ('the trials of sampling grow about linearly', 'R² = .740, more and more slowly', False)
    """
    orders, values = list(counts), list(counts.values())
    bend = {"slower": ", more and more slowly", "faster": ", faster and faster", "falls": ", they fall"}
    text = f"R² = {tables.number_text(conclusions.linear_fit(orders, values)[1])}"
    true = conclusions.is_linear(orders, values)
    if not true:
        text += bend.get(conclusions.bends(orders, values) or "", "")
    return f"the {what} of sampling grow about linearly", text, true


def equality_claim(furthest: float) -> tuple:
    """Whether ARS and the full automaton give the same scores."""
    return "scores of ARS and the full automaton are equal", f"they differ by {furthest:.0e} at most", furthest < SAME


def speed_claim(kind: str, ars: Mapping[int, float], full: Mapping[int, float]) -> tuple:
    """Whether ARS is the faster one at every order at which the full automaton was run."""
    times = {order: seconds / ars[order] for order, seconds in full.items()}
    text = ", ".join(f"{ratio:.1f}" for ratio in times.values())
    behind = [order for order, ratio in times.items() if ratio < 1]
    found = f"{text} times at n = {conclusions.list_words(times)}"
    if behind:
        found += f"; the full automaton is faster at n = {conclusions.list_words(behind)}"
    return f"ARS is faster than the full automaton, {kind}", found, not behind


def _figure(results):
    titles = ("Accuracy", "Seconds for all sentences", "Sampling: trials", "Sampling: states")
    figure = make_subplots(2, 2, subplot_titles=titles, vertical_spacing=0.14)
    for number, emissions in enumerate(dict.fromkeys(one["spec"]["emissions"] for one in results)):
        runs = [one for one in results if one["spec"]["emissions"] == emissions]
        _add_emissions(figure, runs, {"line": {"color": style.SERIES_COLOURS[number]}, "legendgroup": emissions})
    subtitle = "solid: ARS; dashed: full automaton, dotted: its every arc looked up (from order 6 on by their number)"
    style.apply_style(figure, "Part-of-speech tagging by adaptive rejection", subtitle, height=820)
    figure.update_annotations(font_size=13)
    figure.update_layout(margin={**style.MARGIN, "t": 130}, legend={"y": 1.06})
    figure.update_xaxes(title_text="order of the tag model", row=2)
    figure.update_yaxes(type="log", row=1, col=2)
    figure.update_yaxes(rangemode="tozero", row=2)
    return figure


def _add_emissions(figure, runs, look):
    """The four panels for one way of explaining words."""
    ahead, drawn = runs_by_order(runs, "decode", look_ahead=True), runs_by_order(runs, "sample")
    marked, quiet = look | {"x": ORDERS, "mode": "lines+markers"}, {"showlegend": False}
    accuracy, seconds = ([one[name] for one in ahead.values()] for name in ("accuracy", "seconds"))
    figure.add_scatter(y=accuracy, name=look["legendgroup"], row=1, col=1, **marked)
    figure.add_scatter(y=seconds, row=1, col=2, **marked | quiet)
    for shared, dash in ((True, "dash"), (False, "dot")):
        counted_seconds = [seconds for seconds, _ in full_seconds(runs, shared).values()]
        figure.add_scatter(y=counted_seconds, row=1, col=2, **marked | quiet | {"line": look["line"] | {"dash": dash}})
    for column, name in enumerate(("trials", "states"), start=1):
        means, errors = ([one[name][measure] for one in drawn.values()] for measure in ("mean", "error"))
        spread = {"array": errors, "thickness": 1, "width": 0}
        figure.add_scatter(y=means, error_y=spread, row=2, col=column, **marked | quiet)
