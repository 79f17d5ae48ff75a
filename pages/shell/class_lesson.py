"""A lesson for the students of a class: shown next to the teacher's view, without the parts that reveal answers."""

ACTS = {"point", "view", "value"}  # spans that control or light up parts of the reader's view, not of students


def lesson_for_class(payload):
    """Return the title of a lesson and the title, text and task of each step, from ``Lesson.payload()``.

    If a task has choices, ``ask`` is a text and ``choices`` are texts; else ``choices`` is None and ``ask`` blocks.
    """
    return {"name": payload["name"], "title": payload["title"], "steps": [_step(step) for step in payload["steps"]]}


def _step(step):
    task = step["task"] or {"ask": [], "choices": None}
    ask, choices = _without_acts(task["ask"]), task["choices"]
    if choices:
        ask, choices = " ".join(map(_words, ask)), [_words(["p", choice]) for choice in choices]
    return {"title": step["title"], "text": _without_acts(step["text"]), "ask": ask, "choices": choices}


def _without_acts(blocks):
    """Return blocks with the spans in ``ACTS`` replaced by their text."""
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
    """Return a block or a span as plain text."""
    if isinstance(block, str):
        return block
    _, content, *_ = block
    return content if isinstance(content, str) else "".join(map(_words, content))
