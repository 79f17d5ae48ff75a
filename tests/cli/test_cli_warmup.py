"""`rcmviz warmup`: compiling in advance, the cache on disk, the note on a compilation."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from rcmviz.cache_folders import temporary_folder
from rcmviz.cli.main import app
from rcmviz.jobs.warm_ups import WARM_UPS

COMPILES = """
from numba import njit
import rcmviz.kernels
njit(lambda x: x + 1)(1)  # of another project
for _ in range(2):
    ours = njit(lambda x: x)
    ours.py_func.__module__ = "rcmviz.kernels.x"
    ours(1)
"""


def run(*arguments):
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda name: str(tmp_path / name))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    for name in ("kernels/abc/code.nbc", "ud_ewt/train.conllu"):
        path = tmp_path / "rcmviz" / name
        path.parent.mkdir(parents=True)
        path.write_bytes(b"x" * 3_000_000)
    return tmp_path / "rcmviz"


def test_the_cache_is_listed_and_compiled_code_removed(cache):
    listed = run("cache").split()
    assert listed[0] == str(cache) and listed[3:] == ["kernels", "1", "3.0", "ud_ewt", "1", "3.0"]
    assert "1 file, 3.0 MB" in run("cache", "clear") and not (cache / "kernels").exists()
    assert "nothing to remove" in run("cache", "clear") and (cache / "ud_ewt").exists()
    run("cache", "clear", "--data")
    assert not list(cache.iterdir())


def test_compiled_code_elsewhere_is_listed_and_removed_too(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "chosen"))
    ours, others = tmp_path / "chosen/0123456789ab/x.nbc", tmp_path / "chosen/package_ab12/y.nbc"
    temporary = temporary_folder() / "kernels/ba9876543210/z.nbc"
    for path in (ours, others, temporary):
        path.parent.mkdir(parents=True)
        path.write_bytes(b"x" * 1_000_000)
    listed = run("cache")
    assert f"{tmp_path / 'chosen'}" in listed and f"{temporary_folder() / 'kernels'}" in listed
    assert run("cache", "clear").count("1 file") == 3
    assert others.exists() and not ours.exists() and not temporary.exists()


def test_without_a_home_folder_the_cache_is_a_temporary_one(monkeypatch, tmp_path):
    def no_home(name):
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for answer in (no_home, lambda name: f"~/.cache/{name}"):  # platformdirs 4.12, and before
        monkeypatch.setattr("platformdirs.user_cache_dir", answer)
        assert run("cache").split()[0] == str(temporary_folder()) and temporary_folder().parent == tmp_path
        assert temporary_folder().stat().st_mode & 0o077 == 0, "or no compiled code would go there"


@pytest.mark.parametrize("names", [(), ("fit", "ars")])
def test_named_tasks_are_compiled(names, monkeypatch):
    monkeypatch.setenv("RCMVIZ_QUIET", "")
    called = []
    for part in WARM_UPS.values():
        monkeypatch.setattr(f"{part.module}.warm_up", lambda module=part.module: called.append(module))
    lines = run("warmup", *names).splitlines()
    wanted = [WARM_UPS[name] for name in names or WARM_UPS]
    assert called == [part.module for part in wanted]
    assert [line.split(":")[0] for line in lines] == [part.title for part in wanted]


def test_an_unknown_name_is_refused():
    result = CliRunner().invoke(app, ["warmup", "fits"])
    assert result.exit_code and "fits" in result.stderr + str(result.exception)


@pytest.mark.parametrize(("quiet", "said"), [("", 1), ("1", 0)])
def test_the_first_compilation_is_noted_once(quiet, said, monkeypatch):
    monkeypatch.setenv("RCMVIZ_QUIET", quiet)
    done = subprocess.run([sys.executable, "-c", COMPILES], capture_output=True, text=True, check=True)
    assert done.stderr.count("compiling, once on this machine") == len(done.stderr.splitlines()) == said
