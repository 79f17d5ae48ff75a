"""A few candidates of many labels, in one run: cutting, building, RCMS with posteriors; their time and their memory.

    OMP_NUM_THREADS=1 python benchmarks/candidates.py [--labels 50000] [--positions 200] [--top 64] [--budget 50]

Texts are made: a word is followed by one of 20 words of its own with probability .8, else by any, by Zipf's law. A
3-gram model is trained on a million words of them. The classifier is made too: at every position the right word, 200
words that it takes it for, and noise on all labels. CPU time of one thread, the best of the repeats, which are
interleaved; ratios are to numpy's ``argpartition`` of the same matrix, which says nothing of the mass that is cut off.
The dense beam scores all labels after each of its histories, without candidates; it is timed for a few positions.
Memory is what the process takes at its peak beyond what it held before, with scores and language model loaded (Linux).
"""

import argparse
import ctypes
import json
import time
import tracemalloc
from pathlib import Path

import numpy as np
from engine import show

import rcmviz as rv

FOLLOWERS, OWN = 20, 0.8
MISTAKEN, NOISE = 200, 1.0
RESET = Path("/proc/self/clear_refs")


def text_of(count, width, seed):
    """Word numbers (count,) of a made text."""
    rng = np.random.default_rng(seed)
    zipf = 1.0 / np.arange(1, width + 1)
    anywhere = rng.choice(width, count, p=zipf / zipf.sum())
    followers = np.random.default_rng(0).choice(width, (width, FOLLOWERS), p=zipf / zipf.sum())
    own, which = rng.random(count) < OWN, rng.integers(0, FOLLOWERS, count)
    words = anywhere.tolist()
    for k in range(1, count):
        if own[k]:
            words[k] = int(followers[words[k - 1], which[k]])
    return np.array(words)


def classifier_scores(gold, width, seed=2):
    """Log probabilities (T, V) in single precision: the gold label is among the heavy ones, not always on top."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(0.0, NOISE, (len(gold), width)).astype(np.float32)
    for row, label in zip(scores, gold, strict=True):
        row[rng.integers(0, width, MISTAKEN)] += 12.0 - 6.0 * rng.random(MISTAKEN, np.float32) ** 0.5
        row[label] += 11.0
    top = scores.max(axis=1, keepdims=True)
    scores -= top + np.log(np.exp(scores - top).sum(axis=1, keepdims=True))
    return scores


def dense_beam(lm, names, scores, budget):
    """The last histories of a beam that scores all labels: (budget, 2) word ids."""
    words = lm.ids(names)
    known, mass = np.array([[-1, lm.begin]], np.int32), np.zeros(1)
    for row in scores:
        total = mass[:, None] + row + lm.log_rows(known, words)
        best = np.argpartition(-total, budget, axis=None)[:budget]
        at, label = np.divmod(best, len(words))
        known, mass = np.stack([known[at, 1], words[label]], axis=1), total.ravel()[best]
    return known


def best_seconds(tasks, repeats):
    """Best CPU seconds of each task, ``{name: callable}``, interleaved, after one call of each."""
    best = {name: np.inf for name, task in tasks.items() if task() is not None}
    for _ in range(repeats):
        for name, task in tasks.items():
            started = time.process_time()
            task()
            best[name] = min(best[name], time.process_time() - started)
    return best


def peak_megabytes(task):
    """(What resident memory rises by while a task runs, NaN where the system does not say; the peak of allocations)."""
    risen, _ = resident_peak(task)
    tracemalloc.start()
    task()
    _, allocated = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return risen, allocated / 1e6


def resident_peak(task):
    """(MB that resident memory rises by while a task runs, NaN where the system does not say; the task's answer)."""
    if not RESET.exists():
        return np.nan, task()
    ctypes.CDLL(None).malloc_trim(0)  # what is free goes back to the system, so that it counts again
    RESET.write_text("5")  # the peak so far is forgotten
    before = _kilobytes("VmRSS")
    answer = task()
    return (_kilobytes("VmHWM") - before) / 1024, answer


def _kilobytes(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name + ":"))


