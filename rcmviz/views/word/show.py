"""The player in a notebook, as one function."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rcmviz.core.trace import Trace
from rcmviz.views.word.payload import Run
from rcmviz.views.word.shown import ShownRuns, runs_of

if TYPE_CHECKING:
    from rcmviz.views.word.widget import Player


def show(
    shown: ShownRuns, trace: Trace | None = None, *, word: Any = None, gold: Sequence[str] | None = None,
    position: int = 1, node: str | None = None, **options: Any,
) -> Player:  # fmt: skip
    """Show one to three runs in a notebook, in the player of the application.

    Parameters
    ----------
    shown : Lattice, Trace, Run, pair of Lattice and Trace, or several of them
        What is shown. Several, in a list or by name in a dict, are compared.
    trace : Trace, optional
        The trace of the lattice, where ``shown`` is one.
    word : Word or str, optional
        A handwritten word, whose letters and images are shown, or its letters.
    gold : sequence of str, length T, optional
        The right labels.
    position : int
        Position to open at, 1 … T.
    node : str, optional
        Context or candidate to hold, by its name such as ``*ol``.
    **options
        Other arguments of ``rcmviz.views.build_payload``, such as ``tokens``, ``images`` or ``reveal``.

    Returns
    -------
    Player
        A widget. Its ``position`` and ``node`` are those of the view, read and written; ``player.show(…)`` draws other
        runs in its place.

    Raises
    ------
    ValueError
        An argument does not fit the lattice.
    ImportError
        The package anywidget is missing.

    Notes
    -----
    It works in Jupyter, VS Code and marimo, and asks nobody on the network. Where no widget can run, as in a notebook
    on a web page, the tree of the first run stands in its place.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    >>> player = rv.show(*rv.rcms(model, [[0.5, 0.0]] * 3, budget=2), gold="abb")
    >>> player.position = 2
    >>> player.position, player.node
    (2, None)
    """
    runs = runs_of(shown, trace)
    options = {"word": word, "gold": gold, "position": position, "node": node} | options
    return _player()(runs, options)


def _player():
    """The class of the widget; ImportError says how to get what it needs."""
    try:
        return import_module("rcmviz.views.word.widget").Player
    except ModuleNotFoundError as missing:
        if missing.name != "anywidget":
            raise
        raise ImportError("rv.show needs the package anywidget: pip install 'rcmviz[notebook]'") from None


def load_formatters(shell):
    """Let traces and runs show themselves as the player in an IPython shell; what ``%load_ext rcmviz`` does."""
    player = _player()
    formatter = shell.display_formatter.mimebundle_formatter
    for kind in (Trace, Run):
        formatter.for_type(kind, lambda one, **_: player(runs_of(one), {})._repr_mimebundle_())
