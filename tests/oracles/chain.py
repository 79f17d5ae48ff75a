"""The definitions, by enumeration over all outputs, in exact rationals; imports nothing of rcmviz.

A problem carries ``exp`` of every weight as a ``Fraction``; 0 represents −inf. A context is a tuple of label names,
oldest first; ``()`` is the root. A ``Machine`` is a problem with a set of contexts after 0 … T−1 labels: whatever sets
it is given, each output follows one path of contexts through them, and every quantity is a sum over such paths.
``Rule`` says how the sets are to be chosen, and ``violations`` whether given sets are chosen so.
"""

import math
from collections import defaultdict
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

BEGIN, FORGOTTEN = "^", "*"
SLACK = 1 + Fraction(1, 10**9)  # floats may swap two masses that are closer than this
HUGE = 10**6


def log(value):
    """Natural log of a rational of any size; log 0 = −inf."""
    value = Fraction(value)
    return -math.inf if value == 0 else math.log(value.numerator) - math.log(value.denominator)


def suffixes(labels):
    """All suffixes, the longest first, down to the empty one.

    >>> list(suffixes(("a", "b")))
    [('a', 'b'), ('b',), ()]
    """
    return (labels[k:] for k in range(len(labels) + 1))


@dataclass(frozen=True)
class Problem:
    """``windows`` {window: exp weight}, missing ones weigh 1; ``emit`` T rows of Y exp emissions."""

    labels: tuple
    order: int
    mode: str
    windows: dict
    emit: tuple

    @property
    def T(self):
        return len(self.emit)

    def fired(self, i, context):
        """The window prefixes (n symbols) that fire after i labels of which ``context`` is remembered."""
        n = self.order
        seen = context[-n:]
        if self.mode == "single":
            before = max(n - i, 0)
            return [(BEGIN,) * before + (FORGOTTEN,) * (n - before - len(seen)) + seen]
        prefixes = [(FORGOTTEN,) * (n - len(tail)) + tail for tail in suffixes(seen)]
        if len(context) == i < n:
            prefixes.append((FORGOTTEN,) * (n - i - 1) + (BEGIN,) + context)
        return prefixes

    def arc(self, i, context, label):
        """exp score of writing ``label`` after i labels of which ``context`` is remembered."""
        weight = self.emit[i][self.labels.index(label)]
        for prefix in self.fired(i, context):
            weight *= self.windows.get(prefix + (label,), 1)
        return weight

    def edited(self, pin=(), forbid=()):
        """The same problem with label pins and forbids written into the emissions."""
        emit = [list(row) for row in self.emit]
        for position, what in pin:
            for y, label in enumerate(self.labels):
                if isinstance(what, str) and label != what:
                    emit[position - 1][y] = Fraction(0)
        for position, what in forbid:
            if isinstance(what, str):
                emit[position - 1][self.labels.index(what)] = Fraction(0)
        return replace(self, emit=tuple(tuple(row) for row in emit))


@dataclass(frozen=True)
class Path:
    """One output: its labels, its weight, and the contexts before each of its labels."""

    labels: tuple
    weight: Fraction
    contexts: tuple


