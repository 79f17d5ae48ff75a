"""The selection rules, each described once; commands, links, pages and classifiers read this.

A rule says how the candidates of a position are ranked before the budget cuts. A new rule is its entry here and a
function of its name in ``home``.
"""

from dataclasses import dataclass
from types import MappingProxyType

from rcmviz.core.methods import METHODS, Method


@dataclass(frozen=True)
class NamedRule:
    """One selection rule.

    ``name`` names it in links, commands and settings, ``title`` on the pages · ``ranks_by`` says what it ranks by ·
    ``home`` the module with its function, None for the posterior of further passes, which ranks those passes and not
    the first.
    """

    name: str
    title: str
    ranks_by: str
    home: str | None = "rcmviz.core.builders.selection_rules"

    def suits(self, method: Method) -> bool:
        """Whether a method can rank by it.

        >>> RULES["posterior"].suits(METHODS["beam"]), RULES["lookahead"].suits(METHODS["beam"])
        (False, True)
        """
        return "select" in method.options and (self.home is not None or "passes" in method.options)


FORWARD, POSTERIOR = "forward", "posterior"
_RULES = (
    NamedRule(FORWARD, "Forward mass", "forward mass"),
    NamedRule(
        POSTERIOR, "Posterior of a further pass", "forward mass × backward message of the previous pass", home=None
    ),
    NamedRule("lookahead", "Look-ahead: next emission", "forward mass × summed scores of the next arcs"),
    NamedRule("bound", "Look-ahead: A* bound", "forward mass × A*'s bound on the best continuation"),
    NamedRule("diversity", "Diversity", "forward mass, at most two contexts with one last label"),
    NamedRule(
        "learned",
        "Learned scorer",
        "forward mass × what a learned scorer expects of the rest",
        home="rcmviz.core.builders.learned_selection",
    ),
    NamedRule("expert", "Expert: exact posterior", "exact posterior mass"),
)
RULES = MappingProxyType({rule.name: rule for rule in _RULES})


def fitting_rule(name: str, kind: str) -> str:
    """The rule of a comparison for one of its methods: the named one if it suits, else forward mass.

    Raises ValueError for an unknown name.

    >>> fitting_rule("posterior", "rcms"), fitting_rule("posterior", "beam")
    ('posterior', 'forward')
    """
    if name not in RULES:
        raise ValueError(f"select {name!r}: choose {', '.join(RULES)}")
    return name if RULES[name].suits(METHODS[kind]) else FORWARD
