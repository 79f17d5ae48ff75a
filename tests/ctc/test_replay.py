"""A table of alignments frame by frame, against enumeration; and the view that is made of it."""

import json
import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from oracles.ctc import BLANK, START, collapse, log_sum
from problems.chain import problems_of
from problems.ctc import frame_problems, machine_of, read
from rcmviz.ctc_decoding import search
from rcmviz.ctc_decoding.replay import Replay
from rcmviz.views.ctc import payload as payload_of_ctc
from rcmviz.views.ctc.payload import build_ctc

CLOSE = {"rtol": 1e-9, "atol": 1e-12}


@problems_of(100)
@given(frame_problems(), st.sampled_from(["rcms", "beam", "exact"]), st.sampled_from([1, 2, 4]))
def test_candidates_are_those_of_the_machine_and_go_where_their_mass_goes(problem, method, budget):
    transcript = read(problem, method, budget)
    machine, replay, table = machine_of(problem, transcript), Replay(transcript.alignments), transcript.alignments
    for t in range(1, table.frames + 1):
        found, column = replay.candidates(t), replay.column(t)
        wanted = [log_sum(parts.values()) for parts in machine.columns[t][1].values()]
        np.testing.assert_allclose(sorted(found.log_mass), sorted(wanted), **CLOSE)
        arrived = np.full(column.stop - column.start, -np.inf)
        reached = found.into >= 0
        np.logaddexp.at(arrived, found.into[reached] - column.start, found.log_mass[reached])
        np.testing.assert_allclose(arrived, np.logaddexp(*table.alpha[column].T), **CLOSE)


@problems_of(100)
@given(frame_problems(), st.sampled_from(["rcms", "beam", "exact"]))
def test_leading_prefixes_have_their_share_of_alignments_so_far(problem, method):
    transcript = read(problem, method, 2)
    machine, replay = machine_of(problem, transcript), Replay(transcript.alignments)
    for t in range(1, len(problem.emit) + 1):
        masses = defaultdict(list)
        for alignment, (_, mass) in machine.columns[t][0].items():
            masses[collapse(alignment)].append(mass)
        if not masses:
            return
        total = log_sum(mass for logs in masses.values() for mass in logs)
        shares = {output: math.exp(log_sum(logs) - total) for output, logs in masses.items()}
        numbers, share = replay.ahead(t)
        assert share == pytest.approx(shares[tuple(problem.labels[a] for a in numbers)], rel=1e-9)
        if method == "beam":
            assert share == pytest.approx(max(shares.values()), rel=1e-9)


@problems_of(100)
@given(frame_problems(), st.sampled_from(["rcms", "beam", "exact"]))
def test_labels_are_as_sure_as_the_outputs_that_begin_so(problem, method):
    transcript = read(problem, method, 2)
    outputs = machine_of(problem, transcript).outputs
    if not outputs:
        return
    labels = transcript.labels
    begins = [
        math.exp(log_sum(score for one, score in outputs.items() if one[:k] == labels[:k]) - transcript.log_z)
        for k in range(len(labels) + 1)
    ]
    wanted = np.array([*begins[1:], math.exp(outputs[labels] - transcript.log_z)]) / begins
    np.testing.assert_allclose(transcript.confidences_of(labels), wanted, rtol=1e-7, atol=1e-9)


FRAMES = np.log(np.random.default_rng(1).dirichlet([0.4] * 4, 12))
LM = rv.train_lm(["a b _ a b", "b b _ a", "a a b"], order=4)


@pytest.mark.parametrize("method", ["rcms", "beam", "exact"])
def test_the_view_says_what_the_transcript_says(method):
    transcript = rv.ctc(FRAMES, "ab_", LM, 4, method=method)
    payload = build_ctc(transcript, gold="ab_ab")
    json.dumps(payload, allow_nan=False)
    words = payload["best"]["words"]
    assert [tuple(word[:3]) for word in words] == transcript.words("_")
    assert math.prod(word[3] for word in words) == pytest.approx(transcript.confidence, rel=1e-2)
    np.testing.assert_allclose(np.transpose(payload["posterior"]), transcript.posterior, atol=6e-4)
    for column in payload["columns"]:
        lost = column["moved"] if method == "beam" else 0.0
        assert sum(context[1] for context in column["contexts"]) + lost == pytest.approx(1, abs=0.01)
        assert sum(context[-1] for context in column["contexts"]) == 1  # the answer is in one of them
        assert all((into is None) == (method == "beam") for _, _, into in column["others"])
    assert payload["columns"][-1]["answer"][0] == transcript.text


