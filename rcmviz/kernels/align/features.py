"""What scores an arc of an alignment: strings of symbols, the nodes of a trie of features, and rows of scores.

A *string* is what a context remembers, newest symbol in the lowest byte: ``(move + 1) · 64 + letter``, and ``BEGIN``
where it reaches back to the start. ``shape = (letters, order, memory, letters_per_phone, phones_per_letter, additive,
joined)``.

A *node* is one feature without its last letter: the letters before it, or the edges before it and where the new edge
is; the shorter feature is its parent. Every node has a row of ``weights = (store, group)``, found through the hash of
``weights.py`` at ``(row of the parent + 1) << 24 | symbol``: exact for any order, and a parent's row is the older one.
A *profile* is what a string scores at one phone: the exponentials for D and C by letter, for P and for the end.

``trie = (table, parent, mark, row, score (N, W), gradient (N, W))`` and ``profiles = (table, nodes (S, 5),
factor (S, 2 V + 2), gradient (S, 2 V + 2), spare (2 V + 2,), marks)`` hold an example's nodes and profiles. A table is
a hash ``(H, 3)`` of key, stamp and value whose entries count only where their stamp is the present one. ``counters
(6,)`` has the stamps of the nodes, of a phone's profiles and of a move's groups, the number of nodes and profiles, and
whether a score was too large. ``scorer = (shape, counters, profiles, trie, weights)`` is what strings are scored with.
"""

import numpy as np
from numba import njit

from rcmviz.kernels.learn.weights import GOLDEN, exponentiate, place_of

D, C, P = 0, 1, 2  # a letter on the next phone · another letter on this phone · the letter takes the next phone too
START, NORMAL = 0, 1  # modes; then C2, C3, … and P2, P3, …: how many letters or phones the present star has
BITS, BYTE = 8, 255
LETTER_BITS, LETTER = 6, 63
BEGIN = 63  # a symbol without a move, and a letter that none has
LETTERS, ORDER, MEMORY, LETTERS_PER_PHONE, PHONES_PER_LETTER, ADDITIVE, JOINED = 0, 1, 2, 3, 4, 5, 6  # of ``shape``
SPELT, BY_D, BY_C, BY_P, COLUMN = 0, 1, 2, 3, 4  # of a profile: its four nodes, and the letter that P adds an edge to
NOW, PHONE, GROUPING, NODES, PROFILES, TOO_FAR = 0, 1, 2, 3, 4, 5  # of ``counters``
KEY, STAMP, VALUE = 0, 1, 2  # of a table's entry
ABSENT = -1


@njit(cache=True, nogil=True)
def next_mode(mode, move, shape):
    """The mode after a move, −1 where it is not allowed."""
    letters, phones = shape[LETTERS_PER_PHONE], shape[PHONES_PER_LETTER]
    if move == D:
        return NORMAL
    if mode == START:
        return -1
    if move == C:
        return mode + 1 if mode < letters else -1
    if mode == NORMAL:
        return letters + 1 if phones > 1 else -1
    return mode + 1 if letters < mode < letters + phones - 1 else -1


@njit(cache=True, nogil=True)
def symbol(move, letter):
    """A symbol of a string."""
    return (move + 1) << LETTER_BITS | letter


@njit(cache=True, nogil=True)
def tail(string, length):
    """The newest symbols of a string."""
    return string & ((np.int64(1) << BITS * length) - 1)


@njit(cache=True, nogil=True)
def brings_letter(string, length, j):
    """Whether symbol j brings a letter that no older one has: P repeats the letter of the symbol before."""
    move = ((string >> BITS * j) & BYTE) >> LETTER_BITS
    return move != P + 1 or j == length - 1


@njit(cache=True, nogil=True)
def needed(string, length, order):
    """How many symbols any feature looks at: n − 1 edges, n − 1 letters, and the newest, which P repeats."""
    known, least = 0, max(order - 1, 1)
    for j in range(length):
        repeats = j > 0 and not brings_letter(string, length, j - 1)
        if j >= least and known + np.int64(repeats) >= least:
            return j
        known += np.int64(brings_letter(string, length, j))
    return length


@njit(cache=True, nogil=True)
def seek(key, table, now):
    """The place of a key in a table, or the free one where it would go."""
    mask = table.shape[0] - 1
    at = ((key * GOLDEN) >> 20) & mask
    while table[at, STAMP] == now and table[at, KEY] != key:
        at = (at + 1) & mask
    return at


@njit(cache=True, nogil=True)
def put(key, value, at, table, now):
    """Write an entry at a place that ``seek`` gave."""
    table[at, KEY], table[at, STAMP], table[at, VALUE] = key, now, value


@njit(cache=True, nogil=True, inline="always")
def weight_row(parent, mark, row, store):
    """The row of a node's weights, −1 where it has none yet; ``row`` is that of every node."""
    above = ABSENT if parent < 0 else row[parent]
    if parent >= 0 and above == ABSENT:
        return ABSENT
    slot, _, _ = store
    return slot[place_of((above + 1) << 24 | mark, store)]


