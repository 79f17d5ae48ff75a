"""The language models that come with rcmviz."""

from __future__ import annotations

from os import PathLike

from rcmviz.core.models.shipped import LANGUAGE, find_model_file, shipped_names
from rcmviz.lm.arpa import read_arpa
from rcmviz.lm.language_model import LanguageModel


def shipped_lms() -> list[str]:
    """Names of the shipped language models."""
    return [name for name in shipped_names() if name.startswith(LANGUAGE)]


def load_lm(name: str | PathLike) -> LanguageModel:
    """Load a language model that comes with rcmviz, or one from a file.

    Parameters
    ----------
    name : str or path
        Name of a shipped model, such as ``"lm-english-characters"``, or the path of an ``.npz`` file or of an ARPA
        file, plain or gzip.

    Returns
    -------
    LanguageModel
        The model.

    Raises
    ------
    ValueError
        There is no such model, or the file is none; the message lists the names.

    Examples
    --------
    >>> import rcmviz as rv
    >>> rv.load_lm("lm-english-characters").order
    5
    """
    path = find_model_file(name, "language model", shipped_lms(), "an ARPA or .npz file")
    return LanguageModel.load(path) if path.suffix == ".npz" else read_arpa(path)
