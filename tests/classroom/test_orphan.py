"""A server without its command ends, and its folder with the teacher's link goes."""

import os
import signal
import subprocess
import sys
import time

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


SERVER = """
import os, sys, threading
from pathlib import Path
from rcmviz.classroom.orphan import end_without_parent

end_without_parent(os.getppid(), Path(sys.argv[1]))
print(os.getpid(), flush=True)
threading.Event().wait(60)
"""
COMMAND = "import subprocess, sys; subprocess.run([sys.executable, '-c', *sys.argv[1:]])"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_server_ends_once_its_command_was_killed(tmp_path):
    folder = tmp_path / "rcmviz-app-x"
    folder.mkdir()
    command = [sys.executable, "-c", COMMAND, SERVER, folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        server = int(process.stdout.readline())
        process.kill()
        assert process.stdout.read() == ""  # end of file: the server has ended too
    assert not folder.exists()
    with pytest.raises(ProcessLookupError):
        for _ in range(600):
            os.kill(server, 0)
            time.sleep(0.1)
