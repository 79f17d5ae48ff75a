"""Reproductions: training and test data, numbers compared with definitions, files, interrupted runs."""

import json
import re
import sys
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest
from choreographer.protocol.devtools_async import Target
from kaleido import PageGenerator
from kaleido.errors import ChromeNotFoundError
from scipy.stats import binom
from typer.testing import CliRunner

from rcmviz.cli import main
from rcmviz.evaluation.evaluate import Method, evaluate_sequences
from rcmviz.experiments import cells, figure3, figure6, folds, picture, report, tables, trainings, tuning
from rcmviz.experiments.report import Plan
from rcmviz.experiments.trainings import Row, specs_of, split_words, train_and_test
from rcmviz.learn.settings import Training
from rcmviz.learn.trainer import train
from rcmviz.tasks import TEST_FOLD
from rcmviz.tasks.handwriting.pen import pen_words
from support.jobs import wait_for

ROOT = Path(__file__).parents[2]
PEN = "pen:60"
SHORT = Training(budget=3, order=2, epochs=2)
ROWS = [
    Row(replace(SHORT, epochs=1), Method("early", budget=3)),
    Row(SHORT, Method("RCMS 10", budget=3)),
    Row(SHORT, Method("late, two passes", budget=3, passes=2)),
    Row(replace(SHORT, method="beam"), Method("beam", "beam", 3)),
]


def answers(confidence, correct, **others):
    return {"confidence": confidence, "correct": correct, "seconds": 1.0} | others


def test_rows_that_share_a_training_share_a_spec():
    found = specs_of(ROWS, [0, 7], PEN)
    assert [(one["training"]["method"], one["training"]["seed"], len(one["tests"])) for one in found] == [
        ("rcms", 0, 3),
        ("rcms", 7, 3),
        ("beam", 0, 1),
        ("beam", 7, 1),
    ]
    assert [test["epochs"] for test in found[0]["tests"]] == [1, 2, 2] and found[0]["training"]["epochs"] == 2
    assert json.loads(json.dumps(found)) == found


def test_a_cell_answers_what_a_training_of_its_own_would():
    spec = specs_of(ROWS, [7], PEN)[0]
    result = train_and_test(spec)
    learning, test = split_words(PEN, TEST_FOLD)
    for row, found in zip(ROWS, result["answers"], strict=False):
        *_, state = train(learning, replace(row.training, seed=7))
        (score,) = evaluate_sequences(state.model, test, [row.test])
        assert (found["name"], found["epochs"], found["seed"]) == (row.name, row.training.epochs, 7)
        assert np.mean(found["correct"]) == score.accuracy
        assert np.mean(found["confidence"]) == pytest.approx(score.mean_confidence)


def test_words_of_the_test_fold_and_the_unseen_are_not_learnt_from():
    words = pen_words(60, seed=0)
    learning, test = split_words(PEN, 1, (5,))
    assert len(test) == sum(word.fold == 1 for word in words)
    assert len(learning) == sum(word.fold not in (1, 5) for word in words)
    spelt = ["".join(learning.labels[y] for y in gold) for gold in learning.golds()]
    assert spelt == [word.letters for word in words if word.fold not in (1, 5)]


def test_tuning_never_sees_the_test_fold():
    for plan in (Plan(PEN), Plan(PEN, quick=True)):
        for spec in tuning.specs(plan):
            assert TEST_FOLD in spec["unseen"] and spec["test_fold"] != TEST_FOLD
    for module in (figure3, figure6):
        assert {spec["test_fold"] for spec in module.specs(Plan(PEN))} == {TEST_FOLD}
    assert [spec["test_fold"] for spec in folds.specs(Plan(PEN))] == [fold for fold in range(10) for _ in range(4)]


def test_the_measures_are_their_definitions():
    random = np.random.default_rng(0)
    confidence, correct = random.random(40), random.random(40) < 0.8
    found = {name: values[0] for name, values in tables.measures_of_answers([answers(confidence, correct)]).items()}
    order = np.argsort(-confidence)
    precision = [np.mean(correct[order[:k]]) for k in range(1, 41)]
    assert found["accuracy"] == precision[-1] and found["confidence"] == pytest.approx(confidence.mean())
    assert found["recall_95"] == max([k for k in range(1, 41) if precision[k - 1] >= 0.95], default=0) / 40
    middle = precision[3:20]  # of 40 words, 4 to 20 are .1 to .5
    assert (found["lowest_precision"], found["highest_precision"]) == (min(middle), max(middle))
    assert found["area"] == pytest.approx(np.mean(precision))


