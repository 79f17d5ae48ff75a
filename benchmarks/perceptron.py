"""Speed of the structured perceptron on UD-EWT, beside CRFsuite's averaged perceptron, in one run.

    python benchmarks/perceptron.py [--epochs 6] [--every 1] [--json results.json]

Order 1, XPOS tags, features as ``rv.read_sequences`` makes them, the same for all; averaged weights. One core, seconds
of processor time; every number is that of the best epoch but the first, which compiles. The epochs are interleaved, so
that a noisy neighbour meets all rows alike; CRFsuite's are those that it reports, of a run in the middle. Needs
``rcmviz[bench]`` and ``rcmviz data get ud_ewt``.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import pycrfsuite
from rich.console import Console
from rich.table import Table

import rcmviz as rv
from rcmviz.data.registry import need
from rcmviz.sequences.encoding import Encoder

XPOS = "5"  # the column of CoNLL-U
ROWS = {
    "exact": {"method": "exact"},
    "exact, max-violation": {"method": "exact", "update": "max-violation"},
    "exact, MIRA": {"method": "exact", "mira": 0.01},
    "greedy": {"method": "greedy"},
    "beam 8": {"method": "beam", "budget": 8},
    "beam 8, early": {"method": "beam", "budget": 8, "update": "early"},
    "beam 8, max-violation": {"method": "beam", "budget": 8, "update": "max-violation"},
    "RCMS 8": {"method": "rcms", "budget": 8},
}
CRFSUITE = "CRFsuite, averaged perceptron"


def load(every):
    """(learning, test) as Sequences."""
    parts = ("train", "dev")
    learn, test = (rv.read_sequences(need("ud_ewt", f"en_ewt-ud-{part}.conllu"), label=XPOS) for part in parts)
    encoder, data = Encoder.learn(learn.X[::every], learn.y[::every])
    return data, encoder.encode(test.X, test.y)


def items(data, w):
    """A sequence as CRFsuite takes it, with the bias that ours has."""
    rows = []
    for i in range(data.offset[w], data.offset[w + 1]):
        here = slice(data.start[i], data.start[i + 1])
        pairs = zip(data.feature[here].tolist(), data.value[here].tolist(), strict=True)
        rows.append({str(feature): value for feature, value in pairs} | {"bias": 1.0})
    return pycrfsuite.ItemSequence(rows)


def crfsuite(data, test, epochs):
    """(seconds of its best epoch, share of right tags)."""
    trainer = pycrfsuite.Trainer(algorithm="averaged-perceptron", verbose=False)
    for w, gold in enumerate(data.golds()):
        trainer.append(items(data, w), [data.labels[y] for y in gold])
    trainer.set_params({"max_iterations": epochs, "epsilon": 0.0})
    with tempfile.TemporaryDirectory() as folder:
        trainer.train(str(Path(folder) / "model"))
        tagger = pycrfsuite.Tagger()
        tagger.open(str(Path(folder) / "model"))
        found = [label for w in range(len(test)) for label in tagger.tag(items(test, w))]
    seconds = min(one["time"] for one in trainer.logparser.iterations[1:])
    return seconds, np.mean(np.array(found) == np.array([*data.labels, ""])[test.gold])


def accuracy(trainer, test):
    """Share of right tags by the averaged weights and the search of the training."""
    model, s = trainer.model(), trainer.settings
    batch = rv.infer_batch(model, test.log_emits(model.emission), s.method, s.budget, threads=1)
    return np.mean(np.concatenate(batch.labels) == test.gold)


def measure(data, test, epochs):
    """{row: (seconds of an epoch, share of right tags)}."""
    shared = {"order": 1, "epochs": epochs, "objective": "perceptron", "average": True}
    trainers = {name: rv.Trainer(data, rv.Training(**how, **shared)) for name, how in ROWS.items()}
    best = dict.fromkeys(ROWS, np.inf)
    found = {}
    for epoch in range(epochs):
        for name, trainer in trainers.items():
            began = time.process_time()
            trainer.advance()
            if epoch:
                best[name] = min(best[name], time.process_time() - began)
        if epoch == epochs // 2:
            found[CRFSUITE] = crfsuite(data, test, epochs)
    return found | {name: (best[name], accuracy(trainer, test)) for name, trainer in trainers.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=6, help="2 or more")
    parser.add_argument("--every", type=int, default=1, help="learn from every so many-th sentence")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    data, test = load(arguments.every)
    found = measure(data, test, arguments.epochs)
    table = Table(
        title=f"{len(data):,} sentences, {data.positions:,} words, {len(data.labels)} tags, {data.F:,} features"
    )
    for head in ("", "s per epoch", "× CRFsuite", "× exact", f"right after {arguments.epochs} epochs"):
        table.add_column(head, justify="left" if not head else "right")
    for name, (seconds, right) in found.items():
        ratios = (f"{seconds / found[other][0]:.2f}" for other in (CRFSUITE, "exact"))
        table.add_row(name, f"{seconds:.3f}", *ratios, f"{right:.4f}")
    Console().print(table)
    if arguments.json:
        rows = {name: {"seconds": seconds, "accuracy": float(right)} for name, (seconds, right) in found.items()}
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
