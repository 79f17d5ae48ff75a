"""``rv.SequenceClassifier`` beside CRFsuite on English sentences, in one run: accuracy, time, memory, size.

    python benchmarks/classifier.py [--tasks UPOS chunks] [--rows "CRFsuite pa" "exact 1"] [--sentences 500]
                                    [--quick] [--json results.json] [--markdown tables.md]

Four tasks on UD-EWT: the 17 classes of words, the 49 tags of the Penn Treebank, chunks (their heads' class and BIO,
from the dependencies), and tag with relation, 632 labels. The feature dicts are those of ``rv.read_sequences``, the
same for all, and made before any clock runs. All learn from the training file and are tested on the other, which tuned
nothing: CRFsuite has its own settings, but for the number of iterations, ours are the classifier's own, but for what
the row says.
Each row is a process of its own on one core, and kernels are compiled before. Seconds are of the processor, with the
time that passed behind them; memory is the largest addition to what the process had with the sentences in memory, freed
memory given back before, and behind it how often that is the encoded training part (4 bytes for a feature, 8 for its
value, 16 for a word, and the features' names);
``predict`` is the first call after ``fit``, ``one`` the median time of a call for a single sentence. CRFsuite is given
a bias, which ours has, before any clock runs. ``--markdown`` writes the tables of docs/speed-classifier.md, row by row.
Needs ``rcmviz[bench]`` and ``rcmviz data get ud_ewt``.
"""

import argparse
import gc
import json
import os
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import rcmviz as rv
from rcmviz.data.registry import need
from rcmviz.learn.freed import give_back
from rcmviz.sequences.encoding import Encoder

PARTS = "train", "dev"
TASKS = "UPOS", "XPOS", "chunks", "tag and relation"
HEAD, RELATION, FORM, UPOS, XPOS = "7", "8", "2", "4", "5"  # columns of CoNLL-U
HEADS = {"NOUN": "NP", "PROPN": "NP", "PRON": "NP", "VERB": "VP", "ADP": "PP", "ADJ": "ADJP", "ADV": "ADVP"}
INSIDE = {"det", "amod", "nummod", "compound", "nmod:poss", "flat", "aux", "aux:pass", "cop", "advmod"}
CRFSUITE = {
    "CRFsuite lbfgs": ("lbfgs", {"max_iterations": 100}),
    "CRFsuite l2sgd": ("l2sgd", {"max_iterations": 30}),
    "CRFsuite ap": ("ap", {"max_iterations": 10}),
    "CRFsuite pa": ("pa", {"max_iterations": 10}),
    "CRFsuite arow": ("arow", {"max_iterations": 10}),
}
COLUMNS = "", "labels", "sentences", "fit, s", "predict, s", "one, ms", "memory, MB (× encoded)", "model, MB"
OURS = {
    "exact 1": {"method": "exact", "order": 1},
    "RCMS 10, order 2": {"order": 2},
    "beam 10, order 3": {"method": "beam"},
    "RCMS 10, order 2, pruned": {"order": 2, "min_weight": 0.1},
    "perceptron, exact 1": {"method": "exact", "order": 1, "objective": "perceptron", "epochs": 10},
}


def labels(file, task):
    """The labels of each sentence."""
    if task == "chunks":
        return [chunks(*(file.column(name, w) for name in (UPOS, HEAD, RELATION))) for w in range(len(file))]
    if task == "tag and relation":
        pairs = (zip(file.column(XPOS, w), file.column(RELATION, w), strict=True) for w in range(len(file)))
        return [["|".join(pair) for pair in sentence] for sentence in pairs]
    return [file.column({"UPOS": UPOS, "XPOS": XPOS}[task], w) for w in range(len(file))]


def chunks(classes, heads, relations):
    """BIO: a head with what stands unbroken before it and depends on it.

    >>> chunks(["DET", "ADJ", "NOUN", "VERB"], ["3", "3", "4", "0"], ["det", "amod", "nsubj", "root"])
    ['B-NP', 'I-NP', 'I-NP', 'B-VP']
    """
    found = ["O"] * len(classes)
    for head in (i for i, kind in enumerate(classes) if kind in HEADS and relations[i] not in INSIDE):
        first = head
        while first and relations[first - 1] in INSIDE and int(heads[first - 1]) - 1 in range(first, head + 1):
            first -= 1
        kind = HEADS[classes[head]]
        found[first : head + 1] = [f"B-{kind}", *[f"I-{kind}"] * (head - first)]
    return found


def load(task, sentences):
    """(X, y) of the training and of the test file, as lists of dicts and of texts."""
    paths = (need("ud_ewt", f"en_ewt-ud-{part}.conllu") for part in PARTS)
    files = [rv.read_sequences(path, label=XPOS, columns=[FORM]) for path in paths]
    return [(list(file.X[:sentences]), labels(file, task)[:sentences]) for file in files]


def with_bias(X):
    """The same sentences with one feature more at each position."""
    return [[features | {"bias": 1.0} for features in x] for x in X]


