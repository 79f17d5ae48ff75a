"""The check of a lesson against the engine: its links, numbers, targets, tasks and their solutions."""

from dataclasses import dataclass

from pages.lessons.facts import value_of
from pages.lessons.opening import open_view
from pages.lessons.step_figures import figure_of
from pages.lessons.targets import why_missing
from pages.lessons.tasks import compile_condition, judge, values_around
from pages.shell.answers import payload_of
from pages.shell.facts import quizzes
from pages.shell.registry import page_named
from rcmviz.lessons.numbers import shows, value_text
from rcmviz.lessons.points import OF_VIEWS, split_target

LONGEST_SENTENCE = 25  # words
CHECKED = (*OF_VIEWS, "context", "candidate")  # targets whose names the engine knows


@dataclass(frozen=True, order=True)
class Remark:
    """An error, or a suggestion, at a ``line`` of the file."""

    line: int
    text: str
    is_error: bool = True


def check_lesson(lesson):
    """Return all remarks on a lesson, in the order of its lines; none if every number and every task is right."""
    found = []
    for step in lesson.steps:
        found += _check_step(step)
    found += [remark for step in lesson.steps for text in step.texts for remark in _long_sentences(text)]
    return sorted({*found, *_long_sentences(lesson.about)})


def _check_step(step):
    """Return the errors of a step; only those of its view if it cannot be opened."""
    line = step.lines.get("view", step.line)
    wrong = _check_view(step.view, line)
    if wrong:
        return wrong
    links = [pair for text in step.texts for pair in text.views]
    wrong += [remark for view, number in links for remark in _check_view(view, number)]
    wrong += [remark for text in step.texts for value in text.values for remark in _check_value(step.view, value)]
    wrong += [remark for target in _targets(step) for remark in _check_target(*target)]
    wrong += _check_figure(step) if step.figure else []
    return wrong + (_check_task(step) if step.task else [])


def _check_figure(step):
    try:
        figure_of(step.view, step.figure)
    except ValueError as error:
        return [Remark(step.lines["figure"], str(error))]
    return []


def _targets(step):
    """Yield (view, target, line) of all targets of a step; texts about a solved task refer to its solution."""
    line, task = step.lines.get("point", step.line), step.task
    yield from ((step.view, target, line) for target in step.points)
    for text in step.texts:
        solved = task and task.solution and text is task.right
        yield from ((task.solution if solved else step.view, *pair) for pair in text.targets)


def _check_view(view, line):
    """Return the errors of a link on its page."""
    try:
        notices = open_view(view).notices
    except ValueError as error:
        return [Remark(line, str(error))]
    return [Remark(line, notice) for notice in notices]


def _check_value(view, value):
    try:
        actual = value_of(view, value.expression)
    except ValueError as error:
        return [Remark(value.line, f"{{{value.shown}: {value.expression.text}}}: {error}")]
    if shows(value.shown, actual):
        return []
    return [
        Remark(value.line, f"the text says {value.shown}, the engine {value_text(actual)} ({value.expression.text})")
    ]


def _check_target(view, target, line):
    """Return an error if the view has no target of that name at its position."""
    kind, name, of = split_target(target)
    if kind not in CHECKED:
        return []
    reason = why_missing(open_view(view), kind, name, of)
    return [] if reason is None else [Remark(line, f"{target!r}: {reason}")]


def _check_task(step):
    task, view = step.task, step.view
    try:
        condition = compile_condition(task, view)
        if task.kind == "sign":
            values_around(view, task.fields["of"].facts[0], task.fields["change"])
    except ValueError as error:
        return [Remark(task.line, str(error))]
    return [
        *_check_condition(task, condition),
        *_check_quiz(task, view),
        *_check_solution(task, view),
        *_check_offline(task),
    ]


def _check_condition(task, condition):
    """Return an error if not exactly one option is right."""
    if "choice" in condition and len(condition["choice"]) != 1:
        line = task.lines.get("options", task.line)
        return [Remark(line, f"{len(condition['choice'])} options are right; exactly one must be")]
    return []


def _check_quiz(task, view):
    """Return an error if the view cannot ask for this prediction."""
    if task.kind != "predict":
        return []
    line = task.lines.get("at", task.line)
    why_not = quizzes().get(view.page)
    if why_not is None:
        return [Remark(line, f"the page {view.page} has no quiz: predict on {', '.join(quizzes())}")]
    try:
        payload = payload_of(page_named(view.page), open_view(view).view)
        reason = why_not(payload, task.fields["at"], task.fields["run"])
    except ValueError as error:
        reason = str(error)
    return [] if reason is None else [Remark(line, reason)]


def _check_solution(task, view):
    if task.kind != "until":
        return []
    line = task.lines["until"]
    wrong = []
    if judge(task, view, _state(view))[0]:
        wrong.append(Remark(line, "the task is already done when the step opens: begin elsewhere, or ask for more"))
    if task.solution is None:
        wrong.append(Remark(line, "add a solution: a view in which the task is done", False))
        return wrong
    wrong += _check_view(task.solution, task.lines["solution"])
    done, message = judge(task, view, _state(task.solution))
    if not done:
        wrong.append(Remark(task.lines["solution"], f"this does not solve the task. {message}".strip()))
    return wrong


def _check_offline(task):
    return [remark for _, view in task.offline for remark in _check_view(view, task.lines["offline"])]


def _state(view):
    opened = open_view(view)
    return {"page": view.page, "query": opened.defaults | opened.query, "choice": None, "prediction": None}


def _long_sentences(text):
    for sentence, line in text.sentences:
        count = len([word for word in sentence.split() if any(sign.isalnum() for sign in word)])
        if count > LONGEST_SENTENCE:
            start = " ".join(sentence.split()[:5])
            yield Remark(line, f"{count} words in a sentence; use at most {LONGEST_SENTENCE}: {start} …", False)
