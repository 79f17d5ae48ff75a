"""What stands below the settings on Step, Compare and Your own example: the player and the tabs under it."""

import streamlit as st

from pages.shared.head import show_notices
from pages.shared.text import plain, sentence
from pages.word import runs, tabs
from pages.word.edits import Edit
from rcmviz.data import registry
from rcmviz.views.shared.component import player


def show_view(page, notices=()):
    """What a link asked for in vain, then the player and its tabs."""
    show_notices(notices)
    _player_and_tabs(page)


@st.fragment  # coming to rest or a what-if edit reruns nothing above the player
def _player_and_tabs(page):
    settings, opening = page.view, page.opening
    try:
        payload = runs.payload_of(settings.subject, settings.methods, settings.options, settings.edits)
    except ValueError as error:
        _show_problem(page, settings, error)
        return
    if settings.subject.source == "kassel":
        st.caption(runs.origin_of(settings.subject))
    if settings.edits:
        _edits_bar(page, settings)
    player(
        runs.placed(payload, *opening),
        key=page.key("player"),
        on_position=lambda: _take_place(page),
        on_node=lambda: _take_place(page),
        on_what_if=lambda: _take_what_if(page),
    )
    finished = [
        runs.finished(settings.subject, method, settings.options, settings.edits) for method in settings.methods
    ]
    tabs.show(page, settings, finished)


def _show_problem(page, settings, error):
    source = settings.subject.source
    if source == "drawn" and not settings.subject.text:
        st.info(sentence(error), icon=":material/draw:")
    elif source == "kassel" and registry.find("ocr") is None:
        st.info(sentence(error), icon=":material/download:")
    else:
        st.error(sentence(error), icon=":material/error:")
    if settings.edits:
        _edits_bar(page, settings)


def _edits_bar(page, settings):
    """The what-if edits in force, with undo."""
    words, undo, clear = st.columns([6, 1, 1], vertical_alignment="center")
    words.markdown("**What if:** " + ", ".join(plain(str(edit)) for edit in settings.edits))
    undo.button("Undo", on_click=page.drop_edits, key=page.key("undo"), width="stretch")
    clear.button(
        "Clear",
        on_click=page.drop_edits,
        args=(len(settings.edits),),
        key=page.key("clear"),
        width="stretch",
    )


def _take_place(page):
    shown = st.session_state[page.key("player")]
    page.commit_place(shown.get("position"), shown.get("node"))


def _take_what_if(page):
    asked = st.session_state[page.key("player")].get("what_if")
    if not asked:
        return
    if asked["op"] == "undo":
        page.drop_edits()
        return
    what = asked["what"]
    page.add_edit(Edit(asked["op"], int(asked["position"]), tuple(what) if isinstance(what, list) else what))
