"""Markov random fields by enumeration: every ring, every sentence, one product of exponentials each.

A field is ``(node, edges)``: ``node[u]``, ``edges[l − 1][u][v]`` for v standing l behind u; word 0 is the separator.
"""

import math
from itertools import product


def log_sum(values):
    """log Σ e^value.

    >>> round(log_sum([0.0, 0.0]), 6)
    0.693147
    """
    values = list(values)
    highest = max(values)
    return highest + math.log(math.fsum(math.exp(value - highest) for value in values))


def ring_score(field, line):
    """Log weight of a ring.

    >>> ring_score(([1.0, 2.0], [[[0.0, 0.5], [0.25, 0.0]]]), [0, 1, 1])
    5.75
    """
    node, edges = field
    count = len(line)
    return sum(
        node[line[i]] + sum(edge[line[i]][line[(i + back) % count]] for back, edge in enumerate(edges, start=1))
        for i in range(count)
    )


def ring_log_z(field, count):
    """log Z of the ring of ``count`` positions."""
    return log_sum(ring_score(field, line) for line in product(range(len(field[0])), repeat=count))


def sentence_score(field, words):
    """Log weight of a sentence between separators: its nodes, and the edges with a word of it at an end."""
    node, edges = field
    order, count = len(edges), len(words)
    line = [0] * order + list(words) + [0] * order
    total = sum(node[word] for word in words)
    for i in range(len(line)):
        for back in range(1, order + 1):
            j = i + back
            if j < len(line) and (order <= i < order + count or order <= j < order + count):
                total += edges[back - 1][line[i]][line[j]]
    return total


def sentence_log_z(field, length):
    """Log of the summed weight of all sentences of a length."""
    words = range(1, len(field[0]))
    return log_sum(sentence_score(field, sentence) for sentence in product(words, repeat=length))


def sentences_ring(sentences, order):
    """The ring of a corpus: ``order`` separators before every sentence."""
    return [word for sentence in sentences for word in [0] * order + list(sentence)]


def blank(field, left, right):
    """p(word | left _ right) of every word, by whole sentences; 0 for the separator."""
    words = range(1, len(field[0]))
    scores = {word: sentence_score(field, [*left, word, *right]) for word in words}
    whole = log_sum(scores.values())
    return [0.0, *(math.exp(scores[word] - whole) for word in words)]


def star(field, delta):
    """log Z★ / (K + 1): the sum over the states of a centre and its K leaves, one by one."""
    node, edges = field
    c = len(edges) + 1
    return (
        log_sum(
            node[u]
            - sum(delta[back][u] for back in range(c - 1))
            + sum(c * edges[back][u][v] + node[v] + delta[back][v] for back, v in enumerate(leaves))
            for u in range(len(node))
            for leaves in product(range(len(node)), repeat=c - 1)
        )
        / c
    )


def star_nodes(field, delta):
    """Marginals of the centre and of each leaf of the star, by enumeration: [K + 1][C]."""
    node, edges = field
    c, size = len(edges) + 1, len(node)
    whole, found = star(field, delta) * c, [[0.0] * size for _ in range(c)]
    for u in range(size):
        for leaves in product(range(size), repeat=c - 1):
            score = node[u] - sum(delta[back][u] for back in range(c - 1))
            score += sum(c * edges[back][u][v] + node[v] + delta[back][v] for back, v in enumerate(leaves))
            for place, word in enumerate((u, *leaves)):
                found[place][word] += math.exp(score - whole)
    return found


def chains(field, delta, count):
    """(1/K) Σ_l log Z of the ring whose only edges are K θ_l, with nodes θ⁰ + δ_l, per token: by enumeration."""
    node, edges = field
    order, size = len(edges), len(node)
    total = 0.0
    for back in range(1, order + 1):

        def score(line, back=back):
            return sum(
                node[line[i]] + delta[back - 1][line[i]] + order * edges[back - 1][line[i]][line[(i + back) % count]]
                for i in range(count)
            )

        total += log_sum(score(line) for line in product(range(size), repeat=count))
    return total / order / count


def moments(sentences, order, size):
    """(how often each word occurs, [l − 1][u][v] how often v stands l behind u) in the ring of a corpus."""
    line = sentences_ring(sentences, order)
    words, pairs = [0] * size, [[[0] * size for _ in range(size)] for _ in range(order)]
    for i, word in enumerate(line):
        words[word] += 1
        for back in range(1, order + 1):
            pairs[back - 1][word][line[(i + back) % len(line)]] += 1
    return words, pairs


def tagged_score(field, tags, words):
    """Log weight of a ring of tags and words: ``field = (pairs, nodes, nu, seen)``, ``seen`` a table per offset."""
    pairs, nodes, nu, seen = field
    count = len(tags)
    return sum(
        nodes[tags[i]]
        + nu[words[i]]
        + pairs[tags[i]][tags[(i + 1) % count]]
        + sum(theta[tags[i]][words[(i + offset) % count]] for offset, theta in seen.items())
        for i in range(count)
    )


def tagged_log_z(field, count):
    """log Z of all rings of ``count`` tags and words."""
    _, nodes, nu, _ = field
    return log_sum(
        tagged_score(field, tags, words)
        for tags in product(range(len(nodes)), repeat=count)
        for words in product(range(len(nu)), repeat=count)
    )
