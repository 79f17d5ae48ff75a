"""The commands `rcmviz searn …`: learning to search on handwriting and on files, kept, continued, and its mistakes."""

import json

import numpy as np
import pytest
from test_cli_learn import SENTENCES, run

import rcmviz as rv
from rcmviz.cli.searn import SearchOptions
from rcmviz.searn.trainer import SearchTrainer


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder with a training file, a file of the same kind, and one without labels."""
    monkeypatch.chdir(tmp_path)
    text = "\n\n".join("\n".join(sentence) for sentence in SENTENCES * 4) + "\n"
    (tmp_path / "train.conll").write_text(text)
    (tmp_path / "dev.conll").write_text("a D\ncat N\n\ndog N\nlikes V\n")
    (tmp_path / "new.conll").write_text("the\ndog\nsees\n\ndog\n")
    return tmp_path


def test_the_defaults_are_those_of_the_settings():
    options, usual = SearchOptions().options(), rv.SearchTraining().to_dict()
    assert options | {"iterations": usual["iterations"]} == usual


def test_a_file_is_learnt_evaluated_and_labelled(folder):
    text = run("searn", "train", "train.conll", "--iterations", 2, "--held-out", "dev.conll", "--loss", "chunks")
    assert "policies.npz: 12 sequences, errors of the roll-ins 0.000, held-out accuracy 1.000" in text
    found = json.loads(run("searn", "evaluate", "dev.conll", "--json", "--prediction", "sample"))
    assert (found["labels"], found["whole"], found["chunk_f1"], found["mean_loss"]) == (1, 1, 1, 0)
    assert found["compounding"]["positions"][0] == 4
    assert "mean loss (chunks)" in run("searn", "evaluate", "dev.conll")
    assert run("searn", "predict", "new.conll") == "the D\ndog N\nsees V\n\ndog N\n"
    assert json.loads(run("searn", "predict", "new.conll", "--json"))["labels"][0] == ["D", "N", "V"]
    assert rv.SearchClassifier.load("policies.npz").predict([[{"1": "the"}]]) == [["D"]]


def test_handwriting_is_learnt_and_evaluated():
    document = json.loads(
        run("searn", "train", "--words", 60, "--algorithm", "lols", "--iterations", 2, "--beta", "adaptive", "--json")
    )
    assert document["settings"]["beta"] == "adaptive" and len(document["history"]) == 2
    assert "30 words, pen, grid 8x4" in run("searn", "evaluate", "--words", 30)


def test_a_training_resumes_from_its_checkpoint(monkeypatch):
    whole = json.loads(run("searn", "train", "train.conll", "--iterations", 3, "--json"))
    iterate = SearchTrainer.iterate

    def interrupted(trainer, report):
        if trainer.iteration == 1:
            raise KeyboardInterrupt
        return iterate(trainer, report)

    with monkeypatch.context() as patch:
        patch.setattr(SearchTrainer, "iterate", interrupted)
        run("searn", "train", "train.conll", "--iterations", 3, "--checkpoint", "run.npz")
    assert len(rv.SearchClassifier.load("policies.npz").history_) == 1
    again = json.loads(run("searn", "train", "train.conll", "--resume", "run.npz", "--iterations", 3, "--json"))
    for one, other in zip(whole["history"], again["history"], strict=True):
        assert one | {"seconds": 0} == other | {"seconds": 0}
    assert np.allclose(again["history"][-1]["mixture"], [0.343, 0.147, 0.21, 0.3])
    message = run("searn", "train", "train.conll", "--resume", "run.npz", "--iterations", 3, code=2)
    assert "all 3 iterations are over; ask for more with --iterations" in message


MISTAKES = {
    "beta 2.0: a number above 0 and up to 1": ["searn", "train", "train.conll", "--beta", 2],
    "beta 'much': a number above 0": ["searn", "train", "train.conll", "--beta", "much"],
    "policies.npz: no such file; rcmviz searn train writes one": ["searn", "predict", "new.conll"],
    "a file of policies is an .npz file": ["searn", "train", "train.conll", "--out", "x.bin"],
    "--words is for handwriting": ["searn", "train", "train.conll", "--words", 50],
}


@pytest.mark.parametrize("message", MISTAKES)
def test_mistakes_are_answered_in_one_line(message):
    assert message in run(*MISTAKES[message], code=2)


def test_policies_and_models_are_not_mixed_up():
    run("train", "train.conll", "--order", 1, "--epochs", 1)
    assert "not a file of learning to search" in run("searn", "predict", "new.conll", "--model", "model.npz", code=2)
    run("searn", "train", "--words", 60, "--iterations", 1)
    assert "did not learn from a file" in run("searn", "predict", "new.conll", code=2)
