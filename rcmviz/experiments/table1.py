"""Table 1 of Carter et al. (2012): how few n-grams the automaton weighs by the time the best message is proved."""

from dataclasses import asdict

import numpy as np

from rcmviz.ars.decode import ars_decode
from rcmviz.experiments import sms_runs, tables
from rcmviz.experiments.full import count_arcs
from rcmviz.experiments.report import Plan, Report
from rcmviz.experiments.sms_runs import ORDERS, decoding_spec

__all__ = ["cell", "report", "specs"]

KNOWN = (("the paper's example", "7,868", "615", "231", "176", "118", "9,008"),)


def specs(plan: Plan) -> list[dict]:
    """The longest messages, by the paper's bound and by the one that looks ahead."""
    highest, size = ORDERS[plan.data][-1], 5 if plan.quick else 100
    return [decoding_spec(plan.data, highest, sentences=size, look_ahead=ahead) for ahead in (False, True)]


def cell(spec: dict) -> dict:
    """Per message its keys, the n-grams of q by order, and how many the full automaton has."""
    lm, (length,) = sms_runs.language_model(spec["data"], spec["order"]), spec["lengths"]
    found, ngrams, full = sms_runs.messages(spec, length), [], []
    for message in found:
        hmm = message.hmm(lm)
        best, _ = ars_decode(hmm, look_ahead=spec["look_ahead"], record=False)
        ngrams.append(list(best.ngrams))
        full.append([count_arcs(hmm, order) for order in range(1, lm.order + 1)])
    return {"spec": spec, "keys": [message.digits for message in found], "ngrams": ngrams, "full": full}


def report(plan: Plan, results: list[dict]) -> Report:
    """The message with the median number of n-grams, and the mean over all."""
    plain, ahead = ({key: np.array(one[key]) for key in ("ngrams", "full")} for one in results)
    total = plain["ngrams"].sum(axis=1)
    middle = int(np.argsort(total, kind="stable")[len(total) // 2])
    spec, example = results[0]["spec"], results[0]["keys"][middle]
    parts = [
        "# Table 1: n-grams of the automaton",
        f"On {sms_runs.DESCRIBED[plan.data]}; messages of {spec['lengths'][0]} words, no slips, n = {spec['order']}. "
        f"Our example is that of {len(total)} messages with the median number of n-grams: `{example}`. Of all: mean ± "
        "standard deviation.",
        tables.markdown_table(
            ("n-grams of order", *map(str, range(1, spec["order"] + 1)), "together"),
            [*([] if plan.data == "shipped" else KNOWN), *_lines(plain, ahead, middle)],
        ),
        f"All {spec['order']}-grams of candidates: {plain['full'][middle][-1]:.1e} for our example{_full_size(plan)}.",
    ]
    runs = [{name: one[name] for name in ("spec", "ngrams", "full")} for one in results]  # no text of others
    document = {"table": "table1", "plan": asdict(plan), "example": example, "runs": runs}
    return Report("table1", "\n\n".join(parts) + "\n", document)


def _full_size(plan):
    return "" if plan.data == "shipped" else ", 3.0e+15 for the paper's"


def _lines(plain, ahead, middle):
    yield ["q, plain bound", *_line(plain["ngrams"][middle])]
    yield ["q, look-ahead", *_line(ahead["ngrams"][middle])]
    yield ["of all messages, plain bound", *_spread(plain["ngrams"])]
    yield ["of all messages, look-ahead", *_spread(ahead["ngrams"])]
    yield ["a full automaton of this order", *(f"{count:.1e}" for count in plain["full"][middle].tolist()), ""]


def _line(counts):
    return [f"{count:,}" for count in (*map(int, counts), int(sum(counts)))]


def _spread(counts):
    columns = np.column_stack([counts, counts.sum(axis=1)])
    return [f"{column.mean():,.0f} ± {column.std(ddof=1):,.0f}" for column in columns.T]
