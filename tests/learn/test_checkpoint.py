"""Checkpoints: a resumed training equals an uninterrupted one; writes are atomic; foreign files are refused."""

import io
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rcmviz as rv
from problems.learning import flat_model
from rcmviz.learn.checkpoint import digest
from rcmviz.learn.trainer import FitTrainer
from support.toy_trainings import DATA, HELD_OUT, WORDS, F, bits, each_kind, finish, numbers, recorded, settings_of

ROOT = Path(__file__).parents[2]


@each_kind
def test_a_resumed_training_is_the_uninterrupted_one(kind, tmp_path):
    """Stopped after every possible number of examples, also before the first, amid an epoch and at the end."""
    settings = settings_of(kind)
    singles = finish(rv.Trainer(DATA, settings, HELD_OUT), 1)
    assert [state.step for state, _ in singles] == list(range(1, 2 * WORDS + 1))
    for stop in range(2 * WORDS + 1):
        trainer = rv.Trainer(DATA, settings, HELD_OUT)
        while trainer.step < stop:
            trainer.advance(1)
        trainer.save(tmp_path / "run.npz")
        again = rv.Trainer.resume(tmp_path / "run.npz", DATA, HELD_OUT)
        assert again.step == stop and again.settings == settings and again.done == trainer.done
        assert bits(again) == bits(trainer)
        same = recorded(finish(again, 1)) == recorded(singles[stop:])
        assert same


@pytest.mark.parametrize("through", ["Trainer.resume", "train"])
def test_a_finished_training_continues_for_more_epochs(through, tmp_path):
    """It equals a training with that number of epochs, and keeps its ``info``."""
    path, longer = tmp_path / "run.npz", settings_of("rcms", epochs=3)
    list(rv.train(DATA, settings_of("rcms"), checkpoint=path, info={"note": "mine"}))
    if through == "train":
        (last,) = rv.train(DATA, longer, HELD_OUT, resume=path)
    else:
        trainer = rv.Trainer.resume(path, DATA, HELD_OUT, epochs=3)
        ((last, _),) = finish(trainer)
    *_, (state, _) = finish(rv.Trainer(DATA, longer, HELD_OUT))
    assert numbers(last) == numbers(state) and last.model.info["note"] == "mine"


def test_a_perceptron_resumes_from_a_checkpoint_with_squares(tmp_path):
    """Checkpoints of rcmviz 0.2 have squares, all zero."""
    settings = settings_of("exact", objective="perceptron", average=True, eta=0.2, l2=0.0)
    trainer, path = rv.Trainer(DATA, settings), tmp_path / "run.npz"
    trainer.advance(3)
    trainer.save(path)
    parts = dict(np.load(path))
    for name in ("windows", "emission"):
        parts[f"{name}_square"] = np.zeros_like(parts[f"{name}_weight"])
    np.savez(path, **parts)
    again = rv.Trainer.resume(path, DATA)
    assert bits(again) == bits(trainer)
    same = recorded(finish(again)) == recorded(finish(trainer))
    assert same


def test_a_fit_has_no_checkpoints(tmp_path):
    """A perceptron may count in whole numbers, which a checkpoint does not keep."""
    path = tmp_path / "run.npz"
    with pytest.raises(ValueError, match="rv.Trainer"):
        FitTrainer(DATA, settings_of("rcms", precision="f4")).save(path)
    assert not path.exists()
    with pytest.raises(ValueError, match="rv.Trainer.resume"):
        FitTrainer.resume(path, DATA)


def test_train_saves_a_checkpoint_at_every_state(tmp_path):
    path, settings = tmp_path / "run.npz", settings_of("beam")
    for state in rv.train(DATA, settings, every=3, checkpoint=path):
        again = rv.Trainer.resume(path, DATA)
        assert again.step == state.step
        np.testing.assert_array_equal(flat_model(again.model()), flat_model(state.model))
    assert state.step == 2 * WORDS and [file.name for file in tmp_path.iterdir()] == ["run.npz"]


@pytest.mark.parametrize("where", ["at the yield", "within a stretch"])
def test_ctrl_c_leaves_a_checkpoint_that_continues(where, tmp_path, monkeypatch):
    path, settings = tmp_path / "run.npz", settings_of("rcms")
    (*_, (_, uninterrupted)) = finish(rv.Trainer(DATA, settings))
    run = rv.train(DATA, settings, every=2, checkpoint=path)
    next(run), next(run)
    if where == "within a stretch":
        advance = rv.Trainer.advance

        def interrupted(trainer, examples=None):
            advance(trainer, examples)
            raise KeyboardInterrupt

        monkeypatch.setattr(rv.Trainer, "advance", interrupted)
    with pytest.raises(KeyboardInterrupt):
        next(run) if where == "within a stretch" else run.throw(KeyboardInterrupt)
    monkeypatch.undo()
    again = rv.Trainer.resume(path, DATA)
    assert again.step == (6 if where == "within a stretch" else 4)
    finish(again)
    assert bits(again) == uninterrupted


