"""Copies of models: the same answers and parts, and no kernel is compiled again."""

import copy
import dataclasses
import pickle
import sys

import numpy as np
import pytest
from sklearn.base import clone

import rcmviz as rv
from rcmviz.align.infer import align
from rcmviz.align.pairs import Pairs
from rcmviz.align.train import AlignTrainer
from rcmviz.tasks.tagging.tagger import Tagger

X, Y = [["the", "dog", "barks"], ["a", "cat", "sees"]], [["D", "N", "V"], ["D", "N", "V"]]
FEATURES = [[{"word": word, "length": float(len(word))} for word in x] for x in X]
TEXT = ["the cat sat", "the dog ran", "a dog sat"]
EMIT = np.random.default_rng(0).normal(size=(4, 2))
FRAMES = np.log(np.random.default_rng(0).dirichlet([1.0] * 4, 5))
CANDIDATES = [["the", "a"], ["cat", "dog"], ["ran", "sat"]]
OBSERVED = [[0.0, -1.0], [-1.0, -2.0], [-0.5, -0.1]]


def windows():
    return rv.NgramModel.from_windows("ab", 2, {("^", "^", "a"): 1.0, ("*", "a", "b"): 2.0}, info={"from": "here"})


def aligner():
    trainer = AlignTrainer(Pairs.from_pairs([(["HH", "AY"], "hi"), (["B", "AY"], "by")]))
    while not trainer.done:
        trainer.advance()
    return trainer.model()


def ask_windows(model):
    built = [rv.rcms(model, EMIT, 3)[0], rv.beam(model, EMIT, 3)[0], rv.exact(model, EMIT)[0]]
    return [rv.log_z(one) for one in built], rv.infer_batch(model, [EMIT]).log_z


def ask_lm(lm):
    return lm.score(TEXT).log_prob, lm.next_words("the", 3), lm.max_log_prob("cat", "the"), ask_hmm(_hmm(lm))


def ask_hmm(hmm):
    return rv.ars_decode(hmm)[0].words, rv.log_z(rv.exact(hmm)[0]), rv.log_z(rv.rcms(hmm, budget=2)[0])


def _hmm(lm):
    return rv.HMM(lm, CANDIDATES, OBSERVED)


def ask_field(field):
    best = rv.ars_decode(field.hmm(CANDIDATES))[0].words
    return field.log_prob(TEXT[0]), field.bound(TEXT), field.fill("the", "sat", 3), field.sample(2, 3), best


def ask_lattice(lattice):
    return rv.posterior(lattice).label, rv.viterbi(lattice).labels, rv.entropy(lattice), rv.mass(lattice, "a*")


def ask_transcript(read):
    return read.text, read.frames, read.posterior, read.log_prob("ab"), [one.text for one in read.nbest(2)]


MODELS = {  # constructor, queries
    "NgramModel": (windows, ask_windows),
    "LanguageModel": (lambda: rv.train_lm(TEXT, order=3, units="words"), ask_lm),
    "HMM": (lambda: _hmm(rv.train_lm(TEXT, order=3)), ask_hmm),
    "MarkovField": (lambda: rv.MarkovField(max_steps=3, units="words").fit(TEXT), ask_field),
    "SequenceClassifier": (
        lambda: rv.SequenceClassifier(epochs=2, budget=7).fit(FEATURES, Y),
        lambda one: (one.predict(FEATURES), one.predict_proba(FEATURES), one.score(FEATURES, Y)),
    ),
    "SearchClassifier": (
        lambda: rv.SearchClassifier(iterations=2, epochs=1).fit(FEATURES, Y),
        lambda one: one.predict(FEATURES),
    ),
    "FieldTagger": (
        lambda: rv.FieldTagger(max_steps=3).fit(X, Y),
        lambda one: (one.predict(X), one.reasons(X[0], 1, "N")),
    ),
    "Tagger": (
        lambda: Tagger.fit(list(zip(X, Y, strict=True)), info={"from": "here"}),
        lambda one: (one.tag(X[0]), one.marginals(X[0], n=5)),
    ),
    "AlignModel": (aligner, lambda model: align(model, ["HH", "AY"]).log_z),
    "ScorerModel": (
        lambda: rv.ScorerModel(rv.train_lm(TEXT, order=3).scorer(["the", "cat"]), ["the", "cat"]),
        lambda model: rv.log_z(rv.rcms(model, EMIT, 3)[0]),
    ),
    "Lattice": (lambda: rv.rcms(windows(), EMIT, 3)[0], ask_lattice),
    "Trace": (lambda: rv.rcms(windows(), EMIT, 3)[1], lambda trace: trace.table(2).to_csv()),
    "Transcript": (lambda: rv.ctc(FRAMES, "abc"), ask_transcript),
}
WAYS = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "pickle 5": lambda model: pickle.loads(pickle.dumps(model, protocol=5)),
}
SAVED = [
    "NgramModel",
    "LanguageModel",
    "MarkovField",
    "SequenceClassifier",
    "SearchClassifier",
    "FieldTagger",
    "Tagger",
    "AlignModel",
]


