"""What a proposal is worth: log Z and label posteriors of the full model by every way, at equal time, against exact."""

from collections.abc import Callable
from dataclasses import asdict
from functools import cache

import numpy as np

from rcmviz.core.batch import infer_batch
from rcmviz.core.batch import warm_up as warm_up_bulk
from rcmviz.core.build import beam, rcms, recombining_beam
from rcmviz.core.build import warm_up as warm_up_builders
from rcmviz.core.infer import posterior
from rcmviz.core.shipped import load_model
from rcmviz.experiments import tables
from rcmviz.experiments.measures import origin, timed
from rcmviz.experiments.report import Plan, Report
from rcmviz.proposal.importance import importance
from rcmviz.proposal.smc import smc
from rcmviz.tasks import TEST_FOLD
from rcmviz.tasks.handwriting.letter_data import fold_words, load_words
from rcmviz.tasks.handwriting.pen import pen_words
from rcmviz.tasks.handwriting.problems import word_emissions

__all__ = ["cell", "report", "specs", "warm_up"]

WORDS, PEN_SEED = 200, 1  # the shipped model has learnt from the pen's words of seed 0
BUDGETS = (3, 10, 30, 100, 300, 1_000, 3_000)
DRAWS = (
    (10, 100, 100),
    (30, 300, 300),
    (100, 300, 1_000),
    (100, 1_000, 3_000),
    (300, 3_000, 10_000),
)  # budget, bound, n
TIMES = (3.0, 10.0, 30.0)  # ms per word
BY_BUDGET: dict[str, Callable] = {"beam": beam, "recombining beam": recombining_beam, "RCMS": rcms}
BY_DRAWS: dict[str, Callable] = {"importance": importance, "SMC": smc}
HEADS = ("method", "setting", "ms", "log Z off by", "median", "posteriors off by", "intervals given", "of these right")


def specs(plan: Plan) -> list[dict]:
    """Every method with every setting, on the same words."""
    how = {"data": plan.data, "words": 20 if plan.quick else WORDS}
    budgets, draws = (BUDGETS[::3], DRAWS[:3:2]) if plan.quick else (BUDGETS, DRAWS)
    found = [how | {"method": name, "budget": budget} for name in BY_BUDGET for budget in budgets]
    for name in BY_DRAWS:
        for budget, bound, n in draws:
            found += [how | {"method": name, "budget": budget, "bound": kept, "n": n} for kept in (0, bound)]
    return found


def warm_up() -> None:
    """The kernels of all ways."""
    warm_up_builders()
    warm_up_bulk()


@cache
def _subject(data, count):
    """``(model, emissions, log Z, label posteriors)`` of so many words that the model has not learnt from."""
    if data == "kassel":
        model, words = load_model("handwriting-kassel"), fold_words(load_words(), TEST_FOLD)
        chosen = np.random.default_rng(0).permutation(len(words))[:count]
        words = [words[k] for k in sorted(chosen.tolist())]
    else:
        model, words = load_model("handwriting-pen"), pen_words(count, PEN_SEED)
    emissions = [word_emissions(model, word) for word in words]
    exact = infer_batch(model, emissions, "exact", dtype="f8", threads=1, posterior=True)
    return model, emissions, exact.log_z, exact.posterior


def cell(spec: dict) -> dict:
    """Errors and times of one method with one setting: a row per word."""
    model, emissions, log_zs, posteriors = _subject(spec["data"], spec["words"])
    rows = [_word(spec, model, *one) for one in zip(emissions, log_zs, posteriors, strict=True)]
    return {"spec": spec, "rows": rows}


def _word(spec, model, log_emit, log_z, label):
    (found_z, found, interval), ms = timed(_asked, spec, model, log_emit)
    row = {"ms": round(ms, 3), "log_z": round(found_z - float(log_z), 5)}
    row["posterior"] = round(float(np.abs(found - label).sum(axis=1).mean() / 2), 5)
    if "n" in spec:
        row["given"] = interval is not None
        row["right"] = bool(interval and interval[0] <= log_z <= interval[1])
    return row


def _asked(spec, model, log_emit):
    """``(log Z, label posteriors, interval)``."""
    if "n" not in spec:
        lattice, _ = BY_BUDGET[spec["method"]](model, log_emit, spec["budget"], record=False)
        table = posterior(lattice)
        return table.log_z, table.label, None
    found = BY_DRAWS[spec["method"]](model, log_emit, spec["budget"], spec["n"], bound=spec["bound"])
    return found.log_z, found.label, found.interval


