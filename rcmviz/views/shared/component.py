"""The views as Streamlit components; the only file of the library that imports streamlit.

Streamlit serves the modules of the library, the application each view as a bundle (``classroom/view_bundle.py``):
``pyproject.toml`` names each view with the folder of its assets.
"""

import time
from functools import cache, partial

import streamlit as st

from rcmviz.views.shared import assets
from rcmviz.views.shared.packed import Packed, as_bytes

_OBSERVERS = []


def observe(seen):
    """Call ``seen(name, payload)`` whenever a session shows a view, in the run of that session.

    A payload is plain JSON or ``Packed``.
    """
    _OBSERVERS.append(seen)


def _mount(name):
    """Return a function that shows a view and calls the observers.

    Data are sent as bytes, since Streamlit serializes anything else twice.
    """

    def show(*, data, **options):
        for seen in _OBSERVERS:
            seen(name, data)
        return _component(name)(data=as_bytes(data), **options)

    return show


@cache
def _component(name):
    """Register a component once per process; its modules do not change while the server runs.

    Modules of the library are served as files, those in the folder of a page as one text.
    """
    view, css = assets.VIEWS[name], assets.style(name)
    if view.is_of_page:
        return st.components.v2.component(name, js=assets.script(name), css=css, isolate_styles=False)
    return st.components.v2.component(f"rcmviz.{name}", js=view.entry, css=css, isolate_styles=False)


def _do_nothing():
    """Do nothing: Streamlit reports a state only if it has a callback."""


def show(view, payload, *, key, on_change=None):
    """Show a payload in a ``View``; ``on_change(name)`` is called before the script run after an event or new state.

    Returns an object with its events and states as attributes; states begin with the values of the payload.
    """
    sent = *view.events, *view.states
    callbacks = {f"on_{name}_change": partial(on_change, name) if on_change else _do_nothing for name in sent}
    if view.states:
        fields = payload.over if isinstance(payload, Packed) else payload
        callbacks["default"] = {name: fields.get(name) for name in view.states}
    return _mount(view.name)(key=key, data=payload, height="content", **callbacks)


def player(payload, *, key, height=None, on_position=None, on_node=None, on_what_if=None, on_looks=None):
    """Show a payload of ``build_payload``; stepping happens in the browser.

    ``height`` is in pixels, None for the height of the content · ``on_position``, ``on_node``, ``on_what_if`` and
    ``on_looks`` are callbacks without arguments. Returns an object with ``position`` (1 … T, sent after 0.3 s of rest),
    ``node`` (name of the selected context or None) and, for one script run, ``what_if``: ``{"op": "pin" | "forbid" |
    "budget" | "undo" | "run", "position": i, "what": …}``, else None; ``what`` is a label, a list of labels (a
    context), a budget, or None, and ``"of"`` the number of a method, missing for all. ``looks``, also for one run, has
    parameters of the link for the appearance of the view.
    """
    place = payload.over if isinstance(payload, Packed) else payload
    return _mount("player")(
        key=key,
        data=payload,
        default={"position": place["position"], "node": place["node"]},
        height="content" if height is None else height,
        on_position_change=on_position or _do_nothing,
        on_node_change=on_node or _do_nothing,
        on_what_if_change=on_what_if or _do_nothing,
        on_looks_change=on_looks or _do_nothing,
    )


def pad(letters=(), *, key, images=None, on_strokes=None):
    """Show a row of cells to draw letters in, with the mouse or a finger.

    ``letters`` are initial strokes · ``images`` the resulting raster of each letter, rows of 0/1, shown below it.
    Returns an object whose ``strokes`` is a list of letters, each a list of strokes, each a list of [x, y] in 0 … 1
    from the upper left corner of its cell, rounded to three decimals; letters without ink are left out.
    """
    rasters = None if images is None else [["".join(str(int(on)) for on in row) for row in image] for image in images]
    start = [[[[round(float(x), 3), round(float(y), 3)] for x, y in stroke] for stroke in letter] for letter in letters]
    return _mount("pad")(
        key=key,
        data={"letters": start, "images": rasters},
        default={"strokes": start},
        on_strokes_change=on_strokes or _do_nothing,
    )


def lesson(payload, *, key):
    """Show the dock of a lesson next to the page; ``payload`` is made by ``pages.shell.dock``.

    The browser moves between steps, points and judges tasks by itself. Returns an object with ``asked``, ``{"number",
    "part", "state"}``, a request for the condition of a part and, with a state, for a verdict on it · for one script
    run ``open``, ``{"number", "part", "page", "query"}`` or ``{"number", "lesson"}``, and ``leave``, "page" or
    "lessons".
    """
    return _mount("lesson")(
        key=key,
        data=payload,
        height="content",
        on_asked_change=_do_nothing,
        on_open_change=_do_nothing,
        on_leave_change=_do_nothing,
    )


def lessons(payload, *, key):
    """Show the list of lessons; the browser knows the reader's progress.

    ``payload`` is ``{"lessons": [{"name", "number", "title", "question", "minutes", "steps", "tasks"}, …], "talk"}``;
    ``talk`` is None, or one to edit: ``{"number", "title", "minutes", "steps"}``.

    Returns an object with, for one script run each: ``open``, ``{"name", "part"}``; ``talk``, ``{"what", "text"}``
    with the text of the browser's talk and what to do: "present", "export" or "open".
    """
    return _mount("lessons")(
        key=key, data=payload, height="content", on_open_change=_do_nothing, on_talk_change=_do_nothing
    )


def class_strip(data, *, key):
    """Show the strip of a class above a page: ``leads``, ``base``; for teachers ``addresses``, {address, qr}."""
    _mount("class_lead")(key=key, data=data, height="content")


def clock(seconds, *, key, on_tick=None):
    """Run ``on_tick`` and the surrounding fragment every ``seconds``, as long as this is called there.

    Unlike ``st.fragment(run_every=…)`` it runs neither before the browser has loaded the widgets of a first view, which
    would then keep their minimum values, nor between a click on a link and the page that it opens.
    """
    now = {"seconds": seconds, "at": time.monotonic()}  # always new, so that the browser learns of each answer
    _mount("clock")(key=f"clock.{key}", data=now, height="content", on_tick_change=on_tick or _do_nothing)
