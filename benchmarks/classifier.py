"""``rv.SequenceClassifier`` on English sentences, compared with CRFsuite's averaged perceptron, its quickest setting.

The 12,544 sentences of UD-EWT's training part and the 2,001 of its development part, not used for tuning: 17 word
classes (UPOS), 49 tags (XPOS), and 11 labels of chunks derived from the dependencies. Feature dicts are those of
``rv.read_sequences``, built in advance; CRFsuite gets a bias, as rcmviz has one. Each measurement has its own process.
*Predict* is the first call after ``fit``, *memory* the rise of the process's peak memory during ``fit``.
Needs ``python-crfsuite`` and ``rcmviz data get ud_ewt``.
"""

import gc
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.case import Case
from benchmarks.timing import peak_megabytes

PARTS = "train", "dev"
HEAD, RELATION, FORM, UPOS, XPOS = "7", "8", "2", "4", "5"  # columns of CoNLL-U
HEADS = {"NOUN": "NP", "PROPN": "NP", "PRON": "NP", "VERB": "VP", "ADP": "PP", "ADJ": "ADJP", "ADV": "ADVP"}
INSIDE = {"det", "amod", "nummod", "compound", "nmod:poss", "flat", "aux", "aux:pass", "cop", "advmod"}
TASKS = "UPOS", "XPOS", "chunks"
OURS = {
    "exact 1": {"method": "exact", "order": 1},
    "RCMS 10, order 2": {"order": 2},
    "beam 10, order 3": {"method": "beam"},
    "perceptron, exact 1": {"method": "exact", "order": 1, "objective": "perceptron", "epochs": 10},
}
CRFSUITE = "CRFsuite"


def labels(file, task):
    """The labels of each sentence."""
    if task == "chunks":
        return [chunks(*(file.column(name, w) for name in (UPOS, HEAD, RELATION))) for w in range(len(file))]
    return [file.column({"UPOS": UPOS, "XPOS": XPOS}[task], w) for w in range(len(file))]


def chunks(classes, heads, relations):
    """Return BIO labels: a head with its contiguous preceding dependents.

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


def load(task, quick):
    """(X, y) of the training and of the test file, as lists of dicts and of texts."""
    import rcmviz as rv
    from rcmviz.data.registry import need

    paths = (need("ud_ewt", f"en_ewt-ud-{part}.conllu") for part in PARTS)
    files = [rv.read_sequences(path, label=XPOS, columns=[FORM]) for path in paths]
    stop = 100 if quick else None
    return [(list(file.X[:stop]), labels(file, task)[:stop]) for file in files]


def make_crfsuite():
    """(fit, predict) of its averaged perceptron."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm="averaged-perceptron", verbose=False)
    trainer.set_params({"max_iterations": 10})
    tagger = pycrfsuite.Tagger()

    def fit(X, y, path):
        for x, answer in zip(X, y, strict=True):
            trainer.append(x, answer)
        trainer.train(path)
        tagger.open(path)

    return fit, lambda X: [tagger.tag(x) for x in X]


def make_rcmviz(settings):
    """(fit, predict) of the classifier, whose kernels are compiled."""
    import rcmviz as rv

    learner = rv.SequenceClassifier(**settings)
    small = [[{"a": "b"}, {"c": 1.0}]] * 2, [["p", "q"]] * 2
    rv.SequenceClassifier(**settings).fit(*small).predict(small[0])
    return lambda X, y, path: learner.fit(X, y).save(path), learner.predict


def fit_measurement(task, name, quick):
    """Time, memory, size of the file and wrong labels of a fit."""

    def measure():
        (X, y), (X_test, y_test) = load(task, quick)
        if name == CRFSUITE:
            X, X_test = ([[features | {"bias": 1.0} for features in x] for x in each] for each in (X, X_test))
        fit, predict = make_crfsuite() if name == CRFSUITE else make_rcmviz(OURS[name])
        gc.collect()
        gc.freeze()  # a garbage collection of all dicts would take as long as a call
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model")
            began = time.process_time()
            memory, _ = peak_megabytes(lambda: fit(X, y, str(path)))
            fit_seconds, size = time.process_time() - began, path.stat().st_size
        began = time.process_time()
        found = predict(X_test)
        predict_seconds = time.process_time() - began
        wrong = np.concatenate([np.not_equal(*pair) for pair in zip(found, y_test, strict=True)])
        return {
            "fit, CPU s": fit_seconds,
            "predict, CPU s": predict_seconds,
            "memory, MB": memory,
            "file, MB": size / 1e6,
            "wrong labels, %": 100 * float(wrong.mean()),
        }

    return measure


NAMES = (*OURS, CRFSUITE)
CASE = Case(
    "SequenceClassifier on UD-EWT, one thread",
    {f"{task}, {name}": partial(fit_measurement, task, name) for task in TASKS for name in NAMES},
    repeats=3,
    peers=frozenset(f"{task}, {CRFSUITE}" for task in TASKS),
    compared={f"{task}, {name}": f"{task}, {CRFSUITE}" for task in TASKS for name in OURS},
    is_fresh=True,
    warm=False,
)
