"""Tasks of lessons: read from their fields, compiled to a small JSON condition, and judged.

A condition is decided on the live link of a view: in the browser (``views/lesson/condition.js``) or here, alike. What
only the engine can say of a view is in its table ``known``; a view that is not in it gives the answer None.
"""

from __future__ import annotations

from typing import Any

from rcmviz.lessons.expressions import Expression, as_value, evaluate, parse_expression, same, truth
from rcmviz.lessons.lesson import KINDS, Task, Text
from rcmviz.lessons.links import View, parse_query
from rcmviz.lessons.markup import plain_text
from rcmviz.lessons.numbers import read_number

SAID = ("hint", "right", "wrong")
COMMON = ("ask", *SAID, "solution", "offline")
OF_KIND = {
    "until": ("until",),
    "choose": ("options", "answer"),
    "sign": ("of", "change"),
    "predict": ("of", "at", "run", "need"),
}
OPTIONAL = ("at", "run", "need")
PREDICTED = ("kept", "mass", "both")
USUAL_NEED = 60  # per cent of a prediction that must be right
MOST_OPTIONS = 9  # digits choose


def parse_task(lines, view: View, reader) -> Task:
    """The task between its fences, of a step with this view; ``reader`` reads fields and refuses."""
    number, fence = lines[0]
    kind = fence.removeprefix("```task").strip()
    if kind not in KINDS:
        reader.fail(number, f"```task {kind}: name its kind, one of {', '.join(KINDS)}")
    own = OF_KIND[kind]
    needed = ("ask", *(name for name in own if name not in OPTIONAL))
    fields = reader.fields(lines[1:-1], COMMON + own, needed) if lines[1:-1] else reader.fail(number, "ask: is missing")
    read = {"until": _until, "choose": _choose, "sign": _sign, "predict": _predict}[kind]
    solution = reader.take(fields, "solution", parse_query)
    offline = _offline(fields, solution, reader)
    return Task(
        kind,
        reader.text(fields, "ask"),
        *(reader.text(fields, name) for name in SAID),
        read(fields, reader),
        solution and view.changed(solution),
        tuple((_query_text(query), view.changed(query)) for query in offline),
        {"task": number} | {name: line for name, (line, _) in fields.items()},
    )


def _until(fields, reader):
    return {"until": reader.take(fields, "until", parse_expression)}


def _choose(fields, reader):
    line, text = fields["options"]
    options = [part.strip() for part in text.split("|")]
    if not 2 <= len(options) <= MOST_OPTIONS or not all(options):
        reader.fail(line, f"options: give 2 to {MOST_OPTIONS}, with | between them")
    return {
        "options": tuple(reader.markup.read([(line, option)]) for option in options),
        "answer": _without_link(fields, "answer", reader),
    }


def _sign(fields, reader):
    of, change = _without_link(fields, "of", reader), reader.take(fields, "change", parse_query)
    if len(of.facts) != 1 or of.tree != ["fact", str(of.facts[0])] or not change:
        reader.fail(fields["of"][0], "a task of kind sign needs one fact, of: rcms.log_z, and change: edits=f3:=a")
    return {"of": of, "change": change}


def _without_link(fields, name, reader) -> Expression:
    """An expression of the step's view: independent of the reader's position."""
    expression = reader.take(fields, name, parse_expression)
    if expression.names:
        names = ", ".join(expression.names)
        reader.fail(fields[name][0], f"{names}: a name without a dot is a parameter of the live link; write facts here")
    return expression


def _predict(fields, reader):
    def whole(name, low, high, default=None):
        line, text = fields.get(name, (0, None))
        if text is None:
            return default
        if not text.isdecimal() or len(text) > 6 or not low <= int(text) <= high:
            reader.fail(line, f"{name}: {text!r}: a whole number from {low} to {high:,}")
        return int(text)

    line, of = fields["of"]
    if of not in PREDICTED:
        reader.fail(line, f"of: {of!r}: one of {', '.join(PREDICTED)}")
    run = whole("run", 1, 3)
    need = whole("need", 0, 100, USUAL_NEED) / 100
    return {"of": of, "at": whole("at", 1, 2_000), "run": None if run is None else run - 1, "need": need}


