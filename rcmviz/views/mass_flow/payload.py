"""One to three finished runs → the plain JSON that the mass-flow picture draws.

Masses are shares of what a run proposed at a position; ``left`` says which share of all mass it still had before. All
that moves while playing or scrubbing is in here, without a server. A column sends its heaviest contexts by name and
adds up the others; a position sends its first candidates by name and the others as parts (``mass_parts`` of the core).
"""

import math

import numpy as np

import rcmviz as rv
from rcmviz.core.inference.verdict import contexts_along
from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.methods import numbered_where_alike
from rcmviz.core.shared import checks
from rcmviz.kernels.chain import sweep
from rcmviz.views.mass_flow.run import limits_for, run_payload, share
from rcmviz.views.word.annotations import check_tokens
from rcmviz.views.word.arguments import check_runs, gold_names, image_rows, spell_title
from rcmviz.views.word.labels import label_numbers
from rcmviz.views.word.payload import digest

LOOKS = 6  # labels that an input looks like
PHASES = ("grow", "sort", "cut", "settle")
NOUNS = {"letter": ("letter", "letter"), "position": ("position", "label")}


def build_mass_flow(
    word,
    runs,
    *,
    position=1,
    phase=None,
    gold=None,
    images=None,
    tokens=None,
    title=None,
    code=None,
    exact=None,
    unit=None,
    noun=None,
    follow=None,
):
    """What the mass-flow view needs to show one to three runs of one input, as plain JSON.

    ``word`` a handwritten Word, a string or None; its letters are the gold labels unless ``gold`` says otherwise, its
    images are shown unless ``images (T, rows, columns)`` says otherwise · ``runs`` list of ``Run`` · ``position`` 1 …
    T and ``phase``, one of "grow", "sort", "cut" and "settle", to open at · ``tokens`` what was observed, a text per
    position · ``exact`` the lattice of exact inference, for what the model says with no budget, or what ``best_of``
    makes of it · ``unit`` and ``noun`` what a position and a label are called, by default "letter" if there are
    images, else "position" and "label" · ``follow`` labels of the followed beginning. ValueError says what is
    wrong.

    >>> from rcmviz.views import Run
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    >>> payload = build_mass_flow("aab", [Run("beam 1", *rv.beam(model, [[0.5, 0.0]] * 3, budget=1))])
    >>> [round(left, 3) for left in payload["runs"][0]["left"]]
    [1.0, 0.622, 0.387, 0.387]
    """
    runs = list(runs)
    check_runs(runs, position)
    if phase is not None:
        checks.choice("phase", phase, PHASES)
    lattice = runs[0].lattice
    gold = gold_names(gold if gold is not None else getattr(word, "letters", word), lattice)
    pictures = image_rows(images if images is not None else getattr(word, "images", None), lattice.T)
    names = NOUNS["letter" if pictures else "position"]
    limits = limits_for(lattice.T)
    payload = {
        "version": 1,
        "title": title if title is not None else spell_title(getattr(word, "letters", word)),
        "labels": list(lattice.labels),
        "T": lattice.T,
        "unit": unit or names[0],
        "noun": noun or names[1],
        "gold": None if gold is None else [lattice.labels.index(label) for label in gold],
        "images": pictures,
        "tokens": check_tokens(tokens, lattice.T),
        "looks": _looks(runs),
        "exact": best_of(exact, gold) if isinstance(exact, Lattice) else exact,
        "runs": [run_payload(run, gold, limits) for run in runs],
        "code": code,
    }
    for run, name in zip(payload["runs"], numbered_where_alike([run.name for run in runs]), strict=True):
        run["name"] = name
    payload["id"] = digest(payload)
    payload["subject"] = digest([payload[part] for part in ("title", "labels", "images", "tokens", "T")])
    return payload | {"position": int(position), "phase": phase, "follow": follow}


def _looks(runs):
    """Per position the labels that its input looks like, as [label, share]; None where no run knows the emissions."""
    traces = [run.trace for run in runs if run.trace is not None and run.trace.log_emit is not None]
    if not traces:
        return None
    lattice = traces[0].lattice
    return [_row_of_looks(lattice, i, row) for i, row in enumerate(traces[0].log_emit)]


def _row_of_looks(lattice, i, row):
    highest = row.max(initial=-np.inf)
    if highest == -np.inf:
        return []
    weight = np.exp(row - highest)
    best = np.argsort(-weight, kind="stable")[:LOOKS]
    shown = [y for y in best.tolist() if weight[y] > 0 and lattice.label_of(i, y) >= 0]
    return [[lattice.label_of(i, y), share(weight[y] / weight.sum())] for y in shown]


def best_of(lattice, gold):
    """What a lattice reads, how sure it is, and the probability of the right output and of its beginnings; None where
    nothing is possible.
    """
    if rv.log_z(lattice) == -math.inf:
        return None
    best = rv.viterbi(lattice)
    return {
        "labels": label_numbers(lattice, 0, best.indices),
        "p": share(math.exp(best.log_prob)),
        "right": None if gold is None else best.labels == gold,
        "gold": None if gold is None else share(math.exp(rv.log_prob(lattice, gold))),
        "beginnings": None if gold is None else _beginnings(lattice, gold),
    }


def _beginnings(lattice, gold):
    """Per position the probability of all outputs that begin as the right one does up to there."""
    backward = sweep.backward_sums(lattice.offset, lattice.target, lattice.score)
    way, shares, log_mass = contexts_along(lattice, gold), [], -backward[0]
    for c, y, after in zip(way, lattice.indices_of(gold), way[1:], strict=False):
        if c is None or after is None:
            break
        log_mass += lattice.score[c, y]
        shares.append(share(math.exp(log_mass + backward[after])))
    return shares + [0.0] * (lattice.T - len(shares))
