"""The public names: numpydoc docstrings that fit the signatures, hints that resolve, and one list of names."""

import ast
import inspect
import tomllib
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import get_type_hints

import pytest
from numpydoc.validate import validate

import rcmviz as rv

ROOT = Path(__file__).parents[2]
STUB = (ROOT / "rcmviz" / "__init__.pyi").read_text(encoding="utf-8")
HOMES = {
    alias.name: node.module
    for node in ast.parse(STUB).body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
    if alias.name == alias.asname  # else a type checker takes the name for the stub's own
}
NAMES = {name: f"{home}.{name}" for name, home in HOMES.items() if name != "plot"}
NAMES |= {f"plot.{name}": f"rcmviz.plot.{name}" for name in rv.plot.__all__}
CLASSES = [name for name in NAMES if inspect.isclass(getattr(rv, name, None))]
# numpydoc's checks: sections known and in order, a summary of one sentence, parameters as in the signature, each with
# type and description, returns with both
CHECKS = {
    "GL03",
    "GL05",
    "GL06",
    "GL07",
    "GL08",
    "SS01",
    "SS02",
    "SS03",
    "SS04",
    "SS06",
    "PR01",
    "PR02",
    "PR03",
    "PR05",
    "PR06",
    "PR07",
    "PR08",
    "PR09",
    "PR10",
    "RT03",
    "RT04",
    "RT05",
    "YD01",
}
OF_NAMES = {"EX01", "PR04", "RT01"}  # in addition, for every public name; for methods if they return something


def complaints(path, checks=CHECKS):
    return [f"{path}: {code} {text}" for code, text in validate(path)["errors"] if code in checks]


def members(kind):
    """Public attributes that the package itself defines, inherited ones included: {name: function, property or …}."""
    found = {}
    for part in reversed(kind.__mro__):
        if part.__module__.startswith("rcmviz."):
            found |= {name: value for name, value in vars(part).items() if not name.startswith("_")}
    return {name: value for name, value in found.items() if callable(function_of(value))}


def function_of(member):
    """The function behind a method, class method or property; None for a field."""
    if isinstance(member, (classmethod, staticmethod)):
        return member.__func__
    if isinstance(member, property):
        return member.fget
    return member.func if isinstance(member, cached_property) else member if inspect.isfunction(member) else None


def hints(function):
    """The resolved hints of a function; heavy modules that are imported for hints only are imported here."""
    module = inspect.getmodule(inspect.unwrap(function))
    names = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            exec(compile(ast.Module(node.body, []), module.__file__, "exec"), names)
    return get_type_hints(function, vars(module) | names)


def missing_hints(function):
    """Return the parameters without a type hint, and ``return`` if the result has none."""
    parameters = list(inspect.signature(function).parameters)
    own = parameters[1:] if parameters[:1] in (["self"], ["cls"]) else parameters
    return sorted({*own, "return"} - set(hints(function)))


def test_every_public_name_is_once_in_the_stub():
    assert STUB.count("from ") == len(HOMES)  # one line each, with an alias
    assert {*HOMES, "__version__"} == set(rv.__all__)
    for name, home in HOMES.items():
        expected = import_module(f"rcmviz.{name}") if home == "rcmviz" else getattr(import_module(home), name)
        assert getattr(rv, name) is expected


def test_the_type_checker_reads_every_public_module():
    files = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]["files"]
    homes = {home.replace(".", "/") + ".py" for home in HOMES.values() if home != "rcmviz"}
    assert homes | {"rcmviz/__init__.pyi", "rcmviz/plot"} <= set(files)
    assert (ROOT / "rcmviz" / "py.typed").exists()


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_has_a_complete_docstring(name):
    path = NAMES[name]
    needed = OF_NAMES - {"RT01"} if name in CLASSES or name == "train" else OF_NAMES  # train yields
    assert complaints(path, CHECKS | needed) == []


@pytest.mark.parametrize("name", CLASSES)
def test_the_methods_of_a_public_class_have_docstrings(name):
    found = []
    for member, value in members(getattr(rv, name)).items():
        returns = hints(function_of(value)).get("return") is not type(None)
        is_method = not isinstance(value, (property, cached_property))
        found += complaints(f"{NAMES[name]}.{member}", CHECKS | ({"RT01"} if is_method and returns else set()))
    assert found == []


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_has_complete_hints(name):
    value = import_module(NAMES[name].rpartition(".")[0]).__dict__[NAMES[name].rpartition(".")[2]]
    if name not in CLASSES:
        assert missing_hints(value) == []
        return
    assert [entry for entry in missing_hints(value.__init__) if entry != "return"] == []
    assert {member: missing_hints(function_of(one)) for member, one in members(value).items()} == {
        member: [] for member in members(value)
    }
