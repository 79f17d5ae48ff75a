"""The Learn page without a browser: links, names of checkpoints, uploads, sessions, the way to Step."""

import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit
from hypothesis import given, settings
from hypothesis import strategies as st

import rcmviz as rv
from pages.learn import data as learn_data
from pages.learn.checkpoint import (
    FIELDS,
    MAX_NOISE,
    MOST_WORDS,
    DataSource,
    checkpoint_title,
    read_checkpoint,
    step_query,
    training_of,
    write_checkpoint,
)
from pages.learn.code import training_code
from pages.learn.question import LearnQuestion
from pages.shell import computing
from pages.shell.trained_models import trained_model
from pages.word import runs
from pages.word.question import WordQuestion
from rcmviz.core.methods import MethodChoice
from rcmviz.jobs.host import this_host
from rcmviz.tasks.handwriting.letter_data import word_sequences
from rcmviz.tasks.handwriting.pen import WRITERS, pen_words
from support.jobs import awake, wait_for  # noqa: F401
from support.pages import link_of, switch_page
from support.pages import opened as opened_page

ROOT = Path(__file__).parents[2]
SMALL = {"data": "pen:40:0", "epochs": "2"}
CONLL = "".join(f"{'the' if k % 2 else 'a'} D\n{'cat' if k % 3 else 'dog'} N\nruns V\n\n" for k in range(12))


def opened(page="learn/page.py", **query):
    """A session whose first request is this page with this link."""
    return opened_page(page, **query)


def press(session, label):
    return session.button(key=f"learn.press.{label}").click().run()


def run_of(session):
    return this_host().find(session.session_state["learn.run"])


def trained(**query):
    """A session whose training is done."""
    session = press(opened(**SMALL | query), "Start")
    wait_for(lambda: run_of(session).finished)
    return session.run()


# --- the page


def test_start_trains_and_the_link_knows_settings_and_run():
    session = trained(runs="rcms:5,beam:5,exact")
    assert not session.exception
    assert not session.error
    assert [snapshot.status for snapshot in run_of(session).snapshots()] == ["done"] * 3
    assert link_of(session) == SMALL | {"runs": "rcms:5,beam:5,exact", "run": run_of(session).name}
    assert any(button.label == "Restart" for button in session.button)


def test_one_example_one_epoch_pause_and_cancel():
    session = press(opened(**SMALL), "One example")
    wait_for(lambda: not run_of(session).is_active)
    assert [snapshot.step for snapshot in run_of(session).snapshots()] == [1, 1]
    press(session.run(), "One epoch")
    wait_for(lambda: not run_of(session).is_active)
    assert [snapshot.step for snapshot in run_of(session).snapshots()] == [40, 40]
    press(session.run(), "Cancel")
    assert run_of(session).cancelled
    assert not session.exception


@pytest.mark.parametrize("label", ["Start", "One example", "One epoch"])
def test_data_that_takes_long_can_be_cancelled(label, monkeypatch):
    """The page is blocked while its data is prepared; return what it shows then."""
    session = opened(**SMALL)
    with monkeypatch.context() as patched:
        patched.setattr("pages.shell.training.PageRun.start", lambda run, question: streamlit.stop())
        press(session, label)
    assert [button.label for button in session.button if not button.disabled and ".begun." in button.key] == ["Cancel"]
    session.button(key="learn.begun.Cancel").click().run()
    assert "learn.run" not in session.session_state and not session.exception
    (cancel,) = [button for button in session.button if button.label == "Cancel"]
    assert cancel.disabled and session.button(key="learn.press.Start")


def test_cancelling_what_is_prepared_leaves_the_run_that_there_is(monkeypatch):
    session = press(opened(**SMALL), "One example")
    wait_for(lambda: not run_of(session).is_active)
    session.number_input(key="learn.eta").set_value(0.5).run()
    with monkeypatch.context() as patched:
        patched.setattr("pages.shell.training.PageRun.start", lambda run, question: streamlit.stop())
        press(session, "Restart")
    session.button(key="learn.begun.Cancel").click().run()
    assert not run_of(session).cancelled and not session.exception


def test_changed_settings_start_anew_and_the_old_run_goes():
    session = trained()
    old = run_of(session)
    session.number_input(key="learn.eta").set_value(0.5).run()
    assert link_of(session)["eta"] == "0.5"
    assert run_of(session) is old
    press(session, "Restart")
    assert run_of(session) is not old
    assert old.cancelled
    assert run_of(session).jobs[0].settings.eta == 0.5


