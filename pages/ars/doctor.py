"""The ARPA doctor: the diagnosis of a file or a pasted text; it starts with a faulty sample."""

from html import escape

import streamlit as st

from pages.ars.state import STATE
from pages.shell import language_models
from pages.shell.computing import compute
from pages.shell.text import sentence
from pages.shell.uploads import draw_uploader, weigh
from rcmviz.lm.arpa import parse_bytes
from rcmviz.lm.arpa_bytes import unpack
from rcmviz.lm.arpa_lines import lines_of
from rcmviz.lm.doctor import MEANINGS, examine

CONTEXTS, SEED = 200, 0  # contexts sampled to check whether their probabilities sum to one
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

STYLE = """<style>
.rv-findings details{border-top:1px solid color-mix(in srgb,currentColor 18%,transparent)}
.rv-findings summary{display:grid;grid-template-columns:16px 11rem minmax(0,1fr);gap:8px;padding:6px 2px;cursor:pointer}
.rv-findings summary::before{content:"▸"}.rv-findings details[open] summary::before{content:"▾"}
.rv-findings summary span:first-child{font-weight:600}
.rv-findings summary span,.rv-findings li code{overflow-wrap:anywhere}
.rv-findings p{margin:0 0 6px 26px}.rv-findings ul{margin:0 0 10px 26px;padding:0;list-style:none}
@media (max-width:640px){.rv-findings summary{grid-template-columns:16px minmax(0,1fr)}
.rv-findings summary span:last-child{grid-column:2}}
</style>"""


def _key(name):
    return STATE.key(f"doctor.{name}")


def show():
    """Draw the file on the left, its diagnosis on the right."""
    given, found = st.columns([5, 6], gap="large")
    with given:
        name, content = choose_file()
    with found:
        show_diagnosis(name, content)


def choose_file():
    """Draw the input; returns (name, bytes) of the upload, else of the text."""
    upload = draw_uploader(
        st,
        "An ARPA file, plain or gzip",
        ["arpa", "lm", "gz", "txt"],
        language_models.UPLOAD_MB,
        key=_key("upload"),
        help="For larger files use `rcmviz lm check file.arpa`.",
    )
    st.session_state.setdefault(_key("text"), SAMPLE)
    text = st.text_area("Or paste text, then Ctrl+Enter", key=_key("text"), height=420, disabled=upload is not None)
    st.button("Restore the sample", on_click=_restore_sample, key=_key("sample"))
    return ("the text", text.encode()) if upload is None else (upload.name, upload.getvalue())


def show_diagnosis(name, content):
    """Draw the diagnosis, or the reason why there is none."""
    try:
        with st.spinner("Examining", show_time=True):
            seconds = weigh(name, content, language_models.MAX_BYTES) / language_models.BYTES_PER_SECOND
            diagnosis, lines = compute(seconds, diagnose, name, content)
    except ValueError as error:
        st.error(sentence(error), icon=":material/error:")
        return
    *rows, (_, verdict) = diagnosis.rows()
    report = st.success if diagnosis.sound else st.warning
    report(sentence(verdict), icon=":material/stethoscope:")
    st.caption("Click a row for its meaning and its lines in the file.")
    st.html(STYLE + _findings(rows, lines))
    st.button(
        "Type with this model on the keypad",
        on_click=_use_on_keypad,
        args=(name, content),
        icon=":material/dialpad:",
        key=_key("use"),
    )
    refused = st.session_state.pop(_key("refused"), None)
    if refused:
        st.error(sentence(refused), icon=":material/error:")
    st.caption("On the command line: `rcmviz lm check file.arpa`.")


def diagnose(name, content):
    """Return the diagnosis of a file, and the lines that it points at."""
    arpa = unpack(content, name, language_models.MAX_BYTES)
    diagnosis = examine(parse_bytes(arpa, any_counts=True), CONTEXTS, SEED)
    return diagnosis, {what: lines_of(arpa, grams) for what, grams in diagnosis.pointed_at().items()}


def _findings(rows, lines):
    """Return the findings as HTML; each opens to its meaning and its lines."""
    made = [
        f"<details><summary><span>{escape(what)}</span><span>{escape(found)}</span></summary>"
        f"<p>{escape(MEANINGS[what])}</p>{_line_list(lines.get(what, {}))}</details>"
        for what, found in rows
    ]
    return f"<div class='rv-findings'>{''.join(made)}</div>"


def _line_list(lines):
    listed = "".join(f"<li>line {number:,}: <code>{escape(line)}</code></li>" for number, line in lines.values())
    return f"<ul>{listed}</ul>" if listed else ""


def _restore_sample():
    st.session_state[_key("text")] = SAMPLE


def _use_on_keypad(name, content):
    try:
        STATE.change(tab="keypad", model=language_models.keep_model(name, content))
    except ValueError as error:
        st.session_state[_key("refused")] = str(error)
