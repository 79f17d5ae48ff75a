"""The problem of the page: an example, pasted, or uploaded with further files."""

from dataclasses import replace
from functools import lru_cache

import streamlit as st

import rcmviz as rv
from pages.shell import text_store
from pages.shell.methods import MAX_BUDGET
from pages.shell.text import escape_markdown, sentence
from pages.shell.uploads import draw_uploader
from pages.word import runs
from pages.word.question import Subject, WordQuestion
from pages.your_example.examples import show_examples, take_examples
from pages.your_example.format_help import show_format
from pages.your_example.gallery import GALLERY, SAMPLE, as_text
from rcmviz.core.methods import MethodChoice
from rcmviz.core.problems.problem_file import parse_names
from rcmviz.core.problems.problem_reader import MAX_BYTES

LARGEST_BOX = 30_000  # characters of a problem that the box shows; more would make typing slow
MOST_SUGGESTED = 100


@lru_cache(maxsize=1)
def sample_text():
    """Return the sample with one window or row per line."""
    return as_text(SAMPLE)


def packed_sample():
    """Return the sample as a link has it."""
    return runs.pack_problem(sample_text())


def usual_settings():
    """Return the opening question."""
    compared = MethodChoice("beam", 2), MethodChoice("rcms", 2)
    return WordQuestion(Subject("problem", packed_sample()), compared, compares=True)


def choose_problem(page, settings):
    """Draw the examples and the forms of pasted and uploaded problems."""
    _show_gallery(page, settings)
    with st.expander("Your own: paste or upload JSON, CSV or numpy’s logits", icon=":material/data_object:"):
        ways, form = st.columns([3, 2], gap="large")
        with ways:
            _paste(page, settings)
            _upload(page, settings)
        with form:
            show_format()
    refused = st.session_state.pop(page.key("refused"), None)
    if refused:
        st.error(sentence(refused), icon=":material/error:")
    show_examples(page, settings)
    _show_facts(page, settings)


def _show_gallery(page, settings):
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("Begin with", width="content")
        for number, prepared in enumerate(GALLERY):
            st.button(
                f"**{prepared.name}**" if settings.subject == prepared.settings.subject else prepared.name,
                key=page.key(f"gallery.{number}"),
                help=escape_markdown(prepared.title),
                type="tertiary",
                on_click=_open,
                args=(page, prepared),
            )


def _open(page, prepared):
    """Open an example at its position, with its methods."""
    page.open_view(prepared.settings)
    st.session_state[page.key("pasted")] = prepared.text


def _paste(page, settings):
    name = page.key("pasted")
    if name not in st.session_state:
        st.session_state[name] = _readable(settings.subject.text)
    large = not st.session_state[name]
    st.text_area(
        "Problem",
        key=name,
        height=220,
        help="Labels, order, windows or transitions, log emissions, optional gold.",
        placeholder="Too large to be shown; use “Download this problem” below." if large else None,
    )
    st.button("Use this", on_click=_take_pasted, args=(page,))


def _upload(page, settings):
    given, table, names = st.columns(3)
    common = {"on_change": _take_upload, "args": (page,)}
    megabytes = MAX_BYTES // 1_000_000
    draw_uploader(given, "Upload", ["json", "csv", "npz", "npy"], megabytes, key=page.key("upload"), **common)
    draw_uploader(
        table,
        "Transitions",
        ["csv", "npy"],
        megabytes,
        key=page.key("transitions"),
        help="Weights from each label (row) to the next one (column), for a CSV, .npz or .npy.",
        **common,
    )
    draw_uploader(
        names,
        "Labels of an .npy",
        ["txt"],
        megabytes,
        key=page.key("labels"),
        help="A text file, one label per line.",
        **common,
    )
    if settings.subject.source == "problem" and rv.shipped_models():  # else it is among the options
        st.selectbox(
            "Model for emissions of the letters a to z",
            rv.shipped_models(),
            key=page.key("model"),
            help="For other labels only the emissions are used.",
        )


def _show_facts(page, settings):
    """Draw the size of the problem, the suggested budget, and a note if its link works on this computer only."""
    try:
        problem = runs.problem_of(settings.subject)
    except ValueError:
        return
    budget = suggested_budget(problem)
    counts = f"{problem.T} positions · {len(problem.labels)} labels · order {problem.model.order}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{escape_markdown(problem.title or problem.name)}**", width="content")
        st.caption(f"{counts} · budget {budget} keeps a context per label", width="content")
        if any(method.has_budget and method.budget != budget for method in settings.methods):
            st.button(
                f"Budget {budget}",
                key=page.key("suggested"),
                type="tertiary",
                icon=":material/tune:",
                help="Give this budget to every method.",
                on_click=_set_budgets,
                args=(page, budget),
            )
    if text_store.is_stored_name(settings.subject.text):
        st.caption(
            f":material/link_off: Too large for a link: the address works only on this computer, for "
            f"{text_store.DAYS} days. **Save and share** below writes files that open anywhere."
        )


def suggested_budget(problem):
    """Return one context per label, so that the last label is never forgotten; a hundred at most."""
    return min(max(2, len(problem.labels)), MOST_SUGGESTED, MAX_BUDGET)


def _set_budgets(page, budget):
    page.open_view(_with_budget(page.view, budget))


def _with_budget(view, budget):
    """Return the view with another budget for all methods that have one."""
    methods = (replace(method, budget=budget) if method.has_budget else method for method in view.methods)
    return replace(view, methods=tuple(methods))


def _readable(text):
    """Return the problem of a link for the box; empty if it is too large."""
    try:
        unpacked = runs.unpack_problem(text)
    except ValueError:
        return sample_text()
    return unpacked if len(unpacked) <= LARGEST_BOX else ""


def _take_pasted(page):
    text = st.session_state[page.key("pasted")]
    _take_problem(page, text.encode("utf-8", "replace"), "pasted text", None)


def _take_upload(page):
    upload = st.session_state[page.key("upload")]
    if upload is None:
        return
    names = st.session_state[page.key("labels")]
    try:
        labels = parse_names(names.getvalue(), names.name) if names else None
    except ValueError as error:
        st.session_state[page.key("refused")] = str(error)
        return
    _take_problem(page, upload.getvalue(), upload.name, labels)


def _take_problem(page, content, source, labels):
    """Make a problem the subject, or show its error; other labels reset the budget to the suggested one."""
    table = st.session_state.get(page.key("transitions"))
    transitions = (table.name, table.getvalue()) if table else None
    model = page.view.subject.model
    try:
        if take_examples(page, content, source):
            return
        problem, text = runs.compatible_problem(content, source, model, transitions, labels)
    except ValueError as error:
        st.session_state[page.key("refused")] = str(error)
        return
    view = page.view.of_subject(text=runs.pack_problem(text), model=problem.model_name or model)
    if problem.labels != _labels_of(page.view.subject):
        view = _with_budget(view, suggested_budget(problem))
    st.session_state[page.key("pasted")] = text if len(text) <= LARGEST_BOX else ""
    page.open_view(view)


def _labels_of(subject):
    try:
        return runs.problem_of(subject).labels
    except ValueError:
        return None
