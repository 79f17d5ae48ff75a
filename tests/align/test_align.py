"""Alignments against enumeration: all alignments, all outputs."""

import math
import random
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oracles.align import longest_suffix, slope, text_of
from problems.align import columns_of, columns_of_row, inferred, oracle_of, some_model
from problems.chain import problems_of
from rcmviz.align.infer import Aligner, align, lattice_of
from rcmviz.align.model import AlignLimits, AlignModel
from rcmviz.kernels.align import grid
from rcmviz.kernels.align import train as train_kernel
from rcmviz.kernels.align.groups import BACKWARD
from rcmviz.kernels.learn.lane_state import Rate
from rcmviz.kernels.learn.weights import Group

ENOUGH = 2000
STRATEGIES = st.sampled_from(
    [{"strategy": name} for name in ("rcms", "model", "target", "hybrid")]
    + [{"strategy": "rcms", "passes": passes} for passes in (2, 3)]
)
CLOSE = {"rel": 1e-6, "abs": 1e-6}  # single-precision weights, exponentials to 1e-14


@st.composite
def problems(draw):
    """Draw (model, phones, memory, joined), small enough to enumerate; half come from a seed and are larger."""
    if draw(st.booleans()):
        return larger_problem(draw(st.integers(0, 10**6)))
    limits = AlignLimits(draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.sampled_from([0.5, 1.0, 1.5])), 1)
    letters = draw(st.sampled_from(["a", "ab", "abc"]))
    order, mode = draw(st.integers(1, 4)), draw(st.sampled_from(["additive", "single"]))
    model = some_model(
        draw(st.integers(0, 99)), letters, "XY", order, mode, limits, share=draw(st.sampled_from([1, 0.5, 0]))
    )
    phones = draw(st.lists(st.sampled_from("XY"), min_size=1, max_size=3 if len(letters) < 3 else 2))
    return model, tuple(phones), draw(st.integers(1, 7)), draw(st.booleans())


def larger_problem(seed):
    """Three phones, two letters, stars of two or three phones or letters."""
    rng = random.Random(seed)
    limits = AlignLimits(rng.randint(2, 3), rng.randint(2, 3), rng.choice([0.5, 1.0]), 1)
    mode = rng.choice(["additive", "single"])
    model = some_model(seed, "ab", "XY", rng.randint(1, 3), mode, limits, share=rng.choice([1, 0.5]))
    return model, tuple(rng.choices("XY", k=3)), rng.randint(1, 4), rng.random() < 0.5


@problems_of(60)
@given(problems(), st.integers(0, 10**6))
def test_with_a_budget_for_all_rcms_is_exact(problem, seed):
    model, phones, _, _ = problem
    oracle = oracle_of(model, phones)
    text = some_text(oracle, seed)
    aligner, lattice = inferred(model, phones, text, budget=ENOUGH)
    assert lattice.log_z == pytest.approx([oracle.log_z(), oracle.log_z(text=text)], **CLOSE)
    assert marginals(lattice) == pytest.approx(oracle.marginals(), **CLOSE)
    assert marginals(lattice, gold=True) == pytest.approx(oracle.marginals(text=text), **CLOSE)
    assert aligner.best().log_prob + lattice.log_z[0] == pytest.approx(oracle.best(), **CLOSE)


@problems_of(300)
@given(problems(), st.integers(1, 6), STRATEGIES, st.integers(0, 10**6))
def test_whatever_contexts_are_chosen_all_sums_are_over_paths_through_them(problem, budget, strategy, seed):
    model, phones, memory, joined = problem
    oracle = oracle_of(model, phones, memory, joined)
    text = some_text(oracle, seed)
    aligner, lattice = inferred(model, phones, text, **strategy, budget=budget, memory=memory, joined=joined)
    columns = columns_of(lattice, model)
    z, gold_z = oracle.log_z(columns), oracle.log_z(columns, text)
    assert lattice.log_z == pytest.approx([z, gold_z], **CLOSE)
    for gold in (False, True):
        wanted = oracle.marginals(columns, text if gold else None)
        assert marginals(lattice, gold=gold) == pytest.approx(wanted, **CLOSE)
    for letters, best in ((None, oracle.best(columns)), (text, oracle.best(columns, text))):
        found = aligner.best() if letters is None else aligner.best(model.letter_numbers(letters))
        assert (found.log_prob + z if found else -math.inf) == pytest.approx(best, **CLOSE)


