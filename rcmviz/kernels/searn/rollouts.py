"""Roll-in and roll-outs of search with policies: decisions, trajectories, and the completed output of every action.

A state is a position and its last min(i, n) labels as a number ``code`` in base Y. ``shape = (depth, powers)``, each
(n+1,), leads from it to a row of a policy's table, ``depth[min(i, n)] + code``.

``loss = (kind, kinds)`` is the number of a loss of `losses`, and what it takes labels for.
"""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.bare_arrays import bare, fast_loops
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.learn.feature_sums import value_at
from rcmviz.kernels.rows import ZERO
from rcmviz.kernels.searn.losses import HAMMING, ZERO_ONE, output_loss

OWN = -1  # the loss is not one of the kernels': outputs are kept, costs are not


class Policy(NamedTuple):
    """Learned policy ``learned[at]`` acts at position ``at`` of the data.

    It takes the best of ``score[at]`` + its row of ``table``; or, where ``fixed`` is given, the label that is written
    there. Where an oracle acts, the label is ``gold[at]``. Ties go to the lower label.
    """

    learned: Any  # (N,)
    score: Any  # (N, Y)
    table: Any  # (K, R, Y)
    fixed: Any  # (N, R)


class Found(NamedTuple):
    """Losses, where roll-outs join, and completed outputs; the last two may be empty."""

    cost: Any  # (T, Y)
    joins: Any  # (T, Y)
    outputs: Any  # (T, Y, T)


class Scratch(NamedTuple):
    """Room for the roll-outs of one sequence: errors from each position of a path to its end, the path and its states,
    an output, where the roll-out of each action joins the path, and its labels up to there.
    """

    wrong: Any  # (T + 1,)
    path: Any  # (T,)
    states: Any  # (T,)
    output: Any  # (T,)
    joined: Any  # (Y,)
    way: Any  # (Y, T)


def make_scratch(visit, offset, width):
    """`Scratch` for these sequences."""
    longest = int(np.diff(offset)[visit].max(initial=0))
    return Scratch(
        *np.zeros((4, longest + 1), np.int64), np.zeros(width, np.int64), np.zeros((width, longest), np.int64)
    )


@kernel()
def add_scores(wanted, begin, feature, value, emission, score):
    """``score[at]`` of the positions in ``wanted``: the emissions of one policy, its bias among them."""
    fast_loops()
    bias, width = emission.shape[0] - 1, emission.shape[1]
    for j in range(wanted.size):
        at = wanted[j]
        row = score[at]
        for y in range(width):
            row[y] = emission[bias, y]
        for entry in range(begin[at], begin[at + 1]):
            amount, column = value_at(value, entry), emission[feature[entry]]
            for y in range(width):
                row[y] += amount * column[y]


@part(fastmath={"nnan"})
def best_action(at, row, policy):
    """The label that the learned policy of a position takes after the context of a row."""
    fast_loops()
    if policy.fixed.shape[0] > 0:
        return np.int64(policy.fixed[at, row])
    k, score, table, width = policy.learned[at], policy.score, policy.table, policy.score.shape[1]
    highest = score[at, 0] + table[k, row, 0]
    for y in range(1, width):  # what first and where then: a loop with one result is vectorised
        highest = max(highest, score[at, y] + table[k, row, y])
    for y in range(width):
        if score[at, y] + table[k, row, y] == highest:
            return y
    return 0


@part()
def roll_on(i, first, gold, oracle, policy, shape, meets, path, states):
    """Decide from position i and its state on, into ``path (T,)`` and ``states (T,)``; returns where it ends.

    Where it ``meets``, that is where the next state is the one that was there: from there on nothing changes.
    """
    (depth, powers), width, T = shape, policy.score.shape[1], path.size
    order = powers.size - 1
    while i < T:
        at = first + i
        path[i] = gold[at]
        if not oracle[at]:
            path[i] = best_action(at, depth[min(i, order)] + states[i], policy)
        code = (states[i] * width + path[i]) % powers[min(i + 1, order)]
        i += 1
        if i < T:
            if meets and states[i] == code:
                break
            states[i] = code
    return i


