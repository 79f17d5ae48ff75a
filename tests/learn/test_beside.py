"""What decodes is compiled by a process beside a first fit, and nothing depends on it."""

import json
import os
import subprocess
import sys
from dataclasses import asdict

import joblib
import numba
import numpy as np
import pytest

from rcmviz.core import batch
from rcmviz.core.methods import TRAINABLE
from rcmviz.kernels.notice import NOTICE
from rcmviz.kernels.on_disk import OnDisk
from rcmviz.learn import beside, decoding
from rcmviz.learn.classifier import SequenceClassifier
from rcmviz.learn.decoding import Decoding

X, Y = [[{"a": "b"}, {"c": 2.0}] * 4, [{"a": "d"}]], [["p", "q"] * 4, ["p"]]
MANY = [[{"a": "b"}] * 40, [{"a": "d"}]], [[f"label {i}" for i in range(40)], ["label 0"]]
NEEDED = Decoding("rcms", 10, 1, 2)

has_shell = pytest.mark.skipif(not os.path.exists("/bin/sh"), reason="this system has no shell")


@pytest.fixture
def calls(monkeypatch):
    """What the kernels that decode are called with: which one, and the types of its arguments."""
    seen, run = [], batch.run_threads

    def noted(kernel, threads, *call):
        seen.append((kernel.__name__, tuple(map(numba.typeof, call))))
        return run(kernel, threads, *call)

    monkeypatch.setattr(batch, "run_threads", noted)
    return seen


@pytest.mark.parametrize("dtype", beside.PRECISIONS)
@pytest.mark.parametrize("options", [{}, {"order": 2}, {"budget": 40}])
@pytest.mark.parametrize("method", TRAINABLE)
def test_a_classifier_calls_what_was_compiled(method, options, dtype, calls):
    learner = SequenceClassifier(**{"method": method, "order": 1, "epochs": 1, **options}).fit(X, Y)
    ready = learner._decoding(2)
    ready.compile(dtype)
    compiled = set(calls)
    calls.clear()
    learner.predict(X) if dtype == "f4" else learner.predict_proba(X)
    assert set(calls) <= compiled and calls
    assert len(ready.kernel(dtype).signatures) > 0


@pytest.mark.parametrize(("budget", "passes", "kernel"), [(10, 1, "infer_lanes"), (10, 2, "infer_words")])
def test_labels_and_passes_decide_which_kernel(budget, passes, kernel):
    assert Decoding("rcms", budget, 1, 40, passes).kernel("f4").__name__ == kernel


@pytest.fixture
def program(monkeypatch):
    """A program's first process, which has begun no other; what it begins is ended."""
    monkeypatch.delenv(beside.ALONE)
    monkeypatch.delenv("RCMVIZ_QUIET", raising=False)
    monkeypatch.setattr(NOTICE, "is_said", False)
    monkeypatch.setattr(joblib, "effective_n_jobs", lambda jobs: 2)
    monkeypatch.setattr(beside, "_begun", begun := [])
    monkeypatch.setattr(beside, "_settled", set())
    monkeypatch.setattr(OnDisk, "has_code", lambda kernel: False)
    yield begun
    for process in begun:
        process.end()


def python_that(script, folder, monkeypatch):
    """A process that is begun runs this script of the shell instead of Python."""
    path = folder / "python3"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(path))


def test_none_is_begun_where_all_is_on_disk(program, monkeypatch, capfd):
    monkeypatch.setattr(OnDisk, "has_code", lambda kernel: True)
    SequenceClassifier(order=1, epochs=1).fit(X, Y).partial_fit(X, Y)
    assert program == []
    assert capfd.readouterr().err == ""


@has_shell
@pytest.mark.parametrize(
    ("method", "labelled", "on_disk", "asked"),
    [
        ("rcms", (X, Y), "infer_words", ["f4", ""]),
        ("rcms", (X, Y), "infer_lanes", ["f4", "f8"]),
        ("rcms", (X, Y), "infer_few", []),  # in double precision nobody needs it yet
        ("rcms", MANY, "infer_few", ["f4", "f8"]),
        ("exact", (X, Y), "infer_few", ["f4", "f8"]),
        ("exact", (X, Y), "infer_exact_lanes", []),
    ],
)
def test_what_is_asked_of_it(method, labelled, on_disk, asked, program, tmp_path, monkeypatch):
    python_that(f'printf "%s\\n" "$@" > {tmp_path}/asked', tmp_path, monkeypatch)
    monkeypatch.setattr(OnDisk, "has_code", lambda kernel: kernel._dispatcher.__name__ == on_disk)
    learner = SequenceClassifier(method, order=1, epochs=1).fit(*labelled)
    learner.predict(labelled[0])
    for process in program:
        process.end()
    words = (tmp_path / "asked").read_text().splitlines() if asked else []
    assert words[4:] == asked
    if asked:
        assert words[:3] == ["-P", "-m", "rcmviz.learn.decoding"]
        assert Decoding(**json.loads(words[3])) == learner._decoding(len(learner.classes_))


@has_shell
def test_what_judges_epochs_comes_first_where_there_is_something_to_judge(program, tmp_path, monkeypatch):
    python_that(f'printf "%s\\n" "$@" > {tmp_path}/asked', tmp_path, monkeypatch)
    SequenceClassifier(order=1, epochs=1).fit(X, Y, held_out=(X, Y))
    program[0].end()
    assert (tmp_path / "asked").read_text().splitlines()[4:] == ["f8 f4", ""]


