"""Reified context models, seen: the public names of rcmviz, each loaded on first use.

>>> import rcmviz as rv
>>> model = rv.NgramModel.from_windows("ab", 2, {("^", "^", "a"): 1.0, ("*", "a", "b"): 2.0})
>>> lattice, trace = rv.rcms(model, [[0.0, 0.0]] * 4, budget=3)
>>> "".join(rv.viterbi(lattice).labels)
'aaaa'
"""

from importlib import import_module

__version__ = "0.2.0"

_ROOMS = {
    "NgramModel": "model", "load_model": "shipped", "shipped_models": "shipped",
    "rcms": "build", "beam": "build", "exact": "build",
    "Lattice": "lattice", "Trace": "trace", "read_lattice": "store", "read_trace": "store",
    "posterior": "infer", "viterbi": "infer", "kbest": "infer", "sample": "infer", "entropy": "infer", "mass": "infer",
    "to_networkx": "graph", "expected_counts": "infer", "log_prob": "infer", "log_z": "infer",
    "Sequences": "sequences", "Trainer": "learn.trainer", "Training": "learn.settings", "train": "learn.trainer",
    "SequenceClassifier": "classifier", "read_sequences": "sequence_file",
    "LanguageModel": "lm.language_model", "train_lm": "lm.train", "read_arpa": "lm.arpa", "load_lm": "shipped",
    "load_tagger": "shipped", "HMM": "hmm", "ars_decode": "ars", "ars_kbest": "ars", "ars_sample": "ars",
    "infer_batch": "batch", "Problem": "problem", "read_problem": "problem_file", "export_html": "player.export",
}  # fmt: skip
_MODULES = ("plot",)

__all__ = [*_ROOMS, *_MODULES, "__version__"]


def __getattr__(name):
    if name in _MODULES:
        return import_module(f"rcmviz.{name}")
    if name not in _ROOMS:
        raise AttributeError(f"module 'rcmviz' has no attribute {name!r}")
    value = getattr(import_module(f"rcmviz.{_ROOMS[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(__all__)
