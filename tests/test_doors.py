"""Who may import whom (docs/architecture.md), how long a module may be, and what ``import rcmviz`` may load."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LONGEST = 600
CODE = sorted(path for folder in ("rcmviz", "pages", "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py"))
LIBRARY = [path for path in CODE if (ROOT / "rcmviz") in path.parents]

TABLES = {"table_text", "lattice", "trace", "model", "npz", "store", "edits", "sequences", "scores", "window_scores"}
FILES = {"sequence_file", "sequence_rows", "token_features"}
LEARNERS = {"learn", "encoding", "classifier", "sequence_file", "cells", "sweep"}
ENGINE = {"build", "infer", "batch", "suffix_scores"}
REJECTION = {"hmm", "word_scores", "automaton", "ars_trace", "ars"}
MEASURES = {"confidence", "bootstrap"}
ABOVE = {"tasks", "problem", "problem_text", "problem_file", "evaluate", "shipped", "rows", "verdict", "data"}
COMMANDS = {
    "cli", "cli_learn", "cli_learn_options", "cli_sweep", "cli_reproduce", "cli_options", "cli_lm", "cli_decode",
    "cli_tag", "cli_decipher", "cli_align", "report",
}  # fmt: skip
# room → (packages of others, rooms of ours); a room may always look into itself
DOORS = {
    "kernels": ({"numpy", "numba", "platformdirs"}, set()),
    **dict.fromkeys(TABLES - {"trace", "sequences"}, ({"numpy"}, TABLES)),
    "window_scores": ({"numpy"}, {"scores", "kernels"}),
    "sequences": ({"numpy", "scipy"}, TABLES),
    "trace": ({"numpy", "pandas"}, TABLES),
    **dict.fromkeys(ENGINE, ({"numpy", "numba"}, TABLES | ENGINE | {"kernels"})),
    "lm": ({"numpy"}, TABLES | {"kernels"}),
    **dict.fromkeys(REJECTION, ({"numpy"}, TABLES | REJECTION | {"kernels", "lm", "suffix_scores"})),
    "learn": ({"numpy"}, TABLES | ENGINE | {"kernels", "confidence"}),
    "align": ({"numpy"}, {"kernels", "lattice", "npz", "build", "learn"}),
    **dict.fromkeys(MEASURES, ({"numpy"}, {"lattice"})),
    **dict.fromkeys(ABOVE - {"data"}, ({"numpy"}, TABLES | ENGINE | MEASURES | ABOVE)),
    "shipped": ({"numpy"}, TABLES | ENGINE | REJECTION | FILES | ABOVE | {"lm"}),
    "tasks": ({"numpy", "scipy"}, TABLES | ENGINE | REJECTION | FILES | ABOVE | {"lm", "learn", "align"}),
    "folds": ({"numpy", "sklearn"}, {"sequences", "evaluate", "learn"}),
    "data": ({"platformdirs"}, set()),
    "encoding": ({"numpy", "sklearn"}, {"sequences"}),
    "classifier": ({"numpy", "sklearn", "joblib"}, {"encoding", "learn", "batch", "model", "problem"}),
    **dict.fromkeys(FILES, (set(), FILES)),
    "cells": ({"joblib", "distributed", "ray"}, set()),
    "sweep": ({"numpy"}, {"cells", "sequence_file", "encoding", "learn", "evaluate", "tasks"}),
    "reproduce": (
        {"numpy", "plotly", "scipy", "joblib"},
        MEASURES | REJECTION | {"align", "data", "evaluate", "kernels", "learn", "lm", "plot", "shipped", "tasks"},
    ),
    "graph": ({"numpy", "networkx"}, {"lattice"}),
    "plot": ({"numpy", "plotly"}, TABLES | MEASURES | {"", "infer", "rows", "graph", "verdict"}),
    "player": (
        {"numpy", "plotly", "streamlit"},
        TABLES | MEASURES | {"", "align", "infer", "kernels", "rows", "verdict", "graph", "plot", "evaluate", "learn"},
    ),
    **dict.fromkeys(
        COMMANDS,
        (
            {"numpy", "pandas", "rich", "typer"},
            TABLES | ENGINE | REJECTION | ABOVE | LEARNERS | COMMANDS | {"", "align", "lm", "player", "reproduce"},
        ),
    ),
}


def imported(path):
    """Every module that a file imports, at the top or inside a function, as dotted names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (
                f"{node.module}.{alias.name}" if node.module == "rcmviz" else node.module for alias in node.names
            )


def room_of(module):
    """``rcmviz.kernels.sweep`` → ``kernels``; the package itself is ``""``."""
    return (module.split(".") + [""])[1]


