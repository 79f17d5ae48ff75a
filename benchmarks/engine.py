"""Speed of the engine, as ratios measured in one run: RCMS to beam, to one multiply pass, to CRFsuite and hmmlearn.

    python benchmarks/engine.py [--repeats 15] [--json results.json]

Test words (fold 1) of Kassel's letters where the data is found, else of the pen. One core unless said otherwise; every
number is the best of the repeats, which are interleaved so that a noisy neighbour meets all rows alike.
"""

import argparse
import json
import tempfile
import time
from itertools import pairwise

import numba
import numpy as np
from numba import njit
from rich.console import Console
from rich.table import Table

import rcmviz as rv
from rcmviz.core import vectors
from rcmviz.core.batch import Search, run_kernels, run_threads
from rcmviz.core.scores import scaled_emissions
from rcmviz.data import registry
from rcmviz.kernels.chain import dense, words
from rcmviz.tasks import TEST_FOLD
from rcmviz.tasks.handwriting import letter_data, pen

BUDGETS = (10, 50, 200)


@njit(nogil=True)
def multiply_pass(a, b, out):
    """One vectorised multiply over all expansions of a batch: the floor."""
    for j in range(out.size):
        out[j] = a[j] * b[j]


def best_times(tasks, repeats):
    """Best seconds of each task, ``{name: callable}``, interleaved."""
    for task in tasks.values():
        task()
    best = dict.fromkeys(tasks, np.inf)
    for _ in range(repeats):
        for name, task in tasks.items():
            start = time.perf_counter()
            task()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def load():
    source = "kassel" if registry.find("ocr") else "pen"
    model = rv.load_model(f"handwriting-{source}")
    everything = letter_data.load_words() if source == "kassel" else pen.pen_words(7_000, seed=1)
    test = letter_data.fold_words(everything, TEST_FOLD)
    log_emits = [model.log_emit(letter_data.features(word.images)) for word in test]
    return source, model, test, log_emits


def bulk_task(model, log_emits, method, budget, threads=1, viterbi=True):
    """The kernel call alone: forward, backward and posteriors, and Viterbi where asked for."""
    offset = np.concatenate([[0], np.cumsum([len(emit) for emit in log_emits])]).astype(np.int64)
    emit, _ = scaled_emissions(np.concatenate(log_emits), False, "f4")
    labels = np.zeros(len(emit) if viterbi else 0, np.int64)
    out, posterior = np.zeros((len(log_emits), 2)), np.zeros_like(emit)
    table, rule = model.table(False, "f4"), (method == "rcms", True, np.iinfo(np.int64).max, 0.0)
    work, outputs = (budget, 1, False, False), (labels, out, posterior)
    call = emit, offset, work, table, model.address, rule, outputs
    return lambda: run_threads(words.infer_words, threads, *call)


def count_expansions(model, log_emits, method, budget):
    """Arcs that a pass touches, summed over words (early positions hold fewer contexts than the budget)."""
    build = rv.rcms if method == "rcms" else rv.beam
    lattices = [build(model, emit, budget, record=False)[0] for emit in log_emits[::10]]
    return sum((lattice.C - 1) * len(model.labels) for lattice in lattices) / len(lattices) * len(log_emits)


def workspace_bytes(model, budget, longest):
    space = words.workspace(longest, budget, len(model.labels), model.table(False, "f4"))
    return sum(array.nbytes for array in space)


def inference_rows(model, log_emits, repeats):
    tasks, size = {}, {}
    for budget in BUDGETS:
        for method in ("rcms", "beam"):
            tasks[method, budget] = bulk_task(model, log_emits, method, budget, viterbi=False)
            size[method, budget] = count_expansions(model, log_emits, method, budget)
        count = int(size["rcms", budget])
        a, b, out = np.ones(count, "f4"), np.ones(count, "f4"), np.zeros(count, "f4")
        tasks["streamed floor", budget] = lambda a=a, b=b, out=out: multiply_pass(a, b, out)
        hot = int(count / len(log_emits))
        c, d, e = np.ones(hot, "f4"), np.ones(hot, "f4"), np.zeros(hot, "f4")
        tasks["cached floor", budget] = lambda c=c, d=d, e=e: [multiply_pass(c, d, e) for _ in range(100)]
        tasks["viterbi too", budget] = bulk_task(model, log_emits, "rcms", budget)
    best = best_times(tasks, repeats)
    longest = max(map(len, log_emits))
    rows = []
    for budget in BUDGETS:
        count, seconds, beam = size["rcms", budget], best["rcms", budget], best["beam", budget]
        nanoseconds = seconds / count * 1e9
        streamed = best["streamed floor", budget] / count * 1e9
        cached = best["cached floor", budget] / (count / len(log_emits)) / 100 * 1e9
        rows.append({
            "budget": budget, "words_per_s": len(log_emits) / seconds, "beam_words_per_s": len(log_emits) / beam,
            "rcms_over_beam": seconds / beam, "words_per_s_with_viterbi": len(log_emits) / best["viterbi too", budget],
            "ns_per_expansion": nanoseconds,
            "streamed_floor_ns": streamed, "over_streamed_floor": nanoseconds / streamed,
            "cached_floor_ns": cached, "over_cached_floor": nanoseconds / cached,
            "workspace_kib": workspace_bytes(model, budget, longest) / 1024,
        })  # fmt: skip
    return rows


