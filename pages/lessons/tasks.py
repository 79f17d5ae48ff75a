"""Tasks of lessons, compiled with what the engine says of their views, and judged where the browser cannot."""

from pages.lessons.facts import fact_of, facts_of, value_of
from pages.lessons.opening import open_view
from rcmviz.lessons import View
from rcmviz.lessons.tasks import as_text, option_texts, right_choices, sign_choice, verdict


def condition_of(lesson, part):
    """The condition of the task of a step, ``part`` from 1, as JSON; None where it has no task. Where a fact cannot be
    had, as in a lesson that nobody has checked, nothing fulfils it, and it says why.
    """
    step = lesson.steps[part - 1]
    try:
        return None if step.task is None else compiled(step.task, step.view)
    except ValueError as error:
        return {"choice": [], "wrong": str(error)}


def compiled(task, view):
    """The condition of a task in a view; ValueError says why a fact cannot be had."""
    wrong = as_text(task.wrong)
    if task.kind == "predict":
        asked = {"kind": task.fields["of"], "run": task.fields["run"], "position": task.fields["at"]}
        quiz = {name: value for name, value in asked.items() if value is not None}
        return {"quiz": quiz, "least": task.fields["need"], "wrong": wrong}
    if task.kind == "sign":
        (asked,) = task.fields["of"].facts
        return {"choice": sign_choice(*signed(view, asked, task.fields["change"])), "wrong": wrong}
    if task.kind == "choose":
        return {"choice": right_choices(option_texts(task), value_of(view, task.fields["answer"])), "wrong": wrong}
    opened = open_view(view)
    until = task.fields["until"]
    return {
        "until": until.tree,
        "settings": list(opened.settings),
        "defaults": opened.defaults,
        "known": [known_of(view, task)],
        "wrong": wrong,
    }


def signed(view, asked, change):
    """A fact of a view, and after the change."""
    return fact_of(view, asked), fact_of(view.changed(change), asked)


def known_of(view, task):
    """The facts that a task needs of a view, with the settings that they are known for."""
    return {"when": open_view(view).when, "facts": facts_of(view, task.facts)}


def check_task(lesson, part, state):
    """(Done, what is said of a failure) of a task on the state of a view: what the browser could not decide.

    ``state`` is a dict: ``page``, ``query`` the whole link, ``choice``, ``prediction``. A view of another page, or one
    of which the engine cannot say what the task needs, is none in which it is done.
    """
    step = lesson.steps[part - 1]
    return judged(step.task, step.view, state)


def judged(task, view, state):
    """The same of a task in the view of its step."""
    condition = compiled(task, view)
    if "until" in condition:
        if state["page"] != view.page:
            return False, f"This task is about the page {view.page}."
        try:
            condition, state = _of_live_view(task, condition, state)
        except ValueError as error:
            return False, str(error)
    return verdict(condition, state)


def _of_live_view(task, condition, state):
    """(Condition, state) with what is known of the view as it is, whose link need not be as its page would write it and
    may have settings that the step's view has not.
    """
    live = View(state["page"], state["query"])
    opened, known = open_view(live), known_of(live, task)
    places = {name: text for name, text in live.query.items() if name not in opened.settings}
    judge = {"settings": list(opened.settings), "defaults": opened.defaults, "known": [known]}
    return condition | judge, state | {"query": places | known["when"]}
