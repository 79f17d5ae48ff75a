"""The methods in the links and select boxes of pages."""

from rcmviz.core.methods import BUILDERS, MethodChoice

MAX_BUDGET = 5_000
MOST_RUNS = 3
NONE = "none"  # the value of a select box without a method


def parse_methods(text, among=BUILDERS):
    """Parse ``beam:10,rcms:10,exact`` into different MethodChoices of the kinds ``among``; ValueError explains errors.

    >>> [method.name for method in parse_methods("beam:10,exact")]
    ['Beam 10', 'Exact']
    """
    methods = _parse_choices(text)
    if len(methods) > MOST_RUNS or len(set(methods)) < len(methods):
        raise ValueError(f"compare up to {MOST_RUNS} different methods")
    if others := [method.kind for method in methods if method.kind not in among]:
        *kinds, last = among
        raise ValueError(f"{others[0]!r} is none of the methods of this page: {', '.join(kinds)} and {last}")
    return methods


def parse_runs(text):
    """Parse methods that may occur twice, since what-if edits can tell two runs of a method apart.

    >>> [method.name for method in parse_runs("rcms:10,rcms:10")]
    ['RCMS 10', 'RCMS 10']
    """
    methods = _parse_choices(text)
    if len(methods) > MOST_RUNS:
        raise ValueError(f"compare up to {MOST_RUNS} methods")
    return methods


def _parse_choices(text):
    return tuple(MethodChoice.parse(part, most=MAX_BUDGET) for part in text.split(",")[: MOST_RUNS + 1])


def write_methods(methods):
    """Return the text of methods in a link.

    >>> write_methods((MethodChoice("beam", 10), MethodChoice("exact")))
    'beam:10,exact'
    """
    return ",".join(map(str, methods))


def heading(kind):
    """Return the name of a method in a select box; a dash for none."""
    return "–" if kind == NONE else BUILDERS[kind].heading
