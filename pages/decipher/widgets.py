"""The settings above the decipher view; all widgets live under the page's session keys."""

import streamlit as st

from pages.decipher import texts
from pages.decipher.link import OWN
from pages.decipher.state import PAGE
from pages.shared.head import page_head
from pages.shared.methods import heading
from pages.shared.text import sentence
from pages.shared.uploads import decoded
from rcmviz.core.methods import OF_EM
from rcmviz.data import registry
from rcmviz.tasks.decipher.texts import TEXTS

MOST_PASTED = 20_000  # characters shown in a field: browsers take seconds for 50,000
KIND_NAMES = {"letters": "Letters", "words": "Words"}
SENTENCE_NAMES = {"grammar": "A small world of ours", "tatoeba": "Tatoeba, as in the paper", OWN: "Your own sentences"}
READING_NAMES = {"emission": "likeliest to write it", "posterior": "oftenest there", "assignment": "one to one"}
PACE_NAMES = {1: "1 a second", 4: "4 a second", 10: "10 a second", 1_000: "as fast as it goes"}


def head():
    """The title, and beside it what is enciphered."""
    page_head("Decipher without the key", "Cipher", KIND_NAMES, **PAGE.widget("kind"))


def choose_cipher(puzzle):
    """The text, and the seed of its key."""
    (_choose_letters if puzzle.kind == "letters" else _choose_words)(puzzle)


def _choose_letters(puzzle):
    text, seed, *methods = st.columns([3, 2, 2, 2, 2, 2, 2], vertical_alignment="bottom")
    names = {name: name.capitalize() for name in TEXTS} | {OWN: "Your own text …"}
    text.selectbox("Text", list(names), format_func=names.get, key=PAGE.key("text"))
    seed.number_input("Key", step=1, **PAGE.widget("seed"), help="A seed: every key is another cipher.")
    choose_methods(puzzle, methods)
    if puzzle.text == OWN:
        st.text_area(
            "A cryptogram, or a plain text; Ctrl+Enter takes it", key=PAGE.key("own"), height=120,
            placeholder="GSV YZPVI ORTSGH SRH LEVM ZG GSIVV RM GSV NLIMRMT …",
        )  # fmt: skip
        st.toggle("It is plain text: encipher it first", key=PAGE.key("plain"))


def _choose_words(puzzle):
    text, seed, *methods = st.columns([3, 2, 2, 2, 2, 2, 2], vertical_alignment="bottom")
    text.selectbox("Sentences", format_func=SENTENCE_NAMES.get, **PAGE.widget("sentences"))
    seed.number_input("Key", step=1, **PAGE.widget("seed"), help="A seed: every key is another cipher.")
    choose_methods(puzzle, methods)
    if puzzle.sentences == "tatoeba" and registry.find("tatoeba") is None:
        st.info(
            "Tatoeba’s sentences are not on this machine: run `rcmviz data get tatoeba`.", icon=":material/download:"
        )
    if puzzle.sentences == OWN:
        _choose_own()


def _choose_own():
    plain, enciphered = st.columns(2)
    known = texts.UPLOADS.get(PAGE.view.upload, ("", ""))
    for name, text in zip(("own.plain", "own.enciphered"), known, strict=True):
        st.session_state.setdefault(PAGE.key(name), text if len(text) <= MOST_PASTED else "")
    plain.text_area("Plain sentences, one per line, to learn the language from", key=PAGE.key("own.plain"), height=120)
    enciphered.text_area(
        "Enciphered ones, symbols with blanks between them; none: a tenth of the plain ones is enciphered",
        key=PAGE.key("own.enciphered"), height=120,
    )  # fmt: skip
    plain.file_uploader(
        "Or a text file of plain sentences", "txt", key=PAGE.key("own.file"), max_upload_size=1,
        help="It is read on this machine, and taken instead of what stands above.",
    )  # fmt: skip
    st.button("Take these", on_click=_take_texts, key=PAGE.key("own.take"), icon=":material/check:")
    refused = st.session_state.pop(PAGE.key("own.refused"), None)
    if refused:
        st.error(sentence(refused), icon=":material/error:")


def _take_texts():
    try:
        enciphered = st.session_state.get(PAGE.key("own.enciphered"), "")
        PAGE.change(upload=texts.keep_texts(_plain_text(), enciphered))
    except ValueError as error:
        st.session_state[PAGE.key("own.refused")] = str(error)


def _plain_text():
    """The file, where there is one, else what was pasted."""
    file = st.session_state.get(PAGE.key("own.file"))
    if file is None:
        return st.session_state.get(PAGE.key("own.plain"), "")
    return decoded(file.name, file.getvalue())


def choose_methods(puzzle, columns):
    """Two methods with their budgets, and what is changed rarely."""
    first, budget, second, second_budget, more = columns
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
    with more.popover("More", icon=":material/tune:", width="stretch"):
        _choose_more(puzzle)


def _choose_more(puzzle):
    order = "letters" if puzzle.kind == "letters" else "words"
    st.number_input(
        "Order of the language model", step=1, **PAGE.widget(order),
        help=f"How many {order} of history it sees.",
    )  # fmt: skip
    st.select_slider("Passes", format_func=PACE_NAMES.get, **PAGE.widget("pace"))
    st.number_input("Passes at a time", step=10, **PAGE.widget("passes"), help="*Resume* makes as many more.")
    if puzzle.kind == "words":
        st.selectbox(
            "A symbol is read as the word", format_func=READING_NAMES.get, **PAGE.widget("reading"),
            help="The word most likely to be written so (as in the paper), the word most often expected there, or the "
            "best way to give every symbol a word of its own.",
        )  # fmt: skip
