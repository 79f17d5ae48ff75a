"""A lesson as those who follow a class read it: beside the teacher's view, without what leads to answers."""

ACTS = {"point", "view"}  # spans that do something to the view of whoever reads them; who follows has no say in that


def lesson_for_class(payload):
    """The title of a lesson, and of each step its title, text and what it asks, from ``Lesson.payload()``.

    Where a task has choices, ``ask`` is a text and ``choices`` are texts; else ``choices`` is None and ``ask`` blocks.
    """
    return {"name": payload["name"], "title": payload["title"], "steps": [_step(step) for step in payload["steps"]]}


def _step(step):
    task = step["task"] or {"ask": [], "choices": None}
    ask, choices = _without_acts(task["ask"]), task["choices"]
    if choices:
        ask, choices = " ".join(map(_words, ask)), [_words(["p", choice]) for choice in choices]
    return {"title": step["title"], "text": _without_acts(step["text"]), "ask": ask, "choices": choices}


def _without_acts(blocks):
    """Blocks without spans that act: of those their words alone are left."""
    many = {"list", "steps"}
    return [[kind, [*map(_spans, content)] if kind in many else _spans(content)] for kind, content in blocks]


def _spans(content):
    return content if isinstance(content, str) else [_span(span) for span in content]


def _span(span):
    if isinstance(span, str):
        return span
    kind, content, *more = span
    return ["value", _words(span)] if kind in ACTS else [kind, _spans(content), *more]


def _words(block):
    """A block or a span as plain text."""
    if isinstance(block, str):
        return block
    _, content, *_ = block
    return content if isinstance(content, str) else "".join(map(_words, content))
