"""Figures 2 and 3 of Carter et al. (2012): SMS retrieval by order and length, decoding and sampling.

Decoding counts Viterbi paths until the best one is proved, sampling the trials until 20 of the last 100 are accepted.
Beyond the paper: the look-ahead bound, all n-grams kept, and keys with slips.
"""

from dataclasses import asdict
from math import log

import numpy as np
from plotly.subplots import make_subplots

from rcmviz.ars import ars_sample
from rcmviz.plot import style
from rcmviz.plot.style import percent
from rcmviz.reproduce import sms_runs, tables
from rcmviz.reproduce.measures import origin, told
from rcmviz.reproduce.report import Plan, Report
from rcmviz.reproduce.sms_runs import FULL, ORDERS, decoding, sampling

__all__ = ["cell", "report", "specs"]

LENGTHS = list(range(1, 11))
LONGEST = LENGTHS[-1]
TRIALS, LAST, EVERY = 2_000, 10, 10  # of one sampling run: all, in a running mean, and between two points drawn

PAPERS_WAY = "the paper's way"
PAPER = {3: ("< 90", "< 500"), 4: ("", ""), 5: ("90", "450–500")}  # read off figure 2: iterations, states
PAPER_SAMPLING = {3: ("658", "1,140"), 4: ("683", "1,494"), 5: ("701", "1,718")}  # its text: trials, states
PROTOTYPE = {  # the founders' notes: iterations, states, ms
    (3, PAPERS_WAY): ("149 (102)", "441", "16"),
    (4, PAPERS_WAY): ("226 (160)", "889", "47"),
    (5, PAPERS_WAY): ("251 (182)", "1,197", "45"),
    (5, "all n-grams"): ("459 (320)", "2,125", "200"),
    (5, "look-ahead"): ("80 (58)", "394", ""),
}
PROTOTYPE_SAMPLING = {
    (3, PAPERS_WAY): ("542", "911"),
    (4, PAPERS_WAY): ("623", "1,708"),
    (5, PAPERS_WAY): ("635", "2,326"),
}
HEADS = ("n", "run", "iterations", "paper", "prototype", "states", "paper", "prototype", "ms", "prototype")
SAMPLING_HEADS = ("n", "run", "trials", "paper", "prototype", "states", "paper", "prototype", "ms")


def specs(plan: Plan) -> list[dict]:
    """All lengths the paper's way and with look-ahead; the longest messages for whatever else differs."""
    size = 4 if plan.quick else 100
    lengths = LENGTHS[1::4] if plan.quick else LENGTHS
    found = []
    for order in ORDERS[plan.data]:
        for ahead in (False, True):
            how = {"sentences": size, "look_ahead": ahead}
            for one in (decoding, sampling):
                found += [one(plan.data, order, lengths=lengths, **how), one(plan.data, order, slips=True, **how)]
        others = [{"temperature": log(10)}, {"temperature": log(10), "slips": True}]
        others += [{"cut": True}] if plan.data != "shipped" else []
        found += [decoding(plan.data, order, sentences=size, **other) for other in others]
    found.append(sampling(plan.data, order, sentences=1) | {"task": "trace"})
    if plan.data != "shipped":
        found += [decoding(plan.data, order, cutoffs=FULL, sentences=size, look_ahead=ahead) for ahead in (False, True)]
    return found


def cell(spec: dict) -> dict:
    """Measured by ``sms_runs``; one run of sampling is told trial by trial."""
    return trace(spec) if spec["task"] == "trace" else sms_runs.cell(spec)


def trace(spec: dict) -> dict:
    """One sentence's trials: the running mean of p / q, the shares accepted so far and of the last 100."""
    lm = sms_runs.language_model(spec["data"], spec["order"])
    (message,) = sms_runs.messages(spec, LONGEST)
    problem = lm, message.candidates, message.log_obs
    _, run = ars_sample(*problem, 1_000_000, batch=spec["batch"], look_ahead=spec["look_ahead"], max_trials=TRIALS)
    ratios = np.convolve(np.exp(run.log_p - run.log_q), np.full(LAST, 1 / LAST), "valid")
    shown = np.arange(LAST - 1, len(run), EVERY)
    return {
        "spec": spec, "trials": (shown + 1).tolist(),
        "log10_ratio": np.log10(ratios[shown - LAST + 1]).round(3).tolist(),
        "acceptance": run.acceptance_running(len(run))[shown].round(4).tolist(),
        "acceptance_100": run.acceptance_running()[shown].round(4).tolist(),
    }  # fmt: skip


def report(plan: Plan, results: list[dict]) -> Report:
    """Tables for the longest messages, iterations and trials by length, and the six panels."""
    runs = {task: [one for one in results if one["spec"]["task"] == task] for task in ("decode", "sample")}
    (example,) = [one for one in results if one["spec"]["task"] == "trace"]
    document = {"figure": "figure-sms", "plan": asdict(plan), "origin": origin(), "runs": results}
    return Report("figure-sms", _text(plan, runs, example), document, _figure(plan, runs, example))


def _text(plan, runs, example):
    by_length = [one for one in runs["decode"] + runs["sample"] if len(one["rows"]) > 1]
    parts = [
        "# Figures 2 and 3 of the paper: SMS retrieval",
        _introduction(plan, runs["decode"][0]["spec"]["sentences"]),
        "## Decoding",
        tables.markdown(HEADS, [_decoding_line(one) for one in runs["decode"]]),
        f"## Sampling, {sms_runs.MOST} candidates per word, {sms_runs.BATCH} trials between refinements",
        tables.markdown(SAMPLING_HEADS, [_sampling_line(one) for one in runs["sample"]]),
        _example_told(example),
        "## Messages of 1 to 10 words",
        "Mean ± standard error; there are not always a hundred such lines.",
        tables.markdown(
            ("words", *(str(row["length"]) for row in by_length[0]["rows"])),
            [_count_line(by_length[0]), *(_length_line(one) for one in by_length)],
        ),
    ]
    return "\n\n".join(parts) + ("\n" if plan.data == "shipped" else f"\n{FINDING}")


