"""Random small trainings for hypothesis, and conversions between the learning oracle and the trainer."""

import random
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

import rcmviz as rv
from oracles import learning as oracle
from problems.chain import NAMES, ids
from rcmviz.core.builders.build import build_lattice
from rcmviz.core.methods import BUILDERS

# One AdaGrad step from fresh squares moves a weight by η g / sqrt(δ + g²): with these, all but η g / sqrt(δ) = g.
GENTLE = {"eta": 1e3, "delta": 1e6, "epochs": 1, "shuffle": False}


@dataclass(frozen=True)
class Case:
    """An example of ``F`` features, where the weights stand, and how it is trained."""

    example: oracle.Example
    F: int
    weights: dict
    settings: rv.Training

    @property
    def root(self):
        """Whether entering the root has a weight."""
        return self.settings.method == "repaired"

    @property
    def objective(self):
        """Return the objective and its gradient, by enumeration over the stepwise builder's contexts; None: no step."""
        settings = self.settings
        return oracle.objective(self.example, columns_of(self), settings.lost_gold, self.root, settings.l2)


@st.composite
def cases(draw, method, mode, scales=(0.3, 1.0, 2.5), orders=(1, 4), **fixed):
    """Y 1–4, T 1–6, order 1–4 or among others, 0–4 real-valued sparse features, weights of any sign and of one of these
    scales.
    """
    rng = random.Random(draw(st.integers(0, 10**9)))
    labels = tuple(NAMES[: rng.choice([1, 2, 2, 3, 3, 3, 4])])
    length, F = rng.choice([1, 2, 3, 3, 4, 4, 4, 5, 6 if len(labels) < 4 else 5]), rng.randint(0, 4)
    gold = tuple(rng.choices(labels, k=length))
    features = tuple({f: rng.gauss(0, 1) for f in range(F) if rng.random() < 0.6} for _ in range(length))
    example = oracle.Example(labels, rng.randint(*orders), mode, features, gold)
    options = {
        "budget": rng.choice([1, 2, 2, 3, 3, 4, 6, 10**4]),
        "passes": rng.choice([1, 2]) if method == "rcms" else 1,
        "deduplicate": rng.random() < 0.4,
        "l2": rng.choice([0.0, 0.0, 0.3]),
        "lost_gold": rng.choice(["numerator", "both", "skip", "early"]),
    }
    settings = rv.Training(method=method, mode=mode, order=example.order, **GENTLE | options | fixed)
    case = Case(example, F, random_weights(rng, example, F, method == "repaired", rng.choice(scales)), settings)
    # masses that are equal but for the order of their factors: rounding decides, not the same way in every kernel
    assume(not is_tied(case))
    return case


def is_tied(case, by=1e-9):
    """Whether emissions changed by about this much, in either direction, select other contexts.

    Each position's by themselves: weights that change would change two products of the same weights alike.
    """
    noise = np.random.default_rng(1).normal(scale=by, size=(len(case.example.gold), len(case.example.labels)))
    return any(columns_of(case, change=change) != columns_of(case) for change in (noise, -noise))


def random_weights(rng, example, F, root, scale=1.0):
    """Weights for about a hundred windows, a third of them or none, all emissions, and the root where it has one."""
    names = {("emission", f, label) for f in [*range(F), oracle.BIAS] for label in example.labels}
    for _ in range(rng.choice([0, 30, 100])):
        i = rng.randint(0, example.order)
        context = tuple(rng.choices(example.labels, k=rng.randint(0, i)))
        names |= {("window", (*prefix, rng.choice(example.labels))) for prefix in example.problem.fired(i, context)}
    weights = {name: rng.gauss(0, scale) for name in sorted(names, key=str)}
    return weights | ({oracle.ROOT: rng.gauss(-1, scale)} if root else {})


def data_of(*examples, F):
    """The engine's data of some examples of the same labels."""
    rows = [np.zeros((len(example.gold), F)) for example in examples]
    for row, example in zip(rows, examples, strict=True):
        for i, features in enumerate(example.features):
            row[i, list(features)] = list(features.values())
    return rv.Sequences.from_arrays(rows, [example.gold for example in examples], examples[0].labels)


def model_of(case, weights=None):
    """The engine's model of a case, its own weights by default."""
    weights, example = case.weights if weights is None else weights, case.example
    windows = {name[1]: weight for name, weight in weights.items() if name[0] == "window"}
    model = rv.NgramModel.from_windows(
        example.labels, example.order, windows, mode=example.mode, emission=emission_of(case, weights)
    )
    return replace(model, root_weight=weights.get(oracle.ROOT, 0.0))


def emission_of(case, weights):
    """(F+1, Y), the bias last."""
    features = [*range(case.F), oracle.BIAS]
    return np.array([[weights.get(("emission", f, label), 0.0) for label in case.example.labels] for f in features])


def flat(case, weights):
    """Weights by name as one vector: all rows of the model's table, the emissions, the root."""
    example, index = case.example, {label: y for y, label in enumerate(case.example.labels)}
    empty = rv.NgramModel.from_windows(example.labels, example.order, {}, mode=example.mode)
    table = np.zeros((empty.size, len(index)))
    for name, weight in weights.items():
        if name[0] == "window":
            table[empty.address_of_window(name[1], index)] = weight
    return np.concatenate([table.ravel(), emission_of(case, weights).ravel(), [weights.get(oracle.ROOT, 0.0)]])


def flat_model(model):
    """The same vector of the engine's model."""
    table = np.zeros((model.size, len(model.labels)))
    table[model.keys] = model.weights
    return np.concatenate([table.ravel(), model.emission.ravel(), [model.root_weight]])


def lattice_of(model, log_emit, settings):
    """Build the lattice of the same settings with the stepwise builder."""
    options = BUILDERS[settings.method].taken({"passes": settings.passes, "deduplicate": settings.deduplicate})
    options |= {"root_weight": model.root_weight, "record": False}
    return build_lattice(settings.method, model, log_emit, settings.budget, **options)[0]


def columns_of(case, weights=None, change=0.0):
    """The context sets that the stepwise builder selects, positions 0 … T−1; ``change`` is added to log emissions."""
    model = model_of(case, weights)
    log_emit = data_of(case.example, F=case.F).log_emits(model.emission)[0] + change
    lattice = lattice_of(model, log_emit, case.settings)
    return tuple(frozenset(map(lattice.context, ids(lattice, i))) for i in range(lattice.T))


def step(case, weights=None):
    """The engine's first step on the case: ``(state, its gradient as a vector)``."""
    before = model_of(case, weights)
    trainer, settings = rv.Trainer(data_of(case.example, F=case.F), case.settings, start=before), case.settings
    state = trainer.advance(1)
    share = (flat_model(trainer.model("f8")) - flat_model(before)) / settings.eta
    return state, share * np.sqrt(settings.delta / (1 - share**2))
