"""What scores an arc of an alignment: strings of symbols, the nodes of a trie of features, and rows of scores.

A *string* is what a context remembers, newest symbol in the lowest byte: ``(move + 1) · 64 + letter``, and ``BEGIN``
where it reaches back to the start. ``shape = (letters, order, memory, letters_per_phone, phones_per_letter, additive,
joined)``.

A *node* is one feature without its last letter: the letters before it, or the edges before it and where the new edge
is; the shorter feature is its parent. Every node has a row of ``weights = (store, group)``, found through the hash of
``weights.py`` at ``(row of the parent + 1) << 24 | symbol``: exact for any order, and a parent's row is the older one.
A *profile* is what a string scores at one phone: the exponentials for D and C by letter, for P and for the end.

``trie = (table, parent, mark, row, score (N, W), gradient (N, W), stepped)`` and ``profiles = (table, nodes (S, 5),
factor (S, 2 V + 2), gradient (S, 2 V + 2), spare (2 V + 2,), marks)`` hold an example's nodes and profiles. A table is
a hash ``(H, 3)`` of key, stamp and value whose entries count only where their stamp is the present one. ``counters
(7,)`` has the stamps of the nodes, of a phone's profiles and of a move's groups, the number of nodes and profiles,
whether a score was too large, and how many places of the nodes' table are in use. ``scorer = (shape, counters,
profiles, trie, weights)`` is what strings are scored with; ``stepped`` are the rows that a step changes.
"""

import numpy as np

from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.learn.weights import GOLDEN, exponentiate, place_of
from rcmviz.kernels.rows import ONE

D, C, P = 0, 1, 2  # a letter on the next phone · another letter on this phone · the letter takes the next phone too
START, NORMAL = 0, 1  # modes; then C2, C3, … and P2, P3, …: how many letters or phones the present star has
BITS, BYTE = 8, 255
LETTER_BITS, LETTER = 6, 63
BEGIN = 63  # a symbol without a move, and a letter that none has
LETTERS, ORDER, MEMORY, LETTERS_PER_PHONE, PHONES_PER_LETTER, ADDITIVE, JOINED = 0, 1, 2, 3, 4, 5, 6  # of ``shape``
SPELT, BY_D, BY_C, BY_P, COLUMN = 0, 1, 2, 3, 4  # of a profile: its four nodes, and the letter that P adds an edge to
NOW, PHONE, GROUPING, NODES, PROFILES, TOO_FAR, PLACES, COUNTERS = 0, 1, 2, 3, 4, 5, 6, 7  # of ``counters``
FIRST_PLACES = 128
KEY, STAMP, VALUE = 0, 1, 2  # of a table's entry
ABSENT = -1


@kernel(_nrt=False)
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


@kernel(_nrt=False)
def symbol(move, letter):
    """A symbol of a string."""
    return (move + 1) << LETTER_BITS | letter


@kernel(_nrt=False)
def tail(string, length):
    """The newest symbols of a string."""
    return string & ((np.int64(1) << BITS * length) - 1)


@kernel(_nrt=False)
def brings_letter(string, length, j):
    """Whether symbol j brings a letter that no older one has: P repeats the letter of the symbol before."""
    move = ((string >> BITS * j) & BYTE) >> LETTER_BITS
    return move != P + 1 or j == length - 1


@kernel(_nrt=False)
def needed(string, length, order):
    """How many symbols any feature looks at: n − 1 edges, n − 1 letters, and the newest, which P repeats."""
    known, least = 0, max(order - 1, 1)
    for j in range(length):
        repeats = j > 0 and not brings_letter(string, length, j - 1)
        if j >= least and known + np.int64(repeats) >= least:
            return j
        known += np.int64(brings_letter(string, length, j))
    return length


@kernel(_nrt=False)
def seek(key, table, places, now):
    """The place of a key among the first ``places`` of a table, a power of two, or the free one where it would go."""
    mask = places - 1
    at = ((key * GOLDEN) >> 20) & mask
    while table[at, STAMP] == now and table[at, KEY] != key:
        at = (at + 1) & mask
    return at