def share_right(lattice, gold):
    """Share of positions where the best output has the right word."""
    return float(np.mean(np.array(rv.viterbi(lattice).labels) == gold))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=int, default=50_000)
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--top", type=int, default=64)
    parser.add_argument("--budget", type=int, default=50)
    parser.add_argument("--order", type=int, default=3)
    parser.add_argument("--words", type=int, default=1_000_000, help="of the text that is learned from")
    parser.add_argument("--dense", type=int, default=3, help="positions of the dense beam")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--json", default=None)
    given = parser.parse_args()
    names = [f"w{y}" for y in range(given.labels)]
    text = [names[y] for y in text_of(given.words, given.labels, seed=1).tolist()]
    sentences = [text[k : k + 20] for k in range(0, len(text), 20)]
    lm = rv.train_lm([*sentences, names], given.order, cutoffs=(0,) * given.order)  # each word at least once
    gold = text_of(given.positions, given.labels, seed=3)
    scores = classifier_scores(gold, given.labels)

    def cut():
        return rv.top_candidates(scores, given.top)

    def hmm_of(candidates):
        return rv.HMM(lm, *candidates.named(names), end=False)

    def build(builder, hmm):
        return builder(hmm, budget=given.budget, record=False)[0]

    candidates = cut()
    hmm = hmm_of(candidates)
    scorer = rv.ScorerModel(lm, names, candidates=candidates)
    lattice = build(rv.rcms, hmm)
    rv.posterior(lattice)
    inference_memory = peak_megabytes(lambda: rv.posterior(build(rv.rcms, hmm)))
    memory = peak_megabytes(lambda: rv.posterior(build(rv.rcms, hmm_of(cut()))))
    dense_name = f"dense beam, {given.dense} positions"
    tasks = {
        "numpy's argpartition": lambda: np.argpartition(scores, -given.top, axis=1),
        "cut the candidates": cut,
        "make the HMM": lambda: hmm_of(candidates).scores(hmm.log_emit),
        "RCMS: forward": lambda: build(rv.rcms, hmm),
        "RCMS: backward and posteriors": lambda: rv.posterior(lattice),
        "beam, with posteriors": lambda: rv.posterior(build(rv.beam, hmm)),
        "RCMS by a scorer, with posteriors": lambda: rv.posterior(build(rv.rcms, scorer)),
        dense_name: lambda: dense_beam(lm, names, scores[: given.dense], given.budget),
    }
    best = best_seconds(tasks, given.repeats)
    floor = best["numpy's argpartition"]
    steps = [{"step": name, "CPU ms": 1e3 * spent, "to argpartition": spent / floor} for name, spent in best.items()]
    inference = best["RCMS: forward"] + best["RCMS: backward and posteriors"]
    right = np.array(names)[gold]
    result = {
        "inference (RCMS with posteriors), CPU ms": 1e3 * inference,
        "all steps, CPU ms": 1e3 * (inference + best["cut the candidates"] + best["make the HMM"]),
        "dense beam of as many positions, to inference": best[dense_name] * given.positions / given.dense / inference,
        "inference, peak MB: resident": inference_memory[0],
        "inference, peak MB: allocated": inference_memory[1],
        "all steps, peak MB: resident": memory[0],
        "all steps, peak MB: allocated": memory[1],
        "scores (T, V), MB": scores.nbytes / 1e6,
        "mass dropped, mean of positions": float(candidates.dropped.mean()),
        "mass dropped, worst position": float(candidates.dropped.max()),
        "gold among the candidates": float(np.mean((candidates.choices == gold[:, None]).any(axis=1))),
        "positions right: scores alone": float(np.mean(scores.argmax(axis=1) == gold)),
        "positions right: RCMS": share_right(lattice, right),
        "positions right: beam": share_right(build(rv.beam, hmm), right),
    }
    show("CPU time", steps)
    for name, value in result.items():
        print(f"{name}: {value:.3g}")
    if given.json:
        Path(given.json).write_text(json.dumps({"settings": vars(given), "steps": steps, **result}, indent=1))


if __name__ == "__main__":
    main()
