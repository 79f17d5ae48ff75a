"""The ARS page without a browser: links, models, invalid input, the comparison, the doctor, the code."""

import contextlib
import io
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rcmviz as rv
from pages.ars.answer import run
from pages.ars.doctor import SAMPLE
from pages.ars.inputs import load
from pages.ars.open_message import message_problem
from pages.ars.page import PAGE
from pages.ars.question import MAX_ORDER, MODES, SECONDS, STRATEGIES, TABS, ArsQuestion
from pages.shell import language_models as models
from pages.word.open_line import opening_query
from pages.word.question import WordQuestion
from pages.word.runs import problem_of
from rcmviz.core.methods import MethodChoice
from rcmviz.lm.doctor import check_arpa
from rcmviz.tasks.decoding import log_score
from rcmviz.tasks.sms.messages import MAX_WORDS
from support.links import check_notice, check_survival
from support.pages import answers_of, link_of, opened, texts
from support.toy_ars import toy_lm

runs = answers_of(PAGE)
TEXTS = st.text(min_size=1, max_size=30)
QUESTIONS = st.builds(
    ArsQuestion,
    tab=st.sampled_from(TABS),
    message=TEXTS,
    sentence=TEXTS,
    slip=st.integers(0, 99),
    slope=st.sampled_from([0.0, 8.5, 64.0]),
    most=st.integers(0, 50),
    order=st.integers(1, MAX_ORDER),
    mode=st.sampled_from(MODES),
    tag_mode=st.sampled_from(MODES),
    draws=st.integers(1, 1000),
    seed=st.integers(0, 99),
    batch=st.integers(1, 99),
    strategy=st.sampled_from(STRATEGIES),
    look_ahead=st.booleans(),
    temperature=st.sampled_from([0.5, 1.0, 2.302585092994]),
    seconds=st.sampled_from(SECONDS),
    budget=st.integers(1, 200),
    of=st.sampled_from(TABS[:2]),
)


KEPT = {
    "keypad": ("message", "mode", "slip", "temperature"),
    "tagging": ("sentence", "tag_mode", "order"),
    "compare": ("of", "budget", "look_ahead"),
    "doctor": (),
}


@settings(max_examples=60, deadline=None)
@given(QUESTIONS)
def test_a_question_survives_its_link(question):
    drawn = ("draws", "batch") if question.has_rounds and question.asks == "sample" else ()
    check_survival(question, ArsQuestion.read, ArsQuestion.write, ("tab", *KEPT[question.tab], *drawn))


def test_a_link_says_where_the_view_begins():
    _, opening, notices = ArsQuestion.read({"round": "17", "view": "all", "state": "3"})
    assert (opening, notices) == ({"round": 17, "view": "all", "held": 3}, [])


@pytest.mark.parametrize(
    ("name", "value"),
    {
        "tab": "moon",
        "of": "doctor",
        "lm": "../etc/passwd",
        "slip": "-1",
        "k": "nan",
        "most": "x",
        "order": "12",
        "mode": "guess",
        "n": "0",
        "seed": "1.5",
        "batch": "0",
        "strategy": "luck",
        "ahead": "yes",
        "temperature": "0",
        "seconds": "0",
        "budget": "0",
        "round": "0",
        "view": "up",
        "state": "-1",
        "unknown": "1",
        "message": "1" * 3000,
    }.items(),
)
def test_nonsense_in_a_link_costs_a_sentence(name, value):
    check_notice(name, value, ArsQuestion.read, ArsQuestion())


REFUSED = {
    "": "the message is empty",
    "84" + 40 * "1": "takes 42 keys, the longest takes",
    "36+7": r"'\+' in place 3 is no key",
    "843 " * (MAX_WORDS + 10): "60 words; at most 50",
    "καλά": "on no key",
}


@pytest.mark.parametrize(("message", "said"), REFUSED.items())
def test_messages_that_cannot_be_read_are_refused_with_the_place(message, said):
    with pytest.raises(ValueError, match=said):
        runs.payload_of(ArsQuestion(message=message))


def test_sentences_that_cannot_be_tagged_are_refused():
    with pytest.raises(ValueError, match="no sentence"):
        runs.payload_of(ArsQuestion(tab="tagging", sentence="  "))
    with pytest.raises(ValueError, match="at most 50"):
        runs.payload_of(ArsQuestion(tab="tagging", sentence="dog " * 60))