def some_text(oracle, seed):
    """Draw an output: first its length, then the output."""
    texts = sorted({text_of(path) for path in oracle.paths})
    assume(texts)
    rng = random.Random(seed)
    length = rng.choice(sorted({len(text) for text in texts}))
    return rng.choice([text for text in texts if len(text) == length])


def marginals(lattice, gold=False):
    """Return {cell: probability of an edge in it} without zeros."""
    edges = lattice.edges(gold)
    return {(a + 1, i + 1): edges[a, i] for a, i in zip(*np.nonzero(edges), strict=True)}


@problems_of(40)
@given(problems(), st.integers(1, 6), STRATEGIES, st.integers(0, 10**6))
def test_the_gradient_is_the_slope_of_the_log_likelihood_with_the_contexts_held(problem, budget, strategy, seed):
    model, phones, memory, joined = problem
    oracle = oracle_of(model, phones, memory, joined)
    text = some_text(oracle, seed)
    aligner, lattice = inferred(model, phones, text, **strategy, budget=budget, memory=memory, joined=joined)
    assume(lattice.log_z[1] > -math.inf)
    moved = step_of(aligner)
    columns, features = columns_of(lattice, model), sorted(oracle.weights, key=str)
    moving = sorted((name for name, value in moved.items() if value), key=str)
    for names in (moving, features):
        for number in np.random.default_rng(seed).permutation(len(names))[:3]:
            wanted = slope(oracle, columns, text, names[number])
            assert moved[names[number]] == pytest.approx(wanted, abs=2e-5)


def step_of(aligner):
    """Return {feature: gradient}, from an AdaGrad step that is small compared with √δ and thus equals the gradient."""
    before = aligner.weights[1][0].astype(float)
    exact = Group(before.copy(), np.zeros_like(before), np.zeros((1, 1)))
    rate = Rate(1e8, 1e16, 0.0, False)
    train_kernel.step_nodes(aligner.workspace.scorer((aligner.weights[0], exact)), rate, np.zeros(1, np.int64))
    return {
        (*name, letter): value
        for name, row in zip(aligner.model.features(), exact.weight - before, strict=True)
        for letter, value in zip(columns_of_row(aligner.model, name), row, strict=True)
    }


@problems_of(40)
@given(problems(), st.integers(1, 6))
def test_rcms_keeps_the_heaviest_candidates_and_a_root_for_every_mode(problem, budget):
    model, phones, memory, joined = problem
    oracle = oracle_of(model, phones, memory, joined)
    _, lattice = inferred(model, phones, budget=budget, memory=memory, joined=joined)
    columns = columns_of(lattice, model)
    for cell in sorted(columns)[1:]:
        candidates = oracle.candidates(columns, cell)
        roots = {(mode, ()) for mode, _ in candidates}
        kept = set(columns[cell]) - roots
        assert roots <= set(columns[cell])
        check_kept(kept, budget, {key: mass for key, mass in candidates.items() if key not in roots})


def check_kept(kept, budget, *rankings):
    """Check that the ``budget`` heaviest of each ranking {candidate: mass} are kept, to a relative 1e-9."""
    surely, perhaps = set(), set()
    for masses in rankings:
        heaviest = sorted((mass for mass in masses.values() if mass > 0), reverse=True)[:budget]
        lightest = min(heaviest, default=math.inf)
        own = {key for key, mass in masses.items() if mass >= lightest * (1 - 1e-9)}
        assert len(kept & own) >= len(heaviest)
        surely |= {key for key, mass in masses.items() if mass > lightest * (1 + 1e-9)}
        perhaps |= own
    assert surely <= kept <= perhaps
    assert len(rankings) > 1 or len(kept) <= budget


@problems_of(60)
@given(problems(), st.integers(1, 6), st.sampled_from(["model", "target", "hybrid"]), st.integers(0, 10**6))
def test_a_beam_keeps_the_heaviest_of_its_own_and_a_hybrid_those_of_both(problem, budget, strategy, seed):
    model, phones, memory, joined = problem
    oracle = oracle_of(model, phones, memory, joined)
    text = some_text(oracle, seed)
    _, lattice = inferred(model, phones, text, strategy=strategy, budget=budget, memory=memory, joined=joined)
    columns = columns_of(lattice, model)
    for cell in product(range(1, len(phones) + 1), range(1, oracle.most + 1)):
        kept = set(columns.get(cell, ()))
        own = {
            "model": oracle.candidates(columns, cell),
            "target": oracle.candidates(columns, cell, text) if cell[1] <= len(text) else {},
        }
        check_kept(kept, budget, *(own.values() if strategy == "hybrid" else (own[strategy],)))


