"""Adaptive rejection compared with enumeration: best sequences, exact draws, bounds of runs that were stopped."""

import math
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

import rcmviz as rv
from oracles.ars import Problem, log_sum, slack
from oracles.ngrams import BEGIN, END, UNKNOWN, Table
from problems.ars import SEEDS, STRATEGIES, WAYS, asked, best_of, draws_of, long_problem, problems, random_problem, run
from problems.chain import problems_of
from problems.ngrams import lm_of
from rcmviz.ars import automaton

SURE = 4.5  # standard deviations: one test in 150,000 would fail at random; seeds are fixed


def check_best(problem, best, place=0):
    """Check that ``best`` is proved to be sequence number ``place`` of the ranking, with the score of its words."""
    expected = problem.ranking[place]
    assert best.log_score == pytest.approx(expected, abs=slack(expected))
    assert problem.log_p[problem.written(best.words)] == pytest.approx(expected, abs=slack(expected))
    assert (best.gap, best.stopped, best.log_bound) == (0.0, "proved", best.log_score)


def check_score(problem, words, log_score):
    """Check that ``log_score`` is log p of the words, −inf if they are impossible."""
    expected = problem.log_p.get(problem.written(words), -math.inf)
    assert log_score == pytest.approx(expected, abs=slack(expected))


def check_bounds(log_z, bounds):
    """Check that lower ≤ log Z ≤ upper."""
    lower, upper = bounds
    assert lower - slack(lower) <= log_z <= upper + slack(upper)


@problems_of(400)
@given(problems())
def test_decoding_is_brute_force_whatever_the_options(problem):
    for options in WAYS:
        best, trace = best_of(problem, max_iterations=10_000, **options)
        check_best(problem, best)
        check_bounds(problem.log_z, best.log_z_bounds)
        assert best.iterations == len(trace.log_p)
        assert len(best.ngrams) == problem.table.order


@problems_of(200)
@given(problems(), st.sampled_from([1e-3, 1.0, 1e3, 1e6]), st.sampled_from([1e-6, 1e-2, 1.0, 1e6]))
def test_proved_sequences_are_best_for_large_observations_and_scores(problem, largest, temperature):
    """Bounds are compared with the model's numbers before observations are added."""
    highest = max(1.0, *(abs(log) for row in problem.log_obs for log in row if log > -math.inf))
    log_obs = tuple([log / highest * largest for log in row] for row in problem.log_obs)
    large = replace(problem, log_obs=log_obs, temperature=temperature)
    best, _ = best_of(large)
    check_best(large, best)


