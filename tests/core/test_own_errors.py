"""Errors of a user's code (model, scorer, search problem, iterator, callback) are passed on unchanged."""

import numpy as np
import pytest

import rcmviz as rv

EMIT = np.zeros((3, 2))
MODEL = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
LATTICE, _ = rv.exact(MODEL, EMIT)
DATA = rv.Sequences.from_arrays([[[1.0], [0.0]], [[0.0], [1.0]]], ["ab", "ba"], "ab")
TEXT = ["a b", "b a", "a a"]
ERRORS = AttributeError("no attribute 'mine'"), TypeError("mine"), ValueError("mine"), KeyError("mine")


class Model:
    """A model that wraps another one; ``raise_error`` is called where its name is ``broken``."""

    def __init__(self, broken="", raise_error=None):
        self.broken, self.raise_error = broken, raise_error

    def _get(self, name):
        if name == self.broken:
            self.raise_error()
        return getattr(MODEL, name)

    @property
    def labels(self):
        return self._get("labels")

    @property
    def choices(self):
        return self._get("choices")

    def check_emissions(self, log_emit):
        return self._get("check_emissions")(log_emit)

    def scores(self, log_emit, root_weight=0.0):
        return self._get("scores")(log_emit, root_weight)


class Problem:
    def __init__(self, raise_error):
        self.raise_error = raise_error

    def start(self):
        return ()

    def extend(self, hypothesis):
        self.raise_error()

    def complete(self, hypothesis):
        return False

    def score(self, hypothesis):
        return 0.0


BUILDERS = {
    name: getattr(rv, name)
    for name in ("rcms", "beam", "greedy", "recombining_beam", "exact", "best_first", "astar", "stochastic_beam")
    + ("importance", "importance_lattice", "smc", "smc_lattice", "sandwich", "SequenceSearch")
} | {
    "blame": lambda model, emit: rv.blame(model, emit, LATTICE, "aba"),
    "budget_strip": lambda model, emit: rv.budget_strip(model, emit, "aba"),
    "loss": lambda model, emit: rv.loss(emit, "aba", model),
    "regret": lambda model, emit: rv.regret(model, emit, rv.rcms(MODEL, emit)[1]),
}


@pytest.mark.parametrize("name", BUILDERS)
def test_a_model_of_another_class_is_taken_and_its_errors_are_its_own(name):
    BUILDERS[name](Model(), EMIT)
    for method in ("check_emissions", "scores"):
        error = AttributeError("no attribute 'mine'")
        with pytest.raises(AttributeError) as caught:
            BUILDERS[name](Model(method, raising(error)), EMIT)
        assert caught.value is error


def raising(error):
    def raise_error(*_, **__):
        raise error

    return raise_error


def values(error, *first):
    """An iterator that fails after some values."""
    yield from first
    raise error


def score(raise_error):
    model = rv.ScorerModel(raise_error, "ab", order=2)
    return rv.rcms(model, EMIT)


CALLS = {
    "property": lambda error: rv.rcms(Model("labels", raising(error)), EMIT, pin=[(1, "a")]),
    "scorer": lambda error: score(raising(error)),
    "problem": lambda error: rv.search_best(Problem(raising(error))),
    "sentences": lambda error: rv.train_lm(values(error, "a b")),
    "words": lambda error: rv.train_lm([values(error, "a")]),
    "scored": lambda error: rv.train_lm(TEXT).score([values(error, "a")]),
    "step": lambda error: rv.train_lm(TEXT, progress=raising(error)),
    "labels": lambda error: rv.NgramModel.from_windows(values(error, "a"), 1, {}),
    "log_emits": lambda error: rv.infer_batch(MODEL, values(error, EMIT)),
    "gold": lambda error: rv.log_prob(LATTICE, values(error, "a")),
    "pattern": lambda error: rv.mass(LATTICE, values(error, "a")),
    "pins": lambda error: rv.rcms(MODEL, EMIT, pin=values(error, (1, "a"))),
    "candidates": lambda error: rv.HMM(rv.train_lm(TEXT), values(error, ["a"]), [[0.0]]),
    "features": lambda error: rv.Sequences.from_arrays(values(error, [[1.0]]), ["a"], "ab"),
    "sequences": lambda error: rv.SequenceClassifier(epochs=1).fit(values(error, [{"a": 1}]), [["p"]]),
    "loss": lambda error: rv.SearchTrainer(DATA, rv.SearchTraining(), loss=raising(error)).iterate(),
    "report": lambda error: rv.SearchTrainer(DATA, rv.SearchTraining()).iterate(raising(error)),
    "state": lambda error: rv.MarkovField(size=None, max_steps=2).fit(TEXT, progress=raising(error)),
}


@pytest.mark.parametrize("name", CALLS)
def test_errors_of_a_users_function_or_iterator_are_passed_on(name):
    for error in ERRORS:
        with pytest.raises(type(error)) as caught:
            CALLS[name](error)
        assert caught.value is error


def test_wrong_names_and_missing_arguments_are_for_python_to_tell():
    with pytest.raises(TypeError, match="argument 'budgt'"):
        rv.rcms(MODEL, EMIT, budgt=3)
    with pytest.raises(TypeError, match="argument: 'k'"):
        rv.kbest(LATTICE)
