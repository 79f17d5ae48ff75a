"""The command `app`: what it starts, and what it says where a class begins."""

import re
import socket
import subprocess
import time
import tomllib
import urllib.request
import webbrowser
from contextlib import nullcontext
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rcmviz.classroom.room import KEY_VARIABLE
from rcmviz.cli import classroom, main
from rcmviz.cli.app_server import server_command


def run(*arguments, code=0):
    """Run the command `app` and return its output."""
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
    """A process that pretends to be a server and ends by itself."""

    def __init__(self, command, cwd, env):
        self.command, self.cwd, self.env = command, cwd, env
        self.config = tomllib.loads(Path(cwd, ".streamlit", "config.toml").read_text())
        Started.last = self

    def poll(self):
        return None

    def wait(self):
        return 0


def test_the_application_is_found_and_started_on_this_machine_only(monkeypatch, port):
    monkeypatch.setattr(subprocess, "Popen", Started)
    run("--port", port, "--no-browser")
    assert KEY_VARIABLE not in Started.last.env
    assert Started.last.command[1:4] == ["-m", "uvicorn", "app:app"]
    options = dict(zip(Started.last.command[4::2], Started.last.command[5::2], strict=False))
    assert options["--host"] == "127.0.0.1" and options["--port"] == port
    folder = Path(options["--app-dir"])
    assert (folder / "app.py").is_file()
    own = tomllib.loads((folder / ".streamlit" / "config.toml").read_text())
    here = {"port": int(port), "address": "127.0.0.1", "baseUrlPath": "", "allowedHosts": ["127.0.0.1", "localhost"]}
    assert Started.last.config == own | {"server": own["server"] | here}
    assert not Path(Started.last.cwd).exists()


def test_the_browser_opens_once_the_server_answers_and_relative_data_are_found(monkeypatch, port):
    opened = []
    monkeypatch.setattr(subprocess, "Popen", Started)
    monkeypatch.setattr(urllib.request, "urlopen", lambda health, timeout: nullcontext(opened.append(health)))
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setenv("RCMVIZ_DATA", "data")
    run("--port", port, "--host", "0.0.0.0", "--base-path", "lab")
    assert opened == [f"http://localhost:{port}/lab/_stcore/health", f"http://localhost:{port}/lab"]
    assert Started.last.env["RCMVIZ_DATA"] == str(Path.cwd() / "data")


def test_a_class_has_a_key_that_only_a_file_of_this_user_shows(monkeypatch, port):
    links = []

    def there(health, timeout):
        links.append(health)
        return nullcontext()

    def kept(link, folder):
        file = private(link, folder)
        links.append(file.read_text())
        assert {path.stat().st_mode & 0o777 for path in file.parent.iterdir()} == {0o600}
        return file

    private = classroom._private_file
    monkeypatch.setattr(subprocess, "Popen", Started)
    monkeypatch.setattr(urllib.request, "urlopen", there)
    monkeypatch.setattr(classroom, "_private_file", kept)
    said = run(
        "--class",
        "--host",
        "0.0.0.0",
        "--port",
        port,
        "--no-browser",
        "--base-path",
        "/rcm/",
        "--allow-host",
        "demo.example.org",
    )
    health, link = links
    base, _, key = link.strip().partition("/class/lead#")
    assert health == f"http://localhost:{port}/rcm/_stcore/health"
    assert base == f"http://demo.example.org:{port}/rcm" and len(key) == 43
    assert Started.last.env[KEY_VARIABLE] == key and key not in " ".join(Started.last.command)
    assert key not in said and "/rcm/class" in said
    file = Path(re.search(r"is in (\S+),", said)[1])
    assert not file.parent.exists()  # the class is over
    assert "demo.example.org" in Started.last.config["server"]["allowedHosts"]
    assert Started.last.config["server"]["baseUrlPath"] == "rcm"


def test_a_port_that_is_taken_is_named():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert f"port {port} is taken" in run("--port", str(port), "--no-browser", code=2)


def test_an_invalid_address_is_named():
    for host in ("no-such-host.invalid", "192.0.2.7"):  # reserved by RFC 6761 and RFC 5737
        said = run("--host", host, "--no-browser", code=2)
        assert f"{host}, port 8501: no server can listen there" in said and "Traceback" not in said


def test_without_its_extra_the_application_says_what_to_install(monkeypatch):
    monkeypatch.setattr("rcmviz.cli.app.find_spec", lambda name: None)
    for arguments in (["app"], ["lesson", "check"]):
        result = CliRunner().invoke(main.app, arguments)
        assert result.exit_code == 2 and "pip install 'rcmviz[app]' brings it" in result.stderr


APPLICATION = """
import socket

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
    else:
        nodelay = [one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for one in sockets()]
        said = str(nodelay).encode()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(said))]})
        await send({"type": "http.response.body", "body": said})

def sockets():
    import gc
    found = [one for one in gc.get_objects() if type(one) is socket.socket and one.fileno() >= 0]
    return [one for one in found if one.type == socket.SOCK_STREAM and _has_peer(one)]

def _has_peer(one):
    try:
        return bool(one.getpeername()) and one.family in (socket.AF_INET, socket.AF_INET6)
    except OSError:
        return False
"""


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_the_server_waits_for_no_confirmation(tmp_path, port, host):
    (tmp_path / "app.py").write_text(APPLICATION)
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text(
        '[server]\naddress = "127.0.0.1"\nenableWebsocketCompression = true\n'
    )
    (tmp_path / "here").mkdir()
    command = server_command(tmp_path / "app.py", tmp_path / "here", port=int(port), address=host)
    with subprocess.Popen(command, cwd=tmp_path / "here", stderr=subprocess.PIPE, text=True) as process:
        place = f"[{host}]" if ":" in host else host
        for _ in range(600):
            try:
                said = urllib.request.urlopen(f"http://{place}:{port}/", timeout=60).read().decode()
                break
            except OSError:
                time.sleep(0.05)
        process.terminate()
    assert said == "[1]"
