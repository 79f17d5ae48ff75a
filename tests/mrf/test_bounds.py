"""The star and the chain bound and their gradients, compared with enumeration."""

import math
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from oracles import mrf as oracle
from problems.chain import problems_of
from problems.mrf import centred, random_field, tables
from rcmviz.mrf import star as star_module
from rcmviz.mrf.chain_bound import ChainBound, largest_eigenvalue, log_trace_of_power
from rcmviz.mrf.potentials import FullRank, LowRank
from rcmviz.mrf.reference import ring_log_z
from rcmviz.mrf.star import pair_marginals, star_bound

SEEDS = st.integers(0, 10**9)
CLOSE = {"rel_tol": 1e-9, "abs_tol": 1e-9}


def packed(potentials, delta):
    return np.concatenate([potentials.pack(), delta.ravel()])


@given(SEEDS)
@problems_of(150)
def test_star_is_the_sum_over_centres_and_leaves(seed):
    potentials, delta = random_field(seed)
    star = star_bound(potentials, delta, block=1 + seed % 3)
    assert math.isclose(star.bound, oracle.star(tables(potentials), delta.tolist()), **CLOSE)
    np.testing.assert_allclose(star.nodes, oracle.star_nodes(tables(potentials), delta.tolist()), rtol=0, atol=1e-9)


@given(SEEDS)
@problems_of(50)
def test_rows_are_divided_among_threads_independently_of_their_number(seed):
    potentials, delta = random_field(seed)
    with patch.object(star_module, "BLOCKS_OF_A_STRETCH", 1):
        with threadpool_limits(2):
            two = star_bound(potentials, delta, block=1)
        with threadpool_limits(1):
            one = star_bound(potentials, delta, block=1)
    assert math.isclose(two.bound, oracle.star(tables(potentials), delta.tolist()), **CLOSE)
    np.testing.assert_allclose(two.nodes, oracle.star_nodes(tables(potentials), delta.tolist()), rtol=0, atol=1e-9)
    for found, wanted in ((one.nodes, two.nodes), (one.delta, two.delta), *pairs_of(one.gradient, two.gradient)):
        np.testing.assert_array_equal(found, wanted)


def pairs_of(some, others):
    return [(some[name], others[name]) for name in others]


@given(SEEDS)
@problems_of(100)
def test_gradients_are_finite_differences(seed):
    potentials, delta = random_field(seed)
    star, free = star_bound(potentials, delta, block=2), potentials.pack().size
    found = np.concatenate([*(star.gradient[name].ravel() for name in potentials.parts), star.delta.ravel()])
    x = packed(potentials, delta)

    def value(x):
        return star_bound(potentials.unpack(x[:free]), x[free:].reshape(delta.shape), gradient=False).bound

    step = 1e-5
    wanted = [(value(x + step * e) - value(x - step * e)) / (2 * step) for e in np.eye(len(x))]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-6)


@given(SEEDS)
@problems_of(25)
def test_pairs_of_some_words_are_those_of_the_gradient(seed):
    potentials, delta = random_field(seed)
    full = FullRank(potentials.node, np.stack([potentials.edges(k + 1) for k in range(potentials.order)]))
    words = np.random.default_rng(seed).permutation(potentials.size)[:2]
    wanted = star_bound(full, delta).gradient["theta"][:, words][:, :, words]
    np.testing.assert_allclose(pair_marginals(potentials, delta, words), wanted, rtol=0, atol=1e-12)


def power_sums(seed, count=20):
    """Exact log Z per token of random fields on rings of every length that can be, and the bounds on them."""
    random = np.random.default_rng(seed)
    for number in range(count):
        potentials, delta = random_field(seed + number, most=3)
        tokens = int(random.integers(2 * potentials.order + 1, 40))
        exact, is_exact = ring_log_z(potentials, tokens)
        assert is_exact
        yield potentials, delta, tokens, exact


@given(SEEDS)
@problems_of(60)
def test_bounds_hold_for_any_messages_and_any_length(seed):
    for potentials, delta, tokens, exact in power_sums(seed):
        assert star_bound(potentials, delta, gradient=False).bound >= exact - 1e-10
        chain = ChainBound(potentials, tokens).at(centred(delta))
        assert chain.bound >= exact - 1e-10
        if potentials.order == 1:
            assert math.isclose(chain.bound, exact, **CLOSE)


@given(SEEDS, st.integers(3, 7))
@problems_of(60)
def test_the_ring_is_enumerated(seed, tokens):
    potentials, delta = random_field(seed, most=3)
    tokens = max(tokens, 2 * potentials.order + 1)
    exact, is_exact = ring_log_z(potentials, tokens)
    assert is_exact and math.isclose(exact * tokens, oracle.ring_log_z(tables(potentials), tokens), **CLOSE)
    chain = ChainBound(potentials, tokens).at(centred(delta)).bound
    assert math.isclose(chain, oracle.chains(tables(potentials), centred(delta).tolist(), tokens), **CLOSE)


