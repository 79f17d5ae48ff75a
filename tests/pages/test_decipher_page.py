"""The Decipher page without a browser: links, texts, controls of EM, sessions, payloads, invalid input."""

import base64
import json
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rcmviz as rv
from pages.decipher import run as decipher_run
from pages.decipher import texts
from pages.decipher.code import reproducing_code
from pages.decipher.open_line import line_problem
from pages.decipher.pins import read_pins
from pages.decipher.question import OPENINGS, PACES, SENTENCE_NAMES, DecipherQuestion
from pages.decipher.run import ROUND, Origin
from pages.decipher.shown import PASSES, ShownRun, payload_of, recorded_run, shown_run
from pages.decipher.texts import OWN, keep_texts, subject_of
from rcmviz.core.builders.build import build_lattice
from rcmviz.jobs.host import this_host
from rcmviz.tasks.decipher.symbols import READINGS, Decipherment
from rcmviz.tasks.decipher.texts import TEXTS
from rcmviz.views.decipher.payload import CipherLayout, ShownPass, build_decipher, method_payload, pack_reading
from support.jobs import awake, wait_for  # noqa: F401
from support.pages import link_of
from support.pages import opened as opened_page

QUICK = DecipherQuestion(second="none", budget=20, letters=2)


def opened(**query):
    """A session whose first request is the page with this link."""
    return opened_page("decipher/page.py", **query)


def press(session, label):
    return session.button(key=f"decipher.press.{label}").click().run()


def session_of(session):
    return decipher_run.session_of(session.session_state["decipher.value"].run)


def labels(session):
    return [button.label for button in session.button]


def until_still(session):
    """Run the page, as its clock would, until no pass is left."""
    for _ in range(20_000):  # kernels may have to be compiled first
        if not session_of(session).is_running:
            return session.run()
        time.sleep(0.05)
        session.run()
    raise AssertionError("it never ended")


def finished(em_session, pace=50):
    """Passes up to the goal of a session of EM."""

    def over():
        em_session.run.keep_awake()
        em_session.hand_out_passes(pace)
        return not em_session.is_running

    wait_for(over)
    return em_session.run.snapshots()


@pytest.fixture
def started():
    """A function that starts a puzzle; its run is forgotten in the end."""
    em_sessions = []

    def start(puzzle):
        em_sessions.append(decipher_run.start(puzzle)[1])
        return em_sessions[-1]

    yield start
    for em_session in em_sessions:
        this_host().close(em_session.run.name)


# --- the page


def test_start_reads_up_to_the_goal_and_the_link_knows_the_run():
    session = press(opened(runs="rcms:20", passes="12", order="2"), "Start")
    session = until_still(session)
    assert not session.exception
    assert not session.error
    assert [snapshot.step for snapshot in session_of(session).run.snapshots()] == [12]
    assert link_of(session)["run"] == session_of(session).run.name
    assert "Resume" in labels(session)
    until_still(press(session, "Resume"))
    assert session_of(session).latest_pass == 24


def test_one_pass_pause_and_cancel():
    session = until_still(press(opened(runs="rcms:20", order="2", pace="1"), "One pass"))
    assert session_of(session).latest_pass == 1
    session = press(session, "Resume")
    assert "Pause" in labels(session)
    session = press(session, "Pause")
    wait_for(lambda: not session_of(session).is_running)
    assert "Resume" in labels(session.run())
    made = session_of(session).latest_pass
    session = press(session, "Cancel")
    assert not session.exception
    assert session_of(session).is_finished
    assert [len(passes) for passes in session_of(session).passes] == [made]  # they can still be looked at
    assert "Restart" in labels(session)


def test_changed_settings_start_anew_and_pins_of_another_text_go():
    session = until_still(press(opened(runs="rcms:20", passes="3", order="2", pins="Q-t"), "Start"))
    old = session_of(session)
    assert old.pins == {"Q": "t"}
    session.number_input(key="decipher.budget").set_value(30).run()
    assert session_of(session) is old
    assert "Restart" in labels(session)
    assert link_of(session)["pins"] == "Q-t"
    session.selectbox(key="decipher.text").set_value("train").run()
    assert "pins" not in link_of(session)
    session = press(session, "Start")
    assert session_of(session) is not old
    assert session_of(session).pins == {}


