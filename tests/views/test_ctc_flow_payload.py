"""The mass-flow picture of frames: shares and the gold output compared with enumeration, for all methods."""

import gzip
import json
import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from oracles.ctc import collapse, log_sum
from problems.chain import problems_of
from problems.ctc import frame_problems, machine_of, name_of, read, share_through
from rcmviz.ctc_decoding.frame_mass import LEAST
from rcmviz.views.mass_flow.ctc import build_ctc_flow

CLOSE = 1e-9
METHODS = st.sampled_from(["rcms", "beam", "exact"])


def parts_of(step):
    parts = step["parts"]
    return [dict(zip(parts, values, strict=True)) for values in zip(*parts.values(), strict=True)]


@problems_of(80)
@given(frame_problems(), METHODS, st.sampled_from([1, 2, 4]))
def test_mass_is_conserved_and_is_that_of_the_enumeration(problem, method, budget):
    transcript = read(problem, method, budget)
    machine = machine_of(problem, transcript)
    if machine.log_z == -math.inf:
        with pytest.raises(ValueError, match="positive probability"):
            build_ctc_flow([transcript])
        return
    payload = build_ctc_flow([transcript])
    json.dumps(payload, allow_nan=False)
    (run,), left = payload["runs"], 1.0
    assert payload["T"] == len(problem.emit) + 1 == len(run["steps"]) == len(run["columns"])
    for t in range(1, payload["T"]):
        parts, column = parts_of(run["steps"][t - 1]), run["columns"][t]
        kept, moved, lost = (
            sum(part["share"] for part in parts if (part["kept"], part["into"] >= 0) == fate)
            for fate in ((1, True), (0, True), (0, False))
        )
        assert kept + moved + lost == pytest.approx(1, abs=CLOSE)
        assert moved == 0 if method == "beam" else lost == 0
        level, own = machine.columns[t]
        total = log_sum(log for logs in own.values() for log in logs.values())
        masses = defaultdict(list)
        for context, mass in level.values():
            masses[name_of(context)].append(mass)
        arrived = np.bincount([part["into"] for part in parts if part["into"] >= 0], minlength=len(column["name"]))
        assert len(arrived) == len(column["name"]) == len(masses)
        for bar, name in enumerate(column["name"]):
            share = sum(part["share"] for part in parts if part["into"] == bar)
            assert share == pytest.approx(math.exp(log_sum(masses[name]) - total), abs=CLOSE)
        names = run["steps"][t - 1]["candidates"]["name"]
        for m, name in enumerate(names):
            share = sum(part["share"] for part in parts if part["candidate"] == m)
            wanted = [log for context, logs in own.items() if name_of(context) == name for log in logs.values()]
            assert share == pytest.approx(math.exp(log_sum(wanted) - total), abs=CLOSE)
        left *= 1 - lost
        assert run["left"][t] == pytest.approx(left, abs=CLOSE)
    assert run["result"]["lost"] == pytest.approx(1 - left, abs=CLOSE)


@problems_of(80)
@given(frame_problems(), METHODS, st.sampled_from([1, 2, 4]), st.data())
def test_outputs_and_the_right_one_are_those_of_the_enumeration(problem, method, budget, data):
    transcript = read(problem, method, budget)
    machine = machine_of(problem, transcript)
    if machine.log_z == -math.inf:
        return
    full = machine_of(problem, read(problem, "exact", budget))
    gold = data.draw(st.sampled_from(sorted(full.outputs)))
    payload = build_ctc_flow([transcript], gold)
    (run,) = payload["runs"]
    result = run["result"]
    assert result["p"] == pytest.approx(transcript.confidence, abs=CLOSE)
    p = math.exp(machine.outputs.get(gold, -math.inf) - machine.log_z)
    assert result["gold"] == pytest.approx(p, abs=CLOSE)
    last = parts_of(run["steps"][-1])
    assert sum(part["share"] for part in last) == pytest.approx(1, abs=CLOSE)
    for place, (labels, share, _) in enumerate(run["outputs"]):
        output = tuple(payload["labels"][a] for a in labels)
        wanted = math.exp(machine.outputs[output] - machine.log_z)
        assert share == pytest.approx(wanted, abs=CLOSE)
        assert sum(part["share"] for part in last if part["into"] == place) == pytest.approx(wanted, abs=CLOSE)
    for t in range(1, payload["T"]):
        mine, all_ = defaultdict(list), defaultdict(list)
        for way, (context, mass) in machine.columns[t][0].items():
            all_[name_of(context)].append(mass)
            written = collapse(way)
            if gold[: len(written)] == written:
                mine[name_of(context)].append(mass)
        shares = dict(zip(run["columns"][t]["name"], run["columns"][t]["gold"], strict=True))
        everything = log_sum(mass for masses in all_.values() for mass in masses)
        for name, share in shares.items():
            if log_sum(all_[name]) < everything + LEAST:
                continue  # such alignments are left out
            assert share == pytest.approx(math.exp(log_sum(mine[name]) - log_sum(all_[name])), abs=1e-8)
        parts = parts_of(run["steps"][t - 1])
        assert sum(part["end"] for part in parts) == pytest.approx(1, abs=CLOSE)
        for bar, name in enumerate(run["columns"][t]["name"]):
            share = sum(part["end"] for part in parts if part["into"] == bar)
            assert share == pytest.approx(share_through(machine, t, name), abs=1e-5)
        for bar, share in enumerate(run["columns"][t]["gold"]):
            into = [part for part in parts if part["into"] == bar]
            arrived = sum(part["gold"] * part["share"] for part in into)
            assert arrived == pytest.approx(share * sum(part["share"] for part in into), abs=1e-8)


def test_many_contexts_share_a_bar_and_no_mass_is_lost():
    rng = np.random.default_rng(2)
    frames = np.log(rng.dirichlet([0.4] * 30, 40))
    labels = [chr(ord("a") + k) for k in range(29)]
    lm = rv.train_lm([" ".join(rng.choice(labels, 12)) for _ in range(40)], order=3)
    reads = [rv.ctc(frames, labels, lm, 60, method=method) for method in ("beam", "rcms")]
    payload = build_ctc_flow(reads, reads[1].labels)
    for run in payload["runs"]:
        assert any(column["rest"] for column in run["columns"])
        for step in run["steps"]:
            assert sum(step["parts"]["share"]) == pytest.approx(1, abs=CLOSE)
            assert all(0 <= share <= 1 for share in step["parts"].get("gold", []))
    assert len(gzip.compress(json.dumps(payload, separators=(",", ":")).encode())) < 220_000


def test_too_many_frames_are_refused():
    with pytest.raises(ValueError, match="401 frames"):
        build_ctc_flow([rv.ctc(np.log(np.full((401, 2), 0.5)), "a")])
