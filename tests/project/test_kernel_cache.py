"""Cached kernels are never stale, and an edit compiles only dependent kernels again."""

import builtins
import errno
import io
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numba import config

from rcmviz import kernels
from rcmviz.cache_folders import choose_code_folder, temporary_folder
from rcmviz.kernels import _cache_digests, _read_sources, damaged, notice
from rcmviz.kernels.compat import Kernel
from rcmviz.kernels.kernel import kernel

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


def test_digests_of_imports_come_first():
    order = list(_cache_digests(SOURCES))
    assert order.index("kernels.align.cells") < order.index("kernels.align.grid") < order.index("kernels.align.train")


def test_every_file_with_a_kernel_has_a_digest():
    files = Path(kernels.__file__).parent.rglob("*.py")
    compiled = {file.read_bytes() for file in files if b"@kernel" in file.read_bytes()}
    assert compiled and compiled <= set(_read_sources().values())


def test_a_chosen_folder_has_a_subfolder_for_each_digest(tmp_path):
    """Else a kernel that calls another would stay as it was when a new release changes the other."""
    code = "from rcmviz.kernels.learn.feature_sums import add_features; print(add_features.stats.cache_path)"
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    digest = _cache_digests(_read_sources())["rcmviz.kernels.learn.feature_sums"]
    assert Path(ran.stdout.strip()).is_relative_to(tmp_path / digest), ran.stderr


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


def test_another_users_temporary_folder_is_not_used(tmp_path, monkeypatch):
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


@pytest.mark.skipif(damaged.fcntl is None, reason="Windows has no such lock")
def test_a_process_waits_with_saving_while_another_saves(of_a_process, tmp_path, monkeypatch):
    """Else the code of one could be listed as the other's, as Numba numbers files by an index that both have read."""
    asks, flock = threading.Event(), damaged.fcntl.flock
    monkeypatch.setattr(damaged.fcntl, "flock", lambda *given: (asks.set(), flock(*given)))
    waiting = of_a_process()
    folder = Path(waiting.stats.cache_path)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / damaged.LIST, "ab") as other:
        flock(other, damaged.fcntl.LOCK_EX)
        thread = threading.Thread(target=waiting, args=(3,))
        thread.start()
        assert asks.wait(60) and not list(tmp_path.rglob("*.nbi"))
    thread.join()
    assert list(tmp_path.rglob("*.nbi"))


@pytest.fixture
def of_a_new_process(of_a_process, monkeypatch):
    """The same, as a process has it that begins now."""

    def begun():
        monkeypatch.setattr(damaged.CODE_FILES, "_sound", {})
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
    copied = of_a_new_process()
    assert copied(2) == 4 and copied.stats.cache_hits


def test_a_damaged_list_costs_a_compilation_and_no_more(of_a_new_process, tmp_path):
    assert of_a_new_process()(2) == 4
    (listing,) = tmp_path.rglob(damaged.LIST)
    listing.write_bytes(b"\xff\t\t\n" + listing.read_bytes()[:70])
    assert of_a_new_process()(2) == 4
    later = of_a_new_process()
    assert later(2) == 4 and later.stats.cache_hits


@pytest.fixture
def faults(monkeypatch, tmp_path, of_a_new_process):
    """``run(n, number)``: a new process whose n-th access to its files fails; (its kernel, whether it came so far)."""
    count = {"left": 0, "error": 0}

    def hurt(function):
        def hurting(path, *given, **named):
            if isinstance(path, str | os.PathLike) and str(path).startswith(str(tmp_path)):
                count["left"] -= 1
                if count["left"] == 0:
                    raise OSError(count["error"], os.strerror(count["error"]), str(path))
            return function(path, *given, **named)

        return hurting

    def run(n, number):
        count.update(left=n, error=number)
        with monkeypatch.context() as hurts:
            for name in ("open", "replace", "mkdir", "scandir", "unlink", "stat"):
                hurts.setattr(os, name, hurt(getattr(os, name)))
            hurts.setattr(builtins, "open", hurt(open))
            new = of_a_new_process()
            assert new(2) == 4
        return new, count["left"] <= 0

    monkeypatch.setattr(damaged.CODE_FILES, "keeps", True)
    return run


