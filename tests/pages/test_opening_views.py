"""First views of pages agree with their texts: recorded runs, words and seeds, compared with exact inference."""

import ast
import gzip
import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

import rcmviz as rv
from pages.ars.page import PAGE as ARS
from pages.ars.question import COMPARED, COMPARED_STORY
from pages.home.examples import COMPARED as HOME_COMPARED
from pages.home.examples import STORY
from pages.home.picture import FILE, MOMENT, computed_picture
from pages.learn import recorded, sample
from pages.learn.checkpoint import DataSource
from pages.learn.data import keep_upload, load_data
from pages.learn.own_example import own_example
from pages.precision.question import OPENS_WITH as OPENING
from pages.shell.answers import payload_of
from pages.word import runs
from rcmviz.core.inference.batch import infer_batch
from rcmviz.evaluation.confidence import recall_at_precision
from rcmviz.evaluation.evaluate import Contender, answer
from rcmviz.tasks.handwriting.letter_data import word_sequences
from rcmviz.tasks.handwriting.pen import pen_words
from support.pages import link_of, opened, texts

ROOT = Path(__file__).parents[2]


def test_home_agrees_with_its_picture_and_the_library():
    """If this fails, run scripts/record_openings.py home."""
    payload = json.loads(FILE.read_text(encoding="utf-8"))
    assert payload == json.loads(json.dumps(computed_picture()))
    assert len(gzip.compress(FILE.read_bytes())) < 60_000
    beam, rcms = payload["runs"]
    problem = runs.problem_of(HOME_COMPARED.subject)
    for run, method in zip((beam, rcms), ("beam", "rcms"), strict=True):
        lattice, _ = problem.run(method, 4)
        best = rv.viterbi(lattice)
        assert [payload["labels"][y] for y in run["result"]["labels"]] == list(best.labels)
        assert run["result"]["p"] == pytest.approx(np.exp(best.log_prob), abs=1e-9)
    for share, of in ((beam["result"]["p"], "careless"), (beam["result"]["lost"], "mass")):
        assert f"{share:.0%}".replace("%", " %") in STORY and of in STORY
    assert rcms["result"]["right"] and rcms["result"]["lost"] == 0
    assert payload["exact"]["right"] and beam["result"]["goldLostAt"] == MOMENT
    assert f"letter {MOMENT}" in STORY


def test_learn_opens_with_a_recording_that_can_be_made_again():
    """If this fails, run scripts/record_openings.py."""
    data, kept = load_data(recorded.OPENS_WITH.source), recorded.read_recording()
    word = data.names[recorded.WORD]
    for training, method in zip(recorded.OPENS_WITH.trainings, kept["methods"], strict=True):
        found = recorded.train_snapshot(training, data, points=2)
        last, reading = found.points[-1], found.checkpoints[-1].read(data.sequence(recorded.WORD))
        assert last.accuracy == pytest.approx(method["points"]["accuracy"][-1], abs=0.02)
        assert last.recall_99 == pytest.approx(method["points"]["recall_99"][-1], abs=0.05)
        assert list(reading.decoded) == method["checkpoints"][-1]["decoded"]
        assert reading.confidence == pytest.approx(method["checkpoints"][-1]["confidence"], abs=0.02)
        if training.method == "rcms":
            model = found.checkpoints[-1].copy()
            exact = infer_batch(model, data.sequence(recorded.WORD).log_emits(model.emission), "exact", threads=1)
    rcms, beam = ([method["points"]["recall_99"][-1], method["checkpoints"][-1]] for method in kept["methods"])
    assert rcms[0] > 0.2 > 0.05 > beam[0]
    gold = kept["sequence"]["gold"]
    assert rcms[1]["decoded"] == gold == list(exact.labels[0]) != beam[1]["decoded"]
    assert rcms[1]["confidence"] == pytest.approx(np.exp(exact.log_prob[0]), abs=0.25)
    assert kept["words"] == [word] and kept["recorded"]
    assert all(len(part.split()) <= 30 for part in recorded.story().split(". "))


def test_learn_opens_with_its_recording_and_a_link_with_its_own_settings():
    session = opened("learn/page.py")
    assert not session.exception
    assert link_of(session) == recorded.OPENS_WITH.write()
    assert recorded.story()[:40] in texts(session.markdown)
    other = opened("learn/page.py", data="pen:40:0")
    assert recorded.story()[:40] not in texts(other.markdown)


def test_precision_opens_where_only_one_of_two_can_be_trusted():
    data = word_sequences(pen_words(OPENING.words, OPENING.seed, noise=OPENING.noise))
    found = {}
    for kind, model in (("rcms", "handwriting-pen"), ("beam", "handwriting-pen-beam"), ("exact", "handwriting-pen")):
        (given,) = answer(rv.load_model(model), data, [Contender(kind, 10)], threads=1)
        found[kind] = recall_at_precision(given.confidence, given.correct, 0.99)
    assert found["rcms"] > 0.5 > 0.4 < found["exact"]
    assert found["beam"] < 0.1


def test_ars_compares_where_the_methods_differ():
    ars, beam, rcms, exact = payload_of(ARS, COMPARED)["methods"]
    assert ars["proved"] and "refused" in exact
    assert beam["words"] == rcms["words"] != ars["words"]
    assert beam["logScore"] < ars["logScore"] > rcms["logScore"]
    assert f"*{' '.join(ars['words'][:6])}.*" in COMPARED_STORY
    differing = [pair for pair in zip(ars["words"], rcms["words"], strict=True) if len(set(pair)) > 1]
    assert differing == [("sat", "ran")]
    session = opened("ars/page.py")
    session.segmented_control(key="ars.tab").set_value("compare").run()
    assert not session.exception
    assert (link_of(session)["message"], link_of(session)["budget"]) == (COMPARED.message, "5")
    assert COMPARED_STORY in texts(session.markdown)


def test_no_expression_of_a_page_is_printed():
    config = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))
    assert config["runner"]["magicEnabled"] is False
    for file in (ROOT / "pages").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Expr):
                assert isinstance(node.value, ast.Call | ast.Constant | ast.Await | ast.Yield | ast.YieldFrom), (
                    file,
                    node.lineno,
                )


def test_an_uploaded_sequence_is_stepped_through_as_an_own_example():
    name, content = sample.SAMPLE_NAME, sample.sample_text().encode()
    data = load_data(DataSource("upload", upload=keep_upload(name, content)))
    (training, *_) = recorded.OPENS_WITH.trainings
    kept = recorded.train_snapshot(training, data, points=2).checkpoints[-1]
    query = own_example(data, training, 1, kept)
    session = opened("your_example/page.py", **query)
    assert not session.exception and not session.error and not session.warning
    problem = runs.problem_of(session.session_state["your_example.value"].subject)
    assert list(problem.tokens) == data.tokens[1]
    lattice, _ = problem.run(training.method, training.budget)
    assert [problem.labels.index(label) for label in rv.viterbi(lattice).labels] == list(
        kept.read(data.sequence(1)).decoded
    )


def test_the_upload_box_has_a_sample_and_a_template():
    session = opened("learn/page.py", data="upload:0")
    session.button(key="learn.sample").click().run()
    assert not session.exception and not session.error
    assert any(button.label == "Start" for button in session.button)
    template = load_data(
        DataSource("upload", upload=keep_upload(sample.TEMPLATE_NAME, sample.template_text().encode()))
    )
    assert len(template.train) + len(template.held_out) == 2
