"""What Learn trains, what its view draws of a run, and where a checkpoint leads."""

from functools import lru_cache
from typing import Any

import streamlit as st

from pages.learn import recorded
from pages.learn.checkpoint import DataSource, method_of, step_query, write_checkpoint
from pages.learn.code import training_code
from pages.learn.data import UPLOADS, load_data
from pages.learn.own_example import own_example
from pages.learn.question import LearnQuestion
from pages.learn.state import current_run
from pages.shell.capability import Payload
from pages.shell.errors import MissingData, NeedsInput
from pages.shell.state import PageState
from pages.shell.text import duration, ink, sentence
from pages.shell.training import SLOW, RecordedFile, ShownRun, Training, TrainingData, epoch_progress
from pages.word.words import kassel_words
from rcmviz.core.methods import TRAINABLE
from rcmviz.data import registry
from rcmviz.jobs.sequences import seconds_needed
from rcmviz.tasks.handwriting.letter_data import COLUMNS, ROWS
from rcmviz.tasks.handwriting.pen import pen_orders, write_word
from rcmviz.views.learn.payload import ShownSequence, build_learning

EXAMPLES = 6  # words that are shown before a training begins
LONGEST = 120.0  # seconds that a training may take when a lesson is exported


def load(question: LearnQuestion) -> LearnQuestion:
    """The question, if its data are here."""
    if question.origin == "kassel" and registry.find("ocr") is None:
        raise MissingData("Kassel’s words are not on this machine: run `rcmviz data get ocr`")
    if question.origin == "upload" and question.upload not in UPLOADS:
        gone = "the file of this link is not on this server (any more): upload it again"
        raise NeedsInput(gone, "upload" if question.upload else None)
    return question


def data_of(question: LearnQuestion) -> TrainingData:
    """What the trainings learn from."""
    data = load_data(question.source)
    return TrainingData(data.train, data.held_out, data.info)


def draw_before(question: LearnQuestion) -> None:
    """What the recorded run shows; else a few examples, what to expect, how long slow methods take."""
    if recorded.is_recorded(question):
        st.markdown(recorded.story())
        return
    if question.origin != "upload":
        st.caption("Words of the training data, all of them different handwriting:")
        for column, word in zip(st.columns(EXAMPLES), _examples(question.source), strict=False):
            column.html(ink(word.images, word.letters))
    st.markdown(
        "**Start** trains the methods from nothing, one example at a time. You see the learning curves, the largest "
        "weights and a held-out example. Any moment can be stepped through afterwards."
    )
    _warn_of_time(question)


@lru_cache(maxsize=4)
def _examples(source: DataSource) -> list[Any]:
    if source.kind == "kassel":
        return [word for word in kassel_words() if len(word) < 9][:: len(kassel_words()) // 20][:EXAMPLES]
    return [write_word(text, writer, noise=source.noise) for text, writer in pen_orders(EXAMPLES, source.seed)]


def _warn_of_time(question: LearnQuestion) -> None:
    slow = [
        (method_of(each).name, seconds_needed(load_data(question.source).train, each))
        for each in question.trainings
        if not TRAINABLE[each.method].selects or each.budget * each.passes > 100
    ]
    durations = [f"{name} about {duration(seconds)}" for name, seconds in slow if seconds > SLOW]
    if durations:
        st.caption(f":material/hourglass: On one core {', '.join(durations)}; pause or cancel at any time.")


def recorded_payload(question: LearnQuestion) -> Payload | None:
    """What the view draws of the recorded run, if the question is its own."""
    return recorded.recording() | {"step": question.step} if recorded.is_recorded(question) else None


def payload(shown: ShownRun) -> Payload:
    """What the view draws of a run."""
    started, data = shown.started, load_data(shown.started.source)
    word = min(shown.question.word, len(data.held_out) - 1)
    return build_learning(
        shown.run,
        [method_of(training).name for training in started.trainings],
        ShownSequence(data.sequence(word), data.shown(word), word, data.names),
        pixels=(ROWS // 2, COLUMNS // 2) if data.words else None,
        features=data.train.names,
        step=shown.question.step,
        opens=True,
    )


def caption(question: LearnQuestion, payload: Payload) -> str:
    """The data of a run; to look at those of the recorded one would take seconds."""
    return "" if payload.get("recorded") else load_data(question.source).description


def take_choice(state: PageState[LearnQuestion], values: Any) -> None:
    """Keep the checkpoint and the example that are chosen in the view."""
    of_run = {} if current_run() is None else {"word": values["word"] or 0}  # the recording shows one example
    state.put(step=values["step"], **of_run)


def open_checkpoint(shown: ShownRun, events: Any) -> None:
    """Open the example with the model of a checkpoint: a word in Step, what was uploaded as an own example."""
    method, step = events.open["method"], events.open["step"]
    checkpoint = _checkpoint(shown.run, method, step)
    if checkpoint is None and shown.run is not None:
        st.toast("This checkpoint is no longer kept; choose another.")
        return
    training, data = shown.started.trainings[method], load_data(shown.started.source)
    word = min(shown.question.word, len(data.held_out) - 1)
    if data.links is None:
        try:
            page, query = "your_example", own_example(data, training, word, checkpoint)
        except ValueError as error:
            st.toast(sentence(error), icon=":material/error:")
            return
    else:
        model = {"model": write_checkpoint(shown.started.source, training, step)}
        page, query = "step", data.links[word] | step_query(training, checkpoint and checkpoint.model) | model
    st.switch_page(st.session_state["pages"][page], query_params=query)


def _checkpoint(run: Any, method: int, step: int) -> Any:
    """The checkpoint of a run; None if it is not kept, or of the recorded run."""
    kept = () if run is None else run.snapshots()[method].checkpoints
    return next((one for one in kept if one.step == step), None)


def models(shown: ShownRun) -> dict[str, Any]:
    """The latest checkpoint of each method up to the step that is shown."""
    step, names = shown.question.step, [method_of(training).name for training in shown.started.trainings]
    latest = [
        next((one for one in reversed(snapshot.checkpoints) if step is None or one.step <= step), None)
        for snapshot in shown.run.snapshots()
    ]
    return dict(zip(names, latest, strict=True))


def offline_payload(question: LearnQuestion) -> Payload | None:
    """The recording, or a training that is made for a file; one that would take long needs the application."""
    if recorded.is_recorded(question):
        return recorded.recording()
    train = load_data(question.source).train
    if sum(seconds_needed(train, training) for training in question.trainings) > LONGEST:
        return None
    return _trained(question.changed(step=None))


_trained = lru_cache(maxsize=4)(recorded.record)

TRAINING: Training[LearnQuestion] = Training(
    source=lambda question: str(question.source),
    data=data_of,
    settings=lambda question: question.trainings,
    payload=payload,
    progress=epoch_progress(lambda settings: method_of(settings).name),
    before=draw_before,
    recorded=recorded_payload,
    record=lambda: [RecordedFile(recorded.FILE, recorded.record())],
    begins_with=lambda question: question.changed(step=None),
    on_event=open_checkpoint,
    models=models,
    models_help="For `rv.load_model`, `rcmviz evaluate` and `rcmviz predict`.",
    code=training_code,
)