def exact_rows(model, test, repeats):
    """Order-1 exact forward–backward: tokens per second beside CRFsuite (with features) and hmmlearn (symbols)."""
    features = [letter_data.features(word.images) for word in test]
    tokens = sum(map(len, features))
    tasks = {"rcmviz": exact_tasks(model, features)["vectors"]}
    tasks |= crfsuite_task(test, features) | hmmlearn_task(model, test)
    return {name: tokens / seconds for name, seconds in best_times(tasks, repeats).items()}


def exact_tasks(model, features):
    """From features to the label posteriors of a chain of order 1: kernels on numbers, on vectors, all of a call."""
    bigram = rv.NgramModel.from_windows(model.labels, 1, {}, emission=model.emission)
    stacked, offset = np.concatenate(features), np.concatenate([[0], np.cumsum([len(f) for f in features])])
    table, at = bigram.table(False, "f4"), np.minimum(np.arange(int(np.diff(offset).max()) + 1), 1)
    rows, sizes = bigram.base[at, at], bigram.powers[at]
    posterior = np.zeros((len(stacked), len(model.labels)), "f4")
    outputs = np.zeros(0, np.int64), np.zeros((len(features), 2)), posterior

    def numbers():
        emit, _ = scaled_emissions(bigram.log_emit(stacked), False, "f4")
        dense.infer_dense(0, 1, emit, offset, (table, rows, sizes), outputs)

    def on_vectors(dtype):
        emit, _, _ = vectors.scaled_emissions(bigram.log_emit(stacked, dtype))
        run_kernels(bigram, emit, offset, Search("exact", 1), outputs)

    def call():
        log_emit = bigram.log_emit(stacked, "f4")
        log_emits = [log_emit[start:stop] for start, stop in pairwise(offset.tolist())]
        rv.infer_batch(bigram, log_emits, "exact", posterior=True, threads=1)

    return {"numbers": numbers, "vectors": lambda: on_vectors("f4"), "vectors, log emissions in f8":
            lambda: on_vectors("f8"), "infer_batch, with Viterbi": call}  # fmt: skip


def crfsuite_task(test, features):
    """CRFsuite's Tagger over prepared items: ``set`` and one marginal per word, which runs forward–backward."""
    try:
        import pycrfsuite
    except ImportError:
        return {}
    items = [pycrfsuite.ItemSequence([[f"p{j}" for j in np.flatnonzero(row)] for row in pixels]) for pixels in features]
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"max_iterations": 5, "feature.possible_transitions": True, "feature.possible_states": True})
    for item, word in zip(items, test, strict=True):
        trainer.append(item, list(word.letters))
    tagger = pycrfsuite.Tagger()
    with tempfile.TemporaryDirectory() as folder:
        trainer.train(f"{folder}/order-1.crf")
        tagger.open(f"{folder}/order-1.crf")

    def tag():
        for item in items:
            tagger.set(item)
            tagger.marginal("a", 0)

    return {"CRFsuite": tag}


def hmmlearn_task(model, test):
    try:
        from hmmlearn.hmm import CategoricalHMM
    except ImportError:
        return {}
    states = len(model.labels)
    hmm = CategoricalHMM(n_components=states, n_features=states)
    rng = np.random.default_rng(0)
    hmm.startprob_, hmm.transmat_ = np.full(states, 1 / states), rng.dirichlet(np.ones(states), states)
    hmm.emissionprob_ = rng.dirichlet(np.ones(states), states)
    symbols = np.array([[model.labels.index(letter)] for word in test for letter in word.letters])
    lengths = [len(word.letters) for word in test]
    return {"hmmlearn": lambda: hmm.score_samples(symbols, lengths)}


def core_rows(model, log_emits, repeats):
    many = log_emits * 4
    cores = numba.get_num_threads()
    counts = sorted({1, cores})
    tasks = {(budget, n): bulk_task(model, many, "rcms", budget, n) for budget in (10, 50) for n in counts}
    best = best_times(tasks, max(repeats // 3, 3))
    return [
        {"budget": budget, "cores": n, "words_per_s": len(many) / seconds, "speed_up": best[budget, 1] / seconds}
        for (budget, n), seconds in best.items()
    ]


def show(title, rows):
    table = Table(title=title)
    for name in rows[0]:
        table.add_column(name.replace("_", " "), justify="right")
    for row in rows:
        table.add_row(*(f"{value:,.2f}" if isinstance(value, float) else str(value) for value in row.values()))
    Console(width=200).print(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--json", default=None)
    options = parser.parse_args()
    source, model, test, log_emits = load()
    print(f"{len(test)} test words ({source}), order {model.order}, {len(model.labels)} labels")
    inference = inference_rows(model, log_emits, options.repeats)
    show("forward, backward and posteriors, one core, f32", inference)
    peers = exact_rows(model, test, options.repeats)
    ours = peers["rcmviz"]
    rows = [{"order-1 exact": name, "tokens_per_s": rate, "rcmviz_over": ours / rate} for name, rate in peers.items()]
    show("order-1 exact forward–backward, one core (ours and CRFsuite with emissions from pixels)", rows)
    cores = core_rows(model, log_emits, options.repeats)
    show("cores, with Viterbi", cores)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            everything = {"source": source, "inference": inference, "order_1_tokens_per_s": peers, "cores": cores}
            json.dump(everything, file, indent=1)


if __name__ == "__main__":
    main()
