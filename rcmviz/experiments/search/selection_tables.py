"""Learned selection compared with one, two or three passes of RCMS: log Z lost, accuracy and recall at ten contexts."""

import time
from collections.abc import Sequence

import numpy as np

from rcmviz.core.builders.build import rcms, rcms_with_heuristic
from rcmviz.core.inference.batch import infer_batch
from rcmviz.core.inference.infer import log_z, viterbi
from rcmviz.evaluation.confidence import recall_at_precision
from rcmviz.experiments import tables
from rcmviz.experiments.report import Plan
from rcmviz.experiments.search import selection
from rcmviz.experiments.trainings import split_words
from rcmviz.learn.settings import Training
from rcmviz.learn.trainer import train

SOURCES = (
    "kernels/chain",
    "kernels/learn",
    "core/builders/build.py",
    "core/builders/passes.py",
    "core/models/model.py",
    "core/models/model_tables.py",
    "learn/settings.py",
    "learn/trainer.py",
    "experiments/search/selection.py",
    "tasks/handwriting/letter_data.py",
)
BUDGET, LEARNT_FROM, FOLDS = 10, 100, 10  # contexts, words that a scorer learns from
TESTED = (1, 4, 7)  # folds; the one after each is the scorer's, the model learns from the other eight
RECIPE = Training()  # of the shipped models: order 3, ten contexts, one pass, 20 epochs
ROWS = {
    "one pass": "passes:1",
    "two passes": "passes:2",
    "three passes": "passes:3",
    "next emission, not learnt": "next:1",
    "next emission, then a second pass": "next:2",
    "learnt": "learnt:1",
    "learnt, then a second pass": "learnt:2",
    "the expert itself": "expert:1",
}


def specs(plan: Plan) -> list[dict]:
    """One per fold that is tested."""
    tested = TESTED[: 2 if plan.quick else 3]
    epochs = 1 if plan.quick else RECIPE.epochs
    return [{"task": "selection", "data": plan.data, "fold": fold, "epochs": epochs} for fold in tested]


def effort(spec: dict) -> float:
    """Seconds, roughly."""
    return 40.0 + 4 * spec["epochs"]


def cell(spec: dict) -> dict:
    """Per row of ``ROWS`` lost mass and accuracy on the tested fold; and the weights of the scorer."""
    fold, next_one = spec["fold"], (spec["fold"] + 1) % FOLDS
    learning, test = split_words(spec["data"], fold, (next_one,))
    *_, state = train(learning, Training.from_dict(RECIPE.to_dict() | {"epochs": spec["epochs"]}))
    model = state.model
    seen = split_words(spec["data"], next_one)[1]
    seen = seen.take(np.arange(min(LEARNT_FROM, len(seen))))
    began = time.process_time()
    words = [selection.ScoredWord(model, one) for one in seen.log_emits(model.emission)]
    scorer = selection.learn_scorer(words, BUDGET)
    seconds = time.process_time() - began
    log_emits = test.log_emits(model.emission)
    exact = infer_batch(model, log_emits, "exact", threads=1)
    rows = {name: _row(how, model, log_emits, scorer, test.golds(), exact.log_z) for name, how in ROWS.items()}
    right = [np.array_equal(*pair) for pair in zip(exact.labels, test.golds(), strict=True)]
    rows["exact inference"] = _measures(np.exp(exact.log_prob), np.array(right), 0.0, 0.0)
    weights = dict(zip(selection.FEATURES, np.round(scorer.weights, 3).tolist(), strict=True))
    return {"rows": rows, "weights": weights, "seconds": round(seconds, 1)}


def _row(how, model, log_emits, scorer, golds, log_zs):
    kind, _, passes = how.partition(":")
    promises = {"next": lambda word: word.next_emission, "learnt": scorer.promise, "expert": lambda word: word.expert}
    began, lattices = time.process_time(), []
    for log_emit in log_emits:
        if kind == "passes":
            lattice, _ = rcms(model, log_emit, BUDGET, passes=int(passes), record=False)
        else:
            lattice = rcms_with_heuristic(
                model, log_emit, promises[kind](selection.ScoredWord(model, log_emit)), BUDGET, int(passes)
            )
        lattices.append(lattice)
    seconds = time.process_time() - began
    best = [viterbi(lattice) for lattice in lattices]
    right = np.array([np.array_equal(one.indices, gold) for one, gold in zip(best, golds, strict=True)])
    off = np.mean([abs(log_z(lattice) - exact) for lattice, exact in zip(lattices, log_zs, strict=True)])
    return _measures(np.exp([one.log_prob for one in best]), right, float(off), 1e3 * seconds / len(lattices))


def _measures(confidence, right, off, milliseconds):
    recall = recall_at_precision(confidence, right, 0.99)
    return {"accuracy": float(right.mean()), "recall_99": float(recall), "off": off, "ms": milliseconds}


def sections(plan: Plan, results: Sequence[dict]) -> str:
    """One table."""
    heads = "candidates ranked by", "log Z off by, nats", "word accuracy", "recall @ 99 %", "CPU ms a word"
    lines = []
    for name in results[0]["rows"]:
        found = [one["rows"][name] for one in results]
        cells = [tables.spread([one[key] for one in found]) for key in ("off", "accuracy", "recall_99")]
        milliseconds = f"{np.mean([one['ms'] for one in found]):.2f}" if "exact" not in name else ""
        lines.append([name, *cells, milliseconds])
    weights = "; ".join(
        f"{name} {tables.spread([one['weights'][name] for one in results], 2)}" for name in selection.FEATURES
    )
    text = (
        f"{plan.described}, 8 × 4 pixels, {BUDGET} contexts, the recipe of the shipped models on eight folds; the "
        f"scorer learns from {LEARNT_FROM} words of a ninth, and {len(results)} folds that chose nothing are the test, "
        "one by one. *Log Z off by*: the mean distance to the exact one. *Next emission*: mass × Σ of what the next "
        "label can weigh. *Learnt*: mass × e^(weights · features). *The expert* knows the exact message of each "
        f"candidate. CPU: the stepwise driver in Python, features in numpy, the same for all. Weights: {weights}."
    )
    return "\n\n".join(("## Learned selection", text, tables.markdown(heads, lines)))
