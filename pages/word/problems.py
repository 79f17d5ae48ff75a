"""Paste or upload a problem file; a sample is there from the start."""

import json
from functools import lru_cache

import streamlit as st

import rcmviz as rv
from pages.shared.text import sentence
from pages.word import runs
from rcmviz.core.problem_file import MAX_BYTES

# Each label tends to repeat the one before the last. With budget 2, beam search is sure of bbbbbbb and RCMS of bababab.
SAMPLE = {
    "schema": "rcmviz/problem",
    "version": 1,
    "name": "an echo of two",
    "labels": ["a", "b", "c"],
    "order": 2,
    "mode": "single",
    "windows": [
        [["^", "^", "a"], 0.2], [["*", "*", "c"], 0.2], [["*", "a", "b"], 0.5], [["*", "c", "c"], 1.0],
        [["a", "a", "a"], 2.0], [["a", "b", "a"], 1.5], [["b", "a", "b"], 3.0], [["b", "b", "b"], 2.0],
    ],
    "log_emit": [
        [-2.4, -0.3, -0.9], [-0.6, -0.6, -1.2], [-0.9, -2.4, None], [-1.8, -0.9, -0.3], [-0.3, -0.3, -0.6],
        [-1.8, -1.2, -1.8], [-1.5, -0.6, -1.5],
    ],
    "gold": ["b", "a", "b", "a", "b", "a", "b"],
}  # fmt: skip


@lru_cache(maxsize=1)
def sample_text():
    """The sample as people read it: one window or row per line."""
    lists = {
        name: "[\n  " + ",\n  ".join(json.dumps(row) for row in SAMPLE[name]) + "\n]"
        for name in ("windows", "log_emit")
    }
    parts = [f'"{name}": {lists.get(name) or json.dumps(value)}' for name, value in SAMPLE.items()]
    return "{" + ",\n ".join(parts) + "}"


def packed_sample():
    """The sample as it stands in a link."""
    return runs.pack_problem(sample_text())


def choose_problem(page, settings):
    """Two ways in, one check: what is wrong is said under the box, with its place."""
    name = page.key("pasted")
    if name not in st.session_state:
        st.session_state[name] = _readable(settings.subject.text)
    with st.expander("The problem: paste JSON or a CSV of emissions, or upload a file", icon=":material/data_object:"):
        text, side = st.columns([3, 2])
        text.text_area("Problem", key=name, height=260, help="Labels, order, windows, log emissions, optional gold.")
        text.button("Use this", on_click=_take_pasted, args=(page,))
        side.file_uploader(
            "Upload", type=["json", "csv"], key=page.key("upload"), on_change=_take_upload, args=(page,),
            max_upload_size=MAX_BYTES // 1_000_000,
        )  # fmt: skip
        if len(rv.shipped_models()):
            side.selectbox(
                "Model for a CSV of emissions of the letters a to z", rv.shipped_models(), key=page.key("model"),
                help="A CSV of other labels is read without windows: its emissions alone decide.",
            )  # fmt: skip
        side.button("Back to the sample", on_click=_take, args=(page, sample_text(), "the sample"))
        side.caption("The format is described in docs/problem-file.md; every view here offers “Download this problem”.")
    refused = st.session_state.pop(page.key("refused"), None)
    if refused:
        st.error(sentence(refused), icon=":material/error:")


def _readable(packed):
    try:
        return runs.unpack_problem(packed)
    except ValueError:
        return sample_text()


def _take_pasted(page):
    _take(page, st.session_state[page.key("pasted")], "pasted text")


def _take_upload(page):
    upload = st.session_state[page.key("upload")]
    if upload is None:
        return
    try:
        text = upload.getvalue().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        st.session_state[page.key("refused")] = (
            f"{upload.name}: byte {error.start} is not UTF-8; save it as UTF-8 text."
        )
        return
    _take(page, text, upload.name)


def _take(page, text, source):
    """Make a problem the subject, or say what is wrong with it."""
    model = page.view.subject.model
    try:
        problem, kept = runs.compatible_problem(text, source, model)
    except ValueError as error:
        st.session_state[page.key("refused")] = str(error)
        return
    st.session_state[page.key("pasted")] = text
    packed = runs.pack_problem(text if text.lstrip().startswith("{") else kept)
    page.change_subject(text=packed, model=problem.model_name or model)
