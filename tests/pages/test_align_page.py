"""The Align page without a browser: cells compared with the oracle, links, invalid input, code, trainings."""

import contextlib
import io
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.align import inputs
from pages.align.answer import model_of
from pages.align.code import learning_code, picture_code
from pages.align.examples import EXAMPLES
from pages.align.page import PAGE
from pages.align.question import COMPARED, MAX_BUDGET, MAX_ORDER, OPENS_WITH, SOURCES, TABS, AlignQuestion
from pages.align.recorded import RECORDED_WORD, STRETCH, is_recorded, recorded_method, recorded_payload
from problems.align import columns_of, context_of, inferred, oracle_of, some_model
from rcmviz.align.evaluation import evaluate
from rcmviz.align.model import AlignLimits
from rcmviz.align.settings import AlignTraining
from rcmviz.align.train import AlignTrainer
from rcmviz.align.workspace import STRATEGIES
from rcmviz.jobs.alignments import ALIGN_JOBS, HeldOutAlignments, bytes_needed, seconds_needed
from rcmviz.jobs.host import Host
from rcmviz.jobs.job import Job
from rcmviz.tasks.speech import examples
from rcmviz.views.align import cells
from rcmviz.views.align.learning import build_align_learning
from rcmviz.views.align.payload import AlignRun, align_html, build_align
from support.jobs import Held, awake, wait_for  # noqa: F401
from support.links import check_notice, check_survival
from support.pages import answers_of, link_of, opened, texts

runs = answers_of(PAGE)


def in_order(some):
    """Strategies as a link writes them."""
    return tuple(strategy for strategy in STRATEGIES if strategy in some)


WORD = st.text("abcdefghijklmnopqrstuvwxyz' é<", max_size=12)
QUESTIONS = st.builds(
    AlignQuestion,
    tab=st.sampled_from(TABS),
    word=WORD,
    phones=st.text("AEFIKOWNZ 0", max_size=12),
    keep=st.integers(1, MAX_BUDGET),
    compare=st.sampled_from(COMPARED),
    source=st.sampled_from(SOURCES),
    words=st.integers(10, 746),
    learned=st.sampled_from(STRATEGIES),
    step=st.integers(0, 999),
    order=st.integers(1, MAX_ORDER),
    budget=st.integers(1, MAX_BUDGET),
    epochs=st.integers(1, 99),
    mode=st.sampled_from(["additive", "single"]),
    eta=st.sampled_from([0.05, 0.2, 1.0]),
    delta=st.sampled_from([1e-4, 1.0]),
    joined=st.booleans(),
    seed=st.integers(0, 99),
    average=st.booleans(),
    decoder=st.sampled_from(["viterbi", "marginal"]),
    look=st.integers(0, 99),
    strategies=st.sets(st.sampled_from(STRATEGIES), min_size=1).map(in_order),
)
SHARED = (
    "source",
    "words",
    "order",
    "budget",
    "epochs",
    "mode",
    "eta",
    "delta",
    "joined",
    "seed",
    "average",
    "decoder",
)
KEPT = {
    "picture": (*SHARED, "word", "phones", "keep", "compare", "learned", "step"),
    "learning": (*SHARED, "strategies", "look"),
}
QUICK = AlignTraining(order=2, budget=5, epochs=2)


@pytest.fixture(scope="module")
def few():
    """Twelve words to learn from and five held out."""
    return examples.load(train=12, test=5)


# --- cells


def masses_of(oracle, columns, cell):
    """(Candidates of a cell by mass, the total mass that enters it); the difference is the roots' own mass."""
    found = oracle.candidates(columns, cell)
    return {key: mass for key, mass in found.items() if key[1]}, sum(found.values())


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 99),
    st.sampled_from(["rcms", "model"]),
    st.integers(1, 8),
    st.sampled_from(["XY", "XYX", "Y"]),
    st.booleans(),
)
def test_what_became_of_every_candidate_is_shown(seed, strategy, budget, phones, joined):
    model = some_model(seed, order=2, limits=AlignLimits(2, 2, 1.0, 1))
    _, lattice = inferred(model, phones, strategy=strategy, budget=budget, joined=joined)
    oracle, columns = oracle_of(model, phones, joined=joined), columns_of(lattice, model)
    posterior = lattice.posterior()
    for (a, i), contexts in columns.items():
        if a == 0:
            continue
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cells, "MOST_OTHERS", 10_000)
            cell = cells.cell_of(lattice, model, a, i, posterior)
        candidates, total = masses_of(oracle, columns, (a, i))
        own = [candidates.get(context, 0.0) for context in contexts]
        kept = {context for context in contexts if context[1]}
        others = [mass for key, mass in candidates.items() if key not in kept and mass > 0]
        assert cell.seen == len(kept) + len(others)
        assert sorted(other.mass * total for other in cell.others) == pytest.approx(sorted(others), rel=1e-6, abs=1e-9)
        assert cell.moved == pytest.approx(sum(others) / total, abs=1e-9)
        assert all((other.into < 0) == (strategy == "model") for other in cell.others)
        check_shares(cell, own, total)


