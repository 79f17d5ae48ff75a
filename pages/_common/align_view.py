"""What stands below the settings of the learning tab: controls, curves, what each strategy reads."""

import streamlit as st

from rcmviz.align.craft import seconds_needed
from rcmviz.player.align_learning import build_align_learning
from rcmviz.player.component import align_learning

from . import align_state
from .align_code import learning_code
from .align_runs import course_of
from .align_settings import STRATEGY_NAMES
from .learn_widgets import SLOW, duration
from .state import key
from .text import sentence
from .training_controls import show_controls, show_models

PAGE = align_state.PAGE
TICK = 1.0  # seconds between two looks at trainings that run


def show_learning(question):
    """Controls and curves in one fragment; it ticks only while something runs."""
    if not question.strategies:
        st.info("Choose one or more strategies to train.", icon=":material/school:")
        return
    run = align_state.my_run()
    ticking = run is not None and run.moving
    st.fragment(_live, run_every=TICK if ticking else None)(question, ticking)


def _live(question, ticking):
    run = align_state.my_run()
    if run is not None:
        run.seen()
    show_controls(PAGE, run, align_state.has_changed(question), lambda: _opened(question))
    refused = st.session_state.pop(key(PAGE, "start.refused"), None)
    if refused:
        st.error(sentence(refused), icon=":material/error:")
    if run is None:
        _show_beginning(question)
        return
    _curves(run)
    if st.session_state.pop(key(PAGE, "chosen"), False) or (ticking and not run.moving):
        st.rerun()  # the link, and the clock of the fragment, are set where the whole page runs


def _opened(question):
    try:
        with st.spinner("Preparing the data …"):
            return align_state.start(question)
    except ValueError as error:
        st.session_state[key(PAGE, "start.refused")] = str(error)


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
        f"{course.described}); nobody tells it which letter belongs to which sound. To learn from an example, some "
        "alignment with its letters must be among the contexts that are kept. "
        f"Examples: {' · '.join(shown)}."
    )
    seconds = sum(seconds_needed(course.train, training) for training in question.trainings)
    if seconds > SLOW:
        st.caption(f":material/hourglass: On one core about {duration(seconds)}; pause or cancel at any time.")


def _curves(run):
    lesson = align_state.my_lesson()
    course = course_of(lesson)
    word = min(align_state.known().look, len(course.test) - 1)
    names = [STRATEGY_NAMES[training.strategy] for training in lesson.trainings]
    payload = build_align_learning(run, names, course.test, word, st.session_state.get(key(PAGE, "shown")))
    result = align_learning(payload, key=key(PAGE, "curves"), on_step=_take_choice, on_word=_take_choice)
    st.caption(f"{course.described[0].upper()}{course.described[1:]}; {len(course.test)} more are held out.")
    if result.open:
        _open_picture(run, course, lesson, word, **result.open)
    _show_downloads(run, lesson, names)


def _take_choice():
    shown = st.session_state[key(PAGE, "curves")]
    st.session_state[key(PAGE, "shown")] = shown.get("step")
    align_state.change(look=shown.get("word") or 0)
    st.session_state[key(PAGE, "chosen")] = True


def _open_picture(run, course, lesson, word, method, step):
    """The example as this checkpoint aligns it."""
    training = run.lives[method].settings
    align_state.change(
        tab="picture", learned=training.strategy, step=step, word=course.test.text(word),
        phones=" ".join(course.test.phone_names(word)), keep=training.budget, **align_state.model_fields(lesson),
    )  # fmt: skip
    st.rerun()


def _show_downloads(run, lesson, names):
    """The latest models, and the code."""
    with st.expander("Take it home: models, code", icon=":material/download:"):
        latest = [snapshot.checkpoints[-1] if snapshot.checkpoints else None for snapshot in run.snapshots()]
        show_models(PAGE, dict(zip(names, latest, strict=True)), "For `AlignModel.load`.")
        st.caption("The same in a notebook")
        st.code(learning_code(lesson), language=None, wrap_lines=True)
