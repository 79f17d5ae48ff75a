"""CTC with a language model of words, by enumeration over all alignments; imports nothing of rcmviz.

A context is ``(words before, beginning of the current word)``: the words a tuple, the oldest first, ``BEGIN`` among
them where it is seen; the beginning its letters, or ``Last(letter)`` where they are forgotten or begin no word of the
model, or None before anything is written, which is not the same as after a separator.
"""

import math
from dataclasses import dataclass

from oracles.ctc import collapse, log_sum
from oracles.ngrams import BEGIN, END, UNKNOWN, Table

NOWHERE = "⟨⟩"  # a word that no table lists
FAINT = -1e4  # nothing is believed to be worse


@dataclass(frozen=True)
class Last:
    """Of a word no more than its last letter."""

    letter: str


@dataclass(frozen=True)
class WordProblem:
    """``emit`` T rows {symbol: log}; a table of words, its weight, bonuses, the unknown word, the end."""

    labels: tuple
    emit: tuple
    table: Table
    separator: str
    weight: float = 1.0
    bonus: float = 0.0
    word_bonus: float = 0.0
    unknown: float = -10.0
    letter: float = 0.0
    end: bool = False

    @property
    def begin(self):
        """The context before anything is written."""
        return self._seen((BEGIN if BEGIN in self.table.vocabulary else NOWHERE,)), None

    @property
    def listed(self):
        """The words that labels can spell."""
        letters = set(self.labels) - {self.separator}
        return {w for w in self.table.vocabulary if w not in (BEGIN, END, UNKNOWN) and letters >= set(w)}

    def token(self, word):
        """A word as the table knows it."""
        if word in self.listed:
            return word
        return UNKNOWN if UNKNOWN in self.table.vocabulary else NOWHERE

    def word_score(self, word, before):
        """Log of what a whole word multiplies by; '' is none."""
        if word == "":
            return 0.0
        token = self.token(word)
        log = 0.0 if token == NOWHERE else self.weight * self.table.log_prob(token, before)
        return log + self.word_bonus + (0.0 if word in self.listed else self.unknown)

    def score(self, output):
        """Log of what an output multiplies by, by its words."""
        total, before = self.bonus * len(output), (BEGIN,)
        for word in "".join(" " if label == self.separator else label for label in output).split():
            beginnings = [word[: k + 1] for k in range(len(word))]
            strange = sum(not any(one.startswith(beginning) for one in self.listed) for beginning in beginnings)
            total += self.word_score(word, before) + self.letter * max(0, strange - 1)
            before = (*before, self.token(word))
        return total + (self.weight * self.table.log_prob(END, before) if self.end else 0.0)

    @property
    def outputs(self):
        """``{output: log score}`` of all outputs, summed over all alignments."""
        found = {}
        for alignment, log in self._alignments():
            found.setdefault(collapse(alignment), []).append(log)
        scores = {output: log_sum(logs) + self.score(output) for output, logs in found.items()}
        return {output: score for output, score in scores.items() if score > -math.inf}

    def _alignments(self):
        level = [((), 0.0)]
        for row in self.emit:
            level = [((*before, symbol), log + row[symbol]) for before, log in level for symbol in row]
        return level

    def _spelt(self, beginning):
        """Return a prefix as a whole word: forgotten words are not in the table."""
        return "" if beginning is None else beginning if isinstance(beginning, str) else NOWHERE

    def gain(self, label, context):
        """Log of what a new label multiplies by."""
        before, beginning = context
        if label == self.separator:
            return self.bonus + self.word_score(self._spelt(beginning), before)
        return self.bonus + (self.letter if isinstance(beginning, Last) else 0.0)

    def last_gain(self, context):
        """Log of what the end multiplies by."""
        before, beginning = context
        word = self._spelt(beginning)
        after = (*before, self.token(word)) if word else before
        return self.word_score(word, before) + (self.weight * self.table.log_prob(END, after) if self.end else 0.0)

    def longer(self, context, label):
        """The context with a label more."""
        before, beginning = context
        if label != self.separator:
            grown = None if isinstance(beginning, Last) else (beginning or "") + label
            known = grown is not None and any(word.startswith(grown) for word in self.listed)
            return before, grown if known else Last(label)
        if not beginning or (isinstance(beginning, Last) and before == ()):
            return before, ""
        return self._seen((*before, self.token(self._spelt(beginning)))), ""

    def _seen(self, words):
        most = self.table.order - 1
        return words[len(words) - most :] if len(words) > most else words

    def suffixes(self, context):
        """Return the suffixes of a context, the longest first."""
        before, beginning = context
        if beginning is None:
            return [context]
        words = [(before[k:], beginning) for k in range(len(before) + 1)]
        return [*words, ((), Last(beginning[-1]))] if isinstance(beginning, str) and beginning else words

    def outlook(self, t, context, is_blank):
        """Log of what a context is believed to pay for its word: of those that begin so, the best by itself."""
        _, beginning = context
        if not beginning:
            return 0.0
        if isinstance(beginning, Last):
            return max(FAINT, self.word_score(NOWHERE, ()))
        words = (word for word in self.listed if word.startswith(beginning))
        return max(FAINT, *(self.word_score(word, ()) for word in words))


@dataclass(frozen=True)
class Whole:
    """A problem whose contexts are whole outputs."""

    problem: WordProblem
    begin = ()

    def __getattr__(self, name):
        return getattr(self.problem, name)

    def longer(self, context, label):
        return (*context, label)

    def _state(self, context):
        state = self.problem.begin
        for label in context:
            state = self.problem.longer(state, label)
        return state

    def gain(self, label, context):
        return self.problem.gain(label, self._state(context))

    def last_gain(self, context):
        return self.problem.last_gain(self._state(context))

    def outlook(self, t, context, is_blank):
        return self.problem.outlook(t, self._state(context), is_blank)