def check_shares(cell, own, total):
    """A context has its own mass and the mass merged into it, as shares of all proposed mass."""
    carried = np.zeros(len(own))
    for other in cell.others:
        if other.into >= 0:
            carried[other.into] += other.mass * total
    for (name, _, share, _), mass, merged in zip(cell.contexts, own, carried, strict=True):
        if name != "*":  # a root also has the mass of P without a letter
            assert share * total == pytest.approx(mass + merged, rel=1e-6, abs=1e-9)


def test_contexts_are_named_as_they_are_remembered():
    model = some_model(3, order=2, limits=AlignLimits(3, 2, 1.5, 1))
    _, lattice = inferred(model, "XYX", budget=60)
    for a, i in ((1, 1), (2, 2), (2, 3), (3, 2)):
        cell, span = cells.cell_of(lattice, model, a, i, lattice.posterior()), lattice.cell(a, i)
        for (name, mode, *_), k in zip(cell.contexts, range(span.start, span.stop), strict=True):
            (kind, size), string = context_of(lattice, model, k)
            assert mode == {"star": "1:1", "C": f"{size} letters", "P": f"{size} phones"}[kind]
            assert name.startswith("^") == (bool(string) and string[0] == ("^", "^"))
            scores = [move for move, _ in string if move != "^"]
            assert (name.count("+"), name.count("~")) == (scores.count("C"), scores.count("P"))


# --- payloads


@pytest.fixture(scope="module")
def learned(few):
    trainer = AlignTrainer(few.train, QUICK)
    while not trainer.done:
        trainer.advance()
    return trainer.model()


BOTH = (AlignRun("RCMS 5", "rcms", 5), AlignRun("Beam 5", "model", 5))


def test_a_payload_says_what_the_library_says(learned, few):
    phones, text = few.test.phone_names(0), few.test.text(0)
    payload = build_align(learned, phones, text, BOTH)
    assert json.loads(json.dumps(payload, allow_nan=False)) == payload
    for run in payload["runs"]:
        aligner, lattice = inferred(learned, phones, text, strategy=run["kind"], budget=5)
        best = aligner.best()
        assert (run["best"]["text"], run["best"]["edges"]) == (best.text, [list(edge) for edge in best.edges])
        assert np.array(run["edges"]) == pytest.approx(lattice.edges(), abs=1e-4)
        assert run["logZ"] == pytest.approx(lattice.log_z[0], rel=1e-5)
        for spelling, p in run["spellings"]:
            again, _ = inferred(learned, phones, strategy=run["kind"], budget=5)
            wanted = again.log_mass(learned.letter_numbers(spelling)) - again.log_z
            assert p == pytest.approx(math.exp(wanted), rel=1e-4)
        assert len(run["best"]["sure"]) == len(best.text)


@pytest.mark.parametrize(
    ("phones", "text", "message"),
    [
        (("QQ",), None, "phone 'QQ'"),
        ((), None, "no phones"),
        (("F", "OW", "N"), "straße", "letter 'ß'"),
        (("F",), "phonetically", "at most 4"),
        (("F",) * 41, None, "at most 40"),
    ],
)
def test_what_cannot_be_aligned_is_refused(learned, phones, text, message):
    with pytest.raises(ValueError, match=message):
        build_align(learned, phones, text)


def test_a_beam_without_any_alignment_and_tokens_that_look_like_html(learned, few):
    payload = build_align(learned, few.test.phone_names(0), "x" * 5, BOTH[1:], title="</script><b>")
    assert payload["runs"][0]["gold"] is None
    assert payload["runs"][0]["goldLogZ"] is None
    assert "</script><b>" not in align_html(payload, "A <word>")