def test_a_link_to_a_pass_makes_the_run_again():
    session = until_still(opened(runs="rcms:20", order="2", at="7"))
    assert session_of(session).latest_pass == 7
    assert not session.exception


def test_a_link_of_a_run_that_is_forgotten_says_so_until_it_is_made_again():
    session = opened(runs="rcms:20", order="2", passes="2", run="forgotten")
    assert any("not in memory" in said.value for said in session.markdown)
    session = until_still(press(session, "Start"))
    assert not any("not in memory" in said.value for said in session.markdown)


def test_another_session_finds_the_run_by_its_link():
    mine = until_still(press(opened(runs="rcms:20", passes="2", order="2"), "Start"))
    yours = opened(**link_of(mine))
    assert session_of(yours) is session_of(mine)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"text": "own", "own": "Il est né à Paris et il aime le thé"}, "'é'"),
        ({"text": "own", "own": "2025 1984 007"}, "0 letters"),
        ({"text": "own", "own": "abc def"}, "6 letters"),
        ({"kind": "words", "sentences": "own", "upload": "0" * 16}, "texts are missing"),
        ({"pins": "Q-hello"}, "not a letter of the language model"),
        ({"text": "own", "own": "abcdefghij klmno", "pins": "Z-a"}, "'Z' does not occur"),
        ({"pins": "Q-t,F-t"}, "two symbols are pinned to one letter"),
    ],
)
def test_what_cannot_be_read_is_named_and_nothing_breaks(query, message):
    session = opened(**query)
    assert not session.exception
    assert message.lower() in session.error[0].value.replace("\\", "").lower()


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"text": "own"}, "The text is empty: paste"),
        ({"kind": "words", "sentences": "own"}, "Paste sentences to learn the language from, and press “Take these”."),
    ],
)
def test_where_nothing_was_given_yet_a_page_asks_for_it(query, message):
    session = opened(**query)
    assert not session.exception
    assert not session.error
    assert message in session.info[0].value.replace("\\", "")


def test_a_text_that_is_too_long_is_refused_and_stays_in_its_field():
    session, text = opened(text="own"), "the quick brown fox " * 250
    session.text_area(key="decipher.own").set_value(text).run()
    assert "at most 2,000 are allowed" in session.error[0].value
    assert session.text_area(key="decipher.own").value == text
    assert "own" not in link_of(session)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"own": "a" * 3_000}, "at most 2,000"),
        ({"runs": "ars:5"}, "not a method"),
        ({"runs": "repaired:5"}, "choose one"),
        ({"order": "9"}, "a whole number from 1 to 3"),
        ({"pins": "nonsense"}, "is not a list of pins"),
        ({"pins": "F-t,F-h"}, "pins a symbol twice"),
        ({"color": "red"}, "color"),
        ({"runs": "rcms:5000"}, "at most 1,000"),
        ({"at": "-4"}, "from 1 to 1,000,000"),
    ],
)
def test_nonsense_in_a_link_costs_a_sentence(query, message):
    session = opened(**query)
    assert not session.exception
    assert not session.error
    assert message in session.warning[0].value.replace("\\", "")


def test_exact_inference_that_is_too_large_is_refused():
    session = press(opened(kind="words", runs="exact", order="3"), "Start")
    wait_for(lambda: not session_of(session).is_running)
    session.run()
    assert not session.exception
    (snapshot,) = session_of(session).run.snapshots()
    assert "exact inference of order 3" in snapshot.message
    assert "Restart" in labels(session)


def test_a_pass_that_takes_long_can_be_cancelled(started):
    em_session = started(DecipherQuestion("words", first="exact", second="none"))
    em_session.request_passes(5)
    em_session.hand_out_passes(1)
    wait_for(lambda: em_session.run.jobs[0]._busy)
    em_session.run.cancel()
    wait_for(lambda: not em_session.run.jobs[0]._busy)
    assert [snapshot.status for snapshot in em_session.run.snapshots()] == ["cancelled"]
    assert em_session.is_finished


def test_pins_that_cannot_be_are_freed_by_a_button():
    session = opened(pins="Q-hello")
    (free,) = [button for button in session.button if button.label == "Remove all pins"]
    free.click().run()
    assert not session.error
    assert "pins" not in link_of(session)


# --- controls of EM


