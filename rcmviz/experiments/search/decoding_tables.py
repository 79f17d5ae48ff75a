"""Contexts extended by a search until its answer is the best: A* compared with beams, RCMS, exact inference and ARS."""

import time
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rcmviz.ars.decode import ars_decode
from rcmviz.core.builders.build import build_lattice
from rcmviz.core.inference.infer import log_z, viterbi
from rcmviz.core.methods import MethodChoice
from rcmviz.core.models.shipped import load_model
from rcmviz.data.registry import find
from rcmviz.experiments import sms_runs, tables
from rcmviz.experiments.report import Plan
from rcmviz.experiments.search import data
from rcmviz.lm.hmm import HMM
from rcmviz.search.engine import search_best
from rcmviz.search.sequences import SequenceSearch
from rcmviz.tasks import TEST_FOLD
from rcmviz.tasks.decoding import log_score
from rcmviz.tasks.handwriting.problems import problem_from_word

SOURCES = (
    "search/bounds.py",
    "search/engine.py",
    "search/queue.py",
    "search/sequences.py",
    "kernels/search",
    "kernels/chain",
    "kernels/ars",
    "core/builders/build.py",
    "core/builders/histories.py",
    "core/builders/passes.py",
    "lm/word_scores.py",
    "experiments/sms_runs.py",
)
WORDS, MESSAGES, LENGTH = 200, 40, 8  # words of the test fold; messages and how many words each has
MOST_POPS = 5_000
SAME = 1e-6  # relative; two scores closer than this are one, also where language models have single precision


def _astar(bound, **more):
    return {"bound": bound} | more


SHARED = {"greedy": {"method": "greedy"}} | {
    chosen.title: {"method": chosen.kind, "budget": chosen.budget}
    for kind, budgets in (("beam", (5, 10, 20, 50, 100, 1000)), ("rcms", (10, 100)))
    for chosen in (MethodChoice(kind, budget) for budget in budgets)
}
OF_WORDS = (
    {
        "A*, bound sees 0 labels": _astar(0),
        "A*, 1 label": _astar(1),
        "A*, 2 labels": _astar(2),
        "A*, 1 label, joined": _astar(1, recombine=True),
        "A*, 2 labels, queue 10": _astar(2, queue=10),
        "best-first, queue 10": {"queue": 10},
        "best-first, queue 100": {"queue": 100},
    }
    | SHARED
    | {"exact": {"method": "exact"}}
)
OF_MESSAGES = {
    "A*, bound sees 0 words": _astar(0),
    "A*, 1 word": _astar(1),
    "A*, 1 word, queue 10": _astar(1, queue=10),
    "best-first, queue 10": {"queue": 10},
    "best-first, queue 100": {"queue": 100},
    "ARS": {"method": "ars"},
} | SHARED
TASKS = {"words": OF_WORDS, "messages": OF_MESSAGES}


def specs(plan: Plan) -> list[dict]:
    """One per task and row."""
    messages = "europarl" if plan.data == "kassel" and find("europarl") else "shipped"
    where = {"words": (plan.data, WORDS), "messages": (messages, MESSAGES)}
    return [
        {"task": task, "row": row, "data": where[task][0], "number": 3 if plan.quick else where[task][1]} | how
        for task, rows in TASKS.items()
        for row, how in rows.items()
    ]


def effort(spec: dict) -> float:
    """Seconds, roughly."""
    return spec["number"] * (0.05 if spec["task"] == "words" else 1.0)


def cell(spec: dict) -> dict:
    """Per example: the score of the answer or None, whether it is right, its cost."""
    examples = _examples(spec["task"], spec["data"], spec["number"])
    _run_search(spec, *examples[0])  # compiled code is loaded before the clock starts
    found = [_run_search(spec, *one) for one in examples]
    names = ("score", "right", "extended", "seconds")
    return dict(zip(names, map(list, zip(*found, strict=True)), strict=True))


@lru_cache(maxsize=2)
def _examples(task, source, number):
    """``(model, log emissions or None, gold)`` of each example."""
    if task == "messages":
        spec = sms_runs.decoding_spec(source, 3, slips=True, sentences=number, cut=True)
        lm = sms_runs.language_model(source, 3, tuple(spec["cutoffs"]))
        meant = sms_runs.sentences(source, lm, LENGTH, number, cut=True)
        typed = sms_runs.messages(spec, LENGTH)
        return [(one.hmm(lm, end=False), None, tuple(words)) for one, words in zip(typed, meant, strict=True)]
    name = "handwriting-kassel" if source == "kassel" else "handwriting-pen"
    words = data.words_of(source, TEST_FOLD)
    chosen = np.random.default_rng(0).permutation(len(words))[:number]
    problems = [problem_from_word(load_model(name), words[k]) for k in chosen]
    return [(problem.model, problem.log_emit, tuple(problem.gold)) for problem in problems]


