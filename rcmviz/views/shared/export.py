"""A run as one HTML file: the player with its data, without any request, so it works offline."""

import html
import json
import re
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.lattices.trace import Trace
from rcmviz.core.shared import checks
from rcmviz.core.shared.whole_file import write_text
from rcmviz.ctc_decoding.transcript import Transcript
from rcmviz.views.ctc.payload import build_ctc
from rcmviz.views.mass_flow.word import build_word
from rcmviz.views.shared import assets
from rcmviz.views.word.payload import Run
from rcmviz.views.word.shown import runs_of


def export_html(
    trace: Trace | Sequence[Run] | Transcript,
    lattice: Lattice | None = None,
    path: str | PathLike | None = None,
    *,
    gold: Sequence[str] | None = None,
    images: Any = None,
    word: Any = None,
    title: str | None = None,
    code: str | None = None,
    **options: Any,
) -> str | Path:
    """Show one to three runs, or a reading of frames, as one HTML page that works offline.

    Parameters
    ----------
    trace : Trace, sequence of Run or Transcript
        The trace of a run, or one to three runs to compare, or a result of ``ctc``.
    lattice : Lattice, optional
        The lattice of the trace; omit it if there is none.
    path : str or path, optional
        File to write the page to.
    gold : sequence of str, length T, optional
        The right labels.
    images : array_like of shape (T, rows, columns), optional
        A picture of each position, 0 and 1.
    word : Word or str, optional
        A handwritten word, whose letters and images are shown, or its letters.
    title : str, optional
        Title of the page, the word by default.
    code : str, optional
        Python source that the page offers to copy.
    **options
        Other arguments of ``rcmviz.views.mass_flow.payload.build_mass_flow``, such as ``position`` and ``phase`` to
        open at, and of ``rcmviz.views.word.payload.build_payload``, whose player is below as details; for frames
        ``position`` and ``separator``, the label between words.

    Returns
    -------
    str or Path
        The page, or the path of the file that it is written to.

    Raises
    ------
    ValueError
        An argument does not fit the lattice, or the frames.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    >>> lattice, trace = rv.rcms(model, [[0.0, 0.0]] * 3, budget=2)
    >>> export_html(trace, lattice, gold="abb").startswith("<!doctype html>")
    True
    """
    for name, value in (("title", title), ("code", code)):
        if value is not None:
            checks.text(name, value)
    if isinstance(trace, Transcript):
        payload = build_ctc(trace, gold, title=title, code=code, **options)
        text = page(payload, f"{payload['title']} · {payload['name']}", "ctc")
    else:
        runs = runs_of((lattice, trace) if lattice is not None and isinstance(trace, Trace) else trace)
        payload = build_word(word, runs, gold=gold, images=images, title=title, code=code, **options)
        heading = f"{payload['title']} · {', '.join(run.name for run in runs)}" if payload["title"] else "rcmviz"
        text = page(payload, heading, "word")
    if path is None:
        return text
    write_text(path, text)
    return Path(path)


def page(payload, heading, view):
    """Return the HTML page of a payload with a heading; ``view`` is one of ``assets.VIEWS``."""
    return filled_page(payload, heading, assets.VIEWS[view].draw, assets.script(view), assets.style(view))


def filled_page(payload, heading, draw, script, style):
    """Return the same with a script and a style sheet; ``draw`` is an expression of the script that draws it."""
    # A "<" inside the data could end its script element; escaped it is the same JSON.
    data = json.dumps(payload, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    parts = {"title": html.escape(heading), "data": data, "draw": draw, "style": style, "script": script}
    return re.sub("%(title|style|script|data|draw)%", lambda found: parts[found[1]], assets.page_template())