def test_a_cryptogram_is_solved_and_then_left_alone(started):
    em_session = started(DecipherQuestion())
    em_session.request_passes(100)
    assert [snapshot.step for snapshot in finished(em_session)] == [ROUND, ROUND]  # EM is over
    assert em_session.awaits_swaps
    em_session.request_passes(100)
    rcms, beam = finished(em_session)
    assert em_session.solved(rcms)
    last = rcms.checkpoints[-1].reading
    assert (last.accuracy, last.stage) == (1.0, "swaps")
    assert rcms.step < beam.step or em_session.solved(beam)
    assert [one.step for one in rcms.checkpoints] == list(range(1, rcms.step + 1))  # every pass is kept
    assert max(one.reading.accuracy for one in beam.checkpoints[:20]) < 0.6


def test_a_pin_is_applied_from_the_next_pass_on_and_goes_on_after_the_solution(started):
    em_session = started(QUICK)
    em_session.request_passes(3)
    finished(em_session)
    layout = em_session.subject.layout
    em_session.pin({"Z": "q"})
    em_session.request_passes(2)
    (snapshot,) = finished(em_session)
    pinned = [one.reading.pins for one in snapshot.checkpoints]
    assert pinned == [{}, {}, {}, {25: 16}, {25: 16}]
    assert snapshot.checkpoints[-1].reading.guess[25] == layout.labels.index("q")
    assert snapshot.checkpoints[-1].packed["pins"] == [[layout.places[25], 16]]
    em_session.pin({})
    em_session.request_passes(1)
    (snapshot,) = finished(em_session)
    assert snapshot.checkpoints[-1].reading.pins == {}


def test_a_line_opens_with_the_emissions_of_its_pass_and_the_pins_up_to_there():
    question, cipher = OPENINGS["words"], subject_of(OPENINGS["words"]).cipher
    symbol, pins = int(cipher.lines[2][0]), ({}, {int(cipher.lines[2][0]): 7}, {})
    problem, has_exact = line_problem(question, ShownRun("a run", [], (pins, ({},))), at=2, method=0, line=2)
    assert problem.gold == (*cipher.words(cipher.lines[2]), "</s>") and has_exact
    assert problem.title.startswith("Line 3 of the cipher, RCMS 2 after pass 2")
    work = Decipherment(cipher, "rcms", 2, order=question.words)
    work.advance()
    work.pins = {cipher.symbols[symbol]: cipher.vocabulary[7]}
    work.advance()
    log_emit, kept = work.em.log_emit(cipher.lines[2]), [work.em.model.labels.index(label) for label in problem.labels]
    masked = np.full_like(log_emit, -np.inf)
    masked[:, kept] = np.where(np.isneginf(problem.log_emit), -np.inf, log_emit[:, kept])
    for method in ("rcms", "beam"):
        lattice, found = build_lattice(method, work.em.model, masked, 2)[0], problem.run(method, 2)[0]
        assert rv.log_z(found) == pytest.approx(rv.log_z(lattice), abs=1e-9)
        assert rv.viterbi(found).labels == rv.viterbi(lattice).labels
    with pytest.raises(ValueError, match="has made no pass yet"):
        line_problem(question, None, at=1, method=0, line=0)


def test_a_run_that_branches_off_is_the_same_up_to_there(started):
    old = started(QUICK)
    old.request_passes(2)
    finished(old)
    old.pin({"Z": "q"})
    old.request_passes(3)
    (was,) = finished(old)
    shown = shown_run(replace(QUICK, run=old.run.name), old)
    assert (shown.last, shown.pins[0]) == (5, ({}, {}, {25: 16}, {25: 16}, {25: 16}))
    new = decipher_run.start(replace(QUICK, pins=(("F", "t"),), since=4), origin=Origin(4, shown, True))[1]
    new.request_up_to(6)
    assert new.is_catching_up
    (now,) = finished(new)
    assert not new.is_catching_up
    assert [one.packed for one in now.checkpoints[:4]] == [one.packed for one in was.checkpoints[:4]]
    assert [one.reading.pins for one in now.checkpoints[4:]] == [{5: 19}, {5: 19}]
    resumed = decipher_run.start(replace(QUICK, pins=(("Z", "q"),), since=2))[1]  # as a link does
    resumed.request_passes(5)
    (again,) = finished(resumed)
    assert [one.packed for one in again.checkpoints] == [one.packed for one in was.checkpoints]
    for session in (new, resumed):
        this_host().close(session.run.name)


