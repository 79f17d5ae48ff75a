"""A model's alignments of phones as JSON for the Align view: edges, cells, spellings.

The payload has all cells, so stepping needs no server.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from rcmviz.align.infer import Aligner, lattice_of
from rcmviz.align.workspace import NO_GOLD
from rcmviz.views.align.cells import cell_of
from rcmviz.views.shared.export import page
from rcmviz.views.word.payload import digest, number

DRAWS = 200  # alignments drawn to find spellings and the confidence of letters
MOST_SPELLINGS = 8
MOST_PHONES = 40
MOST_CELLS = 1_500  # cells with rows; a longer example has rows only for cells on the posterior's paths


@dataclass(frozen=True)
class AlignRun:
    """The settings of one run: a ``name`` to show; ``strategy``, ``budget`` and ``joined`` as in ``Aligner``."""

    name: str
    strategy: str
    budget: int
    joined: bool = False


def build_align(model, phones, text=None, runs=(AlignRun("RCMS 20", "rcms", 20),), *, title="", code=None):
    """Build the payload of the Align view for one example.

    ``model`` an AlignModel · ``phones`` by name · ``text`` the spelling that is meant, or None · ``runs`` one or two
    ``AlignRun`` · ``code`` shown by "show code". ValueError for phones and letters that the model does not know, for a
    text that cannot be aligned, for more than 40 phones.
    """
    x = model.phone_numbers(phones)
    gold = NO_GOLD if not text else model.letter_numbers(text)
    if len(x) > MOST_PHONES:
        raise ValueError(f"{len(x)} phones are too many for a picture: give at most {MOST_PHONES}")
    reason = model.limits.why_not(len(x), len(gold)) if len(gold) else None
    if reason:
        raise ValueError(f"{text!r}: {reason}")
    payload = {
        "version": 1,
        "title": title or text or " ".join(phones),
        "phones": list(phones),
        "meant": text or None,
        "most": model.limits.most_letters(len(x)),
        "runs": [_run(model, x, gold, run) for run in runs],
        "code": code,
    }
    return payload | {"id": digest(payload)}


def _run(model, x, gold, run):
    aligner = Aligner(model, run.strategy, run.budget, joined=run.joined).forward(x, gold).backward()
    lattice, best = lattice_of(aligner), aligner.best()
    meant = aligner.best(gold) if len(gold) and aligner.gold_z > -np.inf else None
    drawn = _texts(model, aligner.draws(DRAWS))
    found = {
        "name": run.name,
        "kind": run.strategy,
        "budget": run.budget,
        "logZ": number(aligner.log_z),
        "goldLogZ": number(aligner.gold_z),
        "best": _alignment(best, drawn),
        "gold": _alignment(meant, None),
        "edges": _round_rows(lattice.edges()),
        "goldEdges": _round_rows(lattice.edges(gold=True)[:, : len(gold)]) if meant else None,
        "meanLength": number(lattice.mean_length) if best else None,
        "contexts": lattice.contexts.shape[1],
        "cells": _cells(lattice, model) if best else [],
    }
    return found | {"spellings": _spellings(model, aligner, drawn, best)}


def _texts(model, draws):
    return ["".join(model.letters[y] for y in letters[moves != 2]) for moves, letters in draws]


def _alignment(alignment, drawn):
    """A best alignment; with draws also the confidence of each letter: the share of draws that agree."""
    if alignment is None:
        return None
    found = {
        "text": alignment.text,
        "moves": alignment.moves,
        "edges": [list(edge) for edge in alignment.edges],
        "p": number(np.exp(alignment.log_prob)),
    }
    if drawn:
        found["sure"] = [
            round(sum(text[i : i + 1] == letter for text in drawn) / len(drawn), 3)
            for i, letter in enumerate(alignment.text)
        ]
    return found


def _spellings(model, aligner, drawn, best):
    """The most probable of the drawn texts, each with its exact probability, summed over all its alignments."""
    if best is None:
        return []
    texts = dict.fromkeys([best.text, *(text for text, _ in Counter(drawn).most_common(2 * MOST_SPELLINGS))])
    masses = {}
    for text in texts:
        masses[text] = np.exp(aligner.log_mass(model.letter_numbers(text)) - aligner.log_z)
    ranked = sorted(masses, key=lambda text: -masses[text])[:MOST_SPELLINGS]
    return [[text, number(masses[text])] for text in ranked]


def _cells(lattice, model):
    posterior = lattice.posterior()
    passed = np.zeros(len(lattice.count))
    np.add.at(passed, lattice.cell_of, posterior)
    wanted = np.flatnonzero(lattice.count > 0)
    if len(wanted) > MOST_CELLS:
        wanted = wanted[passed[wanted] > 1e-4]
    return [_cell_dict(cell_of(lattice, model, *divmod(int(cell), lattice.most + 1), posterior)) for cell in wanted]


def _cell_dict(cell):
    """A cell without the names of its fields, for there are many."""
    return {
        "a": cell.a,
        "i": cell.i,
        "seen": cell.seen,
        "moved": _three_digits(cell.moved),
        "contexts": [
            [one.name, one.mode, _three_digits(one.share), _three_digits(one.posterior)] for one in cell.contexts
        ],
        "others": [[other.name, other.mode, _three_digits(other.mass), other.into] for other in cell.others],
    }


def _three_digits(value):
    return float(f"{value:.3g}")


def _round_rows(values):
    return [[round(value, 4) for value in row] for row in values.tolist()]


def align_html(payload, heading):
    """The view as one HTML text that works offline."""
    return page(payload, heading, "align")
