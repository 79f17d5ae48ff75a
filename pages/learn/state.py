"""One session's Learn page: its plan, in the widgets and in the link, and the run that it has started.

The run lives in the host of the process; the session and the link know its name, so a page that is left, or loaded
again, finds it.
"""

from dataclasses import replace

from pages.learn.data import load_data
from pages.learn.link import LearnPlan
from pages.shared.linked_run import LinkedRun
from pages.shared.visitors import visitor
from pages.shell.state import PageState
from rcmviz.jobs.host import this_host


class LearnPage(PageState):
    """The Learn page of this session."""

    bare = True

    def arrived(self, view, incoming):
        """A link may name a run that this tab has lost."""
        RUN.find(incoming.get("run"), view)

    def beside(self, incoming):
        """The run of this session."""
        return {"run": RUN.name} if RUN.name else {}


PAGE = LearnPage("learn", LearnPlan())
RUN = LinkedRun(PAGE, lambda plan: (str(plan.source), plan.trainings))
current_run, current_plan, has_changed = RUN.current, RUN.view, RUN.has_changed


def start(plan):
    """A new run of the plan, paused, in place of the one before; ValueError says why not."""
    data = load_data(plan.source)
    run = this_host().open(
        str(plan.source), data.train, plan.trainings, data.held_out, replaces=RUN.name, owner=visitor(), info=data.info
    )
    RUN.keep(run.name, plan)
    PAGE.keep(replace(plan, step=None))
    return run
