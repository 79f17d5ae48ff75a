"""Reified context models, seen: the public names of rcmviz, each loaded on first use.

The names and where they are defined stand in ``__init__.pyi``, which type checkers and editors read as well.

>>> import rcmviz as rv
>>> model = rv.NgramModel.from_windows("ab", 2, {("^", "^", "a"): 1.0, ("*", "a", "b"): 2.0})
>>> lattice, trace = rv.rcms(model, [[0.0, 0.0]] * 4, budget=3)
>>> "".join(rv.viterbi(lattice).labels)
'aaaa'
"""

import sys
from importlib import import_module
from pathlib import Path

__version__ = "0.2.0"

# {name: module}, from lines such as `from rcmviz.core.models.model import NgramModel as NgramModel`
_HOMES = {
    line.split()[-1]: line.split()[1]
    for line in Path(__file__).with_name("__init__.pyi").read_text(encoding="utf-8").splitlines()
    if line.startswith("from ")
}

__all__ = [*_HOMES, "__version__"]


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module 'rcmviz' has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    home = _HOMES[name]
    value = import_module(f"{home}.{name}") if home == __name__ else getattr(import_module(home), name)
    globals()[name] = value
    return value


def load_ipython_extension(shell):
    """``%load_ext rcmviz`` in a notebook: traces and runs show themselves as the player."""
    import_module("rcmviz.views.word.show").load_formatters(shell)


def __dir__():
    return sorted(__all__)
