"""Random small problems of learning to search for hypothesis, and the bridge from the oracle's policies to ours."""

import random
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import rcmviz as rv
from oracles import searn as oracle
from rcmviz.searn.policies import LinearPolicy, Mixture, States
from rcmviz.searn.rollouts import Actors

NAMES = (("a", "b", "c", "d"), ("O", "B-x", "I-x", "I-y"), ("I-x", "B-x", "B-y", "O"))


@dataclass(frozen=True)
class Rolled:
    """One sequence: its label ``names``, ``gold``, ``policies``, and who acts: per position the number of a policy,
    whether the oracle does so ``inside`` and ``outside``, and at which positions a ``coin`` gives it all roll-outs.
    """

    names: tuple
    order: int
    gold: tuple
    policies: tuple
    learned: tuple
    inside: tuple
    outside: tuple
    coin: tuple | None

    @property
    def acting(self):
        """Policies of the roll-in; those of the roll-outs that begin at each position."""
        by_number = [self.policies[k] for k in self.learned]
        inside, outside = (
            [None if oracles else policy for oracles, policy in zip(flags, by_number, strict=True)]
            for flags in (self.inside, self.outside)
        )
        none = [None] * len(self.gold)
        return inside, [none if self.coin and self.coin[i] else outside for i in range(len(self.gold))]

    @property
    def engine(self):
        """(data, mixture, draws, states): twice the sequence, as the engine has many."""
        one = [np.eye(len(self.gold))]
        data = rv.Sequences.from_arrays(one * 2, [[self.names[y] for y in self.gold]] * 2, self.names)
        coin = None if self.coin is None else np.array(self.coin * 2)
        draws = Actors(np.array(self.learned * 2), np.array(self.inside * 2), np.array(self.outside * 2), coin)
        policies = tuple(linear(policy, self.names) for policy in self.policies)
        mixture = Mixture(policies, (0.5, *[0.5 / len(policies)] * len(policies)))
        return data, mixture, draws, States(self.names, self.order)


def linear(policy, names):
    """The engine's policy of an oracle's."""
    windows = {}
    for (known, begins, y), weight in policy.windows.items():
        stars = policy.order - len(known) - begins
        symbols = ("*",) * stars + ("^",) * begins + tuple(names[a] for a in known)
        windows[(*symbols, names[y])] = float(weight)
    emission = np.array([*policy.emission, [0] * len(names)], np.float64)
    return LinearPolicy(rv.NgramModel.from_windows(names, policy.order, windows, mode="additive", emission=emission))


def random_policy(rng, width, order, T):
    """Small whole weights: scores are exact in single precision, and many are equal."""
    windows = {}
    for _ in range(rng.choice([0, 4, 30])):
        begins = rng.random() < 0.3
        known = tuple(rng.choices(range(width), k=rng.randint(0, order - begins)))
        windows[known, begins, rng.randrange(width)] = rng.randint(-3, 3)
    emission = tuple(tuple(rng.choices(range(-1, 3), k=width)) for _ in range(T))
    return oracle.Policy(width, order, emission, windows)


def from_seed(seed):
    """Everything random follows from the seed."""
    rng = random.Random(seed)
    names = rng.choice(NAMES)[: rng.randint(2, 4)]
    T, order, many = rng.randint(1, 6), rng.randint(1, 3), rng.randint(1, 3)
    policies = tuple(random_policy(rng, len(names), order, T) for _ in range(many))
    flags = [tuple(rng.random() < share for _ in range(T)) for share in (rng.choice([0, 0.4, 1]), 0.4, 0.5)]
    inside, outside, coin = flags
    kind = rng.randrange(3)
    return Rolled(
        tuple(names),
        order,
        tuple(rng.choices(range(len(names)), k=T)),
        policies,
        tuple(rng.randrange(many) for _ in range(T)),
        inside,
        inside if kind == 0 else outside,
        coin if kind == 2 else None,
    )


def rolled():
    """Random ``Rolled`` sequences."""
    return st.integers(0, 2**32 - 1).map(from_seed)
