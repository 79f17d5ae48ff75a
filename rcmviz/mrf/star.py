"""The lifted star bound on log Z of a ring of N positions, for any messages δ (K, C): its cost does not know N.

The ring is covered by K + 1 rotations of disconnected stars; symmetry folds all of them into one, a centre u with K
leaves v. With c = K + 1, for every δ and every N > 2K,

    A(θ) / N ≤ (1/c) log Z★,   Z★ = Σ_u e^{θ⁰(u) − Σ_l δ_l(u)} Π_l Σ_v e^{c θ_l(u,v) + θ⁰(v) + δ_l(v)}

(eq. 14 and 15; in eq. 12 the node term is θ⁰). Gradients of (1/c) log Z★: μ_E^l by θ_l, (1/c) Σ_{l=0..K} μ_V^l by θ⁰
and (1/c)(μ_V^l − μ_V^0) by δ_l, where μ are the marginals of the star, centre 0.

A block of rows of e^{…} is made, used and forgotten: K · B · C numbers of memory, and of a low-rank model no marginal
μ_E is ever formed. The centre's weights of a block need all K leaves of its rows only, so one pass is enough: sums over
rows are kept relative to the heaviest centre so far and rescaled when a heavier one comes.

Many rows are shared out to threads, as many as BLAS may use (``OMP_NUM_THREADS``, ``threadpoolctl``): its own threads
would find too little to do in products as thin as these, and none in the exponentials. How rows are shared out, and so
every digit of the result, does not depend on the number of threads.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

import numpy as np
from threadpoolctl import ThreadpoolController

BLOCK_BYTES = 2**22  # of one block: few calls, and it stays in a cache
BLOCKS_OF_A_STRETCH = 8  # at least: a stretch of rows keeps sums over them of its own
STRETCHES = 4
SAFE = 60.0  # exponents whose exponentials single precision holds, and sums of them


@dataclass(frozen=True, eq=False)
class Star:
    """``bound`` (1/c) log Z★, in nats per token · ``nodes (K+1, C)`` marginals of centre and leaves ·
    ``gradient`` of the bound by part of the potentials, and ``delta (K, C)``; None if not requested.
    """

    bound: float
    nodes: np.ndarray | None = None
    gradient: dict | None = None
    delta: np.ndarray | None = None


def star_bound(potentials, delta, *, gradient=True, dtype=np.float64, block=None):
    """The bound as a ``Star``; ``dtype`` is that of the matrices, ``block`` how many rows of them are held at once.

    >>> from rcmviz.mrf.potentials import FullRank
    >>> round(float(star_bound(FullRank(np.zeros(4), np.zeros((2, 4, 4))), np.zeros((2, 4))).bound / np.log(4)), 9)
    1.0
    """
    arms = _Arms(potentials, delta, dtype)
    block = block or max(1, BLOCK_BYTES // (np.dtype(dtype).itemsize * arms.size))
    sums = _sum_all_rows(arms, block, gradient)
    highest = sums.centre.max()
    log_z = highest + np.log(np.exp(sums.centre - highest).sum())
    if not gradient:
        return Star(float(log_z) / arms.c)
    return _finish(arms, sums, log_z)


class _Arms:
    """The exponents c θ_l(u, v) + θ⁰(v) + δ_l(v) of the leaves, by blocks of rows u.

    ``left (C, q)`` and ``right[l] (C, q)``, their first columns ones, are what sums over rows and columns carry.
    """

    def __init__(self, potentials, delta, dtype):
        self.potentials, self.delta = potentials, np.asarray(delta, np.float64)
        self.order, self.size, self.c, self.dtype = potentials.order, potentials.size, potentials.order + 1, dtype
        if self.delta.shape != (self.order, self.size):
            raise ValueError(f"delta has the shape {self.delta.shape}: expected {(self.order, self.size)}")
        self.is_full = potentials.rank is None
        node, ones = np.asarray(potentials.node, np.float64), np.ones((self.size, 1))
        self.leaf = (node + self.delta).astype(dtype)
        self.centre = node - self.delta.sum(axis=0)
        if self.is_full:
            self.left, self.right = ones.astype(dtype), [ones.astype(dtype)] * self.order
        else:
            self.left = np.hstack([ones, potentials.U]).astype(dtype)
            self.right = [np.hstack([ones, W]).astype(dtype) for W in potentials.W]
            scaled = np.hstack([ones, self.c * potentials.U]).astype(dtype)
            self.factors = (
                scaled,
                [
                    np.hstack([b[:, None], W]).astype(dtype).T.copy()
                    for b, W in zip(self.leaf, potentials.W, strict=True)
                ],
            )

    def fill(self, arm, rows, out):
        """Exponents of the rows of one arm."""
        if self.is_full:
            np.multiply(self.potentials.theta[arm][rows], self.c, out=out, casting="same_kind")
            out += self.leaf[arm]
        else:
            scaled, columns = self.factors
            np.matmul(scaled[rows], columns[arm], out=out)


class _Sums:
    """``centre (C,)`` log weights · ``over_leaves (K, C, q)`` Σ_v e^{…} right · ``edges (K, C, C)`` of a full-rank
    model, rows to be weighted. All of them by row; sums over rows are a ``_Columns``.
    """

    def __init__(self, arms, gradient):
        self.centre = arms.centre.copy()
        self.over_leaves = np.empty((arms.order, arms.size, arms.left.shape[1]), arms.dtype)
        self.edges = np.empty((arms.order, arms.size, arms.size), arms.dtype) if gradient and arms.is_full else None
        self.columns = None


class _Columns:
    """Sums over rows u, ``over_centres (K, q, C)``, relative to e^{``top``}, the heaviest centre so far."""

    def __init__(self, arms):
        self.top = -np.inf
        self.over_centres = np.zeros((arms.order, arms.left.shape[1], arms.size), arms.dtype)

    def rescale(self, top):
        """Make a heavier centre the one that sums are relative to."""
        if top > self.top:
            self.over_centres *= np.exp(self.top - top)
            self.top = top

    def add(self, other):
        """The sums over other rows too."""
        self.rescale(other.top)
        self.over_centres += other.over_centres * np.exp(other.top - self.top).astype(self.over_centres.dtype)


def _sum_all_rows(arms, block, gradient):
    """The sums over all rows, by stretches, in sequence or in parallel."""
    sums = _Sums(arms, gradient)
    stretches = min(STRETCHES, max(1, arms.size // (block * BLOCKS_OF_A_STRETCH)))
    edges = np.linspace(0, arms.size, stretches + 1).astype(int)

    def over_rows(begin, end):
        return _one_pass(arms, sums, range(begin, end, block), end, gradient)

    blas = _blas()
    threads = min(stretches, max((library.num_threads for library in blas.lib_controllers), default=1))
    if threads > 1:
        with blas.limit(limits=1), ThreadPoolExecutor(threads) as pool:
            columns = list(pool.map(over_rows, edges[:-1], edges[1:]))
    else:
        columns = list(map(over_rows, edges[:-1], edges[1:]))
    sums.columns = columns[0]
    for other in columns[1:]:
        sums.columns.add(other)
    return sums


@cache
def _blas():
    """The libraries of linear algebra in this process: asking for them takes milliseconds."""
    return ThreadpoolController().select(user_api="blas")


def _one_pass(arms, sums, starts, end, gradient):
    """Blocks of rows that begin at ``starts``: into the rows of ``sums``, and into the columns that are given back."""
    columns = _Columns(arms)
    room = np.empty((arms.order, min(starts.step, end - starts.start), arms.size), arms.dtype)
    for start in starts:
        rows = slice(start, min(start + starts.step, end))
        weights = room[:, : rows.stop - start]
        for arm, weight in enumerate(weights):
            arms.fill(arm, rows, weight)
            shift = _exponentials(weight)
            np.matmul(weight, arms.right[arm], out=sums.over_leaves[arm, rows])
            sums.centre[rows] += shift + np.log(sums.over_leaves[arm, rows, 0].astype(np.float64))
        if gradient:
            _add_rows(arms, sums, columns, rows, weights)
    return columns


def _exponentials(weight):
    """e^{weight − shift} in place, with a shift (B,) per row where numbers could not hold it, else 0."""
    highest = weight.max(axis=1)
    if highest.max() > SAFE or highest.min() < -SAFE:
        weight -= highest[:, None]
    else:
        highest = 0.0
    np.exp(weight, out=weight)
    return highest


def _add_rows(arms, sums, columns, rows, weights):
    """Add a block of rows to the columns, rescaled if it holds the heaviest centre so far."""
    centre = sums.centre[rows]
    columns.rescale(float(centre.max()))
    here = np.exp(centre - columns.top)
    for arm, weight in enumerate(weights):
        share = (here / sums.over_leaves[arm, rows, 0]).astype(arms.dtype)
        columns.over_centres[arm] += (share[:, None] * arms.left[rows]).T @ weight
        if arms.is_full:
            sums.edges[arm, rows] = weight


def _finish(arms, sums, log_z):
    share = np.exp(sums.centre - log_z)  # of each centre: μ_V^0
    by_row = share / sums.over_leaves[:, :, 0]
    columns = sums.columns.over_centres * np.exp(sums.columns.top - log_z)
    nodes = np.vstack([share, columns[:, 0]]).astype(np.float64)
    gradient = {"node": nodes.sum(axis=0) / arms.c}
    if arms.is_full:
        gradient["theta"] = sums.edges * by_row[:, :, None]
    else:
        gradient["U"] = np.einsum("lc,lcd->cd", by_row, sums.over_leaves[:, :, 1:])
        gradient["W"] = columns[:, 1:].transpose(0, 2, 1)
    return Star(float(log_z) / arms.c, nodes, gradient, (nodes[1:] - nodes[0]) / arms.c)


def pair_marginals(potentials, delta, words):
    """Marginals μ_E^l (K, n, n) of the star for some ``words``, centre in the rows: the model's moments of their pairs.

    >>> from rcmviz.mrf.potentials import FullRank
    >>> pair_marginals(FullRank(np.zeros(4), np.zeros((1, 4, 4))), np.zeros((1, 4)), [1, 2])[0].tolist()
    [[0.0625, 0.0625], [0.0625, 0.0625]]
    """
    share = star_bound(potentials, delta).nodes[0][words]
    arms, found = _Arms(potentials, delta, np.float64), []
    for arm in range(arms.order):
        weights = np.empty((len(words), arms.size))
        arms.fill(arm, words, weights)
        weights = np.exp(weights - weights.max(axis=1, keepdims=True))
        found.append(share[:, None] * weights[:, words] / weights.sum(axis=1, keepdims=True))
    return np.stack(found)
