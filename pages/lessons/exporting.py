"""A lesson as one file that works offline, with drawn views and precomputed facts for its tasks."""

from pages.lessons.drawing import draw_link
from pages.lessons.opening import open_view
from pages.lessons.step_figures import with_figures
from pages.lessons.tasks import compile_condition, known_facts
from rcmviz.views.lesson.export import lesson_html


def export_lesson(lesson, presents=False):
    """Return the HTML text of a lesson, which opens as a talk if it ``presents``.

    ValueError if the view of a step cannot be opened.
    """
    payload = with_figures(lesson)
    for step, sent in zip(lesson.steps, payload["steps"], strict=True):
        if step.task:
            sent["task"]["condition"] = _condition(step.task, step.view)
    return lesson_html(payload, *_drawings_and_links(_views(lesson)), presents)


def _condition(task, view):
    """Return a condition with the facts of every view of the file; views without the needed facts are left out."""
    condition = compile_condition(task, view)
    if "until" not in condition:
        return condition
    for other in [task.solution, *(offered for _, offered in task.offline)]:
        try:
            known = other and known_facts(other, task)
        except ValueError:
            continue
        if known and known not in condition["known"]:
            condition["known"].append(known)
    return condition


def _views(lesson):
    """Yield every view that the file can show."""
    for step in lesson.steps:
        yield step.view
        yield from (view for text in step.texts for view, _ in text.views)
        if step.task:
            yield from filter(None, [step.task.solution, *(view for _, view in step.task.offline)])
            if "change" in step.task.fields:
                yield step.view.changed(step.task.fields["change"])


def _drawings_and_links(views):
    """Return (drawings, links).

    A link has its page and query as the lesson writes them, its ``settings`` and the position ``begins`` as the page
    writes them, the number of its drawing (None if it needs the application), and its ``place`` in the payload.
    """
    pictures, numbers, links, known = [], {}, [], set()
    for view in views:
        key = (view.page, tuple(sorted(view.query.items())))
        if key in known:
            continue
        known.add(key)
        opened = open_view(view)
        settings = (view.page, tuple(sorted(opened.when.items())))
        picture = draw_link(opened)
        if picture and settings not in numbers:
            numbers[settings] = len(pictures)
            pictures.append({"view": picture.view, "payload": picture.payload})
        links.append(
            {
                "page": view.page,
                "query": view.query,
                "settings": _part(opened, True),
                "begins": _part(opened, False),
                "shown": numbers[settings] if picture else None,
                "place": picture.place if picture else {},
            }
        )
    return pictures, links


def _part(opened, of_settings):
    """Return the parameters of a link that are settings, or those of the position."""
    return {name: text for name, text in opened.query.items() if (name in opened.settings) is of_settings}