@njit(cache=True, nogil=True)
def node_of(marks, size, scorer):
    """The node of these symbols, the newest first, made with its shorter features where this example has none yet."""
    _, counters, _, (table, _, _, _, _, _), _ = scorer
    now, node = counters[NOW], np.int64(-1)
    for j in range(size):
        key = (node + 1) << 24 | marks[j]
        at = seek(key, table, now)
        if table[at, STAMP] == now:
            node = table[at, VALUE]
        else:
            put(key, counters[NODES], at, table, now)
            node = new_node(node, marks[j], scorer)
    return node


@njit(cache=True, nogil=True, inline="always")
def new_node(parent, mark, scorer):
    """A node with its score: of its own weights, and where features add up of all shorter ones."""
    shape, counters, _, (_, parents, symbols, row, score, gradient), (store, (weights, _, _)) = scorer
    node = counters[NODES]
    counters[NODES] += 1
    parents[node], symbols[node] = parent, mark
    row[node] = weight_row(parent, mark, row, store)
    own, slope, adds = score[node], gradient[node], shape[ADDITIVE] and parent >= 0
    for y in range(own.size):
        slope[y] = 0.0
        own[y] = score[parent, y] if adds else 0.0
    if row[node] != ABSENT:
        weight = weights[row[node]]
        for y in range(own.size):
            own[y] += weight[y]
    return node


@njit(cache=True, nogil=True, inline="always")
def mark_letters(string, length, order, marks):
    """The symbols of the letters that a string knows, at most n − 1; returns how many, the first of all included."""
    marks[0], size = 0, 1
    for j in range(length):
        if size == order:
            break
        if brings_letter(string, length, j):
            marks[size] = (string >> BITS * j) & LETTER
            size += 1
    return size


@njit(cache=True, nogil=True, inline="always")
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


@njit(cache=True, nogil=True, inline="always")
def profile_of(string, length, a, x, scorer):
    """The profile of a string at phone a, made where there is none."""
    shape, counters, (table, _, _, _, _, _), _, _ = scorer
    length = needed(string, length, shape[ORDER])
    string = tail(string, length)
    key = string | np.int64(length) << 56
    at = seek(key, table, counters[PHONE])
    if table[at, STAMP] == counters[PHONE]:
        return table[at, VALUE]
    profile = counters[PROFILES]
    counters[PROFILES] += 1
    put(key, profile, at, table, counters[PHONE])
    find_nodes(profile, string, length, a, x, scorer)
    if not write_factors(profile, scorer):
        counters[TOO_FAR] = 1
    return profile


@njit(cache=True, nogil=True, inline="always")
def find_nodes(profile, string, length, a, x, scorer):
    """The nodes of a profile: that of its letters, and that of every move which is possible at phone a."""
    shape, _, (_, nodes, _, _, _, marks), _, _ = scorer
    newest = (string & BYTE) >> LETTER_BITS if length > 0 else D + 1
    many = mark_letters(string, length, shape[ORDER], marks)
    nodes[profile, SPELT] = node_of(marks, many, scorer)
    for move in range(3):
        possible = a < x.size if move != C else a > 0
        if newest == 0:
            possible = possible and move == D
        elif newest != D + 1 and move != D:
            possible = possible and newest == move + 1
        nodes[profile, BY_D + move] = ABSENT
        if possible:
            many = mark_edges(move, string, length, a, x, shape[ORDER], marks)
            nodes[profile, BY_D + move] = node_of(marks, many, scorer)
    nodes[profile, COLUMN] = string & LETTER if length > 0 else shape[LETTERS]


@njit(cache=True, nogil=True, inline="always")
def write_factors(profile, scorer):
    """The exponentials of a profile: D by letter, C by letter, P, end; False where one is too far from one."""
    shape, _, profiles, (_, _, _, _, score, _), _ = scorer
    _, all_nodes, all_factors, gradient, spare, _ = profiles
    letters, nodes, factor = shape[LETTERS], all_nodes[profile], all_factors[profile]
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
        gradient[profile, j] = 0.0
    return exponentiate(factor, spare)


@njit(cache=True, nogil=True, inline="always")
def gather_gradient(scorer):
    """The profiles' gradients into those of their nodes, and where features add up on into the shorter ones'."""
    shape, counters, (_, nodes, _, gradient, _, _), (_, parent, _, _, _, slope), _ = scorer
    letters = shape[LETTERS]
    for profile in range(counters[PROFILES]):
        own, spelt = gradient[profile], slope[nodes[profile, SPELT]]
        for move in range(2):
            if nodes[profile, BY_D + move] != ABSENT:
                edge = slope[nodes[profile, BY_D + move]]
                for y in range(letters):
                    spelt[y] += own[move * letters + y]
                    edge[y] += own[move * letters + y]
        if nodes[profile, BY_P] != ABSENT:
            slope[nodes[profile, BY_P], nodes[profile, COLUMN]] += own[2 * letters]
        spelt[letters] += own[2 * letters + 1]
    if shape[ADDITIVE]:
        for node in range(counters[NODES] - 1, -1, -1):
            if parent[node] >= 0:
                above, own = slope[parent[node]], slope[node]
                for y in range(own.size):
                    above[y] += own[y]