def test_curves_are_averaged_over_seeds():
    two = [(np.array([0.9, 0.1]), np.array([True, False])), (np.array([0.9, 0.1]), np.array([False, True]))]
    mean = tables.mean_curve(two)
    assert mean[0] == 0.5 and mean[49] == 0.5 and mean[-1] == 0.5 and len(mean) == 100


def made_up(plan, accuracy):
    """Results of all specs of figure 3 without training: 1,000 words, the surest of them right."""
    correct = (np.arange(1000) < 1000 * accuracy).astype(int).tolist()
    confidence = np.linspace(1, 0, 1000).tolist()
    return [
        {"answers": [answers(confidence, correct, name=test["name"], epochs=test["epochs"]) for test in spec["tests"]]}
        for spec in figure3.specs(plan)
    ]


def test_figure_3_says_which_claims_hold():
    plan = Plan(seeds=2)
    made = figure3.report(plan, made_up(plan, 0.885))
    lines = made.text.splitlines()
    claims = {line.split(" | ")[0]: line for line in lines if line.endswith(("| yes |", "| **no** |"))}
    assert len(claims) == len(figure3.CLAIMS)
    assert claims["| RCMS 10 after 20 epochs: word accuracy .885 ± .012"].endswith("| .885 ± .000 | yes |")
    assert claims["| better, ten contexts: word accuracy ≥ .93"].endswith("| **no** |")
    assert claims["| beam 10: precision < .99 over recall .1–.5"].endswith("| 1.000 ± .000 | **no** |")
    assert "| RCMS 10 | 10 | 1.0 | .885 ± .000 | .885 | .893 ± .000 | .82 | 1.0 s |" in made.text
    assert "| exact 4-gram | 3 |  | .885 ± .000 |  | .893 ± .000 | .86 | 1.0 s |" in made.text
    names = [trace.name for trace in made.figure.data if trace.showlegend is not False]
    assert names == list(figure3.DRAWN)
    assert json.loads(json.dumps(made.document))["rows"][0]["measures"]["accuracy"] == [0.885, 0.885]


def test_without_kassels_words_the_papers_numbers_are_left_out():
    plan = Plan(PEN, seeds=1, exact=False)
    made = figure3.report(plan, made_up(plan, 0.5))
    assert "not the paper's data" in made.text and ".871" not in made.text and "What reproduces" not in made.text
    assert "exact 4-gram" not in made.text


def test_the_sampling_error_of_an_accuracy_is_that_of_a_mean():
    correct = np.arange(500) < 440
    pair = (np.linspace(1, 0, 500), correct)
    assert tables.sampling_error(pair, "accuracy") == pytest.approx(np.sqrt(0.88 * 0.12 / 500), rel=0.1)


def test_a_row_without_an_answer_is_named():
    with pytest.raises(ValueError, match="'RCMS 10' after 10 epochs"):
        figure3.report(Plan(seeds=1), [])


def test_the_cumulative_average_is_that_of_all_words():
    lengths = np.random.default_rng(1).random((2, 7))
    steps = [3, 6, 9, 12, 15, 18, 20]
    words = np.repeat(lengths, np.diff(steps, prepend=0), axis=1)
    expected = [words[:, :step].mean(axis=1) for step in steps]
    averages = figure6.cumulative(steps, lengths)
    np.testing.assert_allclose(averages.T, expected)
    np.testing.assert_allclose(figure6.overshoot(averages), np.max(expected, axis=0) - expected[-1])


def test_runs_keep_equal_words_together():
    learning, _ = split_words(PEN, TEST_FOLD)
    order = trainings._group_by_gold(learning, seed=3)
    assert sorted(order) == list(range(len(learning)))
    spelt = [tuple(gold) for gold in learning.take(order).golds()]
    changes = sum(a != b for a, b in zip(spelt, spelt[1:], strict=False))
    assert changes == len(set(spelt)) - 1
    assert not np.array_equal(order, trainings._group_by_gold(learning, seed=4))


