"""Results record their provenance, and a user's options override the defaults of a quick run."""

import json
import subprocess

import pytest
from typer.testing import CliRunner

import rcmviz
from rcmviz.cli import main, reproduce
from rcmviz.experiments import figure3, figure4, figure_field_text, folds, provenance
from rcmviz.experiments.report import Plan, Report, add_provenance, write

CASES = (  # options, what the plan is, what the command is remembered as
    (["table2", "--data", "shipped"], (5, False), "rcmviz reproduce table2 --data shipped"),
    (["table2", "--quick"], (2, True), "rcmviz reproduce table2 --quick"),
    (["table2", "--seeds", "7", "--quick"], (7, True), "rcmviz reproduce table2 --seeds 7 --quick"),
    (["figure5"], (3, False), "rcmviz reproduce figure5"),
    (["figure3", "--quick", "--exact"], (2, True), "rcmviz reproduce figure3 --quick --exact"),
    (["figure3", "--no-exact"], (5, False), "rcmviz reproduce figure3 --no-exact"),
    (["figure4", "--quick", "--data", "cmudict"], (2, True), "rcmviz reproduce figure4 --data cmudict --quick"),
    (["figure4", "--quick"], (2, True), "rcmviz reproduce figure4 --quick"),
)


@pytest.fixture
def planned(monkeypatch, tmp_path):
    """Run the command without any work; return its plan and provenance."""
    found = []
    monkeypatch.setattr("rcmviz.data.registry.find", lambda *_: tmp_path)
    monkeypatch.setattr(reproduce, "_measure", lambda *_: [])
    monkeypatch.setattr(reproduce, "_run_specs", lambda *_: [])
    monkeypatch.setattr("rcmviz.experiments.report.write", lambda report, out: found.append(report) or ([], ""))

    class Module:
        @staticmethod
        def specs(plan):
            return [{"seed": seed} for seed in range(plan.seeds)]

        @staticmethod
        def report(plan, results):
            return Report("x", "# Title\n\ntext\n", {"plan": plan})

    def run(*options):
        name = options[0].replace("-", "_")
        real = __import__(f"rcmviz.experiments.{name}", fromlist=["x"])
        Module.SEEDS = getattr(real, "SEEDS", 5)
        monkeypatch.setattr(reproduce, "import_module", lambda _: Module)
        result = CliRunner().invoke(main.app, ["reproduce", *options, "--out", str(tmp_path)])
        assert result.exit_code == 0, result.output
        return found[-1]

    return run


@pytest.mark.parametrize(("options", "plan", "command"), CASES)
def test_options_override_quick(options, plan, command, planned):
    report = planned(*options)
    found, origin = report.document["plan"], report.document["origin"]
    assert (found.seeds, found.quick) == plan and origin["seeds"] == list(range(plan[0]))
    assert origin["command"] == command and origin["run"] == ("quick" if plan[1] else "full")
    assert found.trains_exactly == ("--exact" in options or not (plan[1] or "--no-exact" in options))
    if options[0] == "figure4":
        assert found.data == ("cmudict" if "--data" in options else "lexicon")
    kind = "**Quick run**" if plan[1] else "Full run"
    assert report.text.startswith(f"# Title\n\n{kind} (`{command}`, seeds 0")


def test_a_quick_plan_trains_exactly_and_large_on_request():
    for exact, trained in ((None, False), (False, False), (True, True)):
        plan = Plan("pen:60", 1, quick=True, exact=exact)
        assert any(row.training.method == "exact" for row in figure3.rows(plan)) is trained
        assert (folds.REFERENCE.name in {row.name for row in folds.rows(plan)}) is trained
    sizes = [
        {spec["size"] for spec in figure_field_text.specs(Plan("grammar", quick=True, large=large))}
        for large in (False, True)
    ]
    assert sizes == [{100}, {100, 10_000}]
    assert {arm.source for arms in figure4.arms(Plan("cmudict", quick=True)).values() for arm in arms} == {"words"}


def test_a_result_carries_its_provenance_in_both_files(tmp_path):
    origin = provenance.provenance("rcmviz reproduce x", quick=True, seeds=[1, 0, 1])
    assert origin["seeds"] == [0, 1] and origin["version"] == rcmviz.__version__ and origin["cores"] > 0
    files, _ = write(add_provenance(Report("x", "# X\n\nwords\n", {"a": 1}), origin), tmp_path)
    assert json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))["origin"] == origin
    line = (tmp_path / "x.md").read_text(encoding="utf-8").splitlines()[2]
    assert line == provenance.provenance_line(origin) and len(files) == 2
    for said in ("**Quick run**", "`rcmviz reproduce x`", "seeds 0 and 1", rcmviz.__version__, origin["date"]):
        assert said in line


def git(folder, *arguments):
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def test_a_dirty_tree_is_recorded_and_an_installed_package_has_no_commit(tmp_path):
    assert provenance.commit_of(tmp_path) == {"commit": None, "dirty": False}
    for name in ("rcmviz/__init__.py", "results/x.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("1\n")
    git(tmp_path, "init", "-q")
    assert provenance.commit_of(tmp_path) == {"commit": None, "dirty": False}  # another project's checkout
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "x")
    clean = provenance.commit_of(tmp_path)
    assert clean["commit"] and not clean["dirty"]
    (tmp_path / "results/x.md").write_text("2\n")  # results are what a run writes
    assert provenance.commit_of(tmp_path) == clean
    (tmp_path / "rcmviz/__init__.py").write_text("2\n")
    assert provenance.commit_of(tmp_path) == clean | {"dirty": True}
    origin = provenance.provenance("x", quick=False) | clean | {"dirty": True}
    assert f"commit {clean['commit']} with uncommitted changes" in provenance.provenance_line(origin)
    assert provenance.NO_COMMIT in provenance.provenance_line(origin | {"commit": None, "dirty": False})
