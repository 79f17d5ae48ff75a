"""The registry of methods is the only source of lists, titles and options of methods."""

import ast
import inspect
import re
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from pages.decipher.question import DecipherQuestion
from pages.precision import methods as precision_link
from pages.shell.methods import MAX_BUDGET, heading
from pages.word import edits
from pages.word.question import WordQuestion
from rcmviz.cli import decipher, decode, export, options, step, tag, train
from rcmviz.core import methods
from rcmviz.core.builders.build import build_lattice
from rcmviz.core.methods import BUILDERS, DECODERS, IN_BULK, METHODS, OF_EM, TRAINABLE, WITH_WEIGHTS, MethodChoice
from rcmviz.core.problems.problem import Problem
from rcmviz.evaluation import evaluate
from rcmviz.evaluation.evaluate import Contender

ROOT = Path(__file__).parents[2]
MODEL = rv.NgramModel.from_windows("ab", 1, {("^", "a"): 0.5, ("a", "b"): 1.0})
LOG_EMIT = [[0.1, 0.0], [0.0, 0.3], [0.2, 0.0]]


@pytest.mark.parametrize(
    ("command", "offered"),
    [
        (step.step, BUILDERS),
        (export.export, BUILDERS),
        (train.train, TRAINABLE),
        (decode.decode, DECODERS),
        (tag.tag, DECODERS),
        (decipher.decipher, OF_EM),
    ],
)
def test_a_command_offers_what_the_registry_has(command, offered):
    choices, *_ = get_args(inspect.signature(command).parameters["method"].annotation)
    assert [choice.value for choice in choices] == list(offered)


def test_titles_and_kinds_are_of_one_method_each():
    for name in ("kind", "title", "full_title", "heading"):
        named = [getattr(method, name) for method in METHODS.values()]
        assert len(set(named)) == len(named) and all(named)
    assert all(kind == method.kind and re.fullmatch("[a-z]+", kind) for kind, method in METHODS.items())


def test_an_entry_is_of_one_piece():
    for method in METHODS.values():
        assert method.log_z in methods.LOG_Z
        assert method.builder is None or callable(getattr(rv, method.builder))
        assert method.options <= {"adaptive", "budgets", "passes", "deduplicate", "root_weight", "seed", "select"}
        assert method.has_budget or "budgets" not in method.options
        assert method.weights is None or METHODS[method.weights].weights == method.weights


@pytest.mark.parametrize("kind", BUILDERS)
def test_every_surface_takes_every_builder(kind):
    choice, method = MethodChoice(kind, 2), METHODS[kind]
    lattice, trace = Problem(MODEL, LOG_EMIT).run(kind, choice.budget)
    assert trace.settings["method"] == kind
    assert options.parse_methods(str(choice), 2) == [choice]
    read, _, notices = WordQuestion.read({"method": kind, "budget": "2"})
    assert read.methods == (choice,) and not notices and heading(kind) == method.heading
    title = rv.plot.context_tree(trace, lattice, 1).layout.title.text
    assert title.startswith(f"Contexts after 1 of 3 labels, {method.full_title}")
    assert ("budget 2" in title) == method.has_budget
    assert choice.name in rv.export_html(trace, lattice)


@pytest.mark.parametrize("kind", IN_BULK)
def test_bulk_inference_has_the_log_z_of_the_builder(kind):
    lattice, _ = build_lattice(kind, MODEL, LOG_EMIT, 2, root_weight=MODEL.root_weight)
    batch = rv.infer_batch(MODEL, [LOG_EMIT], kind, 2, dtype="f8", threads=1)
    assert batch.log_z[0] == pytest.approx(rv.log_z(lattice), abs=1e-9)


def test_an_unknown_method_is_refused_with_the_known_ones():
    for call in (lambda: rv.Training(method="best"), lambda: rv.infer_batch(MODEL, [LOG_EMIT], "ars")):
        with pytest.raises(ValueError, match="rcms, beam"):
            call()


