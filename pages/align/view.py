"""What stands below the settings of the learning tab: controls, curves, what each strategy reads."""

import streamlit as st

from pages.align import state
from pages.align.code import learning_code
from pages.align.link import STRATEGY_NAMES
from pages.align.recorded import RECORDED_WORD, is_recorded, recorded_payload
from pages.align.runs import load_data
from pages.shared.formula import show_formula
from pages.shared.rerun import rerun
from pages.shared.text import duration, sentence
from pages.shared.training_controls import show_models, show_trainings
from pages.shell.training import SLOW
from rcmviz.jobs.alignments import seconds_needed
from rcmviz.views.align.learning import build_align_learning
from rcmviz.views.shared.component import align_learning

PAGE = state.PAGE


def show_learning(question):
    """Controls, curves with all that hangs on them, what can be taken home; a recorded run until one is started."""
    if not question.strategies:
        st.info("Choose one or more strategies to train.", icon=":material/school:")
        return
    recorded = is_recorded(question)
    idle = "A recorded run; *Start* trains anew while you watch." if recorded else ""
    show_trainings(state, question, _show_recorded if recorded else _show_beginning, _show_run, idle=idle)


def _show_recorded(question):
    """The usual run, as it went once."""
    data = load_data(question)
    word = _looked_at(data, RECORDED_WORD)
    names = [training.strategy for training in question.trainings]
    _curves(recorded_payload(word, st.session_state.get(PAGE.key("shown"))), question, data, word, names)


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


def _show_run(run):
    started = state.started_question()
    data = load_data(started)
    word = _looked_at(data)
    names = [STRATEGY_NAMES[training.strategy] for training in started.trainings]
    payload = build_align_learning(run, names, data.test, word, st.session_state.get(PAGE.key("shown")))
    _curves(payload, started, data, word, [job.settings.strategy for job in run.jobs])
    _show_downloads(run, started, names)


def _looked_at(data, first=0):
    """The number of the example held out that is looked at, the ``first`` one until somebody has chosen."""
    chosen = PAGE.view.look or st.session_state.get(PAGE.key("looked"))
    return min(PAGE.view.look if chosen else first, len(data.test) - 1)


def _curves(payload, started, data, word, strategies):
    result = align_learning(payload, key=PAGE.key("curves"), on_step=_take_choice, on_word=_take_choice)
    show_formula("strategies")
    shares = f"{len(data.train):,} to learn from, {len(data.test):,} held out"
    st.caption(f"{data.described[0].upper()}{data.described[1:]}: {shares}.")
    if result.open:
        _open_picture(strategies[result.open["method"]], data, started, word, result.open["step"])


def _take_choice():
    shown = st.session_state[PAGE.key("curves")]
    st.session_state[PAGE.key("shown")] = shown.get("step")
    PAGE.change(look=shown.get("word") or 0)
    st.session_state[PAGE.key("looked")] = True
    st.session_state[PAGE.key("chosen")] = True


def _open_picture(strategy, data, started, word, step):
    """The example as this checkpoint aligns it."""
    training = started.training(strategy)
    model = {name: value for name, value in started.fields_of("data", "training").items() if name != "decoder"}
    PAGE.change(
        tab="picture",
        learned=training.strategy,
        step=step,
        word=data.test.text(word),
        phones=" ".join(data.test.phone_names(word)),
        keep=training.budget,
        **model,
    )
    rerun()


def _show_downloads(run, started, names):
    """The latest models, and the code."""
    with st.expander("Take it home: models, code", icon=":material/download:"):
        latest = [snapshot.checkpoints[-1] if snapshot.checkpoints else None for snapshot in run.snapshots()]
        show_models(PAGE, dict(zip(names, latest, strict=True)), "For `AlignModel.load`.")
        st.caption("The same in a notebook")
        st.code(learning_code(started), language=None, wrap_lines=True)
