"""Kernels that only other kernels call are compiled without the code that takes arguments from Python.

Without that code, such a call would end the process.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "rcmviz" / "kernels"


def parts():
    """{(module, name)} of all kernels that only other kernels call."""
    found = set()
    for path in KERNELS.rglob("*.py"):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                called = [ast.unparse(each).partition("(")[0] for each in node.decorator_list]
                found |= {(module, node.name)} if {"part", "helper"} & set(called) else set()
    return found


def names_used(path):
    """{(module, name)} that a file imports from kernels, or reads of a module of kernels."""
    source = path.read_text(encoding="utf-8")
    if "rcmviz.kernels" not in source:
        return set()
    modules, used = {}, set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rcmviz.kernels"):
            used |= {(node.module, each.name) for each in node.names}
            modules |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            used.add((modules[node.value.id], node.attr))
    return used


def test_python_calls_no_part_of_a_kernel():
    """Tests are not looked at: theirs call parts from kernels of their own."""
    known, folders = parts(), ("rcmviz", "pages", "benchmarks", "scripts")
    outside = [path for name in folders for path in (ROOT / name).rglob("*.py") if KERNELS not in path.parents]
    called = {(path.name, *name) for path in outside for name in names_used(path) & known}
    assert len(known) > 50 and not called
