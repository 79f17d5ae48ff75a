"""The runs of a word as a widget of Jupyter, VS Code and marimo; the one file of the library that imports anywidget."""

from functools import cache
from typing import Any

import anywidget
import traitlets

from rcmviz.core.lattices.printed import tree_html
from rcmviz.core.lattices.trace import Trace
from rcmviz.views.mass_flow.word import build_word
from rcmviz.views.shared import assets
from rcmviz.views.word.payload import Run
from rcmviz.views.word.shown import ShownRuns, runs_of


class Player(anywidget.AnyWidget):
    """The mass-flow picture in a notebook, with the player as its details, as ``rcmviz.show`` returns it.

    Parameters
    ----------
    runs : list of Run
        One to three runs of one word.
    options : dict
        Arguments of ``rcmviz.views.mass_flow.word.build_word``.

    Attributes
    ----------
    position : int
        The position that is looked at, 1 … T; what a person steps to arrives after 0.3 s of rest.
    node : str or None
        The context or candidate that is held, such as ``*ol``; one that the position does not have is released.
    payload : dict
        The payload.
    """

    _esm = assets.widget("word")
    _css = assets.widget_style("word")
    payload = traitlets.Dict().tag(sync=True)
    position = traitlets.Int(1).tag(sync=True)
    node = traitlets.Unicode(None, allow_none=True).tag(sync=True)

    def __init__(self, runs: list[Run], options: dict[str, Any]):
        payload = self._draw(runs, options)
        super().__init__(payload=payload, position=payload["position"], node=payload["player"]["node"])

    def __repr__(self):
        names = ", ".join(run["name"] for run in self.payload["runs"])
        return f"<Player: {names}, position {self.position} of {self.payload['T']}>"

    def _draw(self, runs, options):
        """The payload; ``options`` and the tree are kept for later."""
        self._options = {name: value for name, value in options.items() if name not in ("position", "node")}
        self._tree = tree_html(runs[0].lattice)
        return build_word(options.get("word"), runs, **{k: v for k, v in options.items() if k != "word"})

    def show(self, shown: ShownRuns, trace: Trace | None = None, **options: Any) -> None:
        """Show other runs in place of these; of the same word, the position stays.

        Parameters
        ----------
        shown : Lattice, Trace, Run, pair of Lattice and Trace, or several of them
            As ``rcmviz.show`` takes them.
        trace : Trace, optional
            The trace of the lattice, where ``shown`` is one.
        **options
            The other arguments of ``rcmviz.show``; those that are left out stay as they were, but for position and
            node.

        Raises
        ------
        ValueError
            An argument does not fit the lattice.
        """
        payload = self._draw(runs_of(shown, trace), self._options | options)
        stays = payload["subject"] == self.payload["subject"] and "position" not in options
        with self.hold_sync():
            self.payload = payload
            if not stays:
                self.position, self.node = payload["position"], payload["player"]["node"]

    @traitlets.validate("position")
    def _check_position(self, proposal):
        length = self.payload.get("T", proposal.value)
        if not 1 <= proposal.value <= length:
            raise ValueError(f"position {proposal.value}: choose 1 to {length}")
        return proposal.value

    def _repr_mimebundle_(self, **kwargs):
        """The widget, and a tree for pages that cannot run one, such as a notebook on the web."""
        found = super()._repr_mimebundle_(**kwargs)
        data, metadata = found if isinstance(found, tuple) else (found, {})
        return {**(data or {}), "text/html": self._tree}, metadata


class ViewWidget(anywidget.AnyWidget):
    """Another view than the player in a notebook, as ``rcmviz.show`` returns it.

    Attributes
    ----------
    position : int or None
        The round, cell or word that is shown, once the user has moved; setting it moves the view.
    payload : dict
        The payload.
    """

    payload = traitlets.Dict().tag(sync=True)
    position = traitlets.Int(None, allow_none=True).tag(sync=True)

    def __repr__(self):
        where = "" if self.position is None else f", at {self.position}"
        return f"<{type(self).__name__}: {self.payload.get('title') or self.payload.get('kind', 'untitled')}{where}>"


def view_of(name, payload):
    """The widget of the view of this name, such as ``ars``."""
    return _view_class(name)(payload=payload)


@cache
def _view_class(name):
    """A class per view: it is the class that has the script."""
    scripts = {"_esm": assets.widget(name), "_css": assets.widget_style(name), "__doc__": ViewWidget.__doc__}
    return type(f"{name.capitalize()}View", (ViewWidget,), scripts)
