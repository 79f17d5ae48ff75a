"""A server without its command ends, and its folder with the teacher's link goes."""

import os
import signal

import pytest

from rcmviz.classroom import orphan


@pytest.mark.parametrize("name, is_gone", [("rcmviz-app-x", True), ("another", False)])
def test_an_orphan_removes_its_own_folder_and_ends(tmp_path, monkeypatch, name, is_gone):
    folder = tmp_path / name
    (folder / "rcmviz-class-y").mkdir(parents=True)
    (folder / "rcmviz-class-y" / "teacher-link.txt").write_text("a link")
    parents, pauses, signals = iter([7, 7, 1]), [], []
    monkeypatch.setattr(os, "getppid", lambda: next(parents))
    monkeypatch.setattr(os, "kill", lambda process, number: signals.append((process, number)))
    orphan._watch(7, folder, pauses.append)
    assert signals == [(os.getpid(), signal.SIGTERM)] and len(pauses) == 2
    assert folder.exists() is not is_gone