# --- background trainings


def test_strategies_learn_beside_the_page_as_they_do_alone(few):
    host = Host(threads=1)
    chosen = [replace(QUICK, strategy=strategy) for strategy in ("rcms", "model")]
    run = host.open("here", few.train, chosen, few.test, job_kind=ALIGN_JOBS)
    run.run()
    wait_for(lambda: run.finished)
    rcms, beam = run.snapshots()
    assert (rcms.status, beam.status, rcms.step) == ("done", "done", 24)
    alone = AlignTrainer(few.train, QUICK)
    while not alone.done:
        alone.advance()
    np.testing.assert_array_equal(rcms.checkpoints[-1].model.weights, alone.model().weights)
    scores = evaluate(alone.model(), few.test, "rcms", 5, joined=True)
    assert (rcms.points[-1].error_rate, rcms.points[-1].exact) == pytest.approx((scores.error_rate, scores.exact))
    assert [point.explained for point in rcms.points] == [1.0] * len(rcms.points)
    assert {point.explained for point in beam.points} <= {0.0}
    assert all(math.isnan(point.log_likelihood) for point in beam.points)
    payload = build_align_learning(run, ["RCMS", "Beam"], few.test, word=2)
    assert [sum(method["points"]["examples"]) for method in payload["methods"]] == [24, 24]
    assert json.loads(json.dumps(payload, allow_nan=False)) == payload
    assert payload["methods"][0]["checkpoints"][-1]["text"] == scores.readings[2].text
    assert payload["example"] == {"phones": list(few.test.phone_names(2)), "meant": few.test.text(2)}


def test_forced_alignments_are_made_in_pieces_between_which_it_can_be_paused(few):
    settings = replace(QUICK, strategy="forced", initial_epochs=2)
    held = Held()
    job = Job(few.train, settings, held, job_kind=ALIGN_JOBS)
    job.run()
    held.work(3)
    job.pause()
    held.work(10)
    assert (job.snapshot().status, job.snapshot().step, job.busy) == ("paused", 0, False)
    job.run()
    held.work(100)
    alone = AlignTrainer(few.train, settings)
    while not alone.done:
        alone.advance()
    assert job.snapshot().status == "done"
    np.testing.assert_array_equal(job.snapshot().checkpoints[-1].model.weights, alone.model().weights)


def test_an_evaluation_in_pieces_is_the_whole(learned, few):
    evaluation, pieces = HeldOutAlignments(learned, few.test, QUICK), 0
    while not evaluation.evaluate_next(2):
        pieces += 1
    whole = evaluate(learned, few.test, "rcms", 5)
    assert (pieces, evaluation.scores) == (2, {"error_rate": whole.error_rate, "exact": whole.exact})


def test_limits_and_estimates(few):
    with pytest.raises(ValueError, match="the limit here is"):
        ALIGN_JOBS.check(few.train, replace(Host(threads=1).limits, sequences=3))
    assert bytes_needed(few.train, QUICK) < bytes_needed(few.train, replace(QUICK, order=4))
    assert seconds_needed(few.train, QUICK) < seconds_needed(few.train, replace(QUICK, strategy="forced"))


# --- questions


@settings(max_examples=80, deadline=None)
@given(QUESTIONS)
def test_a_question_survives_its_link(question):
    check_survival(question, AlignQuestion.read, AlignQuestion.write, ("tab", *KEPT[question.tab]))


def test_a_link_says_where_the_view_begins():
    _, opening, notices = AlignQuestion.read({"cell": "3.4", "route": "all", "asked": "gold"})
    assert (opening, notices) == ({"cell": [3, 4], "route": "all", "asked": "gold"}, [])


@pytest.mark.parametrize(
    ("name", "value"),
    {
        "tab": "moon",
        "compare": "forced",
        "data": "../etc",
        "by": "luck",
        "keep": "0",
        "order": "9",
        "budget": "x",
        "epochs": "1e9",
        "mode": "dense",
        "eta": "nan",
        "delta": "0",
        "joined": "maybe",
        "seed": "-1",
        "average": "yes",
        "decoder": "best",
        "at": "-2",
        "strategies": "rcms,luck",
        "look": "-1",
        "cell": "3",
        "route": "up",
        "asked": "all",
        "words": "3",
        "word": "a" * 400,
        "phones": "F " * 400,
        "unknown": "1",
    }.items(),
)
def test_nonsense_in_a_link_costs_a_sentence(name, value):
    instead = {"phones": {"word": ""}, "look": {"look": 0}}.get(name, {})
    check_notice(name, value, AlignQuestion.read, AlignQuestion(**instead))


