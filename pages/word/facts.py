"""Facts of Step, Compare and Your own example: what methods read, what they keep and lose, position by position."""

from functools import lru_cache

import numpy as np

import rcmviz as rv
from pages.word import blame, runs
from pages.word.edits import edits_of_method
from pages.word.trust import trust_of
from rcmviz.core.builders.blame import blame_problem
from rcmviz.core.builders.passes import log_sum
from rcmviz.core.inference.shares import forward_shares
from rcmviz.core.inference.verdict import judge
from rcmviz.core.lattices.lattice import spell
from rcmviz.core.lattices.trace import star
from rcmviz.views.word.quiz import why_not_asked


def source(question):
    """Facts are computed from the runs of one method, not from the payload."""
    return question


def points(question, view_state, payload):
    """The slider, and the contexts and candidates of each method at the position of the question."""
    shown = payload()["player"]
    position = min(question.position, shown["T"])
    columns = [run["columns"][position] for run in shown["runs"]]
    return {
        "slider": [{"position"}],
        "context": [_names(shown, column, position) for column in columns],
        "candidate": [_names(shown, column.get("candidates"), position) for column in columns],
    }


def _names(shown, part, position):
    """What the contexts or candidates of a column are called, "*" before those that have forgotten their beginning."""
    if part is None:
        return set()
    return {
        ("" if length == position and length else "*") + _spelled(shown, labels, length)
        for labels, length in zip(part["labels"], part["length"], strict=True)
    }


def _spelled(shown, labels, length):
    names = [shown["labels"][y] for y in labels]
    return ("" if all(len(name) == 1 for name in names) else " ").join(names)


def quiz(payload, position, run):
    """Why the player cannot ask what the reader shall predict; None if it can."""
    return why_not_asked(payload["player"], position, run)


def _number_of(question, method):
    """The number, from 0, of the method of that name, ``beam`` or ``beam:10``; ValueError if there is none."""
    exactly = [k for k, each in enumerate(question.methods) if str(each) == method]
    of_kind = [k for k, each in enumerate(question.methods) if each.kind == method]
    found = exactly or of_kind
    if not found:
        raise ValueError(f"no method {method!r} is shown here: there is {', '.join(map(str, question.methods))}")
    if len(found) > 1 and not exactly:
        named = ", ".join(str(question.methods[k]) for k in found)
        raise ValueError(f"{method!r} is shown {len(found)} times: say which one, {named}")
    return found[0]


def _finished_run(question, method):
    """The FinishedRun of the method of that name."""
    k = _number_of(question, method)
    return runs.finished_run(
        question.subject, question.methods[k], question.options, edits_of_method(question.edits, k + 1)
    )


def _problem_of(question):
    return runs.problem_of(question.subject)


def _position(question, given, last):
    position = min(question.position, last) if given is None else given
    if not isinstance(position, int) or not 1 <= position <= last:
        raise ValueError(f"position {position!r}: a whole number from 1 to {last} is wanted here")
    return position


def gold(question):
    """The right labels, as one word; none where nobody knows them."""
    labels = _problem_of(question).gold
    return None if labels is None else spell(labels)


def length(question):
    """How many positions the word has."""
    return _problem_of(question).T


def proved_lower(question):
    """What log Z of the full model is at least."""
    return _trust(question)["lower"]


def proved_upper(question):
    """What log Z of the full model is at most."""
    return _trust(question)["upper"]


@lru_cache(maxsize=16)
def _trust(question):
    found = trust_of(question)
    if found is None:
        raise ValueError("nothing is proved here of log Z: no output is possible, or methods have edits of their own")
    return found


@lru_cache(maxsize=64)
def _judged(question, method):
    run, right = _finished_run(question, method), _problem_of(question).gold
    return judge(run.name, run.lattice, right)


def budget(question, method):
    """How many contexts the method may keep; none where it keeps them all."""
    chosen = question.methods[_number_of(question, method)]
    return chosen.budget if chosen.has_budget else None


def output(question, method):
    """What the method reads, as one word."""
    return spell(_judged(question, method).decoded)


def confidence(question, method):
    """The probability of what it reads, from 0 to 1."""
    return _judged(question, method).confidence


def right(question, method):
    """Whether it reads the right labels."""
    judged = _judged(question, method)
    return judged.gold is not None and judged.decoded == judged.gold


