"""Everything that writes a file writes it beside and renames it: a full disk or a kill leaves what was there."""

import errno
import os
import time

import numpy as np
import pytest

import rcmviz as rv

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