@problems_of(300)
@given(problems())
def test_dynamic_programming_is_brute_force(problem):
    """The oracle of long sentences agrees with enumeration on short ones."""
    best, log_z = problem.by_dynamic_programming()
    assert best == pytest.approx(problem.best, rel=1e-9)
    assert log_z == pytest.approx(problem.log_z, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_long_sentences(seed, monkeypatch):
    """Tables grow, sums run over hundreds of states, and the bounds on log Z meet."""
    monkeypatch.setattr(automaton, "ROOM", 4)
    problem, options = long_problem(random.Random(seed)), WAYS[seed % len(WAYS)]
    highest, log_z = problem.by_dynamic_programming()
    best, _ = best_of(problem, **options)
    assert best.log_score == pytest.approx(highest, abs=slack(highest)) and best.gap == 0
    check_bounds(log_z, best.log_z_bounds)
    draws, trace = draws_of(problem, n=100, seed=seed, max_trials=5_000, **options)
    check_bounds(log_z, draws.log_z_bounds)
    assert np.all(trace.log_mass >= log_z - slack(log_z))
    assert np.all(np.diff(trace.log_mass) <= 1e-9), "q only falls"
    assert np.all(draws.log_score <= highest + slack(highest))


@problems_of(300)
@given(problems(), SEEDS)
def test_the_k_best_are_the_first_of_all(problem, seed):
    rng = random.Random(seed)
    k, options = rng.choice([1, 2, 3, 5, 12]), rng.choice(WAYS)
    bests = run(rv.ars_kbest, problem, k=k, **options)
    assert len(bests) == min(k, len(problem.log_p))
    assert len({best.words for best in bests}) == len(bests)
    for place, best in enumerate(bests):
        check_best(problem, best, place)
    scores = [best.log_score for best in bests]
    assert scores == sorted(scores, reverse=True)


@problems_of(300)
@given(problems(), SEEDS)
def test_a_run_that_stops_early_says_what_it_has_proved(problem, seed):
    """The bound falls from round to round, and every reported gap is valid."""
    rng = random.Random(seed)
    options, before = rng.choice(WAYS), math.inf
    for rounds in (0, 1, 2, 3, 6):
        best, _ = best_of(problem, max_iterations=rounds, **options)
        check_score(problem, best.words, best.log_score)
        assert problem.best - slack(problem.best) <= best.log_bound <= before + 1e-9
        assert best.gap == pytest.approx(best.log_bound - best.log_score)
        assert best.gap >= 0
        assert best.stopped == ("proved" if best.gap == 0 else "iterations")
        assert best.iterations <= max(rounds, 1)
        check_bounds(problem.log_z, best.log_z_bounds)
        before = best.log_bound


@problems_of(150)
@given(problems(), SEEDS)
def test_a_gap_that_is_granted_is_kept(problem, seed):
    rng = random.Random(seed)
    granted = rng.choice([0.1, 1.0, 5.0])
    best, _ = best_of(problem, gap=granted, **rng.choice(WAYS))
    assert 0 <= best.gap <= granted
    assert best.stopped == ("proved" if best.gap == 0 else "gap")
    assert problem.best <= best.log_bound + slack(problem.best)
    assert best.log_score >= problem.best - granted - slack(problem.best)


@problems_of(100)
@given(problems())
def test_no_time_at_all_still_gives_an_answer(problem):
    best, _ = best_of(problem, seconds=0)
    assert best.stopped in ("time", "proved") and (best.stopped == "proved") == (best.gap == 0)
    check_score(problem, best.words, best.log_score)
    assert problem.best <= best.log_bound + slack(problem.best)
    check_bounds(problem.log_z, best.log_z_bounds)
    draws, _ = draws_of(problem, n=10**6, seconds=0)
    assert draws.stopped == "time" and len(draws.words) < 10**6


@problems_of(150)
@given(problems(), SEEDS)
def test_k_best_that_stop_early_say_how_far_the_bound_still_is(problem, seed):
    rng = random.Random(seed)
    bests = run(rv.ars_kbest, problem, k=3, max_iterations=rng.choice([1, 2]), **rng.choice(WAYS))
    for place, best in enumerate(bests):
        check_score(problem, best.words, best.log_score)
        assert best.gap >= 0
        assert problem.ranking[place] <= best.log_score + best.gap + slack(best.log_score)


@problems_of(200)
@given(problems(), SEEDS)
def test_draws_are_possible_and_their_scores_are_log_p(problem, seed):
    rng = random.Random(seed)
    draws, trace = draws_of(problem, n=20, seed=seed, batch=rng.choice([1, 3, 50]), **rng.choice(WAYS))
    assert (len(draws.words), draws.stopped) == (20, "drawn")
    for words, score in zip(draws.words, draws.log_score, strict=True):
        check_score(problem, words, score)
    check_bounds(problem.log_z, draws.log_z_bounds)
    assert draws.trials == len(trace.accepted)
    assert draws.acceptance == pytest.approx(trace.accepted.mean())
    shown = [trace.words(r) for r in np.flatnonzero(trace.accepted)]
    assert list(draws.words) == shown[:20]


def shares_are_right(problem, drawn):
    """p of a χ² test of drawn sequences against their probabilities; those expected less than 5 times count as one."""
    expected = {words: share * len(drawn) for words, share in problem.shares.items()}
    assert set(map(problem.written, drawn)) <= set(expected)
    counts = Counter(map(problem.written, drawn))
    often = [words for words in expected if expected[words] >= 5]
    observed = [counts[words] for words in often] + [sum(counts[w] for w in expected if w not in often)]
    wanted = [expected[words] for words in often] + [sum(expected[w] for w in expected if w not in often)]
    pairs = [(o, e) for o, e in zip(observed, wanted, strict=True) if e > 1]
    observed, wanted = np.array(pairs).T
    return chisquare(observed, wanted * observed.sum() / wanted.sum()).pvalue if len(pairs) > 1 else 1.0


def wide_problem(seed):
    """A problem of at least twelve sequences, none with nearly all of the mass, where q begins well above p."""
    rng = random.Random(seed)
    while True:
        problem = random_problem(rng, 60)
        above = best_of(problem, max_iterations=0)[0].log_z_bounds[1] - problem.log_z
        if len(problem.log_p) >= 12 and max(problem.shares.values()) < 0.4 and above > 0.7:
            return problem


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("batch", [1, 50])
def test_draws_are_exact(seed, batch):
    problem = wide_problem(seed)
    draws, _ = draws_of(problem, n=4000, seed=seed, batch=batch, **WAYS[seed % len(WAYS)])
    assert shares_are_right(problem, draws.words) > 1e-4


@pytest.mark.parametrize("batch", [1, 4, 20])
def test_draws_that_are_accepted_while_q_adapts_are_exact_too(batch):
    """The first draws of many runs are exact, before any bound is tight."""
    problem = wide_problem(100)
    arguments, options = asked(problem, n=3, batch=batch, record=False)
    runs = [rv.ars_sample(*arguments, seed=seed, **options)[0] for seed in range(1500)]
    assert np.mean([run.acceptance for run in runs]) < 0.6
    for place in range(3):
        assert shares_are_right(problem, [run.words[place] for run in runs]) > 1e-4


@pytest.mark.parametrize("batch", [1, 10])
def test_acceptance_is_the_ratio_of_the_masses(batch):
    """Z_p / Z_q of the q that was frozen for the batch, and p / q of each draw: both within chance over many models."""
    said, true, of_draws = [], [], []
    for seed in range(150):
        problem = random_problem(random.Random(seed), 60)
        _, trace = draws_of(problem, n=30, seed=seed, batch=batch, **WAYS[seed % len(WAYS)])
        said += trace.accepted.tolist()
        true += np.minimum(1, np.exp(problem.log_z - trace.log_mass)).tolist()
        of_draws += np.minimum(1, np.exp(trace.log_p - trace.log_q)).tolist()
    for expected in (np.array(true), np.array(of_draws)):
        spread = math.sqrt(np.sum(expected * (1 - expected)))
        assert spread > 10, "nothing was ever in doubt"
        assert abs(np.sum(said) - expected.sum()) < SURE * spread


@problems_of(60)
@given(problems(), SEEDS)
def test_the_seed_decides_all(problem, seed):
    first, again = (draws_of(problem, n=15, seed=seed)[0] for _ in range(2))
    assert list(first.words) == list(again.words) and first.trials == again.trials
    generator = draws_of(problem, n=15, seed=np.random.default_rng(seed))[0]
    assert list(generator.words) == list(first.words)


def test_other_seeds_draw_others():
    problem = wide_problem(3)
    assert len({tuple(draws_of(problem, n=15, seed=seed)[0].words) for seed in range(6)}) == 6


@problems_of(60)
@given(problems(), SEEDS)
def test_a_record_changes_nothing(problem, seed):
    best, trace = best_of(problem, record=False)
    recorded, _ = best_of(problem)
    assert trace is None and (best.words, best.iterations) == (recorded.words, recorded.iterations)
    assert best.log_z_bounds == pytest.approx(recorded.log_z_bounds)
    draws, trace = draws_of(problem, n=9, seed=seed, record=False)
    assert trace is None and list(draws.words) == list(draws_of(problem, n=9, seed=seed)[0].words)


def test_sampling_stops_at_its_limits():
    problem = wide_problem(5)
    draws, trace = draws_of(problem, n=10**6, max_trials=7, batch=5)
    assert (draws.stopped, draws.trials, len(trace.accepted)) == ("trials", 7, 7)
    assert len(draws.words) == trace.accepted.sum() < 10**6
    draws, trace = draws_of(problem, n=10**6, stop_acceptance=0.5, batch=10)
    assert draws.stopped == "acceptance"
    assert trace.acceptance_running(100)[-1] >= 0.5


def test_the_bounds_on_log_z_close_as_all_sequences_are_found():
    problem = wide_problem(7)
    draws, _ = draws_of(problem, n=20_000, record=False)
    lower, upper = draws.log_z_bounds
    assert upper - lower < 0.01
    assert lower == pytest.approx(log_sum(list(problem.log_p.values())), abs=0.01)


WORDS = Table(
    2,
    (BEGIN, END, "a", "b"),
    {
        (BEGIN,): (-math.inf, -0.5),
        (END,): (-1.0, 0.0),
        ("a",): (-1.0, 0.5),
        ("b",): (-1.0, 0.0),
        ("a", "b"): (-3.0, 0.0),
    },
)
ALONE = Table(3, ("a",), {("a",): (-1.0, 0.3), ("a", "a"): (-2.0, 0.0)})
ALIKE = Table(2, ("a", "b"), {("a",): (-1.0, 0.0), ("b",): (-1.0, 0.0)})
UNIGRAMS = Table(1, (END, "a", "b"), {(END,): (-1.0, 0.0), ("a",): (-2.0, 0.0), ("b",): (-1.5, 0.0)})
PAIRS, NEVER = (("a", "b"),) * 4, -math.inf
SMALL = {
    "one position": Problem(WORDS, PAIRS[:1], ((0.0, 0.0),)),
    "one word in the world": Problem(ALONE, (("a",),) * 4, ((0.0,),) * 4, end=False),
    "single candidates": Problem(WORDS, (("a",), ("b",), ("a",)), ((-1.0,), (-2.0,), (0.5,))),
    "all alike": Problem(ALIKE, PAIRS, ((0.0, 0.0),) * 4, end=False),
    "one way only": Problem(WORDS, PAIRS[:3], ((NEVER, 0.0), (0.0, NEVER), (NEVER, -1.0))),
    "of different width": Problem(WORDS, (("a",), ("b", "a"), ("b",)), ((0.0,), (-1.0, 0.0), (0.0,))),
    "order 1": Problem(UNIGRAMS, PAIRS, ((0.0, -0.2),) * 4),
    "far apart": Problem(WORDS, PAIRS, ((-900.0, 0.0), (800.0, 0.0), (0.0, -700.0), (0.0, 0.0))),
}


@pytest.mark.parametrize("problem", SMALL.values(), ids=SMALL.keys())
@pytest.mark.parametrize("options", WAYS, ids=str)
def test_edge_cases(problem, options):
    best, _ = best_of(problem, **options)
    check_best(problem, best)
    check_bounds(problem.log_z, best.log_z_bounds)
    bests = run(rv.ars_kbest, problem, k=50, **options)
    assert [best.log_score for best in bests] == pytest.approx(problem.ranking[:50], abs=1e-3)
    draws, _ = draws_of(problem, n=600, **options)
    assert shares_are_right(problem, draws.words) > 1e-4


@problems_of(60)
@given(problems(), st.randoms(use_true_random=False))
def test_an_hmm_gives_the_same_results_as_its_parts(problem, rng):
    """``f(hmm, …)`` equals ``f(lm, candidates, log_obs, …, end, temperature)``, parts placed or named."""
    (lm, candidates, log_obs), options = asked(problem, **rng.choice(WAYS))
    end, temperature = options.pop("end"), options.pop("temperature")
    hmm = rv.HMM(lm, candidates, log_obs, end, temperature)
    best, trace = rv.ars_decode(hmm, **options)
    same, other = rv.ars_decode(lm, candidates, log_obs, end, temperature=temperature, **options)
    assert vars(best) == vars(same) and trace.log_q.tolist() == other.log_q.tolist()
    named = {"lm": lm, "candidates": candidates, "log_obs": log_obs, "end": end, "temperature": temperature}
    for parts in (((lm, candidates, log_obs, 3, end), {"temperature": temperature}), ((), named | {"k": 3})):
        again = rv.ars_kbest(*parts[0], **parts[1], **options)
        assert list(map(vars, rv.ars_kbest(hmm, 3, **options))) == list(map(vars, again))
    draws, _ = rv.ars_sample(hmm, 40, 7, **options)
    for placed in ((40, 7, end), (40, 7)):
        asked_end = {} if len(placed) == 3 else {"end": end}
        same, _ = rv.ars_sample(lm, candidates, log_obs, *placed, **asked_end, temperature=temperature, **options)
        assert same.words == draws.words and same.log_score.tolist() == draws.log_score.tolist()


@pytest.mark.parametrize("function", [rv.ars_decode, rv.ars_kbest, rv.ars_sample])
def test_parts_that_do_not_belong_are_refused(function):
    lm = lm_of(WORDS)
    for placed, named in (((rv.HMM(lm, *PLAIN),), {"temperature": 2.0}), ((lm,), {}), ((lm, *PLAIN), {"hmm": 1})):
        with pytest.raises(TypeError):
            function(*placed, **named)
    with pytest.raises(ValueError, match="HMM"):
        function(PLAIN)


@problems_of(60)
@given(problems(possible=False))
def test_problems_without_possible_sequences_are_refused(problem):
    for function in (rv.ars_decode, rv.ars_kbest, rv.ars_sample):
        with pytest.raises(ValueError, match="positive probability"):
            run(function, problem)


PLAIN = (("a", "b"), ("b",)), ((0.0, 0.0), (0.0,))
INPUTS = {
    "a word twice": ((("a", "b"), ("b", "b")), ((0.0, 0.0), (0.0, 0.0)), "2.*'b'"),
    "no candidates": ((("a",), ()), ((0.0,), ()), "2"),
    "no positions": ((), (), "position"),
    "rows missing": ((("a",), ("b",)), ((0.0,),), "2.*1|1.*2"),
    "numbers missing": ((("a", "b"), ("b",)), ((0.0,), (0.0,)), "1"),
    "not a number": ((("a", "b"), ("b",)), ((0.0, math.nan), (0.0,)), "1.*'b'.*nan"),
    "infinite": ((("a", "b"), ("b",)), ((0.0, 0.0), (math.inf,)), "2.*'b'.*inf"),
    "an unknown word": ((("a", "b"), ("zebra",)), ((0.0, 0.0), (0.0,)), "2.*'zebra'"),
    "the end within": ((("a",), (END,)), ((0.0,), (0.0,)), "2.*</s>"),
    "the start within": ((("a",), (BEGIN,)), ((0.0,), (0.0,)), "2.*<s>"),
}


@pytest.mark.parametrize(("candidates", "log_obs", "message"), INPUTS.values(), ids=INPUTS.keys())
def test_malformed_input_is_named(candidates, log_obs, message):
    lm = lm_of(WORDS)
    for function in (rv.HMM, rv.ars_decode, rv.ars_sample, rv.ars_kbest):
        with pytest.raises(ValueError, match=message):
            function(lm, candidates, log_obs)


OPTIONS = {
    "strategy": (rv.ars_decode, {"strategy": "random"}, "random.*sweep"),
    "temperature": (rv.ars_decode, {"temperature": 0.0}, "temperature"),
    "no temperature": (rv.ars_sample, {"temperature": math.nan}, "temperature"),
    "gap": (rv.ars_decode, {"gap": -1.0}, "gap"),
    "rounds": (rv.ars_decode, {"max_iterations": -1}, "max_iterations"),
    "seconds": (rv.ars_decode, {"seconds": -1.0}, "seconds"),
    "k": (rv.ars_kbest, {"k": 0}, "k 0|0"),
    "draws": (rv.ars_sample, {"n": 0}, "n 0"),
    "batch": (rv.ars_sample, {"batch": 0}, "batch"),
    "trials": (rv.ars_sample, {"max_trials": 0}, "max_trials"),
    "acceptance": (rv.ars_sample, {"stop_acceptance": 1.5}, "stop_acceptance"),
}


@pytest.mark.parametrize(("function", "options", "message"), OPTIONS.values(), ids=OPTIONS.keys())
def test_invalid_options_are_refused(function, options, message):
    with pytest.raises(ValueError, match=message):
        function(lm_of(WORDS), *PLAIN, **options)


def test_an_end_that_the_model_does_not_know():
    lm = lm_of(Table(2, ("a", "b"), {("a",): (-1.0, 0.0), ("b",): (-1.0, 0.0)}))
    with pytest.raises(ValueError, match="</s>.*end=False"):
        rv.ars_decode(lm, *PLAIN)
    assert rv.ars_decode(lm, *PLAIN, end=False)[0].gap == 0.0


def test_unknown_candidates_are_the_unknown_word():
    """Two unknown candidates differ only in their observations."""
    table = Table(2, (END, UNKNOWN, "a"), {(END,): (-1.0, 0.0), (UNKNOWN,): (-3.0, 0.0), ("a",): (-9.0, 0.0)})
    best, _ = rv.ars_decode(lm_of(table), [["a", "zebra", "gnu"]], [[0.0, -1.0, -0.5]])
    assert (best.words, best.log_score) == (("gnu",), pytest.approx(-4.5))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_looking_ahead_needs_no_more_rounds(strategy):
    """Summed over many models: a single one may need more rounds."""
    rounds = Counter()
    for seed in range(150):
        problem = random_problem(random.Random(seed), 60)
        for ahead in (False, True):
            rounds[ahead] += best_of(problem, strategy=strategy, look_ahead=ahead)[0].iterations
    assert rounds[True] < rounds[False]