@problems_of(150)
@given(problems(), st.integers(1, 6))
def test_a_second_pass_ranks_by_mass_times_what_the_first_found_ahead(problem, budget):
    model, phones, memory, joined = problem
    oracle = oracle_of(model, phones, memory, joined)
    how = {"budget": budget, "memory": memory, "joined": joined}
    _, before = inferred(model, phones, **how)
    assume(before.log_z[0] > -math.inf)
    _, lattice = inferred(model, phones, **how, passes=2)
    columns, earlier = columns_of(lattice, model), columns_of(before, model)
    for cell in sorted(columns)[1:]:
        ahead = dict(zip(earlier[cell], np.exp(before.log_mass[BACKWARD, before.cell(*cell)]), strict=True))
        masses = {
            key: mass * ahead[longest_suffix(key, ahead)]
            for key, mass in oracle.candidates(columns, cell).items()
            if key[1]
        }
        check_kept({context for context in columns[cell] if context[1]}, budget, masses)


@problems_of(40)
@given(problems(), st.integers(1, 6), st.booleans())
def test_mass_is_equal_over_all_cuts(problem, budget, gold):
    """Every alignment enters every phone once, by D or P, whatever was merged."""
    model, phones, memory, joined = problem
    text = some_text(oracle_of(model, phones, memory, joined), budget)
    _, lattice = inferred(model, phones, text, budget=budget, memory=memory, joined=joined)
    limits, modes = model.limits, lattice.modes(gold)
    entering = [1, *range(limits.letters_per_phone + 1, limits.modes)]
    assert modes[:, :, entering].sum(axis=(1, 2)) == pytest.approx(np.ones(len(phones)), rel=1e-9)
    assert modes.sum(axis=2) == pytest.approx(lattice.edges(gold), rel=1e-9)


def test_of_equal_candidates_the_first_are_kept_d_before_c_before_p_and_letters_in_order():
    model = some_model(0, "abc", "XY", share=0)
    _, lattice = inferred(model, "XYX", budget=2)
    assert columns_of(lattice, model)[1, 1][-2:] == [
        (("star", 1), (("^", "^"), ("D", "a"))),
        (("star", 1), (("^", "^"), ("D", "b"))),
    ]
    last = [string[-1] for _, string in columns_of(lattice, model)[2, 2] if string]
    assert last == [("D", "a"), ("D", "b")]


