"""The mass-flow picture, or another view, in a notebook, as one function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.lattices.trace import Trace
from rcmviz.views.word.payload import Run
from rcmviz.views.word.shown import runs_of

TRAINER, TRANSCRIPT = "rcmviz.learn.trainer.Trainer", "rcmviz.ctc_decoding.transcript.Transcript"

if TYPE_CHECKING:
    from rcmviz.views.word.widget import Player, ViewWidget


def show(
    shown: Any,
    trace: Any = None,
    *,
    word: Any = None,
    gold: Sequence[str] | None = None,
    position: int | None = None,
    node: str | None = None,
    **options: Any,
) -> Player | ViewWidget:
    """Show where the mass of one to three runs goes, in a notebook; other things in a view of their own.

    Parameters
    ----------
    shown : Lattice, Trace, Run, pair of Lattice and Trace, or several of them
        The objects to show. Several, in a list or by name in a dict, are compared. Or, with its companion as the
        second argument: what ``ars_decode`` or ``ars_sample`` found and its trace; an ``AlignModel`` and phones; a
        ``MarkovField`` and a sentence with one ``_``; a ``FieldTagger`` and words; a ``Trainer``, with what its
        ``advance`` returned as checkpoints; a ``Decipherment`` and what its ``run`` yielded; a ``Transcript`` of
        frames.
    trace : Trace, ArsTrace, str, or sequence of str or of states, optional
        The trace of the lattice, if ``shown`` is one, or the companion of ``shown``.
    word : Word or str, optional
        A handwritten word, whose letters and images are shown, or its letters.
    gold : sequence of str, length T, optional
        The right labels.
    position : int, optional
        Position to open at, 1 … T; by default 1, and of frames the first label of the best output.
    node : str, optional
        Context or candidate to hold, by its name such as ``*ol``.
    **options
        Other arguments of ``rcmviz.views.mass_flow.payload.build_mass_flow``, such as ``phase`` or ``exact``, and of
        ``rcmviz.views.build_payload``, such as ``tokens``, ``images`` or ``reveal``; of other views, such as
        ``title``, ``text`` of an alignment, ``example`` and ``tokens`` of a training, ``separator`` of frames.

    Returns
    -------
    Player or ViewWidget
        A widget; a ViewWidget has the ``position`` alone. Its ``position`` and ``node`` are those of the view, read and
        written; ``player.show(…)`` draws other runs in its place.

    Raises
    ------
    ValueError
        An argument does not fit the lattice.
    ImportError
        The package anywidget is missing.

    Notes
    -----
    It works in Jupyter, VS Code and marimo, and needs no network. Where no widget can run, as in a notebook
    on a web page, the tree of the first run is shown instead.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    >>> player = rv.show(*rv.rcms(model, [[0.5, 0.0]] * 3, budget=2), gold="abb")
    >>> player.position = 2
    >>> player.position, player.node
    (2, None)
    """
    widgets = _widgets()
    if not isinstance(shown, (Lattice, Trace, Run, Sequence, Mapping)):
        given = {"gold": gold, "position": position}
        found = import_module("rcmviz.views.word.elsewhere").payload_elsewhere(shown, trace, given, options)
        if found:
            return widgets.view_of(*found)
    runs = runs_of(shown, trace)
    options = {"word": word, "gold": gold, "position": 1 if position is None else position, "node": node} | options
    return widgets.Player(runs, options)


def _widgets():
    """The module of the widgets; ImportError says how to get what it needs."""
    try:
        return import_module("rcmviz.views.word.widget")
    except ModuleNotFoundError as missing:
        if missing.name != "anywidget":
            raise
        raise ImportError("rv.show needs the package anywidget: pip install 'rcmviz[notebook]'") from None


def load_formatters(shell):
    """Let traces, runs, trainings and transcripts show themselves as widgets; what ``%load_ext rcmviz`` does."""
    player = _widgets().Player
    formatter = shell.display_formatter.mimebundle_formatter
    for kind in (Trace, Run):
        formatter.for_type(kind, lambda one, **_: player(runs_of(one), {})._repr_mimebundle_())
    # by its name, as trainings are slow to import; before its first example a training has nothing to play
    formatter.for_type(TRAINER, lambda one, **_: show(one)._repr_mimebundle_() if one.history else None)
    formatter.for_type(TRANSCRIPT, lambda one, **_: _transcript(one))


def _transcript(read):
    """A transcript as its widget; None where that refuses it: then its table, or line, stands alone."""
    try:
        return show(read)._repr_mimebundle_()
    except ValueError:
        return None
