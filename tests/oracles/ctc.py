"""CTC with a language model by its definition, by enumeration over all alignments; imports nothing of rcmviz.

An alignment is a tuple of symbols, one per frame, ``BLANK`` or a label. A context is a tuple of labels, oldest first,
that the collapsed output ends in, ``START`` first where it remembers the beginning. ``Machine`` is a problem with a set
of contexts after each frame: whatever sets it is given, each alignment follows one path of contexts through them.
"""

import math
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from oracles.ngrams import BEGIN, END, Table

BLANK, START = "-", "^"
SLACK = 1e-9  # floats may swap two masses that are closer than this


def log_sum(logs):
    """Log of a sum of numbers that are known by their logs.

    >>> log_sum([]), log_sum([-2000.0, -math.inf])
    (-inf, -2000.0)
    """
    logs = list(logs)
    highest = max(logs, default=-math.inf)
    if highest == -math.inf:
        return highest
    return highest + math.log(math.fsum(math.exp(log - highest) for log in logs))


def collapse(alignment):
    """The output of an alignment: repeats joined, then blanks left out.

    >>> collapse(("a", "a", "-", "a", "b"))
    ('a', 'a', 'b')
    """
    return tuple(symbol for symbol, _ in groupby(alignment) if symbol != BLANK)


@dataclass(frozen=True)
class Problem:
    """``emit`` T rows {symbol: log}; a table or none with its weight, a bonus per label, and whether the end counts."""

    labels: tuple
    emit: tuple
    table: Table | None = None
    weight: float = 1.0
    bonus: float = 0.0
    end: bool = False

    begin = (START,)

    def longer(self, context, label):
        """The context with a label more."""
        return (*context, label)

    def suffixes(self, context):
        """Return the suffixes of a context, the longest first."""
        return [context[k:] for k in range(len(context))]

    @property
    def remembered(self):
        """How many labels a score can see, at least the one that a collapse asks for; the start counts as one."""
        return 1 if self.table is None else max(self.table.order - 1, 1)

    def _log(self, word, context):
        history = tuple(BEGIN if label == START else label for label in context)
        return self.weight * self.table.log_prob(word, history) if self.table else 0.0

    def gain(self, label, context):
        """Log of what a new label multiplies by."""
        return self._log(label, context) + self.bonus

    def last_gain(self, context):
        """Log of what the end multiplies by."""
        return self._log(END, context) if self.end else 0.0


