"""A cached kernel is never stale, and an edit compiles anew only what depends on it."""

import gc
import os
import subprocess
import sys
from collections import Counter
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numba import config, njit
from numba.core import ir

from rcmviz import kernels
from rcmviz.cache_folders import choose_code_folder, temporary_folder
from rcmviz.kernels import _cache_digests, _read_sources, damaged, inlined
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


LONGEST = """
import numpy as np
from rcmviz.kernels.lengths import longest_word
print(longest_word(np.array([0, 3, 4])))
"""


def test_without_a_writable_folder_a_temporary_one_is_used_with_one_note(tmp_path):
    (tmp_path / "file").touch()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA", "RCMVIZ"))}
    given = {"TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_CACHE_DIR": "file/x"}
    command = [sys.executable, "-c", LONGEST]
    ran = subprocess.run(command, env=kept | given, cwd=tmp_path, capture_output=True, text=True)
    folder = tmp_path / temporary_folder().name
    notes = [line for line in ran.stderr.splitlines() if "NUMBA_CACHE_DIR" in line]
    assert ran.stdout == "3\n" and len(notes) == 1 and "file/x" in notes[0] and str(folder) in notes[0], ran.stderr
    assert list(folder.rglob("*.nbc")) and folder.stat().st_mode & 0o077 == 0


def test_where_no_folder_of_the_user_can_be_written_it_is_a_temporary_one(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "file").touch()
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    for variable in ("HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "file"))
        folder, fault = choose_code_folder("")
        assert folder == temporary_folder() / "kernels" and str(tmp_path / "file") in fault


def test_a_temporary_folder_of_somebody_else_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "file").touch()
    assert choose_code_folder(str(tmp_path / "mine")) == (tmp_path / "mine", "")
    folder, fault = choose_code_folder(str(tmp_path / "file"))
    assert folder == temporary_folder() / "kernels" and "file" in fault
    temporary_folder().chmod(0o777)  # anybody could put code there
    assert choose_code_folder(str(tmp_path / "file"))[0] is None


def test_a_disk_that_is_full_is_not_written_to(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=1e6 if folder.name == "x" else 1e9))
    folder, fault = choose_code_folder(str(tmp_path / "x"))
    assert folder == temporary_folder() / "kernels" and "No space left" in fault


def test_without_any_folder_kernels_are_compiled_and_not_kept(monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", "")
    doubled = kernel()(twice)
    assert doubled(4) == 8 and doubled.stats.cache_path is None


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


@pytest.fixture
def of_a_new_process(of_a_process, monkeypatch):
    """The same, as a process has it that begins now."""

    def begun():
        monkeypatch.setattr(damaged.CODE_FILES, "_checked", set())
        return of_a_process()

    return begun


DAMAGES = {
    "empty": lambda content: b"",
    "cut off": lambda content: content[:100],
    "its last byte": lambda content: content[:-1],
    "random": lambda content: np.random.default_rng(0).bytes(len(content)),
    "a part overwritten": lambda content: content[:200] + bytes(60) + content[260:],
}


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_of_compiled_code_counts_as_missing(damage, suffix, of_a_new_process, tmp_path):
    assert of_a_new_process()(2) == 4
    (file,) = tmp_path.rglob(f"*.{suffix}")
    status = file.stat()
    file.write_bytes(damage(file.read_bytes()))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    again = of_a_new_process()
    assert again(2) == 4 and not again.stats.cache_hits, "compiled again"
    later = of_a_new_process()
    assert later(2) == 4 and later.stats.cache_hits, "and kept again"


def test_an_index_without_its_code_counts_as_missing(of_a_new_process, tmp_path):
    assert of_a_new_process()(2) == 4
    (file,) = tmp_path.rglob("*.nbc")
    file.unlink()
    again = of_a_new_process()
    assert again(2) == 4 and not again.stats.cache_hits
    assert of_a_new_process()(2) == 4 and list(tmp_path.rglob("*.nbc"))


def test_a_cache_that_was_copied_is_used(of_a_new_process, tmp_path):
    assert of_a_new_process()(2) == 4
    for file in tmp_path.rglob("*.nb?"):
        os.utime(file)
    (listing,) = tmp_path.rglob(damaged.LIST)
    before = len(listing.read_text().splitlines())
    copied = of_a_new_process()
    assert copied(2) == 4 and copied.stats.cache_hits
    assert len(listing.read_text().splitlines()) == before + 2, "with its new times, so that it is not read again"


def test_a_damaged_list_costs_a_compilation_and_no_more(of_a_new_process, tmp_path):
    assert of_a_new_process()(2) == 4
    (listing,) = tmp_path.rglob(damaged.LIST)
    listing.write_bytes(b"\xff\t\t\n" + listing.read_bytes()[:70])
    assert of_a_new_process()(2) == 4
    later = of_a_new_process()
    assert later(2) == 4 and later.stats.cache_hits
