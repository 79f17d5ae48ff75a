"""Precision: whom to believe when; a reject slider over the answers of several methods, and the words behind it."""

import streamlit as st

from pages.learn import state
from pages.precision import answers, blame
from pages.precision.link import OFFERED, OPENING, Comparison
from pages.shared.text import sentence
from pages.shell.folded import folded
from pages.shell.footer import show_footer
from pages.shell.head import page_head, show_notices
from pages.shell.state import PageState
from pages.word.widgets import SOURCE_NAMES
from rcmviz.core.shared.wording import counted
from rcmviz.data import registry
from rcmviz.views.precision.payload import MOST_METHODS, precision_html
from rcmviz.views.shared.component import precision

PAGE = PageState("precision", Comparison())
STORY = (
    "A reader may keep silent where it is not sure. The slider sets how many of its answers must be right: "
    r"$\text{precision} = \text{right} \,/\, \text{answered}$. Which method still answers, and how much?"
)


def choose_words(trial):
    """Which words are read, and by whom; in one line, until somebody wants to change it."""
    place = page_head("Precision: when to trust an answer", "Handwriting", SOURCE_NAMES, **PAGE.widget("source"))
    with folded(PAGE, place, summary(trial)):
        if trial.source == "pen":
            choose_pen(*st.columns(3))
        mine = answers.models_in_training(state.current_run(), state.current_plan())
        st.pills(
            f"Methods, up to {MOST_METHODS}",
            list(dict.fromkeys((*OFFERED, *mine, *trial.arms))),
            selection_mode="multi",
            format_func=lambda arm: arm.name,
            key=PAGE.key("arms"),
            wrap=True,
            help="Each method reads with weights that it learned itself unless its name says otherwise; exact "
            "inference uses those of RCMS. What you train on Learn is offered too, and a link may ask for any budget: "
            "runs=rcms:30.",
        )
    st.markdown(STORY)


def summary(trial):
    """The settings in a line."""
    words = f"{trial.words:,} words, pens {trial.seed}" if trial.source == "pen" else "Kassel’s words"
    return f"{words} · {counted(len(trial.arms), 'method')}"


def choose_pen(words, seed, noise):
    """How many words the pen writes, and how badly."""
    words.number_input("Words", step=50, **PAGE.widget("words"))
    seed.number_input(
        "Pens",
        step=1,
        **PAGE.widget("seed"),
        help="A seed: other writers, other words. The models have learnt from those of seed 0.",
    )
    noise.number_input(
        "Noise",
        step=0.01,
        format="%.3f",
        **PAGE.widget("noise"),
        help="The share of wrong pixels. The models have learnt at 0.005: with more noise they should be less sure.",
    )


def show(trial, opening):
    """The view; a click on a word opens it in Step."""
    with st.spinner("Reading the words (the very first time the kernels are compiled: about a minute)", show_time=True):
        payload = answers.payload_of(trial)
    verdicts = blame.verdicts_of(trial)
    reply = precision(payload | {"opening": opening, "verdicts": verdicts}, key=PAGE.key("view"))
    show_footer(
        PAGE,
        lambda: precision_html(payload | {"verdicts": blame.verdicts_of(trial)}, "When to trust an answer"),
        "precision.html",
        "One file with this page; the slider works in it, offline.",
    )
    if reply.word:
        asked = reply.word
        query = answers.step_query(trial, asked["word"], trial.arms[asked["method"]], asked.get("position", 1))
        st.switch_page(st.session_state["pages"]["step"], query_params=query)
    blame.look_again(trial, verdicts)


trial, opening, notices = PAGE.open(OPENING)
choose_words(trial)
show_notices(notices)
if not trial.arms:
    st.info("Choose a method or more.", icon=":material/arrow_upward:")
elif len(trial.arms) > MOST_METHODS:
    st.info(f"{len(trial.arms)} methods are too many for one chart: take one away.", icon=":material/arrow_upward:")
else:
    try:
        show(trial, opening)
    except ValueError as error:
        if trial.source == "kassel" and registry.find("ocr") is None:
            st.info(sentence(error), icon=":material/download:")
        else:
            st.error(sentence(error))