def test_no_time_is_an_answer_with_what_it_is_worth():
    payload = runs.payload_of(ArsQuestion(seconds=0, look_ahead=False))
    assert payload["result"]["stopped"] == "time"
    assert payload["result"]["gap"] > 0
    assert payload["round"] == 1
    assert runs.payload_of(ArsQuestion(seconds=0, mode="sample"))["result"]["stopped"] == "time"


def test_irrelevant_parameters_need_no_new_run():
    first = runs.payload_of(ArsQuestion())
    assert runs.payload_of(ArsQuestion(sentence="else", order=2, budget=3, tag_mode="decode", draws=7)) is first
    assert runs.payload_of(ArsQuestion(slip=4)) is not first


def test_typed_text_knows_what_was_meant():
    payload = runs.payload_of(ArsQuestion(message="does the money exist?"))
    assert payload["gold"] == ["does", "the", "money", "exist", "?", None]
    assert payload["inputs"] == ["3637", "843", "66639", "39478", "*", ""]
    slipped = runs.payload_of(ArsQuestion(message="does the money exist?", slip=3))
    assert slipped["inputs"] != payload["inputs"]
    notes = load(ArsQuestion(message="does the zzzzz exist?")).subject.notes
    assert "zzzzz" in notes[0]


@pytest.fixture
def uploads(monkeypatch):
    monkeypatch.setattr(models, "UPLOADS", type(models.UPLOADS)())


def arpa_of(lm, tmp_path):
    lm.write_arpa(tmp_path / "toy.arpa")
    return (tmp_path / "toy.arpa").read_bytes()


def test_an_uploaded_model_is_kept_and_named_by_its_content(uploads, tmp_path):
    content = arpa_of(toy_lm(2), tmp_path)
    name = models.keep_model("toy.arpa", content)
    assert models.keep_model("again.arpa", content) == name
    assert models.title_of(name) == "toy.arpa"
    assert models.offered_models("lm-english-words")[-1] == name
    payload = runs.payload_of(ArsQuestion(message="the dog", model=name))
    assert payload["order"] == 2
    toy_lm(3).save(tmp_path / "toy.npz")
    kept = models.keep_model("toy.npz", (tmp_path / "toy.npz").read_bytes())
    assert models.model_named(kept).counts == toy_lm(3).counts
    for order in (1, 3, 4, 5):
        models.keep_model(f"{order}.arpa", arpa_of(toy_lm(order), tmp_path))
    with pytest.raises(ValueError, match="upload it again"):
        models.model_named(name)


def zipped(**members):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return content.getvalue()


def test_broken_uploads_are_refused_by_their_name(uploads, monkeypatch):
    for content, said in (
        (b"", "bad.bin"),
        (b"\x1f\x8b\x00junk", "bad.bin"),
        (b"hello", "bad.bin"),
        (zipped(a="x"), "bad.bin: not a"),
        (SAMPLE.encode()[:200], "bad.bin"),
    ):
        with pytest.raises(ValueError, match=said):
            models.keep_model("bad.bin", content)
    monkeypatch.setattr(models, "MAX_BYTES", 10_000)
    with pytest.raises(ValueError, match="10,000 bytes"):
        models.keep_model("bomb.npz", zipped(a="0" * 1_000_000))
    assert not models.UPLOADS


def test_a_model_without_an_end_shows_a_notice(uploads, tmp_path):
    content = arpa_of(rv.train_lm(["the dog", "a dog"], order=2, end=False), tmp_path)
    question = ArsQuestion(message="the dog", model=models.keep_model("endless.arpa", content))
    assert "no </s>" in load(question).subject.notes[0]
    assert runs.payload_of(question)["T"] == 2


CODED = (
    ArsQuestion(),
    ArsQuestion(mode="sample", draws=20, seed=4, batch=10),
    ArsQuestion(message="does the dog bark?", slip=3, most=40),
    ArsQuestion(tab="tagging", tag_mode="decode", order=2),
    ArsQuestion(tab="tagging", draws=20, strategy="jump"),
)


@pytest.mark.parametrize("question", CODED)
def test_the_code_that_is_shown_finds_the_same(question):
    payload = runs.payload_of(question)
    names = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(payload["code"], names)
    assert printed.getvalue()
    result, _ = run(load(question))
    assert (names["best"].words if question.asks == "decode" else names["draws"].words) == result.words


