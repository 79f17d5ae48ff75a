"""Examples of an iteration: roll-ins by one policy, and what every action along them costs when another rolls out.

At each position a policy is drawn once, for the roll-in and all roll-outs (common random numbers). So two roll-outs
that reach the same state end alike, and only one of them is followed: exact, and about one decision per action.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rcmviz.kernels.searn import rollouts as kernel
from rcmviz.searn.policies import LinearPolicy

NOT_ASKED = np.zeros((0, 0), np.int64), np.zeros((0, 0, 0), np.int64)  # where roll-outs join, their outputs
STRETCH = 1_000  # sequences between two looks at what a person wants


@dataclass(frozen=True, eq=False)
class Actors:
    """The ``learned`` policy of each position; whether the oracle takes its place on the way in, ``inside``,
    or after an action, ``outside``; with a ``coin``, where the roll-outs that begin are all the oracle's; each (N,).
    """

    learned: np.ndarray
    inside: np.ndarray
    outside: np.ndarray
    coin: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Examples:
    """The states of roll-ins, ``codes`` (N,), their ``labels`` (N,), and the ``cost`` of every action there (N, Y)."""

    codes: np.ndarray
    labels: np.ndarray
    cost: np.ndarray
    steps: int


def draw(mixture, algorithm, size, random):
    """The ``Actors`` of an ``Algorithm`` for ``size`` positions; the oracle if nothing is learned yet."""
    learned, oracle = mixture.draw(size, random)
    everywhere, nowhere = np.ones(size, bool), np.zeros(size, bool)
    if not mixture.policies:
        return Actors(learned, everywhere, everywhere)
    inside = {"oracle": everywhere, "mixture": oracle, "learned": nowhere}[algorithm.roll_in]
    if algorithm.roll_out == "coin":
        return Actors(learned, inside, nowhere, coin=oracle)
    return Actors(learned, inside, {"oracle": everywhere, "mixture": oracle}[algorithm.roll_out])


def policy_arrays(data, mixture, draws, states):
    """The ``Policy`` of the kernels."""
    width, size = len(data.labels), states.model.size
    nothing = np.zeros((0, 0), np.int16)
    score = np.zeros((data.positions, width), np.float32)
    asked = ~(draws.inside & draws.outside)
    if not mixture.policies or not asked.any():
        table = np.zeros((max(1, len(mixture.policies)), size, width), np.float32)
        return kernel.Policy(draws.learned, score, table, nothing)
    by_policy = [(policy, np.flatnonzero(asked & (draws.learned == k))) for k, policy in enumerate(mixture.policies)]
    if isinstance(mixture.policies[0], LinearPolicy):
        for policy, wanted in by_policy:
            policy.add_scores(data, wanted, score)
        return kernel.Policy(draws.learned, score, np.stack([policy.table for policy in mixture.policies]), nothing)
    fixed = np.zeros((data.positions, size), np.int16)
    for policy, wanted in by_policy:
        if len(wanted):
            fixed[wanted] = policy.decisions(data, wanted)
    return kernel.Policy(draws.learned, score, np.zeros((1, 1, width), np.float32), fixed)


def roll(data, mixture, draws, states, loss, report=lambda share: None):
    """The ``Examples`` of all sequences; ``report(share)`` between stretches, 0 to 1."""
    policy = policy_arrays(data, mixture, draws, states)
    count, width = data.positions, len(data.labels)
    found = Examples(np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros((count, width), np.float32), 0)
    steps = 0
    for begin in range(0, len(data), STRETCH):
        visit = np.arange(begin, min(begin + STRETCH, len(data)))
        for outside, wanted in passes(draws):
            steps += kernel.roll_all(
                visit,
                data.offset,
                data.gold,
                (draws.inside, outside),
                wanted,
                policy,
                states.shape,
                (loss.number, loss.kinds),
                (found.labels, found.codes),
                kernel.Found(found.cost, *NOT_ASKED),
                kernel.make_scratch(visit, data.offset, width),
            )
            if loss.own is not None:
                for w in visit:
                    _own_costs(w, data, draws, outside, wanted, policy, states, loss, found)
        report((begin + len(visit)) / len(data))
    return Examples(found.codes, found.labels, found.cost, steps)


def passes(draws):
    """(oracle of the roll-outs, where they begin): once for all, or for each side of the coin."""
    if draws.coin is None:
        return [(draws.outside, np.ones(len(draws.learned), bool))]
    return [(np.ones(len(draws.learned), bool), draws.coin), (draws.outside, ~draws.coin)]


class RollOuts(NamedTuple):
    """The position where each action's roll-out joined (T, Y), its output (T, Y, T), the number of decisions."""

    joins: np.ndarray
    outputs: np.ndarray
    decisions: int


def roll_out_sequence(w, data, draws, outside, wanted, policy, states, loss, found):
    """The ``RollOuts`` of one sequence; its roll-in and their costs go to ``found``."""
    T, width = int(data.offset[w + 1] - data.offset[w]), len(data.labels)
    joins, outputs = np.zeros((T, width), np.int64), np.zeros((T, width, T), np.int64)
    steps = kernel.roll_all(
        np.array([w]),
        data.offset,
        data.gold,
        (draws.inside, outside),
        wanted,
        policy,
        states.shape,
        (loss.number, loss.kinds),
        (found.labels, found.codes),
        kernel.Found(found.cost, joins, outputs),
        kernel.make_scratch(np.array([w]), data.offset, width),
    )
    return RollOuts(joins, outputs, steps)


def _own_costs(w, data, draws, outside, wanted, policy, states, loss, found):
    """Costs by a custom function: called once for each distinct output of a sequence."""
    outputs = roll_out_sequence(w, data, draws, outside, wanted, policy, states, loss, found).outputs
    begin, known = int(data.offset[w]), {}
    truth = data.gold[begin : begin + len(outputs)]
    for i in np.flatnonzero(wanted[begin : begin + len(outputs)]):
        for a, output in enumerate(outputs[i]):
            key = output.tobytes()
            if key not in known:
                known[key] = loss.of(truth, output, f"sequence {w + 1}")
            found.cost[begin + i, a] = known[key]