def test_the_page_opens_on_em_alone_where_rcms_reads_all_and_the_beam_does_not(started):
    rcms, beam = recorded_run("letters").methods
    assert [method["points"]["step"][-1] for method in (rcms, beam)] == [ROUND, ROUND]
    assert {one["stage"] for method in (rcms, beam) for one in method["passes"]} == {"em"}
    assert rcms["points"]["accuracy"][-1] == 1.0  # by the key
    assert beam["points"]["accuracy"][-1] < 0.25
    em_session = started(DecipherQuestion())
    em_session.request_passes(3)
    finished(em_session)
    made = [
        method_payload(method) for method in shown_run(DecipherQuestion(run=em_session.run.name), em_session).methods
    ]
    for method, kept in zip(made, (rcms, beam), strict=True):  # scripts/record_openings.py makes them again
        assert method["passes"] == kept["passes"][:3]
        assert method["points"] == {name: values[:3] for name, values in kept["points"].items()}


def test_words_open_on_em_that_reads_most_by_merging_and_hardly_any_by_dropping(started):
    rcms, beam = recorded_run("words").methods
    assert rcms["points"]["accuracy"][-1] > 0.55 and beam["points"]["accuracy"][-1] < 0.1
    em_session = started(OPENINGS["words"])
    em_session.request_passes(2)
    finished(em_session)
    shown = shown_run(replace(OPENINGS["words"], run=em_session.run.name), em_session)
    for method, kept in zip(map(method_payload, shown.methods), (rcms, beam), strict=True):
        assert method["passes"] == kept["passes"][:2]
    opened = payload_of(OPENINGS["words"], None)
    assert opened["recorded"] and len(opened["methods"][0]["passes"]) == PASSES["words"]
    assert opened["id"] != payload_of(DecipherQuestion(), None)["id"]  # to the view they are two runs


def test_settings_that_differ_open_on_no_recorded_run():
    assert payload_of(DecipherQuestion(), None)["recorded"]
    other = payload_of(DecipherQuestion(budget=50), None)
    assert not other["recorded"] and not other["methods"][0]["passes"]


def test_a_pin_that_cannot_be_changes_nothing(started):
    em_session = started(QUICK)
    for pins, message in [
        ({"!": "a"}, "does not occur"),
        ({"Z": "ß"}, "is not a letter"),
        ({"Z": "a", "F": "a"}, "two symbols"),
    ]:
        with pytest.raises(ValueError, match=message):
            em_session.pin(pins)
    assert em_session.pins == {}


def test_to_hold_is_to_hand_out_no_more_passes(started):
    em_session = started(QUICK)
    em_session.request_passes(50)
    em_session.hand_out_passes(2)
    wait_for(lambda: em_session.latest_pass == 2)
    assert em_session.is_running
    em_session.pause()
    wait_for(lambda: not em_session.is_running)
    em_session.hand_out_passes(10)
    assert em_session.run.snapshots()[0].step == 2


def test_the_time_left_is_that_of_the_slowest_and_no_more_than_the_pace_allows(started):
    em_session = started(QUICK)
    assert em_session.seconds_left(4) == 0
    em_session.request_passes(20)
    assert em_session.seconds_left(4) == 5
    em_session.pause()
    assert em_session.seconds_left(4) == 0
    pretended = replace(em_session.run.snapshots()[0], steps=200, step=100, left=50.0)
    em_session.run.snapshots = lambda: (pretended, replace(pretended, step=110))
    em_session.goal = 120
    assert em_session.seconds_left(1_000) == 10
    assert em_session.seconds_left(1) == 20


def test_what_is_kept_of_a_pass_of_words_is_small(started):
    em_session = started(DecipherQuestion("words", budget=5, second="none"))
    em_session.request_passes(1)
    ((kept,),) = [snapshot.checkpoints for snapshot in finished(em_session)]
    arrays = [value for value in vars(kept.reading).values() if isinstance(value, np.ndarray)]
    assert sum(array.nbytes for array in arrays) + len(json.dumps(kept.packed)) < decipher_run.BYTES_PER_PASS