def test_another_session_finds_a_run_by_its_link_and_starts_its_own():
    mine = trained()
    yours = opened(**link_of(mine))
    assert run_of(yours) is run_of(mine)
    watched = run_of(mine)
    assert [button.label for button in yours.button if ".press." in button.key] == ["Start my own"]
    assert any("Another browser started" in text.value for text in yours.markdown)
    yours.session_state["visitor"] = mine.session_state["visitor"]  # as in another tab of the same browser
    assert any(button.label == "Restart" for button in yours.run().button)
    yours.session_state["visitor"] = "another visitor"
    press(yours.run(), "Start my own")
    assert run_of(yours) is not watched
    assert this_host().find(watched.name) is watched
    other = opened(**SMALL)
    assert "learn.run" not in other.session_state
    press(other, "Start")
    assert run_of(other) is not run_of(mine)
    assert not run_of(mine).cancelled


def test_a_link_does_not_find_the_run_of_other_settings():
    mine = trained()
    assert "learn.run" not in opened(**link_of(mine) | {"eta": "0.3"}).session_state


def test_other_pages_keep_a_training_awake_and_the_page_finds_it_again():
    session = press(opened(data="pen:40:0", runs="rcms:500", epochs="200"), "Start")  # half a minute
    run = run_of(session)
    session.query_params.clear()
    switch_page(session, "step/page.py").run()
    wait_for(lambda: any("training RCMS 500: epoch" in caption.value for caption in session.run().caption))
    session.query_params.clear()
    switch_page(session, "learn/page.py").run()
    assert run_of(session) is run
    assert link_of(session)["run"] == run.name
    press(session, "Cancel")


def test_back_from_step_does_not_bring_the_seed_of_its_word():
    session = press(opened(**SMALL), "One example")
    wait_for(lambda: not run_of(session).is_active)
    before = link_of(session.run())
    session.query_params.clear()
    switch_page(session, "step/page.py").run()
    for name, value in {"src": "pen", "word": "exactly", "seed": "14"}.items():
        session.query_params[name] = value
    switch_page(session, "learn/page.py").run()
    assert link_of(session) == before
    assert not session.warning


NONSENSE = {
    "data": "mars:1",
    "runs": "magic:3",
    "eta": "-1",
    "order": "0",
    "mode": "both",
    "epochs": "many",
    "seed": "-1",
    "passes": "99",
    "average": "7",
    "dedup": "yes",
    "lost": "found",
    "shuffle": "x",
    "l2": "nan",
    "word": "-1",
    "at": "x",
    "strange": "1",
}


@pytest.mark.parametrize(("name", "value"), NONSENSE.items())
def test_nonsense_in_a_link_costs_a_sentence(name, value):
    question, _, notices = LearnQuestion.read({name: value})
    assert question == LearnQuestion()
    assert len(notices) == 1
    assert name in notices[0]


def test_nonsense_is_shown_and_leaves_the_link():
    session = opened(eta="-1")
    assert not session.exception
    assert len(session.warning) == 1
    assert "eta" not in link_of(session)


def test_the_greatest_noise_of_a_link_can_be_chosen():
    session = opened(data=f"pen:40:0:{MAX_NOISE}")
    assert not session.exception
    assert session.slider(key="learn.noise").value == MAX_NOISE


def test_limits_are_named_on_the_page(monkeypatch):
    monkeypatch.setattr(this_host(), "limits", replace(this_host().limits, sequences=5))
    session = press(opened(**SMALL), "Start")
    assert not session.exception
    assert "the limit here is 5" in session.error[0].value
    assert "learn.run" not in session.session_state


def test_what_is_refused_costs_no_run(monkeypatch):
    session = trained()
    run = run_of(session)
    monkeypatch.setattr(this_host(), "limits", replace(this_host().limits, sequences=50))
    session.number_input(key="learn.words").set_value(60).run()
    press(session, "Restart")
    assert "the limit here is 50" in session.error[0].value
    assert run_of(session) is run
    assert run.snapshots()[0].checkpoints