def log_z(question, method):
    """Log Z of the method's own model."""
    return _judged(question, method).log_z


def p_gold(question, method):
    """The probability of the right labels; none where nobody knows them."""
    return _judged(question, method).gold_probability


def gold_rank(question, method):
    """The rank of the right labels among all outputs; none beyond 200."""
    return _judged(question, method).gold_rank


def lost_at(question, method):
    """The position at which the method dropped the right labels; none where it never did."""
    return _judged(question, method).lost_at


@lru_cache(maxsize=64)
def _blamed(question, method):
    found = blame_problem(_problem_of(question), _finished_run(question, method).lattice)
    if found is None:
        raise ValueError("nobody knows the right labels here, so nobody is to blame")
    return found


def verdict(question, method):
    """``right``, ``model error`` or ``search error``."""
    return _blamed(question, method).verdict


def blamed_at(question, method):
    """The position of a search error, where the right labels were dropped or merged; none where there is none."""
    return _blamed(question, method).position


def smallest_budget(question, method):
    """The smallest budget with which it reads the right labels; none where no budget that was tried does."""
    strip = blame.found_strips(question)[_number_of(question, method)]
    if strip is None:
        raise ValueError(f"{method} has no budget here, or nobody knows the right labels")
    return strip["smallest"]


def entropy(question, method, position=None):
    """Entropy in nats of all outputs; at a position: of the contexts that are kept there, by forward mass."""
    run = _finished_run(question, method)
    if position is None:
        return float(rv.posterior(run.lattice).entropy)
    share = _shares(run)[run.lattice.column(_position(question, position, run.lattice.T))]
    share = share[share > 0] / share.sum()
    return float(-(share * np.log(share)).sum())


def contexts(question, method, position=None):
    """How many contexts are kept at a position."""
    lattice = _finished_run(question, method).lattice
    column = lattice.column(_position(question, position, lattice.T))
    return column.stop - column.start


def carried(question, method, position=None):
    """The share of all mass proposed at a position that the method still carries after it: 1, or less if it drops."""
    run = _finished_run(question, method)
    return float(_shares(run)[run.lattice.column(_position(question, position, run.lattice.T))].sum())


def log_z_so_far(question, method, position=None):
    """Log of the mass of all beginnings of so many labels."""
    run = _finished_run(question, method)
    return float(log_sum(_forward(run)[run.lattice.column(_position(question, position, run.lattice.T))]))


def _shares(run):
    return forward_shares(run.lattice, run.trace)


def _forward(run):
    return rv.posterior(run.lattice).forward


def forward(question, method, context, position=None):
    """The forward mass of a context, as a share of all that was proposed at the position."""
    run = _finished_run(question, method)
    return float(_shares(run)[run.lattice.find(_position(question, position, run.lattice.T), str(context))])


def posterior(question, method, context, position=None):
    """The probability that an output passes through a context."""
    lattice = _finished_run(question, method).lattice
    return float(rv.posterior(lattice).context[lattice.find(_position(question, position, lattice.T), str(context))])


def holds(question, method, context, position=None):
    """Whether there is a context of that name at a position."""
    lattice = _finished_run(question, method).lattice
    column = lattice.column(_position(question, position, lattice.T))
    return any(lattice.name(c) == str(context) for c in range(column.start, column.stop))


def root(question, method, position=None):
    """The share of all mass that the root has at a position, the context that remembers nothing."""
    run = _finished_run(question, method)
    column = run.lattice.column(_position(question, position, run.lattice.T))
    return float(_shares(run)[column][run.lattice.length[column] == 0].sum())


def candidates(question, method, position=None):
    """How many candidates there are at a position."""
    return len(_candidate_table(question, method, position))


def kept(question, method, position=None):
    """How many candidates are kept at a position."""
    return int(_candidate_table(question, method, position)["kept"].sum())


def merged(question, method, position=None):
    """How many candidates are merged at a position."""
    return int((_candidate_table(question, method, position)["fate"] == "merged").sum())


def dropped(question, method, position=None):
    """How many candidates are dropped at a position."""
    return int((_candidate_table(question, method, position)["fate"] == "dropped").sum())


def dropped_mass(question, method, position=None):
    """The share of all mass that is dropped at a position."""
    table = _candidate_table(question, method, position)
    return float(table["mass"][table["fate"] == "dropped"].sum())


