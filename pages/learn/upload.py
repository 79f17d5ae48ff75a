"""The upload form of labelled sequences."""

from pathlib import Path
from typing import Any

import streamlit as st

from pages.learn.data import UPLOADS, keep_upload
from pages.learn.sample import SAMPLE_NAME, SENTENCES, TEMPLATE_NAME, sample_text, template_text
from pages.shell.text import escape_markdown, sentence
from pages.shell.uploads import draw_uploader

UPLOAD_MB = 5


def choose_file(state: Any, question: Any, field: str) -> None:
    """Draw the uploader and the samples; errors are shown below."""
    draw_uploader(
        st,
        "Labelled sequences: CoNLL columns or CSV (docs/classifier.md)",
        None,
        UPLOAD_MB,
        key=state.key("file"),
        on_change=_take_file,
        args=(state, field),
    )
    _offer_sample(state, field)
    refused = st.session_state.get(state.key("refused"))
    if refused:
        st.error(sentence(refused), icon=":material/error:")
        if question.upload in UPLOADS:
            st.caption(f"Still in use: {escape_markdown(UPLOADS[question.upload][0])}.")


def _offer_sample(state, field):
    """Draw a button that trains on a sample, and downloads of sample and template."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Train on a sample",
            icon=":material/description:",
            key=state.key("sample"),
            on_click=_take,
            args=(state, field, SAMPLE_NAME, sample_text().encode()),
            help=f"{SENTENCES} short sentences with a tag for every word.",
        )
        for label, name, text in (("Sample", SAMPLE_NAME, sample_text), ("Template", TEMPLATE_NAME, template_text)):
            st.download_button(
                f"{label} ({Path(name).suffix.removeprefix('.')})",
                text,
                name,
                "text/plain",
                on_click="ignore",
                key=state.key(f"download.{name}"),
                icon=":material/download:",
                type="tertiary",
            )


def _take_file(state, field):
    upload = st.session_state[state.key("file")]
    if upload is None:
        st.session_state[state.key("refused")] = None
    else:
        _take(state, field, upload.name, upload.getvalue())


def _take(state, field, name, content):
    try:
        state.change(**{field: keep_upload(name, content), "word": 0})
        st.session_state[state.key("refused")] = None
    except ValueError as error:
        st.session_state[state.key("refused")] = str(error)
