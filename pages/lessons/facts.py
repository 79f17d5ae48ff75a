"""Facts of views by name: texts of lessons state them, and tasks are judged by them.

Pages declare them (``pages.shell.facts``). A fact is a number, a text, true, false or none; a number that is not finite
counts as none.
"""

from functools import lru_cache
from inspect import signature
from math import isfinite

from pages.lessons.opening import open_view
from pages.shell import registry
from pages.shell.facts import facts_of_page
from rcmviz.lessons import View
from rcmviz.lessons.expressions import evaluate


def facts_known(page):
    """Return the facts of a page with their arguments, optional ones in square brackets, and their descriptions."""
    known = sorted(_facts_of_page(page).items())
    return {f"{name}{_arguments(function)}": function.__doc__ for name, function in known}


def _arguments(function):
    given = list(signature(function).parameters.values())[2:]
    names = [each.name if each.default is each.empty else f"[{each.name}]" for each in given]
    return f"({', '.join(names)})" if names else ""


def fact_of(view, asked):
    """Return a fact of a View; ValueError names an unknown fact or invalid arguments."""
    opened = _opened(view.page, tuple(sorted((view.query | dict(asked.change)).items())))
    return _value(opened, asked.owner, asked.name, asked.given)


def facts_of(view, facts):
    """Return the facts of a View by their names."""
    return {str(asked): fact_of(view, asked) for asked in facts}


def value_of(view, expression):
    """Return an expression's value in a View; parameters are those of its link."""
    opened = _opened(view.page, tuple(sorted(view.query.items())))
    return evaluate(expression.tree, opened.defaults | opened.query, facts_of(view, expression.facts))


@lru_cache(maxsize=64)
def _opened(page, query):
    return open_view(View(page, dict(query)))


@lru_cache(maxsize=4096)
def _value(opened, owner, name, given):
    of = "view" if owner == "view" else "method"
    function = _facts_of_page(opened.page).get(f"{of}.{name}")
    if function is None:
        there = ", ".join(facts_known(opened.page)) or "none"
        raise ValueError(f"{owner}.{name} is not a fact of the page {opened.page}; there are {there}")
    try:
        value = function(opened.view, owner, *given)
    except TypeError as error:
        raise ValueError(f"{owner}.{name}{given}: {error}") from None
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not isfinite(value) else value


def _facts_of_page(page):
    """Return the facts of a page by their names; none if it has no view."""
    return facts_of_page(page) if page in registry.names() else {}
