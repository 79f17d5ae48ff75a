"""The ARPA doctor: a file, or pasted text, is examined; a sample that is ill is there from the start."""

import pandas as pd
import streamlit as st

from pages.ars import models
from pages.ars.state import PAGE
from pages.shared.text import plain, sentence
from rcmviz.lm.arpa import parse_arpa
from rcmviz.lm.doctor import examine

CONTEXTS, SEED = 200, 0  # sampled to see whether their probabilities sum to one
# "dog bark", the end of a trigram, is not listed; the back-off of "two dogs" is above 1; after "the" they sum to 1.9.
SAMPLE = """\\data\\
ngram 1=7
ngram 2=6
ngram 3=2

\\1-grams:
-99\t<s>\t-0.30103
-0.9\t</s>
-0.8\tthe\t-0.2
-0.9\ttwo\t-0.3
-0.8\tdogs\t-0.25
-0.9\tdog\t-0.1
-0.8\tbark

\\2-grams:
-0.3\t<s> the\t-0.1
-0.5\t<s> two\t-0.1
-0.1\tthe dog\t-0.2
-0.1\tthe dogs\t-0.2
-0.2\ttwo dogs\t0.4
-0.2\tdogs bark

\\3-grams:
-0.1\tthe dog bark
-0.05\ttwo dogs bark

\\end\\
"""


def _key(name):
    return PAGE.key(f"doctor.{name}")


def show():
    """The file on the left, what is found in it on the right."""
    given, found = st.columns([5, 6], gap="large")
    with given:
        name, content = choose_file()
    with found:
        show_diagnosis(name, content)


def choose_file():
    """(Name, bytes) of what is examined: an upload, else the text."""
    upload = st.file_uploader(
        "An ARPA file, plain or gzip", type=["arpa", "lm", "gz", "txt"], key=_key("upload"),
        max_upload_size=models.UPLOAD_MB,
        help="It stays on this machine. Larger ones: `rcmviz lm check file.arpa`.",
    )  # fmt: skip
    st.session_state.setdefault(_key("text"), SAMPLE)
    text = st.text_area("Or text; Ctrl+Enter examines it", key=_key("text"), height=420, disabled=upload is not None)
    st.button("Back to the sample", on_click=_back, key=_key("sample"))
    return ("the text", text.encode()) if upload is None else (upload.name, upload.getvalue())


def show_diagnosis(name, content):
    """What is found, or why nothing can be."""
    try:
        with st.spinner("Examining", show_time=True):
            file = parse_arpa(content, name, max_bytes=models.MAX_BYTES, any_counts=True)
            diagnosis = examine(file, CONTEXTS, SEED)
    except ValueError as error:
        st.error(sentence(error), icon=":material/error:")
        return
    *rows, (_, verdict) = diagnosis.rows()
    (st.success if diagnosis.sound else st.warning)(sentence(verdict), icon=":material/stethoscope:")
    st.table(pd.DataFrame([(what, plain(found)) for what, found in rows], columns=["", "found"]).set_index(""))
    st.button(
        "Type with this model on the keypad", on_click=_use, args=(name, content), icon=":material/dialpad:",
        key=_key("use"),
    )  # fmt: skip
    refused = st.session_state.pop(_key("refused"), None)
    if refused:
        st.error(sentence(refused), icon=":material/error:")
    st.caption("docs/arpa.md explains the rows. The same in a shell: `rcmviz lm check file.arpa`.")


def _back():
    st.session_state[_key("text")] = SAMPLE


def _use(name, content):
    try:
        PAGE.change(tab="keypad", model=models.keep_model(name, content))
    except ValueError as error:
        st.session_state[_key("refused")] = str(error)
