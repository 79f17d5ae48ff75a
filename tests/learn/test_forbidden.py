"""Forbidden pairs of labels, compared with enumeration of the outputs of each method's lattice."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from rcmviz.learn.forbidden import best_allowed, forbidden_pairs
from rcmviz.sequences.schemes import SCHEMES, scheme_named

Y = 3
PAIRS = [(a, b) for a in (None, 0, 1, 2) for b in (0, 1, 2, None) if (a, b) != (None, None)]


def best_by_enumeration(lattice, pairs):
    """Return the log score of the best output without a forbidden pair, −inf if there is none."""
    best = -np.inf
    for output in product(range(Y), repeat=lattice.T):
        if any(pair in pairs for pair in pairwise((None, *output, None))):
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
    seed=st.integers(0, 2**32 - 1),
    T=st.integers(1, 4),
    method=st.sampled_from(["exact", "beam", "rcms"]),
    budget=st.integers(1, 4),
    pairs=st.sets(st.sampled_from(PAIRS), max_size=9),
    ties=st.booleans(),
)
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
    found = best_allowed(lattice, np.zeros((Y + 1, Y + 1), bool) if never is None else never)
    expected = best_by_enumeration(lattice, pairs)
    if found is None:
        assert expected == -np.inf
        return
    labels, score = found
    assert score == pytest.approx(expected, abs=1e-9)
    assert not any(pair in pairs for pair in pairwise((None, *labels.tolist(), None)))


def keeps(name, labels):
    """Whether labels follow a scheme, by rules on the labels before and after each."""
    for before, after in pairwise(("O", *labels, "O")):
        (was, _, old), (part, _, new) = before.partition("-"), after.partition("-")
        same = was in ("B", "I") and old == new
        if name == "bio" and part == "I" and not same:
            return False
        if name == "iob1" and part == "B" and not same:
            return False
        closing = {"bioes": "IE", "bilou": "IL"}.get(name)
        if closing and (was in ("B", "I") or part in tuple(closing)) and not (same and part in tuple(closing)):
            return False
    return True


LABELS = {
    "bio": ["O", "B-a", "I-a", "B-b", "I-b"],
    "iob1": ["O", "B-a", "I-a", "B-b", "I-b"],
    "bioes": ["O", "B-a", "I-a", "E-a", "S-a", "B-b", "E-b"],
    "bilou": ["O", "B-a", "I-a", "L-a", "U-a", "B-b", "L-b"],
}


@pytest.mark.parametrize("name", SCHEMES)
def test_a_scheme_forbids_what_breaks_its_chunks_and_nothing_else(name):
    labels = LABELS[name]
    never = forbidden_pairs(name, labels)
    for output in product(range(len(labels)), repeat=3):
        edged = [-1, *output, -1]
        assert never[edged[:-1], edged[1:]].any() != keeps(name, [labels[y] for y in output])


def test_schemes_have_the_names_that_people_give_them():
    for name, scheme in {"IOB2": "bio", "BIO": "bio", "IOB1": "iob1", "iobes": "bioes", "BIOUL": "bilou"}.items():
        assert scheme_named(name).name == scheme
    with pytest.raises(ValueError, match="scheme 'iob': .*'bio', 'iob1', 'bioes', 'bilou'"):
        scheme_named("iob")


WORDS = [[{"w": "anna"}, {"w": "went"}, {"w": "to"}, {"w": "rome"}]] * 3
TRAINED = {  # training labels, forbidden pairs, message
    "IOB1 under bio": (
        "I-PER O O I-LOC",
        "bio",
        "sequence 1, position 1: 'I-PER' begins the sequence, .*, as in 6 "
        "places .*; the labels look like 'iob1': name that",
    ),
    "bio under IOB1": ("O B-PER I-PER O", "iob1", "position 2: 'B-PER' follows 'O'.*look like 'bio'"),
    "a pair": ("I-PER O O I-LOC", [("O", "I-LOC")], "position 4: 'I-LOC' follows 'O', .*, as in 3 places"),
    "an end": ("O O O B-LOC", [("B-LOC", None)], "position 4: 'B-LOC' ends the sequence, .* look like 'bio'"),
    "an open chunk": ("B-PER E-PER S-LOC B-PER", "bioes", "position 4: 'B-PER' ends .*; correct the labels, or"),
    "a broken chunk": ("B-PER O O U-LOC", "bilou", "position 2: 'O' follows 'B-PER'"),
    "no label of a scheme": ("b_per o o i_per", "bio", "forbidden 'bio': no label is of this scheme: .*; rename"),
    "BIOES under bio": ("B-PER E-PER O S-LOC", "bio", "'E-PER' is no label of this scheme; .* look like 'bioes'"),
    "BILOU under bioes": ("B-PER L-PER O U-LOC", "bioes", "'L-PER' is no label of this scheme; .* look like 'bilou'"),
}


@pytest.mark.parametrize("what", TRAINED)
def test_training_labels_that_are_forbidden_are_refused(what):
    labels, forbidden, message = TRAINED[what]
    y = [labels.split()] * 3
    for learn in ("fit", "partial_fit"):
        with pytest.raises(ValueError, match=message):
            getattr(rv.SequenceClassifier(order=1, forbidden=forbidden), learn)(WORDS, y)


def test_a_place_is_counted_with_sequences_that_are_empty():
    with pytest.raises(ValueError, match="sequence 2, position 1: 'I-PER'"):
        rv.SequenceClassifier(order=1, forbidden="bio").fit([[], *WORDS], [[], *[["I-PER", "O", "O", "O"]] * 3])


@pytest.mark.parametrize("name", SCHEMES)
def test_answers_keep_to_the_scheme_of_the_training(name):
    y = [
        {"bio": "B-a I-a O B-b", "iob1": "I-a B-a O I-b", "bioes": "B-a E-a O S-a", "bilou": "B-a L-a O U-a"}[
            name
        ].split()
    ]
    model = rv.SequenceClassifier(order=1, epochs=20, forbidden=name.upper()).fit(WORDS[:1], y)
    assert model.predict(WORDS[:1]) == y
    words = ("anna", "went", "to", "rome")
    for order in product(words, repeat=3):
        (answer,) = model.predict([[{"w": word} for word in order]])
        assert keeps(name, answer)


def test_none_forbids_nothing(tmp_path):
    y = [["I-PER", "O", "O", "I-LOC"]] * 3
    for forbidden in (None, (), [], "none"):
        model = rv.SequenceClassifier(order=1, epochs=10, forbidden=forbidden).fit(WORDS, y)
        assert model.predict(WORDS) == y
        model.save(tmp_path / "model.npz")
        assert rv.SequenceClassifier.load(tmp_path / "model.npz").forbidden in (forbidden, tuple(forbidden or ()))


def chunked(classes, **settings):
    """A classifier that thinks little of the order of labels."""
    X = [[{"w": label}] for label in classes]
    return rv.SequenceClassifier(order=1, epochs=30, budget=5, **settings).fit(X, [[label] for label in classes])


CLASSES = ["B-NP", "I-NP", "B-VP", "I-VP", "O"]
HARD = [[{"w": label} for label in ("O", "I-NP", "I-VP", "B-VP", "I-VP")], [{"w": "I-NP"}]]


@pytest.mark.parametrize("method", ["rcms", "beam", "exact", "greedy"])
def test_bio_holds_with_every_method_and_where_nothing_is_forbidden_nothing_changes(method):
    free, bio = (chunked(CLASSES, method=method).set_params(forbidden=how) for how in ((), "bio"))
    assert free.predict(HARD)[0] == ["O", "I-NP", "I-VP", "B-VP", "I-VP"]
    for answer in bio.predict(HARD):
        assert keeps("bio", answer)
    easy = [[{"w": label} for label in ("B-NP", "I-NP", "O")]]
    assert bio.predict(easy) == free.predict(easy) == [["B-NP", "I-NP", "O"]]
    assert (bio.predict_log_proba_sequence(HARD) < free.predict_log_proba_sequence(HARD)).all()


def test_prohibitions_are_kept_with_the_model_and_wrong_ones_named(tmp_path):
    model = chunked(CLASSES).set_params(forbidden=[("O", "I-NP"), (None, "I-NP")])
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
    with pytest.raises(ValueError, match="sequence 1: .*forbidden"):
        loaded.set_params(forbidden=[(None, label) for label in CLASSES]).predict(HARD[1:])


def test_a_file_with_a_scheme_of_other_labels_still_answers(tmp_path):
    y = [["b_per", "o", "o", "i_per"]] * 3
    model = rv.SequenceClassifier(order=1, epochs=10).fit(WORDS, y)
    model.set_params(forbidden="bio").save(tmp_path / "old.npz")  # as rcmviz 0.2 learnt it
    with pytest.warns(UserWarning, match="old.npz: forbidden 'bio'"):
        assert rv.SequenceClassifier.load(tmp_path / "old.npz").predict(WORDS) == y
    with pytest.raises(ValueError, match="scheme"):
        model.predict(WORDS)
