"""Figure 4's runs and report on tiny data, and the command `align`."""

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from rcmviz.align.model import AlignModel
from rcmviz.align.settings import AlignTraining
from rcmviz.align.train import AlignTrainer
from rcmviz.cli import main
from rcmviz.experiments import figure4, speech_runs
from rcmviz.experiments.report import Plan
from rcmviz.jobs.alignments import aligner_of

SHORT = AlignTraining(order=1, budget=2, epochs=2)
FIVE = ("rcms", "model", "target", "hybrid", "forced")


@pytest.fixture(scope="module")
def results():
    """One seed of all five strategies, order 1, on our lexicon."""
    trainings = [replace(SHORT, strategy=name, initial_epochs=1) for name in FIVE]
    return [speech_runs.learn(speech_runs.spec_of(one, "lexicon", 3, figure4.TESTS)) for one in trainings]


def test_a_run_says_how_every_pass_was(results):
    for result in results:
        assert len(result["passes"]) == 2 and len(result["tests"]) == len(figure4.TESTS)
        assert result["steps"] == [100, 124, 224, 248] and result["size"] == [124, 42]
        assert json.loads(json.dumps(result)) == result
    by = dict(zip(FIVE, results, strict=True))
    assert [by[name]["passes"][0]["explained"] for name in ("rcms", "target", "hybrid", "forced")] == [124] * 4
    assert by["model"]["passes"][0]["explained"] < 30
    assert by["rcms"]["passes"][1]["error_rate"] < by["target"]["passes"][1]["error_rate"]


def test_a_run_is_the_same_again_and_holds_out_what_it_learns_from(results):
    again = speech_runs.learn(speech_runs.spec_of(SHORT, "lexicon", 3, figure4.TESTS))
    assert again["passes"] == results[0]["passes"]
    training, test = speech_runs.examples("lexicon", 0.25)
    whole, unseen = speech_runs.examples("lexicon")
    texts = [{part.text(w) for w in range(len(part))} for part in (training, test, whole, unseen)]
    assert texts[0] | texts[1] == texts[2] and not texts[0] & texts[1] and not texts[1] & texts[3]


def test_specs_share_nothing_that_decides_an_outcome():
    plan = Plan("cmudict", 2)
    specs = figure4.specs(plan)
    keys = [json.dumps(spec, sort_keys=True) for spec in specs]
    assert len(set(keys)) == len(keys)
    sources = [spec["source"] for spec in specs]
    assert {source: sources.count(source) for source in set(sources)}["utterances"] == 9
    assert all(spec["held_out"] in (0.0, 0.25) and speech_runs.effort(spec) > 0 for spec in specs)
    quick = {data: figure4.specs(Plan(data, 1, quick=True)) for data in ("lexicon", "cmudict")}  # requested sizes
    assert {data: {spec["source"] for spec in found} for data, found in quick.items()} == {
        "lexicon": {"lexicon"},
        "cmudict": {"words"},
    }


def test_the_report_of_a_quick_run(results):
    report = figure4.report(Plan("lexicon", 1), results)
    assert "| RCMS | 124, 124 of 124 |" in report.text and "our lexicon" in report.text
    assert len(report.document["rows"]) == 5 and len(report.figure.data) > 5


def test_the_full_report(results):
    plan = Plan("cmudict", 1)
    arms = [arm for chosen in figure4.arms(plan).values() for arm in chosen]
    by = dict(zip(FIVE, results, strict=True))
    report = figure4.report(plan, [by[arm.training.strategy] for arm in arms])
    for message in (
        "Semi-synthetic",
        "## What reproduces",
        "select by model finds",
        "forced decoding, better",
        "RCMS, better, 10 epochs",
        "contexts joined that no feature tells apart",
    ):
        assert message in report.text
    claims = [line for line in report.text.splitlines() if line.startswith(("| words:", "| utterances:"))]
    assert len(claims) == 12 and all("yes" in line or "**no**" in line for line in claims)


