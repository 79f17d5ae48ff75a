"""One session's view of a page: kept in the session, shown in its widgets, written to its link.

The link wins where it was changed from outside (opened, edited, back button), else the widgets win. A rerun can arrive
with a link that is older than the last click; then some widget has changed, and that tells the two cases apart. Where
the view stands is the browser's own business: it writes that part of the link, the ``place``, by itself.
"""

from dataclasses import replace

import streamlit as st

from pages.shared.link import EVERYWHERE


def key(page, name):
    """The session key of a widget."""
    return f"{page}.{name}"


def incoming_query():
    """The present link, as far as it is the page's."""
    return {name: value for name, value in st.query_params.to_dict().items() if name not in EVERYWHERE}


def beside_all_pages():
    """What stands in the link of every page, as it came."""
    return {name: st.query_params[name] for name in EVERYWHERE if name in st.query_params}


class Page:
    """The view of one page in this session; ``usual`` is the Link to begin with."""

    bare = False  # whether an address without parameters asks for the usual view again

    def __init__(self, name, usual):
        self.name, self.usual = name, usual

    def key(self, name):
        """The session key of a widget, or of what else this page keeps."""
        return key(self.name, name)

    def widget(self, name):
        """The session key of a field's widget, and what it may show."""
        return {"key": self.key(name), **self.usual.parameters()[name].limits}

    @property
    def view(self):
        """The view of the last run in this session, or None."""
        return st.session_state.get(self.key("value"))

    def open(self, first=None):
        """(View, opening, notices) of this run: of the link where it was changed from outside, else of the widgets.

        ``first`` is shown in place of the usual view where neither link nor session knows better.
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
        """What of a view its notices are about: they stand until that is another, for a page also runs by itself."""
        return view

    def opening_of(self, view, opening):
        """The ``opening`` that a link came with, as long as the view stays the one that it was for; else {}."""
        name = self.key("opening")
        if opening is not None or st.session_state.get(name, (None, None))[0] != view:
            st.session_state[name] = view, opening
        return st.session_state[name][1] or {}

    def change(self, **changes):
        """A callback's change, which the widgets show too."""
        view = replace(self.view or self.usual, **changes)
        self.show(view, view.widgets())
        st.session_state[self.key("value")] = view

    def put(self, **changes):
        """Change what no widget shows, at any time."""
        self.keep(replace(self.view or self.usual, **changes))

    def arrived(self, view, incoming):
        """A link was read to a view: what else it asks for."""

    def began(self, view):
        """The page was entered, or a link read: the view is shown anew."""

    def beside(self, incoming):
        """The part of the link that the view does not say: by default that of the browser, as it came."""
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
        """All that this page keeps, by name; a widget that was emptied, or not drawn in the last run, shows nothing."""
        kept = {name: value for name, value in st.session_state.items() if name.startswith(self.key(""))}
        return {name.removeprefix(self.key("")): value for name, value in kept.items() if value is not None}

    def show(self, view, anew):
        """Let the widgets show a view, those named by ``anew`` and those that have forgotten what they showed."""
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
