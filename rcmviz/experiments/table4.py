"""Table 4 of Carter et al. (2012): exact draws of one message, their counts and probabilities."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import NamedTuple

import numpy as np

from rcmviz.ars.decode import ars_sample
from rcmviz.experiments import conclusions, sms_runs, tables
from rcmviz.experiments.report import Plan, Report
from rcmviz.experiments.sms_runs import BATCH, DIGITS, MOST, TEMPERATURES

__all__ = ["cell", "report", "specs"]

DRAWS, TOP = 1_000, 5
FAR = 4.0  # standard deviations from which a count is not what p / Z says


class Draw(NamedTuple):
    """A sequence, how often it was drawn, and its log p; a list in results."""

    words: str
    count: int
    log_p: float


PUBLISHED = (  # as Draw
    ("does the money exist .", 429, -13.70),
    ("does the money exist ?", 211, -14.51),
    ("does the money exist !", 72, -15.49),
    ("does the moody exist .", 45, -15.70),
    ("does the money exist :", 25, -16.73),
)
HEADS = ("draw", "count", "expected", "log p", "p / p of the first")


def specs(plan: Plan) -> list[dict]:
    """Both temperatures, several seeds."""
    return [
        {"data": plan.data, "temperature": name, "seed": seed} for name in TEMPERATURES for seed in range(plan.seeds)
    ]


def cell(spec: dict) -> dict:
    """Every draw with its count and log p, the number of trials, and the bounds on log Z."""
    lm, message = sms_runs.example_spec(spec["data"], MOST)
    hmm = message.hmm(lm, temperature=TEMPERATURES[spec["temperature"]])
    draws, _ = ars_sample(hmm, DRAWS, spec["seed"], batch=BATCH, look_ahead=False, record=False)
    log_p = {" ".join(words): float(score) for words, score in zip(draws.words, draws.log_score, strict=True)}
    counts = Counter(map(" ".join, draws.words)).most_common()
    return {
        "spec": spec,
        "trials": draws.trials,
        "acceptance": draws.acceptance,
        "log_z": draws.log_z_bounds,
        "draws": [[words, count, round(log_p[words], 4)] for words, count in counts],
    }


def report(plan: Plan, results: list[dict]) -> Report:
    """A table per temperature, and the paper's."""
    parts = [
        f"# Table 4: {DRAWS:,} exact draws of `{DIGITS}`\n\nOn {sms_runs.DESCRIBED[plan.data]}; n = "
        f"{sms_runs.ORDERS[plan.data][-1]}, the {MOST} likeliest candidates per word. Counts are those of {plan.seeds} "
        "seeds; *expected* is 1,000 p / Z, with Z between the mass found and the mass of q. q is still refined "
        "while the draws are made, which leaves them exact."
    ]
    if plan.data != "shipped":
        theirs = [Draw(*row) for row in PUBLISHED]
        lines = [
            [row.words, str(row.count), "", f"{row.log_p:.2f}", f"{np.exp(row.log_p - theirs[0].log_p):.3f}"]
            for row in theirs
        ]
        caption = "About 4,700 trials; 90 different sequences, 50 of them once."
        parts += ["## The paper's", tables.markdown_table(HEADS, lines), caption]
    claims = []
    for temperature in TEMPERATURES:
        runs = [one for one in results if one["spec"]["temperature"] == temperature]
        parts += [f"## Temperature {temperature}", tables.markdown_table(HEADS, _lines(runs)), _sizes(runs)]
        claims.append(counts_claim(temperature.partition(",")[0], list(_expected_counts(runs))))
    parts += ["## What reproduces", conclusions.claims_table(claims)]
    document = {"table": "table4", "plan": asdict(plan), "digits": DIGITS, "runs": results}
    return Report("table4", "\n\n".join(parts) + "\n", document)


class Expected(NamedTuple):
    """A sequence with its log p, its counts by seed, and the least and the most that p / Z says."""

    words: str
    log_p: float
    counts: list
    least: float
    most: float


def _expected_counts(runs):
    """The ``Expected`` counts of the likeliest sequences."""
    draws = [[Draw(*row) for row in one["draws"]] for one in runs]
    counts = [{draw.words: draw.count for draw in drawn} for drawn in draws]
    log_p = {draw.words: draw.log_p for drawn in draws for draw in drawn}
    upper, lower = min(one["log_z"][1] for one in runs), max(one["log_z"][0] for one in runs)
    for words in sorted(log_p, key=lambda words: -log_p[words])[:TOP]:
        least, most = (float(DRAWS * np.exp(log_p[words] - log_z)) for log_z in (upper, lower))
        yield Expected(words, log_p[words], [one.get(words, 0) for one in counts], least, most)


def _lines(runs):
    rows = list(_expected_counts(runs))
    for row in rows:
        drawn, ratio = ", ".join(map(str, row.counts)), np.exp(row.log_p - rows[0].log_p)
        yield [row.words, drawn, f"{row.least:.1f}–{row.most:.1f}", f"{row.log_p:.2f}", f"{ratio:.3f}"]


def counts_claim(name: str, rows: Sequence[tuple]) -> tuple:
    """Whether all counts are within ``FAR`` standard deviations of what p / Z says; rows as ``Expected``.

    >>> counts_claim("1", [("a", -1.0, [900, 940], 890.0, 910.0)])
    ('temperature 1: counts are those of p / Z', 'off by 3.3 standard deviations at most', True)
    """
    off = []
    for row in (Expected(*row) for row in rows):
        error = max(1.0, np.sqrt(row.most * (1 - min(row.most, DRAWS) / DRAWS)))
        off += [max(0.0, row.least - count, count - row.most) / error for count in row.counts]
    text = f"off by {max(off):.1f} standard deviations at most"
    return f"temperature {name}: counts are those of p / Z", text, bool(max(off) < FAR)


def _sizes(runs):
    """The numbers of distinct sequences, of those drawn once, and of trials, means over the seeds."""
    different = [len(one["draws"]) for one in runs]
    once = [sum(Draw(*row).count == 1 for row in one["draws"]) for one in runs]
    trials = [one["trials"] for one in runs]
    return (
        f"{np.mean(trials):,.0f} trials; {np.mean(different):.0f} different sequences, {np.mean(once):.0f} of them "
        "once (means over the seeds)."
    )
