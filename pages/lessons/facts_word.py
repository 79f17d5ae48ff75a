"""Facts of Step, Compare and Your own example: what methods read, what they keep and lose, position by position."""

from functools import lru_cache

import numpy as np

import rcmviz as rv
from pages.lessons.facts import fact
from pages.lessons.opening import OF_WORD
from pages.word import blame, runs
from pages.word.edits import holding
from pages.word.trust import trust_of
from rcmviz.core.builders.blame import blame_problem
from rcmviz.core.builders.passes import log_sum
from rcmviz.core.inference.shares import forward_shares
from rcmviz.core.inference.verdict import judge
from rcmviz.core.lattices.lattice import spell
from rcmviz.core.lattices.trace import star


def _view(name):
    return fact(f"view.{name}", *OF_WORD)


def _method(name):
    return fact(f"method.{name}", *OF_WORD)


def number_of(view, who):
    """The number, from 0, of the method that ``who`` names: ``beam``, or ``beam:10``; ValueError: there is none."""
    exactly = [k for k, method in enumerate(view.methods) if str(method) == who]
    of_kind = [k for k, method in enumerate(view.methods) if method.kind == who]
    found = exactly or of_kind
    if not found:
        raise ValueError(f"no method {who!r} is shown here: there is {', '.join(map(str, view.methods))}")
    if len(found) > 1 and not exactly:
        named = ", ".join(str(view.methods[k]) for k in found)
        raise ValueError(f"{who!r} is shown {len(found)} times: say which one, {named}")
    return found[0]


def finished_run(view, who):
    """The FinishedRun of the method that ``who`` names."""
    k = number_of(view, who)
    return runs.finished(view.subject, view.methods[k], view.options, holding(view.edits, k + 1))


def problem_of(view):
    """The Problem of the view."""
    return runs.problem_of(view.subject)


def _position(view, given, last):
    position = min(view.position, last) if given is None else given
    if not isinstance(position, int) or not 1 <= position <= last:
        raise ValueError(f"position {position!r}: a whole number from 1 to {last} is wanted here")
    return position


@_view("gold")
def gold(view, who):
    """The right labels, as one word; none where nobody knows them."""
    labels = problem_of(view).gold
    return None if labels is None else spell(labels)


@_view("length")
def length(view, who):
    """How many positions the word has."""
    return problem_of(view).T


@_view("proved_lower")
def proved_lower(view, who):
    """What log Z of the full model is at least."""
    return _trust(view)["lower"]


@_view("proved_upper")
def proved_upper(view, who):
    """What log Z of the full model is at most."""
    return _trust(view)["upper"]


@lru_cache(maxsize=16)
def _trust(view):
    found = trust_of(view)
    if found is None:
        raise ValueError("nothing is proved here of log Z: no output is possible, or methods have edits of their own")
    return found


@lru_cache(maxsize=64)
def _judged(view, who):
    run, right = finished_run(view, who), problem_of(view).gold
    return judge(run.name, run.lattice, right)


@_method("budget")
def budget(view, who):
    """How many contexts the method may keep; none where it keeps them all."""
    method = view.methods[number_of(view, who)]
    return method.budget if method.has_budget else None


@_method("output")
def output(view, who):
    """What the method reads, as one word."""
    return spell(_judged(view, who).decoded)


@_method("confidence")
def confidence(view, who):
    """The probability of what it reads, from 0 to 1."""
    return _judged(view, who).confidence


@_method("right")
def right(view, who):
    """Whether it reads the right labels."""
    judged = _judged(view, who)
    return judged.gold is not None and judged.decoded == judged.gold


@_method("log_z")
def log_z(view, who):
    """Log Z of the method's own model."""
    return _judged(view, who).log_z


@_method("p_gold")
def p_gold(view, who):
    """The probability of the right labels; none where nobody knows them."""
    return _judged(view, who).gold_probability


@_method("gold_rank")
def gold_rank(view, who):
    """The rank of the right labels among all outputs; none beyond 200."""
    return _judged(view, who).gold_rank


@_method("lost_at")
def lost_at(view, who):
    """The position at which the method dropped the right labels; none where it never did."""
    return _judged(view, who).lost_at


@lru_cache(maxsize=64)
def _blamed(view, who):
    found = blame_problem(problem_of(view), finished_run(view, who).lattice)
    if found is None:
        raise ValueError("nobody knows the right labels here, so nobody is to blame")
    return found


@_method("verdict")
def verdict(view, who):
    """``right``, ``model error`` or ``search error``."""
    return _blamed(view, who).verdict


@_method("blamed_at")
def blamed_at(view, who):
    """The position of a search error, where the right labels were dropped or merged; none where there is none."""
    return _blamed(view, who).position


@_method("smallest_budget")
def smallest_budget(view, who):
    """The smallest budget with which it reads the right labels; none where no budget that was tried does."""
    strip = blame.found_strips(view)[number_of(view, who)]
    if strip is None:
        raise ValueError(f"{who} has no budget here, or nobody knows the right labels")
    return strip["smallest"]


@_method("entropy")
def entropy(view, who, position=None):
    """Entropy in nats of all outputs; at a position: of the contexts that are kept there, by forward mass."""
    run = finished_run(view, who)
    if position is None:
        return float(rv.posterior(run.lattice).entropy)
    share = _shares(run)[run.lattice.column(_position(view, position, run.lattice.T))]
    share = share[share > 0] / share.sum()
    return float(-(share * np.log(share)).sum())