def test_words_are_read_better_pass_by_pass(started):
    em_session = started(DecipherQuestion("words", budget=20, second="none"))
    em_session.request_passes(3)
    (snapshot,) = finished(em_session)
    readings = [one.reading for one in snapshot.checkpoints]
    assert readings[0].by_type < readings[-1].by_type
    assert readings[-1].log_likelihood > readings[0].log_likelihood
    assert all(reading.mean_length > 0 for reading in readings)


# --- texts


def test_the_layout_of_a_text_is_its_plain_text_under_the_key():
    for name in TEXTS:
        layout = subject_of(DecipherQuestion(text=name)).layout
        letters = [layout.labels[number] for number in layout.key]
        plain = "\n".join(
            " ".join("".join(i if isinstance(i, str) else letters[i] for i in group) for group in line)
            for line in layout.message
        )
        assert plain == " ".join(TEXTS[name].lower().split())


def test_plain_english_is_told_from_a_cipher():
    for name, text in TEXTS.items():
        assert texts.is_english(text) and texts.is_english(text.replace(" ", "")[:200])
        assert not texts.is_english(subject_of(DecipherQuestion(text=name)).cipher.text)
    assert not texts.is_english("1984")


def test_plain_english_that_is_pasted_is_offered_to_be_enciphered():
    session = opened(text="own", own="the cat sat on the mat and looked at the moon")
    assert "plain English" in session.info[0].value
    session.button(key="decipher.encipher").click().run()
    assert link_of(session)["plain"] == "1"
    assert not session.info and not session.exception


def test_own_sentences_are_enciphered_or_come_enciphered():
    plain = "\n".join(
        f"the {noun} saw a {other}" for noun in ("cat", "dog", "cow") for other in ("bird", "fish", "fox")
    )
    digest = keep_texts(plain, "")
    layout = subject_of(DecipherQuestion("words", sentences=OWN, upload=digest)).layout
    assert layout.key is not None
    assert set(layout.labels) == {"the", "saw", "a", "cat", "dog", "cow", "bird", "fish", "fox"}
    layout = subject_of(DecipherQuestion("words", sentences=OWN, upload=keep_texts(plain, "X1 X2\nX2 X3"))).layout
    assert (layout.key, layout.symbols) == (None, ("X1", "X2", "X3"))


@pytest.mark.parametrize(
    ("plain", "enciphered", "message"),
    [
        ("", "A B", "plain text is empty"),
        ("word\nword word", "A", "a vocabulary of one word"),
        ("one two\ntwo one", "A B C", "3 different symbols for 2 words"),
        ("one two", "\n \n", "to be enciphered|one sentence|plain"),
        ("x" * 600_000, "", "at most 500,000"),
    ],
)
def test_texts_that_are_no_cipher(plain, enciphered, message):
    with pytest.raises(ValueError, match=message):
        keep_texts(plain, enciphered)
    assert not any(text == plain for text, _ in texts.UPLOADS.values())


# --- payloads

BOARD = CipherLayout(
    ("a", "b", "c"),
    ("X", "Y", "Z"),
    np.array([1, 5, 0]),
    np.array([2, 0, 1]),
    (((1, "!"), (0,)),),
    np.array([0, 2, 1]),
    "letter",
)


def unpacked(text, shape):
    return np.frombuffer(base64.b64decode(text), np.uint8).reshape(shape) / 255


