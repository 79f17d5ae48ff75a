"""The commands that learn: on handwriting and on files, kept, continued, and each mistake in one line."""

import csv
import json
import os
from dataclasses import asdict

import numpy as np
import pytest
from typer.testing import CliRunner

import rcmviz as rv
from rcmviz.cli import main
from rcmviz.cli.learn_options import TrainingOptions
from rcmviz.evaluation.disagreements import as_records
from rcmviz.learn import trainer as trainers
from rcmviz.learn.settings import Training
from rcmviz.tasks.handwriting.letter_data import word_sequences
from rcmviz.tasks.handwriting.pen import pen_words
from rcmviz.tasks.handwriting.problems import problem_from_word

SENTENCES = [("the D", "cat N", "sees V"), ("a D", "dog N"), ("dog N", "likes V", "the D", "fish N")]
SMALL = ["--order", 1, "--budget", 3, "--epochs", 4]


def run(*arguments, code=0):
    result = CliRunner().invoke(main.app, [str(part) for part in arguments], env={"COLUMNS": "120", "NO_COLOR": "1"})
    assert result.exit_code == code, result.output + str(result.exception)
    return result.stdout if code == 0 else result.stderr


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder with a training file, a file of the same kind, and one without labels."""
    monkeypatch.chdir(tmp_path)
    text = "\n\n".join("\n".join(sentence) for sentence in SENTENCES * 8) + "\n"
    (tmp_path / "train.conll").write_text(text)
    (tmp_path / "dev.conll").write_text("a D\ncat N\n\nfish N\nsees V\n")
    (tmp_path / "new.conll").write_text("the\ndog\nsees\n\nfish\n")
    return tmp_path


def test_the_defaults_are_those_of_a_training():
    options, usual = TrainingOptions().options(), asdict(Training())
    assert options == {name: usual[name] for name in options}
    assert set(usual) - set(options) == {"method", "budget", "order", "seed", "epochs"}


def test_handwriting_is_trained_and_evaluated(folder):
    path = folder / "small.npz"
    options = ["--data", "pen", "--words", 60, "--epochs", 2, "--budget", 4, "--seed", 3, "--average", "--no-shuffle"]
    assert "54 words, log likelihood per word" in run("train", "handwriting", *options, "--out", path)
    info = rv.load_model(path).info
    assert info["command"] == (
        "rcmviz train handwriting --data pen --grid 8x4 --order 3 --budget 4 --epochs 2 --seed 3 --words 60"
        " --average --no-shuffle"
    )
    assert (info["name"], info["words"], info["test_fold"], info["training"]["budget"]) == ("small", 54, 1, 4)
    options = ["--data", "pen", "--words", 30, "--methods", "rcms:4,beam:4", "--model", path]
    document = json.loads(run("evaluate", "handwriting", *options, "--json"))
    assert [row["name"] for row in document["scores"]] == ["RCMS 4", "beam 4"]
    assert all(row["sequences"] == 30 for row in document["scores"])
    text = run("evaluate", "handwriting", *options)
    assert "30 words by the pen; model small" in text
    assert f"{document['scores'][0]['accuracy']:.3f}±" in text


def test_a_scheme_is_kept_by_the_model_and_by_its_checkpoint(folder):
    (folder / "bio.conll").write_text("of O\nthe B-X\ndog I-X\n\n" * 3)
    (folder / "hard.conll").write_text("of\ndog\n")
    how = ["train", "bio.conll", "--order", 1, "--plain", "--epochs"]
    run(*how, 29, "--checkpoint", "run.npz")
    assert run("predict", "hard.conll", "--model", "model.npz") == "of O\ndog I-X\n"
    run(*how, 30, "--resume", "run.npz", "--forbidden", "IOB2")
    assert rv.SequenceClassifier.load("model.npz").forbidden == "bio"
    assert run("predict", "hard.conll", "--model", "model.npz") == "of O\ndog B-X\n"
    noted = CliRunner().invoke(main.app, ["evaluate", "bio.conll", "--model", "model.npz"]).stderr
    assert "note: model.npz: forbidden='bio' holds for rcmviz predict" in noted
    run(*how, 31, "--resume", "run.npz")
    assert rv.SequenceClassifier.load("model.npz").forbidden == "bio"


def test_the_trained_model_is_the_library_s(folder):
    run("train", "train.conll", *SMALL, "--method", "beam", "--lost-gold", "early")
    file = rv.read_sequences("train.conll")
    classifier = rv.SequenceClassifier("beam", 3, 1, lost_gold="early", average=False, epochs=4).fit(file.X, file.y)
    loaded = rv.SequenceClassifier.load("model.npz")
    document = json.loads(run("train", "train.conll", *SMALL, "--method", "beam", "--lost-gold", "early", "--json"))
    for entry, expected in zip(document["history"], classifier.history_, strict=True):
        for name in ("step", "log_likelihood", "gradient_norm", "mean_length", "lost"):
            assert entry[name] == pytest.approx(expected[name])
    np.testing.assert_array_equal(loaded.model_.weights, classifier.model_.weights)
    np.testing.assert_array_equal(loaded.model_.emission, classifier.model_.emission)
    assert loaded.get_params() == classifier.get_params()


def test_a_perceptron_is_trained_kept_and_gone_on_with(folder):
    how = ["train.conll", *SMALL, "--method", "beam", "--objective", "perceptron", "--average"]
    text = run("train", *how, "--update", "early", "--mira", 0.5, "--checkpoint", "run.npz")
    assert "gold less prediction per sequence" in text
    file, settings = rv.read_sequences("train.conll"), {"objective": "perceptron", "update": "early", "mira": 0.5}
    classifier = rv.SequenceClassifier("beam", 3, 1, average=True, epochs=4, **settings).fit(file.X, file.y)
    loaded = rv.SequenceClassifier.load("model.npz")
    np.testing.assert_array_equal(loaded.model_.emission, classifier.model_.emission)
    assert loaded.get_params() == classifier.get_params()
    longer = run("train", "train.conll", "--resume", "run.npz", "--epochs", 5, "--json")
    assert json.loads(longer)["settings"]["update"] == "early"
    for options, message in (
        (["--update", "early"], "with exact no gold falls off"),
        (["--eta", 0.5], "objective 'perceptron'"),
    ):
        how = ["train.conll", "--method", "exact", "--objective", "perceptron", *options]
        assert message in run("train", *how, code=2)


def test_a_file_is_learnt_evaluated_and_labelled(folder):
    document = json.loads(run("train", "train.conll", *SMALL, "--held-out", "dev.conll", "--json"))
    assert [entry["epoch"] for entry in document["history"]] == [1, 2, 3, 4]
    assert document["history"][-1]["accuracy"] == 1.0 and document["settings"]["epochs"] == 4
    text = run("evaluate", "dev.conll", "--model", "model.npz")
    assert "2 sequences, 4 labels of dev.conll; model model.npz" in text and "RCMS 3" in text
    rows = json.loads(run("evaluate", "dev.conll", "--model", "model.npz", "--methods", "beam:2,exact", "--json"))
    assert [(row["name"], row["accuracy"]) for row in rows["scores"]] == [("beam 2", 1.0), ("exact", 1.0)]
    assert run("predict", "new.conll", "--model", "model.npz") == "the D\ndog N\nsees V\n\nfish N\n"
    assert "2 sequences, mean confidence" in run(
        "predict", "new.conll", "--model", "model.npz", "--confidence", "--out", "out.conll"
    )
    file, classifier = rv.read_sequences("out.conll"), rv.SequenceClassifier.load("model.npz")
    labels, confidence = classifier.predict_with_confidence(rv.read_sequences("new.conll", like=file).X)
    assert file.y == labels
    sure = [line for line in (folder / "out.conll").read_text().splitlines() if line.startswith("#")]
    assert sure == [f"# confidence = {value:.6f}" for value in confidence]
    printed = json.loads(run("predict", "new.conll", "--model", "model.npz", "--budget", 1, "--json"))
    assert printed["labels"] == labels and len(printed["confidence"]) == 2


def test_a_csv_with_numbers(folder):
    rows = "".join(f"s{k},{value},{'high' if value > 0 else 'low'}\n" for k in range(9) for value in (k - 4.5, 4.5 - k))
    (folder / "train.csv").write_text("sequence,level,label\n" + rows)
    (folder / "new.csv").write_text("level;sequence\n3;a\n-3;a\n")
    run("train", "train.csv", *SMALL)
    found = list(csv.DictReader(run("predict", "new.csv", "--model", "model.npz").splitlines(), delimiter=";"))
    assert [row["predicted"] for row in found] == ["high", "low"] and found[0]["level"] == "3"


def test_labels_seen_only_in_a_test_are_named_and_wrong(folder):
    run("train", "train.conll", *SMALL)
    (folder / "dev.conll").write_text("a D\n\nfish FISH\n")
    result = CliRunner().invoke(main.app, ["evaluate", "dev.conll", "--model", "model.npz", "--json"])
    assert "training has not seen 'FISH'; such labels count as wrong" in result.stderr
    assert json.loads(result.stdout)["scores"][0]["accuracy"] == 0.5


def test_one_label_is_learnt_with_a_note(folder):
    (folder / "one.conll").write_text("a D\nb D\n")
    result = CliRunner().invoke(main.app, ["train", "one.conll", "--epochs", "1"])
    assert result.exit_code == 0 and "one label only, 'D', which will be the answer everywhere" in result.stderr


def test_a_column_that_is_far_too_large_is_learnt_with_a_note(folder):
    (folder / "times.csv").write_text("sequence,time,label\n1,1700000000,D\n1,1700000060,N\n")
    result = CliRunner().invoke(main.app, ["train", "times.csv", "--epochs", "1"], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    assert "times.csv: feature 'time' is as large as 1,700,000,060" in result.stderr


# interrupting and resuming


def interrupt_after(steps, monkeypatch):
    """Interrupt a training after ``steps`` examples, as Ctrl-C does."""
    advance = trainers.Trainer.advance

    def limited(trainer, examples=None):
        if trainer.step >= steps:
            raise KeyboardInterrupt
        return advance(trainer, examples)

    monkeypatch.setattr(trainers.Trainer, "advance", limited)


def test_ctrl_c_keeps_the_model_and_resume_ends_as_if_nothing_had_been(monkeypatch):
    run("train", "train.conll", *SMALL, "--out", "whole.npz")
    with monkeypatch.context() as pressed:
        interrupt_after(37, pressed)
        result = CliRunner().invoke(
            main.app, ["train", "train.conll", *map(str, SMALL), "--checkpoint", "run.npz"], env={"COLUMNS": "200"}
        )
    assert result.exit_code == 0 and "stopped after 37 of 96 steps, the model is kept" in result.stderr
    assert "--resume run.npz continues" in result.stderr
    stopped = rv.load_model("model.npz")
    assert stopped.info["stopped"] and stopped.info["training"]["step"] == 37
    run("train", "train.conll", "--resume", "run.npz")
    resumed, whole = rv.load_model("model.npz"), rv.load_model("whole.npz")
    np.testing.assert_array_equal(resumed.weights, whole.weights)
    np.testing.assert_array_equal(resumed.emission, whole.emission)
    assert resumed.info == whole.info | {"name": resumed.info["name"]}


def test_more_epochs_can_be_asked_for():
    run("train", "train.conll", *SMALL, "--checkpoint", "run.npz")
    text = run("train", "train.conll", "--resume", "run.npz", code=2)
    assert "run.npz: all 4 epochs are over; ask for more with --epochs" in text
    text = run("train", "train.conll", "--resume", "run.npz", "--epochs", 6, "--eta", 0.3, code=2)
    assert "run.npz: trained with eta 0.2, not 0.3; leave --eta out" in text
    document = json.loads(run("train", "train.conll", "--resume", "run.npz", "--epochs", 6, "--json"))
    assert [entry["epoch"] for entry in document["history"]] == [5, 6]


def test_json_has_no_nan():
    def refuse(constant):
        raise AssertionError(constant)

    document = json.loads(run("train", "train.conll", *SMALL, "--json"), parse_constant=refuse)
    assert document["history"][-1]["accuracy"] is None and document["history"][-1]["log_likelihood"] < 0


def test_a_folder_that_takes_no_files_is_named_before_the_training(monkeypatch):
    def full(**_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rcmviz.cli.files.TemporaryFile", full)
    monkeypatch.setattr(trainers.Trainer, "advance", None)
    text = run("train", "train.conll", *SMALL, code=2)
    assert "model.npz: its folder cannot be written to (No space left on device)" in text


def test_ctrl_c_before_anything_is_learnt_writes_nothing(folder, monkeypatch):
    interrupt_after(0, monkeypatch)
    run("train", "train.conll", *SMALL, code=130)
    assert not (folder / "model.npz").exists()


# sweeps


def test_a_sweep_prints_a_table_json_or_csv(folder):
    options = ["sweep", "train.conll", "--methods", "rcms,exact", "--budgets", "2,3", "--orders", 1, "--seeds", 2]
    options += ["--epochs", 2, "--test", "dev.conll", "--out", "cells.jsonl"]
    text = run(*options)
    assert [line.split()[:2] for line in text.splitlines()[2:]] == [["rcms", "2"], ["rcms", "3"], ["exact", "1"]]
    rows = json.loads(run(*options, "--json"))
    trained = [(row["method"], row["budget"], row["runs"]) for row in rows]
    assert trained == [("rcms", 2, 2), ("rcms", 3, 2), ("exact", 2, 2)]
    mean, deviation = rows[0]["accuracy"]
    assert f"{mean:.3f}".removeprefix("0") + "±" + f"{deviation:.3f}".removeprefix("0") in text
    (first, *_) = csv.DictReader(run(*options, "--csv").splitlines())
    assert (float(first["accuracy"]), float(first["accuracy_sd"])) == (mean, deviation)
    assert len((folder / "cells.jsonl").read_text().splitlines()) == 6


def test_a_sweep_names_what_failed_and_keeps_the_rest():
    options = ["sweep", "train.conll", "--methods", "rcms,exact", "--budgets", "2", "--seeds", "1", "--epochs", "1"]
    result = CliRunner().invoke(main.app, [*options, "--orders", "20"], env={"COLUMNS": "200"})
    assert result.exit_code == 1
    assert "exact 2, order 20: 1 of 1 failed, first by ValueError: exact training" in result.stderr
    assert result.stdout.splitlines()[2].startswith("rcms 2")


MISTAKES = {
    "task": (["evaluate", "speech"], "there is no task or file 'speech'; write handwriting, or the path of a CoNLL"),
    "no file": (["train", "none.conll"], "none.conll: No such file or directory"),
    "ending": (["train", "--out", "x.pkl"], "x.pkl: a model is an .npz file"),
    "folder": (["train", "--out", "missing/x.npz"], "missing/x.npz: there is no folder missing"),
    "a folder as model": (["train", "--out", "folder.npz"], "folder.npz: a folder; give the path of a file"),
    "folder of a checkpoint": (["train", "--checkpoint", "missing/x.npz"], "missing/x.npz: there is no folder missing"),
    "folder of answers": (
        ["predict", "new.conll", "--model", "model.npz", "--out", "missing/x"],
        "missing/x: there is no folder missing",
    ),
    "checkpoint": (["train", "--checkpoint", "x.txt"], "x.txt: a checkpoint is an .npz file"),
    "held out": (["train", "--held-out", "dev.conll"], "handwriting: --held-out is for a file; leave it out"),
    "label of handwriting": (["sweep", "--label", "1"], "handwriting: --label is for a file; leave it out"),
    "pen and file": (["train", "train.conll", "--data", "pen"], "train.conll: --data is for handwriting; leave it out"),
    "writer and file": (["evaluate", "dev.conll", "--seed", 1], "dev.conll: --seed is for handwriting; leave it out"),
    "not a checkpoint": (["train", "train.conll", "--resume", "none.npz"], "none.npz: no such file"),
    "budget": (["train", "train.conll", "--budget", "0"], "budget 0"),
    "eta": (["train", "train.conll", "--eta", "nan"], "eta nan: a positive number"),
    "passes of a beam": (["train", "train.conll", "--method", "beam", "--passes", "2"], "passes 2: only rcms ranks"),
    "label column": (["train", "train.conll", "--label", "7"], "train.conll: no column '7'; there are 1, 2; name it"),
    "limit": (["predict", "large.conll", "--model", "model.npz", "--max-mb", "1"], "large.conll: 1.2 MB, at most 1 MB"),
    "shipped model": (["predict", "new.conll", "--model", "shipped.npz"], "shipped.npz: a model without feature names"),
    "python model": (["evaluate", "dev.conll", "--model", "python.npz"], "python.npz: trained in Python and not on"),
    "no labels": (["evaluate", "new.conll", "--model", "model.npz"], "new.conll: no column of labels to compare with"),
    "forbidden pair": (
        ["train", "iob1.conll", "--forbidden", "bio"],
        "iob1.conll, line 4: 'I-X' begins the sequence, which forbidden='bio' excludes, as in 2 places of the training",
    ),
    "other labels": (
        ["train", "train.conll", "--forbidden", "bio"],
        "train.conll: forbidden 'bio': no label is of this",
    ),
    "scheme": (["train", "iob1.conll", "--forbidden", "iob"], "--forbidden iob: choose bio, iob1, bioes or bilou"),
    "too many labels": (["train", "many.conll"], "many.conll: 5,001 labels: a training takes up to 5,000"),
    "sweep latin": (["sweep", "latin.conll"], "latin.conll, line 1: byte 0xe9 (offset 3)"),
    "sweep few": (
        ["sweep", "few.conll"],
        "few.conll: too few sequences (1) to keep every tenth from 5 on; name a file",
    ),
    "budget of predict": (
        ["predict", "new.conll", "--model", "model.npz", "--budget", "0"],
        "error: budget 0: a budget is",
    ),
    "sweep methods": (["sweep", "train.conll", "--methods", "ars"], "--methods: 'ars'"),
    "sweep budgets": (["sweep", "train.conll", "--budgets", "5,x"], "--budgets 5,x: write whole numbers with commas"),
    "sweep backend": (["sweep", "train.conll", "--backend", "nowhere"], "backend 'nowhere'"),
}


@pytest.mark.parametrize(("arguments", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_ends_in_one_line(arguments, message, folder):
    if "model.npz" in arguments:
        run("train", "train.conll", "--order", 1, "--epochs", 1)
    (folder / "folder.npz").mkdir()
    (folder / "large.conll").write_text("word\n" * 240_000)
    (folder / "iob1.conll").write_text("a O\nb O\n\nc I-X\nd O\ne I-X\n")
    (folder / "latin.conll").write_bytes(b"caf\xe9 D\n")
    (folder / "few.conll").write_text("a A\nb B\n")
    (folder / "many.conll").write_text("".join(f"a {k}\n" for k in range(5001)))
    if "shipped.npz" in arguments:
        rv.load_model("handwriting-pen").save("shipped.npz")
    if "python.npz" in arguments:
        rv.SequenceClassifier(order=1, epochs=1).fit([[{"x": 1}, {"y": 1}]], ["pq"]).save("python.npz")
    text = run(*arguments, code=2)
    assert message in text.strip().splitlines()[-1] and "Traceback" not in text


def test_mistakes_are_judged(folder):
    """The counts, the mistakes and the smallest budgets are the library's."""
    options = ["--data", "pen", "--words", 10, "--methods", "rcms:2,beam:2,exact", "--most-budgets", 12]
    document = json.loads(run("evaluate", "handwriting", *options, "--verdicts", "--json"))
    model = rv.load_model("handwriting-pen")
    words = pen_words(10, 1)
    for row, kind, score in zip(document["verdicts"], ("rcms", "beam", "exact"), document["scores"], strict=True):
        assert sum(row["verdicts"].values()) == row["sequences"] == 10
        assert row["verdicts"]["right"] == round(10 * score["accuracy"])
        assert len(row["mistakes"]) == 10 - row["verdicts"]["right"]
        for mistake in row["mistakes"]:
            problem = problem_from_word(model, words[mistake["number"]], "handwriting-pen")
            found = rv.blame(model, problem.log_emit, problem.run(kind, 2)[0], problem.gold)
            assert (mistake["verdict"], mistake["position"]) == (found.verdict, found.position)
            if found.verdict == "search error":
                strip = rv.budget_strip(model, problem.log_emit, problem.gold, kind, most=12)
                assert mistake["smallest_budget"] == strip.smallest
    assert document["verdicts"][2]["verdicts"]["search error"] == 0
    assert document["verdicts"][1]["verdicts"]["search error"] > 0


