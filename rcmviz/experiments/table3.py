"""Table 3 of Carter et al. (2012): how many trials to make before q is refined along the rejected ones."""

from dataclasses import asdict

from rcmviz.experiments import sms_runs, tables
from rcmviz.experiments.measures import as_text
from rcmviz.experiments.report import Plan, Report
from rcmviz.experiments.sms_runs import ORDERS, cell, sampling_spec
from rcmviz.plot.style import percent

__all__ = ["cell", "report", "specs"]

BATCHES = (1, 10, 20, 30, 40, 50, 100)
PUBLISHED = {
    1: ("97.5 s", "453"),
    10: ("19.9 s", "456"),
    20: ("15.0 s", "480"),
    30: ("13.9 s", "516"),
    40: ("12.8 s", "536"),
    50: ("12.5 s", "568"),
    100: ("11.4 s", "700"),
}
HEADS = ("B", "bound", "ms", "times faster than B = 1", "paper", "trials", "paper", "states")


def specs(plan: Plan) -> list[dict]:
    """Every batch size with both bounds, on some messages with several seeds each."""
    how = {"sentences": 3 if plan.quick else 25, "seeds": plan.seeds}
    order = ORDERS[plan.data][-1]
    return [
        sampling_spec(plan.data, order, batch=batch, look_ahead=ahead, **how)
        for ahead in (False, True)
        for batch in (BATCHES[::3] if plan.quick else BATCHES)
    ]


def report(plan: Plan, results: list[dict]) -> Report:
    """A line per batch size."""
    single = {one["spec"]["look_ahead"]: one for one in results if one["spec"]["batch"] == 1}
    lines = [_line(one, single[one["spec"]["look_ahead"]]) for one in results]
    spec = results[0]["spec"]
    text = (
        f"# Table 3: batches of trials\n\nOn {sms_runs.DESCRIBED[plan.data]}; {spec['sentences']} messages of "
        f"{spec['lengths'][0]} words × {spec['seeds']} seeds, n = {spec['order']}, {spec['most']} candidates per word, "
        f"until {percent(sms_runs.STOP)} of the last 100 trials are accepted. Mean ± standard error (median); ms are "
        f"CPU time on one core.\n\n{tables.markdown_table(HEADS, lines)}\n"
    )
    document = {"table": "table3", "plan": asdict(plan), "runs": results}
    return Report("table3", text, document)


def _line(one, single):
    spec, (found,) = one["spec"], one["rows"]
    known = not spec["look_ahead"] and spec["data"] != "shipped"
    published = (PUBLISHED if known else {}).get(spec["batch"], ("", ""))
    faster = single["rows"][0]["ms"]["mean"] / found["ms"]["mean"]
    return [
        str(spec["batch"]),
        "look-ahead" if spec["look_ahead"] else "plain",
        as_text(found["ms"], 1),
        f"{faster:.1f}",
        published[0],
        as_text(found["trials"]),
        published[1],
        as_text(found["states"]),
    ]
