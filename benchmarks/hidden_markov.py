"""The task of "Coming from hmmlearn" both ways, in turns: best states, log likelihoods and posteriors of sequences.

    OMP_NUM_THREADS=1 python benchmarks/hidden_markov.py [--states 26] [--symbols 40] [--sequences 500] [--length 40]

A hidden Markov model with parameters that are known, drawn at random, and sequences of random symbols. Ours asks
``rv.infer_batch`` on one core for all three at once; hmmlearn is asked three times, and for a likelihood sequence by
sequence. Both must find the same. Seconds are of the processor, the best of five in turns; kernels are compiled before.
Needs ``rcmviz[bench]``.
"""

import argparse
import time

import numpy as np
from hmmlearn.hmm import CategoricalHMM

import rcmviz as rv


def draw(states, symbols, sequences, length):
    """(start, moves, seen, the symbols of all sequences (W, T))."""
    random = np.random.default_rng(0)
    start, moves = random.dirichlet(np.ones(states)), random.dirichlet(np.ones(states), states)
    seen = random.dirichlet(np.full(symbols, 0.3), states)
    return start, moves, seen, random.integers(0, symbols, (sequences, length))


def of_hmmlearn(start, moves, seen, found):
    """Its model, and what asks it."""
    model = CategoricalHMM(len(start), init_params="", params="")
    model.startprob_, model.transmat_, model.emissionprob_ = start, moves, seen
    model.n_features = seen.shape[1]
    column, lengths = found.reshape(-1, 1), [found.shape[1]] * len(found)

    def ask():
        best = model.predict(column, lengths)
        scores = np.array([model.score(row[:, None]) for row in found])
        return best, scores, model.predict_proba(column, lengths)

    return ask


def of_ours(start, moves, seen, found):
    """A window for every transition, and one batch."""
    states = [f"s{k}" for k in range(len(start))]
    windows = {("^", b): log_p for b, log_p in zip(states, np.log(start), strict=True)}
    for a, row in zip(states, np.log(moves), strict=True):
        windows |= {(a, b): log_p for b, log_p in zip(states, row, strict=True)}
    chain = rv.NgramModel.from_windows(states, 1, windows)
    log_seen = np.log(seen).T

    def ask():
        batch = rv.infer_batch(chain, log_seen[found], "exact", dtype="f8", threads=1, posterior=True)
        return np.concatenate(batch.labels), batch.log_z, np.concatenate(batch.posterior)

    return ask


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, usual in (("states", 26), ("symbols", 40), ("sequences", 500), ("length", 40)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    task = draw(**vars(parser.parse_args()))
    asked = {"hmmlearn": of_hmmlearn(*task), "rcmviz": of_ours(*task)}
    asked["rcmviz"]()
    answers, seconds = {}, {name: [] for name in asked}
    for _ in range(5):
        for name, ask in asked.items():
            began = time.process_time()
            answers[name] = ask()
            seconds[name].append(time.process_time() - began)
    (best, scores, shares), (ours, log_z, posterior) = answers.values()
    np.testing.assert_allclose(log_z, scores, rtol=1e-9)
    np.testing.assert_allclose(posterior, shares, atol=1e-9)
    print(f"same states: {np.mean(best == ours):.4%}")
    for name, values in seconds.items():
        print(f"{name}: {min(values):.3f} s")


if __name__ == "__main__":
    main()