def test_kassel_without_the_data_is_a_hint(monkeypatch):
    monkeypatch.setattr("rcmviz.data.registry.find", lambda name: None)
    session = opened(data="kassel")
    assert not session.exception
    assert "rcmviz data get ocr" in session.info[0].value
    assert not any(button.label == "Start" for button in session.button)


def test_an_upload_that_is_gone_is_named():
    session = opened(data="upload:0123456789abcdef")
    assert not session.exception
    assert "upload it again" in session.info[0].value


# --- data


def test_an_upload_is_split_and_trained_on():
    digest = learn_data.keep_upload("tiny.conll", CONLL.encode())
    data = learn_data.load_data(DataSource("upload", upload=digest))
    assert (len(data.train), len(data.held_out)) == (10, 2)
    assert data.train.labels == ("D", "N", "V") and "skipped" not in data.description
    noted = learn_data.keep_upload("noted.conll", b"# a remark of more words\n" + CONLL.encode())
    assert learn_data.load_data(DataSource("upload", upload=noted)).description.endswith(
        "held out. 1 comment skipped (line 1)."
    )
    session = trained(data=f"upload:{digest}", order="1")
    assert not session.exception
    assert all(snapshot.points[-1].accuracy == 1 for snapshot in run_of(session).snapshots())
    model = run_of(session).snapshots()[0].checkpoints[-1].model
    assert set(model.info) >= {"encoder", "columns"}


def test_methods_wait_for_a_file():
    session = opened(**SMALL, runs="rcms:7,exact")
    session.segmented_control(key="learn.origin").set_value("upload").run().run()
    session.button(key="learn.sample").click().run()
    assert link_of(session)["runs"] == "rcms:7,exact"
    assert session.selectbox(key="learn.kind.1").value == "exact"


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "empty"), (b"\xff\xfe\x00x", "UTF-8"), (b"the D\ncat N x\n", "line 2"), (b"the D\n", "at least two")],
)
def test_uploads_that_cannot_be_used(content, message):
    with pytest.raises(ValueError, match=message):
        learn_data.keep_upload("broken.conll", content)


def test_only_the_latest_uploads_are_kept(monkeypatch):
    monkeypatch.setattr(learn_data, "MOST_UPLOADS", 2)
    digests = [learn_data.keep_upload("f.conll", f"{word} D\n\nx D\n".encode()) for word in "pqr"]
    assert [digest for digest in learn_data.UPLOADS if digest in digests] == digests[1:]


def test_held_out_words_can_be_written_alone():
    data = learn_data.load_data(DataSource("pen", 20))
    for word, link in zip(data.words[:3], data.links, strict=False):
        alone, *_ = WordQuestion.read(link)
        assert (runs.word_of(alone.subject).images == word.images).all()


@pytest.mark.parametrize(("words", "leaves"), [(40, False), (300, True)])
def test_many_words_are_drawn_by_a_process_and_few_in_the_server(monkeypatch, words, leaves):
    asked = []

    class Process:
        """Pickles calls and results as a worker process does."""

        def compute(self, function, *given, owner, waiting):
            asked.append(function)
            function, given = pickle.loads(pickle.dumps((function, given)))
            return pickle.loads(pickle.dumps(function(*given)))

    monkeypatch.setattr(computing, "shared_calls", Process)
    data = learn_data.load_data(DataSource("pen", words, seed=77))
    assert asked == [learn_data.draw] * leaves
    assert [word.letters for word in data.words] == [link["word"] for link in data.links]
    expected = word_sequences(pen_words(words, 77))
    for name in ("offset", "start", "feature", "value", "gold"):
        assert (getattr(data.train, name) == getattr(expected, name)).all(), name


def test_the_process_that_draws_loads_no_streamlit():
    code = "import sys, pages.learn.drawn; sys.exit('streamlit' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


# --- checkpoints


