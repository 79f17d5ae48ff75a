"""The player in marimo, driven in a browser: part of ``make notebooks``.

It serves a notebook, steps, clicks and presses a key in the player, and reads in another cell what arrived in Python.
"""

import contextlib
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from support.browser import FLAGS, Watched, find_chromium  # noqa: E402

PATIENCE = 60_000  # ms
NOTEBOOK = """
import marimo
app = marimo.App()

@app.cell
def _():
    import marimo as mo
    import rcmviz as rv
    model = rv.NgramModel.from_windows("ab", 2, {("*", "a", "b"): 1.0, ("a", "b", "a"): 2.0})
    player = mo.ui.anywidget(rv.show(rv.rcms(model, [[0.5, 0.0]] * 6, budget=3), gold="ababab"))
    player
    return mo, player

@app.cell
def _(mo, player):
    mo.md(f"place {player.value['position']} {player.value['node']} of Python")
    return
"""


@contextlib.contextmanager
def marimo(folder):
    """The address of a marimo that serves the notebook."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (folder / "player.py").write_text(NOTEBOOK, encoding="utf-8")
    command = [sys.executable, "-m", "marimo", "run", "player.py", "--headless", "--no-token", "--port", str(port)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        while process.poll() is None:
            with contextlib.suppress(urllib.error.URLError, OSError):
                urllib.request.urlopen(address, timeout=1)
                break
            time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.wait()


def main():
    """Start the server, drive the browser, end both."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright, marimo(Path(name)) as address:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 1100})
        page.set_default_timeout(PATIENCE)
        watched = Watched(page)
        page.goto(address)
        page.locator(".rv-flow-details > summary").click()
        player = page.locator(".rv-flow-details .rv-player[data-ready]")
        said = page.get_by_text(re.compile("^place .* of Python$"))
        player.locator(".rv-next").click()
        player.locator(".rv-next").click()
        player.locator(".rv-tree .rv-row:visible").nth(1).click()
        expect(said).to_have_text(f"place 3 {player.get_attribute('data-node')} of Python", timeout=PATIENCE)
        page.keyboard.press("ArrowRight")
        expect(said).to_have_text("place 4 None of Python", timeout=PATIENCE)
        print("marimo: steps, clicks and keys arrive in Python")
        browser.close()
    foreign_requests = watched.foreign_requests(address, "ws:")
    assert not watched.errors, watched.errors
    assert not foreign_requests, foreign_requests


if __name__ == "__main__":
    main()