def test_the_comparison_brackets_the_truth():
    question = ArsQuestion(tab="compare", message="843 364 22757", most=12, budget=6)
    payload = runs.payload_of(question)
    ars, beam, rcms, exact = payload["methods"]
    hmm = load(question).subject.hmm
    assert (ars["words"], ars["proved"]) == (exact["words"], True)
    assert ars["bounds"][0] - 1e-4 <= exact["logZ"] <= ars["bounds"][1] + 1e-4
    assert beam["logZ"] <= exact["logZ"] + 1e-4
    assert exact["own"] == pytest.approx(np.exp(exact["logScore"] - exact["logZ"]), rel=1e-3)
    for method in payload["methods"]:
        assert method["logScore"] == pytest.approx(log_score(hmm, method["words"]), abs=1e-3)
        assert method["logScore"] <= ars["logScore"] + 1e-3
    by_beam = [logZ for logZ, _ in payload["sweep"]["beam"]]
    assert by_beam[0] <= by_beam[-1] <= exact["logZ"] + 1e-4
    assert payload["sweep"]["budgets"] == sorted({1, 2, 5, 10, 20, 50, 100, 6})
    assert rcms["name"] == "RCMS 6"


def test_exact_inference_beyond_memory_shows_an_error():
    payload = runs.payload_of(ArsQuestion(tab="compare"))
    assert "arcs" in payload["methods"][3]["refused"]
    assert payload["methods"][0]["proved"]


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_opens(tab):
    session = opened("ars/page.py", tab=tab)
    assert not session.exception
    assert not session.error
    assert session.title[0].value == "ARS: exact by adaptive rejection"
    assert link_of(session)["tab"] == tab


def test_widgets_change_the_link_and_the_browsers_part_stays():
    session = opened("ars/page.py", round="5", seconds="20")
    session.number_input(key="ars.slip").set_value(3).run()
    assert not session.exception
    assert link_of(session) == {
        "tab": "keypad",
        "message": "3637 843 66639 39478 *",
        "slip": "3",
        "seconds": "20",
        "round": "5",
    }
    session.segmented_control(key="ars.tab").set_value("tagging").run()
    session.number_input(key="ars.order").set_value(2).run()
    assert link_of(session) == {
        "tab": "tagging",
        "sentence": ArsQuestion().sentence,
        "order": "2",
        "seconds": "20",
        "round": "5",
    }
    assert not session.exception


def test_a_bad_message_and_a_bad_link_show_an_error():
    session = opened("ars/page.py", message="3" * 60, lm="upload:0123456789abcdef")
    assert not session.exception
    session = opened("ars/page.py", tab="tagging", sentence=" . " * 70, order="99")
    with pytest.raises(ValueError, match="at most 50"):  # the view says so
        runs.payload_of(session.session_state["ars.value"])
    assert "from 1 to 9" in texts(session.warning)
    assert not session.exception


def test_the_doctor_says_what_the_library_says(tmp_path):
    session = opened("ars/page.py", tab="doctor")
    (tmp_path / "sample.arpa").write_text(SAMPLE, encoding="utf-8")
    verdict = check_arpa(tmp_path / "sample.arpa").rows()[-1][1]
    assert verdict[1:] in session.warning[0].value
    session.text_area(key="ars.doctor.text").set_value(SAMPLE.replace("ngram 2=6", "ngram 2=x")).run()
    assert "line 3" in texts(session.error)
    session.button(key="ars.doctor.sample").click().run()
    assert not session.error
    session.button(key="ars.doctor.use").click().run()
    assert not session.exception
    assert session.session_state["ars.value"].tab == "keypad"
    assert link_of(session)["lm"].startswith("upload:")


def test_a_message_opens_in_your_own_example_as_it_was_decoded():
    question = ArsQuestion(most=6, tab="compare", message="hello world")
    problem, most, has_exact = message_problem(question)
    subject = load(question).subject
    assert (most, has_exact) == (None, True) and problem.gold == (*subject.gold, "</s>")
    query = opening_query(problem, [MethodChoice("rcms", 5)])
    read, _, notices = WordQuestion.read(query)
    opened_problem = problem_of(read.subject)
    assert not notices and opened_problem.gold == problem.gold
    lattice, _ = opened_problem.run("exact")
    assert rv.log_z(lattice) == pytest.approx(rv.log_z(rv.exact(subject.hmm)[0]), abs=1e-9)
    session = opened("ars/page.py", tab="compare", message="hello world", most="6", details="1")
    session.button(key="ars.open_line").click().run()
    assert not session.exception and link_of(session)["problem"] == query["problem"]
