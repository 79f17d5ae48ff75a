"""Inference on short words: RCMS compared with a beam, exact inference with CRFsuite and hmmlearn.

The test words of handwriting through ``infer_batch`` in single precision, with Viterbi and posteriors, on one thread.
*Exact 1* and CRFsuite begin with features. *Exact 1, symbols* and hmmlearn answer 500 sequences of 40 random symbols
under a hidden Markov model of 26 states: best states, log likelihoods and posteriors, in double precision.
"""

import tempfile
from functools import partial
from itertools import pairwise

import numpy as np

from benchmarks import handwriting
from benchmarks.case import Case
from benchmarks.timing import cpu_ms

STATES, SYMBOLS, SEQUENCES, LENGTH = 26, 40, 500, 40


def decode(method, budget, quick):
    """RCMS or a beam, from log emissions."""
    import rcmviz as rv

    model = handwriting.shipped_model()
    log_emits = [model.log_emit(features) for features in handwriting.test_features(quick)]
    return cpu_ms(lambda: rv.infer_batch(model, log_emits, method, budget, threads=1, posterior=True))


def exact(quick):
    """A chain of order 1, from features."""
    import rcmviz as rv

    model, features = handwriting.shipped_model(), handwriting.test_features(quick)
    chain = rv.NgramModel.from_windows(model.labels, 1, {}, emission=model.emission)
    stacked, offset = np.concatenate(features), np.cumsum([0, *map(len, features)]).tolist()

    def call():
        log_emit = chain.log_emit(stacked, "f4")
        rv.infer_batch(chain, [log_emit[i:j] for i, j in pairwise(offset)], "exact", threads=1, posterior=True)

    return cpu_ms(call)


def crfsuite(quick):
    """CRFsuite's tagger on prepared items: ``set`` and one marginal per word, which runs forward and backward."""
    import pycrfsuite

    test, features = handwriting.words()[2], handwriting.test_features(quick)
    items = [pycrfsuite.ItemSequence([[f"p{j}" for j in np.flatnonzero(row)] for row in pixels]) for pixels in features]
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"max_iterations": 5, "feature.possible_transitions": True, "feature.possible_states": True})
    for item, word in zip(items, test, strict=False):
        trainer.append(item, list(word.letters))
    tagger = pycrfsuite.Tagger()
    with tempfile.TemporaryDirectory() as folder:
        trainer.train(f"{folder}/order-1.crf")
        tagger.open(f"{folder}/order-1.crf")

    def call():
        for item in items:
            tagger.set(item)
            tagger.marginal("a", 0)

    return cpu_ms(call)


def markov_model(quick):
    """(start, transitions, symbols of each state, sequences of symbols (W, T)), all random."""
    rng = np.random.default_rng(0)
    start, moves = rng.dirichlet(np.ones(STATES)), rng.dirichlet(np.ones(STATES), STATES)
    seen = rng.dirichlet(np.full(SYMBOLS, 0.3), STATES)
    return start, moves, seen, rng.integers(0, SYMBOLS, (handwriting.QUICK if quick else SEQUENCES, LENGTH))


def exact_symbols(quick):
    """The hidden Markov model as a chain of order 1."""
    import rcmviz as rv

    start, moves, seen, found = markov_model(quick)
    states = [f"s{k}" for k in range(STATES)]
    windows = {("^", b): log_p for b, log_p in zip(states, np.log(start), strict=True)}
    for a, row in zip(states, np.log(moves), strict=True):
        windows |= {(a, b): log_p for b, log_p in zip(states, row, strict=True)}
    chain, log_seen = rv.NgramModel.from_windows(states, 1, windows), np.log(seen).T
    return cpu_ms(lambda: rv.infer_batch(chain, log_seen[found], "exact", dtype="f8", threads=1, posterior=True))


def hmmlearn(quick):
    """Three calls; one likelihood per sequence, since hmmlearn has no batches."""
    from hmmlearn.hmm import CategoricalHMM

    start, moves, seen, found = markov_model(quick)
    model = CategoricalHMM(STATES, init_params="", params="")
    model.startprob_, model.transmat_, model.emissionprob_, model.n_features = start, moves, seen, SYMBOLS
    column, lengths = found.reshape(-1, 1), [LENGTH] * len(found)

    def call():
        model.predict(column, lengths)
        model.predict_proba(column, lengths)
        for row in found:
            model.score(row[:, None])

    return cpu_ms(call)


BUDGETS = (10, 50, 200)
CASE = Case(
    "inference on short words, one thread",
    {
        f"{name} {budget}": partial(decode, method, budget)
        for budget in BUDGETS
        for name, method in (("RCMS", "rcms"), ("beam", "beam"))
    }
    | {"exact 1": exact, "CRFsuite": crfsuite, "exact 1, symbols": exact_symbols, "hmmlearn": hmmlearn},
    repeats=30,
    peers=frozenset(("CRFsuite", "hmmlearn")),
    compared={f"RCMS {budget}": f"beam {budget}" for budget in BUDGETS}
    | {"exact 1": "CRFsuite", "exact 1, symbols": "hmmlearn"},
)
