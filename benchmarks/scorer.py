"""What scoring merged contexts by their heaviest history costs and changes, in one run.

    OMP_NUM_THREADS=1 python benchmarks/scorer.py [--sentences 40] [--order 3] [--json results.json]

A letter model of English (``lm-english-characters``, shortened) reads noisy letters: as the n-gram model that it is,
which scores a context by what it still knows, and as a scorer that is only asked about whole histories. Both are
compared with exact inference: how far log Z and the posteriors of letters (total variation) are from it, and the CPU
time of one thread, the best of the repeats.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from engine import show

import rcmviz as rv
from rcmviz.lm.shorten import shorten

TEXT = """the old man walked slowly down to the river
she had never seen so many birds in one place
it was raining when they left the house
nobody knew where the letter had come from
after dinner we read the paper by the fire
the children were playing in the garden
he opened the window and looked at the sky
there is nothing to be done about it now"""
LETTERS = "abcdefghijklmnopqrstuvwxyz_"


def noisy(seed, noise):
    """Log emissions (T, 27) of a line of the text."""
    rng = np.random.default_rng(seed)
    line = TEXT.split("\n")[seed % 8].replace(" ", "_")
    scores = 2.5 * np.eye(27)[[LETTERS.index(letter) for letter in line]] + rng.normal(0, noise, (len(line), 27))
    return scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)


def timed(build, repeats):
    """(Lattices of all sentences, best CPU seconds)."""
    seconds = []
    for _ in range(repeats):
        started = time.process_time()
        lattices = build()
        seconds.append(time.process_time() - started)
    return lattices, min(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=40)
    parser.add_argument("--order", type=int, default=3)
    parser.add_argument("--noise", type=float, default=1.2)
    parser.add_argument("--budgets", type=int, nargs="*", default=[2, 5, 10, 20, 50, 200])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", default=None)
    given = parser.parse_args()
    lm = shorten(rv.load_lm("lm-english-characters"), given.order)
    emissions = [noisy(seed, given.noise) for seed in range(given.sentences)]
    hmms = [rv.HMM(lm, [list(LETTERS)] * len(emit), list(emit), end=False) for emit in emissions]
    model = rv.ScorerModel(lm, LETTERS)
    exact = [rv.posterior(rv.exact(hmm, record=False)[0]) for hmm in hmms]
    letters = sum(map(len, emissions))
    rows = []
    for budget in given.budgets:
        runs = {
            "RCMS, by what is known": lambda b=budget: [rv.rcms(hmm, budget=b, record=False)[0] for hmm in hmms],
            "RCMS, by the heaviest history": lambda b=budget: [
                rv.rcms(model, emit, b, record=False)[0] for emit in emissions
            ],
            "beam": lambda b=budget: [rv.beam(model, emit, b, record=False)[0] for emit in emissions],
        }
        for name, build in runs.items():
            lattices, seconds = timed(build, given.repeats)
            found = [rv.posterior(lattice) for lattice in lattices]
            off = [0.5 * np.abs(a.label - b.label).sum() for a, b in zip(found, exact, strict=True)]
            higher = [a.log_z - b.log_z for a, b in zip(found, exact, strict=True)]
            rows.append({
                "budget": budget, "method": name,
                "log Z less the exact one": float(np.mean(higher)),
                "posteriors off, per letter": sum(off) / letters,
                "CPU ms per sentence": 1e3 * seconds / len(hmms),
            })  # fmt: skip
    show(f"{given.sentences} sentences, {letters} letters, order {lm.order}", rows)
    if given.json:
        Path(given.json).write_text(json.dumps({"settings": vars(given), "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
