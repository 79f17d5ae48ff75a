"""The settings above the decipher view; all widgets live under the page's session keys."""

import streamlit as st

from pages.decipher import texts
from pages.decipher.link import OPENINGS, OWN
from pages.decipher.shown import is_recorded
from pages.decipher.state import PAGE
from pages.shared.methods import heading
from pages.shared.text import sentence
from pages.shared.uploads import file_or_pasted
from pages.shell.folded import folded
from pages.shell.head import page_head
from rcmviz.core.methods import OF_EM
from rcmviz.data import registry
from rcmviz.tasks.decipher.texts import TEXTS

MOST_PASTED = 20_000  # characters shown in a field: browsers take seconds for 50,000
KIND_NAMES = {"letters": "Letters", "words": "Words"}
SENTENCE_NAMES = {"grammar": "A small world of ours", "tatoeba": "Tatoeba, as in the paper", OWN: "Your own sentences"}
READING_NAMES = {"emission": "likeliest to write it", "posterior": "oftenest there", "assignment": "one to one"}
TEXT_NAMES = {name: name.capitalize() for name in TEXTS} | {OWN: "Your own text …"}
PACE_NAMES = {1: "1 a second", 4: "4 a second", 10: "10 a second", 1_000: "as fast as it goes"}


STORIES = {
    "letters": (
        "Each letter stands for another one, and nobody has the key. *EM* guesses it, counts what fits English, "
        "guesses again. Readings without room are merged by RCMS, dropped by a beam."
    ),
    "words": (
        "Each word of these sentences has become a number, and nobody has the list. EM guesses it, counts what fits "
        "the language, guesses again. Readings without room are merged by RCMS, dropped by a beam."
    ),
}


def head(puzzle):
    """The title, the settings in a line, beside them what is enciphered; and what there is to see."""
    place = page_head(
        "Decipher without the key", "Cipher", KIND_NAMES, (5, 8), **PAGE.widget("kind"), on_change=_enter_kind
    )
    with folded(PAGE, place, summary(puzzle)):
        _choose_text(puzzle)
        choose_methods(puzzle)
    st.caption(STORIES[puzzle.kind])


def _enter_kind():
    """Whoever leaves the usual cipher of one kind comes to that of the other, with its methods."""
    kind, left = st.session_state[PAGE.key("kind")], PAGE.view or OPENINGS["letters"]
    if is_recorded(left):
        opens = OPENINGS[kind]
        PAGE.change(kind=kind, budget=opens.budget, second_budget=opens.second_budget)


def summary(puzzle):
    """The settings in a line."""
    chosen = TEXT_NAMES[puzzle.text] if puzzle.kind == "letters" else SENTENCE_NAMES[puzzle.sentences]
    return f"{chosen.rstrip(' …')}, key {puzzle.seed} · {' beside '.join(method.name for method in puzzle.methods)}"


def _choose_text(puzzle):
    """The cipher, and the seed of its key."""
    text, seed = st.columns([3, 2], vertical_alignment="bottom")
    if puzzle.kind == "letters":
        text.selectbox("Text", list(TEXT_NAMES), format_func=TEXT_NAMES.get, key=PAGE.key("text"))
    else:
        text.selectbox("Sentences", format_func=SENTENCE_NAMES.get, **PAGE.widget("sentences"))
    seed.number_input("Key", step=1, **PAGE.widget("seed"), help="A seed: every key is another cipher.")


def give_text(puzzle):
    """Where a text of one's own is given; what is missing for another one is said."""
    if puzzle.kind == "letters" and puzzle.text == OWN:
        _give_letters(puzzle)
    elif puzzle.kind == "words" and puzzle.sentences == OWN:
        _choose_own()
    elif puzzle.kind == "words" and puzzle.sentences == "tatoeba" and registry.find("tatoeba") is None:
        st.info(
            "Tatoeba’s sentences are not on this machine: run `rcmviz data get tatoeba`.", icon=":material/download:"
        )


