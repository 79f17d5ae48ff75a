"""What all tests share: how hypothesis draws, and the application on a port of its own.

No limit of time here is one that a test would meet on a busy machine: only a failure waits for it.
"""

import gc
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from typer import testing

from rcmviz.classroom.room import KEY_VARIABLE
from rcmviz.cli.app_server import server_command
from rcmviz.jobs.workers import VARIABLE as WORKERS

ROOT = Path(__file__).parent.parent
CLASS_KEY = "the-key-of-the-tests"  # whoever has it begins a class; until then there is none to be seen

os.environ[WORKERS] = "0"  # trainings in threads of the tests: a process of its own takes a second to begin
os.environ.pop("RCMVIZ_QUIET", None)  # what is noted is read

testing._get_command = cache(testing._get_command)  # commands are put together once: 16 ms, at each call otherwise

pytest.register_assert_rewrite("support", "problems")  # what they assert is shown as in a test

# The same examples in every run, none kept beside the code, no clock.
settings.register_profile(
    "rcmviz", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("rcmviz")
# Hypothesis also tries numbers that stand in the source of what is loaded: other examples where other files were read
# before, and each process reads our source for it (1.1 s of the processor).
providers._get_local_constants = lambda: providers._local_constants


def pytest_collection_finish(session):
    """What the libraries and the tests themselves hold is no test's to clear away: no collection looks at it again."""
    gc.collect()
    gc.freeze()


class Server:
    """A running application; ``address`` has no final slash, ``files`` limits how many files it may open."""

    def __init__(self, folder, workers="1", files=None, launcher=ROOT / "app.py"):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        environment = os.environ | {"PYTHONPATH": str(ROOT), KEY_VARIABLE: CLASS_KEY, WORKERS: workers}
        environment.pop("RCMVIZ_DATA", None)
        command = server_command(launcher, folder, files, port=port)
        if files:
            command = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *command]
        self.log = folder / "server.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT)
        self._wait()

    def _wait(self):
        for _ in range(3_000):
            if self.process.poll() is not None:
                break
            try:
                urllib.request.urlopen(f"{self.address}/_stcore/health", timeout=1)
                return
            except (urllib.error.URLError, OSError):
                time.sleep(0.2)
        self.stop()
        raise RuntimeError(f"the application did not start: {self.log.read_text(errors='replace')[-2000:]}")

    def stop(self):
        """End the process."""
        self.process.terminate()
        self.process.wait(timeout=120)


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """One application for all browser tests, without real data."""
    running = Server(tmp_path_factory.mktemp("server"))
    yield running
    running.stop()


@pytest.fixture
def fresh_server(tmp_path):
    """An application that nobody has asked for anything."""
    running = Server(tmp_path)
    yield running
    running.stop()
