"""More facts of Step, Compare and Your own example: readings and their scores, and what the pictures say alone."""

import numpy as np

import rcmviz as rv
from pages.lessons.facts import fact
from pages.lessons.facts_word import candidate_table, finished_run, log_z, problem_of
from pages.lessons.opening import OF_WORD
from rcmviz.core.lattices.lattice import spell


def _view(name):
    return fact(f"view.{name}", *OF_WORD)


def _method(name):
    return fact(f"method.{name}", *OF_WORD)


@_view("labels")
def labels(view, who):
    """How many labels there are to choose from at a position."""
    return len(problem_of(view).labels)


@_view("readings")
def readings(view, who):
    """How many outputs there are."""
    return labels(view, who) ** problem_of(view).T


@_view("alone")
def alone(view, who):
    """The label that fits best at each position on its own, by the emissions alone, as one word."""
    problem = problem_of(view)
    return spell([problem.labels[y] for y in problem.log_emit.argmax(axis=1)])


@_view("misread")
def misread(view, who, number):
    """The position of so many wrong labels of ``view.alone``, counted from the left; none where there are fewer."""
    problem = problem_of(view)
    found = [problem.labels[y] for y in problem.log_emit.argmax(axis=1)]
    wrong = [i for i, (one, right) in enumerate(zip(found, problem.gold or found, strict=True), 1) if one != right]
    return wrong[number - 1] if len(wrong) >= number else None


@_method("reading")
def reading(view, who, rank=1):
    """The output of a rank, the most probable first, as one word."""
    return spell(rv.kbest(finished_run(view, who).lattice, rank)[rank - 1].labels)


@_method("reading_p")
def reading_p(view, who, rank=1):
    """The probability of the output of a rank, from 0 to 1."""
    return float(np.exp(rv.kbest(finished_run(view, who).lattice, rank)[rank - 1].log_prob))


@_method("candidate")
def candidate(view, who, rank, position=None):
    """The candidate of a rank at a position, 1 for the heaviest."""
    return str(candidate_table(view, who, position).sort_values("rank").index[rank - 1])


@_method("p")
def p(view, who, word):
    """The probability of an output, from 0 to 1."""
    return float(np.exp(rv.log_prob(finished_run(view, who).lattice, tuple(str(word)))))


@_method("score")
def score(view, who, word):
    """The log of the mass of an output, before it is divided by Z."""
    return float(rv.log_prob(finished_run(view, who).lattice, tuple(str(word)))) + log_z(view, who)


@_method("seen")
def seen(view, who):
    """The mass of all that a method has, as a share of the mass of all outputs: below 1 for one that drops."""
    exact, _ = problem_of(view).run("exact", record=False)
    return float(np.exp(log_z(view, who) - rv.log_z(exact)))
