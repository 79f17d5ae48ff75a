"""The ARS payload compared with the trace and definitions; its limits."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rcmviz as rv
from rcmviz.tasks.decoding import log_score
from rcmviz.views.ars import payload as ars
from rcmviz.views.ars.payload import build_ars, full_states
from support.toy_ars import decoded, sampled, toy_lm

SEEDS = st.integers(0, 2**16)


def both(seed, length, order):
    return [decoded(seed, length, order), sampled(seed, length, order)]


def words_of(payload, r):
    sequences = payload["sequences"]
    return [payload["names"][word] for word in sequences["words"][sequences["of"][r]]]


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(1, 5), st.integers(1, 4))
def test_rounds_are_those_of_the_trace(seed, length, order):
    for result, trace in both(seed, length, order):
        payload = build_ars(trace, result)
        assert json.loads(json.dumps(payload, allow_nan=False)) == payload
        rounds, sequences = payload["rounds"], payload["sequences"]
        for r in range(payload["round"]):
            assert tuple(words_of(payload, r)) == (*trace.words(r), "</s>")
            of = sequences["of"][r]
            assert sequences["logProb"][of] == pytest.approx(trace.log_prob[r], abs=1e-4)
            assert rounds["bound"][r] == pytest.approx(trace.log_bound[r], abs=1e-4)
            assert list(map(int, rounds["order"][r])) == trace.order[r].tolist()
            assert sequences["logP"][of] == pytest.approx(log_score(trace.hmm, trace.words(r)), abs=2e-3)
            assert rounds["logQ"][r] >= sequences["logP"][of] - 1e-4
        assert rounds["ngrams"] == [trace.ngrams[: payload["round"], k].tolist() for k in range(order)]
        assert [len(column) for column in rounds["ngrams"]] == [payload["round"]] * order


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(1, 5), st.integers(1, 4))
def test_every_sequence_is_sent_once_in_the_order_of_its_finding(seed, length, order):
    for result, trace in both(seed, length, order):
        payload = build_ars(trace, result)
        sequences, rounds = payload["sequences"], payload["rounds"]
        seen, mass = [], -math.inf
        for r in range(payload["round"]):
            words = trace.words(r)
            if words not in seen:
                assert sequences["first"][len(seen)] == r
                seen.append(words)
                mass = np.logaddexp(mass, trace.log_p[r])
            assert sequences["of"][r] == seen.index(words)
            assert (-math.inf if rounds["lower"][r] is None else rounds["lower"][r]) == pytest.approx(mass, abs=1e-4)
            assert mass <= rounds["upper"][r] + 1e-4
        assert len(sequences["words"]) == len(seen)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(1, 5), st.integers(1, 4))
def test_states_are_the_contexts_of_q(seed, length, order):
    for result, trace in both(seed, length, order):
        payload, lattice = build_ars(trace, result), trace.lattice()
        states = payload["states"]
        sent = sorted((column, remembered(payload, s)) for s, column in enumerate(states["column"]))
        within = [c for c in range(lattice.C) if trace.born[c] < payload["round"]]
        assert sent == sorted((lattice.column_of(c), lattice.context(c)) for c in within)
        assert [w for s, w in enumerate(states["word"]) if not states["length"][s]] == [-1] * (trace.hmm.T + 1)


def remembered(payload, s):
    """The words of a state, oldest first."""
    states, words = payload["states"], []
    while states["length"][s]:
        words.insert(0, payload["names"][states["word"][s]])
        s = states["origin"][s]
    return tuple(words)


def test_a_certificate_ends_the_payload_of_a_decoding():
    best, trace = decoded(3)
    payload = build_ars(trace, best, title="a title", inputs=["x"] * 4, gold=best.words, code="import rcmviz")
    assert payload["result"]["stopped"] == "proved"
    assert payload["result"]["gap"] == 0.0
    assert payload["rounds"]["accepted"] == [0] * (best.iterations - 1) + [1]
    assert words_of(payload, best.iterations - 1) == [*best.words, "</s>"]
    assert payload["inputs"] == ["x", "x", "x", "x", ""]
    assert payload["gold"] == [*best.words, None]


def test_the_last_trial_shown_is_the_last_draw():
    draws, trace = sampled(1, n=7)
    payload = build_ars(trace, draws)
    assert sum(payload["rounds"]["accepted"]) == 7
    assert payload["rounds"]["accepted"][-1] == 1
    assert not payload["cut"]
    accepted = [r for r, yes in enumerate(payload["rounds"]["accepted"]) if yes]
    assert [(*words, "</s>") for words in draws.words] == [tuple(words_of(payload, r)) for r in accepted]


def test_long_runs_are_cut_at_the_documented_limit(monkeypatch):
    draws, trace = sampled(1, n=40)
    monkeypatch.setattr(ars, "MOST_ROUNDS", 15)
    payload = build_ars(trace, draws)
    assert (payload["round"], payload["cut"], len(payload["rounds"]["logQ"])) == (15, True, 15)
    assert max(payload["states"]["born"]) < 15
    assert all(
        origin >= 0 or not length
        for origin, length in zip(payload["states"]["origin"], payload["states"]["length"], strict=True)
    )
    monkeypatch.setattr(ars, "MOST_STATES", int(trace.states[4]))
    assert build_ars(trace, draws)["round"] <= 10  # states are made at the end of a batch of ten


def test_the_same_run_has_the_same_name_and_another_one_has_not():
    same = [build_ars(*decoded(2)[::-1])["id"] for _ in range(2)]
    assert same[0] == same[1] != build_ars(*decoded(4)[::-1])["id"]


@pytest.mark.parametrize(("length", "order"), [(1, 2), (3, 2), (4, 3), (2, 5), (3, 4)])
def test_the_full_lattice_is_counted(length, order):
    _, trace = decoded(5, length, order)
    assert full_states(trace.hmm) == rv.exact(trace.hmm)[0].C


@pytest.mark.parametrize(("name", "given_"), [("inputs", ["x"] * 2), ("gold", ("x",) * 6)])
def test_mismatched_parts_are_refused(name, given_):
    best, trace = decoded(0)
    with pytest.raises(ValueError, match=f"{len(given_)} {name}.* for 5 positions"):
        build_ars(trace, best, **{name: given_})


def test_impossible_words_are_no_numbers():
    lm = toy_lm()
    best, trace = rv.ars_decode(lm, [["the", "a"], ["dog", "cat"]], [[0, -np.inf], [0, 0]], max_iterations=1)
    payload = build_ars(trace, best)
    json.dumps(payload, allow_nan=False)
    assert payload["result"]["stopped"] in ("proved", "iterations")