def _give_letters(puzzle):
    st.text_area(
        "A cryptogram, or a plain text; Ctrl+Enter takes it",
        key=PAGE.key("own"),
        height=120,
        placeholder="GSV YZPVI ORTSGH SRH LEVM ZG GSIVV RM GSV NLIMRMT …",
    )
    st.toggle("It is plain text: encipher it first", key=PAGE.key("plain"))
    if not puzzle.plain and texts.is_english(puzzle.own):
        said, button = st.columns([8, 3], vertical_alignment="center")
        said.info("This is English as it stands: there is nothing to decipher.", icon=":material/lock_open:")
        button.button(
            "Encipher it first",
            on_click=PAGE.change,
            kwargs={"plain": True},
            icon=":material/key:",
            key=PAGE.key("encipher"),
        )


def _choose_own():
    plain, enciphered = st.columns(2)
    known = texts.UPLOADS.get(PAGE.view.upload, ("", ""))
    for name, text in zip(("own.plain", "own.enciphered"), known, strict=True):
        st.session_state.setdefault(PAGE.key(name), text if len(text) <= MOST_PASTED else "")
    plain.text_area("Plain sentences, one per line, to learn the language from", key=PAGE.key("own.plain"), height=120)
    enciphered.text_area(
        "Enciphered ones, symbols with blanks between them; none: a tenth of the plain ones is enciphered",
        key=PAGE.key("own.enciphered"),
        height=120,
    )
    plain.file_uploader(
        "Or a text file of plain sentences",
        "txt",
        key=PAGE.key("own.file"),
        max_upload_size=1,
        help="It is read on this machine, and taken instead of what stands above.",
    )
    st.button("Take these", on_click=_take_texts, key=PAGE.key("own.take"), icon=":material/check:")
    refused = st.session_state.pop(PAGE.key("own.refused"), None)
    if refused:
        st.error(sentence(refused), icon=":material/error:")


def _take_texts():
    try:
        enciphered = st.session_state.get(PAGE.key("own.enciphered"), "")
        PAGE.change(upload=texts.keep_texts(file_or_pasted(PAGE, "own.plain"), enciphered))
    except ValueError as error:
        st.session_state[PAGE.key("own.refused")] = str(error)


def choose_methods(puzzle):
    """Two methods with their budgets, and what is changed rarely."""
    first, budget = st.columns([3, 2], vertical_alignment="bottom")
    second, second_budget = st.columns([3, 2], vertical_alignment="bottom")
    budgeted = [kind for kind, method in OF_EM.items() if method.has_budget]
    help_text = "Contexts per position, the root not counted."
    first.selectbox("Method", format_func=heading, **PAGE.widget("first"))
    budget.number_input(
        "Budget", step=10, **PAGE.widget("budget"), disabled=puzzle.first not in budgeted, help=help_text
    )
    second.selectbox("Beside it", format_func=heading, **PAGE.widget("second"))
    second_budget.number_input(
        "Its budget", step=10, **PAGE.widget("second_budget"), disabled=puzzle.second not in budgeted
    )
    _choose_more(puzzle)


def _choose_more(puzzle):
    order = "letters" if puzzle.kind == "letters" else "words"
    left, right = st.columns(2, vertical_alignment="bottom")
    left.number_input(
        "Order of the language model", step=1, **PAGE.widget(order), help=f"How many {order} of history it sees."
    )
    right.number_input("Passes at a time", step=10, **PAGE.widget("passes"), help="*Resume* makes as many more.")
    st.select_slider("Passes", format_func=PACE_NAMES.get, **PAGE.widget("pace"))
    if puzzle.kind == "words":
        st.selectbox(
            "A symbol is read as the word",
            format_func=READING_NAMES.get,
            **PAGE.widget("reading"),
            help="The word most likely to be written so (as in the paper), the word most often expected there, or the "
            "best way to give every symbol a word of its own.",
        )