@problems_of(60)
@given(st.lists(problems(), min_size=2, max_size=2), st.integers(1, 4))
def test_an_example_is_the_same_whatever_the_workspace_saw_before(two, budget):
    model, _, memory, joined = two[0]
    aligner = Aligner(model, budget=budget, memory=memory, joined=joined)
    fresh = Aligner(model, budget=budget, memory=memory, joined=joined)
    for phones in (two[1][1], "YXYYX", two[0][1]):
        aligner.forward(model.phone_numbers(phones)).backward()
    fresh.forward(model.phone_numbers(two[0][1])).backward()
    one, other = lattice_of(aligner), lattice_of(fresh)
    for name in ("contexts", "groups", "log_mass", "gradient", "log_z"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_a_workspace_grows_and_nothing_changes():
    model = some_model(3, "abc", "XY", 3)
    small, large = Aligner(model, budget=9), Aligner(model, budget=9)
    small.workspace.contexts = 60
    small.workspace._make(1)
    large.workspace.grow()
    found = [one.forward(model.phone_numbers("XYXXYYXY")).backward().log_z for one in (small, large)]
    assert found[0] == found[1] and small.workspace.contexts > 60
    np.testing.assert_array_equal(lattice_of(small).log_mass, lattice_of(large).log_mass)


@problems_of(30)
@given(problems(), st.integers(1, 5), st.integers(0, 10**6))
def test_the_mass_of_other_letters_under_the_same_contexts(problem, budget, seed):
    model, phones, memory, joined = problem
    oracle = oracle_of(model, phones, memory, joined)
    one, other = some_text(oracle, seed), some_text(oracle, seed + 7)
    aligner, lattice = inferred(model, phones, one, budget=budget, memory=memory, joined=joined)
    wanted = oracle.log_z(columns_of(lattice, model), other)
    assert aligner.log_mass(model.letter_numbers(other)) == pytest.approx(wanted, **CLOSE)


def test_draws_are_as_frequent_as_they_are_probable():
    model = some_model(5, "ab", "XY", 2)
    oracle = oracle_of(model, "XY")
    aligner, lattice = inferred(model, "XY", budget=4)
    columns, draws = columns_of(lattice, model), 20_000
    found = Counter(tuple(zip(*drawn.tolist(), strict=True)) for drawn in aligner.draws(draws, seed=1))
    for path in oracle.paths:
        wanted = math.exp(oracle.log_score(path, columns) - oracle.log_z(columns))
        assert abs(found[numbered(path)] / draws - wanted) < 5 * math.sqrt(wanted / draws) + 1e-9


def numbered(path):
    """Return a path of the oracle with labels as numbers."""
    return tuple(("DCP".index(move), "ab".index(letter)) for move, letter in path)


def test_the_best_alignment_says_which_letter_belongs_to_which_phone():
    limits = AlignLimits(2, 2, 1.5, 1)
    model = AlignModel("ab", "XY", 1, "additive", limits, *rows({("edges", (), ("C", "X")): [9, 0, 0]}))
    best = Aligner(model).forward(model.phone_numbers("XY")).best(model.letter_numbers("baa"))
    assert (best.text, best.moves, best.edges) == ("baa", "DCD", ((0, 0), (0, 1), (1, 2)))


def rows(weights):
    """Return (addresses, weights) of all first-order rows for letters ab and phones XY.

    ``weights`` gives those that are not zero.
    """
    model = some_model(0, "ab", "XY", 1, share=0)
    found = [weights.get(name, [0, 0, 0]) for name in model.features()]
    return model.address, np.array(found, np.float32)


def test_a_beam_without_a_complete_alignment_reports_it():
    limits = AlignLimits(1, 2, 1.0, 0)
    favour = {("edges", (), ("P", "X")): [50, 50, 50]}
    model = AlignModel("ab", "XY", 1, "additive", limits, *rows(favour))
    aligner = Aligner(model, "model", 1).forward(model.phone_numbers("XXXXX"), model.letter_numbers("abab"))
    assert aligner.gold_z == -math.inf and aligner.best(model.letter_numbers("abab")) is None


def test_what_cannot_be_aligned_is_refused():
    model = some_model(0, limits=AlignLimits(2, 2, 1.0, 1))
    with pytest.raises(ValueError, match="phone 'Z': not among 'X' 'Y'"):
        align(model, ("X", "Z"))
    with pytest.raises(ValueError, match="letter 'q'"):
        align(model, ("X",), "q")
    with pytest.raises(ValueError, match="no phones at all"):
        align(model, ())
    with pytest.raises(ValueError, match="5 letters for 1 phone: at most 2"):
        align(model, ("X",), "aabba")
    with pytest.raises(ValueError, match="at least 2 are needed"):
        align(model, ("X",) * 4, "a")
    with pytest.raises(ValueError, match="memory 9"):
        Aligner(model, memory=9)
    heavy = AlignModel("ab", "XY", 1, "additive", AlignLimits(), *rows({("letters", ()): [900, 0, 0]}))
    with pytest.raises(ValueError, match="beyond e"):
        align(heavy, ("X",))


def test_unknown_phones_and_letters_never_reach_a_kernel():
    model = some_model(0, limits=AlignLimits(2, 2, 1.0, 1))
    aligner, x, long = Aligner(model), model.phone_numbers("XY"), model.letter_numbers("ab" * 20)
    with pytest.raises(ValueError, match="at most 3"):
        aligner.forward(x, long)
    with pytest.raises(ValueError, match="0 letters for 0 phones"):
        aligner.forward(x[:0])
    for strange in (-1, 2):
        with pytest.raises(ValueError, match="phones .* 0 to 1"):
            aligner.forward(np.array([strange]))
        with pytest.raises(ValueError, match="letters .* 0 to 1"):
            aligner.forward(x).log_mass(np.array([strange]))
    assert aligner.forward(x).log_mass(long) == -math.inf


def test_draws_and_lattices_go_backward_themselves():
    model = some_model(5, "ab", "XY", 2)
    done, fresh = Aligner(model, budget=4), Aligner(model, budget=4)
    x = model.phone_numbers("XY")
    wanted = done.forward(x).backward().draws(5, seed=3)
    for one, other in zip(wanted, fresh.forward(x).draws(5, seed=3), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(lattice_of(Aligner(model).forward(x)).edges().sum(axis=1) >= 1 - 1e-9, [True, True])


def test_unknown_strategies_and_budgets_beyond_memory_are_refused():
    model = some_model(0)
    with pytest.raises(ValueError, match="strategy 'best': .*rcms, model"):
        Aligner(model, "best")
    with pytest.raises(ValueError, match="at most 10,000"):
        Aligner(model, budget=10**9)


def test_limits_and_models_are_checked():
    with pytest.raises(ValueError, match="letters_per_phone 0"):
        AlignLimits(letters_per_phone=0)
    with pytest.raises(ValueError, match="stretch"):
        AlignLimits(stretch=0)
    with pytest.raises(ValueError, match="1 to 62"):
        AlignModel("aa", "X")
    with pytest.raises(ValueError, match="order 8"):
        AlignModel("a", "X", 8)
    with pytest.raises(ValueError, match="mode 'some'"):
        AlignModel("a", "X", 2, "some")
    with pytest.raises(ValueError, match="2 columns"):
        AlignModel("a", "X", 1, address=np.zeros(1, np.int64), weights=np.full((1, 2), np.nan, np.float32))


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("address", [0, 0]),
        ("address", [-5, 0]),
        ("address", [0, 5 << 24]),
        ("address", [0, 9 << 8 | 64]),
        ("address", [0.0, 1.0]),
        ("address", [[0, 64]]),
        ("weights", [["1", "2", "3"]] * 2),
        ("weights", [[1j] * 3] * 2),
        ("head", "[1, 2]"),
        ("head", '{"letters": [1], "phones": ["X"], "limits": {}}'),
        ("version", [1, 1]),
        ("version", 2),
        ("version", "x"),
        ("version", None),
        ("format", "rcmviz/model"),
    ],
)
def test_a_model_file_with_one_wrong_part_is_refused(tmp_path, part, value):
    model = AlignModel("ab", "X", 1, address=np.array([0, 1 << 8 | 64]), weights=np.zeros((2, 3), np.float32))
    path = tmp_path / "model.npz"
    model.save(path)
    with np.load(path) as file:
        parts = dict(file)
    changed = parts | {part: np.array(value)} if value is not None else {k: v for k, v in parts.items() if k != part}
    np.savez(path, **changed)
    with pytest.raises(ValueError, match=r"model\.npz: "):
        AlignModel.load(path)


