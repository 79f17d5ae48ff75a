"""The Search payload compared with a search by definition: a list sorted at every pop."""

import itertools
import random

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.search.columns import ANY, as_search
from rcmviz.views.search.searching import QUEUED, Searched, build_searching


class Strings:
    """Strings of three signs from a to d with a random score for each sign behind each prefix, never above 0."""

    never_rises = True

    def __init__(self, seed, bound=0.0):
        self._random, self._scores, self._bound = random.Random(seed), {}, bound

    def start(self):
        return ""

    def extend(self, text):
        return [text + sign for sign in "abcd"]

    def complete(self, text):
        return len(text) == 3

    def score(self, text):
        for end in range(1, len(text) + 1):
            if text[:end] not in self._scores:
                self._scores[text[:end]] = -round(self._random.random(), 3)
        return sum(self._scores[text[:end]] for end in range(1, len(text) + 1))

    def rest(self, text):
        return self._bound * (3 - len(text))

    def name(self, text):
        return text[-1]


def replayed(problem, most):
    """[(taken, waiting, the best first, lost, the best first)] of every pop, up to the first complete string."""
    key = lambda entry: (-(problem.score(entry[1]) + problem.rest(entry[1])), entry[0])  # noqa: E731
    waiting, number, pops = [(0, "")], 1, []
    while waiting:
        (_, taken), *waiting = sorted(waiting, key=key)
        lost = []
        if not problem.complete(taken):
            longer = problem.extend(taken)
            waiting = sorted([*waiting, *enumerate(longer, start=number)], key=key)
            number += len(longer)
            waiting, lost = waiting[:most], waiting[most:] if most else []
        pops.append((taken, [text for _, text in waiting], [text for _, text in lost]))
        if problem.complete(taken):
            break
    return pops


def drawn(problem, most=None, gold="ddd"):
    """(Payload, its only run, the strings of its nodes)."""
    search = rv.search_best(problem, queue=most)
    labels = min(itertools.product("abcd", repeat=3), key=lambda one: -problem.score("".join(one)))
    best = {"labels": list(labels), "score": problem.score("".join(labels))}
    payload = build_searching([Searched(search, "astar", "A*", "One", "")], [], best, title="", gold=list(gold))
    (run,) = payload["runs"]
    texts = []
    for parent, label in zip(run["nodes"]["parent"], run["nodes"]["label"], strict=True):
        texts.append(texts[parent] + payload["labels"][label] if label >= 0 else "")
    return payload, run, texts


@pytest.mark.parametrize("most", [None, 1, 3])
@pytest.mark.parametrize("seed", range(12))
def test_every_pop_is_that_of_a_sorted_list(seed, most):
    problem = Strings(seed, bound=-0.01)
    payload, run, texts = drawn(problem, most)
    wanted, nodes = replayed(problem, most), run["nodes"]
    assert [texts[node] for node in run["pops"]] == [taken for taken, _, _ in wanted]
    assert run["queue"] == [len(waiting) for _, waiting, _ in wanted]
    assert run["lost"] == [len(lost) for _, _, lost in wanted]
    total = [score + rest for score, rest in zip(nodes["score"], nodes["rest"], strict=True)]
    for pop, (_, waiting, lost) in enumerate(wanted, start=1):
        here = [n for n, born in enumerate(nodes["born"]) if born <= pop and not 0 <= nodes["gone"][n] <= pop]
        here.sort(key=lambda n: (-total[n], n))
        assert [texts[n] for n in here][:QUEUED] == waiting[:QUEUED]
        gone = [texts[n] for n in range(len(texts)) if nodes["gone"][n] == pop and nodes["fate"][n] == "dropped"]
        assert set(lost[:3]) <= set(gone) <= set(lost)
    best = "".join(payload["labels"][label] for label in payload["best"]["labels"])
    assert [texts[n] for n in range(len(texts)) if nodes["right"][n]] == [
        text for text in (best[:k] for k in range(4)) if text in texts
    ]


@pytest.mark.parametrize("seed", range(6))
def test_a_proof_is_the_last_pop_and_is_of_the_best(seed):
    problem = Strings(seed)
    payload, run, _ = drawn(problem)
    (answer,) = run["answers"]
    assert run["proof"] == answer["pop"] == len(run["pops"]) == run["opening"]
    assert answer["labels"] == payload["best"]["labels"]
    assert answer["score"] == pytest.approx(payload["best"]["score"], abs=1e-5)
    assert all(bound >= answer["score"] - 1e-5 for bound in run["bound"][:-1])


def test_where_the_best_is_lost_the_view_begins():
    for seed in range(30):
        problem = Strings(seed)
        payload, run, _ = drawn(problem, most=1)
        if run["answers"][0]["labels"] != payload["best"]["labels"]:
            nodes = run["nodes"]
            lost = [n for n, right in enumerate(nodes["right"]) if right and nodes["fate"][n] == "dropped"]
            assert run["opening"] == min(nodes["gone"][n] for n in lost)
            return
    raise AssertionError("no greedy search goes wrong")


# --- builders


def chain(seed):
    """A model of order 1 over a, b, c with random weights, and emissions of four positions."""
    rng = np.random.default_rng(seed)
    windows = {(a, b): float(rng.normal()) for a in "abc" for b in "abc"}
    return rv.NgramModel.from_windows("abc", 1, windows), windows, rng.normal(size=(4, 3))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("budget", [1, 3])
def test_a_beam_extends_all_that_it_keeps_position_by_position(seed, budget):
    model, windows, emit = chain(seed)
    lattice, trace = rv.beam(model, emit, budget=budget)
    found = as_search(lattice, trace, 0.0)

    def score(text):
        pairs = sum(windows[pair] for pair in itertools.pairwise(text))
        return pairs + sum(emit[i, "abc".index(sign)] for i, sign in enumerate(text))

    column, popped, lost = [""], [], []
    for _ in range(4):
        popped += column
        longer = sorted((text + sign for text in column for sign in "abc"), key=lambda text: -score(text))
        column, beyond = longer[:budget], longer[budget:]
        lost.append(beyond)
    names = ["".join(found.trace.steps(n)) for n in found.trace.pops.tolist()]
    assert names == [*popped, "".join(found.answer)] == [*popped, column[0]]
    for n in found.trace.pops.tolist()[1:]:
        assert found.trace.score[n] == pytest.approx(score("".join(found.trace.steps(n))), abs=1e-4)
    dropped = [["".join(found.trace.steps(n)) for n in found.trace.dropped(p)] for p in range(len(popped))]
    assert [set(one) for one in dropped if one] == [set(one) for one in lost[:3] if one]
    assert all(size >= 0 for size in found.trace.queue.tolist())


@pytest.mark.parametrize("seed", range(6))
def test_rcms_loses_nothing_and_merges(seed):
    model, _, emit = chain(seed)
    lattice, trace = rv.rcms(model, emit, budget=2)
    found = as_search(lattice, trace, 0.0)
    assert len(found.trace.pops) == lattice.offset[lattice.T] + 1
    assert not [p for p in range(len(found.trace)) if len(found.trace.dropped(p))]
    for i in range(1, lattice.T):  # a position's contexts hold all the mass there is
        here = [n for n in found.trace.pops.tolist() if found.trace.depth[n] == i]
        assert np.logaddexp.reduce(found.trace.score[here]) == pytest.approx(trace.log_z_so_far[i], abs=1e-4)
        assert any(found.trace.step(n) == ANY for n in here)
