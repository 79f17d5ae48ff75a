"""All writers write to a temporary file and rename it: a full disk or a kill leaves the old file."""

import errno
import os
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.core.shared import whole_file

MODEL = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
LATTICE, TRACE = rv.rcms(MODEL, [[0.0, 0.0]] * 2, budget=2)
WRITERS = {
    "problem": rv.Problem(MODEL, np.zeros((2, 2)), name="x").to_json,
    "lattice": LATTICE.to_json,
    "trace": TRACE.to_json,
    "export": lambda path: rv.export_html(TRACE, LATTICE, path=path),
    "model": MODEL.save,
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS.keys())
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, write):
    path = tmp_path / "kept"
    path.write_text("what was there")
    link = tmp_path / "link"
    link.symlink_to(path)
    left, young = tmp_path / ".kept.0123abcd", tmp_path / ".kept.4567abcd"
    for part in (left, young):
        part.write_text("part of a file")
    os.utime(left, (time.time() - 7_200,) * 2)

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left on device.*kept"):
            write(path)
    assert path.read_text() == "what was there"
    assert sorted(os.listdir(tmp_path)) == [".kept.4567abcd", "kept", "link"]
    write(link)
    assert link.is_symlink() and path.read_bytes()[:14] != b"what was there"


needs_unix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes and owners")


@needs_unix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_a_file_keeps_its_mode_and_what_it_is_linked_to(tmp_path, mode):
    path, other = tmp_path / "kept", tmp_path / "other"
    path.write_text("long before" * 1000)
    path.chmod(mode)
    MODEL.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert time.time() - path.stat().st_mtime < 60
    os.link(path, other)
    LATTICE.to_json(path)
    assert path.read_bytes() == other.read_bytes() == LATTICE.to_json().encode()
    assert stat.S_IMODE(path.stat().st_mode) == mode and path.stat().st_nlink == 2
    assert sorted(os.listdir(tmp_path)) == ["kept", "other"]


@pytest.mark.parametrize("name", ["a" * 245, "a" * 250, "a" * 255, "é" * 127, "字" * 85])
def test_names_may_be_as_long_as_the_system_allows(tmp_path, name):
    path = tmp_path / name
    left = path.with_name(f"{whole_file._part_prefix(path)}0123abcd")
    left.write_text("of a killed process")
    os.utime(left, (time.time() - 7_200,) * 2)
    for write in WRITERS.values():
        write(path)
    assert os.listdir(tmp_path) == [name]
    with pytest.raises(OSError, match="name too long"):
        MODEL.save(path.with_name("a" * 256))


OTHER_USER = """
import os, sys
os.setgid(65534); os.setuid(65534)
from pathlib import Path
from rcmviz.core.shared.whole_file import whole_file
folder = Path(sys.argv[1])
for name in "mine", "group", "readable", "new":
    try:
        with whole_file(folder / name) as file:
            file.write(b"new content of " + name.encode())
    except OSError as error:
        print(error)
"""


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can act as another user")
@pytest.mark.parametrize("mode", [0o755, 0o1777], ids=["of a folder that cannot be written", "of a sticky folder"])
def test_a_file_that_can_be_written_keeps_its_owner(mode):
    """Another user writes: own files, those of a group, others."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(mode)
        owners = {"mine": (65534, 65534, 0o600), "group": (0, 65534, 0o660), "readable": (0, 0, 0o644)}
        for name, (user, group, bits) in owners.items():
            (folder / name).write_bytes(b"old" * 100)
            os.chown(folder / name, user, group)
            (folder / name).chmod(bits)
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "HOME": made}
        ran = subprocess.run(
            [sys.executable, "-c", OTHER_USER, made], env=environment, capture_output=True, text=True, check=True
        )
        for name, (user, group, bits) in owners.items():
            status = (folder / name).stat()
            assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (user, group, bits)
            is_written = (folder / name).read_bytes() == b"new content of " + name.encode()
            assert is_written == (name != "readable"), name
        refused = [line.split(": ")[-1].split("/")[-1] for line in ran.stdout.splitlines()]
        assert refused == (["readable'"] if mode == 0o1777 else ["readable'", "new'"]), ran.stdout
        assert sorted(os.listdir(folder)) == sorted([*owners, *["new"] * (mode == 0o1777)])


FAILING = ("open", "fsync", "stat", "chown", "replace", "truncate", "utime", "scandir", "access")


@pytest.mark.parametrize("links", [1, 2])
@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EACCES], ids=errno.errorcode.get)
def test_whatever_access_fails_the_file_is_the_old_or_the_new_one(tmp_path, monkeypatch, number, links):
    """Fail the n-th access for all n: the file is complete, or its content is where the error says."""
    path, other = tmp_path / "kept", tmp_path / "other"
    old, new = b"old content" * 50, b"new" * 400
    n, count, came = 0, 0, True

    def hurt(function):
        def hurting(*given, **named):
            nonlocal count
            count += 1
            if count == n:
                raise OSError(number, os.strerror(number))
            return function(*given, **named)

        return hurting

    while came:
        n, count = n + 1, 0
        path.unlink(missing_ok=True)
        other.unlink(missing_ok=True)
        path.write_bytes(old)
        path.chmod(0o640)
        if links == 2:
            os.link(path, other)

        with monkeypatch.context() as hurts:
            for name in FAILING:
                hurts.setattr(os, name, hurt(getattr(os, name)))
            hurts.setattr(whole_file, "open", hurt(open), raising=False)
            try:
                with whole_file.whole_file(path) as file:
                    file.write(new)
                said = ""
            except OSError as error:
                said = str(error)
        came = count >= n
        if "the new content is whole in" in said:
            part = Path(said.partition("whole in ")[2].partition(":")[0])
            assert part.read_bytes() == new
            part.unlink()
        else:
            assert path.read_bytes() == (old if said else new), (n, said)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        assert set(os.listdir(tmp_path)) <= {"kept", "other"}
    assert n > 5
