"""Forbidden pairs of labels against all outputs, one by one, in the lattice that the method builds."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from rcmviz.learn.forbidden import best_allowed, bio_pairs, forbidden_pairs

Y = 3
PAIRS = [(a, b) for a in (None, 0, 1, 2) for b in range(Y)]


def best_by_enumeration(lattice, pairs):
    """Log score of the best output without a forbidden pair, −inf where there is none."""
    best = -np.inf
    for output in product(range(Y), repeat=lattice.T):
        if any(pair in pairs for pair in pairwise((None, *output))):
            continue
        context, score = 0, 0.0
        for y in output:
            score, context = score + lattice.score[context, y], lattice.target[context, y]
            if context < 0:
                score = -np.inf
                break
        best = max(best, score)
    return best


@given(
    seed=st.integers(0, 2**32 - 1), T=st.integers(1, 4), method=st.sampled_from(["exact", "beam", "rcms"]),
    budget=st.integers(1, 4), pairs=st.sets(st.sampled_from(PAIRS), max_size=9), ties=st.booleans(),
)  # fmt: skip
def test_the_best_without_a_forbidden_pair_is_that_of_all_outputs(seed, T, method, budget, pairs, ties):
    rng = np.random.default_rng(seed)
    weights = {window: float(rng.normal()) for window in product("abc", repeat=3)}
    log_emit = np.round(rng.normal(size=(T, Y))) if ties else rng.normal(size=(T, Y))
    log_emit[rng.random((T, Y)) < 0.1] = -np.inf
    log_emit[:, 0] = np.maximum(log_emit[:, 0], -3.0)
    model = rv.NgramModel.from_windows("abc", 2, {} if ties else weights)
    builder = {"exact": rv.exact, "beam": rv.beam, "rcms": rv.rcms}[method]
    lattice, _ = builder(model, log_emit, **({} if method == "exact" else {"budget": budget}))
    never = forbidden_pairs(pairs, range(Y))
    found = best_allowed(lattice, np.zeros((Y + 1, Y), bool) if never is None else never)
    expected = best_by_enumeration(lattice, pairs)
    if found is None:
        assert expected == -np.inf
        return
    labels, score = found
    assert score == pytest.approx(expected, abs=1e-9)
    assert not any(pair in pairs for pair in pairwise((None, *labels.tolist())))


def chunked(classes, **settings):
    """A classifier that thinks little of the order of labels."""
    X = [[{"w": label}] for label in classes]
    return rv.SequenceClassifier(order=1, epochs=30, budget=5, **settings).fit(X, [[label] for label in classes])


CLASSES = ["B-NP", "I-NP", "B-VP", "I-VP", "O"]
HARD = [[{"w": label} for label in ("O", "I-NP", "I-VP", "B-VP", "I-VP")], [{"w": "I-NP"}]]


@pytest.mark.parametrize("method", ["rcms", "beam", "exact", "greedy"])
def test_bio_holds_with_every_method_and_where_nothing_is_forbidden_nothing_changes(method):
    free, bio = chunked(CLASSES, method=method), chunked(CLASSES, method=method, forbidden="bio")
    assert free.predict(HARD)[0] == ["O", "I-NP", "I-VP", "B-VP", "I-VP"]
    for answer in bio.predict(HARD):
        assert not any(pair in bio_pairs(CLASSES) for pair in pairwise((None, *answer)))
    easy = [[{"w": label} for label in ("B-NP", "I-NP", "O")]]
    assert bio.predict(easy) == free.predict(easy) == [["B-NP", "I-NP", "O"]]
    assert (bio.predict_log_proba_sequence(HARD) < free.predict_log_proba_sequence(HARD)).all()


def test_prohibitions_are_kept_with_the_model_and_wrong_ones_named(tmp_path):
    model = chunked(CLASSES, forbidden=[("O", "I-NP"), (None, "I-NP")])
    model.save(tmp_path / "bio.npz")
    loaded = rv.SequenceClassifier.load(tmp_path / "bio.npz")
    assert loaded.forbidden == (("O", "I-NP"), (None, "I-NP")) and loaded.predict(HARD) == model.predict(HARD)
    wrong = {
        "iob": "give pairs of labels, or 'bio'",
        (("O", "X"),): "names a label",
        ("O",): "is no pair",
        3: "forbidden",
    }
    for forbidden, message in wrong.items():
        with pytest.raises(ValueError, match=message):
            chunked(CLASSES, forbidden=forbidden)
    with pytest.raises(ValueError, match="sequence 1: every output of 1 labels has a forbidden pair"):
        loaded.set_params(forbidden=[(None, label) for label in CLASSES]).predict(HARD[1:])
