"""Regret by enumeration: exact shares of candidates from all outputs, the best of all selections, all swaps run."""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations
from math import comb

from oracles import blame, chain

MOST_SELECTIONS = 2_000  # that are enumerated; of more the largest shares are added up


def exact_shares(machine, weights, joins):
    """(Per position 1 … T−1 {candidate: share of the full model}, the share not dropped after 0 … T labels).

    A candidate is named by the labels that it would remember, the last ``order`` of them where contexts are joined.
    """
    problem, total = machine.problem, sum(weights.values())
    shares, covered = [defaultdict(Fraction) for _ in range(problem.T)], [Fraction(0)] * (problem.T + 1)
    for labels, weight in weights.items():
        context = ()
        for i, label in enumerate(labels):
            covered[i] += weight / total
            grown = context + (label,)
            shares[i][grown[-problem.order :] if joins else grown] += weight / total
            context = next((after for written, _, after in machine.steps(i, context) if written == label), None)
            if context is None:
                break
        else:
            covered[problem.T] += weight / total
    return shares[:-1], covered


def regret_at(machine, rule, i, shares):
    """The largest share of any selection of the same size, minus that of the kept ones."""
    pinned, kept = rule.pinned(i), machine.columns[i] - {()}
    free = kept - pinned
    among = sorted(free | {c for c in chain.candidates(machine, rule, i) if c not in rule.forbidden(i)} - pinned)
    if comb(len(among), len(free)) <= MOST_SELECTIONS:
        best = max(sum(shares[c] for c in chosen) for chosen in combinations(among, len(free)))
    else:
        best = sum(sorted((shares[c] for c in among), reverse=True)[: len(free)])
    return best - sum(shares[c] for c in free)


def swapped(problem, rule, position, kept, discarded):
    """The machine with one candidate instead of another; later positions are selected again."""
    columns = [frozenset({()})]
    for i in range(1, problem.T):
        proposed = chain.candidates(chain.Machine(problem, tuple(columns)), rule, i)
        chosen = set(sorted(proposed, key=lambda context: -proposed[context])[: rule.allowance(i)])
        if i == position:
            chosen = chosen - {kept} | {discarded}
        columns.append(frozenset(chosen) | ({()} if rule.has_root() else set()))
    return chain.Machine(problem, tuple(columns))


def repairs(problem, rule, gold):
    """{(position, kept, discarded): (gap, machine)} of all swaps that bring in the gold's candidate and give it."""
    machine, found, context = blame.machine_by(problem, rule), {}, ()
    if machine.best().labels == gold:
        return {}
    for i in range(1, problem.T):
        grown, proposed = (*context, gold[i - 1]), chain.candidates(machine, rule, i)
        kept = machine.columns[i] - {()}
        for out in kept if grown in proposed and grown not in kept else ():
            other = swapped(problem, rule, i, out, grown)
            if other.best().labels == gold:
                found[i, out, grown] = (proposed[out] - proposed[grown]) / sum(proposed.values()), other
        context = machine.follow(i - 1, context, gold[i - 1])
        if context is None:
            break
    return found
