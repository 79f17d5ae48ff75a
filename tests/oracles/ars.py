"""High-order HMMs by enumeration of all sequences, and the q-automaton's invariants; imports nothing of rcmviz.

``p(x) = Π p_lm(x_i | <s> x_1 … x_{i−1}) p(o_i | x_i)`` as in Carter, Dymetman, Bouchard (2012), unnormalised. An
automaton is plain data too: per column ``{context: {word: (context that follows, log score)}}``, contexts without
``<s>``, which stands before a context that is as long as its column's number.
"""

import math
from dataclasses import dataclass
from functools import cached_property

from oracles.ngrams import BEGIN, END, UNKNOWN, Table, max_back_off, suffixes


def log_sum(values):
    """log Σ exp of a list."""
    highest = max(values, default=-math.inf)
    if highest == -math.inf:
        return -math.inf
    return highest + math.log(math.fsum(math.exp(value - highest) for value in values))


@dataclass(frozen=True, eq=False)
class Problem:
    """A language model's ``table``, the ``candidates`` of each position and their log observations.

    ``end``: whether ``</s>`` is a last position · ``temperature`` divides the logs of the language model.
    """

    table: Table
    candidates: tuple
    log_obs: tuple
    end: bool = True
    temperature: float = 1.0

    @cached_property
    def positions(self):
        """Per position ``{word: log observation}``, that of ``</s>`` included."""
        rows = [dict(zip(*pair, strict=True)) for pair in zip(self.candidates, self.log_obs, strict=True)]
        return rows + [{END: 0.0}] * self.end

    @property
    def T(self):
        return len(self.positions)

    def known(self, words):
        """The words as the language model knows them."""
        has_unknown = UNKNOWN in self.table.vocabulary
        return tuple(UNKNOWN if has_unknown and word not in (BEGIN, *self.table.vocabulary) else word for word in words)

    def log_lm(self, word, history):
        """Return the language model's log probability of a word after all previous words."""
        return self.log_after(word, (BEGIN, *history))

    def log_after(self, word, text):
        """Return the log probability of a word after the words of ``text``, which includes ``<s>``."""
        return self.table.log_prob(*self.known([word]), self.known(text)) / self.temperature

    def bound(self, word, history, order):
        """w of eq. 8 with only the last ``order`` − 1 words known, ``<s>`` counted."""
        seen = self.known((BEGIN, *history))[len(history) + 2 - order :]
        return self._max_log_prob(self.known([word])[0], seen) / self.temperature

    @cached_property
    def _max_log_prob(self):
        return max_back_off(self.table.repaired())

    @cached_property
    def log_p(self):
        """``{sequence: log p}`` of all sequences that are possible, ``</s>`` written out."""
        found = {(): 0.0}
        for row in self.positions:
            longer = {}
            for words, score in found.items():
                for word, log_obs in row.items():
                    longer[*words, word] = score + log_obs + self.log_lm(word, words)
            found = {words: score for words, score in longer.items() if score > -math.inf}
        return found

    def by_dynamic_programming(self):
        """(log p of the best sequence, log Z): sequences are summed up that agree in their last N − 1 words."""
        heads = {self.table.visible((BEGIN,)): (0.0, 0.0)}
        for row in self.positions:
            reached = {}
            for seen, (best, total) in heads.items():
                for word, log_obs in row.items():
                    gain = log_obs + self.log_after(word, seen)
                    reached.setdefault(self.table.visible((*seen, word)), []).append((best + gain, total + gain))
            heads = {seen: (max(ways)[0], log_sum([total for _, total in ways])) for seen, ways in reached.items()}
        return max(heads.values())[0], log_sum([total for _, total in heads.values()])

    @property
    def log_z(self):
        return log_sum(list(self.log_p.values()))

    @property
    def best(self):
        """log p of the best sequence."""
        return max(self.log_p.values())

    @property
    def ranking(self):
        """log p of all sequences, the best first."""
        return sorted(self.log_p.values(), reverse=True)

    @property
    def shares(self):
        """``{sequence: probability}``."""
        return {words: math.exp(score - self.log_z) for words, score in self.log_p.items()}

    def spoken(self, words):
        """A sequence without its ``</s>``."""
        return words[: len(self.candidates)]

    def written(self, words):
        """A sequence with its ``</s>``."""
        return (*words, *[END] * self.end)


def all_q(columns):
    """Return ``{sequence: log q}`` of all sequences with positive q."""
    found = {(): ((), 0.0)}
    for column in columns[:-1]:
        found = {
            (*words, word): (following, score + gain)
            for words, (context, score) in found.items()
            for word, (following, gain) in column[context].items()
            if gain > -math.inf
        }
    return {words: score for words, (_, score) in found.items()}


def violations(columns, problem, look_ahead):
    """Return the violations of the invariants I1–I5 by an automaton, as sentences."""
    found = [f"column {i} begins with {sorted(columns[i])}" for i in (0, problem.T) if set(columns[i]) != {()}]
    for i, column in enumerate(columns[:-1]):
        for context, edges in column.items():
            if context and context[1:] not in column:
                found.append(f"I1: the suffix of {context} is missing in column {i}")
            if context and context[:-1] not in columns[i - 1]:
                found.append(f"I2: the prefix of {context} is missing in column {i - 1}")
            if set(edges) != set(problem.positions[i]):
                found.append(f"{context} in column {i} has edges for {sorted(edges)}")
            for word, (following, gain) in edges.items():
                longest = next(tail for tail in suffixes((*context, word)) if tail in columns[i + 1])
                if following != longest:
                    found.append(f"I3: {word} leads from {context} in column {i} to {following}, not to {longest}")
                if not _is_weight(gain, problem, i, context, word, look_ahead):
                    found.append(f"I4: {gain} of {word} after {context} in column {i} is no bound of an order there is")
                if context and gain > column[context[1:]][word][1] + 1e-9:
                    found.append(f"I5: {word} after {context} in column {i} is above what its suffix says")
    return found


def _is_weight(gain, problem, i, context, word, look_ahead):
    """Whether a score is w_o of an order o that the context allows; looking ahead, it may be below that of order 1."""
    log_obs = problem.positions[i][word]
    known = len(context) + (len(context) == i)
    weights = [log_obs + problem.bound(word, context, order) for order in range(1, known + 2)]
    if look_ahead:
        return gain <= weights[0] + slack(weights[0])
    return any(gain == weight or abs(gain - weight) <= slack(weight) for weight in weights)


def bounds_below(columns, problem):
    """Return the edges below the model's score on some sequence, which would invalidate the bound."""
    found, ways = [], {(): ()}
    for i, column in enumerate(columns[:-1]):
        following = {}
        for words, context in ways.items():
            for word, (after, gain) in column[context].items():
                truth = problem.positions[i][word] + problem.log_lm(word, words)
                if gain < truth - slack(truth):
                    found.append(f"{gain} of {word} after {context} in column {i}, but {truth} after {words}")
                following[*words, word] = after
        ways = following
    return found


def slack(value):
    """Return the rounding error of a log in single precision."""
    return 1e-5 * max(1.0, abs(value)) if value > -math.inf else 0.0
