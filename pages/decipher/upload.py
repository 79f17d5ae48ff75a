"""Hand-drawn controls of Decipher: pasted texts, and a button that removes invalid pins."""

import streamlit as st

from pages.decipher import texts
from pages.decipher.pins import pins_by_number
from pages.shell.errors import NeedsInput
from pages.shell.uploads import draw_take_button, draw_text_uploader, file_or_pasted

MOST_PASTED = 20_000  # characters shown in a field: browsers take seconds for 50,000


def enter_text(state, question, field):
    """Draw the field of a cryptogram, or of a plain text to encipher."""
    if question.text != texts.OWN:
        return
    st.text_area(
        "A cryptogram or a plain text, then Ctrl+Enter",
        key=state.key(field),
        height=120,
        placeholder="GSV YZPVI ORTSGH SRH LEVM ZG GSIVV RM GSV NLIMRMT …",
    )
    st.toggle("It is plain text: encipher it first", key=state.key("plain"))
    if not question.plain and texts.is_english(question.own):
        hint, button = st.columns([8, 3], vertical_alignment="center")
        hint.info("This is plain English: there is nothing to decipher.", icon=":material/lock_open:")
        button.button(
            "Encipher it first",
            on_click=state.change,
            kwargs={"plain": True},
            icon=":material/key:",
            key=state.key("encipher"),
        )


def choose_sentences(state, question, field):
    """Draw the fields of plain sentences, pasted or from a file, and of enciphered ones."""
    if question.sentences != texts.OWN:
        return
    plain, enciphered = st.columns(2)
    known = texts.UPLOADS.get(question.upload, ("", ""))
    for name, text in zip(("own.plain", "own.enciphered"), known, strict=True):
        st.session_state.setdefault(state.key(name), text if len(text) <= MOST_PASTED else "")
    plain.text_area("Plain sentences, one per line, to learn the language from", key=state.key("own.plain"), height=120)
    enciphered.text_area(
        "Enciphered sentences, symbols separated by blanks; if empty, a tenth of the plain ones is enciphered",
        key=state.key("own.enciphered"),
        height=120,
    )
    draw_text_uploader(plain, state, "Or a text file of plain sentences")
    draw_take_button(st, state, "Take these", _take_texts)


def _take_texts(state):
    enciphered = st.session_state.get(state.key("own.enciphered"), "")
    state.change(upload=texts.keep_texts(file_or_pasted(state, "own.plain"), enciphered))


def draw_unpin_button(state, question, field):
    """Draw a button that removes the pins if the cipher cannot be read with them."""
    if not question.pins:
        return
    try:
        pins_by_number(texts.subject_of(question).layout, dict(question.pins))
    except NeedsInput:
        return
    except ValueError:
        st.button("Remove all pins", on_click=state.change, kwargs={"pins": ()}, icon=":material/lock_open:")
