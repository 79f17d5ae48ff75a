"""The trainings of Learn, the payload of a run, and the link of a checkpoint."""

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

EXAMPLES = 6  # words shown before a training begins
LONGEST = 120.0  # limit in seconds for a training in an exported lesson


def load(question: LearnQuestion) -> LearnQuestion:
    """Return the question if its data are available."""
    if question.origin == "kassel" and registry.find("ocr") is None:
        raise MissingData("Kassel’s words are missing on this computer: run `rcmviz data get ocr`")
    if question.origin == "upload" and question.upload not in UPLOADS:
        gone = "the file of this link is missing on this server: upload it again"
        raise NeedsInput(gone, "upload" if question.upload else None)
    return question


def data_of(question: LearnQuestion) -> TrainingData:
    """Return the training data."""
    data = load_data(question.source)
    return TrainingData(data.train, data.held_out, data.info)


def draw_before(question: LearnQuestion) -> None:
    """Draw the story of the recorded run; else a few examples and the expected duration."""
    if recorded.is_recorded(question):
        st.markdown(recorded.story())
        return
    if question.origin != "upload":
        st.caption("Words of the training data, each in another handwriting:")
        for column, word in zip(st.columns(EXAMPLES), _examples(question.source), strict=False):
            column.html(ink(word.images, word.letters))
    st.markdown(
        "**Start** trains the methods from zero weights, one example at a time. The page shows learning curves, the "
        "largest weights and a held-out example; every checkpoint can be opened in Step."
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
    """Return the payload of the recorded run, if it belongs to the question."""
    return recorded.read_recording() | {"step": question.step} if recorded.is_recorded(question) else None


def payload(shown: ShownRun) -> Payload:
    """Return the payload of a run."""
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
    """Return a sentence about the data of a run; empty for the recorded one, whose data take seconds to load."""
    return "" if payload.get("recorded") else load_data(question.source).description


def take_choice(state: PageState[LearnQuestion], values: Any) -> None:
    """Keep the checkpoint and the example chosen in the view."""
    of_run = {} if current_run() is None else {"word": values["word"] or 0}  # the recording shows one example
    state.put(step=values["step"], **of_run)


def open_checkpoint(shown: ShownRun, events: Any) -> None:
    """Open the example with the model of a checkpoint: a word in Step, an upload in Your own example."""
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
    """Return the checkpoint of a run; None if it is missing, or for the recorded run."""
    kept = () if run is None else run.snapshots()[method].checkpoints
    return next((one for one in kept if one.step == step), None)


def models(shown: ShownRun) -> dict[str, Any]:
    """Return the latest checkpoint of each method up to the step shown."""
    step, names = shown.question.step, [method_of(training).name for training in shown.started.trainings]
    latest = [
        next((one for one in reversed(snapshot.checkpoints) if step is None or one.step <= step), None)
        for snapshot in shown.run.snapshots()
    ]
    return dict(zip(names, latest, strict=True))


def offline_payload(question: LearnQuestion) -> Payload | None:
    """Return the recording, or a training made now; None if training would take long."""
    if recorded.is_recorded(question):
        return recorded.read_recording()
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
