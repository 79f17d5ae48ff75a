"""The state of a page in one session: its question, kept in the session, shown in the widgets, written to the link.

The link wins if it was changed from outside (opened, edited, back button), else the widgets win. A rerun can arrive
with a link that is older than the last click; then some widget has changed, which tells the two cases apart. The
browser writes the position of the view (``Link.place``) to the link itself.
"""

from typing import Any, Generic, TypeVar

import streamlit as st

from pages.shell.link import EVERYWHERE, Link

V = TypeVar("V", bound=Link)


def key(page, name):
    """Return the session key of a widget."""
    return f"{page}.{name}"


def incoming_query():
    """Return the parameters of the present link that belong to the page."""
    return {name: value for name, value in st.query_params.to_dict().items() if name not in EVERYWHERE}


def shared_params():
    """Return the parameters of the present link that every page has."""
    return {name: st.query_params[name] for name in EVERYWHERE if name in st.query_params}


class PageState(Generic[V]):
    """The question of one page in this session; ``usual`` is the one of a link without parameters.

    Pages use ``key(name)`` (the session key of a widget), ``change(**fields)`` (in callbacks) and ``view`` (the
    question of the last run). A subclass may override ``on_link_read``, ``on_entered``, ``other_params``,
    ``notice_key`` and ``view_state``; a page declares it as ``state_class``.
    """

    resets_without_params = False  # whether an address without parameters resets the page

    def __init__(self, name: str, usual: V):
        self.name, self.usual = name, usual

    def key(self, name: str) -> str:
        """Return the session key of a widget, or of another value of this page."""
        return key(self.name, name)

    def widget(self, name: str) -> dict[str, Any]:
        """Return arguments of a field's widget: its session key and its limits."""
        return {"key": self.key(name), **self.usual.limits(name)}

    @property
    def view(self) -> V | None:
        """The view of the last run in this session."""
        return st.session_state.get(self.key("value"))

    def open_question(self, first: V | None = None) -> tuple[V, dict[str, Any], list[str]]:
        """Return the question of this run, the view state of its link ({} without one), and notices about the link."""
        question, opening, notices = self.open(first)
        return question, self.view_state(question, opening), notices

    def current(self) -> tuple[V, dict[str, Any]]:
        """Return the question as callbacks have left it, and the view state: for a run of the view alone."""
        question = self.view or self.usual
        return question, self.view_state(question)

    def view_state(self, question: V, opening: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the position of the view; ``opening`` is the position in a link that was just read."""
        return question.placed() | self.opening_of(question, opening)

    def ask_for_page(self) -> None:
        """Run the whole page although ``on_change`` would run the view alone."""
        st.session_state[self.key("asks_for_page")] = True

    def asks_for_page(self) -> bool:
        """Whether ``ask_for_page`` was called since the last call of this method."""
        return bool(st.session_state.pop(self.key("asks_for_page"), False))

    def open(self, first=None):
        """Return (view, opening, notices) of this run: of the link if it was changed from outside, else of the widgets.

        ``first`` replaces the usual view if neither link nor session has another one.
        """
        known, incoming = self.view, incoming_query()
        entered = st.session_state.pop("page_entered", True)
        view, opening = known or first or self.usual, None
        if known and not entered:
            view = known.with_widgets(self._widget_values())
        edited = self._page_query(incoming) != st.session_state.get(self.key("query")) and view == known
        if self._is_for_this_page(incoming, entered) and (known is None or entered or edited):
            view, opening, notices = (
                self.usual.read(incoming, self.usual) if incoming else (first or self.usual, None, [])
            )
            self.on_link_read(view, incoming)
            st.session_state[self.key("noticed")] = self.notice_key(view), notices
            entered = True
        reset = entered or known is None
        self.show(view, view.widgets() if reset else view.changed_widgets(known))
        self.keep(view)
        if reset:
            self.on_entered(view)
        noticed_key, notices = st.session_state.get(self.key("noticed"), (None, []))
        return view, opening, notices if noticed_key == self.notice_key(view) else []

    def notice_key(self, view):
        """Return the part of a view that its notices depend on: they stay until it changes."""
        return view

    def opening_of(self, view, opening):
        """Return the ``opening`` of a link while the view is the one that came with it; else {}."""
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

    def on_link_read(self, view, incoming):
        """Called when a link was read to a view: for its other parameters."""

    def on_entered(self, view):
        """Called when the page was entered or a link was read."""

    def other_params(self, incoming):
        """Return the parameters of the link that the view does not write: by default those of the browser."""
        return {name: incoming[name] for name in self.usual.place_names() if name in incoming}

    def _is_for_this_page(self, incoming, entered):
        """Whether a link belongs to this page.

        On the way to Step, Streamlit adds its parameters to the address of the page that is left, and the back button
        returns to that address.
        """
        if not incoming:
            return self.resets_without_params and self.view is not None and not entered
        return self.view is None or not set(incoming) - {*self.usual.names(), *self.usual.place_names()}

    def _widget_values(self):
        """Return the session values of this page by name, without those of emptied and undrawn widgets."""
        kept = {name: value for name, value in st.session_state.items() if name.startswith(self.key(""))}
        return {name.removeprefix(self.key("")): value for name, value in kept.items() if value is not None}

    def show(self, view, reset):
        """Set the widgets named by ``reset``, and those that have lost their values, from a view."""
        for name, value in (view.first_widgets() | view.widgets()).items():
            if name in reset or self.key(name) not in st.session_state:
                st.session_state[self.key(name)] = value

    def keep(self, view):
        """Keep a view in the session, and write it to the link at once."""
        incoming, query = incoming_query(), view.write()
        st.session_state[self.key("value")], st.session_state[self.key("query")] = view, query
        if incoming != query | self.other_params(incoming):
            st.query_params.from_dict(query | self.other_params(incoming) | shared_params())

    def _page_query(self, incoming):
        """Return a query without the browser's part."""
        return {name: value for name, value in incoming.items() if name not in self.usual.place_names()}
