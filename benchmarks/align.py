"""How long a training example of alignments takes: python benchmarks/align.py

Words of CMUdict where they are here, else our lexicon; additive, one core; asked: under 3 ms per word with n = 5 and 20
contexts per cell. Processor time, so that a busy machine counts for little; ratios are between numbers of one run.
"""

import time

import numpy as np

from rcmviz.align.infer import Aligner
from rcmviz.align.settings import AlignTraining
from rcmviz.align.train import AlignTrainer
from rcmviz.data.registry import find
from rcmviz.kernels.align.groups import USED, USED_CONTEXTS
from rcmviz.tasks.speech import examples

ASKED = 3.0  # ms per word example
PAPER = {"order": 5, "joined": False, "eta": 0.2, "delta": 1e-4}
LINES = (
    AlignTraining(**PAPER), AlignTraining(budget=10, **PAPER), AlignTraining(budget=50, **PAPER),
    AlignTraining("model", **PAPER), AlignTraining("hybrid", **PAPER), AlignTraining("target", **PAPER),
    AlignTraining(),
)  # fmt: skip


def main():
    source = "words" if find("cmudict") and find("speech") else "lexicon"
    pairs = examples.load(source).train
    print(f"{len(pairs)} examples, {np.diff(pairs.phone_start).mean():.1f} phones, {source}; ms of processor time each")
    print(f"{'strategy':<10}{'n':>3}{'budget':>8}{'pass 1':>9}{'pass 2':>9}{'contexts':>10}{'ns per arc':>12}")
    for training in LINES:
        print(_line(pairs, training))


def _line(pairs, training):
    AlignTrainer(pairs, training).advance(2)  # loads the kernels
    trainer = AlignTrainer(pairs, training)
    passes = [_timed(trainer.advance) / len(pairs) * 1e3 for _ in range(2)]
    contexts, arcs = _size(trainer)
    asked = f"   asked: {ASKED} ms" if training is LINES[0] else ""
    each = np.mean(passes) * 1e6 / arcs
    said = f"{training.strategy:<10}{training.order:>3}{training.budget:>8}{passes[0]:>9.2f}{passes[1]:>9.2f}"
    return f"{said}{contexts:>10.0f}{each:>12.1f}{asked}"


def _timed(function):
    began = time.thread_time()
    function()
    return time.thread_time() - began


def _size(trainer):
    """Mean number of contexts of an example and of their arcs, a letter for each D and C and one P."""
    letters, numbers = len(trainer.data.letters), range(0, len(trainer.data), 7)
    weights = trainer.tables.store, trainer.tables.windows
    s = trainer.settings
    aligner = Aligner(trainer.shape, s.strategy, s.budget, joined=s.joined, weights=weights)
    contexts = np.mean([_contexts(aligner, trainer.data, w) for w in numbers])
    return contexts, contexts * (2 * letters + 1)


def _contexts(aligner, pairs, w):
    return aligner.forward(pairs.sounds(w), pairs.spelling(w)).lattice[USED][USED_CONTEXTS]


if __name__ == "__main__":
    main()
