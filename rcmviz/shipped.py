"""The models that come with rcmviz."""

from pathlib import Path

from rcmviz.model import NgramModel


def model_folder():
    """Where the shipped models are: inside an installed package, or beside it in a checkout."""
    here = Path(__file__).parent
    return here / "models" if (here / "models").is_dir() else here.parent / "models"


def shipped_models():
    """Names of the shipped models."""
    return sorted(path.stem for path in model_folder().glob("*.npz"))


def load_model(name):
    """A shipped model by name, or any model by path; ValueError lists the names."""
    path = Path(name)
    if path.suffix == ".npz":
        return NgramModel.load(path)
    if str(name) not in shipped_models():
        known = ", ".join(shipped_models())
        raise ValueError(f"no shipped model {str(name)!r}: choose {known}, or a path to an .npz file")
    return NgramModel.load(model_folder() / f"{name}.npz")
