"""The taggers that come with rcmviz."""

from __future__ import annotations

from os import PathLike

from rcmviz.core.models.shipped import TAGGER, find_model_file, shipped_names
from rcmviz.tasks.tagging.tagger import Tagger


def shipped_taggers() -> list[str]:
    """Names of the shipped taggers."""
    return [name for name in shipped_names() if name.startswith(TAGGER)]


def load_tagger(name: str | PathLike) -> Tagger:
    """Load a part-of-speech tagger that comes with rcmviz, or one from a file.

    Parameters
    ----------
    name : str or path
        Name of a shipped tagger, such as ``"tagger-ewt"``, or the path of an ``.npz`` file.

    Returns
    -------
    Tagger
        The tagger.

    Raises
    ------
    ValueError
        There is no such tagger, or the file is none; the message lists the names.

    Examples
    --------
    >>> import rcmviz as rv
    >>> rv.load_tagger("tagger-ewt").tag(["the", "cat", "sleeps"], order=3).tags
    ('DT', 'NN', 'VBZ')
    """
    return Tagger.load(find_model_file(name, "tagger", shipped_taggers(), "an .npz file"))
