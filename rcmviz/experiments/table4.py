"""Table 4 of Carter et al. (2012): exact draws of one message, their counts beside their probabilities."""

from collections import Counter
from dataclasses import asdict

import numpy as np

from rcmviz.ars.decode import ars_sample
from rcmviz.experiments import sms_runs, tables
from rcmviz.experiments.report import Plan, Report
from rcmviz.experiments.sms_runs import BATCH, DIGITS, MOST, TEMPERATURES

__all__ = ["cell", "report", "specs"]

DRAWS, TOP = 1_000, 5
PUBLISHED = (  # draw, count, log p
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
    """Every draw with its count and log p, how many trials it took, and what is known of log Z."""
    lm, message = sms_runs.example(spec["data"], MOST)
    hmm = message.hmm(lm, temperature=TEMPERATURES[spec["temperature"]])
    draws, _ = ars_sample(hmm, DRAWS, spec["seed"], batch=BATCH, look_ahead=False, record=False)
    log_p = {" ".join(words): float(score) for words, score in zip(draws.words, draws.log_score, strict=True)}
    counts = Counter(map(" ".join, draws.words)).most_common()
    return {
        "spec": spec, "trials": draws.trials, "acceptance": draws.acceptance, "log_z": draws.log_z_bounds,
        "draws": [[words, count, round(log_p[words], 4)] for words, count in counts],
    }  # fmt: skip


def report(plan: Plan, results: list[dict]) -> Report:
    """A table per temperature, and the paper's."""
    parts = [
        f"# Table 4: {DRAWS:,} exact draws of `{DIGITS}`\n\nOn {sms_runs.DESCRIBED[plan.data]}; n = "
        f"{sms_runs.ORDERS[plan.data][-1]}, the {MOST} likeliest candidates per word. Counts are those of {plan.seeds} "
        "seeds; *expected* is 1,000 p / Z, with Z between what was found and the mass of q. q goes on being refined "
        "while the draws are made, which leaves them exact."
    ]
    if plan.data != "shipped":
        lines = [
            [words, str(count), "", f"{log_p:.2f}", f"{np.exp(log_p - PUBLISHED[0][2]):.3f}"]
            for words, count, log_p in PUBLISHED
        ]
        caption = "About 4,700 trials; 90 different sequences, 50 of them once."
        parts += ["## The paper's", tables.markdown(HEADS, lines), caption]
    for temperature in TEMPERATURES:
        runs = [one for one in results if one["spec"]["temperature"] == temperature]
        parts += [f"## Temperature {temperature}", tables.markdown(HEADS, _lines(runs)), _sizes(runs)]
    document = {"table": "table4", "plan": asdict(plan), "digits": DIGITS, "runs": results}
    return Report("table4", "\n\n".join(parts) + "\n", document)


def _lines(runs):
    counts = [{words: count for words, count, _ in one["draws"]} for one in runs]
    log_p = {words: score for one in runs for words, _, score in one["draws"]}
    best = sorted(log_p, key=lambda words: -log_p[words])[:TOP]
    upper, lower = min(one["log_z"][1] for one in runs), max(one["log_z"][0] for one in runs)
    for words in best:
        least, most = (DRAWS * np.exp(log_p[words] - log_z) for log_z in (upper, lower))
        drawn = ", ".join(str(one.get(words, 0)) for one in counts)
        yield [
            words,
            drawn,
            f"{least:.1f}–{most:.1f}",
            f"{log_p[words]:.2f}",
            f"{np.exp(log_p[words] - log_p[best[0]]):.3f}",
        ]


def _sizes(runs):
    """How many different sequences there were, how many of them once, and the trials, means over the seeds."""
    different = [len(one["draws"]) for one in runs]
    once = [sum(count == 1 for _, count, _ in one["draws"]) for one in runs]
    trials = [one["trials"] for one in runs]
    return (
        f"{np.mean(trials):,.0f} trials; {np.mean(different):.0f} different sequences, {np.mean(once):.0f} of them "
        "once (means over the seeds)."
    )