@given(SEEDS)
@problems_of(40)
def test_chain_nodes_are_the_gradient_by_the_messages(seed):
    potentials, delta = random_field(seed)
    tokens, delta = 2 * potentials.order + 1 + seed % 9, centred(delta)
    chains, step = ChainBound(potentials, tokens), 1e-5
    here = chains.at(delta)
    for word in range(potentials.size * (potentials.order > 1)):
        change = np.zeros_like(delta)
        change[0, word], change[-1, word] = step, -step
        wanted = (chains.at(delta + change).bound - chains.at(delta - change).bound) / (2 * step)
        assert abs((here.nodes[0, word] - here.nodes[-1, word]) / potentials.order - wanted) < 1e-6


@given(SEEDS)
@problems_of(20)
def test_tightening_chains_lowers_the_bound_to_equal_nodes(seed):
    potentials, delta = random_field(seed, spread=0.5)
    tokens = 2 * potentials.order + 30
    chains = ChainBound(potentials, tokens)
    tight = chains.tighten()
    assert tight.bound <= chains.at(centred(delta)).bound + 1e-9
    assert tight.bound >= ring_log_z(potentials, tokens)[0] - 1e-10
    np.testing.assert_allclose(tight.nodes, np.broadcast_to(tight.nodes[:1], tight.nodes.shape), rtol=0, atol=1e-3)


@given(SEEDS)
@problems_of(30)
def test_the_asymptotic_form_is_the_limit_of_the_traces(seed):
    potentials, delta = random_field(seed)
    far = ChainBound(potentials, 5_040_000).at(centred(delta))
    limit = ChainBound(potentials, 5_040_000, "asymptotic").at(centred(delta))
    assert math.isclose(far.bound, limit.bound, rel_tol=1e-5, abs_tol=1e-5)
    np.testing.assert_allclose(far.nodes, limit.nodes, rtol=0, atol=1e-4)


def test_the_asymptotic_form_is_no_bound():
    """Two words that want to alternate on a ring of even length: λ_max counts one of the two eigenvalues ±λ."""
    potentials = FullRank(np.zeros(2), np.array([[[-9.0, 0.0], [0.0, -9.0]]]))
    exact, _ = ring_log_z(potentials, 4)
    assert ChainBound(potentials, 4, "asymptotic").at(np.zeros((1, 2))).bound < exact - 0.1
    assert math.isclose(ChainBound(potentials, 4).at(np.zeros((1, 2))).bound, exact, **CLOSE)


def test_many_words_in_single_precision_and_with_exponents_beyond_it():
    random = np.random.default_rng(0)
    for scale in (0.2, 8.0):  # e^(3 · 8 · 8 · …) is beyond float32, and even beyond float64
        potentials = LowRank(
            random.normal(size=60), scale * random.normal(size=(60, 4)), scale * random.normal(size=(2, 60, 4))
        )
        delta = random.normal(size=(2, 60))
        double, single = (star_bound(potentials, delta, dtype=dtype, block=7) for dtype in (np.float64, np.float32))
        assert math.isclose(double.bound, single.bound, rel_tol=2e-5)
        full = FullRank(potentials.node, np.stack([potentials.edges(back) for back in (1, 2)]))
        assert math.isclose(star_bound(full, delta).bound, double.bound, **CLOSE)
        np.testing.assert_allclose(single.nodes.sum(axis=1), 1.0, rtol=1e-4)


def test_powers_and_eigenvalues():
    matrix = np.random.default_rng(1).random((5, 5))
    for power in (1, 2, 3, 7, 64):
        log_trace, diagonal = log_trace_of_power(matrix, power)
        wanted = np.linalg.matrix_power(matrix, power)
        assert math.isclose(log_trace, math.log(np.trace(wanted)), **CLOSE)
        np.testing.assert_allclose(diagonal, np.diagonal(wanted) / np.trace(wanted))
    value, _ = largest_eigenvalue(np.ones(5), matrix)
    assert math.isclose(value, math.log(np.abs(np.linalg.eigvals(matrix)).max()), **CLOSE)


def test_invalid_bounds_are_refused():
    potentials = FullRank(np.zeros(2), np.zeros((2, 2, 2)))
    with pytest.raises(ValueError, match="N = 4: .*2K = 4"):
        ChainBound(potentials, 4)
    with pytest.raises(ValueError, match="N = 4: .*order 2"):
        ring_log_z(potentials, 4)
    with pytest.raises(ValueError, match="messages that sum to 0"):
        ChainBound(potentials, 5).at(np.ones((2, 2)))
    with pytest.raises(ValueError, match=r"delta .*\(1, 2\): expected \(2, 2\)"):
        star_bound(potentials, np.zeros((1, 2)))
    with pytest.raises(ValueError, match=r"theta\[0, 1, 0\] is nan: .*1,000,000"):
        FullRank(np.zeros(2), np.array([[[0.0, 0.0], [np.nan, 0.0]]]))
    with pytest.raises(ValueError, match=r"U .*\(3, 1\): expected \(2, 1\)"):
        LowRank(np.zeros(2), np.zeros((3, 1)), np.zeros((1, 2, 1)))