@has_shell
@pytest.mark.parametrize("script", ["exit 1", "echo nonsense", "kill -9 $$"])
def test_answers_are_the_same_where_it_fails(script, program, tmp_path, monkeypatch):
    python_that(script, tmp_path, monkeypatch)
    learner = SequenceClassifier(order=1, epochs=3).fit(X, Y)
    (process,) = program
    found = learner.predict(X), learner.predict_proba(X)
    monkeypatch.setenv(beside.ALONE, "1")
    alone = SequenceClassifier(order=1, epochs=3).fit(X, Y)
    assert found[0] == alone.predict(X)
    assert all(map(np.array_equal, found[1], alone.predict_proba(X)))
    assert not process.is_busy()
    monkeypatch.delenv(beside.ALONE)
    learner.fit(X, Y)
    assert program == [process], "what failed once is not tried again"


def test_a_process_that_cannot_be_begun_is_done_without(program, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python-that-is-not-there"))
    SequenceClassifier(order=1, epochs=1).fit(X, Y).predict(X)
    assert program == []


@has_shell
def test_one_at_a_time_and_one_notice(program, tmp_path, monkeypatch, capfd):
    python_that("echo f4; read parent", tmp_path, monkeypatch)
    for method in ("rcms", "exact", "rcms"):
        beside.begin(Decoding(method, 10, 1, 1), Y, ("f4",))
    assert len(program) == 1
    assert capfd.readouterr().err.count("compiling, once") == 1


@has_shell
def test_who_decodes_waits_for_its_own_kernel_only_and_leaves_nobody_behind(program, tmp_path, monkeypatch):
    python_that("echo f4; read parent", tmp_path, monkeypatch)
    beside.begin(NEEDED, Y, ("f4",))
    (process,) = program
    beside.wait(NEEDED, "f4")
    beside.wait(Decoding("exact", 10, 1, 2), "f8")  # it is not being compiled: else this would not end
    assert process.is_busy()
    process.end()
    assert not process.is_busy()
    assert process._process.returncode is not None, "nobody has asked how it ended: it would stay in the system's table"


@has_shell
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_waits_for_what_is_needed_and_begins_none(program, tmp_path, monkeypatch):
    python_that(f"sleep .05; : > {tmp_path}/compiled; echo f4; read parent", tmp_path, monkeypatch)
    beside.begin(NEEDED, Y, ("f4",))
    fork = os.fork()
    if not fork:
        os._exit(0 if (tmp_path / "compiled").exists() and not beside._may_begin() and not beside._begun else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1]) == 0
    assert len(program) == 1 and beside._may_begin()


@pytest.mark.parametrize(
    "change",
    [
        lambda patch: patch.setenv(beside.ALONE, "1"),
        lambda patch: patch.setattr(joblib, "effective_n_jobs", lambda jobs: 1),
        lambda patch: patch.setattr(sys, "executable", ""),
        lambda patch: patch.setattr(sys, "executable", None),
        lambda patch: patch.setattr(sys, "executable", "/usr/bin/blender"),
        lambda patch: patch.setattr(sys, "frozen", True, raising=False),
        lambda patch: patch.setattr(beside.multiprocessing, "parent_process", lambda: "somebody"),
        lambda patch: patch.setattr(beside, "_forked", [True]),
    ],
)
def test_where_none_may_be_begun(change, program, monkeypatch):
    assert beside._may_begin()
    change(monkeypatch)
    assert not beside._may_begin()
    SequenceClassifier(order=1, epochs=1).fit(X, Y)
    assert program == []


@pytest.mark.parametrize("y", [3, [3], [[[]]], iter(Y), [], None])
def test_odd_labels_are_left_to_who_uses_them(y, program):
    beside.begin(NEEDED, y, ("f4",))
    assert program == []


def test_the_process_compiles_in_order_and_says_so(monkeypatch, capsys):
    seen = []
    monkeypatch.setattr(decoding, "_hear", lambda is_free: is_free.set())
    monkeypatch.setattr(Decoding, "compile", lambda self, dtype: seen.append((self, dtype, capsys.readouterr().out)))
    decoding.main(json.dumps(asdict(NEEDED)), "f4", "f8")
    assert seen == [(NEEDED, "f4", ""), (NEEDED, "f8", "f4\n")]
    assert capsys.readouterr().out == "f8\n"


def test_what_is_not_needed_waits_for_the_end_of_the_fit():
    script = (
        "from rcmviz.learn import decoding\n"
        "decoding.Decoding.compile = lambda self, dtype: None\n"
        f"decoding.main('{json.dumps(asdict(NEEDED))}', 'f4', 'f8')\n"
    )
    command, piped = [sys.executable, "-c", script], {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    assert b"f8" not in subprocess.run(command, input=b"", stdout=subprocess.PIPE, check=False).stdout
    with subprocess.Popen(command, **piped) as process:
        assert process.stdout.readline() == b"f4\n"
        process.stdin.write(b".")
        process.stdin.flush()
        assert process.stdout.readline() == b"f8\n"


@has_shell
def test_a_fit_says_when_it_is_done(program, tmp_path, monkeypatch):
    python_that(f"echo f4; head -c 1 > {tmp_path}/said; echo f8; read parent", tmp_path, monkeypatch)
    SequenceClassifier(order=1, epochs=1).fit(X, Y)
    (process,) = program
    process.wait(["f8"])
    assert (tmp_path / "said").read_bytes() == b"."


def test_the_process_ends_when_its_parent_has():
    script = (
        "from threading import Event; from rcmviz.learn import decoding\n"
        "decoding.Decoding.compile = lambda self, dtype: Event().wait()\n"
        f"decoding.main('{json.dumps(asdict(NEEDED))}', 'f4', 'f8')\n"
    )
    assert subprocess.run([sys.executable, "-c", script], stdin=subprocess.DEVNULL, check=False).returncode == 1