@dataclass(frozen=True)
class Machine:
    """A problem and its context sets ``columns[0 … T−1]``; a column without the root drops what falls through.

    ``root_weight`` makes it the repaired beam: the root leads to the root only, and each arc that enters it at a
    position 1 … T−1 has this factor.
    """

    problem: Problem
    columns: tuple
    root_weight: Fraction | None = None

    def follow(self, i, context, label):
        """The context after writing ``label`` after i labels: the longest suffix in the next set, None if dropped."""
        stuck = self.root_weight is not None and i > 0 and context == ()
        if stuck or i + 1 == self.problem.T:
            return ()
        return next((tail for tail in suffixes(context + (label,)) if tail in self.columns[i + 1]), None)

    def steps(self, i, context):
        """``(label, weight, next context)`` of every arc that has a positive weight."""
        if (i, context) not in self._steps:
            self._steps[i, context] = list(self._arcs(i, context))
        return self._steps[i, context]

    @cached_property
    def _steps(self):
        return {}

    def _arcs(self, i, context):
        for label in self.problem.labels:
            weight, after = self.problem.arc(i, context, label), self.follow(i, context, label)
            if self.root_weight is not None and after == () and i + 1 < self.problem.T:
                weight *= self.root_weight
            if weight > 0 and after is not None:
                yield label, weight, after

    def runs(self, start, context, stop, labels=(), weight=Fraction(1), contexts=()):
        """Every way from ``context`` after ``start`` labels to ``stop`` labels: (labels, weight, contexts).

        The last three arguments are what lies behind; ways that begin alike multiply their beginning once.
        """
        contexts += (context,)
        if start == stop:
            yield labels, weight, contexts
            return
        for label, factor, after in self.steps(start, context):
            yield from self.runs(start + 1, after, stop, labels + (label,), weight * factor, contexts)

    @cached_property
    def paths(self):
        """All outputs of positive weight, in lexicographic order of label index."""
        return [Path(*run) for run in self.runs(0, (), self.problem.T)]

    @cached_property
    def whole(self):
        """The weight of every path times one number that makes all of them whole: whole numbers add up fast."""
        return [path.weight.numerator * (self.scale // path.weight.denominator) for path in self.paths]

    @cached_property
    def scale(self):
        """Return the common denominator of all weights."""
        return math.lcm(*(path.weight.denominator for path in self.paths))

    @cached_property
    def total(self):
        """The sum of all whole weights."""
        return sum(self.whole)

    @property
    def z(self):
        """The sum of all weights."""
        return Fraction(self.total, self.scale)

    def share(self, whole):
        """The part of z that a whole weight is."""
        return Fraction(whole, self.total)

    def forward(self, i):
        """{context: sum over the prefixes of i labels that arrive in it}; only positive ones."""
        total = defaultdict(Fraction)
        for _, weight, contexts in self.runs(0, (), i):
            total[contexts[-1]] += weight
        return dict(total)

    def backward(self, i, context):
        """Sum over all ways from ``context`` after i labels to the end."""
        return sum((weight for _, weight, _ in self.runs(i, context, self.problem.T)), Fraction(0))

    def context_mass(self, i):
        """{context: P(the output passes it after i labels)}; only positive ones."""
        total = defaultdict(int)
        for path, weight in zip(self.paths, self.whole, strict=True):
            total[path.contexts[i]] += weight
        return {context: self.share(weight) for context, weight in total.items()}

    def label_mass(self):
        """P(y_i = v): T rows of Y."""
        total = [dict.fromkeys(self.problem.labels, 0) for _ in range(self.problem.T)]
        for path, weight in zip(self.paths, self.whole, strict=True):
            for row, label in zip(total, path.labels, strict=True):
                row[label] += weight
        return [[self.share(weight) for weight in row.values()] for row in total]

    def best(self):
        """The heaviest output; of equals the lexicographically first."""
        return max(self.paths, key=lambda path: path.weight)  # max keeps the first of equals

    def ranked(self):
        """All weights, the heaviest first."""
        return sorted((path.weight for path in self.paths), reverse=True)

    def entropy(self):
        """Entropy of the outputs in nats."""
        z = self.z
        shares = [path.weight / z for path in self.paths]
        return -math.fsum(float(p) * log(p) for p in shares)

    def pattern_mass(self, pattern):
        """Probability of the outputs that match ``pattern``: ? one label, * any run."""
        both = zip(self.paths, self.whole, strict=True)
        return self.share(sum(weight for path, weight in both if matches(pattern, path.labels)))

    def expected_counts(self):
        """{window: expected number of times that it fires}; only positive ones."""
        arcs, counts = defaultdict(int), defaultdict(int)
        for path, weight in zip(self.paths, self.whole, strict=True):
            for i, label in enumerate(path.labels):
                arcs[i, path.contexts[i], label] += weight
        for (i, context, label), weight in arcs.items():
            for prefix in self.problem.fired(i, context):
                counts[prefix + (label,)] += weight
        return {window: self.share(weight) for window, weight in counts.items()}


def matches(pattern, labels):
    """Whether the labels match a sequence of symbols: ? one label, * any run, else the label itself.

    >>> matches("?o*", tuple("cold")), matches("?o", tuple("old"))
    (True, False)
    """
    if not pattern:
        return not labels
    if pattern[0] == "*":
        return any(matches(pattern[1:], tail) for tail in suffixes(labels))
    return bool(labels) and pattern[0] in ("?", labels[0]) and matches(pattern[1:], labels[1:])


def every_history(problem):
    """The machine that keeps every full history: the model itself."""
    columns = [{()}]
    for _ in range(1, problem.T):
        columns.append({history + (label,) for history in columns[-1] for label in problem.labels})
    return Machine(problem, tuple(columns))


@dataclass(frozen=True)
class Rule:
    """How contexts are to be chosen; the names are those of the builders' arguments, ``root_weight`` is an exp."""

    method: str
    budget: int = HUGE
    budgets: dict = field(default_factory=dict)
    deduplicate: bool = False
    pin: tuple = ()
    forbid: tuple = ()
    root_weight: Fraction | None = None
    passes: int = 1

    def allowance(self, i):
        """The budget of position i."""
        return self.budgets.get(i, self.budget)

    def pinned(self, i):
        """The contexts that a pin asks for at position i: the pinned ones and their beginnings."""
        wishes = [(position - i, tuple(what)) for position, what in self.pin if not isinstance(what, str)]
        return {what[: len(what) - later] for later, what in wishes if 0 <= later < len(what)}

    def forbidden(self, i):
        """The contexts that may not be kept at position i."""
        return {tuple(what) for position, what in self.forbid if position == i and not isinstance(what, str)}

    def has_root(self):
        """Whether dropped candidates are merged."""
        return self.method == "rcms"


def candidates(machine, rule, i):
    """{candidate: exclusive forward mass} at position i; joined where equal in the last n labels, if so asked."""
    total = defaultdict(Fraction)
    for context, mass in machine.forward(i - 1).items():
        if rule.root_weight is not None and i > 1 and context == ():
            continue  # only full histories propose
        for label in machine.problem.labels:
            grown = context + (label,)
            total[grown[-machine.problem.order :] if rule.deduplicate else grown] += mass * machine.problem.arc(
                i - 1, context, label
            )
    return {context: mass for context, mass in total.items() if mass > 0}


def foresight(first, i, proposed):
    """{candidate: mass × backward message of the context of the machine ``first`` that it falls into}."""
    keys = {}
    for context, mass in proposed.items():
        seen = next((tail for tail in suffixes(context) if tail in first.columns[i]), None)
        keys[context] = mass * first.backward(i, seen) if seen is not None else Fraction(0)
    return {context: key for context, key in keys.items() if key > 0}


def violations(machine, rule, first=None):
    """Yield the faults of the sets of ``machine`` as a choice under ``rule``; ``first`` is a first pass's machine."""
    for i in range(1, machine.problem.T):
        proposed = candidates(machine, rule, i)
        keys = foresight(first, i, proposed) if first else proposed
        kept = machine.columns[i] - {()}
        root = () in machine.columns[i]
        if root != rule.has_root():
            yield f"position {i}: the root is {'there' if root else 'missing'}"
        yield from (f"position {i}: {problem}" for problem in _column(kept, keys, rule, i))


def _column(kept, keys, rule, i):
    """A pinned context is kept whatever its mass (others merge into it), and counts towards the budget first."""
    pinned = rule.pinned(i)
    allowed = {context for context in keys if context not in rule.forbidden(i)} - pinned
    room = max(rule.allowance(i) - len(pinned), 0)
    others, left = kept - pinned, allowed - kept
    if not others <= allowed:
        yield f"kept {sorted(others - allowed)}: forbidden, without mass or no candidates at all"
        return
    if not pinned <= kept:
        yield f"pinned {sorted(pinned - kept)} are not kept"
    if len(others) != min(room, len(allowed)):
        yield f"{len(others)} kept and {len(pinned)} pinned, budget {rule.allowance(i)}, {len(allowed)} candidates"
    if others and left:
        lightest, heaviest = min(others, key=keys.get), max(left, key=keys.get)
        if keys[heaviest] > keys[lightest] * SLACK:
            yield f"{lightest} is kept ({float(keys[lightest])}), {heaviest} is not ({float(keys[heaviest])})"
