"""What scores an arc of an alignment: the nodes of a trie of features, and profiles, rows of scores.

A *node* is one feature without its last letter: the letters before it, or the edges before it and where the new edge
is; the shorter feature is its parent. Every node has a row of weights, found through the hash of ``weights.py`` at
``(row of the parent + 1) << 24 | symbol``: exact for any order, and a parent's row is the older one. A *profile* is
what a string scores at one phone: the exponentials for D and C by letter, for P and for the end.
"""

from typing import Any, NamedTuple

import numpy as np

from rcmviz.kernels.align.features import (
    BITS,
    BYTE,
    LETTER,
    LETTER_BITS,
    NODES,
    NOW,
    PHONE,
    PLACES,
    PROFILES,
    STAMP,
    VALUE,
    C,
    D,
    P,
    brings_letter,
    needed,
    put,
    seek,
    symbol,
    tail,
)
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.learn.weights import ABSENT, exponentiate, place_of
from rcmviz.kernels.rows import ONE

SPELT, BY_D, BY_C, BY_P, COLUMN = 0, 1, 2, 3, 4  # of a profile: its four nodes, and the letter that P adds an edge to
FIRST_PLACES = 128


class Trie(NamedTuple):
    """The nodes of an example, N at most; ``stepped`` are the rows that a step changes."""

    table: Any
    parent: Any
    mark: Any
    row: Any
    score: Any  # (N, V + 1)
    gradient: Any  # (N, V + 1)
    stepped: Any


class Profiles(NamedTuple):
    """The profiles of an example, S at most; the last two are scratch."""

    table: Any
    nodes: Any  # (S, 5)
    factor: Any  # (S, 2 V + 2)
    gradient: Any  # (S, 2 V + 2)
    spare: Any
    marks: Any


class Scorer(NamedTuple):
    """What strings are scored with; ``counters (COUNTERS,)`` are the stamps of the nodes, of a phone's profiles and of
    a move's groups, the number of nodes and profiles, whether a score was too large, the places in use of the nodes'
    table.
    """

    shape: Any
    counters: Any
    profiles: Any
    trie: Any
    store: Any  # these two as in ``weights.py``
    weights: Any


@kernel(inline="always")
def weight_row(parent, mark, row, store):
    """The row of a node's weights, −1 where it has none yet; ``row`` is that of every node."""
    above = ABSENT if parent < 0 else row[parent]
    if parent >= 0 and above == ABSENT:
        return ABSENT
    return store.slot[place_of((above + 1) << 24 | mark, store)]


@part(_nrt=False)
def node_of(marks, size, counters, trie):
    """The node of these symbols, the newest first, made with its shorter features where this example has none yet.

    A new node has no score before ``score_nodes``.
    """
    now, node, table = counters[NOW], np.int64(-1), trie.table
    for j in range(size):
        key = (node + 1) << 24 | marks[j]
        at = seek(key, table, counters[PLACES], now)
        if table[at, STAMP] != now:
            new = counters[NODES]
            counters[NODES] += 1
            put(key, new, at, table, now)
            trie.parent[new], trie.mark[new] = node, marks[j]
        node = table[at, VALUE]
    return node


@kernel(inline="always")
def make_places(new, counters, trie):
    """Use so much of the nodes' table that ``new`` more fill half of it: a small table stays in cache."""
    if 2 * (counters[NODES] + new) <= counters[PLACES]:
        return
    while 2 * (counters[NODES] + new) > counters[PLACES]:
        counters[PLACES] *= 2
    counters[NOW] += 1
    for node in range(counters[NODES]):
        key = (trie.parent[node] + 1) << 24 | trie.mark[node]
        at = seek(key, trie.table, counters[PLACES], counters[NOW])
        put(key, node, at, trie.table, counters[NOW])


@kernel(inline="always")
def touch(table, rows, into):
    """Read from each of these rows, −1 none, first and last number: what reads them next no longer waits for memory."""
    last = into.shape[1] - 1
    for j in range(rows.size):
        at = max(rows[j], 0)
        into[j, 0], into[j, last] = table[at, 0], table[at, last]


@kernel(inline="always")
def score_nodes(first, scorer):
    """Scores of the nodes from ``first`` on: of their own weights, and where features add up of all shorter ones.

    Weights have some 100 MB: all rows are found before any is read, and all are touched before any is used, as the
    processor then waits for many of them at once.
    """
    trie, weights, nodes = scorer.trie, scorer.weights.weight, scorer.counters[NODES]
    row, score = trie.row, trie.score
    for node in range(first, nodes):
        row[node] = weight_row(trie.parent[node], trie.mark[node], row, scorer.store)
    touch(weights, row[first:nodes], score[first:])
    for node in range(first, nodes):
        above, at = trie.parent[node], row[node]
        for y in range(score.shape[1]):
            score[node, y] = score[above, y] if scorer.shape.additive and above >= 0 else 0.0
        if at != ABSENT:
            for y in range(score.shape[1]):
                score[node, y] += weights[at, y]


