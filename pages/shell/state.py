"""The state of a page in one session: its question, kept in the session, shown in the widgets, written to the link.

The link wins if it was changed from outside (opened, edited, back button), else the widgets win. A rerun can arrive
with a link that is older than the last click; then some widget has changed, which tells the two cases apart. What the
browser says of the view's state (``Link.place``) it writes to the link itself.
"""

from typing import Any, Generic, TypeVar

import streamlit as st

from pages.shell.link import EVERYWHERE, Link

V = TypeVar("V", bound=Link)


def key(page, name):
    """The session key of a widget."""
    return f"{page}.{name}"


def incoming_query():
    """The parameters of the present link that belong to the page."""
    return {name: value for name, value in st.query_params.to_dict().items() if name not in EVERYWHERE}


def beside_all_pages():
    """The parameters of the present link that every page has."""
    return {name: st.query_params[name] for name in EVERYWHERE if name in st.query_params}


class PageState(Generic[V]):
    """The question of one page in this session; ``usual`` is the one of a link without parameters.

    Pages use ``key(name)`` (the session key of a widget), ``change(**fields)`` (in callbacks) and ``view`` (the
    question of the last run). A subclass may override ``arrived``, ``began``, ``beside``, ``noted`` and ``view_state``;
    a page declares it as ``state_class``.
    """

    bare = False  # whether an address without parameters asks for the usual view again

    def __init__(self, name: str, usual: V):
        self.name, self.usual = name, usual

    def key(self, name: str) -> str:
        """The session key of a widget, or of another value of this page."""
        return key(self.name, name)

    def widget(self, name: str) -> dict[str, Any]:
        """Arguments of a field's widget: its session key and its limits."""
        return {"key": self.key(name), **self.usual.limits(name)}

    @property
    def view(self) -> V | None:
        """The view of the last run in this session."""
        return st.session_state.get(self.key("value"))

    def open_question(self, first: V | None = None) -> tuple[V, dict[str, Any], list[str]]:
        """The question of this run, the view state of its link ({} if it has none), and notices about the link."""
        question, opening, notices = self.open(first)
        return question, self.view_state(question, opening), notices

    def current(self) -> tuple[V, dict[str, Any]]:
        """The question as callbacks have left it, and the view state: for a run of the view alone."""
        question = self.view or self.usual
        return question, self.view_state(question)

    def view_state(self, question: V, opening: dict[str, Any] | None = None) -> dict[str, Any]:
        """Where the view stands; ``opening`` is what a link that was just read says of it."""
        return question.placed() | self.opening_of(question, opening)

    def ask_for_page(self) -> None:
        """In ``on_change``: run all of a page of which the view alone would run."""
        st.session_state[self.key("asks_for_page")] = True

    def asks_for_page(self) -> bool:
        """Whether ``ask_for_page`` was called since this was asked last."""
        return bool(st.session_state.pop(self.key("asks_for_page"), False))

    def open(self, first=None):
        """Return (view, opening, notices) of this run: of the link if it was changed from outside, else of the widgets.

        ``first`` replaces the usual view if neither link nor session has another one.
        """
        known, incoming = self.view, incoming_query()
        entered = st.session_state.pop("page_entered", True)
        view, opening = known or first or self.usual, None
        if known and not entered:
            view = known.with_widgets(self._shown())
        edited = self._lasting(incoming) != st.session_state.get(self.key("query")) and view == known
        if self._asks(incoming, entered) and (known is None or entered or edited):
            view, opening, notices = (
                self.usual.read(incoming, self.usual) if incoming else (first or self.usual, None, [])
            )
            self.arrived(view, incoming)
            st.session_state[self.key("noticed")] = self.noted(view), notices
            entered = True
        anew = entered or known is None
        self.show(view, view.widgets() if anew else view.changed_widgets(known))
        self.keep(view)
        if anew:
            self.began(view)
        noted, notices = st.session_state.get(self.key("noticed"), (None, []))
        return view, opening, notices if noted == self.noted(view) else []

    def noted(self, view):
        """The part of a view that its notices are about: they stay until it changes (a page also reruns by itself)."""
        return view

    def opening_of(self, view, opening):
        """The ``opening`` of a link while the view is the one that came with it; else {}."""
        name = self.key("opening")
        if opening is not None or st.session_state.get(name, (None, None))[0] != view:
            st.session_state[name] = view, opening
        return st.session_state[name][1] or {}

    def change(self, **changes: Any) -> None:
        """Change fields in a callback; the widgets follow."""
        view = (self.view or self.usual).changed(**changes)
        self.show(view, view.widgets())
        st.session_state[self.key("value")] = view

    def put(self, **changes: Any) -> None:
        """Change fields that have no widget, at any time."""
        self.keep((self.view or self.usual).changed(**changes))

    def arrived(self, view, incoming):
        """Called when a link was read to a view: for its other parameters."""

    def began(self, view):
        """Called when the page was entered or a link was read."""

    def beside(self, incoming):
        """Parameters of the link that the view does not write: by default those of the browser, as they came."""
        return {name: incoming[name] for name in self.usual.place_names() if name in incoming}

    def _asks(self, incoming, entered):
        """Whether a link asks this page for something.

        On the way to Step, Streamlit writes its parameters behind the name of the page that is left: the back button
        comes past them.
        """
        if not incoming:
            return self.bare and self.view is not None and not entered
        return self.view is None or not set(incoming) - {*self.usual.names(), *self.usual.place_names()}

    def _shown(self):
        """The values of this page in the session, by name; an emptied or undrawn widget has none."""
        kept = {name: value for name, value in st.session_state.items() if name.startswith(self.key(""))}
        return {name.removeprefix(self.key("")): value for name, value in kept.items() if value is not None}

    def show(self, view, anew):
        """Set the widgets named by ``anew``, and those that have lost their values, to a view."""
        for name, value in (view.first_widgets() | view.widgets()).items():
            if name in anew or self.key(name) not in st.session_state:
                st.session_state[self.key(name)] = value

    def keep(self, view):
        """Keep a view in the session, and write it to the link at once."""
        incoming, query = incoming_query(), view.write()
        st.session_state[self.key("value")], st.session_state[self.key("query")] = view, query
        if incoming != query | self.beside(incoming):
            st.query_params.from_dict(query | self.beside(incoming) | beside_all_pages())

    def _lasting(self, incoming):
        """A query without the browser's part."""
        return {name: value for name, value in incoming.items() if name not in self.usual.place_names()}
