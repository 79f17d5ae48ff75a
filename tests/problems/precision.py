"""Random problems for the batch driver over all ranges of scores, and its errors.

``python -m problems.precision 20000``, in ``tests/``, compares this many words of each method and precision with the
stepwise driver. It prints the largest errors and how many words needed double precision or logs.
"""

import argparse
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import product
from unittest import mock

import numpy as np

import rcmviz as rv
from rcmviz.core.inference import batch

PLAIN = ("rcms", "beam", "greedy", "repaired", "exact")
MOST_STATES = 3_000  # of exact inference
MOST_ARCS = 60_000  # of a word, so that the stepwise driver takes milliseconds
TOLERANCE = {"f4": 1e-4, "f8": 1e-6}  # scores of 1e6 nats have an ulp of 1e-10, summed over 300 positions
NEAR_TIE = {"f4": 1e-5, "f8": 1e-12}  # relative gap between the lightest kept and the heaviest dropped candidate


@dataclass(frozen=True)
class Task:
    """A model, emissions of some words, and how they are decoded."""

    model: rv.NgramModel
    words: list[np.ndarray]
    method: str
    budget: int
    passes: int

    def lattice(self, word):
        """Return the lattice of the stepwise driver, the definition."""
        if self.method == "exact":
            return rv.exact(self.model, word)
        if self.method in ("beam", "greedy"):
            return rv.beam(self.model, word, 1 if self.method == "greedy" else self.budget)
        root_weight = self.model.root_weight if self.method == "repaired" else None
        return rv.rcms(self.model, word, self.budget, passes=self.passes, root_weight=root_weight)


@dataclass
class Comparison:
    """The largest errors of a method in a precision: of log Z and log scores relative to max(1, their size)."""

    words: int = 0
    log_z: float = 0.0
    log_prob: float = 0.0
    best: float = 0.0
    posterior: float = 0.0
    ties: int = 0
    wrong: list = field(default_factory=list)


def draw(rng, method):
    """A `Task` of four words: half of the tasks of any size, half where masses underflow in single precision."""
    task = _narrow(rng, method) if rng.random() < 0.5 else _wide(rng, method)
    if rng.random() < 0.35:
        for word in task.words:
            word[rng.random(word.shape) < 0.3] = -np.inf
    if rng.random() < 0.3:
        task = replace(task, words=[word.astype("f4") for word in task.words])
    return task