@_method("contexts")
def contexts(view, who, position=None):
    """How many contexts are kept at a position."""
    lattice = finished_run(view, who).lattice
    column = lattice.column(_position(view, position, lattice.T))
    return column.stop - column.start


@_method("carried")
def carried(view, who, position=None):
    """The share of all mass proposed at a position that the method still carries after it: 1, or less if it drops."""
    run = finished_run(view, who)
    return float(_shares(run)[run.lattice.column(_position(view, position, run.lattice.T))].sum())


@_method("log_z_so_far")
def log_z_so_far(view, who, position=None):
    """Log of the mass of all beginnings of so many labels."""
    lattice = finished_run(view, who).lattice
    return float(log_sum(_forward(finished_run(view, who))[lattice.column(_position(view, position, lattice.T))]))


def _shares(run):
    return forward_shares(run.lattice, run.trace)


def _forward(run):
    return rv.posterior(run.lattice).forward


@_method("forward")
def forward(view, who, context, position=None):
    """The forward mass of a context, as a share of all that was proposed at the position."""
    run = finished_run(view, who)
    return float(_shares(run)[run.lattice.find(_position(view, position, run.lattice.T), str(context))])


@_method("posterior")
def posterior(view, who, context, position=None):
    """The probability that an output passes through a context."""
    lattice = finished_run(view, who).lattice
    return float(rv.posterior(lattice).context[lattice.find(_position(view, position, lattice.T), str(context))])


@_method("holds")
def holds(view, who, context, position=None):
    """Whether there is a context of that name at a position."""
    lattice = finished_run(view, who).lattice
    column = lattice.column(_position(view, position, lattice.T))
    return any(lattice.name(c) == str(context) for c in range(column.start, column.stop))


@_method("root")
def root(view, who, position=None):
    """The share of all mass that the root has at a position, the context that remembers nothing."""
    run = finished_run(view, who)
    column = run.lattice.column(_position(view, position, run.lattice.T))
    return float(_shares(run)[column][run.lattice.length[column] == 0].sum())


@_method("candidates")
def candidates(view, who, position=None):
    """How many candidates there are at a position."""
    return len(candidate_table(view, who, position))


@_method("kept")
def kept(view, who, position=None):
    """How many candidates are kept at a position."""
    return int(candidate_table(view, who, position)["kept"].sum())


@_method("merged")
def merged(view, who, position=None):
    """How many candidates are merged at a position."""
    return int((candidate_table(view, who, position)["fate"] == "merged").sum())


@_method("dropped")
def dropped(view, who, position=None):
    """How many candidates are dropped at a position."""
    return int((candidate_table(view, who, position)["fate"] == "dropped").sum())


@_method("dropped_mass")
def dropped_mass(view, who, position=None):
    """The share of all mass that is dropped at a position."""
    table = candidate_table(view, who, position)
    return float(table["mass"][table["fate"] == "dropped"].sum())


def candidate_table(view, who, position):
    """The candidates of a position as a table by name, with their rank, mass, fate and carrier."""
    run = finished_run(view, who)
    if run.trace is None:
        raise ValueError(f"{who} has no candidates here: it keeps too many contexts to be recorded")
    return _tabled(view, who, _position(view, position, run.lattice.T - 1))


@lru_cache(maxsize=64)
def _tabled(view, who, position):
    table = finished_run(view, who).trace.table(position)
    names = [star(labels, position) for labels in table["context"]]
    into = [None if labels is None else star(labels, position) for labels in table["into"]]
    return table.assign(name=names, carrier=into).set_index("name")


def _candidate(view, who, name, position):
    table = candidate_table(view, who, position)
    if name not in table.index:
        raise ValueError(f"{name!r} is no candidate of {who} there; the heaviest are {', '.join(_heaviest(table))}")
    return table.loc[[name]].sort_values("rank").iloc[0]


def _heaviest(table):
    return table.sort_values("rank").index[:5]


@_method("mass")
def mass(view, who, candidate, position=None):
    """The mass of a candidate, as a share of all that is proposed at the position."""
    return float(_candidate(view, who, str(candidate), position)["mass"])


@_method("rank")
def rank(view, who, candidate, position=None):
    """The rank of a candidate at a position, 1 for the heaviest."""
    return int(_candidate(view, who, str(candidate), position)["rank"])


@_method("fate")
def fate(view, who, candidate, position=None):
    """What becomes of a candidate: ``kept``, ``merged``, ``joined`` or ``dropped``."""
    return str(_candidate(view, who, str(candidate), position)["fate"])


@_method("into")
def into(view, who, candidate, position=None):
    """The context that carries a candidate's mass from there on; none where it is dropped."""
    return _candidate(view, who, str(candidate), position)["carrier"]


@_method("letter")
def letter(view, who, position=None):
    """The label that the output has at a position."""
    return _judged(view, who).decoded[_position(view, position, problem_of(view).T) - 1]


@_method("p_letter")
def p_letter(view, who, label, position=None):
    """The probability of a label at a position."""
    lattice = finished_run(view, who).lattice
    i = _position(view, position, lattice.T) - 1
    names = [lattice.name_of(i, y) for y in range(lattice.width)]
    if str(label) not in names:
        raise ValueError(f"{label!r} is no label at position {i + 1}; there are {', '.join(names[:30])}")
    return float(rv.posterior(lattice).label[i, names.index(str(label))])
