"""One session's Learn page: its plan, in the widgets and in the link, and the run that it has started.

The run lives in the host of the process; the session and the link know its name, so a page that is left, or loaded
again, finds it.
"""

from dataclasses import replace

import streamlit as st

from pages.learn.data import load_data
from pages.learn.link import LearnPlan
from pages.shared.linked_page import Page, key
from rcmviz.jobs.host import this_host

RUN, OWNED = key("learn", "run"), key("learn", "lesson")


class LearnPage(Page):
    """The Learn page of this session."""

    bare = True

    def arrived(self, view, incoming):
        """A link may name a run that this tab has lost."""
        name = incoming.get("run")
        run = this_host().find(name)
        same = run is not None and run.source == str(view.source)
        if same and [job.settings for job in run.jobs] == list(view.trainings):
            st.session_state[RUN], st.session_state[OWNED] = name, view

    def beside(self, incoming):
        """The run of this session."""
        return {"run": st.session_state[RUN]} if st.session_state.get(RUN) else {}


PAGE = LearnPage("learn", LearnPlan())


def current_run():
    """The run of this session, or None."""
    return this_host().find(st.session_state.get(RUN))


def current_plan():
    """The plan that the run of this session was started with, or None."""
    return st.session_state.get(OWNED)


def start(plan):
    """A new run of the plan, paused, in place of the one before; ValueError says why not."""
    data = load_data(plan.source)
    run = this_host().open(
        str(plan.source), data.train, plan.trainings, data.held_out,
        replaces=st.session_state.get(RUN), info=data.info,
    )  # fmt: skip
    st.session_state[RUN], st.session_state[OWNED] = run.name, plan
    PAGE.keep(replace(plan, step=None))
    return run


def has_changed(plan):
    """Whether the settings are other ones than those of the run."""
    owned = current_plan()
    return owned is None or (owned.source, owned.trainings) != (plan.source, plan.trainings)
