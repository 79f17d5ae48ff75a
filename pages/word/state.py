"""One session's Step, Compare or Your own example: its view, and the place that the player opens at."""

from dataclasses import replace

import streamlit as st

from pages.shared.methods import MOST_RUNS
from pages.shared.rerun import rerun
from pages.word import runs
from pages.word.edits import holding, only
from pages.word.what_if import EditedPage


class WordPage(EditedPage):
    """One of the three pages in this session; its view is a ``Settings``."""

    bare = True

    def open(self):
        """(Settings, notices) of this run; Compare opens on the word that was last looked at on Step, and back."""
        known, subject = self.view, st.session_state.get("subject")
        shared = subject and self.usual.subject.source != "problem"
        view, _, notices = super().open(replace(self.usual, subject=subject) if shared else None)
        if known and view.subject != known.subject:
            self.began(view)
        if view.subject.source != "problem":
            st.session_state["subject"] = view.subject
        return view, notices

    def noted(self, view):
        """A step changes the view, too."""
        return view.at(1)

    def began(self, view):
        """The player opens where the view stands; it moves by itself from there. What no widget holds is kept."""
        st.session_state[self.key("opening")] = view.position, view.node
        st.session_state[self.key(f"kept.{view.subject.source}")] = view.subject.text
        st.session_state[self.key("kept.ink")] = view.subject.ink

    @property
    def opening(self):
        """The position and node that the player opens at."""
        return st.session_state[self.key("opening")]

    def change_subject(self, **changes):
        """A callback: another text, seed or drawing, shown in the widgets too; edits belong to the old one and go."""
        self.open_view(self.view.of_subject(**changes))

    def change_model(self, name):
        """A callback: the same word at the same place, read by another model."""
        self._begin(replace(self.view, subject=replace(self.view.subject, model=name)))

    def open_view(self, view):
        """A callback: another view of this page, shown in the widgets too, from where it stands."""
        self._begin(view)

    def arrived(self, view, incoming):
        """A link also says how the view is looked at."""
        st.session_state[self.key("looks")] = super().beside(incoming)

    def beside(self, incoming):
        """How the view is looked at: as the browser said last, for its address may be older."""
        return st.session_state.get(self.key("looks"), super().beside(incoming))

    def commit_looks(self, changed):
        """A player's callback: it is looked at in another way; None is the usual one."""
        looks = self.beside({}) | {name: changed[name] for name in self.view.beside if name in changed}
        st.session_state[self.key("looks")] = {name: str(value) for name, value in looks.items() if value is not None}
        self.keep(self.view)

    def number_of(self, shown):
        """The number of a method, by its number among those that the player shows: not those without an output."""
        return None if shown is None else runs.with_outputs(self.view)[int(shown) - 1]

    def set_beside(self, number):
        """A player's callback: one method before and after its what-if edits, next to the others."""
        view = beside(self.view, number)
        if self.view.compares:
            self._begin(view)
        st.session_state[self.key("leaving")] = view

    def drop_method(self, number):
        """A player's callback: one method less, such as the one before the what-if edits."""
        if len(self.view.methods) > 1:
            self._begin(without(self.view, number))
            st.session_state[self.key("anew")] = True

    def set_budget(self, number, budget):
        """A player's callback: a method with another budget, from the strip of its budgets; others keep theirs."""
        methods = list(self.view.methods)
        methods[number - 1] = replace(methods[number - 1], budget=budget)
        self._begin(replace(self.view, methods=tuple(methods), linked=self.view.linked and len(methods) == 1))
        st.session_state[self.key("anew")] = True

    def leave(self):
        """Show what ``set_beside`` or ``set_budget`` asked for: all of this page anew, or Compare."""
        if st.session_state.pop(self.key("anew"), False):
            rerun()
        view = st.session_state.pop(self.key("leaving"), None)
        if view is None:
            return
        if self.view.compares:
            rerun()
        st.switch_page(st.session_state["pages"]["compare"], query_params=view.write() | self.beside({}))

    def _begin(self, view):
        self.show(view, view.widgets())
        self.keep(view)
        self.began(view)

    def commit_place(self, position, node):
        """The player has come to rest somewhere: keep it and write it to the link."""
        view = self.view.at(position or self.view.position, node)
        if view != self.view:
            self.keep(view)


def beside(view, number):
    """A view of one of its methods, without its what-if edits and with them, and then of the others, as many as fit."""
    others = [other for other in range(1, len(view.methods) + 1) if other != number][: MOST_RUNS - 2]
    method = view.methods[number - 1]
    places = [*((other, place) for place, other in enumerate(others, 3)), (number, 2)]
    edits = tuple(replace(edit, of=place) for other, place in places for edit in holding(view.edits, other))
    methods = (method, method, *(view.methods[other - 1] for other in others))
    return replace(view, methods=methods, edits=edits, compares=True)


def without(view, number):
    """A view without one of its methods, given by its number."""
    return only(view, [other for other in range(1, len(view.methods) + 1) if other != number])
