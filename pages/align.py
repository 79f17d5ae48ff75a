"""Align: which letters belong to which sound, when nobody has told; and five strategies that try to learn it."""

import streamlit as st

from _common import align_runs, align_state, align_widgets
from _common.align_stories import show_stories
from _common.align_view import show_learning
from _common.text import sentence
from rcmviz.player.align import align_html
from rcmviz.player.component import align

PAGE = align_state.PAGE


def show_picture(question, opening):
    """One word; what cannot be aligned is said in its place."""
    payload = answer(question)
    align(payload | opening, key=f"{PAGE}.view")
    if "error" not in payload:
        save(question)
    elif payload.get("longer"):
        align_widgets.offer_training(question)


def answer(question):
    """The payload; one with an error where the question has no answer."""
    try:
        with st.spinner("Training the model (the very first time its kernels are compiled: a minute)", show_time=True):
            return dict(align_runs.payload_of(question))
    except ValueError as error:
        longer = isinstance(error, align_runs.TooLong)
        return {"id": f"error {error}", "error": sentence(error).replace("\\", ""), "longer": longer}


def save(question):
    """The model in a line, and the view as a file."""
    told, button = st.columns([7, 2], vertical_alignment="center")
    told.caption(align_widgets.model_told(question))
    with button.container(horizontal_alignment="right"):
        st.download_button(
            "Save as HTML", lambda: align_html(align_runs.payload_of(question), "Sounds and letters"), "align.html",
            "text/html", on_click="ignore", icon=":material/download:", key=f"{PAGE}.html",
            help="One file with this view; it plays in it, offline.",
        )  # fmt: skip


question, opening, notices = align_state.open_question()
align_widgets.head()
if notices:
    st.warning("  \n".join(map(sentence, notices)), icon=":material/link_off:")
if question.tab == "picture":
    align_widgets.choose_word(question)
    show_stories(question)
    show_picture(question, opening)
elif align_widgets.choose_lesson(question):
    show_learning(question)
