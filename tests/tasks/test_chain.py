"""Lines written as problems: log Z and outputs of every method are those of the original model."""

from functools import partial

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.core.builders.build import build_lattice
from rcmviz.core.problems.problem_file import parse_content
from rcmviz.learn.discounting import discounted_model
from rcmviz.tasks.chain import LineTooLarge, largest_problem, problem_of_hmm, problem_of_line

METHODS = [("exact", None), ("beam", 2), ("rcms", 2)]
WORDS = ["the", "cat", "dog", "sat"]


def random_hmm(seed, order=3, temperature=1.0, positions=5):
    rng = np.random.default_rng(seed)
    lm = rv.train_lm([" ".join(rng.choice(WORDS, 4)) for _ in range(20)], order=order)
    candidates = [rng.permutation(WORDS)[: rng.integers(1, 5)].tolist() for _ in range(positions)]
    log_obs = [rng.normal(size=len(column)).tolist() for column in candidates]
    return rv.HMM(lm, candidates, log_obs, temperature=temperature)


def as_read(problem):
    """The problem as Your own example reads it."""
    return parse_content(problem.to_json().encode(), "a line")


def check_equal(problem, model, log_emit=None):
    for method, budget in METHODS:
        known, _ = build_lattice(method, model, log_emit, budget)
        found, _ = as_read(problem).run(method, budget)
        assert rv.log_z(found) == pytest.approx(rv.log_z(known), abs=1e-9)
        assert rv.viterbi(found).labels == rv.viterbi(known).labels


@pytest.mark.parametrize("order, temperature", [(1, 1.0), (2, 1.0), (3, 2.3), (4, 0.5)])
def test_an_hmm_as_a_problem_has_its_log_z_and_outputs(order, temperature):
    for seed in range(3):
        hmm = random_hmm(seed, order, temperature)
        gold = [column[0] for column in hmm.candidates]
        problem = problem_of_hmm(hmm, gold=gold, tokens=["x"] * 5)
        assert problem.gold == (*gold, "</s>") and problem.tokens == (*["x"] * 5, "end")
        check_equal(problem, hmm)


def test_a_limited_problem_keeps_the_likeliest_candidates_and_the_right_one():
    hmm = random_hmm(4)
    gold = [column[-1] for column in hmm.candidates]
    problem = problem_of_hmm(hmm, most=1, gold=gold)
    kept = np.isfinite(problem.log_emit).sum(axis=1)
    assert kept.max() <= 2 and all(
        np.isfinite(row[problem.labels.index(label)]) for row, label in zip(problem.log_emit, problem.gold, strict=True)
    )


@pytest.mark.parametrize("order", [1, 2])
def test_a_line_as_a_problem_has_the_log_z_of_its_model_on_the_kept_labels(order):
    rng = np.random.default_rng(order)
    model = discounted_model([rng.integers(0, 4, 5) for _ in range(20)], tuple(WORDS), order)
    log_emit = np.vstack([np.column_stack([rng.normal(size=(4, 4)), [-np.inf] * 4]), [-np.inf] * 4 + [0.0]])
    check_equal(problem_of_line(model, log_emit, log_emit), model, log_emit)
    limited = problem_of_line(model, log_emit, log_emit, most=2)
    ranks = (-log_emit).argsort(axis=1).argsort(axis=1)
    check_equal(limited, model, np.where(ranks < 2, log_emit, -np.inf))


def test_a_line_that_is_too_large_is_opened_with_fewer_candidates_or_refused(monkeypatch):
    hmm = random_hmm(0)
    write = partial(problem_of_hmm, hmm)
    assert largest_problem(write, (None, 2))[1] is None
    with pytest.raises(LineTooLarge):
        largest_problem(write, (None,), max_arcs=100)
    monkeypatch.setattr("rcmviz.tasks.chain.MAX_SCORED", 40)
    assert largest_problem(write, (None, 4, 1))[1] == 1
    with pytest.raises(LineTooLarge, match="too large for the player"):
        largest_problem(write, (None,))
