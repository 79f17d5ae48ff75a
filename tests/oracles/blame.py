"""Verdicts by enumeration: contexts chosen position by position, the best of all outputs, and its score by the model.

Exact rationals, as in ``oracles.chain``; a score is a weight, 0 where it is impossible.
"""

from dataclasses import dataclass

from oracles import chain


@dataclass(frozen=True)
class Judged:
    """``verdict``, ``position`` and ``cause`` of an output, whether the gold's contexts are ``whole``; ``tie`` where
    the full model weighs output and gold alike.
    """

    verdict: str
    output: tuple | None
    position: int | None
    cause: str | None
    whole: bool
    tie: bool


def machine_by(problem, rule):
    """The machine over the contexts that the rule keeps, chosen position by position; no ties between candidates."""
    columns = [frozenset({()})]
    for i in range(1, problem.T):
        so_far = chain.Machine(problem, tuple(columns), rule.root_weight)
        proposed = chain.candidates(so_far, rule, i)
        heaviest = sorted(proposed, key=lambda context: -proposed[context])[: rule.allowance(i)]
        columns.append(frozenset(heaviest) | ({()} if rule.has_root() else set()))
    return chain.Machine(problem, tuple(columns), rule.root_weight)


def full_weights(problem):
    """{output: its weight under the full model}; only positive ones."""
    return {path.labels: path.weight for path in chain.every_history(problem).paths}


def loses_at(machine, labels):
    """(The first position at which labels are dropped or remembered too little, whether dropped); None where never."""
    problem, context = machine.problem, ()
    for position, label in enumerate(labels, start=1):
        weights = {written: (weight, after) for written, weight, after in machine.steps(position - 1, context)}
        if label not in weights:
            return position, True
        context = weights[label][1]
        if position < problem.T and len(context) < min(position, problem.order):
            return position, False
    return None


def judged(machine, gold, weights=None, output=None):
    """The verdict on the best output of a machine, or on ``output`` where several are the best."""
    weights = full_weights(machine.problem) if weights is None else weights
    output = output or (machine.best().labels if machine.paths else None)
    lost, of_gold, of_output = loses_at(machine, gold), weights.get(gold, 0), weights.get(output, 0)
    whole, tie = lost is None, of_gold == of_output
    if output == gold:
        return Judged("right", output, None, None, whole, tie)
    if of_gold <= of_output:
        return Judged("model error", output, None, None, whole, tie)
    if lost is None:
        return Judged("search error", output, loses_at(machine, output)[0], "overrated", whole, tie)
    return Judged("search error", output, lost[0], "dropped" if lost[1] else "merged", whole, tie)
