"""The player in JupyterLab, driven in a browser as a person would: part of ``make notebooks``, too heavy for CI.

It starts JupyterLab without a network, runs a notebook, steps and clicks in the player, reads both in Python, moves the
player from Python, and presses keys inside and outside. An error of the page, or a request to another host, fails.
``--picture FILE`` writes what it looked like.
"""

import argparse
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

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from support.browser import FLAGS, Watched, find_chromium  # noqa: E402

CELLS = (
    "import rcmviz as rv\n"
    "model = rv.NgramModel.from_windows('ab', 2, {('*', 'a', 'b'): 1.0, ('a', 'b', 'a'): 2.0})\n"
    "player = rv.show(rv.rcms(model, [[0.5, 0.0]] * 6, budget=3), gold='ababab')\n"
    "player",
    "print('place', player.position, player.node)",
    "player.position, player.node = 5, None",
)
PATIENCE = 60_000  # ms


@contextlib.contextmanager
def jupyterlab(folder):
    """The address of a JupyterLab that serves the folder."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = [f"--port={port}", "--no-browser", "--allow-root", "--IdentityProvider.token=", "--ip=127.0.0.1"]
    options += [f"--ServerApp.root_dir={folder}", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    homes = {name: str(folder / ".jupyter") for name in ("JUPYTER_CONFIG_DIR", "JUPYTERLAB_SETTINGS_DIR")}
    environment = os.environ | homes | {"PYTHONPATH": str(ROOT)}
    log = (folder / "lab.log").open("wb")
    process = subprocess.Popen([sys.executable, "-m", "jupyterlab", *options], env=environment, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            with contextlib.suppress(urllib.error.URLError, OSError):
                urllib.request.urlopen(f"{address}/api", timeout=1)
                break
            if process.poll() is not None:
                raise RuntimeError((folder / "lab.log").read_text())
            time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.wait()


def run_cell(page, number):
    """Run a cell and wait for its end."""
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(number)
    cell.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    expect(cell.locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]:"), timeout=PATIENCE)
    return cell


def place(page, number=1):
    """Return the player's state in Python."""
    return run_cell(page, number).locator(".jp-OutputArea-output").last.inner_text().strip()


def drive(page):
    """Use the player from the page and from Python."""
    run_cell(page, 0)
    page.locator(".jp-OutputArea .rv-flow-details > summary").click(timeout=PATIENCE)
    player = page.locator(".jp-OutputArea .rv-flow-details .rv-player[data-ready]")
    expect(player).to_have_attribute("data-position", "1", timeout=PATIENCE)
    player.locator(".rv-next").click()
    player.locator(".rv-next").click()
    player.locator(".rv-tree .rv-row:visible").nth(1).click()
    name = player.get_attribute("data-node")
    page.wait_for_timeout(1000)  # 0.3 s of rest, and the way to Python
    assert place(page) == f"place 3 {name}", place(page)
    print(f"a person steps and clicks, Python reads: position 3, node {name}")
    run_cell(page, 2)
    expect(player).to_have_attribute("data-position", "5")
    expect(player).to_have_attribute("data-node", "")
    print("Python sets position 5, the player goes there")
    player.locator(".rv-panel-title:visible").first.click()
    page.keyboard.press("ArrowLeft")
    expect(player).to_have_attribute("data-position", "4")
    cells = page.locator(".jp-Notebook .jp-Cell").count()
    page.keyboard.press("b")  # in JupyterLab: a new cell below
    page.wait_for_timeout(300)
    assert page.locator(".jp-Notebook .jp-Cell").count() == cells
    page.locator(".jp-Notebook .jp-CodeCell").nth(1).locator(".jp-InputPrompt").click()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    expect(player).to_have_attribute("data-position", "4")
    print("keys pressed in the player are the player's, others are JupyterLab's")


def main():
    """Start, drive, end."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--picture")
    picture = parser.parse_args().picture
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        cells = [new_code_cell(code) for code in CELLS]
        nbformat.write(new_notebook(cells=cells, metadata=kernel), folder / "try.ipynb")
        with jupyterlab(folder) as address:
            browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
            page = browser.new_page(viewport={"width": 1280, "height": 1400})
            page.set_default_timeout(PATIENCE)
            watched = Watched(page)
            page.goto(f"{address}/lab/tree/try.ipynb")
            page.wait_for_selector(".jp-Notebook .jp-CodeCell .cm-content")
            page.get_by_text("| Idle").wait_for()  # messages to a starting kernel are lost
            try:
                drive(page)
            finally:
                if picture:
                    page.screenshot(path=picture)
            browser.close()
    foreign_requests = watched.foreign_requests(address, address.replace("http", "ws"))
    assert not watched.errors, watched.errors
    assert not foreign_requests, foreign_requests


if __name__ == "__main__":
    main()
