"""The best words of an HMM by any method, described alike: the answers, their proof, their cost."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, isinf

import numpy as np

from rcmviz.core.methods import DECODERS, LOWER_BOUND, OF_ANOTHER_MODEL, TRUE_LOG_Z
from rcmviz.core.shared.wording import counted
from rcmviz.lm.language_model import END


@dataclass(frozen=True)
class Answer:
    """``words`` without `</s>` · ``log_score`` their log p, observations included, whatever the method's own model ·
    ``gap`` how far above it a better one could be, 0.0 where none is, None where the method proves nothing.
    """

    words: tuple
    log_score: float
    gap: float | None


@dataclass(frozen=True)
class Decoded:
    """``answers``, best first · ``method`` · ``contexts`` of its automaton or lattice · ``ngrams`` of an automaton by
    order · ``log_z_bounds`` (lower, upper), None where the method's log Z is of another model · ``confidence`` of the
    first answer in a lattice's own model · ``rounds``, and why they ``stopped``, of ARS · ``why`` an answer of a search
    is proved, or is not. None what a method has not.
    """

    answers: tuple
    method: str
    contexts: int
    ngrams: tuple | None = None
    log_z_bounds: tuple | None = None
    confidence: float | None = None
    rounds: int | None = None
    stopped: str | None = None
    why: str | None = None

    @property
    def best(self):
        """The first answer."""
        return self.answers[0]

    @property
    def certificate(self):
        """A sentence on the proof of the first answer."""
        if self.why is not None:
            return self.why
        if DECODERS[self.method].log_z == TRUE_LOG_Z:
            return "optimal: exact inference kept every context"
        if self.best.gap is None:
            return f"nothing is proved: {self.method} sees a part of the sequences"
        if self.best.gap == 0:
            return f"proved optimal after {self._rounds}"
        why = {"gap": "as asked", "iterations": "out of rounds", "time": "out of time", "room": "out of room"}
        how = "by any amount" if isinf(self.best.gap) else f"by at most {self.best.gap:.3f} nats"
        return f"not proved ({why[self.stopped]} after {self._rounds}): another may be better {how}"

    @property
    def _rounds(self):
        return counted(self.rounds, "round")


def decode(hmm, method="ars", *, budget=20, k=1, **limits):
    """The ``k`` best sequences of an ``HMM`` by ``method``, a ``Decoded``.

    ``budget`` is for those that have one · ``limits`` are the keyword arguments of ``rv.ars_decode`` or, for k > 1, of
    ``rv.ars_kbest``. ValueError for an unknown method, and for limits where the method is not ARS.

    >>> import rcmviz as rv
    >>> lm = rv.train_lm(["the cat sat", "the dog ran", "a dog sat"], order=3)
    >>> hmm = rv.HMM(lm, [["the", "a"], ["cat", "dog"], ["sat", "ran"]], [[0, 0], [-1, 0], [0, 0]])
    >>> for method in ("ars", "exact", "beam"):
    ...     decode(hmm, method).best.words, decode(hmm, method).best.gap
    (('a', 'dog', 'sat'), 0.0)
    (('a', 'dog', 'sat'), 0.0)
    (('a', 'dog', 'sat'), None)
    """
    if method not in DECODERS:
        raise ValueError(f"{method!r} is no method; choose {', '.join(DECODERS)}")
    if method == "ars":
        return _decode_by_rejection(hmm, k, limits)
    if limits:
        raise ValueError(f"{method} has no option {next(iter(limits))}, which is for ars; leave it out")
    if DECODERS[method].searches:
        return _decode_by_search(hmm, method, budget, k)
    return _decode_by_lattice(hmm, method, budget, k)


def _decode_by_rejection(hmm, k, limits):
    from rcmviz.ars.decode import ars_decode, ars_kbest

    if k == 1:
        bests = [ars_decode(hmm, record=False, **limits)[0]]
    elif "gap" in limits:
        raise ValueError(f"the {k} best are found without a gap; leave gap out")
    else:
        bests = ars_kbest(hmm, k, **limits)
    first = bests[0]
    return Decoded(
        tuple(Answer(best.words, best.log_score, best.gap) for best in bests),
        "ars",
        first.states,
        first.ngrams,
        first.log_z_bounds,
        None,
        first.iterations,
        first.stopped,
    )


def _decode_by_search(hmm, method, budget, k):
    from rcmviz.search.builders import search_of

    found = search_of(method, hmm, budget=budget, k=k)
    if not found.answers:
        raise ValueError(found.why)
    answers = tuple(Answer(hmm.names(one.hypothesis.labels), one.score, one.gap) for one in found.answers)
    lower = float(np.logaddexp.reduce([one.score for one in found.answers]))
    return Decoded(answers, method, found.expansions, None, (lower, inf), rounds=found.pops, why=found.why)


def _decode_by_lattice(hmm, method, budget, k):
    from rcmviz.core.builders.build import build_lattice
    from rcmviz.core.inference.infer import kbest, log_z

    lattice, _ = build_lattice(method, hmm, budget=budget, record=False)
    paths = kbest(lattice, k)
    sentences = [tuple(word for word in path.labels if word != END) for path in paths]
    known = DECODERS[method].log_z
    gap = 0.0 if known == TRUE_LOG_Z else None
    answers = tuple(Answer(words, log_score(hmm, words), gap) for words in sentences)
    lower = log_z(lattice)
    bounds = {TRUE_LOG_Z: (lower, lower), LOWER_BOUND: (lower, inf), OF_ANOTHER_MODEL: None}[known]
    return Decoded(answers, method, lattice.C, None, bounds, exp(paths[0].log_prob))


def log_score(hmm, words):
    """log p of one sequence of candidates, observations included, unnormalised; ValueError for a word that is none."""
    lm, total = hmm.lm, 0.0
    for i, (word, column, scores) in enumerate(zip(words, hmm.candidates, hmm.log_obs, strict=True), start=1):
        if word not in column:
            raise ValueError(f"position {i}: {word!r} is no candidate there")
        total += float(scores[column.index(word)])
    text = [lm.begin, *lm.ids(words), *([lm.end] if hmm.end else [])]
    return total + float(lm.score_words(text, [0, len(text)]).sum()) / hmm.temperature