@dataclass(frozen=True)
class Machine:
    """A problem with ``sets``, the contexts after 0 … T frames; ``merging`` or dropping; contexts up to ``cap``."""

    problem: Problem
    sets: tuple
    merging: bool
    cap: float

    @cached_property
    def columns(self):
        """Per frame ``{beginning of an alignment: (context, log mass)}`` and ``{candidate: {is blank: log mass}}``."""
        level = {(): (self.problem.begin, 0.0)}
        found = [(level, {})]
        for emit, kept in zip(self.problem.emit, self.sets[1:], strict=True):
            following, proposed = {}, defaultdict(lambda: defaultdict(list))
            for before, (context, mass) in level.items():
                for symbol, grown, arriving in self.moves(before[-1:], context, mass, emit):
                    home = self.home(grown, kept)
                    proposed[grown][symbol == BLANK].append(arriving)
                    if home is not None:
                        following[*before, symbol] = home, arriving
            level = following
            own = {c: {is_blank: log_sum(logs) for is_blank, logs in parts.items()} for c, parts in proposed.items()}
            found.append((level, own))
        return found

    def moves(self, last, context, mass, emit):
        """``(symbol, context before any is merged, log mass)`` of what may follow the ``last`` symbol, () for none."""
        for symbol, log in emit.items():
            is_new = symbol not in (BLANK, *last)
            grown = self.capped(self.problem.longer(context, symbol)) if is_new else context
            arriving = mass + log + (self.problem.gain(symbol, context) if is_new else 0.0)
            if arriving > -math.inf:
                yield symbol, grown, arriving

    @property
    def log_z_of_joined(self):
        """Return ``log_z`` by dynamic programming: alignments with equal ends in one context are joined."""
        level = {(self.problem.begin, ()): 0.0}
        for emit, kept in zip(self.problem.emit, self.sets[1:], strict=True):
            following = defaultdict(list)
            for (context, last), mass in level.items():
                for symbol, grown, arriving in self.moves(last, context, mass, emit):
                    following[self.home(grown, kept), (symbol,)].append(arriving)
            level = {key: log_sum(logs) for key, logs in following.items() if key[0] is not None}
        return log_sum(mass + self.problem.last_gain(context) for (context, _), mass in level.items())

    def capped(self, context):
        """The context as far as the problem sees it."""
        return context if self.cap == math.inf else context[-int(self.cap) :]

    def home(self, context, kept):
        """The longest suffix that is kept; without merging the context itself or nothing."""
        suffixes = self.problem.suffixes(context) if self.merging else [context]
        return next((suffix for suffix in suffixes if suffix in kept), None)

    @cached_property
    def scores(self):
        """``{alignment: log score}`` of all that are possible."""
        last, _ = self.columns[-1]
        found = {alignment: mass + self.problem.last_gain(context) for alignment, (context, mass) in last.items()}
        return {alignment: score for alignment, score in found.items() if score > -math.inf}

    @cached_property
    def outputs(self):
        """``{output: log score}``, summed over its alignments."""
        found = defaultdict(list)
        for alignment, score in self.scores.items():
            found[collapse(alignment)].append(score)
        return {output: log_sum(scores) for output, scores in found.items()}

    @property
    def log_z(self):
        """Log of the sum over all outputs."""
        return log_sum(self.outputs.values())

    def share(self, t, symbol):
        """Probability that frame t shows a symbol."""
        shown = log_sum(score for alignment, score in self.scores.items() if alignment[t] == symbol)
        return math.exp(shown - self.log_z)

    def outlook(self, t, context, is_blank):
        """Log of the summed scores of what may follow a context after t frames, its last frame a blank or its label.

        A missing context is replaced by its longest suffix; −inf if there is none.
        """
        level, _ = self.columns[t]
        context = next((suffix for suffix in self.problem.suffixes(context) if suffix in self.sets[t]), None)
        here = [b for b, (there, _) in level.items() if there == context and (b[-1:] in ((), (BLANK,))) == is_blank]
        through = log_sum(score for alignment, score in self.scores.items() if alignment[:t] in here)
        return through - log_sum(level[beginning][1] for beginning in here) if here else -math.inf

    def violations(self, budget, outlook=None):
        """Return the faults of the sets, for a budget of contexts of more than one label (of whole outputs: of all).

        ``outlook`` is that of the machine of a pass before.
        """
        for t, (_, own) in enumerate(self.columns[1:], start=1):
            chosen = {context for context in self.sets[t] if not self._is_shortest(context)}
            keys = {
                c: log_sum(mass + (outlook(t, c, is_blank) if outlook else 0.0) for is_blank, mass in parts.items())
                for c, parts in own.items()
            }
            others = {c: key for c, key in keys.items() if not self._is_shortest(c) and key > -math.inf}
            if not chosen <= set(others):
                yield f"frame {t}: kept without mass: {chosen - set(others)}"
            elif len(chosen) != min(budget, len(others)):
                yield f"frame {t}: {len(chosen)} of {len(others)} kept"
            elif chosen != set(others):
                lightest = min(others[context] for context in chosen)
                heaviest = max(mass for context, mass in others.items() if context not in chosen)
                if heaviest > lightest + SLACK:
                    yield f"frame {t}: {heaviest} was not kept, {lightest} was"

    def _is_shortest(self, context):
        return self.merging and len(self.problem.suffixes(context)) == 1


def exact(problem):
    """The machine that remembers all."""
    return Machine(problem, (Everything(),) * (len(problem.emit) + 1), False, math.inf)


class Everything:
    """The set of all contexts."""

    def __contains__(self, context):
        return True
