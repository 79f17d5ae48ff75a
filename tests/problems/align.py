"""Small alignment problems: a model with random weights for every feature that can fire, and its oracle."""

import numpy as np

from oracles.align import END, Problem
from rcmviz.align.infer import Aligner, lattice_of
from rcmviz.align.model import MOVES, AlignLimits, AlignModel
from rcmviz.align.workspace import NO_GOLD
from rcmviz.kernels.align import groups as kernel

MODE_NAMES = {0: ("start", 1), 1: ("star", 1)}


def some_model(seed, letters="ab", phones="XY", order=2, mode="additive", limits=None, scale=1.5, share=0.8):
    """A model with rows for all features of small inputs, normal weights in ``share`` of them, else zero."""
    rng = np.random.default_rng(seed)
    limits = limits or AlignLimits(2, 2, 1.0, 1)
    rows = addresses(len(letters), len(phones), order)
    keep = rng.random((len(rows), len(letters) + 1)) < share
    weights = (rng.normal(scale=scale, size=keep.shape) * keep).astype(np.float32)
    return AlignModel(tuple(letters), tuple(phones), order, mode, limits, np.array(rows), weights)


def addresses(letters, phones, order):
    """Addresses of all nodes of both tries, parents first."""
    found = [0]
    layer = [0]
    for _ in range(order - 1):
        layer = [_add(found, (row + 1) << 24 | mark) for row in layer for mark in (*range(letters), 63)]
    for move in range(3):
        layer = [_add(found, (phone + 1) << 8 | (move + 1) << 6) for phone in range(phones)]
        for depth in range(order - 1):
            of_letters = (0,) if depth == 0 and move == 2 else range(letters)
            marks = [
                (phone + 1) << 8 | (made + 1) << 6 | letter
                for phone in range(phones)
                for made in range(3)
                for letter in of_letters
            ] + [63] * (depth > 0 or move == 0)
            layer = [_add(found, (row + 1) << 24 | mark) for row in layer for mark in marks]
    return found


def _add(found, address):
    found.append(address)
    return len(found) - 1


def oracle_of(model, phones, memory=7, joined=False):
    """The same problem for the oracle."""
    limits = model.limits
    weights = {
        (*name, letter): float(weight)
        for name, row in zip(model.features(), model.weights, strict=True)
        for letter, weight in zip(columns_of_row(model, name), row, strict=True)
    }
    return Problem(
        tuple(phones),
        model.letters,
        model.order,
        model.additive,
        limits.letters_per_phone,
        limits.phones_per_letter,
        limits.most_letters(len(phones)),
        memory,
        joined,
        weights,
    )


def columns_of_row(model, name):
    """The last column is the end for letters, and the forgotten letter for P."""
    return (*model.letters, END if name[0] == "letters" else "*")


def columns_of(lattice, model):
    """{cell: contexts} as the oracle writes them."""
    found = {}
    for a in range(lattice.shape[0]):
        for i in range(lattice.shape[1]):
            cell = lattice.cell(a, i)
            if cell.stop > cell.start:
                found[a, i] = [context_of(lattice, model, k) for k in range(cell.start, cell.stop)]
    return found


def context_of(lattice, model, k):
    """Context k as (mode, string)."""
    mode, length, string = (int(lattice.contexts[field, k]) for field in (kernel.MODE, kernel.LENGTH, kernel.STRING))
    most = model.limits.letters_per_phone
    named = MODE_NAMES.get(mode) or (("C", mode) if mode <= most else ("P", mode - most + 1))
    symbols = [(string >> 8 * j) & 255 for j in range(length)][::-1]
    return named, tuple(("^", "^") if s == 63 else (MOVES[(s >> 6) - 1], model.letters[s & 63]) for s in symbols)


def inferred(model, phones, text=None, **options):
    """(aligner, lattice) of one example, forward and backward."""
    aligner = Aligner(model, **options)
    gold = NO_GOLD if text is None else model.letter_numbers(text)
    aligner.forward(model.phone_numbers(phones), gold).backward()
    return aligner, lattice_of(aligner)
