"""Policies and checkpoints in one npz without pickle: mixture, settings, history, and what a next iteration needs."""

import json
from dataclasses import dataclass, field
from math import nan
from pathlib import Path

import numpy as np

from rcmviz.core.models.model import NgramModel
from rcmviz.core.shared import checks
from rcmviz.core.shared.npz import check_parts, pack_text, read_head, read_npz, write_npz
from rcmviz.learn.checkpoint import digest
from rcmviz.searn.policies import LinearPolicy, Mixture, States
from rcmviz.searn.prediction import is_linear
from rcmviz.searn.rollouts import Examples
from rcmviz.searn.settings import IterationState, SearchTraining

KIND, VERSION = "rcmviz/search", 1
WHAT, REMEDY = "file of learning to search", "start again, or copy the file again"


@dataclass(frozen=True, eq=False)
class SavedLearner:
    """The content of a file."""

    labels: tuple
    mixture: Mixture
    settings: SearchTraining
    history: list
    info: dict
    examples: list = field(default_factory=list)
    data: str = ""


def save(path, trainer):
    """Write what ``SearchTrainer.resume`` needs; ValueError for foreign policies, OSError if it cannot be written"""
    write(
        path,
        SavedLearner(
            trainer.data.labels,
            trainer.mixture,
            trainer.settings,
            trainer.history,
            trainer.info,
            trainer.examples,
            digest(trainer.given),
        ),
    )


def write(path, kept):
    """Write policies, whole or not at all."""
    if not is_linear(kept.mixture):
        raise ValueError("policies of scikit-learn cannot be kept in a file without pickle; learn them again instead")
    arrays = {}
    for k, policy in enumerate(kept.mixture.policies):
        arrays |= {f"keys_{k}": policy.model.keys, f"weights_{k}": policy.model.weights}
        arrays |= {f"emission_{k}": policy.model.emission}
    for k, one in enumerate(kept.examples):
        arrays |= {f"codes_{k}": one.codes, f"labels_{k}": one.labels, f"cost_{k}": one.cost}
    head = {
        "format": KIND,
        "version": VERSION,
        "labels": list(kept.labels),
        "settings": kept.settings.to_dict(),
        "mixture": list(kept.mixture.weights),
        "history": [state.to_dict() for state in kept.history],
        "steps": [one.steps for one in kept.examples],
        "info": kept.info,
        "data": kept.data,
    }
    write_npz(path, arrays | {"head": pack_text(json.dumps(head))})


def read(path, data=None):
    """The content of a file; ValueError for a damaged file, or one of other ``data``."""
    if not Path(checks.path("path", path)).exists():
        raise ValueError(f"{path}: no such file; rcmviz searn train writes one")
    parts = read_npz(path, WHAT, REMEDY)
    with check_parts(path, WHAT, REMEDY):
        head = read_head(parts["head"], KIND, VERSION)
        settings, labels = SearchTraining.from_dict(head["settings"]), tuple(head["labels"])
        weights = _shares(head["mixture"])
        count, info = len(weights) - 1, checks.as_dict("info", head["info"])
        policies = tuple(_policy(parts, k, labels, settings.order) for k in range(count))
        examples = [_examples(parts, k, steps, len(labels), settings.order) for k, steps in enumerate(head["steps"])]
        history = [_state(state) for state in head["history"]]
        kept = SavedLearner(labels, Mixture(policies, weights), settings, history, info, examples, head["data"])
    if data is not None and kept.data != digest(data):
        raise ValueError(f"{path}: this training began with other data; give it the same sequences in the same order")
    if data is not None:
        with check_parts(path, WHAT, REMEDY):
            _check_states(kept, data)
    return kept


def _shares(mixture):
    """The weights of a mixture, the oracle's first; the others belong to the learned policies."""
    weights = tuple(checks.number("mixture", each, "a share, 0 to 1", least=0, most=1) for each in mixture)
    if not 0 < sum(weights) < 2 or (len(weights) > 1 and not sum(weights[1:]) > 0):
        raise ValueError("the weights of its mixture are invalid")
    return weights


def _examples(parts, k, steps, width, order):
    """The examples of an iteration: states and labels as the kernels take them, which check no bounds."""
    codes = checks.integers(f"codes_{k}", parts[f"codes_{k}"], 0, width**order)
    found = checks.integers(f"labels_{k}", parts[f"labels_{k}"], 0, width)
    cost = checks.floats(parts[f"cost_{k}"], f"cost_{k}: give numbers").astype(np.float32)
    if not len(codes) == len(found) == len(cost) or cost.shape[1:] != (width,) or not np.isfinite(cost).all():
        raise ValueError("examples, labels and costs do not fit together")
    return Examples(codes, found, cost, checks.whole("steps", steps, 0))


def _check_states(kept, data):
    """ValueError for a state that remembers more labels than stand before its position."""
    place = np.arange(data.positions) - np.repeat(data.offset[:-1], np.diff(data.offset))
    most = states_of(kept).shape[1][np.minimum(place, kept.settings.order)]
    for one in kept.examples:
        if len(one.codes) != data.positions or np.any(one.codes >= most):
            raise ValueError("its examples are not those of these sequences")


def _policy(parts, k, labels, order):
    emission = parts[f"emission_{k}"]
    if emission.ndim != 2 or emission.shape[1] != len(labels):
        raise ValueError("policies and labels do not fit together")
    model = NgramModel(labels, order, "additive", parts[f"keys_{k}"], parts[f"weights_{k}"], emission)
    inside = 0 <= model.keys.min() <= model.keys.max() < model.size
    if model.weights.shape != (len(model.keys), len(labels)) or not inside:
        raise ValueError("weights and states do not fit together")
    return LinearPolicy(model)


def _state(values):
    iteration, weights = checks.whole("iteration", values["iteration"], 1), _shares(values["mixture"])
    others = {name: value for name, value in values.items() if name not in ("iteration", "mixture")}
    numbers = {name: nan if one is None else checks.number(name, one, "a number") for name, one in others.items()}
    return IterationState(iteration, mixture=weights, **numbers)


def states_of(kept):
    """The ``States`` that its policies are asked in."""
    return States(kept.labels, kept.settings.order)