@problems_of(60)
@given(frame_problems(), st.sampled_from(["rcms", "beam", "exact"]), st.sampled_from([1, 2, 4]))
def test_the_view_has_the_numbers_of_the_enumeration(problem, method, budget):
    transcript = read(problem, method, budget)
    machine = machine_of(problem, transcript)
    if machine.log_z == -math.inf:
        with pytest.raises(ValueError, match="positive probability"):
            build_ctc(transcript)
        return
    payload = build_ctc(transcript)
    assert payload["outputs"][0][1] == pytest.approx(transcript.confidence, rel=1e-5)
    for t, column in enumerate(payload["columns"], start=1):
        level, own = machine.columns[t]
        candidates = {context: log_sum(parts.values()) for context, parts in own.items()}
        total, there = log_sum(candidates.values()), {context for context, _ in level.values()}
        share = lambda logs, whole=total: math.exp(log_sum(logs) - whole)  # noqa: E731
        wanted = {}
        for context in there:
            ways = [way for way, (home, _) in level.items() if home == context]
            here = log_sum(level[way][1] for way in ways)
            wanted[_name(context, payload)] = (
                share([here]),
                share([score for way, score in machine.scores.items() if way[:t] in ways], machine.log_z),
                share([level[way][1] for way in ways if way[-1] == BLANK], here),
            )
        shown = {name: numbers for name, *numbers in column["contexts"]}
        assert set(shown) == set(wanted) and column["count"] == len(there)
        for name, numbers in wanted.items():
            assert shown[name][:3] == pytest.approx(numbers, abs=6e-4)
        others = {c: mass for c, mass in candidates.items() if c not in machine.sets[t]}
        assert (column["seen"], column["kept"]) == (len(candidates), len(candidates) - len(others))
        assert column["moved"] == pytest.approx(share(others.values()), abs=1e-4)
        homes = {_name(c, payload): machine.home(c, machine.sets[t]) for c in others}
        for name, _, into in column["others"]:
            assert into == (homes[name] and _name(homes[name], payload))


def _name(context, payload):
    if context[0] == START:
        return payload["glue"].join(context[1:]) or "^"
    return "*" + payload["glue"].join(context)


def test_the_view_says_where_a_beam_has_lost_the_gold():
    transcript = rv.ctc(FRAMES, "ab_", LM, 1, method="beam")
    lost = next(one for one in ("b_b", "a_a", "ab_b") if transcript.log_prob(one) == -np.inf)
    gold = build_ctc(transcript, gold=lost)["gold"]
    assert gold["logProb"] is None and 1 <= gold["lost"] <= len(FRAMES)


@pytest.mark.parametrize("method", ["rcms", "beam"])
def test_a_long_view_is_that_of_all_frames(monkeypatch, method):
    frames = np.log(np.random.default_rng(3).dirichlet([0.3] * 4, 110))
    view = build_ctc(rv.ctc(frames, "ab_", LM, 4, method=method))
    monkeypatch.setattr(search, "SHORT", len(frames))
    assert view == build_ctc(rv.ctc(frames, "ab_", LM, 4, method=method))


def test_too_many_frames_for_a_view_are_refused(monkeypatch):
    monkeypatch.setattr(payload_of_ctc, "MOST_ROWS", 110)
    with pytest.raises(ValueError, match="12 frames .*at most 11"):
        rv.export_html(rv.ctc(FRAMES, "ab_", LM, 2))


def test_a_view_is_bounded_and_what_does_not_fit_is_refused():
    rng = np.random.default_rng(0)
    long = np.log(rng.dirichlet([0.3] * 9, 600))
    payload = build_ctc(rv.ctc(long, "abcdefgh", budget=5))
    assert len(json.dumps(payload)) < 4_000_000
    with pytest.raises(ValueError, match="position 601: .*1 to 600"):
        build_ctc(rv.ctc(long, "abcdefgh"), position=601)
