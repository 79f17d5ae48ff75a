"""Who may import whom (docs/architecture.md), how long a module may be, and what ``import rcmviz`` may load."""

import ast
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from rcmviz.kernels.kernel import kernel

ROOT = Path(__file__).parents[2]
LONGEST = 600
CODE = sorted(path for folder in ("rcmviz", "pages", "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py"))
LIBRARY = [path for path in CODE if (ROOT / "rcmviz") in path.parents]

# room → (packages of others, rooms of ours); a room may always look into itself
BELOW_TASKS = {"align", "mrf", "proposal", "search", "searn", "learn", "evaluation", "ars", "lm", "sequences", "core"}
DOORS = {
    "__main__": (set(), {"cli"}),
    "cache_folders": ({"platformdirs"}, set()),
    "kernels": ({"numpy", "numba", "llvmlite"}, {"cache_folders"}),
    "data": (set(), {"cache_folders"}),
    "lessons": (set(), set()),
    "core": ({"numpy", "numba", "pandas", "networkx", "pyarrow"}, {"kernels"}),
    "sequences": ({"numpy"}, {"core", "kernels"}),
    "lm": ({"numpy"}, {"core", "kernels"}),
    "torch": ({"numpy", "torch"}, {"core"}),
    "ctc_decoding": ({"numpy"}, {"core", "kernels", "lm"}),
    "evaluation": ({"numpy"}, {"core", "sequences"}),
    "plot": ({"numpy", "plotly"}, {"", "core", "evaluation"}),
    "ars": ({"numpy"}, {"core", "kernels", "lm"}),
    "learn": ({"numpy", "sklearn", "joblib"}, {"core", "kernels", "sequences", "evaluation"}),
    "align": ({"numpy"}, {"core", "kernels", "learn"}),
    "mrf": ({"numpy", "scipy", "threadpoolctl", "sklearn"}, {"core", "kernels", "lm", "evaluation", "sequences"}),
    "search": ({"numpy"}, {"core", "kernels", "lm", "align"}),
    "proposal": ({"numpy"}, {"core", "kernels", "search"}),
    "searn": ({"numpy", "scipy", "sklearn"}, {"core", "kernels", "sequences", "evaluation", "learn"}),
    "jobs": ({"numpy"}, {"core", "learn", "align", "mrf"}),
    "tasks": ({"numpy", "scipy"}, BELOW_TASKS | {"data"}),
    "experiments": (
        {"numpy", "plotly", "scipy", "joblib", "distributed", "ray", "kaleido", "choreographer"},
        BELOW_TASKS | {"", "tasks", "plot", "data", "kernels"},
    ),
    "views": (
        {"numpy", "streamlit", "anywidget", "traitlets"},
        {"", "core", "kernels", "sequences", "evaluation", "learn", "align", "mrf", "proposal", "searn", "jobs"}
        | {"lessons", "ctc_decoding"},
    ),
    "classroom": ({"starlette", "segno", "uvicorn"}, {"views"}),
    "cli": (
        {"numpy", "pandas", "rich", "typer"},
        BELOW_TASKS
        | {"", "cache_folders", "ctc_decoding", "tasks", "jobs", "data", "experiments", "lessons", "views", "plot"}
        | {"classroom"},
    ),
}


@cache
def import_nodes(path):
    """The imports of a file, at the top or inside a function; several tests read the same files."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


def imported(path):
    """Every module that a file imports, at the top or inside a function, as dotted names."""
    for node in import_nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (
                f"{node.module}.{alias.name}" if node.module == "rcmviz" else node.module for alias in node.names
            )


def room_of(module):
    """``rcmviz.kernels.chain.sweep`` → ``kernels``; the package itself is ``""``."""
    return (module.split(".") + [""])[1]


def test_a_room_imports_only_through_its_doors():
    strangers = {str(path.relative_to(ROOT)): not_through_a_door(path) for path in LIBRARY}
    assert {path: modules for path, modules in strangers.items() if modules} == {}


def not_through_a_door(path):
    """What a file imports, of ours and of others, that its room must not."""
    room = path.relative_to(ROOT / "rcmviz").parts[0].removesuffix(".py")
    if room == "__init__":
        packages, rooms = set(), set()
    else:
        assert room in DOORS, f"{room} is a new room: say in docs/architecture.md and here what it may import"
        packages, rooms = DOORS[room]
    modules = set(imported(path))
    ours = {room_of(module) for module in modules if module.split(".")[0] == "rcmviz"}
    others = {module.split(".")[0] for module in modules} - {"rcmviz"} - set(sys.stdlib_module_names)
    return (ours - rooms - {room}) | (others - packages)


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
        for node in import_nodes(path):
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
    assert circles({room: rooms - {""} for room, (_, rooms) in DOORS.items()}) == []


def test_a_subpackage_of_core_imports_only_those_above_it():
    order = ["shared", "models", "lattices", "inference", "builders", "problems"]  # as docs/architecture.md lists them
    folders = [path for path in LIBRARY if path.parent.parent == ROOT / "rcmviz/core"]
    assert {path.parent.name for path in folders} == set(order)
    for path in folders:
        used = {module.split(".")[2] for module in imported(path) if module.startswith("rcmviz.core.")} - {"methods"}
        assert used <= set(order[: order.index(path.parent.name) + 1]), path


@pytest.mark.parametrize(
    "package, home", [("streamlit", "shared/component.py"), ("anywidget", "word/widget.py")], ids=["page", "notebook"]
)
def test_one_file_of_the_library_imports_what_shows_views(package, home):
    users = [
        path.relative_to(ROOT).as_posix() for path in LIBRARY if package in {m.split(".")[0] for m in imported(path)}
    ]
    assert users == [f"rcmviz/views/{home}"]


ORACLES = sorted((ROOT / "tests" / "oracles").glob("*.py"))


@pytest.mark.parametrize("path", ORACLES, ids=[path.stem for path in ORACLES])
def test_the_oracles_import_only_the_standard_library_and_each_other(path):
    assert {module.split(".")[0] for module in imported(path)} <= set(sys.stdlib_module_names) | {"oracles"}


def test_kernels_are_compiled_with_one_set_of_flags():
    """Each is made by ``@kernel(…)`` or its kin in ``kernel.py``: Numba overlooks flags set elsewhere, the digest of a
    cache covers that file.

    An ``@intrinsic`` is a few instructions within a kernel and has none, nor has a function of Python that makes what
    a kernel works in; ``bare_arrays.py`` holds a type of Numba's and no kernel.
    """
    for path in (ROOT / "rcmviz" / "kernels").rglob("*.py"):
        if path.name == "bare_arrays.py":
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                if [ast.unparse(decorator) for decorator in node.decorator_list] in ([], ["intrinsic"]):
                    continue
                (made,) = node.decorator_list
                assert made.func.id in ("kernel", "internal", "part"), f"{path.name}: {node.name}"
                assert "nogil" not in {k.arg for k in made.keywords}, f"{path.name}: {node.name}"
    assert kernel.keywords == {"cache": True, "nogil": True, "no_cfunc_wrapper": True}


def test_import_rcmviz_is_light():
    heavy = ("numba", "pandas", "streamlit", "plotly", "networkx", "typer", "anywidget")
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


def test_no_module_is_long():
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in CODE}
    assert {path: length for path, length in lengths.items() if length > LONGEST} == {}
