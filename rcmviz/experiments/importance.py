"""Quality of proposals: log Z and label posteriors of the full model by every way, at equal time, against exact."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import NamedTuple

import numpy as np

from rcmviz.core.builders.build import beam, rcms, recombining_beam
from rcmviz.core.builders.build import warm_up as warm_up_builders
from rcmviz.core.inference.batch import infer_batch
from rcmviz.core.inference.batch import warm_up as warm_up_bulk
from rcmviz.core.inference.infer import posterior
from rcmviz.core.models.model import NgramModel
from rcmviz.core.models.shipped import load_model
from rcmviz.experiments import conclusions, tables
from rcmviz.experiments.measures import time_task
from rcmviz.experiments.report import Plan, Report
from rcmviz.plot.style import percent
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
    {"budget": 10, "bound": 100, "n": 100},
    {"budget": 30, "bound": 300, "n": 300},
    {"budget": 100, "bound": 300, "n": 1_000},
    {"budget": 100, "bound": 1_000, "n": 3_000},
    {"budget": 300, "bound": 3_000, "n": 10_000},
)
PROMISED = 0.95  # by an interval
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
        for one in draws:
            found += [how | {"method": name} | one | {"bound": bound, "seed": 0} for bound in (0, one["bound"])]
    return found


def warm_up() -> None:
    """The kernels of all ways."""
    warm_up_builders()
    warm_up_bulk()


class _Subject(NamedTuple):
    """A model, the emissions of some words, and what exact inference says of them."""

    model: NgramModel
    emissions: list
    log_z: np.ndarray
    posterior: list


class _Estimate(NamedTuple):
    """Log Z, the posteriors of the labels, and an interval if there is one."""

    log_z: float
    label: np.ndarray
    interval: tuple | None


@cache
def _subject(data, count):
    """The ``_Subject`` of a number of words that the model has not learnt from."""
    if data == "kassel":
        model, words = load_model("handwriting-kassel"), fold_words(load_words(), TEST_FOLD)
        chosen = np.random.default_rng(0).permutation(len(words))[:count]
        words = [words[k] for k in sorted(chosen.tolist())]
    else:
        model, words = load_model("handwriting-pen"), pen_words(count, PEN_SEED)
    emissions = [word_emissions(model, word) for word in words]
    exact = infer_batch(model, emissions, "exact", dtype="f8", threads=1, posterior=True)
    return _Subject(model, emissions, exact.log_z, exact.posterior)


def cell(spec: dict) -> dict:
    """Errors and times of one method with one setting: a row per word."""
    subject = _subject(spec["data"], spec["words"])
    words = zip(subject.emissions, subject.log_z, subject.posterior, strict=True)
    rows = [_word(spec, subject.model, *word) for word in words]
    return {"spec": spec, "rows": rows}


def _word(spec, model, log_emit, log_z, label):
    found, ms = time_task(_estimate, spec, model, log_emit)
    row = {"ms": round(ms, 3), "log_z": round(found.log_z - float(log_z), 5)}
    row["posterior"] = round(float(np.abs(found.label - label).sum(axis=1).mean() / 2), 5)
    if "n" in spec:
        interval = found.interval
        row["given"] = interval is not None
        row["right"] = bool(interval and interval[0] <= log_z <= interval[1])
    return row


def _estimate(spec, model, log_emit):
    """The ``_Estimate`` of one method."""
    if "n" not in spec:
        lattice, _ = BY_BUDGET[spec["method"]](model, log_emit, spec["budget"], record=False)
        table = posterior(lattice)
        return _Estimate(table.log_z, table.label, None)
    found = BY_DRAWS[spec["method"]](model, log_emit, spec["budget"], spec["n"], bound=spec["bound"], seed=spec["seed"])
    return _Estimate(found.log_z, found.label, found.interval)


def report(plan: Plan, results: list[dict]) -> Report:
    """The best that each method does within a time, then every setting."""
    kind = "of Kassel's words" if plan.data == "kassel" else "words by the pen"
    parts = [
        f"# What a proposal is worth\n\n{results[0]['spec']['words']} {kind} that the model has not learnt from, order "
        "3; log Z and label posteriors of the full model against exact inference. *log Z off by*: "
        "mean and median of the absolute difference in nats; *posteriors off by*: mean total variation distance of the "
        "labels; ms: CPU time per word on one core, posteriors included, everybody by the stepwise builders. RCMS and "
        "its draws have the same budget; with a bound half of the draws are from the lattice of maxima."
    ]
    for most in TIMES:
        lines = [_line(one) for one in _best_within(results, most)]
        parts += [f"## Within {most:.0f} ms", tables.markdown_table(HEADS, lines)]
    parts += [
        "## All settings",
        tables.markdown_table(HEADS, [_line(one) for one in results]),
        _quality_sentence(results),
    ]
    runs = [one["spec"] | _means(one["rows"]) for one in results]
    document = {"table": "importance", "plan": asdict(plan), "runs": runs}
    return Report("importance", "\n\n".join(parts) + "\n", document)


def _best_within(results, most):
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
    given, right = (tables.number_text(means.get(name), 2) for name in ("given", "right"))
    numbers = [f"{means['ms']:.1f}", *(f"{means[name]:.4f}" for name in ("log_z_off", "log_z_median", "posterior_off"))]
    return [spec["method"], setting, *numbers, given, right]


def _quality_sentence(results):
    """The quality of a proposal, from the numbers of this run."""
    rows = [row for one in results if one["spec"].get("bound") for row in one["rows"]]
    blind = [row["log_z"] for one in results if one["spec"].get("bound") == 0 for row in one["rows"]]
    within = {_method_text(one["spec"]): _means(one["rows"])["log_z_off"] for one in _best_within(results, TIMES[1])}
    claims = [
        intervals_claim([row["right"] for row in rows if row["given"]], len(rows)),
        low_claim(blind),
        nearest_claim(within, TIMES[1]),
    ]
    return f"## What comes out\n\n{conclusions.claims_table(claims)}"


def _method_text(spec):
    return spec["method"] + (" with a bound" if spec.get("bound") else "")


def intervals_claim(right: Sequence[bool], samples: int) -> tuple:
    """Whether the intervals that are given hold the exact log Z as often as they promise.

    >>> intervals_claim([True, True, False, True], 10)
    ('with a bound, intervals hold the exact log Z in 95 % of the cases', '.750 of 4 given by 10 samples', False)
    """
    share = float(np.mean(right)) if right else None
    found = f"{tables.number_text(share)} of {len(right):,} given by {samples:,} samples" if right else "none given"
    true = None if share is None else share >= PROMISED
    return f"with a bound, intervals hold the exact log Z in {percent(PROMISED)} of the cases", found, true


def low_claim(off: Sequence[float]) -> tuple:
    """Whether most estimates without a bound lie below the truth: what RCMS gives too little is rarely drawn."""
    low = float(np.mean(np.array(off) < 0))
    text = "without a bound, most estimates of log Z are too low, though those of Z are unbiased"
    return text, f"{tables.number_text(low, 2)} of {len(off):,}", conclusions.above(low, 0.5, 2)


def nearest_claim(off: Mapping[str, float], most: float) -> tuple:
    """Whether a way that draws is nearest to log Z among those that take at most ``most`` ms; mean distance by way."""
    text = f"within {most:.0f} ms, drawing is nearer to log Z than a larger budget"
    drawing = {name: value for name, value in off.items() if name.partition(" with ")[0] in BY_DRAWS}
    if not drawing or len(drawing) == len(off):
        return text, "one kind only took no longer", None
    nearest = conclusions.best_keys({name: -value for name, value in off.items()}, 4)
    found = f"nearest: {conclusions.list_words(nearest)}, off by {off[nearest[0]]:.4f}"
    ahead = [name in drawing for name in nearest]
    return text, found, conclusions.TIED if len(set(ahead)) > 1 else ahead[0]
