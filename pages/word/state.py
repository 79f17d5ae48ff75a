"""One session's Step, Compare or Your own example: its view, and the place that the player opens at."""

from dataclasses import replace

import streamlit as st

from pages.word import runs
from pages.word.what_if import EditedPage


class WordPage(EditedPage):
    """One of the three pages in this session; its view is a ``Settings``."""

    resets_without_params = True

    def open(self, first=None):
        """As every page; Compare opens on the word that was last looked at on Step, and back."""
        if asked := st.session_state.pop(self.key("asked"), None):
            self._begin(asked)
        known, subject = self.view, st.session_state.get("subject")
        shared = subject and self.usual.subject.source != "problem"
        view, opening, notices = super().open(replace(self.usual, subject=subject) if shared else first)
        if known and view.subject != known.subject:
            self.on_entered(view)
        if view.subject.source != "problem":
            st.session_state["subject"] = view.subject
        return view, opening, notices

    def view_state(self, view, opening=None):
        """The place that the player opens at: it moves by itself from there, and is not sent where it went."""
        position, node, phase = st.session_state[self.key("opening")]
        return {"position": position, "node": node, "phase": phase}

    def notice_key(self, view):
        """A step changes the view, too."""
        return view.at(1)

    def on_entered(self, view):
        """The player opens where the view stands; it moves by itself from there. What no widget holds is kept."""
        phase = st.session_state.pop(self.key("phase"), None) or view.phase
        st.session_state[self.key("opening")] = view.position, view.node, phase
        st.session_state[self.key(f"kept.{view.subject.source}")] = view.subject.text
        st.session_state[self.key("kept.ink")] = view.subject.ink

    def change_subject(self, **changes):
        """A callback: another text, seed or drawing, shown in the widgets too; edits belong to the old one and go."""
        self.open_view(self.view.of_subject(**changes))

    def change_model(self, name):
        """A callback: the same word at the same place, read by another model."""
        self._begin(replace(self.view, subject=replace(self.view.subject, model=name)))

    def open_view(self, view):
        """A callback: another view of this page, shown in the widgets too, from where it stands."""
        self._begin(view)

    def open_next_run(self, view):
        """As ``open_view``, from a dialog, whose run does not draw the widgets of the page."""
        st.session_state[self.key("asked")] = view

    def on_link_read(self, view, incoming):
        """A link also says how the view is looked at, and which phase it opens at."""
        st.session_state[self.key("looks")] = looks = super().other_params(incoming)
        st.session_state[self.key("phase")] = looks.pop("phase", None)

    def other_params(self, incoming):
        """How the view is looked at: as the browser said last, for its address may be older. The phase is the
        browser's own, and belongs to the position that it stands at.
        """
        looks = st.session_state.get(self.key("looks"), super().other_params(incoming))
        looks = {name: value for name, value in looks.items() if name != "phase"}
        same = incoming.get("pos") == str(self.view.position) and "phase" in incoming
        return looks | ({"phase": incoming["phase"]} if same else {})

    def commit_looks(self, changed):
        """A player's callback: it is looked at in another way; None is the usual one."""
        looks = self.other_params({}) | {name: changed[name] for name in self.view.browser_params if name in changed}
        st.session_state[self.key("looks")] = {name: str(value) for name, value in looks.items() if value is not None}
        self.keep(self.view)

    def number_of(self, shown):
        """The number of a method, by its number among those that the player shows: not those without an output."""
        view = self.view
        if shown is None or len(view.methods) == 1:  # of one method each pass may be shown
            return shown and 1
        finished = runs.all_finished(view.subject, view.methods, view.options, view.edits)
        return runs.runs_with_outputs(finished)[int(shown) - 1]

    def set_budget(self, number, budget):
        """A player's callback: a method with another budget, from the strip of its budgets; others keep theirs."""
        methods = list(self.view.methods)
        methods[number - 1] = replace(methods[number - 1], budget=budget)
        self._begin(replace(self.view, methods=tuple(methods), linked=self.view.linked and len(methods) == 1))
        self.ask_for_page()

    def _begin(self, view):
        self.show(view, view.widgets())
        self.keep(view)
        self.on_entered(view)

    def commit_place(self, position, node):
        """The player has come to rest somewhere: keep it and write it to the link."""
        view = self.view.at(position or self.view.position, node)
        if view != self.view:
            self.keep(view)