def report(plan: Plan, results: list[dict]) -> Report:
    """The best that each method does within a time, then every setting."""
    kind = "of Kassel's words" if plan.data == "kassel" else "words by the pen"
    parts = [
        f"# What a proposal is worth\n\n{results[0]['spec']['words']} {kind} that the model has not learnt from, order "
        "3; log Z and label posteriors of the full model against exact inference. *log Z off by*: "
        "mean and median of the absolute difference in nats; *posteriors off by*: mean total variation distance of the "
        "labels; ms: CPU time per word on one core, posteriors included, everybody by the stepwise builders. RCMS and "
        "its draws have the same budget; with a bound half of the draws are from the lattice of maxima."
    ]  # fmt: skip
    for most in TIMES:
        lines = [_line(one) for one in _within(results, most)]
        parts += [f"## Within {most:.0f} ms", tables.markdown(HEADS, lines)]
    parts += ["## All settings", tables.markdown(HEADS, [_line(one) for one in results]), _finding(results)]
    runs = [one["spec"] | _means(one["rows"]) for one in results]
    document = {"table": "importance", "plan": asdict(plan), "origin": origin(), "runs": runs}
    return Report("importance", "\n\n".join(parts) + "\n", document)


def _within(results, most):
    """Of every way the dearest setting that takes no longer, in the order of the ways."""
    best: dict[tuple, dict] = {}
    for one in results:
        way = one["spec"]["method"], bool(one["spec"].get("bound"))
        ms = _means(one["rows"])["ms"]
        if ms <= most and (way not in best or ms > _means(best[way]["rows"])["ms"]):
            best[way] = one
    return list(best.values())


def _means(rows):
    """Means over the words; of intervals the share given, and of these the share that is right."""

    def of(name):
        return np.array([row[name] for row in rows], dtype=float)

    off = np.abs(of("log_z"))
    found = {"ms": of("ms").mean(), "log_z_off": off.mean(), "log_z_median": np.median(off), "bias": of("log_z").mean()}
    found["posterior_off"] = of("posterior").mean()
    if "given" in rows[0]:
        given = of("given").sum()
        found |= {"given": given / len(rows), "right": of("right").sum() / given if given else None}
    return {name: None if value is None else round(float(value), 5) for name, value in found.items()}


def _line(one):
    spec, means = one["spec"], _means(one["rows"])
    setting = f"budget {spec['budget']:,}"
    if "n" in spec:
        setting += f", {spec['n']:,} draws, " + (f"bound {spec['bound']:,}" if spec["bound"] else "no bound")
    given, right = (tables.number(means.get(name), 2) for name in ("given", "right"))
    numbers = [f"{means['ms']:.1f}", *(f"{means[name]:.4f}" for name in ("log_z_off", "log_z_median", "posterior_off"))]
    return [spec["method"], setting, *numbers, given, right]


def _finding(results):
    """What intervals are worth, in words: from the numbers of this run."""
    rows = [row for one in results if one["spec"].get("bound") for row in one["rows"]]
    given = [row["right"] for row in rows if row["given"]]
    blind = [one for one in results if one["spec"].get("bound") == 0]
    low = np.mean([row["log_z"] < 0 for one in blind for row in one["rows"]])
    share = f"{np.mean(given):.3f}" if given else "none"
    return (
        "## What comes out\n\n"
        f"With a bound {len(given):,} of {len(rows):,} samples state an interval (nominally 95 %), and {share} of "
        f"these hold the exact log Z. Draws from RCMS alone are unbiased in Z, but {low:.2f} of these estimates lie "
        "below the truth: what RCMS gives too little is rarely drawn, and then weighs much. They state no interval. "
        f"At equal time, {TIMES[1]:.0f} ms, log Z is nearest by {_best(results)}. What draws add is the interval."
    )


def _best(results):
    """The way that is nearest to log Z within the middle time, by name."""
    within = _within(results, TIMES[1]) or results
    spec = min(within, key=lambda one: _means(one["rows"])["log_z_off"])["spec"]
    return spec["method"] + (" with a bound" if spec.get("bound") else "")