@kernel(inline="always")
def mark_letters(string, length, order, marks):
    """The symbols of the letters that a string knows, at most n − 1; returns how many, the first of all included."""
    marks[0], size = 0, ONE
    for j in range(length):
        if size == order:
            break
        if brings_letter(string, length, j):
            marks[size] = (string >> BITS * j) & LETTER
            size += 1
    return size


@kernel(inline="always")
def mark_edges(move, string, length, a, x, order, marks):
    """The symbols of where a move puts a new edge and of the edges that a string knows at phone a, at most n − 1.

    P adds an edge of the newest letter, which is the column of its weights and so no part of its symbols.
    """
    there = a if move == C else a + 1
    marks[0] = (x[there - 1] + 1) << BITS | symbol(move, 0)
    size = min(length, order - 1)
    for j in range(size):
        mark = (string >> BITS * j) & BYTE
        made_by = mark >> LETTER_BITS
        if move == P and j == 0:
            mark = made_by << LETTER_BITS
        marks[1 + j] = (x[a - 1] + 1 if a > 0 else 0) << BITS | mark
        a -= np.int64(made_by != C + 1)
    return size + 1


@kernel(inline="always")
def profile_of(string, length, a, x, scorer):
    """The profile of a string at phone a, made if it is missing; it has no factors before ``write_factors``."""
    counters, table = scorer.counters, scorer.profiles.table
    length = needed(string, length, scorer.shape.order)
    string = tail(string, length)
    key = string | np.int64(length) << 56
    at = seek(key, table, table.shape[0], counters[PHONE])
    if table[at, STAMP] == counters[PHONE]:
        return table[at, VALUE]
    profile = counters[PROFILES]
    counters[PROFILES] += 1
    put(key, profile, at, table, counters[PHONE])
    find_nodes(profile, string, length, a, x, scorer)
    return profile


@kernel(inline="always")
def find_nodes(profile, string, length, a, x, scorer):
    """The nodes of a profile: that of its letters, and that of every move which is possible at phone a."""
    counters, trie, order = scorer.counters, scorer.trie, scorer.shape.order
    nodes, marks = scorer.profiles.nodes, scorer.profiles.marks
    newest = (string & BYTE) >> LETTER_BITS if length > 0 else D + 1
    many = mark_letters(string, length, order, marks)
    nodes[profile, SPELT] = node_of(marks, many, counters, trie)
    for move in range(3):
        possible = a < x.size if move != C else a > 0
        if newest == 0:
            possible = possible and move == D
        elif newest != D + 1 and move != D:
            possible = possible and newest == move + 1
        nodes[profile, BY_D + move] = ABSENT
        if possible:
            many = mark_edges(move, string, length, a, x, order, marks)
            nodes[profile, BY_D + move] = node_of(marks, many, counters, trie)
    nodes[profile, COLUMN] = string & LETTER if length > 0 else scorer.shape.letters


@kernel(inline="always")
def write_factors(profile, scorer):
    """The exponentials of a profile: D by letter, C by letter, P, end; False where one is too far from one."""
    profiles, letters, score = scorer.profiles, scorer.shape.letters, scorer.trie.score
    nodes, factor = profiles.nodes[profile], profiles.factor[profile]
    spelt = score[nodes[SPELT]]
    for move in range(2):
        first = move * letters
        for y in range(letters):
            factor[first + y] = 0.0
        if nodes[BY_D + move] != ABSENT:
            edge = score[nodes[BY_D + move]]
            for y in range(letters):
                factor[first + y] = spelt[y] + edge[y]
    factor[2 * letters] = score[nodes[BY_P], nodes[COLUMN]] if nodes[BY_P] != ABSENT else 0.0
    factor[2 * letters + 1] = spelt[letters]
    for j in range(factor.size):
        profiles.gradient[profile, j] = 0.0
    return exponentiate(factor, profiles.spare)


@kernel(inline="always")
def gather_gradient(scorer):
    """The profiles' gradients into those of their nodes, and where features add up on into the shorter ones'."""
    counters, letters, nodes = scorer.counters, scorer.shape.letters, scorer.profiles.nodes
    parent, slope = scorer.trie.parent, scorer.trie.gradient
    for node in range(counters[NODES]):
        for y in range(slope.shape[1]):
            slope[node, y] = 0.0
    for profile in range(counters[PROFILES]):
        own, spelt = scorer.profiles.gradient[profile], slope[nodes[profile, SPELT]]
        for move in range(2):
            if nodes[profile, BY_D + move] != ABSENT:
                edge = slope[nodes[profile, BY_D + move]]
                for y in range(letters):
                    spelt[y] += own[move * letters + y]
                    edge[y] += own[move * letters + y]
        if nodes[profile, BY_P] != ABSENT:
            slope[nodes[profile, BY_P], nodes[profile, COLUMN]] += own[2 * letters]
        spelt[letters] += own[2 * letters + 1]
    if scorer.shape.additive:
        for node in range(counters[NODES] - 1, -1, -1):
            if parent[node] >= 0:
                above, own = slope[parent[node]], slope[node]
                for y in range(own.size):
                    above[y] += own[y]
