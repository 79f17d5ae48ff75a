"""What stands below the settings of the learning tab: controls, curves, what each strategy reads."""

import streamlit as st

from pages.align import state
from pages.align.code import learning_code
from pages.align.link import STRATEGY_NAMES
from pages.align.runs import course_of
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
        course = course_of(question)
    except ValueError as error:
        st.error(sentence(error), icon=":material/error:")
        return
    shown = [f"{' '.join(course.train.phone_names(w))} → **{course.train.text(w)}**" for w in range(5)]
    st.markdown(
        f"**Start** lets each strategy learn to spell from {len(course.train):,} examples of sounds and letters ("
        f"{course.described}); which letter belongs to which sound is not given. To learn from an example, some "
        "alignment with its letters must be among the contexts that are kept. "
        f"Examples: {' · '.join(shown)}."
    )
    seconds = sum(seconds_needed(course.train, training) for training in question.trainings)
    if seconds > SLOW:
        st.caption(f":material/hourglass: On one core about {duration(seconds)}; pause or cancel at any time.")


def _curves(run):
    lesson = state.my_lesson()
    course = course_of(lesson)
    word = min(PAGE.view.look, len(course.test) - 1)
    names = [STRATEGY_NAMES[training.strategy] for training in lesson.trainings]
    payload = build_align_learning(run, names, course.test, word, st.session_state.get(PAGE.key("shown")))
    result = align_learning(payload, key=PAGE.key("curves"), on_step=_take_choice, on_word=_take_choice)
    shares = f"{len(course.train):,} to learn from, {len(course.test):,} held out"
    st.caption(f"{course.described[0].upper()}{course.described[1:]}: {shares}.")
    if result.open:
        _open_picture(run, course, lesson, word, **result.open)
    _show_downloads(run, lesson, names)


def _take_choice():
    shown = st.session_state[PAGE.key("curves")]
    st.session_state[PAGE.key("shown")] = shown.get("step")
    PAGE.change(look=shown.get("word") or 0)
    st.session_state[PAGE.key("chosen")] = True


def _open_picture(run, course, lesson, word, method, step):
    """The example as this checkpoint aligns it."""
    training = run.lives[method].settings
    model = {name: value for name, value in lesson.fields_of("data", "training").items() if name != "decoder"}
    PAGE.change(
        tab="picture", learned=training.strategy, step=step, word=course.test.text(word),
        phones=" ".join(course.test.phone_names(word)), keep=training.budget, **model,
    )  # fmt: skip
    st.rerun()


def _show_downloads(run, lesson, names):
    """The latest models, and the code."""
    with st.expander("Take it home: models, code", icon=":material/download:"):
        latest = [snapshot.checkpoints[-1] if snapshot.checkpoints else None for snapshot in run.snapshots()]
        show_models(PAGE, dict(zip(names, latest, strict=True)), "For `AlignModel.load`.")
        st.caption("The same in a notebook")
        st.code(learning_code(lesson), language=None, wrap_lines=True)