def test_a_write_that_fails_leaves_the_old_checkpoint(tmp_path, monkeypatch):
    path, trainer = tmp_path / "run.npz", rv.Trainer(DATA, settings_of("rcms"))
    trainer.advance(3)
    trainer.save(path)
    before = path.read_bytes()
    trainer.advance(1)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    for target in ("os.replace", "numpy.lib.format.write_array"):
        with monkeypatch.context() as broken, pytest.raises((OSError, ValueError), match="No space"):
            broken.setattr(target, full)
            trainer.save(path)
        assert path.read_bytes() == before and [file.name for file in tmp_path.iterdir()] == ["run.npz"]


def test_a_killed_process_leaves_a_checkpoint_that_loads(tmp_path):
    """The process writes after every example and is killed at any time."""
    script = (
        "import sys, rcmviz as rv\nfrom test_trainer import DATA, settings_of\n"
        "for _ in rv.train(DATA, settings_of('rcms', epochs=10000), every=1, checkpoint=sys.argv[1]): pass\n"
    )
    path = tmp_path / "run.npz"
    folders = ROOT, ROOT / "tests", ROOT / "tests" / "learn"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, folders))}
    process = subprocess.Popen([sys.executable, "-c", script, str(path)], env=environment)
    while not path.exists() and process.poll() is None:
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert 0 < rv.Trainer.resume(path, DATA).step < 10000 * WORDS


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """A good checkpoint, its bytes."""
    path = tmp_path_factory.mktemp("checkpoint") / "run.npz"
    trainer = rv.Trainer(DATA, settings_of("rcms"))
    trainer.advance(3)
    trainer.save(path)
    return path.read_bytes()


def archive(**arrays):
    """The bytes of an npz with these arrays."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


FOREIGN = {
    "empty": b"",
    "text": b"step,epoch\n1,0\n",
    "another npz": archive(x=np.zeros(3)),
    "pickled": archive(format=np.array([{"step": 1}], dtype=object)),
    "nothing but a name": archive(format="rcmviz/training"),
    "no weights": archive(format="rcmviz/training", version=1, data=digest(DATA), head="{}"),
    "a head that is not JSON": archive(format="rcmviz/training", version=1, data=digest(DATA), head="{"),
    "a later version": archive(format="rcmviz/training", version=99),
}


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_a_file_that_is_no_checkpoint_is_refused_by_name(content, tmp_path):
    path = tmp_path / "strange.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="strange.npz"):
        rv.Trainer.resume(path, DATA)
    with pytest.raises(ValueError, match="missing.npz"):
        rv.Trainer.resume(tmp_path / "missing.npz", DATA)
    with pytest.raises(ValueError, match=tmp_path.name):
        rv.Trainer.resume(tmp_path, DATA)


def test_a_model_file_is_no_checkpoint(tmp_path):
    rv.Trainer(DATA, settings_of("rcms")).advance().model.save(tmp_path / "model.npz")
    with pytest.raises(ValueError, match="model.npz.*resume"):
        rv.Trainer.resume(tmp_path / "model.npz", DATA)


def test_a_checkpoint_cut_short_or_with_a_changed_byte_is_refused_or_the_same(checkpoint, tmp_path):
    """Never another training, never another error; a byte that the zip reader does not look at changes nothing."""
    path, good = tmp_path / "broken.npz", checkpoint
    path.write_bytes(good)
    expected = bits(rv.Trainer.resume(path, DATA))
    step = max(1, len(good) // 60)
    flipped = [good[:k] + bytes([good[k] ^ 0x55]) + good[k + 1 :] for k in range(0, len(good), step)]
    for content in [good[:k] for k in range(1, len(good), step)] + flipped:
        path.write_bytes(content)
        try:
            assert bits(rv.Trainer.resume(path, DATA)) == expected
        except ValueError as error:
            assert "broken.npz" in str(error)


OTHER_DATA = {
    "fewer sequences": DATA.take(range(WORDS - 1)),
    "another order": DATA.take(range(WORDS)[::-1]),
    "other gold": replace(DATA, gold=(DATA.gold + 1) % 3),
    "other values": replace(DATA, value=DATA.value * 2),
    "other labels": replace(DATA, labels=tuple("xyz")),
    "more labels": replace(DATA, labels=tuple("abcd")),
    "more features": replace(DATA, F=F + 1),
}


@pytest.mark.parametrize("data", OTHER_DATA.values(), ids=OTHER_DATA)
def test_a_checkpoint_resumes_with_the_same_data_only(data, checkpoint, tmp_path):
    path = tmp_path / "run.npz"
    path.write_bytes(checkpoint)
    with pytest.raises(ValueError, match=r"run\.npz.*other data"):
        rv.Trainer.resume(path, data)
