"""One session's Step, Compare or Your own example: its view, and the place that the player opens at."""

from dataclasses import replace

import streamlit as st

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

    def began(self, view):
        """The player opens where the view stands; it moves by itself from there."""
        st.session_state[self.key("opening")] = view.position, view.node

    @property
    def opening(self):
        """The position and node that the player opens at."""
        return st.session_state[self.key("opening")]

    def change_subject(self, **changes):
        """A callback: another text, seed or drawing, shown in the widgets too; edits belong to the old one and go."""
        view = self.view.of_subject(**changes)
        st.session_state[self.key(f"kept.{view.subject.source}")] = view.subject.text
        self._begin(view)

    def change_model(self, name):
        """A callback: the same word at the same place, read by another model."""
        self._begin(replace(self.view, subject=replace(self.view.subject, model=name)))

    def _begin(self, view):
        self.show(view, view.widgets())
        self.keep(view)
        self.began(view)

    def commit_place(self, position, node):
        """The player has come to rest somewhere: keep it and write it to the link."""
        view = self.view.at(position or self.view.position, node)
        if view != self.view:
            self.keep(view)