def test_disagreements_are_listed(folder):
    """Of handwriting, of a labelled file and of a list of problems: what the library's table says."""
    options = ["handwriting", "--data", "pen", "--words", 10, "--methods", "rcms:2,exact"]
    document = json.loads(run("disagree", *options, "--json"))
    data = word_sequences(pen_words(10, 1))
    table = rv.disagreements(data, rv.load_model("handwriting-pen"), ("rcms:2", "exact"))
    assert document["rows"] == as_records(table)
    assert (document["examples"], document["sentence"]) == (10, "RCMS 2 and Exact answer differently.")
    assert f"{len(table)} of 10 examples" in run("disagree", *options)
    run("train", "train.conll", *SMALL)
    file = ["dev.conll", "--model", "model.npz", "--methods", "rcms:1,exact", "--show", "all", "--json"]
    assert len(json.loads(run("disagree", *file))["rows"]) == 2
    problem = problem_from_word(rv.load_model("handwriting-pen"), pen_words(1, 1)[0], "handwriting-pen").to_json()
    (folder / "problems.json").write_text(f"[{problem}, {problem}]")
    assert len(json.loads(run("disagree", "problems.json", "--show", "all", "--json"))["rows"]) == 2
    (folder / "problems.json").write_text(f"[{problem}, 1]")
    assert "problem 2: start: a problem is one JSON object" in run("disagree", "problems.json", code=2)


