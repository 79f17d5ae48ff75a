"""Figures 2 and 3 of Carter et al. (2012): SMS retrieval by order and length, decoding and sampling.

Decoding counts Viterbi paths until the best one is proved, sampling the trials until 20 of the last 100 are accepted.
Beyond the paper: the look-ahead bound, all n-grams kept, and keys with slips.
"""

from collections.abc import Mapping
from dataclasses import asdict
from math import log

import numpy as np
from plotly.subplots import make_subplots

from rcmviz.ars.decode import ars_sample
from rcmviz.experiments import conclusions, sms_runs, tables
from rcmviz.experiments.measures import as_text
from rcmviz.experiments.report import Plan, Report
from rcmviz.experiments.sms_runs import FULL, ORDERS, decoding_spec, sampling_spec
from rcmviz.plot import style
from rcmviz.plot.style import percent

__all__ = ["cell", "report", "specs"]

LENGTHS = list(range(1, 11))
LONGEST = LENGTHS[-1]
TRIALS, LAST, EVERY = 2_000, 10, 10  # of one sampling run: all, in a running mean, and between two points drawn

PLAIN = "plain"
KNOWN = {  # of the paper, read off figure 2: iterations, states; the middle of a range, None for an upper bound only
    3: ("< 90", "< 500", None),
    5: ("90", "450–500", (90, 475)),
}
KNOWN_SAMPLING = {  # trials, states, ms; the paper's in its text
    3: ("658", "1,140", ""),
    4: ("683", "1,494", ""),
    5: ("701", "1,718", "11,400"),
}
HEADS = ("n", "run", "iterations", "states", "ms")
SAMPLING_HEADS = ("n", "run", "trials", "states", "ms")


def specs(plan: Plan) -> list[dict]:
    """All lengths the paper's way and with look-ahead; the longest messages for whatever else differs."""
    size = 4 if plan.quick else 100
    lengths = LENGTHS[1::4] if plan.quick else LENGTHS
    found = []
    for order in ORDERS[plan.data]:
        for ahead in (False, True):
            how = {"sentences": size, "look_ahead": ahead}
            for one in (decoding_spec, sampling_spec):
                found += [one(plan.data, order, lengths=lengths, **how), one(plan.data, order, slips=True, **how)]
        for slips in (False, True):
            how = {"sentences": size, "temperature": log(10), "slips": slips}
            found += [decoding_spec(plan.data, order, **how), sampling_spec(plan.data, order, **how)]
        if plan.data != "shipped":
            found.append(decoding_spec(plan.data, order, sentences=size, cut=True))
    found.append(sampling_spec(plan.data, order, sentences=1) | {"task": "trace"})
    if plan.data != "shipped":
        found += [
            decoding_spec(plan.data, order, cutoffs=FULL, sentences=size, look_ahead=ahead) for ahead in (False, True)
        ]
    return found


def cell(spec: dict) -> dict:
    """Measured by ``sms_runs``; one run of sampling is shown trial by trial."""
    return trace(spec) if spec["task"] == "trace" else sms_runs.cell(spec)


def trace(spec: dict) -> dict:
    """One sentence's trials: the running mean of p / q, the shares accepted so far and of the last 100."""
    lm = sms_runs.language_model(spec["data"], spec["order"])
    (message,) = sms_runs.messages(spec, LONGEST)
    how = {"batch": spec["batch"], "look_ahead": spec["look_ahead"], "max_trials": TRIALS}
    _, run = ars_sample(message.hmm(lm), 1_000_000, **how)
    ratios = np.convolve(np.exp(run.log_p - run.log_q), np.full(LAST, 1 / LAST), "valid")
    shown = np.arange(LAST - 1, len(run), EVERY)
    return {
        "spec": spec,
        "trials": (shown + 1).tolist(),
        "log10_ratio": np.log10(ratios[shown - LAST + 1]).round(3).tolist(),
        "acceptance": run.acceptance_running(len(run))[shown].round(4).tolist(),
        "acceptance_100": run.acceptance_running()[shown].round(4).tolist(),
    }


def report(plan: Plan, results: list[dict]) -> Report:
    """Tables for the longest messages, iterations and trials by length, and the six panels."""
    runs = {task: [one for one in results if one["spec"]["task"] == task] for task in ("decode", "sample")}
    (example,) = [one for one in results if one["spec"]["task"] == "trace"]
    document = {"figure": "figure-sms", "plan": asdict(plan), "runs": results}
    return Report("figure-sms", _text(plan, runs, example), document, _figure(plan, runs, example))


