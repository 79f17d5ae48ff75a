"""What stands below the settings on Step, Compare and Your own example: the player and the tabs under it."""

import streamlit as st

from pages.shared.formula import show_formula
from pages.shared.fragment import fragment
from pages.shared.text import plain, sentence
from pages.shell.head import show_notices
from pages.word import blame, runs, tabs
from pages.word.edits import only
from pages.word.trust import trust_of
from pages.word.what_if import show_edits, take_what_if
from rcmviz.data import registry
from rcmviz.views.shared.component import player


def show_view(page, notices=()):
    """What a link asked for in vain, then the player and its tabs."""
    show_notices(notices)
    _player_and_tabs(page)


@fragment  # coming to rest or a what-if edit reruns nothing above the player
def _player_and_tabs(page):
    page.leave()
    try:
        settings, lost = _with_outputs(page.view)
        payload = runs.packed_payload(settings.subject, settings.methods, settings.options, settings.edits)
    except ValueError as error:
        _show_problem(page, page.view, error)
        return
    if settings.subject.source == "kassel":
        st.caption(plain(runs.origin_of(settings.subject)))
    show_edits(page)
    for name in lost:
        said = f"{name} lost every output: no context that it kept can be completed. Raise its budget."
        st.warning(plain(said), icon=":material/block:")
    strips = blame.strips_of(settings)
    player(
        runs.placed(payload, settings.subject, *page.opening) | {"strips": strips, "trust": trust_of(settings)},
        key=page.key("player"),
        on_position=lambda: _take_place(page),
        on_node=lambda: _take_place(page),
        on_what_if=lambda: take_what_if(page),
        on_looks=lambda: _take_looks(page),
    )
    if settings.compares:
        show_formula("coverage")
    finished = runs.all_finished(settings.subject, settings.methods, settings.options, settings.edits)
    tabs.show(page, settings, finished)
    blame.look_again(settings, strips)


def _with_outputs(settings):
    """(Settings with the methods that have an output, names of the others)."""
    numbers = runs.with_outputs(settings)
    finished = runs.all_finished(settings.subject, settings.methods, settings.options, settings.edits)
    return only(settings, numbers), [run.name for number, run in enumerate(finished, 1) if number not in numbers]


def _show_problem(page, settings, error):
    source = settings.subject.source
    if source == "drawn" and not settings.subject.text:
        st.info(sentence(error), icon=":material/draw:")
    elif source == "kassel" and registry.find("ocr") is None:
        st.info(sentence(error), icon=":material/download:")
    else:
        st.error(sentence(error), icon=":material/error:")
    show_edits(page)


def _take_place(page):
    if shown := _shown(page):
        page.commit_place(shown.get("position"), shown.get("node"))


def _take_looks(page):
    if shown := _shown(page):
        page.commit_looks(shown.get("looks") or {})


def _shown(page):
    """What the player says; None where its page was left while it spoke."""
    return st.session_state.get(page.key("player"))