def test_context_lengths_are_those_of_the_states():
    spec = {"data": PEN, "test_fold": 1, "unseen": [], "every": 20, "order": "shuffled", "training": SHORT.to_dict()}
    found = trainings.context_lengths(spec)
    learning, _ = split_words(PEN, 1)
    states = list(train(learning, SHORT, every=20))
    assert found["steps"] == [one.step for one in states]
    assert found["lengths"] == [one.mean_length for one in states]
    assert found["first"] == next(word.letters for word in pen_words(60, seed=0) if word.fold != 1)


def test_differences_between_folds_are_paired():
    plan = Plan(seeds=1)
    results = []
    for number, spec in enumerate(folds.specs(plan)):
        better = spec["training"]["method"] == "rcms"  # right on 9 of 10 words, exact on the first 8
        correct = [1] * (9 if better else 8) + [0] * (1 if better else 2)
        confidence = (np.linspace(1, 0, 10) + 0.001 * number).clip(0, 1).tolist()
        tests = spec["tests"]
        results.append({"answers": [answers(confidence, correct, name=t["name"], epochs=t["epochs"]) for t in tests]})
    text = folds.report(plan, results).text
    line = next(line for line in text.splitlines() if line.startswith("| RCMS 10, tested with 50 | +"))
    assert "| +.100 ± .000 | 10, 0 | .002 |" in line and line.endswith("| 10, 0 | .002 |")
    assert 2 * binom.cdf(0, 10, 0.5) == pytest.approx(0.002, abs=5e-5)
    assert folds.signed_mean([-0.02, -0.01]) == "-.015 ± .007"


@pytest.fixture
def small(monkeypatch):
    """Reduce Figure 3 to four short trainings, so that the command can be run."""
    monkeypatch.setattr(figure3, "PUBLISHED_ROWS", tuple(ROWS))
    monkeypatch.setattr(figure3, "BETTER_ROWS", ())
    monkeypatch.setattr(figure3, "DRAWN", ("RCMS 10", "beam"))


def run(folder, *options):
    command = ["reproduce", "figure3", "--data", "pen", "--words", "60", "--seeds", "2", "--jobs", "1"]
    return CliRunner().invoke(main.app, [*command, "--out", str(folder), *options])


def no_picture(*_, **__):
    raise RuntimeError("no browser\nmore about it")


def test_the_command_writes_all_files_and_keeps_finished_cells(small, monkeypatch, tmp_path):
    monkeypatch.setattr(picture, "png_of", no_picture)
    first = run(tmp_path)
    assert first.exit_code == 0, first.output
    assert "figure3.png could not be drawn (no browser)" in first.stderr and "BROWSER_PATH" in first.stderr
    assert {path.name for path in tmp_path.iterdir()} == {f"figure3.{end}" for end in ("md", "json", "html", "jsonl")}
    document = json.loads((tmp_path / "figure3.json").read_text(encoding="utf-8"))
    assert [row["name"] for row in document["rows"]] == [row.name for row in ROWS]
    assert document["origin"]["cores"] > 0 and document["plan"] == asdict(Plan(PEN, seeds=2))
    assert all(len(row["measures"]["accuracy"]) == 2 for row in document["rows"])
    assert "plotly" in (tmp_path / "figure3.html").read_text(encoding="utf-8")

    monkeypatch.setattr(trainings, "Trainer", None)  # a second run finds everything and trains nothing
    assert run(tmp_path).stdout == first.stdout


def test_an_interrupted_run_resumes(small, monkeypatch, tmp_path):
    monkeypatch.setattr(picture, "png_of", no_picture)
    calls = []

    def interrupted(spec):
        calls.append(spec)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return train_and_test(spec)

    monkeypatch.setattr(figure3, "cell", interrupted)
    broken = run(tmp_path)
    assert broken.exit_code == 130 and "stopped: 2 of 4 trainings are kept" in broken.stderr
    assert run(tmp_path).exit_code == 0 and len(calls) == 3 + 2