def _text(plan, runs, example):
    by_length = [one for one in runs["decode"] + runs["sample"] if len(one["rows"]) > 1]
    parts = [
        "# Figures 2 and 3 of the paper: SMS retrieval",
        _introduction(plan, runs["decode"][0]["spec"]["sentences"]),
        "## Decoding",
        tables.markdown_table(HEADS, _lines(plan, KNOWN, runs["decode"])),
        f"## Sampling, {sms_runs.MOST} candidates per word, {sms_runs.BATCH} trials between refinements",
        tables.markdown_table(SAMPLING_HEADS, _lines(plan, KNOWN_SAMPLING, runs["sample"])),
        _example_text(example),
        "## Messages of 1 to 10 words",
        "Mean ± standard error; there are not always a hundred such lines.",
        tables.markdown_table(
            ("words", *(str(row["length"]) for row in by_length[0]["rows"])),
            [_count_line(by_length[0]), *(_length_line(one) for one in by_length)],
        ),
    ]
    parts += ["## What reproduces", conclusions.claims_table(claims_of(plan, runs))]
    return "\n\n".join(parts) + "\n"


def _introduction(plan, most):
    return (
        f"On {sms_runs.DESCRIBED[plan.data]}. At most {most} messages per length, drawn without repetition from "
        "held-out lines of just that length without digits and with known words only; candidates of a word are all "
        f"words that take as many keys. Messages of {LONGEST} words: mean ± standard error (median) over messages; ms "
        "are CPU time on one core. *Plain*: keys as meant, bounds over all words, n-grams of three words and more "
        "that occur once left out. The other lines say what sets them apart: the bound *looks ahead*, over the "
        "candidates of the word before; keys *slip*, drawn from the noise, k = 64; *log10* scores of the language "
        "model are read as natural logs; *all n-grams* are kept; messages are the *first words* of longer lines, "
        "`</s>` not scored."
    )


def _example_text(example):
    share, recent = (percent(example[name][-1]) for name in ("acceptance", "acceptance_100"))
    return (
        f"One run, n = {example['spec']['order']}: of {TRIALS:,} trials {share} were accepted, of the last 100 "
        f"{recent} (the paper's example: 17.7 % and 60 %); the mean of the first {LAST} ratios p / q is "
        f"1e{example['log10_ratio'][0]:.0f} (the paper's: 1e-20)."
    )


def differences(spec: dict) -> str:
    """The distinction of a run, in words.

    >>> differences(decoding_spec("europarl", 5, look_ahead=True, slips=True))
    'look-ahead, slips'
    >>> differences(sampling_spec("europarl", 5))
    'plain'
    """
    apart = {
        "all n-grams": tuple(spec["cutoffs"]) == FULL,
        "log10 as natural": spec["temperature"] != 1.0,
        "first words of lines": spec["cut"],
        "look-ahead": spec["look_ahead"],
        "slips": spec["slips"],
    }
    return ", ".join(name for name, differs in apart.items() if differs) or PLAIN


def _lines(plan, known, runs):
    """Order by order what the paper has and what we have, of the longest messages."""
    for order in ORDERS[plan.data]:
        if plan.data != "shipped" and order in known:
            yield [str(order), "*the paper*", *(known[order] if known is KNOWN_SAMPLING else (*known[order][:2], ""))]
        for one in runs:
            if one["spec"]["order"] == order:
                found = one["rows"][-1]
                numbers = as_text(found[_count_name(one)]), as_text(found["states"]), as_text(found["ms"], 1)
                yield [str(order), differences(one["spec"]), *numbers]


def _count_line(one):
    return ["messages", *(str(row["states"]["count"]) for row in one["rows"])]


def _length_line(one):
    spec, name = one["spec"], _count_name(one)
    found = (f"{row[name]['mean']:,.0f} ± {row[name]['error']:,.0f}" for row in one["rows"])
    return [f"{name}, n = {spec['order']}, {differences(spec)}", *found]


def _count_name(one):
    return "iterations" if one["spec"]["task"] == "decode" else "trials"


def claims_of(plan: Plan, runs: Mapping[str, list[dict]]) -> list[tuple]:
    """The paper's claims on growth and size, compared with the runs; its numbers on its own kind of data only."""
    claims = []
    for task, what in (("decode", "iterations"), ("sample", "trials")):
        plain = [one for one in runs[task] if differences(one["spec"]) == PLAIN]
        by_order = {one["spec"]["order"]: one["rows"][-1][what]["mean"] for one in plain}
        by_length = {row["length"]: row[what]["mean"] for row in plain[-1]["rows"]}
        claims.append(growth_claim(f"the {what} grow more slowly than linearly with n", by_order))
        claims.append(growth_claim(f"their growth with the length flattens (n = {max(by_order)})", by_length))
    claims.append(look_ahead_claim(_last(runs["decode"], "iterations")))
    if plan.data != "shipped":
        claims.append(nearest_claim(KNOWN[5][2], _last(runs["decode"], "iterations"), _last(runs["decode"], "states")))
        claims += [
            between_claim(order, int(KNOWN_SAMPLING[order][0]), _last(runs["sample"], "trials", order))
            for order in KNOWN_SAMPLING
        ]
    return claims


