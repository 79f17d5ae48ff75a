"""Import rules (docs/architecture.md), the length of modules, and the modules that ``import rcmviz`` loads."""

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

# package → (third-party packages, packages of rcmviz); a package may always import itself
BELOW_TASKS = {"align", "mrf", "proposal", "search", "searn", "learn", "evaluation", "ars", "lm", "sequences", "core"}
ALLOWED = {
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
    "evaluation": ({"numpy", "pandas"}, {"core", "sequences"}),
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
    """Return the imports of a file, also those inside functions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


def imported(path):
    """Yield the dotted name of every module that a file imports, also inside functions."""
    for node in import_nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (
                f"{node.module}.{alias.name}" if node.module == "rcmviz" else node.module for alias in node.names
            )


def package_of(module):
    """``rcmviz.kernels.chain.sweep`` → ``kernels``; the package itself is ``""``."""
    return (module.split(".") + [""])[1]


def test_packages_import_only_what_the_table_allows():
    found = {str(path.relative_to(ROOT)): forbidden_imports(path) for path in LIBRARY}
    assert {path: modules for path, modules in found.items() if modules} == {}


def forbidden_imports(path):
    """Return the packages that a file imports against the table."""
    package = path.relative_to(ROOT / "rcmviz").parts[0].removesuffix(".py")
    if package == "__init__":
        others, ours = set(), set()
    else:
        assert package in ALLOWED, f"new package {package}: list it here and in docs/architecture.md"
        others, ours = ALLOWED[package]
    modules = set(imported(path))
    used = {package_of(module) for module in modules if module.split(".")[0] == "rcmviz"}
    foreign = {module.split(".")[0] for module in modules} - {"rcmviz"} - set(sys.stdlib_module_names)
    return (used - ours - {package}) | (foreign - others)


def module_name(path):
    """``rcmviz/plot/style.py`` → ``rcmviz.plot.style``, a folder's ``__init__.py`` → the folder."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports_among(paths):
    """Return ``{module: modules that it imports}`` of these files, also inside functions.

    ``from rcmviz.plot import style`` imports ``rcmviz.plot.style``, not the folder's ``__init__``. Names of ``rcmviz``
    itself are resolved when they are used, so they do not count.
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


def cycles(imports):
    """Return the import cycles, as lists of modules."""
    reached = {}
    for name in imports:
        waiting, reached[name] = [name], set()
        while waiting:
            new = imports[waiting.pop()] - reached[name]
            reached[name] |= new
            waiting += new
    together = {frozenset(other for other in reached[name] if name in reached[other]) for name in imports}
    return [sorted(modules) for modules in together if modules]


def test_import_cycles_are_found():
    line = {"a": {"b"}, "b": {"c"}, "c": set(), "d": {"c"}}
    assert cycles(line) == [] and cycles(line | {"c": {"a"}}) == [["a", "b", "c"]]
    assert sorted(cycles({"a": {"b"}, "b": {"a"}, "c": {"a", "c"}})) == [["a", "b"], ["c"]]


def test_no_import_cycles():
    """Imports inside functions count too."""
    assert cycles(imports_among(LIBRARY)) == []
    assert cycles({package: ours - {""} for package, (_, ours) in ALLOWED.items()}) == []


def test_a_subpackage_of_core_imports_only_those_above_it():
    order = ["shared", "models", "lattices", "inference", "builders", "problems"]  # as docs/architecture.md lists them
    folders = [path for path in LIBRARY if path.parent.parent == ROOT / "rcmviz/core"]
    assert {path.parent.name for path in folders} == set(order)
    for path in folders:
        used = {module.split(".")[2] for module in imported(path) if module.startswith("rcmviz.core.")}
        used -= {"methods", "rules"}
        assert used <= set(order[: order.index(path.parent.name) + 1]), path


@pytest.mark.parametrize(
    "package, home", [("streamlit", "shared/component.py"), ("anywidget", "word/widget.py")], ids=["page", "notebook"]
)
def test_one_file_of_the_library_imports_each_framework(package, home):
    users = [
        path.relative_to(ROOT).as_posix() for path in LIBRARY if package in {m.split(".")[0] for m in imported(path)}
    ]
    assert users == [f"rcmviz/views/{home}"]


def test_only_commands_and_downloads_can_ask_another_machine():
    network = {"ftplib", "http.client", "requests", "smtplib", "socket", "ssl", "urllib.request", "webbrowser"}
    served = [path for path in CODE if path.is_relative_to(ROOT / "pages") or path in LIBRARY]
    found = {str(path.relative_to(ROOT)) for path in (*served, ROOT / "app.py") if network & set(imported(path))}
    commands = {"rcmviz/cli/app.py", "rcmviz/cli/classroom.py", "rcmviz/cli/lesson.py"}
    assert found == commands | {"rcmviz/data/download.py", "rcmviz/classroom/address.py"}


ORACLES = sorted((ROOT / "tests" / "oracles").glob("*.py"))


@pytest.mark.parametrize("path", ORACLES, ids=[path.stem for path in ORACLES])
def test_the_oracles_import_only_the_standard_library_and_each_other(path):
    assert {module.split(".")[0] for module in imported(path)} <= set(sys.stdlib_module_names) | {"oracles"}


def test_kernels_are_compiled_with_one_set_of_flags():
    """Each has a decorator of ``kernel.py``: the digest of a cache covers that file.

    Exempt are an ``@intrinsic``, which is part of a kernel, Python functions that allocate arrays, and
    ``bare_arrays.py``, which defines a type of Numba.
    """
    for path in (ROOT / "rcmviz" / "kernels").rglob("*.py"):
        if path.name == "bare_arrays.py":
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                if [ast.unparse(decorator) for decorator in node.decorator_list] in ([], ["intrinsic"]):
                    continue
                (made,) = node.decorator_list
                assert made.func.id in ("kernel", "helper", "part"), f"{path.name}: {node.name}"
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
