"""Targets of lessons in views: names by kind, from the payload of a view.

A view marks its elements with `data-point="row F"`; this module tells which of them exist for a link, so that a
lesson is checked without a browser.
"""

from pages.shell import registry
from pages.shell.facts import points_of


def why_missing(opened, kind, name, of):
    """Return why an OpenedView has no such target, in the method ``of`` (from 1) or in any; else None."""
    declared = opened.page in registry.names()
    kinds = points_of(opened.page, opened.view, opened.opening) if declared else {}
    if kind not in kinds:
        there = ", ".join(sorted(kinds)) or "no targets"
        return f"the page {opened.page} has no {kind} here; it has {there}"
    runs = kinds[kind]
    if of is not None and not 1 <= of <= len(runs):
        return f"there is no method {of}" if len(runs) > 1 else f"{kind} belongs to no method: leave out of {of}"
    known = set().union(*(runs if of is None else runs[of - 1 : of]))
    if any(_fits(kind, one, name) for one in known):
        return None
    shown = ", ".join(sorted(known)[:8]) + (" …" if len(known) > 8 else "")
    return f"the view shows no {kind} {name!r}; there are {shown or 'none'}"


def _fits(kind, one, name):
    return name.lower() in one.lower() if kind == "slider" else one == name
