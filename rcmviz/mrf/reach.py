"""Candidates that the best sentence under a field can have, by a cheap bound on every sentence with a candidate.

A field of order K over a sentence is K families of chains: edges of distance l tie positions i, i + l, i + 2l, …, and
the best path through a word of a chain needs products of neighbouring columns only. Each word's own score is shared out
among the chains that hold its position; their best paths through it add up to no less than the best sentence with it,
however the scores are shared and whatever messages move between them. Messages are improved by passes to and fro over
the positions (TRW-S: Kolmogorov, 2006), which lowers the bound. What stays below a sentence that was found is left out.
"""

import numpy as np

PASSES, LOOKS = 24, 4  # passes of messages to and fro, and after how many candidates are left out
MARGIN = 1e-3  # nats: scores are rounded to single precision where they are decoded


class Chains:
    """Scores of a sentence as chains: ``nodes`` (n_i,) by position, ``edges`` {(i, j): (n_i, n_j)} of positions i < j.

    >>> chains = Chains([np.zeros(2), np.zeros(2)], {(0, 1): np.array([[0.0, 1.0], [3.0, 0.0]])})
    >>> bounds, highest = chains.bounds()
    >>> [one.tolist() for one in bounds], highest
    ([[1.0, 3.0], [3.0, 1.0]], 3.0)
    """

    def __init__(self, nodes, edges):
        self.nodes, self.edges = [np.array(node, np.float64) for node in nodes], dict(edges)
        self._link()
        self.messages = {}  # (from, to): what an edge gives to the nodes of its end
        for i, j in self.edges:
            self.messages[i, j], self.messages[j, i] = np.zeros(len(nodes[j])), np.zeros(len(nodes[i]))

    def _link(self):
        length = len(self.nodes)
        self.before = [[i for i in range(j) if (i, j) in self.edges] for j in range(length)]
        self.behind = [[j for j in range(i + 1, length) if (i, j) in self.edges] for i in range(length)]

    def _edge(self, left, right):
        """Scores with the rows for ``left``, whichever stands first."""
        return self.edges[left, right] if left < right else self.edges[right, left].T

    def _node_scores(self, i):
        return self.nodes[i] + sum(self.messages[j, i] for j in (*self.before[i], *self.behind[i]))

    def tighten(self):
        """One pass to the end and one back."""
        for order, ahead in ((range(len(self.nodes)), self.behind), (range(len(self.nodes) - 1, -1, -1), self.before)):
            for i in order:
                node = self._node_scores(i) / max(len(self.before[i]), len(self.behind[i]), 1)
                for j in ahead[i]:
                    found = ((node - self.messages[j, i])[:, None] + self._edge(i, j)).max(axis=0)
                    self.messages[i, j] = found - found.max()

    def bounds(self):
        """(the most that a sentence with each candidate can weigh, [(n_i,)]; the most of any)."""
        families = sorted({j - i for i, j in self.edges})
        shares = [self._node_scores(i) / max(self._edge_count(i, families), 1) for i in range(len(self.nodes))]
        found, highest = [np.zeros(len(node)) for node in self.nodes], 0.0
        alone = [i for i in range(len(self.nodes)) if not self._edge_count(i, families)]
        chains = [chain for back in families for chain in self._chains(back)] + [[i] for i in alone]
        for chain in chains:
            best = self._best_score_through([shares[i] for i in chain], chain)
            most = float(best[0].max())
            for i, through in zip(chain, best, strict=True):
                found[i] += through - most
            highest += most
        return [one + highest for one in found], highest

    def _edge_count(self, i, families):
        return sum((i - back, i) in self.edges or (i, i + back) in self.edges for back in families)

    def _chains(self, back):
        """Positions that edges of a distance tie together, two or more."""
        for first in range(min(back, len(self.nodes))):
            chain = list(range(first, len(self.nodes), back))
            if len(chain) > 1:
                yield chain

    def _best_score_through(self, nodes, chain):
        """The most that a path along a chain can weigh through each candidate, [(n_i,)]."""
        ahead, behind = [nodes[0]], [np.zeros(len(nodes[-1]))]
        tables = [
            self._edge(i, j) - self.messages[i, j] - self.messages[j, i][:, None]
            for i, j in zip(chain, chain[1:], strict=False)
        ]
        for node, table in zip(nodes[1:], tables, strict=True):
            ahead.append(node + (ahead[-1][:, None] + table).max(axis=0))
        for node, table in zip(reversed(nodes[1:]), reversed(tables), strict=True):
            behind.append((table + (node + behind[-1])).max(axis=1))
        return [one + other for one, other in zip(ahead, reversed(behind), strict=True)]

    def keep(self, kept):
        """Leave out all other candidates; ``kept`` [(k_i,)] are their places."""
        self.nodes = [node[places] for node, places in zip(self.nodes, kept, strict=True)]
        self.edges = {(i, j): table[np.ix_(kept[i], kept[j])] for (i, j), table in self.edges.items()}
        self.messages = {(i, j): message[kept[j]] for (i, j), message in self.messages.items()}


def reachable_candidates(chains, found):
    """Places [(k_i,)] of the candidates that a sentence of weight ``found`` or more can have; ``chains`` is used up."""
    places = [np.arange(len(node)) for node in chains.nodes]
    for number in range(PASSES + 1):
        if number % LOOKS == 0:
            bounds, _ = chains.bounds()
            kept = [np.flatnonzero(bound >= found - MARGIN) for bound in bounds]
            chains.keep(kept)
            places = [place[here] for place, here in zip(places, kept, strict=True)]
        chains.tighten()
    return places


def chains_of(scores, columns, log_obs, end=True, temperature=1.0):
    """The ``Chains`` of candidates by their numbers in a field, ``scores`` as ``decoding.FieldScores`` has them."""
    order, length = scores.order, len(columns)
    nodes = [scores.node(column).astype(np.float64) for column in columns]
    for i, column in enumerate(columns):
        for back in range(i + 1, order + 1):
            nodes[i] = nodes[i] + scores.edge(back, np.array([0]), column)[0]
        if end and length - i <= order:
            nodes[i] = nodes[i] + scores.edge(length - i, column, np.array([-1]))[:, 0]
    edges = {
        (i, i + back): scores.edge(back, columns[i], columns[i + back]) / temperature
        for back in range(1, order + 1)
        for i in range(length - back)
    }
    return Chains([node / temperature + obs for node, obs in zip(nodes, log_obs, strict=True)], edges)