def test_a_vocabulary_of_one_and_a_single_phone():
    model = some_model(1, "a", "X", 3, limits=AlignLimits(1, 1, 1.0, 0))
    _, lattice = inferred(model, "X", "a", budget=1)
    assert lattice.log_z[0] == lattice.log_z[1] and lattice.edges().tolist() == [[1.0]]


def test_a_model_is_saved_and_read_again(tmp_path):
    model = some_model(2, order=3)
    model.save(tmp_path / "model.npz")
    again = AlignModel.load(tmp_path / "model.npz")
    assert (again.letters, again.phones, again.order, again.limits) == (model.letters, model.phones, 3, model.limits)
    np.testing.assert_array_equal(again.weights, model.weights)
    assert again.features() == model.features()
    with pytest.raises(ValueError, match="no such file"):
        AlignModel.load(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("no model")
    with pytest.raises(ValueError, match="alignment model"):
        AlignModel.load(tmp_path / "text.npz")


def test_foreign_arrays_compile_no_new_kernels():
    aligner = Aligner(some_model(0, "ab", "XY"), budget=3)
    kept = np.zeros(2, np.int64)
    kept.setflags(write=False)
    log_z = aligner.forward(kept, kept[:1]).backward().log_z
    kinds = len(grid.forward.signatures), len(grid.backward.signatures)
    for own in (np.zeros(2, np.int64), np.zeros(4, np.int64)[::2], np.zeros(2, np.int32), [0, 0]):
        assert aligner.forward(own, own[:1]).backward().log_z == log_z
    assert (len(grid.forward.signatures), len(grid.backward.signatures)) == kinds
