"""Kernels that come with a wheel are loaded where they run and are of this very code; elsewhere it compiles as ever."""

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rcmviz.kernels import on_disk

ROOT = Path(__file__).parents[2]
WHEELS = [("standard", "x", True), ("editable", "x", False), ("standard", "", False)]
HERE = "x86_64-unknown-linux-gnu", "znver3", on_disk.FEATURES + ",+sse4a"
PROGRAM = """
import numpy as np
from rcmviz.kernels.lengths import longest_word
from rcmviz.kernels.on_disk import OnDisk
has_code = OnDisk(longest_word).has_code()
print(longest_word(np.array([0, 3, 4])), has_code, sum(longest_word.stats.cache_hits.values()))
"""


@pytest.fixture(autouse=True)
def _as_by_default(monkeypatch):
    """Also where the tests run with kernels that check their bounds, or for this very processor."""
    monkeypatch.setattr(on_disk.config, "BOUNDSCHECK", None)
    monkeypatch.delenv(on_disk.NATIVE, raising=False)


def run(package, cache, **environment):
    """What the program prints, with a package and a folder of compiled code of its own."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA", "RCMVIZ"))}
    given = {"PYTHONPATH": str(package), "NUMBA_CACHE_DIR": str(cache), "RCMVIZ_QUIET": "1", **environment}
    command = [sys.executable, "-P", "-c", PROGRAM]
    ran = subprocess.run(command, env=kept | given, cwd=package, capture_output=True, text=True, check=True)
    return ran.stdout.split()


def test_what_comes_along_is_loaded_and_nothing_compiled(tmp_path, monkeypatch):
    package = tmp_path / "installed"
    shutil.copytree(ROOT / "rcmviz", package / "rcmviz", ignore=shutil.ignore_patterns("__pycache__", "*.js", "*.npz"))
    target = {"NUMBA_CPU_NAME": on_disk.PROCESSOR, "NUMBA_CPU_FEATURES": on_disk.FEATURES}
    assert run(package, tmp_path / "built", **target) == ["3", "False", "0"]
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    build = runpy.run_path(str(ROOT / "scripts/build_wheel.py"))
    build["gather"](tmp_path / "built", package / "rcmviz/kernels/compiled")
    runs = set(on_disk.FEATURES.split(",")) <= set(features_here())
    assert run(package, tmp_path / "empty") == (["3", "True", "1"] if runs else ["3", "False", "0"])
    assert bool(list((tmp_path / "empty").rglob("*.nbc"))) is not runs


def features_here():
    from numba.core.registry import cpu_target

    return cpu_target.target_context.codegen().magic_tuple()[2].split(",")


@pytest.mark.parametrize("lacking", ["+avx2", "+fma"])
def test_it_is_not_taken_where_the_processor_lacks_something(lacking):
    triple, name, features = HERE
    assert on_disk._portable(HERE) == (triple, on_disk.PROCESSOR, on_disk.FEATURES)
    assert on_disk._portable((triple, name, features.replace(lacking + ",", ""))) is None


def test_it_is_not_taken_where_code_for_this_very_processor_is_asked_for(monkeypatch):
    monkeypatch.setenv(on_disk.NATIVE, "1")
    assert on_disk._portable(HERE) is None


def test_it_is_not_taken_where_bounds_are_checked(monkeypatch):
    monkeypatch.setattr(on_disk.config, "BOUNDSCHECK", 1)
    assert on_disk._portable(HERE) is None


def test_own_code_comes_first():
    asked = []
    load = on_disk._first_of({("f", HERE, "code"): "own"}.get, lambda key: asked.append(key) or "brought along")
    assert load(("f", HERE, "code")) == "own" and asked == []
    assert load(("g", HERE, "code")) == "brought along"
    assert asked == [("g", on_disk._portable(HERE), "code")]


@pytest.mark.parametrize(("version", "folder", "takes"), WHEELS)
def test_a_wheel_with_kernels_is_one_for_its_platform(version, folder, takes, monkeypatch):
    hook = runpy.run_path(str(ROOT / "scripts/wheel_hook.py"))
    monkeypatch.setenv(hook["KERNELS"], folder)
    data = {"force_include": {}, "pure_python": True, "infer_tag": False}
    hook["TakeKernels"].initialize(None, version, data)
    assert data["force_include"] == ({folder: "rcmviz/kernels/compiled"} if takes else {})
    assert (data["pure_python"], data["infer_tag"]) == (not takes, takes)


def test_parts_which_only_callers_are_compiled_with_stay_behind(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    for name in ("rows.add_rows-21.py311.nbi", "part-rows.add_rows-21.py311.nbi"):
        (tmp_path / "cache/d1ge57/rows").mkdir(parents=True, exist_ok=True)
        (tmp_path / "cache/d1ge57/rows" / name).touch()
    runpy.run_path(str(ROOT / "scripts/build_wheel.py"))["gather"](tmp_path / "cache", tmp_path / "taken")
    assert [file.name for file in tmp_path.glob("taken/d1ge57/*")] == ["rows.add_rows-21.py311.nbi"]
