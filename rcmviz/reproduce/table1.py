"""Table 1 of Carter et al. (2012): how few n-grams the automaton weighs by the time the best message is proved."""

from dataclasses import asdict

import numpy as np

from rcmviz.ars import ars_decode
from rcmviz.reproduce import sms_runs, tables
from rcmviz.reproduce.full import count_arcs
from rcmviz.reproduce.measures import origin
from rcmviz.reproduce.report import Plan, Report
from rcmviz.reproduce.sms_runs import ORDERS, decoding

__all__ = ["cell", "report", "specs"]

PAPER, PAPER_FULL = (7868, 615, 231, 176, 118), "3.0e15"
PROTOTYPE, PROTOTYPE_FULL = (8568, 1031, 149, 46, 29), "> 1e14"  # the founders' notes


def specs(plan: Plan) -> list[dict]:
    """The longest messages, by the paper's bound and by the one that looks ahead."""
    highest, size = ORDERS[plan.data][-1], 5 if plan.quick else 100
    return [decoding(plan.data, highest, sentences=size, look_ahead=ahead) for ahead in (False, True)]


def cell(spec: dict) -> dict:
    """Per message its keys, the n-grams of q by order, and how many the full automaton has."""
    lm, (length,) = sms_runs.language_model(spec["data"], spec["order"]), spec["lengths"]
    found, ngrams, full = sms_runs.messages(spec, length), [], []
    for message in found:
        best, _ = ars_decode(lm, message.candidates, message.log_obs, look_ahead=spec["look_ahead"], record=False)
        hmm = message.hmm(lm)
        ngrams.append(list(best.ngrams))
        full.append([count_arcs(hmm, order) for order in range(1, lm.order + 1)])
    return {"spec": spec, "keys": [message.digits for message in found], "ngrams": ngrams, "full": full}


def report(plan: Plan, results: list[dict]) -> Report:
    """The message with the median number of n-grams, and the mean over all."""
    plain, ahead = ({key: np.array(one[key]) for key in ("ngrams", "full")} for one in results)
    total = plain["ngrams"].sum(axis=1)
    middle = int(np.argsort(total, kind="stable")[len(total) // 2])
    known = [["the paper's example", *_line(PAPER)], ["the prototype's example", *_line(PROTOTYPE)]]
    example = results[0]["keys"][middle]
    lines = (known if plan.data != "shipped" else []) + [
        ["q, plain bound", *_line(plain["ngrams"][middle])],
        ["q, look-ahead", *_line(ahead["ngrams"][middle])],
        ["of all messages, plain bound", *_spread(plain["ngrams"])],
        ["of all messages, look-ahead", *_spread(ahead["ngrams"])],
        ["a full automaton of this order", *(f"{count:.1e}" for count in plain["full"][middle].tolist()), ""],
    ]
    orders = range(1, plain["ngrams"].shape[1] + 1)
    text = (
        f"# Table 1: n-grams of the automaton\n\nOn {sms_runs.DESCRIBED[plan.data]}; messages of "
        f"{results[0]['spec']['lengths'][0]} words, no slips, n = {len(orders)}. Our example is that of {len(total)} "
        f"messages with the median number of n-grams: `{example}`. Of all: mean ± standard deviation.\n\n"
        f"{tables.markdown(('n-grams of order', *map(str, orders), 'together'), lines)}\n\n"
        f"All {len(orders)}-grams of candidates: {plain['full'][middle][-1]:.1e} for our example"
    )
    told = f", {PAPER_FULL} for the paper's, {PROTOTYPE_FULL} for the prototype's" if plan.data != "shipped" else ""
    runs = [
        {name: one[name] for name in ("spec", "ngrams", "full")} for one in results
    ]  # the text is not ours to pass on
    document = {"table": "table1", "plan": asdict(plan), "origin": origin(), "example": example, "runs": runs}
    return Report("table1", f"{text}{told}.\n", document)


def _line(counts):
    return [f"{count:,}" for count in (*map(int, counts), int(sum(counts)))]


def _spread(counts):
    columns = np.column_stack([counts, counts.sum(axis=1)])
    return [f"{column.mean():,.0f} ± {column.std(ddof=1):,.0f}" for column in columns.T]