@part(error_model="numpy")
def try_actions(i, first, gold, oracle, policy, shape, path, states, joined, way):
    """Every action at position i, rolled out until its state is one of ``states (T,)`` of the ``path``.

    ``joined (Y,)`` says where that is, T if nowhere, and ``way (Y, T)`` holds the labels from i to there.
    """
    (depth, powers), width, T = shape, policy.score.shape[1], path.size
    order = powers.size - 1
    for a in range(width):
        way[a, i] = a
        code, j = (states[i] * width + a) % powers[min(i + 1, order)], i + 1
        while j < T and a != path[i] and code != states[j]:
            at = first + j
            label = gold[at]
            if not oracle[at]:
                label = best_action(at, depth[min(j, order)] + code, policy)
            way[a, j] = label
            j += 1
            code = (code * width + label) % powers[min(j, order)]
        joined[a] = j


@part()
def roll_outs(first, gold, oracles, wanted, policy, shape, loss, roll_in, found, scratch):
    """The loss of the completed output of every action along a roll-in, at positions ``wanted``.

    From the last position to the first. ``path`` is what the roll-out policy does after the roll-in's own action. The
    roll-out of another action is followed until its state is one of the path's: from there on all decisions, and with
    them the rest of the output, are the same. ``roll_in = (labels (T,), codes (T,))``. Returns the number of decisions
    of roll-outs.
    """
    (oracle_in, oracle_out), (labels, codes), (kind, kinds) = oracles, roll_in, loss
    cost, joins, outputs = found.cost, found.joins, found.outputs
    T, width = cost.shape
    before, steps, wrong, joined, way = 0, 0, scratch.wrong, scratch.joined, scratch.way  # errors of the roll-in so far
    path, states, output = scratch.path[:T], scratch.states[:T], scratch.output[:T]
    wrong[T] = 0
    for i in range(T):
        path[i], states[i], output[i] = labels[i], codes[i], labels[i]
        before += labels[i] != gold[first + i]
    for i in range(T - 1, -1, -1):
        before -= labels[i] != gold[first + i]
        if i + 1 < T:
            end = i + 2
            if oracle_in[first + i + 1] != oracle_out[first + i + 1]:
                end = roll_on(i + 1, first, gold, oracle_out, policy, shape, np.bool_(True), path, states)
                steps += end - (i + 1)
            for j in range(end - 1, i, -1):
                wrong[j] = wrong[j + 1] + (path[j] != gold[first + j])
                output[j] = path[j]
        if not wanted[first + i]:
            continue
        try_actions(i, first, gold, oracle_out, policy, shape, path, states, joined, way)
        for a in range(width):
            steps += joined[a] - (i + 1)
            if kind in (HAMMING, ZERO_ONE):
                errors = before + wrong[joined[a]]
                for j in range(i, joined[a]):
                    errors += way[a, j] != gold[first + j]
                cost[i, a] = errors if kind == HAMMING else min(errors, 1)
            if joins.shape[0] > 0:
                joins[i, a] = joined[a]
            if kind > ZERO_ONE or outputs.shape[0] > 0:
                for j in range(i, joined[a]):
                    output[j] = way[a, j]
                if kind > ZERO_ONE:
                    cost[i, a] = output_loss(kind, gold[first : first + T], output, kinds)
                for j in range(T if outputs.shape[0] > 0 else 0):
                    outputs[i, a, j] = output[j]
                for j in range(i, joined[a]):
                    output[j] = path[j]
    return steps


@kernel()
def roll_all(visit, offset, gold, oracles, wanted, policy, shape, loss, roll_in, found, scratch):
    """Roll-ins and roll-outs of the sequences in ``visit``, into ``roll_in = (labels (N,), codes (N,))`` and ``found``.

    Its ``cost`` is of all data, the others are of one sequence, if requested. Returns the number of
    decisions of roll-outs.
    """
    visit, offset, gold, oracles, wanted = bare((visit, offset, gold, oracles, wanted))
    policy, shape, loss, roll_in, found, scratch = bare((policy, shape, loss, roll_in, found, scratch))
    (labels, codes), steps = roll_in, 0
    for j in range(visit.size):
        w = visit[j]
        begin, end = offset[w], offset[w + 1]
        here, states = labels[begin:end], codes[begin:end]
        states[0] = 0
        roll_on(ZERO, begin, gold, oracles[0], policy, shape, np.bool_(False), here, states)
        if loss[0] != OWN or found.outputs.shape[0] > 0:
            one = Found(found.cost[begin:end], found.joins, found.outputs)
            steps += roll_outs(begin, gold, oracles, wanted, policy, shape, loss, (here, states), one, scratch)
    return steps