def test_a_checkpoint_opens_in_step_from_memory_and_after_it_is_gone():
    session = trained(runs="repaired:5")
    run = run_of(session)
    plan = LearnQuestion(words=40, methods=(MethodChoice("repaired", 5),), epochs=2)
    checkpoint = run.snapshots()[0].checkpoints[2]
    name = write_checkpoint(plan.source, plan.trainings[0], checkpoint.step)
    query = step_query(plan.trainings[0], checkpoint.model) | {"src": "pen", "word": "emotion", "seed": "3"}
    runs.model_named.cache_clear()
    step = opened("step/page.py", **query, model=name)
    assert not step.exception
    assert not step.warning
    assert step.session_state["step.value"].subject.model == name
    slider = step.select_slider(key="step.checkpoint")
    kept = run.snapshots()[0].checkpoints
    assert list(slider.options) == [f"{one.step:,}" for one in kept]
    slider.set_value(kept[-1].step).run()
    assert link_of(step)["model"].startswith("pen:40:0,repaired:5,step:80")
    remembered = trained_model(name)
    this_host().close(run.name)
    again = trained_model(name)
    assert (again.weights == remembered.weights).all()
    assert again.root_weight == remembered.root_weight


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pen:40:0,rcms:5,step:99999", "after the end"),
        ("pen:400:0,exact,step:7900", "training it again would take"),
        ("upload:abc,rcms:5,step:3", "upload it again"),
    ],
)
def test_checkpoints_that_cannot_be_had(name, message):
    session = opened("step/page.py", word="emotion", model=name)
    assert not session.exception
    assert message in session.error[0].value.replace("\\", "")


@pytest.mark.parametrize("name", ["pen:1,rcms:5,step:3", "a,b,c", "pen:40:0,rcms:5", "pen:40:0,rcms:5,step:1,eta:x"])
def test_names_that_are_no_checkpoint_cost_a_sentence(name):
    session = opened("step/page.py", word="emotion", model=name)
    assert not session.exception
    assert not session.error
    assert "model" in session.warning[0].value


def test_the_code_of_a_lesson_and_of_a_checkpoint_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = LearnQuestion(words=20, methods=(MethodChoice("rcms", 3),), epochs=1, average=True)
    exec(compile(training_code(plan), "shown", "exec"), {})
    written = rv.NgramModel.load(tmp_path / "rcms-3.npz")
    again = trained_model(write_checkpoint(plan.source, plan.trainings[0], 20))
    assert (written.weights == again.weights).all()


SOURCES = st.one_of(
    st.fixed_dictionaries(
        {
            "words": st.integers(10, MOST_WORDS),
            "pen": st.integers(0, WRITERS - 1),
            "noise": st.sampled_from([0.0, 0.005, 0.125, MAX_NOISE]),
        }
    ),
    st.just({"origin": "kassel"}),
    st.just({"origin": "upload", "upload": "0123abcd"}),
)
SHARED = {
    "order": st.integers(1, 6),
    "mode": st.sampled_from(["single", "additive"]),
    "passes": st.integers(1, 5),
    "deduplicate": st.booleans(),
    "lost_gold": st.sampled_from(["numerator", "both", "skip", "early"]),
    "eta": st.sampled_from([0.05, 0.2, 1.0]),
    "l2": st.sampled_from([0.0, 1e-3]),
    "average": st.booleans(),
    "epochs": st.integers(1, 200),
    "seed": st.integers(0, 99),
    "shuffle": st.booleans(),
}
METHODS = st.lists(
    st.one_of(
        st.builds(MethodChoice, st.sampled_from(["rcms", "beam", "repaired"]), st.integers(1, 5_000)),
        st.just(MethodChoice("exact")),
    ),
    min_size=1,
    max_size=3,
    unique=True,
).map(tuple)


LOOKS = {"word": st.integers(0, 999), "step": st.one_of(st.none(), st.integers(1, 10**6))}


@given(SOURCES, st.fixed_dictionaries(SHARED | LOOKS), METHODS)
@settings(max_examples=100)
def test_lessons_and_checkpoints_come_back_from_their_text(source, more, methods):
    question = LearnQuestion(**source, **more, methods=methods)
    assert LearnQuestion.read(question.write()) == (question, None, [])
    for training in question.trainings:
        name = write_checkpoint(question.source, training, 7)
        assert read_checkpoint(name) == (question.source, training, 7)
        assert "after 7 examples" in checkpoint_title(name)


def test_every_setting_of_a_training_has_a_name_in_links():
    without_field = {"method", "budget", "delta", "table"}  # part of the method, or not offered
    assert set(FIELDS.values()) | without_field == set(rv.Training().to_dict())
    parameters = LearnQuestion.parameters()
    assert {parameters[field].name: field for field in FIELDS.values()} == FIELDS
    assert LearnQuestion().shared == rv.Training()
    assert training_of(MethodChoice("beam"), rv.Training(passes=2)).passes == 1