def test_the_stories_show_what_they_describe():
    first, seen, unseen, young = (runs.payload_of(example.question)["runs"] for example in EXAMPLES)
    exact, _ = inferred(model_of(OPENS_WITH), examples.pronunciation("keep"), budget=3_000, joined=True)
    assert [run["best"]["text"] for run in first] == [exact.best().text, "ce"] == ["keep", "ce"]
    assert first[1]["spellings"][0][1] > 0.6 and first[1]["goldLogZ"] is None
    assert first[0]["spellings"][0][1] == pytest.approx(0.25, abs=0.01)
    mass = exact.log_mass(exact.model.letter_numbers("keep")) - exact.log_z
    assert math.exp(mass) == pytest.approx(0.68, abs=0.01)
    assert [run["best"]["text"] for run in seen] == ["bright", "bright"]
    rcms, beam = unseen
    assert rcms["best"]["text"] == beam["best"]["text"] != "language"
    assert beam["spellings"][0][1] > 0.6 and rcms["spellings"][0][1] < 0.1
    for rcms, beam in (unseen, young):
        assert beam["goldLogZ"] is None and np.isfinite(rcms["goldLogZ"])


def test_a_page_without_a_link_opens_on_its_point_and_the_link_says_so():
    session = opened("align/page.py")
    assert link_of(session) == {"tab": "picture", "word": "keep", "keep": "1"}
    assert opened("align/page.py", word="bright").session_state["align.value"] == AlignQuestion()


def test_the_recorded_run_is_that_of_the_usual_question():
    assert is_recorded(AlignQuestion(tab="learning", look=3)) and not is_recorded(AlignQuestion(order=4))
    methods = {method["kind"]: method for method in recorded_payload(RECORDED_WORD, None)["methods"]}
    assert tuple(methods) == STRATEGIES
    read = {kind: method["checkpoints"][-1]["text"] for kind, method in methods.items()}
    assert (read["rcms"], read["hybrid"], read["model"]) == ("brother", "breather", "aaaaa")
    assert all(method["points"]["step"][-1] == method["done"] == 5 * 124 for method in methods.values())
    explained = {kind: max(method["points"]["explained"]) for kind, method in methods.items()}
    assert explained["model"] == 0 and explained["rcms"] == 1
    errors = {kind: method["points"]["error_rate"][-1] for kind, method in methods.items()}
    assert errors["rcms"] < errors["hybrid"] < errors["model"] < errors["target"]
    made = recorded_method("rcms", STRETCH)  # scripts/record_openings.py makes all of it again
    for name, values in made["points"].items():
        assert values == pytest.approx(methods["rcms"]["points"][name][:1], rel=1e-4), name
    assert [text for text, _ in made["checkpoints"][0][1]] == [
        recorded_payload(w, None)["methods"][0]["checkpoints"][0]["text"] for w in range(42)
    ]


def test_what_does_not_matter_asks_for_nothing_new():
    first = runs.payload_of(AlignQuestion())
    assert runs.payload_of(AlignQuestion(look=4, checkpoint=7, strategies=("rcms",))) is first


def test_the_picture_reads_what_the_training_reads_of_what_is_held_out():
    question = AlignQuestion(order=2, epochs=1, keep=5, budget=5, compare="none")
    held_out = inputs.load_data(question).test
    read = evaluate(model_of(question), held_out, "rcms", 5, joined=True).readings
    for w in range(len(held_out)):
        asked = replace(question, word=held_out.text(w), phones=" ".join(held_out.phone_names(w)))
        assert runs.computed(asked)["runs"][0]["best"]["text"] == read[w].text


def test_a_model_that_takes_minutes_is_not_trained_for_a_picture():
    with pytest.raises(ValueError, match="on the tab"):
        model_of(AlignQuestion(epochs=100, budget=200, order=6))


