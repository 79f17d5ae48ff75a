"""Facts and targets that lessons may use on a page, from the functions of the module that it declares as ``facts``.

    def frames(payload):
        \"\"\"How many frames there are.\"\"\"

is the fact ``view.frames``, its docstring the description. A function with a second parameter ``method`` is a fact of
one method, ``beam.accuracy``; a lesson passes all further parameters. A ValueError tells why a fact has no value.

Three names are reserved. ``source(question)`` returns the first argument of the facts, by default the payload.
``points(question, view_state, payload)`` returns the targets that a lesson may point at: names by kind ("slider",
"curve", "row"), as one set or as one for each method; ``payload()`` computes the answer if needed. ``quiz(payload,
position, run)`` returns the reason why the view cannot ask readers to predict that position, or None.
"""

from collections.abc import Callable
from functools import cache
from inspect import Parameter, getmembers, isfunction, signature
from typing import Any

from pages.shell.answers import payload_of
from pages.shell.capability import Payload
from pages.shell.question import Question
from pages.shell.registry import page_named, pages

SPECIAL = ("source", "points", "quiz")


@cache
def facts_of_page(name: str) -> dict[str, Callable[..., Any]]:
    """Return the facts of a page: ``{"view.frames": function(question, who, …)}``."""
    page = page_named(name)
    module = page.facts
    if module is None:
        return {}
    source = getattr(module, "source", lambda question: payload_of(page, question))
    functions = getmembers(module, lambda one: isfunction(one) and one.__module__ == module.__name__)
    return dict(_fact(function, source) for name, function in functions if name not in SPECIAL and name[0] != "_")


def points_of(name: str, question: Question, view_state: Payload) -> dict[str, list[set[str]]]:
    """Return the targets that a lesson may point at on a page: names by kind, in one set or in one for each method."""
    page = page_named(name)
    points = getattr(page.facts, "points", None)
    if points is None:
        return {}
    try:
        found = points(question, view_state, lambda: payload_of(page, question))
    except ValueError:  # no answer, hence no targets
        return {}
    return {kind: names for kind, names in found.items() if any(names)}


@cache
def quizzes() -> dict[str, Callable[..., Any]]:
    """Return the functions ``quiz`` of the pages that have one, by the name of the page."""
    found = ((name, getattr(page.facts, "quiz", None)) for name, page in pages().items())
    return {name: quiz for name, quiz in found if quiz is not None}


def _fact(function: Callable[..., Any], source: Callable[..., Any]) -> tuple[str, Callable[..., Any]]:
    given = list(signature(function).parameters.values())[1:]
    of_method = bool(given) and given[0].name == "method"

    def fact(question: Any, who: str, *more: Any) -> Any:
        return function(source(question), *([who] if of_method else []), *more)

    first = [Parameter(name, Parameter.POSITIONAL_ONLY) for name in ("question", "who")]
    rest = [each.replace(kind=Parameter.POSITIONAL_ONLY) for each in given[of_method:]]
    setattr(fact, "__signature__", signature(function).replace(parameters=[*first, *rest]))  # noqa: B010
    fact.__doc__ = function.__doc__
    return f"{'method' if of_method else 'view'}.{function.__name__}", fact
