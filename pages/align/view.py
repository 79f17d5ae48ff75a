"""What stands below the settings of the learning tab: controls, curves, what each strategy reads."""

import streamlit as st

from pages.align import state
from pages.align.code import learning_code
from pages.align.link import STRATEGY_NAMES
from pages.align.runs import load_data
from pages.learn.widgets import SLOW, duration
from pages.shared.text import sentence
from pages.shared.training_controls import show_models, show_trainings
from rcmviz.jobs.alignments import seconds_needed
from rcmviz.views.align.learning import build_align_learning
from rcmviz.views.shared.component import align_learning

PAGE = state.PAGE


def show_learning(question):
    """Controls, curves with all that hangs on them, what can be taken home."""
    if not question.strategies:
        st.info("Choose one or more strategies to train.", icon=":material/school:")
        return
    show_trainings(state, question, _show_beginning, _curves)


def _show_beginning(question):
    """What there is before anything has been trained: the task, what to expect, how long it takes."""
    try:
        data = load_data(question)
    except ValueError as error:
        st.error(sentence(error), icon=":material/error:")
        return
    shown = [f"{' '.join(data.train.phone_names(w))} → **{data.train.text(w)}**" for w in range(5)]
    st.markdown(
        f"**Start** lets each strategy learn to spell from {len(data.train):,} examples of sounds and letters ("
        f"{data.described}); which letter belongs to which sound is not given. To learn from an example, some "
        "alignment with its letters must be among the contexts that are kept. "
        f"Examples: {' · '.join(shown)}."
    )
    seconds = sum(seconds_needed(data.train, training) for training in question.trainings)
    if seconds > SLOW:
        st.caption(f":material/hourglass: On one core about {duration(seconds)}; pause or cancel at any time.")


def _curves(run):
    started = state.started_question()
    data = load_data(started)
    word = min(PAGE.view.look, len(data.test) - 1)
    names = [STRATEGY_NAMES[training.strategy] for training in started.trainings]
    payload = build_align_learning(run, names, data.test, word, st.session_state.get(PAGE.key("shown")))
    result = align_learning(payload, key=PAGE.key("curves"), on_step=_take_choice, on_word=_take_choice)
    shares = f"{len(data.train):,} to learn from, {len(data.test):,} held out"
    st.caption(f"{data.described[0].upper()}{data.described[1:]}: {shares}.")
    if result.open:
        _open_picture(run, data, started, word, **result.open)
    _show_downloads(run, started, names)


def _take_choice():
    shown = st.session_state[PAGE.key("curves")]
    st.session_state[PAGE.key("shown")] = shown.get("step")
    PAGE.change(look=shown.get("word") or 0)
    st.session_state[PAGE.key("chosen")] = True


def _open_picture(run, data, started, word, method, step):
    """The example as this checkpoint aligns it."""
    training = run.jobs[method].settings
    model = {name: value for name, value in started.fields_of("data", "training").items() if name != "decoder"}
    PAGE.change(
        tab="picture", learned=training.strategy, step=step, word=data.test.text(word),
        phones=" ".join(data.test.phone_names(word)), keep=training.budget, **model,
    )  # fmt: skip
    st.rerun()


def _show_downloads(run, started, names):
    """The latest models, and the code."""
    with st.expander("Take it home: models, code", icon=":material/download:"):
        latest = [snapshot.checkpoints[-1] if snapshot.checkpoints else None for snapshot in run.snapshots()]
        show_models(PAGE, dict(zip(names, latest, strict=True)), "For `AlignModel.load`.")
        st.caption("The same in a notebook")
        st.code(learning_code(started), language=None, wrap_lines=True)
