"""Table 2 of Carter et al. (2012): the best paths of q, round by round, until one is proved to be the best of all."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import NamedTuple

import numpy as np

from rcmviz.ars.decode import ars_decode
from rcmviz.experiments import conclusions, sms_runs, tables
from rcmviz.experiments.report import Plan, Report
from rcmviz.experiments.sms_runs import DIGITS, TEMPERATURES

__all__ = ["cell", "report", "specs"]

EVERY = 50


class Round(NamedTuple):
    """A round: its number, the best path of q, log q and log p of it; a list in results."""

    number: int
    path: str
    log_q: float
    log_p: float


PUBLISHED = (  # as Round
    ("1", "does the money exist )", "-0.11", "-17.42"),
    ("50", "does the owned exist .", "-11.71", "-23.54"),
    ("100", "ends the money exist .", "-12.76", "-17.09"),
    ("150", "does vis money exist .", "-13.45", "-23.74"),
    ("170", "does the money exist .", "-13.70", "-13.70"),
)
HEADS = ("round", "best path of q", "log q", "log p")


def specs(plan: Plan) -> list[dict]:
    """Both temperatures, both bounds."""
    return [
        {"data": plan.data, "temperature": value, "look_ahead": ahead}
        for value in TEMPERATURES
        for ahead in (False, True)
    ]


def cell(spec: dict) -> dict:
    """Every round: the path, log q and log p."""
    lm, message = sms_runs.example_spec(spec["data"])
    hmm = message.hmm(lm, temperature=TEMPERATURES[spec["temperature"]])
    best, trace = ars_decode(hmm, look_ahead=spec["look_ahead"])
    numbers = [0, *range(EVERY - 1, len(trace) - 1, EVERY), len(trace) - 1]
    rounds = [
        [number + 1, " ".join(trace.words(number)), *np.round([trace.log_q[number], trace.log_p[number]], 2).tolist()]
        for number in dict.fromkeys(numbers)
    ]
    fit = sum(float(log_obs.max()) for log_obs in message.log_obs)
    return {"spec": spec, "rounds": rounds, "states": best.states, "keys": fit}


def report(plan: Plan, results: list[dict]) -> Report:
    """A table per temperature, next to the paper's."""
    parts = [
        f"# Table 2: Viterbi paths of `{DIGITS}`\n\nOn {sms_runs.DESCRIBED[plan.data]}; n = "
        f"{sms_runs.ORDERS[plan.data][-1]}, n-grams of three words and more that occur once left out, `</s>` scored."
    ]
    if plan.data != "shipped":
        parts += ["## The paper's", tables.markdown_table(HEADS, PUBLISHED)]
    for temperature in TEMPERATURES:
        plain, ahead = (one for one in results if one["spec"]["temperature"] == temperature)
        lines = [_line(*row) for row in plain["rounds"]]
        looking = f"{ahead['rounds'][-1][0]:,} rounds and {ahead['states']:,} states with look-ahead"
        parts += [
            f"## Temperature {temperature}",
            tables.markdown_table(HEADS, lines),
            f"{plain['states']:,} states; {looking}. The keys alone make {plain['keys']:.2f} of log p at best.",
        ]
    parts += ["## What reproduces", conclusions.claims_table(claims_of(results, plan.data != "shipped"))]
    document = {"table": "table2", "plan": asdict(plan), "digits": DIGITS, "runs": results}
    return Report("table2", "\n\n".join(parts) + "\n", document)


def _line(number, path, log_q, log_p):
    return [str(number), path, f"{log_q:.2f}", f"{log_p:.2f}"]


def claims_of(results: list[dict], published: bool) -> list[tuple]:
    """The claims of the paper's table, checked on ours with the plain bound; its numbers where comparable."""
    plain = {one["spec"]["temperature"]: one for one in results if not one["spec"]["look_ahead"]}
    claims = [claim for name, one in plain.items() for claim in course_claims(name.partition(",")[0], one["rounds"])]
    if not published:
        return claims
    theirs, last = Round(*PUBLISHED[-1]), {name: Round(*one["rounds"][-1]) for name, one in plain.items()}
    return [
        *claims,
        sequence_claim(theirs.path, {name: found.path for name, found in last.items()}),
        score_claim(float(theirs.log_p), {name: (found.log_p, plain[name]["keys"]) for name, found in last.items()}),
        rounds_claim(int(theirs.number), {name: found.number for name, found in last.items()}),
    ]


def course_claims(name: str, rounds: list) -> list[tuple]:
    """Whether log q falls, log p goes up and down, and both meet; rounds as ``Round``."""
    log_q, log_p = [Round(*row).log_q for row in rounds], [Round(*row).log_p for row in rounds]
    rises, falls = np.diff(log_p) > 0, np.diff(log_p) < 0
    return [
        (
            f"temperature {name}: log q falls round by round",
            f"{log_q[0]:.2f} to {log_q[-1]:.2f}",
            bool((np.diff(log_q) <= 0).all() and log_q[-1] < log_q[0]) if len(rounds) > 1 else None,
        ),
        (
            f"temperature {name}: log p of the paths goes up and down",
            f"up after {rises.sum()}, down after {falls.sum()} of the rounds shown",
            bool(rises.any() and falls.any()) if len(rounds) > 2 else None,
        ),
        (
            f"temperature {name}: they meet in the last round",
            f"{log_q[-1]:.2f} and {log_p[-1]:.2f}",
            log_q[-1] == log_p[-1],
        ),
    ]


def sequence_claim(path: str, found: Mapping[str, str]) -> tuple:
    """Whether the paper's sequence is proved to be the best at every temperature."""
    best = conclusions.list_words(f"`{words}`" for words in dict.fromkeys(found.values()))
    return f"the best sequence is the paper's, `{path}`", best, all(words == path for words in found.values())


def score_claim(published: float, found: Mapping[str, tuple[float, float]]) -> tuple:
    """Whether the paper's log p is nearest to that of natural logs, as it describes; (log p, that of the keys)."""
    near = conclusions.best_keys({name: -abs(log_p - published) for name, (log_p, _) in found.items()}, 2)
    each = (f"{log_p:.2f}, without the keys {log_p - keys:.2f} ({name})" for name, (log_p, keys) in found.items())
    true = conclusions.TIED if len(near) > 1 else near == [next(iter(TEMPERATURES))]
    return f"the paper's log p of {published:.2f} is nearest to that of natural logs", "; ".join(each), true


def rounds_claim(published: int, found: Mapping[str, int]) -> tuple:
    """Whether the paper's number of rounds lies between ours."""
    least, most = min(found.values()), max(found.values())
    return f"the paper's {published} rounds lie between ours", f"{least:,} and {most:,}", least <= published <= most
