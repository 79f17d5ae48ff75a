"""The trainings that a page has started, as a run of the process's host.

The session knows its name and the link says it, so that a page that is left, or loaded again, finds it. Whoever follows
that link elsewhere watches; the run is steered from the browser that started it (``visitors.py``).
"""

import streamlit as st

from pages.shell.visitors import VISITORS
from rcmviz.jobs.host import this_host


class LinkedRun:
    """The run of one page in this session.

    ``decided(view)`` gives what decides a run: the name of its data, and the settings of its trainings.
    """

    def __init__(self, page, decided):
        self._decided = decided
        self._name, self._view = page.key("run"), page.key("run.view")

    @property
    def name(self):
        """Its name, or None; the host may have forgotten it."""
        return st.session_state.get(self._name)

    def current(self):
        """The run, or None."""
        return this_host().find(self.name)

    def view(self):
        """The view that the run was started with, or None."""
        return st.session_state.get(self._view)

    def has_changed(self, view):
        """Whether a view asks for another run than the one that was started."""
        return self.view() is None or self._decided(self.view()) != self._decided(view)

    def keep(self, name, view):
        """From now on it is the run of that name, started with ``view``."""
        st.session_state[self._name], st.session_state[self._view] = name, view

    def find(self, name, view):
        """Take the run that a link names, where it is what the view asks for and not this session's already."""
        run = this_host().find(name)
        if run is None or run is self.current():
            return
        data, settings = self._decided(view)
        if run.source == data and [job.settings for job in run.jobs] == list(settings):
            self.keep(name, view)

    def show_in_link(self, name, view):
        """Name the run in the link where it is the view's; else what is to be said of ``name``, the link's own."""
        if self.current() is not None and not self.has_changed(view):
            st.query_params["run"] = self.name
            return []
        if not name or this_host().find(name) is not None:
            return []
        st.query_params.pop("run", None)
        return ["the training of this link has ended, or is another server's: `Start` makes the same again"]


VISITORS.farewells.append(lambda visitor: this_host().close_all(visitor))
