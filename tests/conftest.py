"""Settings of hypothesis and the application's server, for all tests.

Time limits are so long that only a failure reaches them, even on a busy machine.
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
CLASS_KEY = "the-key-of-the-tests"  # opens a class on the tests' server

os.environ[WORKERS] = "0"  # train in threads: a process takes a second to start
os.environ.pop("RCMVIZ_QUIET", None)  # tests read notes

testing._get_command = cache(testing._get_command)  # build commands once, not at each call

pytest.register_assert_rewrite("support", "problems")  # show their assertions as those of tests

# The same examples in every run, no database, no deadline.
settings.register_profile(
    "rcmviz", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("rcmviz")
# Hypothesis also draws constants found in the source of loaded modules, so examples would depend on the modules loaded
# before, and every process would parse our source.
providers._get_local_constants = lambda: providers._local_constants


def pytest_collection_finish(session):
    """Exempt the libraries' and the tests' own objects from garbage collection."""
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
    """An application that has not served any request."""
    running = Server(tmp_path)
    yield running
    running.stop()
