"""A page whose whole view is one frozen value: kept in the session, shown in its widgets, written to the link.

The link wins where it was changed from outside (opened, edited, back button), else the widgets win, as on the pages of
``state.py``. Where the view stands is the browser's own business: it writes that part of the link by itself.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import streamlit as st

from pages.word.state import key


@dataclass(frozen=True)
class Linked:
    """``usual`` the value to begin with · ``widgets`` fields that a widget of the same name shows · ``read(query)``
    gives (value, opening, notices), ``write(value)`` the query · ``parameters`` of the value, ``place`` those that the
    browser writes · ``follow(before, value)`` the value after a change by widgets that changes more than they show.
    """

    page: str
    usual: object
    widgets: tuple
    read: Callable
    write: Callable
    parameters: tuple
    place: tuple
    follow: Callable = lambda before, value: value

    def open(self):
        """(Value, opening, notices) of this run: of the link where it was changed from outside, else of the widgets."""
        known, incoming = self.known, st.query_params.to_dict()
        entered = st.session_state.pop("page_entered", True)
        value = known or self.usual
        if known and not entered:
            value = self.follow(known, self._from_widgets(known))
        elsewhere = self._of_value(incoming) != st.session_state.get(key(self.page, "query"))
        # On the way to Step, Streamlit writes its parameters behind this page's name first: "back" comes past them.
        foreign = known is not None and set(incoming) - {*self.parameters, *self.place}
        opening, notices = None, []
        if incoming and not foreign and (known is None or entered or (elsewhere and value == known)):
            value, opening, notices = self.read(incoming)
            entered = True
        # Widgets of a tab that was left forget what they show, though the session knows it: they must be told again.
        other_tab = getattr(value, "tab", None) != getattr(known, "tab", None)
        self._show(value, anew=entered or known is None or other_tab)
        self._keep(value, incoming)
        return value, opening, notices

    def opening_of(self, value, opening):
        """The ``opening`` that a link came with, as long as the value stays the one that it was for; else {}."""
        name = key(self.page, "opening")
        if opening is not None or st.session_state.get(name, (None, None))[0] != value:
            st.session_state[name] = value, opening
        return st.session_state[name][1] or {}

    @property
    def known(self):
        """The value of the last run in this session, or None."""
        return st.session_state.get(key(self.page, "value"))

    def change(self, **changes):
        """A callback's change; widgets and link follow in the run that comes."""
        value = replace(self.known or self.usual, **changes)
        self._show(value, anew=True)
        st.session_state[key(self.page, "value")] = value

    def put(self, **changes):
        """Change what no widget shows, at any time; the link follows in the run that comes."""
        st.session_state[key(self.page, "value")] = replace(self.known or self.usual, **changes)

    def _show(self, value, anew):
        """Let the widgets show a value; those that were not drawn in the last run have forgotten theirs in any case."""
        for name in self.widgets:
            if anew or key(self.page, name) not in st.session_state:
                shown = getattr(value, name)
                st.session_state[key(self.page, name)] = list(shown) if isinstance(shown, tuple) else shown

    def _from_widgets(self, known):
        shown = {name: st.session_state.get(key(self.page, name)) for name in self.widgets}
        shown = {name: tuple(value) if isinstance(value, list) else value for name, value in shown.items()}
        return replace(known, **{name: value for name, value in shown.items() if value is not None})

    def _keep(self, value, incoming):
        """In the session, and in the link, where the browser's own part stays as it came."""
        query = self.write(value)
        st.session_state[key(self.page, "value")], st.session_state[key(self.page, "query")] = value, query
        if self._of_value(incoming) != query or set(incoming) - set(query) - set(self.place):
            st.query_params.from_dict(query | {name: incoming[name] for name in self.place if name in incoming})

    def _of_value(self, query):
        return {name: value for name, value in query.items() if name not in self.place}
