"""Back-off language models by their definitions, in plain floats; imports nothing of rcmviz.

The equations are those of Carter, Dymetman, Bouchard (2012). An n-gram is a tuple of words, oldest first; logs are
natural; an n-gram that is not listed weighs 1 as a context.
"""

import math
from dataclasses import dataclass, replace
from functools import cache

BEGIN, END, UNKNOWN = "<s>", "</s>", "<unk>"


def suffixes(words):
    """All suffixes, the longest first, down to the empty one.

    >>> list(suffixes(("a", "b")))
    [('a', 'b'), ('b',), ()]
    """
    return (words[k:] for k in range(len(words) + 1))


@dataclass(frozen=True, eq=False)
class Table:
    """``listed`` {n-gram: (log f, log back-off)} up to ``order`` words, over the ``vocabulary``."""

    order: int
    vocabulary: tuple
    listed: dict

    def back_off(self, context):
        """log bow of a context."""
        return self.listed[context][1] if context in self.listed else 0.0

    def log_prob(self, word, history=()):
        """Eq. 7: f(hx) where it is listed, else bow(h) p(x | h without its oldest word)."""
        spent = 0.0
        for context in suffixes(self.visible(history)):
            if (*context, word) in self.listed:
                return spent + self.listed[*context, word][0]
            spent += self.back_off(context)
        return -math.inf

    def visible(self, history):
        """The last N − 1 words of a history."""
        return tuple(history)[max(0, len(history) - self.order + 1) :]

    def is_complete(self, history):
        """Whether no word before this history could make a difference."""
        return len(history) >= self.order - 1 or history[:1] == (BEGIN,)

    @property
    def before(self):
        """Return the symbols that may precede a word: ``<s>``, listed or not, and any word but ``</s>``."""
        return (BEGIN, *(word for word in self.vocabulary if word not in (BEGIN, END)))

    def complete_histories(self, history):
        """All complete histories that end in this one."""
        if self.is_complete(history):
            yield history
            return
        for word in self.before:
            yield from self.complete_histories((word, *history))

    def max_log_prob(self, word, history=()):
        """The largest p(x | g h) over all longer histories, every one of them tried."""
        return max(self.log_prob(word, longer) for longer in self.complete_histories(self.visible(history)))

    def next_words(self, history):
        """All words but ``<s>`` that have a probability, the most probable first, ties in order of the vocabulary."""
        scored = [(word, self.log_prob(word, history)) for word in self.vocabulary if word != BEGIN]
        return sorted((pair for pair in scored if pair[1] > -math.inf), key=lambda pair: -pair[1])

    def repaired(self):
        """The same distribution with every prefix and suffix of a listed n-gram listed too, as a blank."""
        parts = {gram[i:j] for gram in self.listed for i in range(len(gram)) for j in range(i + 1, len(gram) + 1)}
        blanks = {part: (self.log_prob(part[-1], part[:-1]), 0.0) for part in parts - set(self.listed)}
        return replace(self, listed=self.listed | blanks)


def max_back_off(table):
    """Eq. 8, ``w(x, h)``, by its recursion over the table as it is; only a repaired table makes it exact."""

    @cache
    def context_weight(context):
        """mbow(h)"""
        if table.is_complete(context):
            return 0.0
        longer = [(word, *context) for word in table.before]
        found = [table.back_off(one) + context_weight(one) for one in longer if one in table.listed]
        return max(found + [0.0] * (len(found) < len(longer)))

    @cache
    def entry(gram):
        """mf(hx)"""
        f = table.listed[gram][0]
        if len(gram) == table.order or gram[0] == BEGIN:
            return f
        contexts = [(word, *gram[:-1]) for word in table.before]
        listed = [one for one in contexts if one in table.listed]
        found = [entry((*one, gram[-1])) for one in contexts if (*one, gram[-1]) in table.listed]
        found += [f] * (len(listed) < len(contexts))
        backing = [one for one in listed if (*one, gram[-1]) not in table.listed]
        return max(found + [f + table.back_off(one) + context_weight(one) for one in backing])

    def bound(word, history=()):
        history = table.visible(history)
        if (*history, word) in table.listed:
            return entry((*history, word))
        return (context_weight(history) if history in table.listed else 0.0) + table.log_prob(word, history)

    return bound
