"""The command `app`: what it starts, and what it says where a class begins."""

import re
import socket
import subprocess
import urllib.request
from contextlib import nullcontext
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rcmviz.classroom.room import KEY_VARIABLE
from rcmviz.cli import classroom, main


def run(*arguments, code=0):
    """What the command `app` says."""
    result = CliRunner().invoke(main.app, ["app", *arguments], env={"COLUMNS": "120", "NO_COLOR": "1"})
    assert result.exit_code == code, result.output + str(result.exception)
    return result.output


@pytest.fixture
def port():
    """A port that is free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


class Started:
    """A server that is said to have started, and ends by itself."""

    def __init__(self, command, cwd, env):
        self.command, self.cwd, self.env = command, cwd, env
        Started.last = self

    def poll(self):
        return None

    def wait(self):
        return 0

    def options(self):
        """Those of the server, by name."""
        given = self.command[5:]
        return [(name.removeprefix("--server."), value) for name, value in zip(given[::2], given[1::2], strict=True)]


def test_the_application_is_found_and_started_on_this_machine_only(monkeypatch, port):
    monkeypatch.setattr(subprocess, "Popen", Started)
    run("--port", port, "--no-browser")
    assert (Started.last.cwd / "app.py").is_file() and KEY_VARIABLE not in Started.last.env
    assert Started.last.command[1:5] == ["-m", "streamlit", "run", "app.py"]
    assert Started.last.options() == [
        ("port", port), ("address", "127.0.0.1"), ("headless", "true"), ("baseUrlPath", ""),
        ("allowedHosts", "127.0.0.1"), ("allowedHosts", "localhost"),
    ]  # fmt: skip


def test_a_class_has_a_key_that_only_a_file_of_this_user_shows(monkeypatch, port):
    links = []

    def there(health, timeout):
        links.append(health)
        return nullcontext()

    def kept(link):
        file = private(link)
        links.append(file.read_text())
        assert {path.stat().st_mode & 0o777 for path in file.parent.iterdir()} == {0o600}
        return file

    private = classroom._private_file
    monkeypatch.setattr(subprocess, "Popen", Started)
    monkeypatch.setattr(urllib.request, "urlopen", there)
    monkeypatch.setattr(classroom, "_private_file", kept)
    said = run(
        "--class", "--host", "0.0.0.0", "--port", port, "--no-browser", "--base-path", "/rcm/",
        "--allow-host", "demo.example.org",
    )  # fmt: skip
    health, link = links
    base, _, key = link.strip().partition("/class/lead#")
    assert health == f"http://localhost:{port}/rcm/_stcore/health"
    assert base == f"http://demo.example.org:{port}/rcm" and len(key) == 43
    assert Started.last.env[KEY_VARIABLE] == key and key not in " ".join(Started.last.command)
    assert key not in said and "/rcm/class" in said
    file = Path(re.search(r"stands in (\S+),", said)[1])
    assert not file.parent.exists()  # the class is over
    assert ("allowedHosts", "demo.example.org") in Started.last.options()
    assert ("baseUrlPath", "rcm") in Started.last.options()


def test_a_port_that_is_taken_is_named():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert f"port {port} is taken" in run("--port", str(port), "--no-browser", code=2)


def test_an_address_that_is_none_is_named():
    for host in ("no-such-host.invalid", "192.0.2.7"):  # of nobody, RFC 6761 and RFC 5737
        said = run("--host", host, "--no-browser", code=2)
        assert f"{host}, port 8501: no server can listen there" in said and "Traceback" not in said


def test_without_its_extra_the_application_says_what_to_install(monkeypatch):
    monkeypatch.setattr("rcmviz.cli.app.find_spec", lambda name: None)
    for arguments in (["app"], ["lesson", "check"]):
        result = CliRunner().invoke(main.app, arguments)
        assert result.exit_code == 2 and "pip install 'rcmviz[app]' brings it" in result.stderr
