"""The methods, each described once; lists, titles, command options, links, figures and pages all read this.

A method says which contexts stay and what becomes of the others. Most build a lattice, by one of the builders of
``build.py``; adaptive rejection has an automaton instead. A new method begins with its entry in ``METHODS``.
"""

from dataclasses import dataclass
from itertools import count
from types import MappingProxyType

NO_CAP = 2**63 - 1  # contexts hand on all the labels that they remember
USUAL_BUDGET = 10
MOST_BUDGETS = 300  # how far the smallest budget that would do is looked for
# How a method's log Z stands to the true one, the method that proves most first: ARS has the true one between two
# bounds, exact inference has it, beam search is below it, weighted draws are right in the mean, and RCMS scores what it
# merged by another model.
LOG_Z = BETWEEN_BOUNDS, TRUE_LOG_Z, LOWER_BOUND, ESTIMATED, OF_ANOTHER_MODEL = (
    "between bounds",
    "the true one",
    "a lower bound",
    "an unbiased estimate",
    "of another model",
)


@dataclass(frozen=True)
class Method:
    """One method.

    ``kind`` names it in links, files, commands and settings, ``title`` in a sentence, ``full_title`` where it stands
    alone, the title by default · ``log_z`` one of ``LOG_Z`` · ``builder`` the public function that builds its lattice,
    or None, and ``home`` its module · ``selects`` contexts within a budget, which is ``fixed_budget``
    if it cannot be chosen, unless it is ``open_ended`` and takes as many as it needs · ``searches`` a queue over all
    positions, of which the budget is the size, instead of one position after the other · ``draws`` what stays, by
    chance · ``recombines`` histories that no future can tell apart · ``merges`` what it does not keep, into the longest
    suffix that stays, else drops it · ``root_proposes`` new contexts · ``options`` of the
    builder besides pin, forbid and the budget · ``in_bulk`` it decodes many sequences at once · ``trains`` a model can
    be trained with it · ``passes_in_bulk`` both can rank by the pass before · ``decodes`` the words of an HMM next to
    adaptive rejection · ``weights`` the shipped ones that it reads with: named by the method that learnt them, None
    where none were learnt for it.
    """

    kind: str
    title: str
    log_z: str
    full_title: str = ""
    builder: str | None = None
    home: str = "rcmviz.core.builders.build"
    selects: bool = True
    fixed_budget: int | None = None
    open_ended: bool = False
    searches: bool = False
    draws: bool = False
    recombines: bool = False
    merges: bool = False
    root_proposes: bool = True
    options: frozenset[str] = frozenset()
    in_bulk: bool = True
    trains: bool = True
    passes_in_bulk: bool = False
    decodes: bool = True
    weights: str | None = None

    def __post_init__(self):
        object.__setattr__(self, "full_title", self.full_title or self.title)

    @property
    def heading(self):
        """The title as a sentence begins with it.

        >>> METHODS["repaired"].heading, METHODS["rcms"].heading
        ('Repaired beam', 'RCMS')
        """
        return self.title[:1].upper() + self.title[1:]

    @property
    def has_budget(self):
        """Whether a person chooses how many contexts stay."""
        return self.selects and self.fixed_budget is None and not self.open_ended

    @property
    def drops(self):
        """Whether outputs that are not kept are lost."""
        return self.selects and not self.merges

    @property
    def edits_contexts(self):
        """Whether contexts can be pinned and forbidden, not labels only."""
        return self.selects and not self.draws and not self.recombines

    @property
    def needs_whole_histories(self):
        """Whether a context can only be kept with all the labels before it."""
        return self.selects and not (self.merges and self.root_proposes)

    def contexts(self, budget):
        """The number of contexts kept for a requested ``budget``."""
        return self.fixed_budget or budget

    def taken(self, options):
        """The options, by name, that its builder takes."""
        return {name: value for name, value in options.items() if name in self.options}

    def rule(self, cap=NO_CAP, root_weight=0.0):
        """The fate of contexts that are not kept, for the kernels; contexts hand on ``cap`` labels."""
        from rcmviz.kernels.chain.state import Rule  # Numba: methods are also for those who only read a file

        return Rule(self.merges, self.root_proposes, cap, root_weight)