@given(st.sampled_from(sorted(BUILDERS)), st.integers(1, MAX_BUDGET))
def test_a_choice_is_what_its_text_says(kind, budget):
    choice = MethodChoice(kind, budget)
    assert MethodChoice.parse(str(choice), most=MAX_BUDGET) == choice
    assert choice.name[1:] == choice.title[1:] and choice.name[:1] == choice.title[:1].upper()
    assert choice.name == METHODS[kind].heading + (f" {budget}" if METHODS[kind].has_budget else "")


def test_rows_of_an_evaluation_are_choices_that_may_be_called_otherwise():
    assert evaluate.Method("RCMS, two passes", passes=2) == Contender(passes=2, called="RCMS, two passes")
    assert [evaluate.Method(name, "beam", 200).name for name in ("beam 200", "")] == ["beam 200", ""]
    assert Contender("beam", 200).name == "Beam 200"


def test_precision_reads_what_has_weights():
    for kind in WITH_WEIGHTS:
        (arm,) = precision_link.parse_arms(str(MethodChoice(kind)))
        assert arm.weights == WITH_WEIGHTS[kind].weights and str(arm) == str(MethodChoice(kind))
    assert set(precision_link.WEIGHTS) <= set(WITH_WEIGHTS)


def test_deciphering_offers_what_em_runs_by():
    for kind in OF_EM:
        puzzle, _, notices = DecipherQuestion.read({"runs": str(MethodChoice(kind))})
        assert puzzle.first == kind and not notices


def test_edits_reach_the_builder_that_can_follow_them():
    part, whole, label, budget = edits.read_edits("p2:b,p2:ab,f1:=a,b1:1")
    for kind, method in BUILDERS.items():
        call, unused = edits.arguments((part, whole, label, budget), kind)
        assert build_lattice(kind, MODEL, LOG_EMIT, 2, **call)[0].T == 3
        assert (budget in unused) == ("budgets" not in method.options) and label not in unused
        assert (whole in unused) == (not method.edits_contexts)
        assert (part in unused) == (not method.edits_contexts or method.needs_whole_histories)


def row_of(method):
    """Return a method's row in the documentation's table: title, kind, budget, log Z, options."""
    budget = {True: "chosen", False: str(method.fixed_budget or "none")}[method.has_budget]
    options = ", ".join(f"`{name}`" for name in sorted(method.options))
    return [method.title, f"`{method.kind}`", budget, method.log_z, options]


def test_the_table_of_the_documentation_is_the_registry():
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if "| `" in line]
    assert [[row[k] for k in (0, 1, 4, 5, 6)] for row in rows] == [row_of(method) for method in METHODS.values()]


# An experiment says which methods it compares, and so does the default of a sweep.
EXPERIMENTS = {path.name for path in (ROOT / "rcmviz" / "experiments").glob("*.py")}


def lists_of_methods(path):
    """Literals that hold both RCMS and beam search: (line, kind of the literal)."""
    source = path.read_text(encoding="utf-8")
    if "rcms" not in source or "beam" not in source:  # to parse all sources takes two seconds
        return
    for node in ast.walk(ast.parse(source)):
        elements = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", ())
        strings = {element.value for element in elements if isinstance(element, ast.Constant)}
        if {"rcms", "beam"} <= strings:
            yield node.lineno, type(node).__name__


def test_no_second_list_of_methods():
    code = [path for folder in ("rcmviz", "pages") for path in (ROOT / folder).rglob("*.py")]
    code.remove(ROOT / "rcmviz" / "__init__.py")  # the public names, all of them
    found = [(path.name, *one) for path in code for one in lists_of_methods(path)]
    assert [one for one in found if one[0] not in EXPERIMENTS or one[2] == "Dict"] == []


def test_a_second_list_would_be_found(tmp_path):
    planted = tmp_path / "planted.py"
    planted.write_text('A = ("rcms", "beam", "exact")\nB = {"beam": 1, "rcms": 2}\nC = ["rcms"]\n')
    assert list(lists_of_methods(planted)) == [(1, "Tuple"), (2, "Dict")]