def _introduction(plan, most):
    return (
        f"On {sms_runs.DESCRIBED[plan.data]}. At most {most} messages per length, drawn without repetition from "
        "held-out lines of just that length without digits and with known words only; candidates of a word are all "
        f"words that take as many keys. Messages of {LONGEST} words: mean ± standard error (median) over messages; ms "
        "are CPU time on one core. *The paper's way*: keys as meant, bounds over all words, n-grams of three words and "
        "more that occur once left out. The other lines say what differs: the bound *looks ahead*, over the candidates "
        "of the word before; keys *slip*, drawn from the noise, k = 64; *log10* scores of the language model are read "
        "as natural logs; *all n-grams* are kept; messages are the *first words* of longer lines, `</s>` not scored."
    )


def _example_told(example):
    share, recent = (percent(example[name][-1]) for name in ("acceptance", "acceptance_100"))
    return (
        f"One run, n = {example['spec']['order']}: of {TRIALS:,} trials {share} were accepted, of the last 100 "
        f"{recent} (the paper's example: 17.7 % and 60 %); the mean of the first {LAST} ratios p / q is "
        f"1e{example['log10_ratio'][0]:.0f} (the paper's: 1e-20)."
    )


def differences(spec: dict) -> str:
    """What a run does otherwise than the paper, in words.

    >>> differences(decoding("europarl", 5, look_ahead=True, slips=True)), differences(sampling("europarl", 5))
    ('look-ahead, slips', "the paper's way")
    """
    told_of = {
        "all n-grams": tuple(spec["cutoffs"]) == FULL, "log10 as natural": spec["temperature"] != 1.0,
        "first words of lines": spec["cut"], "look-ahead": spec["look_ahead"], "slips": spec["slips"],
    }  # fmt: skip
    return ", ".join(name for name, differs in told_of.items() if differs) or PAPERS_WAY


def _known(one, paper, prototype):
    """What the paper and the prototype have for a run; blanks where they have nothing."""
    spec, nothing = one["spec"], ("", "", "")
    if spec["data"] == "shipped":
        return nothing, nothing
    run = differences(spec)
    return paper[spec["order"]] if run == PAPERS_WAY else nothing, prototype.get((spec["order"], run), nothing)


def _decoding_line(one):
    spec, found = one["spec"], one["rows"][-1]
    paper, prototype = _known(one, PAPER, PROTOTYPE)
    return [
        str(spec["order"]), differences(spec), told(found["iterations"]), paper[0], prototype[0], told(found["states"]),
        paper[1], prototype[1], told(found["ms"], 1), prototype[2],
    ]  # fmt: skip


def _sampling_line(one):
    spec, found = one["spec"], one["rows"][-1]
    paper, prototype = _known(one, PAPER_SAMPLING, PROTOTYPE_SAMPLING)
    return [
        str(spec["order"]), differences(spec), told(found["trials"]), paper[0], prototype[0], told(found["states"]),
        paper[1], prototype[1], told(found["ms"], 1),
    ]  # fmt: skip


def _count_line(one):
    return ["messages", *(str(row["states"]["count"]) for row in one["rows"])]


def _length_line(one):
    spec, name = one["spec"], _counted(one)
    found = (f"{row[name]['mean']:,.0f} ± {row[name]['error']:,.0f}" for row in one["rows"])
    return [f"{name}, n = {spec['order']}, {differences(spec)}", *found]


def _counted(one):
    return "iterations" if one["spec"]["task"] == "decode" else "trials"


FINDING = ""


def _figure(plan, runs, example):
    titles = ("Decoding: iterations", "Decoding: states", f"One run: p / q, mean of {LAST}", "One run: accepted",
              "Sampling: trials", "Sampling: states")  # fmt: skip
    figure = make_subplots(3, 2, subplot_titles=titles, vertical_spacing=0.1)
    for row, task in ((1, "decode"), (3, "sample")):
        for one in runs[task]:
            if len(one["rows"]) > 1:
                _add_order(figure, one, _counted(one), row, 1)
                _add_order(figure, one, "states", row, 2)
    _add_example(figure, example)
    spread = "mean and standard error over messages; dashed: look-ahead bound"
    style.styled(figure, "SMS retrieval by adaptive rejection", spread, height=1000)
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
        x=[found["length"] for found in rows], y=[found[name]["mean"] for found in rows],
        error_y={"array": [found[name]["error"] for found in rows], "thickness": 1, "width": 0},
        name=f"{spec['order']}-grams", legendgroup=spec["order"], mode="lines+markers",
        showlegend=(row, column) == (1, 1) and not spec["look_ahead"],
        line={"color": style.METHOD_COLOURS[spec["order"] % 4], "dash": "dash" if spec["look_ahead"] else "solid"},
        row=row, col=column,
    )  # fmt: skip


def _add_example(figure, example):
    drawn = (("log10_ratio", "p / q", 1, style.INK), ("acceptance_100", "of the last 100 trials", 2, style.INK),
             ("acceptance", "of all trials", 2, style.LINE))  # fmt: skip
    for name, told_of, column, colour in drawn:
        look = {"mode": "lines", "line": {"color": colour, "width": 1.5}, "name": told_of, "showlegend": column == 2}
        figure.add_scatter(x=example["trials"], y=example[name], row=2, col=column, **look)
