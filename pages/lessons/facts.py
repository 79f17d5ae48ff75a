"""What the engine says of a view, by name: the facts that texts of lessons state and that tasks are judged by.

    @fact("method.lost_at", "step", "compare")
    def lost_at(view, who):
        \"\"\"The position at which the method dropped the right letters; none if it never did.\"\"\"

``view`` is the frozen Link of the page, ``who`` the method as the lesson wrote it (``beam``, ``rcms:10``), or
``"view"``; arguments that the lesson gives follow. It returns a number, a text, true, false or none; a number that is
not finite counts as none.
"""

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from inspect import signature
from math import isfinite

from pages.lessons.opening import open_view
from pages.shell import registry
from pages.shell.facts import facts_of_page
from rcmviz.lessons import View
from rcmviz.lessons.expressions import evaluate

OF_PAGES = ("decipher",)  # each has facts of its own
# Where the facts of a page are: pages/lessons/facts_<module>.py
MODULES = {page: (page,) for page in OF_PAGES}

_FACTS: dict[tuple[str, str, str], Callable] = {}  # (page, "view" or "method", name) → function


def fact(name, *pages):
    """Make a function known as a fact of these pages; ``name`` is ``view.gold`` or ``method.output``."""

    def known(function):
        for page in pages:
            _FACTS[(page, *name.split("."))] = function
        return function

    return known


def facts_known(page):
    """The facts of a page with their arguments, in square brackets those that may be left out, and what they are."""
    _load(page)
    known = {(of, name): function for (of_page, of, name), function in _FACTS.items() if of_page == page}
    return {f"{of}.{name}{_arguments(function)}": function.__doc__ for (of, name), function in sorted(known.items())}


def _arguments(function):
    given = list(signature(function).parameters.values())[2:]
    names = [each.name if each.default is each.empty else f"[{each.name}]" for each in given]
    return f"({', '.join(names)})" if names else ""


def fact_of(view, asked):
    """What the engine says of a View; ValueError names a fact that is none, or what it cannot be asked."""
    opened = _opened(view.page, tuple(sorted((view.query | dict(asked.change)).items())))
    return _value(opened, asked.owner, asked.name, asked.given)


def facts_of(view, facts):
    """The facts of a View by their names."""
    return {str(asked): fact_of(view, asked) for asked in facts}


def value_of(view, expression):
    """An expression's value in a View; parameters are those of its link."""
    opened = _opened(view.page, tuple(sorted(view.query.items())))
    return evaluate(expression.tree, opened.defaults | opened.query, facts_of(view, expression.facts))


@lru_cache(maxsize=64)
def _opened(page, query):
    return open_view(View(page, dict(query)))


@lru_cache(maxsize=4096)
def _value(opened, owner, name, given):
    _load(opened.page)
    of = "view" if owner == "view" else "method"
    function = _FACTS.get((opened.page, of, name))
    if function is None:
        there = ", ".join(facts_known(opened.page)) or "none"
        raise ValueError(f"{owner}.{name} is no fact of the page {opened.page}; there are {there}")
    try:
        value = function(opened.view, owner, *given)
    except TypeError as error:
        raise ValueError(f"{owner}.{name}{given}: {error}") from None
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not isfinite(value) else value


def _load(page):
    if page in registry.names():
        _FACTS.update({(page, *name.split(".")): function for name, function in facts_of_page(page).items()})
    for module in MODULES.get(page, ()):
        import_module(f"pages.lessons.facts_{module}")
