"""The models that come with rcmviz: where they are, and those of handwriting.

``lm/shipped.py`` loads language models (``lm-…``), ``mrf/shipped.py`` Markov fields (``mrf-…``) and taggers by fields
(``mrftagger-…``), ``tasks/tagging/shipped.py`` taggers (``tagger-…``).
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from rcmviz.core.models.model import NgramModel
from rcmviz.core.shared import checks

LANGUAGE, MRF, MRF_TAGGER, TAGGER = "lm-", "mrf-", "mrftagger-", "tagger-"  # how names begin; others: handwriting


def model_folder() -> Path:
    """The folder of the shipped models: inside an installed package, or next to it in a checkout."""
    here = Path(__file__).parents[2]
    return here / "models" if (here / "models").is_dir() else here.parent / "models"


def shipped_names() -> list[str]:
    """Names of all shipped models, of whatever kind."""
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
    return [name for name in shipped_names() if not name.startswith((LANGUAGE, MRF, MRF_TAGGER, TAGGER))]


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
    return NgramModel.load(find_model_file(name, "model", shipped_models(), "an .npz file"))


def find_model_file(name: str | PathLike, what: str, shipped: list[str], files: str) -> Path:
    """The path of a shipped model, or the path that was given; ValueError lists names and kinds of ``files``."""
    if str(checks.path("name", name)) in shipped:
        return model_folder() / f"{name}.npz"
    path = Path(name)
    if path.exists():
        return path
    choice = f"choose {', '.join(shipped)}, or a path to {files}"
    raise ValueError(f"{path}: no such file; {choice}" if path.suffix else f"no shipped {what} {str(name)!r}: {choice}")
