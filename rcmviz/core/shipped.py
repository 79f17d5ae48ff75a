"""The models that come with rcmviz: handwriting, language models (``lm-…``) and taggers (``tagger-…``)."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from rcmviz.core.model import NgramModel

if TYPE_CHECKING:  # loading a handwriting model needs neither
    from rcmviz.lm.language_model import LanguageModel
    from rcmviz.tasks.tagging.tagger import Tagger

LANGUAGE, TAGGER = "lm-", "tagger-"  # how the names of a kind begin; all others are handwriting


def model_folder() -> Path:
    """Where the shipped models are: inside an installed package, or beside it in a checkout."""
    here = Path(__file__).parents[1]
    return here / "models" if (here / "models").is_dir() else here.parent / "models"


def _names():
    return sorted(path.stem for path in model_folder().glob("*.npz"))


def shipped_models() -> list[str]:
    """Names of the handwriting models that come with rcmviz.

    Returns
    -------
    list of str
        Names that ``load_model`` takes.

    Examples
    --------
    >>> import rcmviz as rv
    >>> "handwriting-pen" in rv.shipped_models()
    True
    """
    return [name for name in _names() if not name.startswith((LANGUAGE, TAGGER))]


def shipped_lms() -> list[str]:
    """Names of the shipped language models."""
    return [name for name in _names() if name.startswith(LANGUAGE)]


def shipped_taggers() -> list[str]:
    """Names of the shipped taggers."""
    return [name for name in _names() if name.startswith(TAGGER)]


def load_model(name: str | PathLike) -> NgramModel:
    """Load a handwriting model that comes with rcmviz, or any n-gram model from a file.

    Parameters
    ----------
    name : str or path
        One of ``shipped_models()``, or the path of an ``.npz`` file.

    Returns
    -------
    NgramModel
        The model.

    Raises
    ------
    ValueError
        There is no such model, or the file is none; the message lists the names.

    Examples
    --------
    >>> import rcmviz as rv
    >>> rv.load_model("handwriting-pen").order
    3
    """
    return NgramModel.load(_located(name, "model", shipped_models(), "an .npz file"))


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
    from rcmviz.lm.arpa import read_arpa
    from rcmviz.lm.language_model import LanguageModel

    path = _located(name, "language model", shipped_lms(), "an ARPA or .npz file")
    return LanguageModel.load(path) if path.suffix == ".npz" else read_arpa(path)


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
    from rcmviz.tasks.tagging.tagger import Tagger

    return Tagger.load(_located(name, "tagger", shipped_taggers(), "an .npz file"))


def _located(name, what, shipped, files):
    """The path of a shipped model, or the path that was given."""
    if str(name) in shipped:
        return model_folder() / f"{name}.npz"
    path = Path(name)
    if path.exists():
        return path
    choice = f"choose {', '.join(shipped)}, or a path to {files}"
    raise ValueError(f"{path}: no such file; {choice}" if path.suffix else f"no shipped {what} {str(name)!r}: {choice}")
