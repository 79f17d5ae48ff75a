"""A cached kernel is never stale, and an edit compiles anew only what depends on it."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rcmviz import kernels
from rcmviz.kernels import _cache_digests, _read_sources
from rcmviz.kernels.pause import Pause

CELLS = b"def fill(): ..."
GRID = b"from kernels.align.cells import fill"
TRAIN = b"from kernels.align import grid"
OTHER = b"from numba import njit"
SOURCES = {"kernels.align.train": TRAIN, "kernels.align.grid": GRID, "kernels.align.cells": CELLS, "kernels.x.y": OTHER}


def changed_by(name, source):
    before, after = _cache_digests(SOURCES), _cache_digests(SOURCES | {name: source})
    return {module.rpartition(".")[2] for module in SOURCES if before[module] != after[module]}


def test_a_change_reaches_what_imports_it_also_through_others():
    assert changed_by("kernels.align.cells", b"def fill(): pass") == {"cells", "grid", "train"}
    assert changed_by("kernels.align.grid", GRID + b"\n") == {"grid", "train"}
    assert changed_by("kernels.x.y", b"") == {"y"}


def test_what_is_imported_comes_first():
    order = list(_cache_digests(SOURCES))
    assert order.index("kernels.align.cells") < order.index("kernels.align.grid") < order.index("kernels.align.train")


def test_every_file_with_a_kernel_has_a_digest():
    files = Path(kernels.__file__).parent.rglob("*.py")
    compiled = {file.read_bytes() for file in files if b"@njit" in file.read_bytes()}
    assert compiled and compiled <= set(_read_sources().values())


def test_a_folder_that_somebody_chose_has_a_part_for_each_digest(tmp_path):
    """Else a kernel that calls another would stay as it was when a new release changes the other."""
    code = "from rcmviz.kernels.learn.feature_sums import add_features; print(add_features.stats.cache_path)"
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    digest = _cache_digests(_read_sources())["rcmviz.kernels.learn.feature_sums"]
    assert Path(ran.stdout.strip()).is_relative_to(tmp_path / digest), ran.stderr


@pytest.mark.parametrize("was_on", [True, False])
def test_the_collector_rests_while_kernels_are_compiled_one_within_another(was_on):
    pause = Pause()
    (gc.enable if was_on else gc.disable)()
    try:
        states = []
        for turn in (pause.on_start, pause.on_start, pause.on_end, pause.on_end):
            turn(None)
            states.append(gc.isenabled())
        assert states == [False, False, False, was_on]
    finally:
        gc.enable()
