"""Log potentials of a field of order K over C words: θ⁰(u) of a word, θ_l(u, v) of v standing l behind u.

``FullRank`` keeps all θ_l (K, C, C); ``LowRank`` keeps θ_l(u, v) = U_u · W_v^l with one U (C, D) for all distances
(eq. 5). Both are given to the bounds, to the references and to the optimiser as named arrays, their *parts*.
"""

from dataclasses import dataclass, fields

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin, freeze

MOST = 200_000_000  # potentials of a field that is learnt; learning keeps some ten copies


def _check_room(count):
    if count > MOST:
        raise ValueError(f"{count:,} potentials, at most {MOST:,}: lower rank, order or size")


def _check_potentials(potentials, shapes):
    for entry in fields(potentials):
        given = np.asarray(getattr(potentials, entry.name))
        if given.dtype not in (np.float32, np.float64):
            given = given.astype(np.float64)
        if given.shape != shapes[entry.name]:
            raise ValueError(f"{entry.name} has the shape {given.shape}: expected {shapes[entry.name]}")
        bad = np.argwhere(~(np.abs(given) <= checks.LARGEST))
        if len(bad):
            place = tuple(bad[0].tolist())
            wanted = f"potentials are numbers of at most {checks.LARGEST:,.0f} in size"
            raise ValueError(f"{entry.name}{list(place)} is {given[place]}: {wanted}")
        given = np.array(given, order="C")
        object.__setattr__(potentials, entry.name, given)
    freeze(potentials)


class Potentials(CopyableMixin):
    """Shared by both kinds: ``node (C,)`` is θ⁰."""

    @property
    def size(self):
        """C, the number of words."""
        return len(self.node)

    @property
    def parts(self):
        """``{name: array}`` of the parameters."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}

    def pack(self):
        """The parts as one vector in double precision."""
        return np.concatenate([part.ravel() for part in self.parts.values()]).astype(np.float64)

    def unpack(self, vector):
        """Potentials of these shapes from what ``pack`` made."""
        found, at = {}, 0
        for name, part in self.parts.items():
            found[name] = vector[at : at + part.size].reshape(part.shape)
            at += part.size
        return type(self)(**found)

    def as_type(self, dtype):
        """The same in another precision."""
        return type(self)(**{name: part.astype(dtype) for name, part in self.parts.items()})


@dataclass(frozen=True, eq=False)
class FullRank(Potentials):
    """``node (C,)`` and ``theta (K, C, C)``. ValueError where shapes differ or a number is not finite."""

    node: np.ndarray
    theta: np.ndarray

    def __post_init__(self):
        size = np.shape(self.node)
        _check_potentials(self, {"node": size[:1], "theta": (len(self.theta), *size, *size)})

    @property
    def order(self):
        """K, the longest distance."""
        return len(self.theta)

    rank = None

    @classmethod
    def initial(cls, node, order):
        """No word says anything about its neighbours."""
        _check_room(order * len(node) ** 2)
        return cls(node, np.zeros((order, len(node), len(node))))

    def edges(self, back, left=slice(None), right=slice(None)):
        """θ_l of the words ``left`` (rows) and ``right`` (columns), l = ``back``."""
        return self.theta[back - 1][left][..., right]

    def of_pairs(self, back, left, right):
        """θ_l(left_j, right_j), (n,)."""
        return self.theta[back - 1, left, right]

    def data_term(self, moments, gradient=True):
        """⟨μ̂, θ⟩ per token and, by part, its gradient (None without)."""
        value, share = moments.words @ self.node, 1.0 / moments.tokens
        for theta, pairs in zip(self.theta, moments.pairs, strict=True):
            value += float(pairs.multiply(theta).sum())
        if not gradient:
            return float(value) * share, None
        theta = np.stack([pairs.toarray() for pairs in moments.pairs]) * share
        return float(value) * share, {"node": moments.words * share, "theta": theta}


@dataclass(frozen=True, eq=False)
class LowRank(Potentials):
    """``node (C,)``, ``U (C, D)`` and ``W (K, C, D)``. ValueError where shapes differ or a number is not finite."""

    node: np.ndarray
    U: np.ndarray
    W: np.ndarray

    def __post_init__(self):
        size, rank = np.shape(self.node), np.shape(self.U)[-1:]
        _check_potentials(self, {"node": size[:1], "U": (*size, *rank), "W": (len(self.W), *size, *rank)})

    @property
    def order(self):
        """K, the longest distance."""
        return len(self.W)

    @property
    def rank(self):
        """D, the length of a word's vector."""
        return self.U.shape[1]

    @classmethod
    def initial(cls, node, order, rank, seed, spread=0.1):
        """Small random vectors: at 0 they would stay."""
        _check_room(len(node) * rank * (order + 1))
        random = np.random.default_rng(seed)
        U = random.normal(0.0, spread, (len(node), rank))
        return cls(node, U, random.normal(0.0, spread, (order, len(node), rank)))

    def edges(self, back, left=slice(None), right=slice(None)):
        """θ_l of the words ``left`` (rows) and ``right`` (columns), l = ``back``."""
        return self.U[left] @ self.W[back - 1][right].T

    def of_pairs(self, back, left, right):
        """θ_l(left_j, right_j), (n,)."""
        return np.einsum("nd,nd->n", self.U[left], self.W[back - 1][right])

    def data_term(self, moments, gradient=True):
        """⟨μ̂, θ⟩ per token and, by part, its gradient (None without)."""
        value, share, of_U, of_W = moments.words @ self.node, 1.0 / moments.tokens, 0.0, []
        for W, pairs in zip(self.W, moments.pairs, strict=True):
            expected = pairs @ W
            value += np.vdot(self.U, expected)
            if gradient:
                of_U = of_U + expected
                of_W.append(pairs.T @ self.U)
        if not gradient:
            return float(value) * share, None
        return float(value) * share, {"node": moments.words * share, "U": of_U * share, "W": np.stack(of_W) * share}
