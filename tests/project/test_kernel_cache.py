"""A cached kernel is never stale, and an edit compiles anew only what depends on it."""

import gc
import os
import subprocess
import sys
from collections import Counter
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from numba import config, njit
from numba.core import ir

from rcmviz import kernels
from rcmviz.kernels import _cache_digests, _read_sources, inlined
from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.on_disk import OnDisk
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
    compiled = {file.read_bytes() for file in files if b"@kernel" in file.read_bytes()}
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


def test_the_copy_of_a_scope_is_its_own():
    scope = ir.Scope(None, ir.Loc("here", 1))
    for _ in range(2):
        scope.redefine("x", scope.loc)
    memo = {}
    listener = inlined.Inlined()
    listener.on_start(None)
    copy = deepcopy(scope, memo)
    listener.on_end(None)
    assert not hasattr(ir.Scope, "__deepcopy__")
    assert memo[id(scope)] is copy and list(copy.localvars._con) == ["x", "x.1"]
    copy.redefine("x", scope.loc)
    assert list(copy.localvars._con) == ["x", "x.1", "x.2"] and copy.get_versions_of("x") == {"x.1", "x.2"}
    assert list(scope.localvars._con) == ["x", "x.1"] and scope.get_versions_of("x") == {"x.1"}


def test_what_is_copied_so_becomes_the_same_machine_code(monkeypatch):
    @njit(inline="always")
    def inner(a, b):
        total = 0.0
        for i in range(len(a)):
            if a[i] > b:
                total += a[i]
        return total

    @njit(inline="always")
    def middle(a, b):
        return inner(a, b) - inner(a, 2 * b) if b > 0 else inner(a, 0.0)

    def outer(a):
        return middle(a, 1.0) + middle(a, 3.0)

    def compiled():
        kernel = njit(outer)
        assert kernel(np.arange(6.0)) == (14.0 - 12.0) + (9.0 - 0.0)
        (assembly,) = kernel.inspect_asm().values()
        return Counter(line.split()[0] for line in assembly.splitlines() if line.startswith("\t") and line[1] != ".")

    copies, copy_scope = [], inlined._copy_scope

    def counted(scope, memo):
        copies.append(scope)
        return copy_scope(scope, memo)

    monkeypatch.setattr(inlined, "_copy_scope", counted)
    ours, many = compiled(), len(copies)
    for turn in ("on_start", "on_end"):
        monkeypatch.setattr(inlined.Inlined, turn, lambda *_: None)
    assert ours == compiled() and 0 < many == len(copies)


def twice(x):
    return x + x


@pytest.fixture
def of_a_process(tmp_path, monkeypatch):
    """The same kernel as each of several processes has it, with one folder for all."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    return lambda: kernel()(twice)


def test_what_is_on_disk_is_known_without_loading_it(of_a_process, monkeypatch):
    one, other = of_a_process(), of_a_process()
    assert not OnDisk(one).has_code()
    one(2)
    assert OnDisk(other).has_code() and not other.signatures
    foreign = type(one.targetctx.codegen())
    monkeypatch.setattr(foreign, "magic_tuple", lambda self: ("another processor",))
    assert not OnDisk(other).has_code()
    assert OnDisk(twice).has_code(), "what is not compiled need not be"


def test_two_processes_that_compile_a_kernel_at_a_time_keep_their_code_apart(of_a_process, monkeypatch):
    """The first has written its index and not yet its code when the second writes both, which read the index before."""
    first, second = of_a_process(), of_a_process()
    index, its = first._cache._cache_file, second._cache._cache_file
    save = index._save_data

    def overtaken(name, data):
        with monkeypatch.context() as before:
            before.setattr(its, "_load_index", dict)
            assert second(1.25) == 2.5
        save(name, data)

    monkeypatch.setattr(index, "_save_data", overtaken)
    assert first(3) == 6
    third = of_a_process()
    assert (third(1.25), third(3)) == (2.5, 6)
    assert third.stats.cache_hits, "one of them is found"