@pytest.mark.parametrize(
    "question",
    [
        AlignQuestion(epochs=1, order=2),
        AlignQuestion(word="", phones="F OW N", compare="none", epochs=2, order=1, step=150),
    ],
)
def test_the_code_that_is_shown_finds_the_same(question):
    payload, names = runs.payload_of(question), {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(payload["code"], names)
    for run, line in zip(payload["runs"], printed.getvalue().splitlines(), strict=True):
        assert line.startswith(f"{run['kind']} Alignment(text={run['best']['text']!r}")


def test_the_code_of_the_strategies_is_python():
    code = learning_code(AlignQuestion(strategies=("rcms", "forced"), source="words", eta=0.1))
    compile(code, "shown", "exec")
    assert "for strategy in ('rcms', 'forced'):" in code
    assert "AlignTraining(strategy, eta=0.1)" in code
    assert "speech.load('words', seed=0, train=200, test=80)" in code


# --- the page


def test_another_word_is_looked_up_and_written_to_the_link():
    session = opened("align/page.py", phones="F OW N", cell="1.1", epochs="1", order="1")
    session.selectbox(key="align.word").set_value("night").run()
    assert not session.exception
    assert link_of(session) == {"tab": "picture", "word": "night", "epochs": "1", "order": "1", "cell": "1.1"}
    assert session.text_input(key="align.phones").placeholder == "N AY T"


def test_the_model_of_the_picture_is_named():
    session = opened("align/page.py", by="hybrid", at="60", order="1", budget="3")
    assert not session.exception
    assert "order 1, trained by Hybrid beam 3 on shipped lexicon, after 60 examples" in texts(session.caption)


SEEN = {"bright": "one of its training examples", "night": "one of", "phone": "held out", "zebra": "new to it"}


@pytest.mark.parametrize(("word", "message"), SEEN.items())
def test_whether_the_model_has_seen_the_word_is_shown(word, message):
    data = examples.load()
    assert ("bright" in texts_of(data.train), "phone" in texts_of(data.test)) == (True, True)
    session = opened("align/page.py", word=word, phones="F OW N" if word == "zebra" else "", order="1", epochs="1")
    assert not session.exception
    assert f"“{word}” " in texts(session.caption)
    assert message in texts(session.caption)


def texts_of(pairs):
    return [pairs.text(w) for w in range(len(pairs))]


def test_phones_that_only_conversations_have_are_those_of_utterances(monkeypatch):
    heard = examples.speech_of([(("K", "EH", "NX"), "can")], [(("NX",), "n")], "utterances", "heard")
    monkeypatch.setattr(inputs, "load_data", lambda question: heard)
    question = AlignQuestion(word="can", phones="k eh nx", source="utterances")
    assert inputs.phones_of(question) == ("K", "EH", "NX")
    assert "speech.spoken('k eh nx', data.train.phones)" in picture_code(question)
    with pytest.raises(ValueError, match="NX: "):
        inputs.phones_of(replace(question, source="lexicon"))


def test_phones_that_are_typed_have_no_meant_word():
    session = opened("align/page.py", by="rcms")
    session.text_input(key="align.phones").set_value("F OW N").run()
    assert not session.exception
    assert (link_of(session)["phones"], link_of(session)["word"]) == ("F OW N", "")
    assert runs.payload_of(session.session_state["align.value"])["meant"] is None
    session.selectbox(key="align.word").set_value("stone").run()
    assert link_of(session)["word"] == "stone" and "phones" not in link_of(session)


def test_a_model_that_takes_minutes_is_one_button_away():
    session = opened("align/page.py", by="hybrid", epochs="100", budget="200", order="6")
    assert not session.exception
    session.button(key="align.there").click().run()
    assert not session.exception
    assert link_of(session) == {
        "tab": "learning",
        "strategies": "hybrid",
        "epochs": "100",
        "budget": "200",
        "order": "6",
    }


def test_a_training_that_has_ended_is_said_and_no_longer_named():
    session = opened("align/page.py", tab="learning", run="forgotten")
    assert "has ended" in texts(session.warning)
    assert link_of(session) == {"tab": "learning"}
    session = opened("align/page.py", run="forgotten")
    assert not session.warning


def test_a_bad_link_and_a_tab_without_strategies_are_said():
    session = opened("align/page.py", tab="learning", order="99")
    assert "from 1 to 6" in texts(session.warning)
    session = opened("align/page.py", tab="learning", strategies="luck")
    assert "are not strategies" in texts(session.warning)
    assert not session.exception