class CRFsuite:
    """One of its algorithms behind two calls."""

    def __init__(self, algorithm, settings):
        import pycrfsuite

        self._trainer, self._tagger = pycrfsuite.Trainer(algorithm=algorithm, verbose=False), pycrfsuite.Tagger()
        self._trainer.set_params(settings)

    def fit(self, X, y, path):
        for x, answer in zip(X, y, strict=True):
            self._trainer.append(x, answer)
        self._trainer.train(str(path))
        self._tagger.open(str(path))

    def predict(self, X):
        return [self._tagger.tag(x) for x in X]


class Ours:
    """The classifier behind the same calls."""

    def __init__(self, settings):
        self._classifier = rv.SequenceClassifier(**settings)
        small = [[{"a": "b"}, {"c": 1.0}]] * 2, [["p", "q"]] * 2
        rv.SequenceClassifier(**settings).fit(*small).predict(small[0])

    def fit(self, X, y, path):
        self._classifier.fit(X, y).save(path)

    def predict(self, X):
        return self._classifier.predict(X)


def row(task, name, sentences):
    """One row of the table, a dict of numbers, measured in this process."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    (X, y), (X_test, y_test) = load(task, sentences)
    if name in CRFSUITE:
        X, X_test = with_bias(X), with_bias(X_test)
    model = CRFsuite(*CRFSUITE[name]) if name in CRFSUITE else Ours(OURS[name])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model")
        gc.collect()
        give_back()  # else a fit would grow into what was freed unseen
        peak()
        before = peak()
        _, fit = timed(lambda: model.fit(X, y, path))
        memory, size = peak() - before, path.stat().st_size
    found, predict = timed(lambda: model.predict(X_test))
    calls = [timed(lambda x=x: model.predict([x]))[1]["wall"] for x in X_test[:500]]
    right = [[a == b for a, b in zip(*pair, strict=True)] for pair in zip(found, y_test, strict=True)]
    return {
        "labels": len({label for answer in y for label in answer}), "accuracy": np.mean(np.concatenate(right)),
        "sentences": np.mean([all(one) for one in right]), "fit": fit, "predict": predict,
        "one": float(np.median(calls)), "memory": memory, "size": size,
        "encoded": encoded(X, y),
    }  # fmt: skip


def encoded(X, y):
    """Bytes of the encoded sentences, their values in full as in a sparse matrix of scipy."""
    encoder, data = Encoder.learn(X, y)
    tables = data.offset, data.start, data.feature, data.value, data.gold
    return sum(table.nbytes for table in tables) + sum(map(sys.getsizeof, encoder.names))


def timed(call):
    """(What a call returns, its seconds of processor and of wall)."""
    cpu, wall = time.process_time(), time.perf_counter()
    answer = call()
    return answer, {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}


def peak():
    """Largest memory in use since the last call, in bytes; of Linux."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak is counted anew from here
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def cells(name, one):
    """A row as texts."""
    seconds = (f"{one[key]['cpu']:.2f} ({one[key]['wall']:.2f})" for key in ("fit", "predict"))
    sizes = f"{one['memory'] / 1e6:,.0f} ({one['memory'] / one['encoded']:.1f})", f"{one['size'] / 1e6:.1f}"
    right = f"{one['accuracy']:.4f}".lstrip("0"), f"{one['sentences']:.3f}".lstrip("0")
    return name, *right, *seconds, f"{1e3 * one['one']:.2f}", *sizes


def table(task, rows):
    """The rows of a task."""
    found = Table(title=title(task, rows))
    for head in COLUMNS:
        found.add_column(head, justify="right" if head else "left")
    for name, one in rows.items():
        found.add_row(*cells(name, one))
    return found


def title(task, rows):
    """The task and how many labels it has."""
    return f"{task}, {next(iter(rows.values()))['labels']} labels"


def markdown(found):
    """All tables as they stand in docs/speed-classifier.md."""
    lines = []
    for task, rows in found.items():
        if rows:
            lines += [f"{title(task, rows)}:", "", f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
            lines += [f"| {' | '.join(cells(name, one))} |" for name, one in rows.items()] + [""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=TASKS)
    parser.add_argument("--rows", nargs="+", choices=[*CRFSUITE, *OURS], default=[*CRFSUITE, *OURS])
    parser.add_argument("--sentences", type=int, help="so many of each file, to try it")
    parser.add_argument("--quick", action="store_true", help="100 sentences of each file: whether everything runs")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path)
    arguments = parser.parse_args()
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    sentences = arguments.sentences or (100 if arguments.quick else None)
    from rcmviz.experiments.provenance import described, provenance  # here, as the rows' processes do not need it

    origin = provenance(" ".join(["python benchmarks/classifier.py", *sys.argv[1:]]), quick=arguments.quick)
    found = {task: {} for task in arguments.tasks}
    for task in arguments.tasks:
        for name in arguments.rows:
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
                found[task][name] = alone.submit(row, task, name, sentences).result()
            if arguments.json:
                text = json.dumps({"origin": origin} | found, indent=1)
                arguments.json.write_text(text + "\n", encoding="utf-8")
            if arguments.markdown:
                arguments.markdown.write_text(f"{described(origin)}\n\n{markdown(found)}", encoding="utf-8")
        Console(width=120).print(table(task, found[task]))


if __name__ == "__main__":
    main()