def _wide(rng, method):
    """Windows and emissions within ±1e-3 to ±1e4 nats, 2 to 100 labels, 1 to 300 positions."""
    labels = int(np.exp(rng.uniform(np.log(2), np.log(100))))
    order = int(rng.integers(1, 4))
    while method == "exact" and labels**order > MOST_STATES:
        order -= 1
        labels = min(labels, MOST_STATES)
    scale, spread = 10 ** rng.uniform(-3, 4, size=2) if rng.random() < 0.5 else 10 ** rng.uniform(-1, 2, size=2)
    budget = int(np.exp(rng.uniform(0, np.log(80))))
    width = labels**order if method == "exact" else budget
    longest = max(1, min(300, MOST_ARCS // (width * labels)))
    length = int(np.exp(rng.uniform(0, np.log(longest + 1))))
    return _task(rng, method, (labels, order, scale), budget, (length, spread))


def _narrow(rng, method):
    """Few labels, each score within the range of single precision, and contexts that fall far behind each other."""
    labels, order, budget = int(rng.integers(2, 6)), int(rng.choice([1, 1, 1, 2])), int(np.exp(rng.uniform(1, 5)))
    scale, spread = rng.uniform(8, 33), rng.uniform(0.1, 2)
    return _task(rng, method, (labels, order, scale), budget, (int(rng.integers(2, 40)), spread), every_window=True)


def _task(rng, method, shape, budget, size, every_window=False):
    (length, spread), model = size, random_model(rng, *shape, every_window)
    words = [spread * rng.uniform(-1, 1, size=(length, shape[0])) for _ in range(4)]
    return Task(model, words, method, budget, int(rng.choice([1, 1, 1, 1, 2, 3])) if method == "rcms" else 1)


def random_model(rng, labels, order, scale, every_window):
    """An `rv.NgramModel` with some windows or with every window; in a quarter of the models a tenth is impossible."""
    names = [f"y{y}" for y in range(labels)]
    impossible = 0.1 * (rng.random() < 0.25)
    if every_window:
        known = [prefix for length in range(order + 1) for prefix in product(names, repeat=length)]
        prefixes = [
            ("^",) * begun + ("*",) * (order - begun - len(prefix)) + prefix
            for prefix in known
            for begun in range(order - len(prefix) + 1)
        ]
        chosen = [(*prefix, name) for prefix in prefixes for name in names]
    else:
        chosen = []
        for _ in range(int(rng.choice([3, 40, 300]))):
            known = [names[y] for y in rng.integers(labels, size=rng.integers(0, order + 1))]
            chosen.append((*["*"] * (order - len(known)), *known, names[rng.integers(labels)]))
    weights = scale * rng.uniform(-1, 1, size=len(chosen))
    weights[rng.random(len(chosen)) < impossible] = -np.inf
    mode = "single" if every_window else str(rng.choice(["single", "additive"]))
    return rv.NgramModel.from_windows(names, order, dict(zip(chosen, weights.tolist(), strict=True)), mode=mode)


def compare(task, dtype, into):
    """Compare `rv.infer_batch` with the stepwise driver and keep the largest errors in ``into``, a `Comparison`."""
    found = rv.infer_batch(
        task.model, task.words, task.method, task.budget, passes=task.passes, dtype=dtype, posterior=True, threads=1
    )
    for w, word in enumerate(task.words):
        lattice, trace = task.lattice(word)
        errors = errors_of(found, w, lattice)
        into.words += 1
        if not max(errors) < TOLERANCE[dtype]:
            if gap(trace) < NEAR_TIE[dtype]:
                into.ties += 1
                continue
            into.wrong.append((task, w, errors))
        for name, error in zip(("log_z", "log_prob", "best", "posterior"), errors, strict=True):
            setattr(into, name, max(getattr(into, name), error))


def errors_of(found, w, lattice):
    """Errors of word w in log Z, log probability, best score and posteriors; inf if one is not finite."""
    log_z = rv.log_z(lattice)
    if log_z == -np.inf:
        impossible = found.log_z[w] == -np.inf and found.log_prob[w] == -np.inf and not found.posterior[w].any()
        return (0.0 if impossible else np.inf,) * 4
    best, size = rv.viterbi(lattice), max(1.0, abs(log_z))
    errors = (
        abs(found.log_z[w] - log_z) / size,
        abs(found.log_prob[w] - best.log_prob) / size,
        (best.log_score - score_of(lattice, found.labels[w])) / size,
        np.abs(found.posterior[w] - rv.posterior(lattice).label).max(),
    )
    return tuple(float(error) if np.isfinite(error) else np.inf for error in errors)


def score_of(lattice, labels):
    """The log score of an output, arc by arc."""
    context, score = int(lattice.offset[0]), 0.0
    for y in labels:
        if context < 0:
            return -np.inf
        score += lattice.score[context, y]
        context = int(lattice.target[context, y])
    return score


def gap(trace):
    """The smallest relative gap, over positions, between the lightest kept and the heaviest dropped candidate."""
    smallest = np.inf
    for i in range(1, len(trace.offset) - 1):
        keys, fates = trace.key[trace.candidates(i)], trace.fate(i)
        kept, dropped = keys[fates == 0], keys[fates != 0]
        dropped = dropped[dropped > -np.inf]
        if len(kept) and len(dropped):
            smallest = min(smallest, abs(kept.min() - dropped.max()))
    return smallest


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", type=int, help="of each method and precision")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print(
        "| method | precision | words | near ties | in double | on logs | log Z | log prob | best | posterior | wrong |"
    )
    for method in PLAIN:
        for dtype in ("f4", "f8"):
            rng, result, counts = np.random.default_rng(given.seed), Comparison(), Counter()
            with mock.patch.object(batch, "_run_words", side_effect=counting(batch._run_words, counts)):
                while result.words < given.words:
                    compare(draw(rng, method), dtype, result)
            errors = " | ".join(
                f"{error:.1e}" for error in (result.log_z, result.log_prob, result.best, result.posterior)
            )
            print(
                f"| {method} | {dtype} | {result.words:,} | {result.ties} | {counts['f8']:,} | {counts['logs']:,} "
                f"| {errors} | {len(result.wrong)} |",
                flush=True,
            )
            for task, w, errors in result.wrong[:3]:
                print(task.method, task.budget, task.passes, task.words[w].shape, errors)


def counting(run_words, counts):
    """``run_words``, which adds up how many words are answered on which masses."""

    def run(model, given, offset, which, how, outputs, logs, **more):
        counts["logs" if logs else "f8" if given[1] is None else "f4"] += int(which.sum())
        return run_words(model, given, offset, which, how, outputs, logs, **more)

    return run


if __name__ == "__main__":
    main()
