"""What lessons can point at in views: names by kind, from what a view is sent.

A view marks what it draws with `data-point="row F"`; here is said which of these there are for a link, so that a lesson
is checked without a browser.
"""

from pages.decipher.texts import subject_of
from pages.lessons.drawing import drawn
from pages.shell import registry
from pages.shell.facts import points_of

# Titles of charts and labels of sliders, as the views write them; by page, where it has tabs by page and tab.
CURVES = {
    "decipher letters": ("letters right", "log-likelihood", "letters remembered"),
    "decipher words": ("symbols right", "log-likelihood", "words remembered"),
}
SLIDERS = {
    "decipher": ("EM pass",),
}


def why_not_there(opened, kind, name, of):
    """Why the view of an Opened link has nothing of this kind and name, in the method ``of`` (from 1) or in any; None
    where it has.
    """
    kinds = _shown(opened)
    if kind not in kinds:
        there = ", ".join(sorted(kinds)) or "nothing of the kinds that views mark"
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


def _shown(opened):
    """{kind: names, in one set or in one for each method}."""
    view, page = opened.view, opened.page
    if page in registry.names():
        return points_of(page, view, opened.opening)
    tab = {"decipher": "kind"}.get(page)
    tabbed = f"{page} {getattr(view, tab)}" if tab else page
    found = {"curve": [set(CURVES.get(tabbed, ()))], "slider": [set(SLIDERS.get(tabbed, SLIDERS.get(page, ())))]}
    more = _OF.get(page)
    found |= more(opened) if more else {}
    return {kind: runs for kind, runs in found.items() if any(runs)}


def _decipher(opened):
    layout = subject_of(opened.view).layout
    rows, signs = ({layout.symbols[symbol] for symbol in shown} for shown in (layout.rows, layout.shown))
    methods = opened.view.methods
    return {"row": [rows] * len(methods), "sign": [signs] * len(methods), "method": [_numbers(methods)]}


def _numbers(methods):
    return {str(m) for m in range(1, len(methods) + 1)}


def _payload(opened):
    try:
        picture = drawn(opened)
    except ValueError:
        return None
    return picture and picture.payload


_OF = {"decipher": _decipher}
