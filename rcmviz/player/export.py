"""A run as one HTML file: the same player, the data inside, no request to anywhere, so it works offline."""

import html
import json
import re
from pathlib import Path

from rcmviz.player.assets import page_template, player_script, player_style
from rcmviz.player.payload import Run, build_payload

_NAMES = {"rcms": "RCMS", "beam": "Beam", "exact": "Exact", "repaired": "Repaired beam"}


def export_html(trace, lattice=None, path=None, *, gold=None, images=None, word=None, title=None, code=None, **options):
    """Write a run, or a list of runs, as one self-contained HTML file; returns the text.

    ``trace`` a Trace with its ``lattice``, or a list of ``Run`` (then ``lattice`` is left out) · ``path`` to write to,
    or None · ``word``, ``gold``, ``images``, ``code``, other ``options`` and ValueError as in ``build_payload``.

    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    >>> lattice, trace = rv.rcms(model, [[0.0, 0.0]] * 3, budget=2)
    >>> export_html(trace, lattice, gold="abb").startswith("<!doctype html>")
    True
    """
    runs = trace if isinstance(trace, (list, tuple)) else [Run(_name(trace), lattice, trace)]
    payload = build_payload(word, runs, gold=gold, images=images, title=title, code=code, **options)
    heading = f"{payload['title']} · {', '.join(run.name for run in runs)}" if payload["title"] else "rcmviz"
    text = page(payload, heading, "rcmvizPlayer", player_style(), player_script())
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def page(payload, heading, draw, style, script):
    """The HTML text that shows a payload under a heading; ``draw`` is the default export of the ``script``."""
    # A "<" inside the data could end its script element; as an escape it is the same JSON.
    data = json.dumps(payload, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    parts = {"title": html.escape(heading), "style": style, "script": script, "data": data, "draw": draw}
    return re.sub("%(title|style|script|data|draw)%", lambda found: parts[found[1]], page_template())


def _name(trace):
    budget = trace.settings.get("budget")
    name = _NAMES.get(trace.settings["method"], trace.settings["method"])
    return f"{name} {budget}" if budget else name