def _last(runs, name, order=None):
    """By what sets a run apart: its mean for the longest messages, of one order, else of the highest."""
    order = order or max(one["spec"]["order"] for one in runs)
    return {differences(one["spec"]): one["rows"][-1][name]["mean"] for one in runs if one["spec"]["order"] == order}


def growth_claim(text: str, values: Mapping[int, float]) -> tuple:
    """Whether values grow, and more slowly the further they are.

    >>> growth_claim("they flatten", {3: 209, 4: 318, 5: 359})
    ('they flatten', '209, 318, 359: slower', True)
    """
    bend = conclusions.bends(list(values), list(values.values()))
    found = ", ".join(f"{value:,.0f}" for value in values.values()) + (f": {bend}" if bend else "")
    return text, found, None if bend is None else bend == "slower"


def look_ahead_claim(iterations: Mapping[str, float]) -> tuple:
    """Whether the bound that looks ahead saves iterations; which share of them.

    >>> look_ahead_claim({"plain": 300, "look-ahead": 90})
    ('the bound that looks ahead saves iterations (not in the paper)', '70 % of them', True)
    """
    saved = 1 - iterations["look-ahead"] / iterations[PLAIN]
    return "the bound that looks ahead saves iterations (not in the paper)", f"{percent(saved)} of them", saved > 0


def nearest_claim(published: tuple, iterations: Mapping[str, float], states: Mapping[str, float]) -> tuple:
    """Whether the paper's iterations and states are nearest, as ratios, to the run that it describes: with slips."""
    off = {name: abs(log(iterations[name] / published[0])) + abs(log(states[name] / published[1])) for name in states}
    nearest = conclusions.best_keys({name: -value for name, value in off.items()})
    numbers = "; ".join(f"{iterations[name]:,.0f} and {states[name]:,.0f}" for name in nearest)
    return (
        f"the paper's {published[0]} iterations and about {published[1]} states, n = 5, are nearest to *slips*",
        f"nearest: *{conclusions.list_words(nearest)}*, {numbers}",
        nearest == ["slips"],
    )


def between_claim(order: int, published: int, trials: Mapping[str, float]) -> tuple:
    """Whether the paper's trials lie between those without and with slips, log10 scores read as natural logs."""
    least, most = sorted((trials["log10 as natural"], trials["log10 as natural, slips"]))
    return (
        f"the paper's {published} trials, n = {order}, lie between *log10 as natural* without and with *slips*",
        f"{least:,.0f} and {most:,.0f}",
        least <= published <= most,
    )


def _figure(plan, runs, example):
    titles = (
        "Decoding: iterations",
        "Decoding: states",
        f"One run: p / q, mean of {LAST}",
        "One run: accepted",
        "Sampling: trials",
        "Sampling: states",
    )
    figure = make_subplots(3, 2, subplot_titles=titles, vertical_spacing=0.1)
    for row, task in ((1, "decode"), (3, "sample")):
        for one in runs[task]:
            if len(one["rows"]) > 1:
                _add_order(figure, one, _count_name(one), row, 1)
                _add_order(figure, one, "states", row, 2)
    _add_example(figure, example)
    spread = "mean and standard error over messages; dashed: look-ahead bound"
    style.apply_style(figure, "SMS retrieval by adaptive rejection", spread, height=1000)
    figure.update_annotations(font_size=13)
    figure.update_layout(margin={**style.MARGIN, "t": 130}, legend={"y": 1.05})
    for row, title in ((1, "words in the message"), (2, "trials"), (3, "words in the message")):
        figure.update_xaxes(title_text=title, row=row)
    figure.update_yaxes(title_text="log10 of p / q", row=2, col=1)
    figure.update_yaxes(tickformat=".0%", row=2, col=2)
    return figure


def _add_order(figure, one, name, row, column):
    spec, rows = one["spec"], one["rows"]
    figure.add_scatter(
        x=[found["length"] for found in rows],
        y=[found[name]["mean"] for found in rows],
        error_y={"array": [found[name]["error"] for found in rows], "thickness": 1, "width": 0},
        name=f"{spec['order']}-grams",
        legendgroup=spec["order"],
        mode="lines+markers",
        showlegend=(row, column) == (1, 1) and not spec["look_ahead"],
        line={"color": style.SERIES_COLOURS[spec["order"] % 4], "dash": "dash" if spec["look_ahead"] else "solid"},
        row=row,
        col=column,
    )


def _add_example(figure, example):
    for name, title, column, colour in (
        ("log10_ratio", "p / q", 1, style.INK),
        ("acceptance_100", "of the last 100 trials", 2, style.INK),
        ("acceptance", "of all trials", 2, style.LINE),
    ):
        look = {"mode": "lines", "line": {"color": colour, "width": 1.5}, "name": title, "showlegend": column == 2}
        figure.add_scatter(x=example["trials"], y=example[name], row=2, col=column, **look)
