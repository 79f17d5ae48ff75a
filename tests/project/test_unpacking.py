"""Returned and stored values have named parts: they are not unpacked by position."""

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST = {"learn": 3, "kernels": 6}  # by package, in files ``lane*.py``; the numbers only go down


def unpacked_by_place(source):
    """Lines that give three names or more to the parts of a value.

    A value whose parts are written next to the names is exempt: a tuple that is written there or given to a function,
    ``zip``, ``range`` and a text's ``partition``.

    >>> unpacked_by_place("a, b, c = f()\\nfor a, (b, c, d) in g: pass\\na, b = f()\\nx = [a for a, _, c in rows]")
    [1, 2, 4]
    >>> unpacked_by_place("a[1, 2, 3] = f()")
    []
    >>> unpacked_by_place("a, b, c = bare((a, b, c))\\nfor a, b, c in zip(x, y, z): pass\\na, _, b = t.partition(1)")
    []
    """
    return sorted(
        value.lineno
        for target, value in _assignments(ast.parse(source))
        if any(len(node.elts) > 2 for node in ast.walk(target) if _has_targets(node)) and not _is_seen(value)
    )


def _has_targets(node):
    return isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Store)


def _assignments(tree):
    """(target, value) of all assignments, loops and comprehensions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            yield from ((target, node.value) for target in node.targets)
        elif isinstance(node, ast.For | ast.comprehension):
            yield node.target, node.iter


def _is_seen(value):
    if isinstance(value, ast.Tuple | ast.List):
        return True
    if not isinstance(value, ast.Call):
        return False
    if len(value.args) == 1 and isinstance(value.args[0], ast.Tuple):
        return True
    name = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
    return name in ("zip", "range", "partition", "rpartition") or name == "enumerate" and _is_seen(value.args[0])


def test_values_are_not_unpacked_by_place():
    found = Counter()
    for path in (ROOT / "rcmviz").rglob("*.py"):
        package = path.relative_to(ROOT / "rcmviz").parts[0]
        found[package] += len(unpacked_by_place(path.read_text(encoding="utf-8")))
    assert {package: count for package, count in found.items() if count > MOST.get(package, 0)} == {}