def _run_search(spec, model, log_emit, gold):
    began = time.process_time()
    found = _search_answer(spec, model, log_emit)
    return found.score, found.labels == gold, found.extended, time.process_time() - began


class _Answer(NamedTuple):
    """Labels and log score under the model, both None without an answer, and how many contexts were extended."""

    labels: tuple | None
    score: float | None
    extended: int


def _search_answer(spec, model, log_emit):
    """The ``_Answer`` of one search."""
    if "method" not in spec:
        problem = SequenceSearch(model, log_emit, bound_order=spec.get("bound"))
        found = search_best(problem, queue=spec.get("queue"), most=MOST_POPS, recombine=spec.get("recombine", False))
        if not found.answers:
            return _Answer(None, None, found.expansions)
        return _Answer(problem.labels(found.best.hypothesis), found.best.score, found.expansions)
    if spec["method"] == "ars":
        best, _ = ars_decode(model, record=False)
        return _Answer(best.words, best.log_score, best.states)
    lattice, _ = build_lattice(spec["method"], model, log_emit, spec.get("budget", 1), record=False)
    if log_z(lattice) == -np.inf:
        return _Answer(None, None, lattice.C - 1)
    best = viterbi(lattice)
    return _Answer(best.labels, _true_score(model, log_emit, best), lattice.C - 1)


def _true_score(model, log_emit, path):
    """The log score of a path under the model itself, which RCMS replaces by another."""
    if isinstance(model, HMM):
        return log_score(model, path.labels)
    problem = SequenceSearch(model, log_emit)
    return float(sum(problem.row(path.indices[:i])[y] for i, y in enumerate(path.indices)))


def sections(plan: Plan, results: Sequence[dict]) -> str:
    """A table per task, with a sentence on the smallest beam that loses nothing."""
    asked = specs(plan)
    texts = ["## Search: how much is extended until the answer is the best", _introduction(asked)]
    for task, title in (("words", "Handwritten words, order 3"), ("messages", "Messages on a keypad, trigrams")):
        rows = {spec["row"]: one for spec, one in zip(asked, results, strict=True) if spec["task"] == task}
        best = np.array([max(scores) for scores in zip(*map(_scores, rows.values()), strict=True)])
        head = ("search", "right", "not the best", "unfinished", "extended", "median", "most", "CPU ms")
        texts += [f"### {title}", tables.markdown_table(head, [_line(name, one, best) for name, one in rows.items()])]
        texts.append(_equal(rows, best))
    return "\n\n".join(texts)


def _scores(result):
    return [-np.inf if score is None else score for score in result["score"]]


def _search_errors(result, best):
    """Which answers are not the best."""
    return best - np.array(_scores(result)) > SAME * (1 + np.abs(best))


def _line(name, result, best):
    unfinished = np.array([score is None for score in result["score"]])
    lost = _search_errors(result, best) & ~unfinished
    extended = np.array(result["extended"])
    return [
        name,
        tables.number_text(float(np.mean(result["right"]))),
        f"{lost.sum()}",
        f"{unfinished.sum() or ''}",
        f"{extended.mean():,.0f}",
        f"{np.median(extended):,.0f}",
        f"{extended.max():,}",
        f"{1000 * np.mean(result['seconds']):.1f}",
    ]


def _equal(rows, best):
    """A* and the smallest beam whose answers are the best as often."""
    proving = {name: one for name, one in rows.items() if name.startswith("A*") and not _search_errors(one, best).any()}
    beams = {name: one for name, one in rows.items() if name.startswith("beam")}
    if not proving:
        return "No A* of these has finished on all of them."
    name = min(proving, key=lambda one: np.mean(proving[one]["extended"]))
    fewest = np.mean(proving[name]["extended"])
    equal = next((beam for beam, one in beams.items() if not _search_errors(one, best).any()), None)
    least = f"the smallest beam here that never misses it is {equal}" if equal else "no beam here always finds it"
    extends = f", which extends {np.mean(rows[equal]['extended']) / fewest:.3g} times as much" if equal else ""
    return f"The best answer, always: {name} extends {fewest:,.0f} contexts on average; {least}{extends}."


def _introduction(asked):
    words, messages = (next(spec for spec in asked if spec["task"] == task) for task in TASKS)
    by = "Kassel's words of the test fold" if words["data"] == "kassel" else "words by the pen, those of the test fold"
    text = sms_runs.DESCRIBED[messages["data"]]
    return (
        f"{words['number']} of {by}, read with the shipped model; {messages['number']} messages of {LENGTH} words "
        f"typed with slips, every word of as many keys a candidate: {text}. *Not the best*: another method here found "
        f"an answer with a higher score. *Unfinished*: no answer after {MOST_POPS:,} pops. *Extended*: contexts whose "
        "followers were scored; of ARS the states of its automaton. CPU time includes the bounds; A* is Python around "
        "NumPy, the lattices are compiled."
    )
