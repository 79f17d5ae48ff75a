"""Speed of training: examples per second, where the time goes, two trainings at once, and CRFsuite for scale.

    python benchmarks/training.py [--repeats 5] [--json results.json]

Kassel's words outside the test fold where the data is found, else words of the pen. A training runs on one core; every
number is the best of the repeats, after two epochs that are not counted.
"""

import argparse
import json
import tempfile
import threading
import time

import numpy as np
from engine import show
from numba import njit

import rcmviz as rv
from rcmviz.core.batch import infer_batch
from rcmviz.data import registry
from rcmviz.kernels.chain.contexts import POWERS
from rcmviz.kernels.learn import train as kernel
from rcmviz.kernels.learn.train_features import emissions
from rcmviz.kernels.learn.weights import EMISSION, WEIGHT
from rcmviz.tasks import TEST_FOLD
from rcmviz.tasks.handwriting import letter_data, pen

SETTINGS = {
    "RCMS 5": {"budget": 5}, "RCMS 10": {}, "beam 10": {"method": "beam"}, "repaired 10": {"method": "repaired"},
    "RCMS 10 additive": {"mode": "additive"}, "RCMS 10 hashed": {"table": "hashed"},
    "RCMS 10 additive, 2 passes, averaged": {"mode": "additive", "passes": 2, "average": True},
    "RCMS 50": {"budget": 50}, "RCMS 200": {"budget": 200},
}  # fmt: skip
EXACT_WORDS = 400
TITLES = "one core", "double and single precision", "RCMS 10, an example", "at once", "for scale"
IN_SINGLE = {
    "RCMS 5": {"budget": 5}, "RCMS 10": {}, "beam 10": {"method": "beam"}, "RCMS 10, averaged": {"average": True},
    "RCMS 10, additive": {"mode": "additive"}, "beam 10, additive": {"method": "beam", "mode": "additive"},
    "RCMS 50": {"budget": 50}, "RCMS 50, additive": {"budget": 50, "mode": "additive"}, "RCMS 200": {"budget": 200},
    "RCMS 10, 2 passes": {"passes": 2},
    "RCMS 10, additive, 2 passes, averaged": {"mode": "additive", "passes": 2, "average": True},
    "exact, order 1": {"method": "exact", "order": 1},
    "exact, order 1, additive": {"method": "exact", "order": 1, "mode": "additive"},
}  # fmt: skip


def load():
    """(source, words to learn from, words of the test fold)."""
    source = "kassel" if registry.find("ocr") else "pen"
    words = letter_data.load_words() if source == "kassel" else pen.pen_words(7_000, seed=1)
    return source, *letter_data.split(words, TEST_FOLD)


def warmed(data, **settings):
    """A trainer two epochs on that makes no models of its states."""
    trainer = rv.Trainer(data, rv.Training(epochs=1_000, **settings))
    trainer.model = lambda: None
    for _ in range(2):
        trainer.advance()
    return trainer


def best_epoch(trainer, repeats):
    """Best seconds of an epoch."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        trainer.advance()
        times.append(time.perf_counter() - start)
    return min(times)


def method_rows(data, repeats):
    """Every method's speed on one core."""
    rows = []
    for name, settings in SETTINGS.items():
        seconds = best_epoch(warmed(data, **settings), repeats)
        rows.append({"training": name, "examples_per_s": len(data) / seconds, "epoch_s": seconds})
    few = data.take(np.arange(EXACT_WORDS))
    seconds = best_epoch(warmed(few, method="exact"), 1) * len(data) / EXACT_WORDS
    return [*rows, {"training": "exact", "examples_per_s": len(data) / seconds, "epoch_s": seconds}]


def precision_rows(data, repeats):
    """Double and single precision in turns: examples per second of the processor, and the ratio."""
    rows = []
    for name, settings in IN_SINGLE.items():
        trainers = [warmed(data, precision=precision, **settings) for precision in ("f8", "f4")]
        seconds = np.zeros((repeats, 2))
        for repeat, k in np.ndindex(seconds.shape):
            start = time.process_time()
            trainers[k].advance()
            seconds[repeat, k] = time.process_time() - start
        double, single = len(data) / seconds.min(axis=0)
        rows.append({"training": name, "double_per_s": double, "single_per_s": single, "ratio": single / double})
    return rows


