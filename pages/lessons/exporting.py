"""A lesson as one file that works offline: its views are drawn, its tasks judged with facts that are computed here."""

from pages.lessons.drawing import drawn
from pages.lessons.opening import open_view
from pages.lessons.tasks import compiled, known_of
from rcmviz.views.lesson.export import lesson_html


def export_lesson(lesson):
    """The HTML text of a lesson; ValueError where a step's view cannot be opened."""
    told = lesson.payload()
    for step, sent in zip(lesson.steps, told["steps"], strict=True):
        if step.task:
            sent["task"]["condition"] = _condition(step.task, step.view)
    return lesson_html(told, *_shown(_views(lesson)))


def _condition(task, view):
    """A condition with the facts of every view that the file offers; one without what the task needs is left out."""
    condition = compiled(task, view)
    if "until" not in condition:
        return condition
    for other in [task.solution, *(offered for _, offered in task.offline)]:
        try:
            known = other and known_of(other, task)
        except ValueError:
            continue
        if known and known not in condition["known"]:
            condition["known"].append(known)
    return condition


def _views(lesson):
    """Every view that the file may be asked for."""
    for step in lesson.steps:
        yield step.view
        yield from (view for text in step.texts for view, _ in text.views)
        if step.task:
            yield from filter(None, [step.task.solution, *(view for _, view in step.task.offline)])
            if "change" in step.task.fields:
                yield step.view.changed(step.task.fields["change"])


def _shown(views):
    """(What is drawn, links): a link is a page and a query as the lesson writes it, its settings and where it
    ``begins`` as the page would, the number of what draws it, None where that needs the application, and its place in
    the payload.
    """
    pictures, numbers, links, known = [], {}, [], set()
    for view in views:
        key = (view.page, tuple(sorted(view.query.items())))
        if key in known:
            continue
        known.add(key)
        opened = open_view(view)
        settings = (view.page, tuple(sorted(opened.when.items())))
        picture = drawn(opened)
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
    """The parameters of a link that are settings, or those that say where its view stands."""
    return {name: text for name, text in opened.query.items() if (name in opened.settings) is of_settings}
