"""The models that come with rcmviz: handwriting, language models (``lm-…``) and taggers (``tagger-…``)."""

from pathlib import Path

from rcmviz.model import NgramModel

LANGUAGE, TAGGER = "lm-", "tagger-"  # how the names of a kind begin; all others are handwriting


def model_folder():
    """Where the shipped models are: inside an installed package, or beside it in a checkout."""
    here = Path(__file__).parent
    return here / "models" if (here / "models").is_dir() else here.parent / "models"


def _names():
    return sorted(path.stem for path in model_folder().glob("*.npz"))


def shipped_models():
    """Names of the shipped handwriting models."""
    return [name for name in _names() if not name.startswith((LANGUAGE, TAGGER))]


def shipped_lms():
    """Names of the shipped language models."""
    return [name for name in _names() if name.startswith(LANGUAGE)]


def shipped_taggers():
    """Names of the shipped taggers."""
    return [name for name in _names() if name.startswith(TAGGER)]


def load_model(name):
    """A shipped handwriting model by name, or any by path; ValueError lists the names."""
    return NgramModel.load(_located(name, "model", shipped_models(), "an .npz file"))


def load_lm(name):
    """A shipped language model by name, or one by path: .npz or ARPA, plain or gzip; ValueError lists the names.

    >>> load_lm("lm-english-characters").order
    5
    """
    from rcmviz.lm.arpa import read_arpa
    from rcmviz.lm.language_model import LanguageModel

    path = _located(name, "language model", shipped_lms(), "an ARPA or .npz file")
    return LanguageModel.load(path) if path.suffix == ".npz" else read_arpa(path)


def load_tagger(name):
    """A shipped tagger by name, or one by path; ValueError lists the names."""
    from rcmviz.tasks.tagging import Tagger

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
