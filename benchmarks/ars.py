"""Adaptive rejection in one run: messages decoded and drawn, tags decoded, and Viterbi on the full automaton beside it.

    python benchmarks/ars.py [--sentences 100] [--repeats 3] [--json results.json]

Messages of ten words under a model of Europarl without the longer n-grams that occur once, tags of UD-EWT's development
part with TnT's emissions; the shipped models, with sentences drawn from them, where the data is not found. CPU time of
one core; training is not timed.
"""

import argparse
import json
from pathlib import Path

from engine import show

from rcmviz.ars.decode import warm_up
from rcmviz.data import registry
from rcmviz.experiments import pos_runs, sms_runs
from rcmviz.experiments.sms_runs import ORDERS, decoding, sampling

NOTHING = float("nan")
ASKED = {"decode": 40.0, "sample": 20.0}  # ms per message
TAGGING_ASKED, RATIO_ASKED = 1.0, 15.0  # s for all words; times faster than the full automaton


def message_rows(sentences):
    """Milliseconds per message, n-grams of the highest order: both bounds, keys as meant and with slips."""
    data = "europarl" if registry.find("europarl") else "shipped"
    rows = []
    for ahead, slips in ((True, False), (True, True), (False, False), (False, True)):
        how = {"sentences": sentences, "look_ahead": ahead, "slips": slips}
        for spec in (decoding(data, ORDERS[data][-1], **how), sampling(data, ORDERS[data][-1], batch=50, **how)):
            (found,) = sms_runs.cell(spec)["rows"]
            rounds = found["iterations" if spec["task"] == "decode" else "trials"]
            rows.append({
                "run": spec["task"], "bound": "look-ahead" if ahead else "plain",
                "keys": "slips" if slips else "as meant", "messages": found["ms"]["count"],
                "rounds, trials": rounds["mean"], "states": found["states"]["mean"], "mean ms": found["ms"]["mean"],
                "median ms": found["ms"]["median"], "asked": ASKED[spec["task"]] if ahead and not slips else NOTHING,
            })  # fmt: skip
    return data, rows


def tagging_rows(repeats):
    """Seconds for all sentences by order, ARS and the full automaton."""
    data = "ud_ewt" if registry.find("ud_ewt") else "shipped"
    rows = []
    for order in (3, 4, 5):
        how = {"emissions": pos_runs.EMISSIONS[data][0], "repeats": repeats}
        ars, together = (pos_runs.cell(pos_runs.tagging(task, data, order, **how)) for task in ("decode", "together"))
        shared, alone = (
            pos_runs.cell(pos_runs.tagging("full", data, order, shared=shared, **how)) for shared in (True, False)
        )
        rows.append({
            "order": order, "words": ars["words"], "ARS, s": ars["seconds"], "in one call, s": together["seconds"],
            "asked": TAGGING_ASKED if order == 5 else NOTHING, "full, s": shared["seconds"],
            "full / ARS": shared["seconds"] / ars["seconds"], "every arc looked up, s": alone["seconds"],
            "that / ARS": alone["seconds"] / ars["seconds"], "asked of it": RATIO_ASKED if order == 5 else NOTHING,
            "scores differ by": f"{max(shared['furthest'], alone['furthest']):.0e}",
        })  # fmt: skip
    return data, rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", default=None)
    options = parser.parse_args()
    warm_up()
    source, messages = message_rows(options.sentences)
    show(f"messages of ten words ({source}), {ORDERS[source][-1]}-grams", messages)
    treebank, tagging = tagging_rows(options.repeats)
    show(f"tagging ({treebank}), best of {options.repeats}", tagging)
    if options.json:
        everything = {"messages on": source, "messages": messages, "tagging on": treebank, "tagging": tagging}
        Path(options.json).write_text(json.dumps(everything, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
