"""docs/results.md agrees with the files under results/, and these with their JSON."""

import importlib
import json
import re
import sys
from pathlib import Path

import pytest

from rcmviz.experiments.provenance import provenance_line
from rcmviz.experiments.report import Plan, add_provenance

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"
NAMES = sorted(path.stem for path in RESULTS.glob("*.json"))
WHOLE = [  # whose documents have everything that their text is made of
    "figure-field-synthetic",
    "figure-field-text",
    "figure-pos",
    "figure-sms",
    "search",
    "table-field-tagging",
    "table-neighbours",
    "table2",
    "table3",
    "table4",
]
MEASURED = re.compile(r"[−-]?\d*\.\d+|\d{1,3}(?:,\d{3})+|\d+ %")


@pytest.fixture
def page(monkeypatch):
    """The module that makes the page."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts" / "docs"))
    monkeypatch.delitem(sys.modules, "results_page", raising=False)
    return importlib.import_module("results_page")


def test_the_page_is_what_the_results_make_of_its_template(page):
    made = page.render_page(page.TEMPLATE.read_text(encoding="utf-8"), RESULTS)
    assert page.PAGE.read_text(encoding="utf-8") == made, "run python scripts/docs/results_page.py"


def test_no_number_of_the_template_is_written_by_hand(page):
    """Decimals, thousands and percentages come from results; settings and the papers' numbers are ``given``."""
    text = page.EXPRESSION.sub("", page.TEMPLATE.read_text(encoding="utf-8"))
    text = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)|!\[[^\]]*\]", "", text, flags=re.DOTALL)
    known = {"2,000", "10,000", "1,000", "2,500", "99 %", "95 %", "5 %"}  # sizes of data, and names of measures
    assert {found for found in MEASURED.findall(text) if found not in known} == set()


def test_a_changed_result_is_noticed(page, tmp_path):
    place = "figure3", 0, "better RCMS 10, three passes, joined | 20", "word accuracy"
    measured = page.names_of(RESULTS)["cell"](*place).replace("0.", ".")
    for path in RESULTS.glob("*.md"):
        text = path.read_text(encoding="utf-8")
        (tmp_path / path.name).write_text(text.replace(measured, ".123 ± .004"), encoding="utf-8")
    made = page.render_page(page.TEMPLATE.read_text(encoding="utf-8"), tmp_path)
    assert made != page.PAGE.read_text(encoding="utf-8") and "0.123 ± 0.004" in made


@pytest.mark.parametrize(
    "expression", ['cell("x", 0, "c", "b")', 'cell("x", 0, "a", "c")', 'table("x", 1)', 'found("x", "z")']
)
def test_an_expression_that_finds_nothing_is_named(page, tmp_path, expression):
    (tmp_path / "x.md").write_text("| r | b |\n|:--|--:|\n| a | .5 ± .1 |\n", encoding="utf-8")
    assert (
        page.render_page('{{ mean("x", 0, "a", "b") }} and {{ number("x", 0, "a", "b") }}', tmp_path) == "0.5 and 0.5"
    )
    with pytest.raises(ValueError, match=re.escape(expression)):
        page.render_page(f"{{{{ {expression} }}}}", tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_both_files_of_a_result_say_where_it_comes_from(name):
    document = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    lines = (RESULTS / f"{name}.md").read_text(encoding="utf-8").splitlines()
    origin = document["origin"]
    assert lines[2] == provenance_line(origin) and origin["run"] == "full" and not origin["dirty"]
    assert origin["command"].startswith(f"rcmviz reproduce {name}") and origin["version"] and origin["commit"]


@pytest.mark.parametrize("name", WHOLE)
def test_the_text_of_a_result_follows_from_its_document(name, monkeypatch):
    document = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    module = "search.entry" if name == "search" else name.replace("-", "_")
    module = importlib.import_module(f"rcmviz.experiments.{module}")
    monkeypatch.setattr(module, "_figure", lambda *_: None, raising=False)  # takes longer than all the rest
    monkeypatch.setattr("rcmviz.experiments.trainings.code_digest", lambda *_: "")
    report = module.report(Plan(**document["plan"]), document["runs"])
    assert add_provenance(report, document["origin"]).text == (RESULTS / f"{name}.md").read_text(encoding="utf-8")