def test_a_gold_label_that_the_model_does_not_know_is_the_model_s_error(folder):
    run("train", "train.conll", *SMALL)
    (folder / "other.conll").write_text("a D\ncat X\n")
    (row,) = json.loads(run("evaluate", "other.conll", "--model", "model.npz", "--verdicts", "--json"))["verdicts"]
    (mistake,) = row["mistakes"]
    assert (mistake["verdict"], mistake["gold"], mistake["gold_score"]) == ("model error", ["D", None], None)
    assert "D?" in run("evaluate", "other.conll", "--model", "model.npz", "--verdicts")


def test_standard_input_and_output_are_files_too(folder):
    runner, text = CliRunner(), (folder / "train.conll").read_text()
    trained = runner.invoke(main.app, ["--quiet", "train", "-", *map(str, SMALL), "--method", "exact"], input=text)
    assert trained.exit_code == 0, trained.output
    arguments = ["predict", "-", "--model", "model.npz", "--out", "-"]
    result = runner.invoke(main.app, arguments, input=(folder / "new.conll").read_text())
    assert result.stdout == run("predict", "new.conll", "--model", "model.npz")
    wrong = runner.invoke(main.app, arguments, input="a b c d\n")
    assert wrong.exit_code == 2 and "standard input: 4 columns, training had 2" in wrong.stderr


def test_answers_need_a_model():
    assert "Missing option '--model'" in run("predict", "new.conll", code=2)


def test_quiet_leaves_notes_out(folder, monkeypatch):
    monkeypatch.setenv("RCMVIZ_QUIET", "")
    (folder / "one.conll").write_text("a D\n")
    arguments = ["train", "one.conll", *map(str, SMALL), "--method", "exact"]
    loud, quiet = (CliRunner().invoke(main.app, [*more, *arguments]) for more in ([], ["--quiet"]))
    assert "note: one.conll: one label only" in loud.stderr and not quiet.stderr
    assert os.environ["RCMVIZ_QUIET"] == "", "it holds for one command"