def compiled():
    """The signatures that kernels have been compiled for in this process."""
    modules = [module for name, module in sys.modules.items() if name.startswith("rcmviz.kernels.")]
    kernels = {one for module in modules for one in vars(module).values() if hasattr(one, "py_func")}
    return {(one.py_func.__module__, one.__name__, signature) for one in kernels for signature in one.signatures}


@pytest.fixture(scope="module")
def asked():
    """{name: (model, its answers)}, asked before anything is copied."""
    made = {name: (make(), ask) for name, (make, ask) in MODELS.items()}
    return {name: (model, ask(model)) for name, (model, ask) in made.items()}


def flat(value):
    """Numbers and texts of answers, one after the other."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [one for part in value for one in flat(part)]
    return [value]


def parts(model):
    """{name: value} of what a model is made of and says of itself in public."""
    if dataclasses.is_dataclass(model):
        return {entry.name: getattr(model, entry.name) for entry in dataclasses.fields(model)}
    return {name: value for name, value in vars(model).items() if not name.startswith("_")}


def check_same(one, other, where):
    """AssertionError where a part is another, or an array of another type, order or willingness to be written to."""
    assert type(one) is type(other), where
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype and one.flags.c_contiguous == other.flags.c_contiguous, where
        assert one.flags.writeable == other.flags.writeable and np.array_equal(one, other), where
    elif isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for name in one:
            check_same(one[name], other[name], f"{where}.{name}")
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other), where
        for number, pair in enumerate(zip(one, other, strict=True)):
            check_same(*pair, f"{where}[{number}]")
    elif callable(one):
        assert one.__qualname__ == other.__qualname__, where
    elif dataclasses.is_dataclass(one) or type(one).__module__.startswith("rcmviz."):
        check_same(parts(one), parts(other), where)
    else:
        assert one == other or one != one, where


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("name", MODELS)
def test_a_copy_is_the_model(asked, name, way):
    model, answers = asked[name]
    before, copied = compiled(), way(model)
    assert flat(MODELS[name][1](copied)) == flat(answers)
    assert compiled() - before == set(), "a kernel was compiled for the copy alone"
    check_same(parts(model), parts(copied), name)


@pytest.mark.parametrize("name", SAVED)
def test_a_saved_model_is_read_as_the_same_model(asked, name, tmp_path):
    model, answers = asked[name]
    model.save(tmp_path / "model.npz")
    before, read = compiled(), type(model).load(tmp_path / "model.npz")
    assert flat(MODELS[name][1](read)) == flat(answers)
    assert compiled() - before == set(), "a kernel was compiled for what was read alone"
    own, others = parts(model), parts(read)
    for name in own.keys() - {"trie", "model_", "encoder_"}:
        if not isinstance(own[name], np.ndarray):
            check_same(own[name], others[name], name)
        else:
            np.testing.assert_array_equal(own[name], others[name])


@pytest.mark.parametrize("name", ["MarkovField", "SequenceClassifier", "SearchClassifier", "FieldTagger"])
def test_a_clone_has_the_parameters_and_nothing_else(asked, name):
    model = asked[name][0]
    copied = clone(model)
    assert copied.get_params() == model.get_params() and sorted(vars(copied)) == sorted(model.get_params())