def test_a_reading_comes_back_from_its_bytes():
    counts = np.array([[0.1, 0.2, 0.7], [4.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    reading = ShownPass(4, 1, "em", np.array([2, 0, 1]), None, None, -3.5, 1.25, False, {0: 1})
    packed = json.loads(json.dumps(pack_reading(BOARD, reading, counts)))
    assert BOARD.rows.tolist() == [1, 0]  # Z does not occur
    shares = np.array([[0.8, 0.2, 0.0], [0.0, 1.0, 0.0]])  # Y as it is, X pinned to b
    np.testing.assert_allclose(unpacked(packed["matrix"], (2, 3)), shares[:, [0, 2, 1]], atol=0.5 / 255)
    assert np.array(packed["likeliest"]).reshape(2, -1)[:, 0].tolist() == [0, 1]
    assert unpacked(packed["shares"], (2, -1))[:, 0] == pytest.approx([0.8, 1.0], abs=1 / 255)
    assert (packed["guess"], packed["pins"]) == ([0, 2], [[1, 1]])


def test_where_the_text_is_the_best_so_far_the_mapping_is_too():
    reading = ShownPass(50, 2, "em", np.array([2, 0, 1]), None, None, -3.5, 1.25, False, {}, 0.5)
    packed = pack_reading(BOARD, reading, np.full((3, 3), 4.0))  # the result of this pass of EM
    assert unpacked(packed["matrix"], (2, 3)) == pytest.approx(np.array([[0.5, 0, 0], [0, 0.5, 0]]), abs=1 / 255)
    assert unpacked(packed["sure"], 2) == pytest.approx([0.5, 0.5], abs=1 / 255)


def test_a_payload_is_json_with_null_where_there_is_no_number():
    reading = ShownPass(1, 1, "em", np.zeros(3, int), None, 0.5, -np.inf, 1.0, False, {})
    method = {
        "name": "RCMS 3",
        "kind": "rcms",
        "status": "paused",
        "message": "",
        "readings": [(reading, pack_reading(BOARD, reading, np.ones((3, 3))))],
    }
    payload = json.loads(json.dumps(build_decipher(BOARD, [method], name="x", pins={1: 0}), allow_nan=False))
    assert payload["message"] == [[[0, "!"], [1]]]
    assert (payload["symbols"], payload["counts"], payload["key"]) == (["Y", "X"], [5, 1], [0, 2])
    assert payload["pins"] == [[0, 0]]
    assert payload["methods"][0]["points"] == {
        "step": [1],
        "accuracy": [None],
        "by_type": [0.5],
        "log_likelihood": [None],
        "mean_length": [1.0],
    }


# --- links and code

NAMES = st.text("ABCXYZ0123456789-,%=", min_size=1, max_size=3)
PIN = st.tuples(NAMES, st.text("abcxyz-", min_size=1, max_size=6))
PINS = st.lists(PIN, max_size=4, unique_by=lambda pin: pin[0]).map(tuple)
OWN_TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=60)
SHARED = {
    "seed": st.integers(0, 2**31 - 1),
    "first": st.sampled_from(["rcms", "beam"]),
    "budget": st.integers(1, 1_000),
    "second": st.sampled_from(["rcms", "beam"]),
    "second_budget": st.integers(1, 1_000),
    "passes": st.integers(1, 200),
    "pace": st.sampled_from(PACES),
    "pins": PINS,
    "run": st.text("abc-_1", max_size=8),
}
PUZZLES = st.one_of(
    st.builds(
        DecipherQuestion,
        st.just("letters"),
        text=st.sampled_from([*TEXTS, OWN]),
        own=OWN_TEXT,
        plain=st.booleans(),
        letters=st.integers(1, 3),
        **SHARED,
    ),
    st.builds(
        DecipherQuestion,
        st.just("words"),
        sentences=st.sampled_from([*SENTENCE_NAMES]),
        words=st.integers(1, 3),
        upload=st.sampled_from(["", "0123456789abcdef"]),
        reading=st.sampled_from(READINGS),
        **SHARED,
    ),
)


@given(PUZZLES)
@settings(max_examples=150)
def test_puzzles_come_back_from_their_links(puzzle):
    if len(puzzle.methods) == 1:  # two times the same is one
        puzzle = replace(puzzle, second="none", second_budget=60)
    assert DecipherQuestion.read(puzzle.write()) == (puzzle, None, [])


@given(PINS)
def test_pins_come_back_from_their_text(pins):
    link = DecipherQuestion(pins=pins).write().get("pins", "")
    assert link.count(",") == max(0, len(pins) - 1)
    assert read_pins(link) == pins


@pytest.mark.parametrize(
    "puzzle",
    [
        QUICK,
        replace(QUICK, text=OWN, own="The quick brown fox, and the lazy dog.", plain=True, pins=(("A", "b"),)),
        DecipherQuestion("words", budget=5, second="none", words=1, reading="assignment"),
    ],
)
def test_the_code_that_is_shown_runs(puzzle, capsys):
    code = reproducing_code(puzzle).replace("rounds=3", "rounds=1").replace("run(20)", "run(2)")
    exec(compile(code, "shown", "exec"), {})
    assert capsys.readouterr().out.startswith("1 ")