def test_a_failed_training_is_reported_and_spoils_no_other(small, monkeypatch, tmp_path):
    def failing(spec):
        if spec["training"]["method"] == "beam":
            raise MemoryError("too large")
        return train_and_test(spec)

    monkeypatch.setattr(figure3, "cell", failing)
    result = run(tmp_path)
    assert result.exit_code == 2 and "2 of 4 trainings failed, the first with: MemoryError: too large" in result.stderr
    assert len((tmp_path / "figure3.jsonl").read_text().splitlines()) == 2


def test_other_sources_are_other_results(monkeypatch, tmp_path):
    store = tmp_path / "store.jsonl"
    cells.run_cells(dict.copy, [{"a": 1}], store=store, version=trainings.code_digest())
    ran = []
    cells.run_cells(lambda spec: ran.append(spec) or spec, [{"a": 1}], store=store, version="another")
    assert ran == [{"a": 1}] and len(trainings.code_digest()) == 12


@pytest.mark.parametrize("name", ["figure6", "folds", "tuning"])
def test_every_reproduction_runs_on_a_few_words(name, monkeypatch, tmp_path):
    monkeypatch.setattr(picture, "png_of", no_picture)
    monkeypatch.setattr(tuning, "VALIDATING", (5, 8))
    options = ["reproduce", name, "--quick", "--data", "pen", "--words", "60", "--jobs", "1", "--out", str(tmp_path)]
    result = CliRunner().invoke(main.app, options)
    assert result.exit_code == 0, result.output
    document = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
    assert (tmp_path / f"{name}.md").read_text(encoding="utf-8").strip() == result.stdout.strip()
    assert len(document.get("rows", document.get("arms"))) >= 5


def test_the_page_quotes_the_tables():
    """Every row of a table on docs/results.md that has a measure in it is in a table under results/."""
    written = {line for path in (ROOT / "results").glob("*.md") for line in path.read_text("utf-8").splitlines()}
    page = (ROOT / "docs" / "results.md").read_text(encoding="utf-8").splitlines()
    quoted = [line for line in page if line.startswith("| ") and re.search(r"\| [+-]?\.\d\d", line)]
    assert len(quoted) > 40
    for line in quoted:
        assert line in written


FIGURE = go.Figure(go.Scatter(y=[1, 2]))


def test_the_picture_needs_a_browser(monkeypatch, tmp_path):
    asked, send = [], Target.send_command
    monkeypatch.setattr(Target, "send_command", lambda *said, **more: asked.append(said[1]) or send(*said, **more))
    pages, write = [], PageGenerator.generate_index
    monkeypatch.setattr(PageGenerator, "generate_index", lambda page: pages.append(write(page)) or pages[-1])
    files, missing = report.write(report.Report("x", "text\n", {"a": [1.5, None]}, FIGURE), tmp_path)
    if missing:
        pytest.skip(missing)
    assert files[-1].read_bytes().startswith(b"\x89PNG")
    assert asked.index("Page.enable") < asked.index("Page.navigate")  # else a load that is quick is never heard of
    assert "https:" not in pages[0]


def test_the_browser_of_a_picture_opens_with_no_page():
    try:
        browser = picture._browser()._browser_impl
    except ChromeNotFoundError as missing:
        pytest.skip(str(missing))
    browser.pre_open()
    assert browser.get_cli()[-1] == "about:blank"
    browser.clean()


@pytest.mark.skipif(sys.platform != "linux", reason="a browser that is a shell script, and /proc")
def test_a_browser_that_never_answers_costs_the_picture_and_nothing_else(monkeypatch, tmp_path):
    browser = tmp_path / "browser"
    browser.write_text("#!/bin/sh\nsleep 3600\n", encoding="utf-8")
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER_PATH", str(browser))
    monkeypatch.setattr(picture, "SECONDS", 1)
    files, missing = report.write(report.Report("x", "text\n", {"a": [1.5, None]}, FIGURE), tmp_path)
    assert [file.name for file in files] == ["x.md", "x.json", "x.html"] and all(file.stat().st_size for file in files)
    assert "x.png could not be drawn (its browser did not answer within 1 s): run the command again" in missing
    assert not (tmp_path / "x.png").exists()
    wait_for(lambda: not any(str(browser).encode() in line for line in command_lines()))


def command_lines():
    """Yield the command lines of this machine's processes."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            yield (process / "cmdline").read_bytes()
