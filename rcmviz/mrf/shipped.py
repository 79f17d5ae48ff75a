"""The Markov fields that come with rcmviz."""

from __future__ import annotations

from os import PathLike

from rcmviz.core.shipped import FIELD, located, shipped_names
from rcmviz.mrf.field import MarkovField


def shipped_fields() -> list[str]:
    """Names of the shipped Markov fields."""
    return [name for name in shipped_names() if name.startswith(FIELD)]


def load_field(name: str | PathLike) -> MarkovField:
    """Load a Markov field that comes with rcmviz, or one from a file.

    Parameters
    ----------
    name : str or path
        Name of a shipped field, such as ``"mrf-english"``, or the path of an ``.npz`` file.

    Returns
    -------
    MarkovField
        The field.

    Raises
    ------
    ValueError
        There is no such field, or the file is none; the message lists the names.

    Examples
    --------
    >>> import rcmviz as rv
    >>> rv.load_field("mrf-english").neighbours("tea", 1)[0][0]
    'coffee'
    """
    return MarkovField.load(located(name, "field", shipped_fields(), "an .npz file"))