def _candidate_table(question, method, position):
    """The candidates of a position as a table by name, with their rank, mass, fate and carrier."""
    run = _finished_run(question, method)
    if run.trace is None:
        raise ValueError(f"{method} has no candidates here: it keeps too many contexts to be recorded")
    return _tabled(question, method, _position(question, position, run.lattice.T - 1))


@lru_cache(maxsize=64)
def _tabled(question, method, position):
    table = _finished_run(question, method).trace.table(position)
    names = [star(labels, position) for labels in table["context"]]
    into = [None if labels is None else star(labels, position) for labels in table["into"]]
    return table.assign(name=names, carrier=into).set_index("name")


def _candidate(question, method, name, position):
    table = _candidate_table(question, method, position)
    if name not in table.index:
        raise ValueError(f"{name!r} is no candidate of {method} there; the heaviest are {', '.join(_heaviest(table))}")
    return table.loc[[name]].sort_values("rank").iloc[0]


def _heaviest(table):
    return table.sort_values("rank").index[:5]


def mass(question, method, candidate, position=None):
    """The mass of a candidate, as a share of all that is proposed at the position."""
    return float(_candidate(question, method, str(candidate), position)["mass"])


def rank(question, method, candidate, position=None):
    """The rank of a candidate at a position, 1 for the heaviest."""
    return int(_candidate(question, method, str(candidate), position)["rank"])


def fate(question, method, candidate, position=None):
    """What becomes of a candidate: ``kept``, ``merged``, ``joined`` or ``dropped``."""
    return str(_candidate(question, method, str(candidate), position)["fate"])


def into(question, method, candidate, position=None):
    """The context that carries a candidate's mass from there on; none where it is dropped."""
    return _candidate(question, method, str(candidate), position)["carrier"]


def letter(question, method, position=None):
    """The label that the output has at a position."""
    return _judged(question, method).decoded[_position(question, position, _problem_of(question).T) - 1]


def p_letter(question, method, label, position=None):
    """The probability of a label at a position."""
    lattice = _finished_run(question, method).lattice
    i = _position(question, position, lattice.T) - 1
    names = [lattice.name_of(i, y) for y in range(lattice.width)]
    if str(label) not in names:
        raise ValueError(f"{label!r} is no label at position {i + 1}; there are {', '.join(names[:30])}")
    return float(rv.posterior(lattice).label[i, names.index(str(label))])


def labels(question):
    """How many labels there are to choose from at a position."""
    return len(_problem_of(question).labels)


def readings(question):
    """How many outputs there are."""
    return labels(question) ** _problem_of(question).T


def alone(question):
    """The label that fits best at each position on its own, by the emissions alone, as one word."""
    problem = _problem_of(question)
    return spell([problem.labels[y] for y in problem.log_emit.argmax(axis=1)])


def misread(question, number):
    """The position of so many wrong labels of ``question.alone``, counted from the left; none where there are fewer."""
    problem = _problem_of(question)
    found = [problem.labels[y] for y in problem.log_emit.argmax(axis=1)]
    wrong = [i for i, (one, right) in enumerate(zip(found, problem.gold or found, strict=True), 1) if one != right]
    return wrong[number - 1] if len(wrong) >= number else None


def reading(question, method, rank=1):
    """The output of a rank, the most probable first, as one word."""
    return spell(rv.kbest(_finished_run(question, method).lattice, rank)[rank - 1].labels)


def reading_p(question, method, rank=1):
    """The probability of the output of a rank, from 0 to 1."""
    return float(np.exp(rv.kbest(_finished_run(question, method).lattice, rank)[rank - 1].log_prob))


def candidate(question, method, rank, position=None):
    """The candidate of a rank at a position, 1 for the heaviest."""
    return str(_candidate_table(question, method, position).sort_values("rank").index[rank - 1])


def p(question, method, word):
    """The probability of an output, from 0 to 1."""
    return float(np.exp(rv.log_prob(_finished_run(question, method).lattice, tuple(str(word)))))


def score(question, method, word):
    """The log of the mass of an output, before it is divided by Z."""
    return float(rv.log_prob(_finished_run(question, method).lattice, tuple(str(word)))) + log_z(question, method)


def seen(question, method):
    """The mass of all that a method has, as a share of the mass of all outputs: below 1 for one that drops."""
    exact, _ = _problem_of(question).run("exact", record=False)
    return float(np.exp(log_z(question, method) - rv.log_z(exact)))
