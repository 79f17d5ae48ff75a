"""Which contexts and candidates are worth sending: the heaviest, what they need, and the gold's. No loop over them."""

import numpy as np


def chosen_contexts(lattice, i, forward, posterior, wanted, limit, remembered):
    """Ids of the contexts of column i to send: the heaviest, those wanted (−1 ignored), their ancestors, the root.

    In the order of the tree: a context before those that end in it, sorted by the last label, then the one before.
    """
    column = lattice.column(i)
    weight = np.maximum(forward[column], posterior[column])
    heaviest = np.arange(len(weight))
    if len(weight) > limit:
        heaviest = np.argpartition(-weight, limit)[:limit]
    sent = set((heaviest + column.start).tolist()) | {c for c in wanted if c >= 0}
    sent |= set((np.flatnonzero(lattice.length[column] == 0) + column.start).tolist())
    for c in list(sent):
        sent.update(lattice.ancestors(c))
    return np.array(sorted(sent, key=lambda c: remembered.indices(c)[::-1]), dtype=np.int64)


def chosen_candidates(trace, i, gold_from, gold, limit):
    """Rows of the trace at position i to send, kept ones first, each group by rank: the heaviest and the gold's."""
    rows = trace.candidates(i)
    key, kept = trace.key[rows], trace.kept[rows]
    possible = trace.log_mass[rows] > -np.inf
    below = _highest_indices(key, ~kept & possible, max(limit - int(kept.sum()), limit // 3))
    above = _highest_indices(key, kept, limit - len(below))
    if gold is not None and gold_from >= 0:
        own = np.flatnonzero((trace.context[rows] == gold_from) & (trace.label[rows] == gold[i - 1]))
        if len(own) and kept[own[0]]:
            above = _with(above, own[0])
        elif len(own):
            below = _with(below, own[0])
    return np.concatenate([above, below]).astype(np.int64) + rows.start


def _with(chosen, one):
    return chosen if one in chosen else np.append(chosen, one)


def _highest_indices(key, among, count):
    """Indices of the highest keys, highest first, ties to the lower index."""
    rows = np.flatnonzero(among)
    if len(rows) > count:
        threshold = np.partition(key[rows], len(rows) - count - 1)[len(rows) - count - 1] if count else np.inf
        certain = rows[key[rows] > threshold]
        rows = np.concatenate([certain, rows[key[rows] == threshold][: count - len(certain)]])
    return rows[np.lexsort((rows, -key[rows]))]


def ranks(key, rows):
    """1 for the highest key; ties to the lower row. Only the given ``rows`` are counted."""
    if len(key) <= 10_000:
        rank = np.empty(len(key), dtype=np.int64)
        rank[np.argsort(-key, kind="stable")] = np.arange(1, len(key) + 1)
        return rank[rows]
    # Sorting all 456,976 candidates of an exact column takes 40 ms; only those above the lowest one needed matter.
    return np.array([1 + np.count_nonzero(key > key[m]) + np.count_nonzero(key[:m] == key[m]) for m in rows.tolist()])