def _offline(fields, solution, reader):
    """The changes of a link that a file offers, the solution among them, in an order that does not tell it."""
    if "offline" not in fields:
        return []
    line, text = fields["offline"]
    parts = text.split("|")
    offered = [reader.take({"offline": (line, part.strip())}, "offline", parse_query) for part in parts]
    if not all(offered):
        reader.fail(line, "offline: write parameters with | between them, budget=1 | budget=2")
    if solution and solution not in offered:
        offered.append(solution)
    return sorted(offered, key=_typed_values)


def _typed_values(query):
    return [(isinstance(as_value(text), str), as_value(text)) for text in query.values()]


def _query_text(query):
    return ", ".join(f"{name} {text}" for name, text in query.items())


def right_choices(options: list[str], answer: Any) -> list[int]:
    """The numbers, from 0, of the options that say the answer: equal texts, or the nearest of numbers.

    >>> right_choices(["0.2", "0.5", "0.9"], 0.46), right_choices(["careless", "careful"], "careless")
    ([1], [0])
    """
    numbers = [read_number(option) for option in options]
    if isinstance(answer, bool) or not isinstance(answer, int | float) or None in numbers:
        word = {True: "yes", False: "no"}[answer] if isinstance(answer, bool) else answer
        return [k for k, option in enumerate(options) if same(option.lower(), str(word).lower())]
    distances = [abs(said - answer) for said, _ in numbers]
    return [k for k, distance in enumerate(distances) if same(distance, min(distances))]


def sign_choice(before: float, after: float) -> list[int]:
    """The index into ``SIGNS`` of a change, in a list: it falls, stays or rises.

    >>> sign_choice(2.0, 1.5), sign_choice(2.0, 2.0)
    ([0], [1])
    """
    return [1 if same(before, after) else 0 if after < before else 2]


def option_texts(task: Task) -> list[str]:
    """The options of a task of kind ``choose``, as words."""
    return [plain_text(option.blocks[0][1]) for option in task.fields["options"]]


def verdict(condition: dict[str, Any], state: dict[str, Any]) -> tuple[bool | None, str]:
    """(Whether a task is done, message on failure); None if the facts of this view are not known.

    Parameters
    ----------
    condition : dict
        Of a task, as ``pages/lessons/tasks.py`` compiles it: ``{"until", "settings", "defaults", "known"}``,
        ``{"choice"}`` or ``{"quiz", "least"}``, each with ``"wrong"``, the message on failure.
    state : dict
        ``query`` the link of the live view by name, ``choice`` the number of the option that was chosen, or None,
        ``prediction`` what the quiz has said, or None.

    Examples
    --------
    >>> verdict({"choice": [1], "wrong": "Look again."}, {"query": {}, "choice": 0, "prediction": None})
    (False, 'Look again.')
    """
    if "choice" in condition:
        done = state.get("choice") in condition["choice"]
    elif "quiz" in condition:
        done = is_right_prediction(condition, state.get("prediction"))
    else:
        done = is_reached(condition, state["query"])
    return done, "" if done in (True, None) else condition.get("wrong") or ""


def is_reached(condition: dict[str, Any], query: dict[str, str]) -> bool | None:
    """Whether the live link fulfils a condition; None where its facts are not known."""
    link = condition["defaults"] | query
    settings = {name: link[name] for name in condition["settings"] if name in link}
    facts = next((known["facts"] for known in condition["known"] if known["when"] == settings), {})
    try:
        return truth(evaluate(condition["until"], link, facts))
    except KeyError:
        return None


def is_right_prediction(condition: dict[str, Any], prediction: dict[str, Any] | None) -> bool:
    """Whether a prediction is of the wanted kind, and right enough."""
    asked = condition["quiz"]
    if not prediction or any(prediction.get(name) != asked[name] for name in ("position", "run") if name in asked):
        return False
    if asked["kind"] not in ("both", prediction["kind"]):
        return False
    return prediction["right"] >= condition["least"] * prediction["of"] - 1e-9


def as_text(blocks: Text | None) -> str:
    """A text in one line, for a message on failure."""
    return "" if blocks is None else " ".join(plain_text(spans) for _, spans in blocks.blocks)