def test_cumulative_averages():
    answers = [{"steps": [100, 150], "lengths": [1.0, 4.0]}]
    steps, averages = figure4.cumulative(answers)
    np.testing.assert_allclose(averages, [1.0, 2.0])
    assert steps.tolist() == [100, 150]


def run(*arguments):
    return CliRunner().invoke(main.app, ["align", *arguments])


FAST = ("--order", "1", "--budget", "2", "--epochs", "1")


def test_the_command_spells_and_shows_the_alignment(tmp_path):
    result = run("phone", "N AY T", *FAST, "--save", str(tmp_path / "model.npz"))
    assert result.exit_code == 0 and "  F  OW  N\n" in result.stdout and "  N  AY  T\n" in result.stdout
    again = run("phone", "--model", str(tmp_path / "model.npz"), "--budget", "2", "--json")
    found = json.loads(again.stdout)["readings"][0]
    assert found["phones"] == ["F", "OW", "N"] and 0 < found["probability"] <= 1
    assert len(found["text"]) == found["moves"].count("D") + found["moves"].count("C")


def test_the_command_learns_from_a_file(tmp_path):
    path = tmp_path / "words.dict"
    path.write_text("\nno N OW\nso S OW\n\ngo G OW\nho HH OW\n")
    result = run("N OW", "--file", str(path), *FAST, "--json")
    assert result.exit_code == 0 and json.loads(result.stdout)["passes"][0]["explained"] == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["K QQ"], "QQ: not in ARPAbet"),
        (["qqzz"], "'qqzz' has no pronunciation"),
        (["--model", "none.npz"], "no such file"),
        (["--model", "x.npz", "--save", "y.npz"], "leave --source, --file and --save"),
        (["--file", "nothing.dict"], "cannot read"),
        (["--budget", "0"], "budget 0"),
        (["--order", "9"], "order 9"),
        (["--budget", "1000000000"], "less than or equal to 10000"),
        (["--save", "/dev/null"], "a device"),
        (["--file", "x.dict", "--source", "words"], "leave one of them out"),
    ],
)
def test_what_the_command_refuses(arguments, message):
    result = run(*arguments)
    assert result.exit_code != 0 and message in str(result.exception) + result.output


def test_ctrl_c_keeps_the_training_so_far(monkeypatch, tmp_path):
    advance, model = AlignTrainer.advance, tmp_path / "model.npz"

    def interrupted(self, examples=None):
        if self.step >= 150:
            raise KeyboardInterrupt
        return advance(self, examples)

    monkeypatch.setattr(AlignTrainer, "advance", interrupted)
    result = run("phone", *FAST[:-1], "9", "--save", str(model), "--json")
    assert result.exit_code == 0 and "stopped after 174 of 1,116 examples" in result.stderr
    assert len(json.loads(result.stdout)["passes"]) == 1 and len(json.loads(result.stdout)["readings"]) == 1
    assert AlignModel.load(model).info["training"]["step"] == 174


def test_a_full_disk_is_reported_and_results_are_printed(monkeypatch, tmp_path):
    def full(self, path):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(AlignModel, "save", full)
    result = run("N OW", *FAST, "--save", str(tmp_path / "model.npz"), "--json")
    assert result.exit_code == 2 and "No space left on device" in result.stderr
    assert json.loads(result.stdout)["readings"][0]["phones"] == ["N", "OW"]


def test_the_command_reads_with_the_contexts_that_were_learnt_with(tmp_path):
    saved = str(tmp_path / "model.npz")
    found = json.loads(run("picture", *FAST, "--order", "4", "--save", saved, "--json").stdout)["readings"][0]
    model, training = AlignModel.load(saved), AlignTraining(budget=2, order=4)
    best = aligner_of(model, training).forward(model.phone_numbers(found["phones"])).best()
    assert (found["text"], found["moves"]) == (best.text, best.moves)
    assert found["probability"] == pytest.approx(np.exp(best.log_prob), abs=1e-6)
