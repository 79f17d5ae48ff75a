"""A run as one HTML file: the same player, the data inside, no request to anywhere, so it works offline."""

import html
import json
import re
from pathlib import Path

from rcmviz.views.shared import assets
from rcmviz.views.word.payload import Run, build_payload

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
    text = page(payload, heading, "player")
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def page(payload, heading, view):
    """The HTML text that shows a payload under a heading; ``view`` is one of ``assets.VIEWS``."""
    # A "<" inside the data could end its script element; as an escape it is the same JSON.
    data = json.dumps(payload, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    parts = {"title": html.escape(heading), "data": data, "draw": assets.VIEWS[view].draw}
    parts |= {"style": assets.style(view), "script": assets.script(view)}
    return re.sub("%(title|style|script|data|draw)%", lambda found: parts[found[1]], assets.page_template())


def _name(trace):
    budget = trace.settings.get("budget")
    name = _NAMES.get(trace.settings["method"], trace.settings["method"])
    return f"{name} {budget}" if budget else name
