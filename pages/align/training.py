"""The trainings of Align's learning tab, and the payload of a run."""

from typing import Any

import streamlit as st

from pages.align import recorded
from pages.align.code import learning_code
from pages.align.inputs import load_data
from pages.align.question import DATA, STRATEGY_NAMES, TRAINING, AlignQuestion
from pages.shell.capability import Payload
from pages.shell.registry import page_named
from pages.shell.rerun import rerun
from pages.shell.state import PageState
from pages.shell.text import duration, sentence
from pages.shell.training import SLOW, RecordedFile, ShownRun, Training, TrainingData, epoch_progress
from rcmviz.align.workspace import STRATEGIES
from rcmviz.jobs.alignments import ALIGN_JOBS, seconds_needed, warm_up
from rcmviz.views.align.learning import build_align_learning


def data_of(question: AlignQuestion) -> TrainingData:
    """Return the training data of the strategies."""
    data = load_data(question)
    return TrainingData(data.train, data.test, {"data": question.data})


def draw_before(question: AlignQuestion) -> None:
    """Draw the task and the expected duration, before a run is started."""
    if recorded.is_recorded(question):
        return
    try:
        data = load_data(question)
    except ValueError as error:
        st.error(sentence(error), icon=":material/error:")
        return
    shown = [f"{' '.join(data.train.phone_names(w))} → **{data.train.text(w)}**" for w in range(5)]
    st.markdown(
        f"**Start** trains each strategy to spell on {len(data.train):,} examples of sounds and letters ("
        f"{data.described}); their alignments are not given. A method learns from an example only if it keeps an "
        "alignment with the right letters. "
        f"Examples: {' · '.join(shown)}."
    )
    seconds = sum(seconds_needed(data.train, training) for training in question.trainings)
    if seconds > SLOW:
        st.caption(f":material/hourglass: On one core about {duration(seconds)}; pause or cancel at any time.")


def recorded_payload(question: AlignQuestion) -> Payload | None:
    """Return the payload of the recorded run, if it belongs to the question."""
    if not recorded.is_recorded(question):
        return None
    return recorded.recorded_payload(_example_number(question, question, recorded.RECORDED_WORD), question.checkpoint)


def payload(shown: ShownRun) -> Payload:
    """Return the payload of a run."""
    names = [STRATEGY_NAMES[training.strategy] for training in shown.started.trainings]
    word = _example_number(shown.question, shown.started, 0)
    return build_align_learning(shown.run, names, load_data(shown.started).test, word, shown.question.checkpoint)


def caption(question: AlignQuestion, payload: Payload) -> str:
    """Return a line about the training data."""
    data = load_data(question)
    shares = f"{len(data.train):,} to learn from, {len(data.test):,} held out"
    return f"{data.described[0].upper()}{data.described[1:]}: {shares}."


def _example_number(question: AlignQuestion, started: AlignQuestion, first: int) -> int:
    """Return the number of the held-out example: the chosen one, else ``first``."""
    return min(first if question.look is None else question.look, len(load_data(started).test) - 1)


def take_choice(state: PageState[AlignQuestion], values: Any) -> None:
    """Keep the checkpoint and the example chosen in the view."""
    state.put(checkpoint=values["step"], look=values["word"])


def open_picture(shown: ShownRun, events: Any) -> None:
    """Open the example on the picture tab, aligned by a checkpoint."""
    started, test = shown.started, load_data(shown.started).test
    training = started.trainings[events.open["method"]]
    word = _example_number(shown.question, started, recorded.RECORDED_WORD if shown.run is None else 0)
    model = {name: value for name, value in started.fields_of(*DATA, *TRAINING).items() if name != "decoder"}
    page_named("align").state.change(
        tab="picture",
        learned=training.strategy,
        step=events.open["step"],
        word=test.text(word),
        phones=" ".join(test.phone_names(word)),
        keep=training.budget,
        **model,
    )
    rerun()


def models(shown: ShownRun) -> dict[str, Any]:
    """Return the latest checkpoint of each strategy."""
    names = [STRATEGY_NAMES[training.strategy] for training in shown.started.trainings]
    latest = [snapshot.checkpoints[-1] if snapshot.checkpoints else None for snapshot in shown.run.snapshots()]
    return dict(zip(names, latest, strict=True))


TRAININGS: Training[AlignQuestion] = Training(
    source=lambda question: question.data,
    data=data_of,
    settings=lambda question: question.trainings,
    kind=ALIGN_JOBS,
    warm_up=warm_up,
    payload=payload,
    progress=epoch_progress(lambda settings: STRATEGY_NAMES[settings.strategy]),
    before=draw_before,
    recorded=recorded_payload,
    record=lambda: [RecordedFile(recorded.RECORDED, [recorded.recorded_method(strategy) for strategy in STRATEGIES])],
    begins_with=lambda question: question.changed(look=None, checkpoint=None),
    on_event=open_picture,
    models=models,
    models_help="For `AlignModel.load`.",
    code=learning_code,
)