@njit(nogil=True)
def without_update(inferring, data, weights, plan, address):
    """Emissions of all examples and, where ``inferring``, selection, log Z and expected counts too."""
    offset, begin, feature, value, _ = data
    longest = np.max(offset[1:] - offset[:-1])
    order = address[POWERS].size - 1
    log_emits, emits, labels, _, spaces, arcs, _ = kernel.working_arrays(data, longest, plan, weights, order)
    for w in range(offset.size - 1):
        length = offset[w + 1] - offset[w]
        log_emit, emit, label = log_emits[:length], emits[:length], labels[:length]
        entries = begin[offset[w] : offset[w + 1] + 1]
        near = emissions(entries, feature, value, weights[EMISSION][WEIGHT], log_emit, emit)
        if inferring:
            kernel.infer_example(near, log_emit, emit, plan, address, weights, spaces, arcs, label)


def split_row(data, repeats):
    """Microseconds per example at B = 10: emissions, inference, and the update, which is the rest of an epoch."""
    trainer = warmed(data)
    arrays = data.offset, data.start, data.feature, data.value, data.gold
    address = trainer.shape.powers, trainer.shape.base, np.zeros(0, np.int64), False
    plan = 1, kernel.NUMERATOR, (trainer.budget, False, (True, True, np.iinfo(np.int64).max, 0.0))
    microseconds = []
    for inferring in (False, True):
        times = []
        for _ in range(repeats + 1):
            start = time.perf_counter()
            without_update(inferring, arrays, trainer.tables.for_kernels, plan, address)
            times.append(time.perf_counter() - start)
        microseconds.append(min(times[1:]) / len(data) * 1e6)
    whole = best_epoch(trainer, repeats) / len(data) * 1e6
    emissions, inference = microseconds
    parts = {"emissions_us": emissions, "inference_us": inference - emissions, "update_us": whole - inference}
    return parts | {"all_us": whole}


def core_rows(data, repeats):
    """One training, and two at once in threads of their own, as the Learn page runs them."""
    rows = []
    for count in (1, 2):
        trainers = [warmed(data, seed=seed) for seed in range(count)]
        threads = [threading.Thread(target=best_epoch, args=(trainer, repeats)) for trainer in trainers]
        start = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.perf_counter() - start
        rows.append({"trainings": count, "examples_per_s": count * repeats * len(data) / seconds})
    return [row | {"speed_up": row["examples_per_s"] / rows[0]["examples_per_s"]} for row in rows]


def accuracy(batch, data):
    """Share of the sequences that are read without a mistake."""
    return float(np.mean([np.array_equal(*pair) for pair in zip(batch.labels, data.golds(), strict=True)]))


def order_1_rows(learning, test):
    """Order-1 exact training: ours until it reads as many test words as CRFsuite's, and CRFsuite's own."""
    try:
        import pycrfsuite
    except ImportError:
        return []
    start = time.perf_counter()
    theirs = crfsuite_accuracy(pycrfsuite, learning, test)
    rows = [{"order-1 exact": "CRFsuite (L-BFGS)", "seconds": time.perf_counter() - start, "test_accuracy": theirs}]
    data, unseen = letter_data.word_sequences(learning), letter_data.word_sequences(test)
    warmed(data.take([0]), method="exact", order=1)
    for state in rv.train(data, rv.Training("exact", order=1, epochs=30)):
        ours = accuracy(infer_batch(state.model, unseen.log_emits(state.model.emission), "exact", threads=1), unseen)
        if ours >= theirs:
            break
    name = f"rcmviz (AdaGrad, {state.epoch} epochs)"
    return [{"order-1 exact": name, "seconds": state.seconds, "test_accuracy": ours}, *rows]


def crfsuite_accuracy(pycrfsuite, learning, test):
    """Train CRFsuite with its defaults; share of the test words that it reads without a mistake."""

    def items(word):
        return [[f"p{j}" for j in np.flatnonzero(row)] for row in letter_data.features(word.images)]

    trainer = pycrfsuite.Trainer(verbose=False)
    for word in learning:
        trainer.append(items(word), list(word.letters))
    with tempfile.TemporaryDirectory() as folder:
        trainer.train(f"{folder}/order-1.crf")
        tagger = pycrfsuite.Tagger()
        tagger.open(f"{folder}/order-1.crf")
        return float(np.mean(["".join(tagger.tag(items(word))) == word.letters for word in test]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", default=None)
    options = parser.parse_args()
    source, learning, test = load()
    data = letter_data.word_sequences(learning)
    print(f"{len(data):,} words to learn from ({source}), {data.positions:,} letters, order 3")
    results = {
        "methods": method_rows(data, options.repeats),
        "precisions": precision_rows(data, options.repeats),
        "split": [split_row(data, options.repeats)],
        "cores": core_rows(data, options.repeats),
        "order_1": order_1_rows(learning, test),
    }
    for title, rows in zip(TITLES, results.values(), strict=True):
        if rows:
            show(title, rows)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"source": source, **results}, file, indent=1)


if __name__ == "__main__":
    main()
