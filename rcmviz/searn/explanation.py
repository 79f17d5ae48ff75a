"""One sentence explained: who acted where, what every action would have cost, what roll-outs share; and how errors pile
up. Plain dataclasses that JSON can hold, for the page and for notebooks.
"""

from dataclasses import asdict, dataclass

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.searn.policies import Mixture
from rcmviz.searn.prediction import predict
from rcmviz.searn.rollouts import Examples, draw, passes, policy_arrays, roll_out_sequence

MOST_EARLIER = 8  # errors that are distinguished


@dataclass(frozen=True)
class SearchExplanation:
    """One sequence of T positions with Y labels, as an iteration of learning to search sees it.

    Policy 0 is the oracle, policy k ≥ 1 the k-th classifier. Label numbers count from 0, positions too.

    Attributes
    ----------
    labels : list of str, length Y
        Names of the labels.
    algorithm : str
        Name of the algorithm.
    loss : str
        Name of the loss.
    order : int
        How many past labels a policy sees.
    mixture : list of float, length K+1
        Weights of the policies that were drawn from.
    mixtures : list of list of float
        The same before the first iteration and after each.
    gold : list of int, length T
        The right labels.
    roll_in : list of int, length T
        The labels of the roll-in.
    acted : list of int, length T
        Which policy took each of them.
    rolls_out : list of int, length T
        Which policy acts there in roll-outs; they differ from ``acted`` with DAgger and LOLS.
    begins_with_oracle : list of bool, length T
        With LOLS, whether all of the roll-outs that begin there are the oracle's; else False.
    actions : list of list of int, K rows of length T
        What each classifier would do in the states of the roll-in.
    cost : list of list of float, T rows of length Y
        Loss of the completed output of each action.
    joined : list of list of int, T rows of length Y
        Where its roll-out reached a state of the shared path and ended, T if it never did.
    way : list of list of list of int
        The labels of each action's roll-out from its position up to where it joined.
    rest : list of list of int, T rows of length T
        The shared path: the roll-in up to and including a position, then what the roll-out policy does.
    decisions : int
        Decisions that were taken in roll-outs.
    decisions_without_sharing : int
        How many it would have been, each roll-out to its end.
    prediction : list of int, length T
        The vote of the classifiers, without the oracle; empty for none.
    """

    labels: list
    algorithm: str
    loss: str
    order: int
    mixture: list
    mixtures: list
    gold: list
    roll_in: list
    acted: list
    rolls_out: list
    begins_with_oracle: list
    actions: list
    cost: list
    joined: list
    way: list
    rest: list
    decisions: int
    decisions_without_sharing: int
    prediction: list

    def to_dict(self) -> dict:
        """The fields, ready for JSON.

        Returns
        -------
        dict
            ``{name: value}``.
        """
        return asdict(self)


def explain(data, mixture, mixtures, settings, loss, states, seed=0):
    """The ``SearchExplanation`` of ``data``, one labelled sequence, when policies of ``mixture`` are drawn.

    ``mixtures`` are the weights before and after all iterations · ``loss`` an ``OutputLoss`` · ``states`` of the
    policies. ValueError where a label is not known: the oracle could not act.
    """
    if len(data) != 1 or np.any(data.gold < 0):
        raise ValueError("explain one sequence, all of its labels known from training: the oracle needs them")
    T, width, point = data.positions, len(data.labels), settings.point
    draws = draw(mixture, point, T, np.random.default_rng([checks.whole("seed", seed, 0), len(mixture.policies)]))
    policy = policy_arrays(data, mixture, draws, states)
    found = Examples(np.zeros(T, np.int64), np.zeros(T, np.int64), np.zeros((T, width), np.float32), 0)
    joins, outputs, decisions = np.zeros((T, width), np.int64), np.zeros((T, width, T), np.int64), 0
    for outside, wanted in passes(draws):
        rolled = roll_out_sequence(0, data, draws, outside, wanted, policy, states, loss, found)
        joins[wanted], outputs[wanted] = rolled.joins[wanted], rolled.outputs[wanted]
        decisions += rolled.decisions
    cost = [[loss.of(data.gold, output) for output in row] for row in outputs]
    rows = states.shape[0][np.minimum(np.arange(T), states.order)] + found.codes
    return SearchExplanation(
        [str(label) for label in data.labels],
        point.name,
        "a function" if loss.own else loss.name,
        states.order,
        list(mixture.weights),
        [list(weights) for weights in mixtures],
        data.gold.tolist(),
        found.labels.tolist(),
        np.where(draws.inside, 0, draws.learned + 1).tolist(),
        np.where(draws.outside, 0, draws.learned + 1).tolist(),
        (np.zeros(T, bool) if draws.coin is None else draws.coin).tolist(),
        [one.reader(data)(np.arange(T), rows).tolist() for one in mixture.policies],
        cost,
        joins.tolist(),
        [[outputs[i, a, i : joins[i, a]].tolist() for a in range(width)] for i in range(T)],
        [outputs[i, found.labels[i]].tolist() for i in range(T)],
        int(decisions),
        width * T * (T - 1) // 2,
        predict(data, mixture, states).tolist() if mixture.policies else [],
    )


def mixture_after(iterations, mixture, history):
    """The mixture after ``iterations``, or None if its policies are gone."""
    if iterations == len(history):
        return mixture
    weights = history[iterations - 1].mixture if iterations else (1.0,)
    policies = mixture.policies[: len(weights) - 1]
    kept_all = len(mixture.policies) == len(history)
    return Mixture(policies, tuple(weights)) if kept_all or not iterations else None


@dataclass(frozen=True)
class Compounding:
    """How errors pile up: of the positions before which e labels of the sequence were wrong, how many were wrong too.

    Attributes
    ----------
    earlier : list of int
        Numbers of earlier errors e; the last includes all above.
    positions : list of int
        The number of positions with e earlier errors.
    errors : list of int
        How many of them were wrong.
    rate : list of float or None
        Their share, None of none.
    """

    earlier: list
    positions: list
    errors: list
    rate: list

    def to_dict(self) -> dict:
        """The fields, ready for JSON.

        Returns
        -------
        dict
            ``{name: value}``.
        """
        return asdict(self)


def compounding(golds, outputs, most=MOST_EARLIER):
    """The ``Compounding`` of outputs, sequences of label numbers.

    >>> compounding([[0, 0, 0, 0]], [[0, 1, 1, 0]], most=2)
    Compounding(earlier=[0, 1, 2], positions=[2, 1, 1], errors=[1, 1, 0], rate=[0.5, 1.0, 0.0])
    """
    positions, errors = np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64)
    for gold, output in zip(golds, outputs, strict=True):
        wrong = np.asarray(gold) != np.asarray(output)
        earlier = np.minimum(np.cumsum(wrong) - wrong, most)
        positions += np.bincount(earlier, minlength=most + 1)
        errors += np.bincount(earlier, weights=wrong, minlength=most + 1).astype(np.int64)
    rate = [float(some / of) if of else None for some, of in zip(errors, positions, strict=True)]
    return Compounding(list(range(most + 1)), positions.tolist(), errors.tolist(), rate)