@kernel(_nrt=False)
def put(key, value, at, table, now):
    """Write an entry at a place that ``seek`` gave."""
    table[at, KEY], table[at, STAMP], table[at, VALUE] = key, now, value


@kernel(inline="always")
def weight_row(parent, mark, row, store):
    """The row of a node's weights, −1 where it has none yet; ``row`` is that of every node."""
    above = ABSENT if parent < 0 else row[parent]
    if parent >= 0 and above == ABSENT:
        return ABSENT
    slot, _, _ = store
    return slot[place_of((above + 1) << 24 | mark, store)]


@kernel(_nrt=False)
def node_of(marks, size, counters, table, parent, mark):
    """The node of these symbols, the newest first, made with its shorter features where this example has none yet.

    What is new has no score before ``score_nodes``.
    """
    now, node = counters[NOW], np.int64(-1)
    for j in range(size):
        key = (node + 1) << 24 | marks[j]
        at = seek(key, table, counters[PLACES], now)
        if table[at, STAMP] != now:
            new = counters[NODES]
            counters[NODES] += 1
            put(key, new, at, table, now)
            parent[new], mark[new] = node, marks[j]
        node = table[at, VALUE]
    return node


@kernel(inline="always")
def make_places(new, counters, table, parent, mark):
    """Use as much of the nodes' table as leaves half of it free with so many ``new`` ones: what is small stays near."""
    if 2 * (counters[NODES] + new) <= counters[PLACES]:
        return
    while 2 * (counters[NODES] + new) > counters[PLACES]:
        counters[PLACES] *= 2
    counters[NOW] += 1
    for node in range(counters[NODES]):
        key = (parent[node] + 1) << 24 | mark[node]
        put(key, node, seek(key, table, counters[PLACES], counters[NOW]), table, counters[NOW])


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
    shape, counters, _, (_, parent, mark, row, score, _, _), (store, (weights, _, _)) = scorer
    for node in range(first, counters[NODES]):
        row[node] = weight_row(parent[node], mark[node], row, store)
    touch(weights, row[first : counters[NODES]], score[first:])
    for node in range(first, counters[NODES]):
        above, at = parent[node], row[node]
        for y in range(score.shape[1]):
            score[node, y] = score[above, y] if shape[ADDITIVE] and above >= 0 else 0.0
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
    """The profile of a string at phone a, made where there is none; it has no factors before ``write_factors``."""
    shape, counters, (table, _, _, _, _, _), _, _ = scorer
    length = needed(string, length, shape[ORDER])
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
    shape, counters, (_, nodes, _, _, _, marks), (table, parent, mark, _, _, _, _), _ = scorer
    newest = (string & BYTE) >> LETTER_BITS if length > 0 else D + 1
    many = mark_letters(string, length, shape[ORDER], marks)
    nodes[profile, SPELT] = node_of(marks, many, counters, table, parent, mark)
    for move in range(3):
        possible = a < x.size if move != C else a > 0
        if newest == 0:
            possible = possible and move == D
        elif newest != D + 1 and move != D:
            possible = possible and newest == move + 1
        nodes[profile, BY_D + move] = ABSENT
        if possible:
            many = mark_edges(move, string, length, a, x, shape[ORDER], marks)
            nodes[profile, BY_D + move] = node_of(marks, many, counters, table, parent, mark)
    nodes[profile, COLUMN] = string & LETTER if length > 0 else shape[LETTERS]


@kernel(inline="always")
def write_factors(profile, scorer):
    """The exponentials of a profile: D by letter, C by letter, P, end; False where one is too far from one."""
    shape, _, profiles, (_, _, _, _, score, _, _), _ = scorer
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


@kernel(inline="always")
def gather_gradient(scorer):
    """The profiles' gradients into those of their nodes, and where features add up on into the shorter ones'."""
    shape, counters, (_, nodes, _, gradient, _, _), (_, parent, _, _, _, slope, _), _ = scorer
    letters = shape[LETTERS]
    for node in range(counters[NODES]):
        for y in range(slope.shape[1]):
            slope[node, y] = 0.0
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