_METHODS = (
    Method(
        "rcms",
        "RCMS",
        OF_ANOTHER_MODEL,
        builder="rcms",
        merges=True,
        passes_in_bulk=True,
        weights="rcms",
        options=frozenset({"budgets", "adaptive", "passes", "deduplicate", "select"}),
    ),
    Method(
        "beam",
        "beam",
        LOWER_BOUND,
        "beam search",
        builder="beam",
        weights="beam",
        options=frozenset({"budgets", "deduplicate", "select"}),
    ),
    Method("exact", "exact", TRUE_LOG_Z, builder="exact", selects=False, weights="rcms"),
    Method(
        "repaired",
        "repaired beam",
        OF_ANOTHER_MODEL,
        builder="rcms",
        merges=True,
        root_proposes=False,
        options=frozenset({"budgets", "adaptive", "passes", "deduplicate", "root_weight", "select"}),
        decodes=False,
    ),
    Method(
        "greedy",
        "greedy",
        LOWER_BOUND,
        "greedy search",
        builder="greedy",
        fixed_budget=1,
        decodes=False,
        weights="beam",
    ),
    Method(
        "recombining",
        "recombining beam",
        LOWER_BOUND,
        builder="recombining_beam",
        recombines=True,
        options=frozenset({"budgets"}),
        in_bulk=False,
        trains=False,
        decodes=False,
    ),
    Method(
        "stochastic",
        "stochastic beam",
        LOWER_BOUND,
        builder="stochastic_beam",
        home="rcmviz.proposal.stochastic",
        draws=True,
        options=frozenset({"seed"}),
        in_bulk=False,
        trains=False,
        decodes=False,
    ),
    Method(
        "importance",
        "importance sampling",
        ESTIMATED,
        builder="importance_lattice",
        home="rcmviz.proposal.builders",
        draws=True,
        options=frozenset({"seed"}),
        in_bulk=False,
        trains=False,
        decodes=False,
    ),
    Method(
        "smc",
        "SMC",
        ESTIMATED,
        "sequential Monte Carlo",
        builder="smc_lattice",
        home="rcmviz.proposal.builders",
        draws=True,
        options=frozenset({"seed"}),
        in_bulk=False,
        trains=False,
        decodes=False,
    ),
    Method(
        "bestfirst",
        "best-first",
        LOWER_BOUND,
        "best-first search",
        builder="best_first",
        home="rcmviz.search.builders",
        searches=True,
        in_bulk=False,
        trains=False,
    ),
    Method(
        "astar",
        "A*",
        LOWER_BOUND,
        "A* search",
        builder="astar",
        home="rcmviz.search.builders",
        open_ended=True,
        searches=True,
        in_bulk=False,
        trains=False,
    ),
    Method("ars", "ARS", BETWEEN_BOUNDS, "adaptive rejection", selects=False, in_bulk=False, trains=False),
)


def _methods_where(wanted, methods=_METHODS):
    return MappingProxyType({method.kind: method for method in methods if wanted(method)})


METHODS = _methods_where(lambda method: True)
BUILDERS = _methods_where(lambda method: method.builder)
IN_BULK = _methods_where(lambda method: method.in_bulk)
TRAINABLE = _methods_where(lambda method: method.trains)
BASIC = _methods_where(lambda method: method.in_bulk and method.decodes)  # what every kind of input can be read by
WITH_WEIGHTS = _methods_where(lambda method: method.weights)
OF_EM = _methods_where(
    lambda method: method.in_bulk and "root_weight" not in method.options
)  # EM learns no root's weight
# What proves most comes first.
DECODERS = _methods_where(lambda method: method.decodes, sorted(_METHODS, key=lambda method: LOG_Z.index(method.log_z)))


@dataclass(frozen=True)
class MethodChoice:
    """A method as a person chooses it, with its ``budget``.

    A method without a choice of budget has always the same, so that equal choices are equal.

    >>> [str(choice) for choice in (MethodChoice(), MethodChoice("beam", 200), MethodChoice("exact", 7))]
    ['rcms:10', 'beam:200', 'exact']
    >>> MethodChoice("beam", 200).title, MethodChoice("beam", 200).name
    ('beam 200', 'Beam 200')
    """

    kind: str = "rcms"
    budget: int = USUAL_BUDGET

    def __post_init__(self):
        if self.kind in METHODS and not self.has_budget:
            object.__setattr__(self, "budget", self.entry.contexts(USUAL_BUDGET))

    @property
    def entry(self):
        """The ``Method`` of this kind in the registry."""
        return METHODS[self.kind]

    @property
    def has_budget(self):
        """Whether there is a budget to choose."""
        return self.entry.has_budget

    @property
    def title(self):
        """Its name in a sentence: ``beam 200``, ``exact``."""
        return self._with_budget(self.entry.title, " ")

    @property
    def name(self):
        """Its title: ``Beam 200``, ``Exact``."""
        return self._with_budget(self.entry.heading, " ")

    def __str__(self):
        return self._with_budget(self.kind, ":")

    def _with_budget(self, text, between):
        return f"{text}{between}{self.budget}" if self.has_budget else text

    @classmethod
    def parse(cls, text, budget=None, most=None):
        """The choice that ``str`` wrote; ``budget`` where the text has none, ``most`` the largest there may be.

        ValueError if no method of this name builds a lattice, or the budget is wrong.

        >>> MethodChoice.parse("beam:200").title, MethodChoice.parse("rcms", budget=5).title
        ('beam 200', 'RCMS 5')
        >>> MethodChoice.parse("rcms:0000000011999999999", most=500)
        Traceback (most recent call last):
        ValueError: 'rcms:0000000011999999999' has no budget from 1 to 500
        """
        kind, *after = text.split(":", maxsplit=1)
        if kind not in BUILDERS:
            raise ValueError(f"{text[:40]!r} is not a method and its budget, such as beam:10")
        if not BUILDERS[kind].has_budget:
            return cls(kind)
        if not after and budget is not None:
            return cls(kind, budget)
        number = "".join(after)
        if not number.isdecimal() or len(number) > 18 or (most and not 1 <= int(number) <= most):
            raise ValueError(f"{text[:40]!r} has no budget" + (f" from 1 to {most:,}" if most else ""))
        return cls(kind, int(number))


def numbered_where_alike(names):
    """Names as they are, but for those that come again.

    >>> numbered_where_alike(["RCMS 10", "Beam 10", "RCMS 10"])
    ['RCMS 10', 'Beam 10', 'RCMS 10 (2)']
    """
    found = []
    for name in names:
        others = (f"{name} ({n})" for n in count(2))
        found.append(name if name not in found else next(other for other in others if other not in found))
    return found
