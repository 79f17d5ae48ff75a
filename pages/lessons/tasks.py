"""Tasks of lessons: conditions with facts of their views, and verdicts that the browser cannot give."""

from pages.lessons.facts import fact_of, facts_of, value_of
from pages.lessons.opening import open_view
from rcmviz.lessons import View
from rcmviz.lessons.tasks import as_text, option_texts, right_choices, sign_choice, verdict


def condition_of(lesson, part):
    """Return the condition of the task of step ``part``, from 1, as JSON; None if it has no task.

    If a fact is missing, as in an unchecked lesson, nothing fulfils the condition, and it has the reason.
    """
    step = lesson.steps[part - 1]
    try:
        return None if step.task is None else compile_condition(step.task, step.view)
    except ValueError as error:
        return {"choice": [], "wrong": str(error)}


def compile_condition(task, view):
    """Return the condition of a task in a view; ValueError says why a fact is missing."""
    wrong = as_text(task.wrong)
    if task.kind == "predict":
        selection = {"kind": task.fields["of"], "run": task.fields["run"], "position": task.fields["at"]}
        quiz = {name: value for name, value in selection.items() if value is not None}
        return {"quiz": quiz, "least": task.fields["need"], "wrong": wrong}
    if task.kind == "sign":
        (fact,) = task.fields["of"].facts
        return {"choice": sign_choice(*values_around(view, fact, task.fields["change"])), "wrong": wrong}
    if task.kind == "choose":
        return {"choice": right_choices(option_texts(task), value_of(view, task.fields["answer"])), "wrong": wrong}
    opened = open_view(view)
    until = task.fields["until"]
    return {
        "until": until.tree,
        "settings": list(opened.settings),
        "defaults": opened.defaults,
        "known": [known_facts(view, task)],
        "wrong": wrong,
    }


def values_around(view, fact, change):
    """Return a fact of a view before and after the change."""
    return fact_of(view, fact), fact_of(view.changed(change), fact)


def known_facts(view, task):
    """Return the facts that a task needs of a view, with the settings that they are known for."""
    return {"when": open_view(view).when, "facts": facts_of(view, task.facts)}


def check_task(lesson, part, state):
    """Return (done, message about a failure) of a task on the state of a view, if the browser cannot decide it.

    ``state`` is a dict: ``page``, ``query`` the whole link, ``choice``, ``prediction``. A task is not done on another
    page, or in a view without the needed facts.
    """
    step = lesson.steps[part - 1]
    return judge(step.task, step.view, state)


def judge(task, view, state):
    """Return (done, message about a failure) of a task in the view of its step."""
    condition = compile_condition(task, view)
    if "until" in condition:
        if state["page"] != view.page:
            return False, f"This task belongs to the page {view.page}."
        try:
            condition, state = _of_live_view(task, condition, state)
        except ValueError as error:
            return False, str(error)
    return verdict(condition, state)


def _of_live_view(task, condition, state):
    """Return (condition, state) with the facts of the present view.

    Its link may differ in form from the page's own, and may have settings that the step's view has not.
    """
    live = View(state["page"], state["query"])
    opened, known = open_view(live), known_facts(live, task)
    places = {name: text for name, text in live.query.items() if name not in opened.settings}
    judge = {"settings": list(opened.settings), "defaults": opened.defaults, "known": [known]}
    return condition | judge, state | {"query": places | known["when"]}
