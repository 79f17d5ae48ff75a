"""Alternatives to joint training: the paper's tightening, and the pseudo-likelihood."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from oracles import mrf as oracle
from problems.chain import problems_of
from problems.mrf import random_field, tables
from rcmviz.mrf.moments import moments_of
from rcmviz.mrf.potentials import LowRank
from rcmviz.mrf.pseudo import pseudo_likelihood
from rcmviz.mrf.reference import ring_log_z
from rcmviz.mrf.tightening import tighten
from rcmviz.mrf.training import FieldTrainer, FieldTraining
from rcmviz.mrf.vocabulary import read_corpus

SEEDS = st.integers(0, 10**9)
TEXT = ["the cat sat on the mat", "the dog sat", "a dog ran", "the cat ran to a dog", "a cat sat on a dog"]


@given(SEEDS)
@problems_of(25)
def test_tightening_lowers_the_bound_and_stays_above_the_truth(seed):
    potentials, delta = random_field(seed, spread=0.5)
    exact, _ = ring_log_z(potentials, 60)
    tight = tighten(potentials, delta, steps=500)
    assert all(later <= sooner + 1e-12 for sooner, later in zip(tight.bounds, tight.bounds[1:], strict=False))
    assert tight.bounds[-1] >= exact - 1e-10 and tight.violation < 1e-3
    slow = tighten(potentials, delta, "sub-gradient", steps=60)
    assert len(slow.bounds) <= 61 and min(slow.bounds) >= tight.bounds[-1] - 1e-9
    assert math.isclose(oracle.star(tables(potentials), slow.delta.tolist()), min(slow.bounds), rel_tol=1e-9)


def test_a_rate_is_halved_where_the_bound_did_not_fall():
    potentials, _ = random_field(3)
    bounds = tighten(potentials, method="sub-gradient", steps=200).bounds
    assert max(bounds) > bounds[0]  # 10³ is far too long a step, at first
    assert min(bounds) < bounds[0]
    with pytest.raises(ValueError, match="choose one of sub-gradient, l-bfgs"):
        tighten(potentials, method="newton")


def test_both_solvers_come_to_the_same_bound():
    moments = moments_of(TEXT, read_corpus(TEXT)[0], 1)
    ends = {}
    for solver in ("joint", "tightening"):
        settings = FieldTraining(1, None, l2=0.5, max_steps=150, tolerance=1e-10, dtype="float64", solver=solver)
        trainer = FieldTrainer(moments, settings=settings)
        *_, ends[solver] = trainer.run()
    assert ends["tightening"].objective == pytest.approx(ends["joint"].objective, abs=2e-4)
    assert trainer.objective.passes > 5 * trainer.optimiser.evaluations


def test_a_checkpoint_keeps_the_messages(tmp_path):
    field = rv.MarkovField(None, 1, 2, held_out=0.0, max_steps=30, dtype="float64", solver="tightening")
    whole, half = field.trainer(TEXT), field.trainer(TEXT)
    whole.advance(6)
    half.advance(3)
    half.save(tmp_path / "half")
    again = field.trainer(TEXT, resume=tmp_path / "half")
    again.advance(3)
    assert again.best.bound == pytest.approx(whole.best.bound, abs=1e-9)


@given(SEEDS)
@problems_of(25)
def test_pseudo_likelihood_is_of_every_token_given_the_ring(seed):
    potentials, _ = random_field(seed, low_rank=True)
    random = np.random.default_rng(seed)
    line = random.integers(0, potentials.size, 2 * potentials.order + 2)
    field, total = tables(potentials), 0.0
    for i in range(len(line)):
        rings = [[*line[:i], word, *line[i + 1 :]] for word in range(potentials.size)]
        total += oracle.ring_score(field, line) - oracle.log_sum(oracle.ring_score(field, ring) for ring in rings)
    value, gradient = pseudo_likelihood(potentials.parts, line, np.arange(len(line)))
    assert math.isclose(value, total / len(line), rel_tol=1e-9, abs_tol=1e-9)
    found, x = np.concatenate([gradient[name].ravel() for name in potentials.parts]), potentials.pack()
    for k in random.integers(0, len(x), 6):
        step = np.zeros_like(x)
        step[k] = 1e-5
        above, below = (
            pseudo_likelihood(potentials.unpack(x + sign * step).parts, line, np.arange(len(line)))[0]
            for sign in (1, -1)
        )
        assert abs((above - below) / 2e-5 - found[k]) < 1e-6


def test_the_pseudo_likelihood_is_learnt():
    options = {"size": None, "order": 2, "rank": 3, "max_steps": 6, "batch": 16}
    field = rv.MarkovField(**options, held_out=0.2, objective="pseudo-likelihood").fit(TEXT * 3)
    values = [state["held_out"] for state in field.history_]
    assert max(values) > values[0] + 0.1 and isinstance(field.potentials_, LowRank)
    assert field.bound(TEXT) <= field.score(TEXT) and np.abs(field.delta_).max() > 0
    same = rv.MarkovField(**options, held_out=0.2, objective="pseudo-likelihood").fit(TEXT * 3)
    np.testing.assert_array_equal(same.vectors, field.vectors)
    with pytest.raises(ValueError, match="choose a rank"):
        rv.MarkovField(None, rank=None, objective="pseudo-likelihood").fit(TEXT)
    with pytest.raises(ValueError, match="solver 'newton': .*joint, tightening"):
        rv.MarkovField(None, solver="newton").fit(TEXT)


def test_a_checkpoint_of_the_pseudo_likelihood_continues_bit_for_bit(tmp_path):
    options = {"size": None, "order": 2, "rank": 3, "batch": 2, "random_state": 3, "patience": None}
    field = rv.MarkovField(**options, held_out=0.2, max_steps=9, objective="pseudo-likelihood")
    whole, half = field.trainer(TEXT), field.trainer(TEXT)
    half.advance(4)
    half.save(tmp_path / "half")
    again = field.trainer(TEXT, resume=tmp_path / "half")
    assert again.step == 4 and len(again.order_of_tokens) == len(half.order_of_tokens) > 0
    for one in (whole, again):
        *_, one.last = one.run()
    for name, part in whole.last.potentials.parts.items():
        np.testing.assert_array_equal(again.last.potentials.parts[name], part)
        np.testing.assert_array_equal(again.best.potentials.parts[name], whole.best.potentials.parts[name])
    assert (again.best.step, again.ended) == (whole.best.step, "steps")
    with pytest.raises(ValueError, match="another text"):
        field.trainer(TEXT[1:], resume=tmp_path / "half")
    with pytest.raises(ValueError, match="rcmviz/pseudo-training"):
        rv.MarkovField(**options, held_out=0.2).trainer(TEXT, resume=tmp_path / "half")
    with np.load(tmp_path / "half") as archive:
        arrays = dict(archive)
    for name, value, said in (
        ("squares.U", arrays["squares.U"] * np.nan, "squares.U holds numbers"),
        ("waiting", np.array([10**6]), "waiting names tokens"),
        ("parts.W", arrays["parts.W"][:1], "parts.W does not fit"),
        ("best", arrays["best"][1:], "best does not fit"),
    ):
        np.savez(tmp_path / "bad.npz", **arrays | {name: value})
        with pytest.raises(ValueError, match=said):
            field.trainer(TEXT, resume=tmp_path / "bad.npz")
