"""The settings above the ARS view; all widgets live under the page's session keys."""

import streamlit as st

from pages.ars.link import COMPARED, ArsQuestion
from pages.ars.state import PAGE
from pages.shared import language_models
from pages.shell.folded import folded
from pages.shell.head import page_head

TAB_NAMES = {"keypad": "Keypad", "tagging": "Tagging", "compare": "Compare", "doctor": "ARPA doctor"}
MODE_NAMES = {"decode": "Decode", "sample": "Sample"}
STRATEGY_NAMES = {
    "sweep": "sweep: one order up, everywhere",
    "worst": "worst: only where q exceeds p most",
    "jump": "jump: straight to the highest order",
}


def waiting(doing):
    """What is said while somebody waits."""
    return st.spinner(f"{doing} (the very first time the kernels are compiled: about a minute)", show_time=True)


def head():
    """The title, beside it what to do; returns the place of settings."""
    return page_head(
        "ARS: proved best, exactly drawn", "What to do", TAB_NAMES, (5, 8), **PAGE.widget("tab"), on_change=_enter_tab
    )


def _enter_tab():
    """The comparison begins where the methods differ, unless somebody has asked for something else."""
    asked, tab = PAGE.view or ArsQuestion(), st.session_state[PAGE.key("tab")]
    if tab == "compare" and (asked.message, asked.budget) == (ArsQuestion().message, ArsQuestion().budget):
        PAGE.change(tab=tab, message=COMPARED.message, budget=COMPARED.budget)


def choose_message(question, place):
    """How a message from the keypad is read: in the head of the page, so that the graph is seen with the keypad."""
    with place.container(horizontal=True, vertical_alignment="center"):
        choose_mode(question, label_visibility="collapsed", width="content")
        with folded(PAGE, st, summary(question)):
            choose_model(question, st)
            language_models.upload_model(PAGE, "model", "upload")
            choose_draws(question, st)
            st.number_input(
                "Slipping fingers",
                step=1,
                **PAGE.widget("slip"),
                help="Seed of the typing errors in a typed text; 0 makes none. Digits are taken as they are.",
            )
            st.number_input(
                "Noise k",
                step=8.0,
                **PAGE.widget("slope"),
                help="A key at distance d is pressed with weight 1 / (k·d + 1): the larger k, the fewer typing errors.",
            )
            choose_candidates()
            choose_run(question)


def summary(question):
    """The settings of a message in a line.

    >>> summary(ArsQuestion(mode="sample", slip=3))
    'english words · 300 draws · slips 3'
    """
    draws = f"{question.draws} draws" if question.asks == "sample" else ""
    slips = f"slips {question.slip}" if question.slip else ""
    return " · ".join(filter(None, (language_models.title_of(question.model), draws, slips)))


def choose_candidates():
    """How many words are considered per position."""
    st.number_input(
        "Candidates per word, 0 for all",
        step=10,
        **PAGE.widget("most"),
        help="By default all words with as many keys, because any key may have been missed.",
    )


def choose_mode(question, place=st, **look):
    """Decode or sample."""
    asked = PAGE.widget("tag_mode" if question.tags else "mode")
    place.segmented_control(
        "Ask for", format_func=MODE_NAMES.get, **asked, required=True, **{"width": "stretch"} | look
    )


def choose_draws(question, place):
    """How many samples."""
    place.number_input(
        "Draws",
        step=100,
        **PAGE.widget("draws"),
        disabled=question.asks == "decode",
        help="Independent exact samples from the model.",
    )


def choose_model(question, place):
    """A shipped language model, or an uploaded one."""
    place.selectbox(
        "Language model",
        language_models.offered(question.model),
        format_func=language_models.title_of,
        key=PAGE.key("model"),
    )


def choose_sentence(question):
    """The sentence to tag, and how far its model looks back."""
    text, order, mode, draws, more = st.columns([7, 2, 3, 2, 2], vertical_alignment="bottom")
    help_text = "Enter tags the sentence. Tags are those of the Penn treebank."
    text.text_input("English sentence", key=PAGE.key("sentence"), help=help_text)
    choose_order(order)
    choose_mode(question, mode)
    choose_draws(question, draws)
    with more.popover("Options", icon=":material/tune:", width="stretch"):
        choose_run(question)


def choose_order(place):
    """The order of the model of tags."""
    help_text = "Order N: a tag is predicted from the N − 1 tags before it."
    place.number_input("Order", step=1, **PAGE.widget("order"), help=help_text)


def choose_run(question):
    """How ARS goes about it."""
    st.toggle(
        "Look ahead",
        key=PAGE.key("look_ahead"),
        help="Bound each word over the candidates before it, not over all words: fewer rounds, each slower to set up.",
    )
    st.selectbox("Refine by", format_func=STRATEGY_NAMES.get, **PAGE.widget("strategy"))
    if question.asks == "sample":
        st.number_input("Batch", step=10, **PAGE.widget("batch"), help="Trials between two refinements.")
        st.number_input("Seed", step=1, **PAGE.widget("seed"))
    st.number_input(
        "Temperature",
        step=0.1,
        **PAGE.widget("temperature"),
        help="Divides the log probabilities of the language model; 2.303 turns them into log10, as the paper’s tables "
        "suggest.",
    )
    st.select_slider("Seconds, at most", **PAGE.widget("seconds"))
