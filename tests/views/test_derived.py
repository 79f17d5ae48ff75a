"""What a payload leaves out when it is sent: the browser finds all of it again, bit for bit."""

# ruff: noqa: F811  (fixtures are imported, then asked for by name)

import copy
import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from problems.chain import build, cases, log_emit_of, model_of, problems, problems_of
from rcmviz.core.models.transitions import Transitions
from rcmviz.views import Run, build_payload
from rcmviz.views.shared.bundle import bundle
from rcmviz.views.word import derived
from rcmviz.views.word.labels import LONGEST
from support.browser import chromium, page_of  # noqa: F401
from support.toy_runs import model_and_emissions, runs_of
from views.test_sums import METHODS, AnyModel

ENTRY = """import { fillIn } from "./derived.js";
const start = () => { window.fill = (payload) => { fillIn(payload); return payload; }; return true; };
export default start;
"""


@pytest.fixture
def received(page_of, tmp_path):
    """A function: what the browser makes of a payload that was sent."""
    script = Path(derived.__file__).with_name("derived.js")
    (tmp_path / "derived.js").write_text(script.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "entry.js").write_text(ENTRY, encoding="utf-8")
    watched = page_of("about:blank")
    watched.page.add_script_tag(type="module", content=bundle(tmp_path / "entry.js", "start") + "start();")
    watched.page.wait_for_function("() => window.fill !== undefined")
    return lambda sent: watched.page.evaluate("text => window.fill(JSON.parse(text))", json.dumps(sent))


def comes_back(received, payload):
    """Assert that it does, and that what is whole stays as it is."""
    before, sent = copy.deepcopy(payload), derived.without_derived(payload)
    assert payload == before
    assert received(sent) == payload


def test_random_problems(received):
    @problems_of(60)
    @given(cases(max_length=6), st.integers(1, 3))
    def check(case, passes):
        problem, rule = case
        lattice, trace = build(problem, rule, passes=passes)
        if rv.log_z(lattice) > -np.inf:
            comes_back(received, build_payload(None, [Run("run", lattice, trace)]))

    check()


def test_every_method(received):
    @problems_of(60)
    @given(problems(max_length=5), st.sampled_from(sorted(METHODS)))
    def check(problem, method):
        try:
            lattice, trace = METHODS[method](model_of(problem), log_emit_of(problem))
        except ValueError:  # no output is possible
            return
        if rv.log_z(lattice) > -np.inf:
            comes_back(received, build_payload(None, [Run(method, lattice, trace)]))

    check()


def test_words_of_their_own_long_contexts_models_of_ones_own_and_several_runs(received):
    lm = rv.load_lm("lm-english-words")
    hmm = rv.HMM(lm, [["the", "a"], ["old", "man", "men"], ["sat", "ran"], ["."]], [[0, 0], [-1, 0, 0], [0, 0], [0]])
    model, log_emit = model_and_emissions(length=LONGEST + 5)
    for runs in (
        [Run("words", *rv.rcms(hmm, budget=3))],
        [Run("long", *rv.beam(model, log_emit, 6))],
        [Run("own", *rv.rcms(AnyModel(), np.random.default_rng(1).normal(size=(5, 3)), 4, deduplicate=True))],
        runs_of(("rcms", "beam", "exact")),
        [Run("bare", rv.exact(*model_and_emissions())[0], None)],
    ):
        comes_back(received, build_payload(None, runs))


def test_scores_hundreds_apart(received):
    """Masses beyond floats, and logs beyond whole numbers of units."""
    model = Transitions.of(np.random.default_rng(0).normal(size=(5, 5)) * 400).model(tuple("abcde"))
    emissions = np.random.default_rng(1).normal(size=(7, 5))
    for scale in (1.0, 300.0, 3e5):
        comes_back(received, build_payload(None, [Run("far", *rv.rcms(model, emissions * scale, 8))]))


def test_what_cannot_be_found_again_is_sent(received):
    """Any change of a share by a digit, of a log to anything or to none comes back too."""
    rng = random.Random(5)
    whole = build_payload(None, runs_of(("rcms", "beam")))
    for _ in range(60):
        payload = copy.deepcopy(whole)
        column = rng.choice(rng.choice(payload["runs"])["columns"][1:-1])
        sums = column["candidates"]["sums"]
        shares = column["forward"], column["posterior"], column["candidates"]["mass"]
        logs = column["sums"]["backward"], sums["window"], sums["emission"]
        numbers = rng.choice([*shares, *logs, sums["parents"]])
        k = rng.randrange(len(numbers))
        if numbers is sums["parents"]:
            numbers[k][1] = rng.choice([None, 0.5, -1e7])
        elif numbers is sums["emission"]:
            y = column["candidates"]["labels"][k][-1]
            same = [j for j, labels in enumerate(column["candidates"]["labels"]) if labels[-1] == y]
            for j in same:
                numbers[j] = -7.25
        else:
            other = [0.0, 1.0, float(f"{(numbers[k] or 1) * 1.00001:.6g}")]
            numbers[k] = rng.choice(other if any(numbers is some for some in shares) else [None, *other])
        comes_back(received, payload)


def test_a_second_look_at_the_same_payload_changes_nothing(received):
    """A notebook hands the same to two views."""
    whole = build_payload("abcdea", runs_of())
    assert received(received(derived.without_derived(whole))) == received(whole) == whole


def test_much_is_left_out_of_a_word():
    (run,) = build_payload(None, runs_of(budget=12))["runs"]
    sent = derived.without_derived({"runs": [run]})["runs"][0]["columns"][3]
    assert sent["forward"] is sent["posterior"] is sent["candidates"]["mass"] is None
    assert len(sent["candidates"]["sums"]["emission"]) == 5 < len(sent["candidates"]["label"])
    assert all(isinstance(place, int) for place, _ in sent["candidates"]["sums"]["parents"])