@pytest.mark.parametrize("path", LIBRARY, ids=[str(path.relative_to(ROOT)) for path in LIBRARY])
def test_a_room_imports_only_through_its_doors(path):
    room = path.relative_to(ROOT / "rcmviz").parts[0].removesuffix(".py")
    if room == "__init__":
        packages, rooms = set(), set()
    else:
        assert room in DOORS, f"{room} is a new room: say in docs/architecture.md and here what it may import"
        packages, rooms = DOORS[room]
    modules = set(imported(path))
    ours = {room_of(module) for module in modules if module.split(".")[0] == "rcmviz"}
    others = {module.split(".")[0] for module in modules} - {"rcmviz"} - set(sys.stdlib_module_names)
    assert ours <= rooms | {room} and others <= packages


def module_name(path):
    """``rcmviz/plot/style.py`` → ``rcmviz.plot.style``, a folder's ``__init__.py`` → the folder."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports_among(paths):
    """``{module: modules that it imports}``, at the top or inside a function, of these files only.

    ``from rcmviz.plot import style`` imports ``rcmviz.plot.style``: the folder says which names are public, and what it
    says is no part of the module. Names of ``rcmviz`` itself are resolved when they are used, so they count as none.
    """
    names = {module_name(path): path for path in paths}
    found = {}
    for name, path in names.items():
        modules = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                inside = {f"{node.module}.{alias.name}" for alias in node.names}
                modules |= {one if one in names else node.module for one in inside}
        found[name] = modules & names.keys() - {name, "rcmviz"}
    return found


def circles(imports):
    """Sets of modules of which each can be reached from each, and modules that import themselves."""
    reached = {}
    for name in imports:
        waiting, reached[name] = [name], set()
        while waiting:
            new = imports[waiting.pop()] - reached[name]
            reached[name] |= new
            waiting += new
    together = {frozenset(other for other in reached[name] if name in reached[other]) for name in imports}
    return [sorted(modules) for modules in together if modules]


def test_circles_are_found():
    line = {"a": {"b"}, "b": {"c"}, "c": set(), "d": {"c"}}
    assert circles(line) == [] and circles(line | {"c": {"a"}}) == [["a", "b", "c"]]
    assert sorted(circles({"a": {"b"}, "b": {"a"}, "c": {"a", "c"}})) == [["a", "b"], ["c"]]


def test_no_module_imports_itself_by_way_of_others():
    """Imports inside functions count: they only put off the moment at which the circle is walked."""
    assert circles(imports_among(LIBRARY)) == []


def test_one_file_of_the_library_imports_streamlit():
    users = [
        path.relative_to(ROOT).as_posix()
        for path in LIBRARY
        if "streamlit" in {m.split(".")[0] for m in imported(path)}
    ]
    assert users == ["rcmviz/player/component.py"]


PARTS = ("", "learning_", "ngram_", "arpa_", "smoothing_", "ars_", "hmm_", "decipher_", "align_")
ORACLES = {f"{part}oracle" for part in PARTS}


@pytest.mark.parametrize("name", sorted(ORACLES))
def test_the_oracles_import_only_the_standard_library_and_each_other(name):
    modules = {module.split(".")[0] for module in imported(ROOT / "tests" / f"{name}.py")}
    assert modules - ORACLES <= set(sys.stdlib_module_names)


def test_kernels_are_compiled_with_one_set_of_flags():
    """Each kernel says ``@njit(cache=True, nogil=True, …)`` itself: Numba's cache overlooks flags set elsewhere."""
    for path in (ROOT / "rcmviz" / "kernels").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                flags = {
                    k.arg: k.value.value for d in node.decorator_list for k in d.keywords if k.arg in ("cache", "nogil")
                }
                assert flags == {"cache": True, "nogil": True}, f"{path.name}: {node.name}"


def test_import_rcmviz_is_light():
    heavy = ("numba", "pandas", "streamlit", "plotly", "networkx", "typer")
    script = f"import sys, rcmviz; print(*[name for name in {heavy} if name in sys.modules])"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


def test_every_public_name_resolves():
    import rcmviz

    for name in rcmviz.__all__:
        assert getattr(rcmviz, name) is not None
    assert set(rcmviz.__all__) <= set(dir(rcmviz))
    with pytest.raises(AttributeError, match="no attribute 'posteriors'"):
        _ = rcmviz.posteriors


@pytest.mark.parametrize("path", CODE, ids=[str(path.relative_to(ROOT)) for path in CODE])
def test_no_module_is_long(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST
