"""ARS, beam search, RCMS and exact inference on one input: best output, confidence and cost."""

import time
from dataclasses import replace

import numpy as np

import rcmviz as rv
from pages.ars.answer import warm_up
from pages.ars.inputs import ArsInputs
from pages.shell.capability import Payload
from pages.shell.text import as_sentence
from rcmviz.core.builders.build import build_lattice
from rcmviz.core.methods import DECODERS, METHODS, OF_ANOTHER_MODEL, MethodChoice
from rcmviz.tasks.decoding import log_score
from rcmviz.views.word.payload import digest, number

BY_BUDGET = [kind for kind, method in DECODERS.items() if method.has_budget and method.in_bulk]
SWEPT = (1, 2, 5, 10, 20, 50, 100)  # budgets of the chart
DRAWS = 1_000  # draws to tighten the bounds on log Z
SHORT = 500.0  # milliseconds; a shorter run is repeated


def comparison(inputs: ArsInputs) -> Payload:
    """Run every method; returns the payload of the race."""
    warm_up()
    subject, question = inputs.subject, inputs.question
    hmm = replace(subject.hmm, temperature=question.temperature)
    first = _run_ars(hmm, question)
    rest = [*(_run_by_budget(kind, hmm, question.budget) for kind in BY_BUDGET), _run_exact(hmm)]
    payload = {
        "title": subject.title,
        "inputs": list(subject.inputs),
        "methods": [first, *rest],
        "budget": question.budget,
        "proved": first["proved"],
        "sweep": _sweep(hmm, question.budget),
    }
    return payload | {"id": digest(payload)}


def _run_ars(hmm, question):
    """Run ARS: the best output with its proof, and bounds on log Z tightened by draws."""
    options = {"look_ahead": question.look_ahead, "strategy": question.strategy, "record": False}
    milliseconds, (best, _) = _time_run(lambda: rv.ars_decode(hmm, seconds=question.seconds, **options))
    draws, _ = rv.ars_sample(hmm, DRAWS, seconds=max(0.0, question.seconds - milliseconds / 1000), **options)
    width = (hmm.choices >= 0).sum(axis=1)
    bounds = [max(best.log_z_bounds[0], draws.log_z_bounds[0]), min(best.log_z_bounds[1], draws.log_z_bounds[1])]
    return {
        "name": METHODS["ars"].heading,
        "kind": "ars",
        "words": list(best.words),
        "logScore": number(best.log_score),
        "proved": best.stopped == "proved",
        "gap": number(best.gap),
        "bounds": [number(bound) for bound in bounds],
        "contexts": best.states,
        "arcs": int(best.states * width.mean()),
        "rounds": best.iterations,
        "milliseconds": number(milliseconds),
        "draws": len(draws.words),
        "trials": draws.trials,
    }


def _run_by_budget(kind, hmm, budget):
    """Run beam search or RCMS; the confidence is that of its own lattice."""
    milliseconds, (lattice, _) = _time_run(lambda: build_lattice(kind, hmm, budget=budget, record=False))
    return _lattice_row(MethodChoice(kind, budget), hmm, lattice, milliseconds)


def _run_exact(hmm):
    exact = MethodChoice("exact")
    try:
        milliseconds, (lattice, _) = _time_run(lambda: rv.exact(hmm))
    except ValueError as error:
        return {"name": exact.name, "kind": exact.kind, "refused": as_sentence(error)}
    return _lattice_row(exact, hmm, lattice, milliseconds)


def _lattice_row(method, hmm, lattice, milliseconds):
    path = rv.viterbi(lattice)
    words = path.labels[: len(hmm.candidates)]
    return {
        "name": method.name,
        "kind": method.kind,
        "words": list(words),
        "logScore": number(log_score(hmm, words)),
        "own": number(np.exp(path.log_prob)),
        "logZ": number(rv.log_z(lattice)),
        "logZIs": method.entry.log_z,
        "contexts": lattice.C,
        "arcs": int(np.count_nonzero(lattice.target >= 0)),
        "milliseconds": number(milliseconds),
    }


def _sweep(hmm, budget):
    """Return log Z of beam search and of RCMS by budget."""
    budgets = sorted({*SWEPT, budget})
    by = {kind: [_run_by_budget(kind, hmm, one) for one in budgets] for kind in BY_BUDGET}
    return {"budgets": budgets, "methods": [_line(METHODS[kind]) for kind in by]} | {
        kind: [[found["logZ"], found["logScore"]] for found in rows] for kind, rows in by.items()
    }


def _line(method):
    """Return the name of a method's line in the chart, and whether it bounds the true log Z."""
    bounds = method.log_z != OF_ANOTHER_MODEL
    return {"kind": method.kind, "name": f"{method.heading}: {'lower' if bounds else 'no'} bound", "bounds": bounds}


def _time_run(run):
    """Return (milliseconds, result); a short first run is repeated, since it may have loaded something."""
    times = []
    while not times or len(times) == 1 and times[0] < SHORT:
        began = time.perf_counter()
        result = run()
        times.append(1000 * (time.perf_counter() - began))
    return min(times), result
