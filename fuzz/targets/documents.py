"""JSON and CSV: problems, lattices, traces, graphs for best-first search."""

from contextlib import suppress

import numpy as np

import rcmviz as rv
from fuzz.damage import damage_json, of_bytes
from fuzz.files import as_file, fixtures
from fuzz.target import target
from rcmviz.core.lattices.store import read_lattice, read_trace
from rcmviz.core.problems.problem_file import parse_content, read_problems
from rcmviz.search.graph import read_graph

CSV = {
    "gold": b"a,b,gold\n0.5,-1,a\n0,0,b\n",
    "windows": b"position,a,b,gold,note\n1,0.5,-inf,a,\n2,0,1e-3,b,so\n",
    "tokens": b"token,a,b\nx,1,0\ny,0,1\n",
}
TRANSITIONS = b"label,a,b\n^,0,0\n*,0,0\na,0,1\nb,-1,0\n"
GRAPH = (
    b'{"start": "A", "goals": ["D"], "steps": {"A": {"B": -1, "C": -2.5}, "B": {"D": -4}, "C": {"D": -1}},'
    b' "rest": {"A": -3}}'
)


def ask_problem(problem):
    """Run the usual queries of a problem."""
    answers = [problem.log_emit]
    for method in ("rcms", "beam", "exact"):
        with suppress_too_large():
            lattice, trace = problem.run(method, 3)
            answers += ask_lattice(lattice)
            answers += [trace.log_mass, trace.key]
    problem.to_json()
    return answers


def suppress_too_large():
    """Allow exact inference to refuse a problem as too large after the reader accepted it."""
    return suppress(TooLarge)


class TooLarge(ValueError):
    """Never raised."""


def ask_lattice(lattice):
    """Run the usual queries of a lattice; posteriors must sum to one."""
    if rv.log_z(lattice) == -np.inf:
        return [rv.log_z(lattice)]
    found = rv.posterior(lattice)
    sums = np.add.reduceat(found.context, lattice.offset[:-1])
    assert np.allclose(sums, 1, atol=1e-6), "posteriors do not sum to one"
    assert np.allclose(found.label.sum(axis=1), 1, atol=1e-6), "posteriors do not sum to one"
    drawn = rv.sample(lattice, 2, 0)
    return [found, rv.kbest(lattice, 3), drawn, rv.mass(lattice, ["*", lattice.labels[0]]), lattice.name(lattice.C - 1)]


@target("problem-json", lambda: {**fixtures("problem.json"), "tiny": tiny()}, damage_json)
def problem(content):
    return ask_problem(parse_content(content, "problem.json"))


@target("problem-list", lambda: {"two": b"[" + tiny() + b", " + tiny() + b"]"}, damage_json)
def problem_list(content):
    return [problem.log_emit for problem in read_problems(as_file(content, "problems.json"))]


def tiny():
    """A problem with transitions in place of windows, tokens, a note and a picture."""
    return (
        b'{"labels": ["a", "b"], "transitions": [[0, 1], [0.5, 0]], "log_emit": [[0, null],'
        b' [1, 2]], "gold": ["a", "b"], "name": "n", "title": "t", "tokens": ["x", "y"], "notes": {"1": "so"}}'
    )


@target(
    "problem-csv", lambda: {**fixtures("problem.csv"), **CSV}, of_bytes(b"gold", b"token", b"position", b"-inf", b",,,")
)
def problem_csv(content):
    return ask_problem(parse_content(content, "problem.csv"))


@target("transitions-csv", lambda: {"table": TRANSITIONS}, of_bytes(b"^", b"*", b"label"))
def transitions(content):
    return ask_problem(parse_content(CSV["gold"], "problem.csv", None, ("table.csv", content)))


@target("lattice-json", lambda: fixtures("*lattice*.json"), damage_json)
def lattice(content):
    found = read_lattice(as_file(content, "lattice.json"))
    return ask_lattice(found), found.to_json() and None


@target("trace-json", lambda: fixtures("*trace-*.json"), damage_json)
def trace(content):
    lattice, found = read_trace(as_file(content, "trace.json"))
    sentences = [found.reason(m) for m in range(0, len(found.key), 1 + len(found.key) // 5)]
    shown = [found.share(i) for i in range(1, lattice.T)]
    rv.export_html(found, path=as_file(b"", "trace.html"))
    return ask_lattice(lattice), sentences, shown, str(found), found.to_json() and None


@target("graph-json", lambda: {"graph": GRAPH}, damage_json)
def graph(content):
    found = read_graph(as_file(content, "graph.json"))
    return None if found is None else rv.search_best(found, most=500)