@pytest.mark.parametrize("number", [errno.EACCES, errno.ENOSPC], ids=errno.errorcode.get)
def test_whatever_access_fails_the_kernel_is_compiled(number, faults, of_a_new_process, tmp_path, monkeypatch, capfd):
    """In an empty folder, with a sound file, and with a damaged one."""
    monkeypatch.setattr(notice.NOTICE, "is_said", True)
    for prepare in (empty, lambda _: of_a_new_process()(2), spoil):
        n, came = 0, True
        while came:
            n += 1
            monkeypatch.setattr(damaged.CODE_FILES, "keeps", True)
            monkeypatch.setattr(notice.NOTICE, "is_folder_said", False)
            prepare(tmp_path)
            _, came = faults(n, number)
            assert capfd.readouterr().err.count("\n") <= 1, "one note"
        assert n > 3
    monkeypatch.setattr(damaged.CODE_FILES, "keeps", True)
    assert of_a_new_process()(2) == 4
    later = of_a_new_process()
    assert later(2) == 4 and later.stats.cache_hits, "afterwards it is kept"


def empty(folder):
    """Remove the cache."""
    shutil.rmtree(folder)
    folder.mkdir()


def spoil(folder):
    """Damage the cached file."""
    for file in folder.rglob("*.nb?"):
        file.write_bytes(file.read_bytes()[:-1])


def test_writes_that_fail_are_not_the_kernels_fault(of_a_new_process, tmp_path, monkeypatch, capfd):
    """A disk that fills while an index, or compiled code, is written."""
    monkeypatch.setattr(notice.NOTICE, "is_said", True)
    for suffix in (".nbi", ".nbc"):
        monkeypatch.setattr(damaged.CODE_FILES, "keeps", True)
        monkeypatch.setattr(notice.NOTICE, "is_folder_said", False)
        with monkeypatch.context() as disk:
            disk.setattr(builtins, "open", full_disk(suffix))
            assert of_a_new_process()(2) == 4 and of_a_new_process()(2.5) == 5
        assert "No space left" in (said := capfd.readouterr().err) and said.count("\n") == 1
        assert not list(tmp_path.rglob("*.tmp.*"))


def full_disk(suffix):
    """``open`` with a disk that is full for files named so."""

    class FullFile(io.FileIO):
        def write(self, _):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    plain = open

    def opened(path, mode="r", *given, **named):
        file = plain(path, mode, *given, **named)
        if suffix in str(path) and "w" in mode:
            file.close()
            return FullFile(path, "w")
        return file

    return opened


PLACES = {
    "its index is a folder": lambda folder, name: (folder / f"{name}.nbi").mkdir(),
    "its index is a pipe": lambda folder, name: os.mkfifo(folder / f"{name}.nbi"),
    "its list is a folder": lambda folder, name: (folder / damaged.LIST).mkdir(),
    "its list is a pipe": lambda folder, name: os.mkfifo(folder / damaged.LIST),
    "its list is endless": lambda folder, name: (folder / damaged.LIST).symlink_to("/dev/zero"),
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes with a name")
@pytest.mark.parametrize("make", PLACES.values(), ids=PLACES)
def test_only_regular_files_are_read(make, of_a_new_process, tmp_path, monkeypatch):
    monkeypatch.setattr(damaged.CODE_FILES, "keeps", True)
    assert of_a_new_process()(2) == 4
    (index,) = tmp_path.rglob("*.nbi")
    shutil.rmtree(index.parent)
    index.parent.mkdir()
    make(index.parent, index.stem)
    assert of_a_new_process()(2) == 4


def test_a_folder_whose_place_is_taken_by_a_file(of_a_new_process, tmp_path, monkeypatch):
    monkeypatch.setattr(damaged.CODE_FILES, "keeps", True)
    made = of_a_new_process()
    folder = Path(made.stats.cache_path)
    shutil.rmtree(folder, ignore_errors=True)
    folder.touch()
    assert made(2) == 4 and of_a_new_process()(2) == 4


FORKING = """
import os, threading
import numpy as np
from rcmviz.kernels.compat import Kernel
from rcmviz.kernels.kernel import kernel

def long(n, x):
    total = 0.0
    for i in range(n):
        for j in range(i):
            total += np.sqrt(x * i + j) * np.exp(-x) + np.sin(total)
    return total

for k in range(3):
    made = kernel(fastmath={"reassoc"} if k % 2 else False)(long)
    other = kernel()(lambda x: x + 1)
    begun = threading.Event()
    thread = threading.Thread(target=lambda: (begun.set(), made(3, 1.0)))
    thread.start()
    begun.wait()
    for _ in range(4):
        child = os.fork()
        if not child:
            os._exit(other(1) != 2)
        assert os.waitpid(child, 0)[1] == 0
    thread.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows does not fork")
def test_a_process_that_is_forked_while_a_thread_compiles_does_not_hang(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKING], env=environment, timeout=120, check=True)


def test_kernels_are_numbas_own_if_its_dispatcher_has_changed(monkeypatch):
    monkeypatch.setattr("rcmviz.kernels.kernel.IS_EXTENSIBLE", False)
    doubled = kernel(cache=False)(lambda number: 2 * number)
    assert doubled(3) == 6 and not isinstance(doubled, Kernel)
