"""Files written by versions 0.1 and 0.2 open with the same content.

``tests/fixtures/saved-0.1/README.md`` and ``saved-0.2/README.md`` describe the files; the numbers of ``expected.json``
are those of the old code.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.align.infer import Aligner
from rcmviz.align.model import AlignModel
from rcmviz.experiments.cells import run_cells
from rcmviz.experiments.sweep import grid, handwriting_data
from rcmviz.tasks.tagging.tagger import Tagger

DATA = Path(__file__).parents[1] / "fixtures"
FIRST, SECOND = DATA / "saved-0.1", DATA / "saved-0.2"
EXPECTED = {folder: json.loads((folder / "expected.json").read_text(encoding="utf-8")) for folder in (FIRST, SECOND)}
FEATURES = np.array([[1, 0], [0, 1], [1, 1], [0.5, 0], [0, 2.5]])
WORDS = ["abcab", "cabca", "bca", "abc", "cab", "abcabc"]


def saved(pattern):
    """A test for every file of either version that is named so."""
    files = sorted(DATA.glob(f"saved-*/{pattern}"))
    assert files
    return pytest.mark.parametrize("file", files, ids=lambda file: f"{file.parent.name}-{file.name}")


def then(file):
    return EXPECTED[file.parent][file.name]


def check(lattice, expected):
    """Compare a lattice's answers with those of the old code."""
    joint = " " if " " in expected["best"] else ""
    assert rv.log_z(lattice) == pytest.approx(expected["log_z"], rel=1e-9)
    assert rv.entropy(lattice) == pytest.approx(expected["entropy"], rel=1e-9)
    assert joint.join(rv.viterbi(lattice).labels) == expected["best"]
    found = {joint.join(path.labels): path.log_prob for path in rv.kbest(lattice, len(expected["kbest"]))}
    assert found == pytest.approx(dict(expected["kbest"]), rel=1e-9)
    if "mass" in expected:
        assert rv.mass(lattice, "?b*") == pytest.approx(expected["mass"], rel=1e-9)


def words():
    """Return the training data of the checkpoints."""
    rows = [
        [[((7 * w + 3 * t + 5 * f + "abc".index(y) * (f + 1)) % 4) / 2 for f in range(4)] for t, y in enumerate(word)]
        for w, word in enumerate(WORDS)
    ]
    return rv.Sequences.from_arrays(rows, WORDS, "abc")


@saved("model-[as]*.npz")
def test_models(file):
    model = rv.NgramModel.load(file)
    assert model.info == {"made": "by hand"}
    assert model.is_dense == ("dense" in file.name) and model.additive == ("additive" in file.name)
    check(rv.rcms(model, model.log_emit(FEATURES), budget=3)[0], then(file))


def test_a_model_that_was_trained():
    model = rv.NgramModel.load(SECOND / "model-trained.npz")
    assert rv.Training.from_dict({k: v for k, v in model.info["training"].items() if k != "step"}).passes == 2
    emissions = words().log_emits(model.emission)[0]
    check(rv.rcms(model, emissions, budget=3)[0], EXPECTED[SECOND]["model-trained.npz"])


@saved("*lattice*.json")
def test_lattices(file):
    lattice = rv.read_lattice(file)
    assert lattice.to_json() == file.read_text(encoding="utf-8")
    check(lattice, then(file))


@saved("*trace-*.json")
def test_traces(file):
    lattice, trace = rv.read_trace(file)
    assert trace.to_json() == file.read_text(encoding="utf-8")
    check(lattice, then(file))
    if "fates" in then(file):
        assert [trace.fate(i).tolist() for i in range(1, lattice.T)] == then(file)["fates"]


@saved("problem.*")
def test_problems(file):
    problem = rv.read_problem(file)
    assert problem.gold == tuple("abcaa")
    for method, expected in then(file).items():
        check(problem.run(method, 2)[0], expected)
    if file.suffix == ".json":
        assert problem.to_json() == file.read_text(encoding="utf-8")


