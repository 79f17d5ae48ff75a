"""The Learn page in one session, and the run that it has started."""

from pages.learn.question import LearnQuestion
from pages.shell.linked_run import LinkedRun
from pages.shell.state import PageState


class LearnState(PageState[LearnQuestion]):
    """The state of Learn: its address without parameters asks for the recorded run again."""

    bare = True


RUN = LinkedRun(LearnState("learn", LearnQuestion()), lambda asked: (str(asked.source), asked.trainings))
current_run, current_plan = RUN.current, RUN.view
