"""`ars_decode` of many sentences, compared with enumeration and with single calls."""

import random
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from problems.ars import SEEDS, WAYS, asked, long_problem, random_problem
from problems.chain import problems_of
from support.toy_ars import toy_lm, toy_problem


def check_same(one, other):
    """The same sequence and certificate; log Z's bounds are added up in another order."""
    for field in fields(one):
        mine, theirs = getattr(one, field.name), getattr(other, field.name)
        if field.name == "log_z_bounds":
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)
        else:
            assert mine == theirs, field.name


def hmms_of(problem, rng, count):
    """HMMs of one language model: the problem, and others of parts of its positions."""
    (lm, candidates, log_obs), options = asked(problem)
    for _ in range(count):
        kept = sorted(rng.sample(range(len(candidates)), rng.randint(1, len(candidates))))
        yield rv.HMM(lm, [candidates[i] for i in kept], [log_obs[i] for i in kept], **options)


@problems_of(200)
@given(SEEDS, st.integers(1, 4), st.sampled_from([1, 2, 3]), st.sampled_from([0.0, 0.5]))
def test_each_sentence_equals_a_single_call(seed, count, threads, gap):
    rng = random.Random(seed)
    hmms, way = list(hmms_of(random_problem(rng), rng, count)), rng.choice(WAYS) | {"gap": gap}
    try:
        alone = [rv.ars_decode(hmm, record=False, **way)[0] for hmm in hmms]
    except ValueError:
        with pytest.raises(ValueError, match=r"hmms\[\d\]: "):
            rv.ars_decode_many(hmms, threads=threads, **way)
        return
    for one, other in zip(rv.ars_decode_many(hmms, threads=threads, **way), alone, strict=True):
        check_same(one, other)


def test_long_and_growing_sentences_equal_single_calls():
    rng = random.Random(5)
    hmms = list(hmms_of(long_problem(rng), rng, 6))
    alone = [rv.ars_decode(hmm, record=False)[0] for hmm in hmms]
    for one, other in zip(rv.ars_decode_many(hmms), alone, strict=True):
        check_same(one, other)


def test_a_limit_of_rounds_is_kept():
    lm = toy_lm()
    hmms = [rv.HMM(lm, *toy_problem(seed, length=6)[1:]) for seed in range(4)]
    for rounds in (0, 1, 3):
        found = rv.ars_decode_many(hmms, max_iterations=rounds, look_ahead=False)
        for best, hmm in zip(found, hmms, strict=True):
            check_same(best, rv.ars_decode(hmm, max_iterations=rounds, look_ahead=False, record=False)[0])


def test_incompatible_hmms_are_refused():
    one, other = rv.HMM(*toy_problem(0)), rv.HMM(*toy_problem(1))
    assert rv.ars_decode_many([]) == []
    for hmms, message in (
        ([one, other], r"hmms\[1\] has another language model or temperature"),
        ([one, rv.HMM(one.lm, one.candidates, one.log_obs, temperature=2.0)], "another language model or temperature"),
        ([one, "two"], "give"),
    ):
        with pytest.raises(ValueError, match=message):
            rv.ars_decode_many(hmms)
    for option in ({"threads": 0}, {"strategy": "best"}, {"gap": -1}, {"max_iterations": 0.5}):
        with pytest.raises(ValueError):
            rv.ars_decode_many([one], **option)
