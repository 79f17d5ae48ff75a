"""What stands below the settings on Learn: controls, curves with all that hangs on them, what can be taken home."""

import streamlit as st

from pages.learn import recorded, state
from pages.learn.code import training_code
from pages.learn.data import load_data
from pages.learn.link import method_of, step_query, write_checkpoint
from pages.learn.own_example import own_example
from pages.learn.widgets import show_beginning
from pages.shared.formula import show_formula
from pages.shared.text import plain, sentence
from pages.shared.training_controls import show_models, show_trainings
from rcmviz.tasks.handwriting.letter_data import COLUMNS, ROWS
from rcmviz.views.learn.payload import ShownSequence, build_learning
from rcmviz.views.shared.component import learning

PAGE = state.PAGE


def show_view(plan):
    """Controls, curves with all that hangs on them, what can be taken home."""
    kept = recorded.is_recorded(plan)
    idle = "A recorded run; *Start* trains anew while you watch." if kept else ""
    show_trainings(state, plan, _recording if kept else show_beginning, _curves, idle=idle)


def _recording(plan):
    """The training that the page opens with, until somebody starts one."""
    st.markdown(recorded.story())
    kept = recorded.recording() | {"step": plan.step}
    result = learning(kept, key=PAGE.key("recorded"), on_step=_take_step)
    show_formula("learn")
    if result.open:
        method, step = result.open["method"], result.open["step"]
        training, data = plan.trainings[method], load_data(plan.source)
        model = {"model": write_checkpoint(plan.source, training, step)}
        query = data.links[recorded.WORD] | step_query(training, None) | model
        st.switch_page(st.session_state["pages"]["step"], query_params=query)


def _take_step():
    PAGE.put(step=st.session_state[PAGE.key("recorded")].get("step"))


def _curves(run):
    plan = state.current_plan()
    data = load_data(plan.source)
    shown = PAGE.view
    word = min(shown.word, len(data.held_out) - 1)
    names = [method_of(training).name for training in plan.trainings]
    payload = build_learning(
        run,
        names,
        ShownSequence(data.sequence(word), data.shown(word), word, data.names),
        pixels=(ROWS // 2, COLUMNS // 2) if data.words else None,
        features=data.train.names,
        step=shown.step,
        opens=True,
    )
    result = learning(payload, key=PAGE.key("curves"), on_step=_take_choice, on_word=_take_choice)
    show_formula("learn")
    st.caption(plain(data.description))
    if result.open:
        _open_checkpoint(run, data, plan, word, **result.open)
    _show_downloads(run, plan, names, shown.step)


def _take_choice():
    shown = st.session_state[PAGE.key("curves")]
    PAGE.put(step=shown.get("step"), word=shown.get("word") or 0)


def _open_checkpoint(run, data, plan, word, method, step):
    """This example with the model of this checkpoint: a word on the Step page, what was uploaded as an own example."""
    training = plan.trainings[method]
    kept = [checkpoint for checkpoint in run.snapshots()[method].checkpoints if checkpoint.step == step]
    if not kept:
        st.toast("This checkpoint is no longer kept; choose another.")
        return
    if data.links is None:
        try:
            page, query = "your_example", own_example(data, training, word, kept[0])
        except ValueError as error:
            st.toast(sentence(error), icon=":material/error:")
            return
    else:
        name = write_checkpoint(plan.source, training, step)
        page, query = "step", data.links[word] | step_query(training, kept[0].model) | {"model": name}
    st.switch_page(st.session_state["pages"][page], query_params=query)


def _show_downloads(run, plan, names, step):
    """The models of the checkpoint that is shown, the code."""
    with st.expander("Take it home: models, code", icon=":material/download:"):
        shown = [
            next((one for one in reversed(snapshot.checkpoints) if step is None or one.step <= step), None)
            for snapshot in run.snapshots()
        ]
        help_text = "For `rv.load_model`, `rcmviz evaluate` and `rcmviz predict`."
        show_models(PAGE, dict(zip(names, shown, strict=True)), help_text)
        st.caption("The same in a notebook")
        st.code(training_code(plan), language=None, wrap_lines=True)