@saved("training-*.npz")
def test_checkpoints_resume(file, tmp_path):
    trainer, expected = rv.Trainer.resume(file, words()), then(file)
    assert trainer.settings.to_dict() == expected["settings"] and trainer.info == {"made": "by hand"}
    trainer.save(tmp_path / "again.npz")
    with np.load(file) as old, np.load(tmp_path / "again.npz") as new:
        assert sorted(old) == sorted(new)
        for name in old:
            np.testing.assert_array_equal(old[name], new[name], strict=True)
    while not trainer.done:
        state = trainer.advance()
    model = trainer.model("f8")
    weights = [np.abs(model.weights).sum(), model.emission.sum(), model.root_weight]
    assert weights == pytest.approx(expected["weights"], rel=1e-9)
    assert state.log_likelihood == pytest.approx(expected["log_likelihood"], rel=1e-9)
    lattices = [rv.rcms(model, emissions, budget=3)[0] for emissions in words().log_emits(model.emission)]
    assert ["".join(rv.viterbi(lattice).labels) for lattice in lattices] == expected["labels"]


def test_a_classifier():
    expected = EXPECTED[SECOND]["classifier.npz"]
    classifier = rv.SequenceClassifier.load(SECOND / "classifier.npz")
    labels, confidence = classifier.predict_with_confidence(expected["X"])
    assert [list(one) for one in labels] == expected["labels"]
    assert confidence == pytest.approx(expected["confidence"], rel=1e-5)


@pytest.mark.parametrize("kind", ["conll", "csv"])
def test_predictions_and_the_models_that_made_them(kind):
    classifier = rv.SequenceClassifier.load(SECOND / f"model-of-{kind}.npz")
    file = rv.read_sequences(SECOND / f"sentences.{kind}")
    labels, confidence = classifier.predict_with_confidence(file.X)
    assert file.with_labels(labels, confidence) == (SECOND / f"predicted.{kind}").read_text(encoding="utf-8")
    assert len(rv.read_sequences(SECOND / f"predicted.{kind}")) == len(file)


def test_a_sweep_resumes(tmp_path):
    shutil.copy(SECOND / "sweep.jsonl", tmp_path)
    specs = grid(handwriting_data("pen", words=50), ["rcms", "beam"], [2], orders=[1], seeds=2, epochs=1)
    found = run_cells(json.dumps, specs, store=tmp_path / "sweep.jsonl")  # no cell of theirs is run again
    assert found == EXPECTED[SECOND]["sweep.jsonl"]


@pytest.mark.parametrize("smoothing", ["kneser-ney", "witten-bell", "absolute"])
def test_language_models(smoothing):
    expected = EXPECTED[SECOND][f"lm-{smoothing}"]
    saved_one, written_one = (
        rv.LanguageModel.load(SECOND / f"lm-{smoothing}.npz"),
        rv.read_arpa(SECOND / f"lm-{smoothing}.arpa"),
    )
    assert list(saved_one.vocabulary) == expected["vocabulary"]
    assert saved_one.perplexity([expected["text"]]) == pytest.approx(expected["perplexity"], rel=1e-9)
    assert written_one.perplexity([expected["text"]]) == pytest.approx(expected["perplexity"], rel=1e-5)


@saved("align-*.npz")
def test_alignment_models(file):
    model, expected = AlignModel.load(file), then(file)
    assert [list(model.letters), list(model.phones), len(model.address)] == [
        expected["letters"],
        expected["phones"],
        expected["rows"],
    ]
    best = Aligner(model, budget=3).forward(model.phone_numbers(["S", "UH", "N"])).best()
    assert [best.text, best.moves] == [expected["text"], expected["moves"]]
    assert best.log_prob == pytest.approx(expected["log_prob"], rel=1e-6)


def test_a_tagger():
    tagger, expected = Tagger.load(SECOND / "tagger.npz"), EXPECTED[SECOND]["tagger.npz"]
    found = tagger.tag(expected["words"])
    assert tagger.info == {"made": "by hand"}
    assert [list(found.tags), list(found.known)] == [expected["tags"], expected["known"]]
    assert found.log_score == pytest.approx(expected["log_score"], rel=1e-9)
