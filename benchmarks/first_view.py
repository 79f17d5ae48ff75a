"""A first view of Step: a running server, a browser with an empty cache.

A server is started with kernels in the cache. A fresh browser opens Step (*first*); twelve seconds later, when all
kernels are loaded, two more do (*later*: their median). Wall milliseconds from the request until Streamlit's
page, the title and the player are drawn; CPU milliseconds of the server and of all processes of the browser.
"""

import json
import os
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from benchmarks.case import Case

REST = 12.0  # seconds until all kernels are loaded


@contextmanager
def running_server(**settings):
    """The application of this process's checkout."""
    import conftest

    with tempfile.TemporaryDirectory() as folder:
        server = conftest.Server(Path(folder), **settings)
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def running_browser():
    """A Chromium with an empty profile."""
    from playwright.sync_api import sync_playwright

    from support.browser import FLAGS, find_chromium

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


def cpu_of(pid):
    """Return the CPU milliseconds of a process, 0 if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) * 1e3 / os.sysconf("SC_CLK_TCK")


def cpu_of_browser():
    """Return the CPU milliseconds of all processes of the browser, which descend from this one."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    rows = [row for row in (line.split(None, 2) for line in listed.splitlines()) if len(row) == 3]
    ours = {str(os.getpid())}
    while more := {pid for pid, parent, _ in rows if parent in ours} - ours:
        ours |= more
    return sum(cpu_of(pid) for pid, _, arguments in rows if pid in ours and "chrom" in arguments)


def view(server):
    """The figures of one view."""
    from support.browser import DRAWN, PATIENCE

    sights = {"page": "[data-testid=stApp]", "title": "h1", "player": DRAWN}
    watch = f"""{{
        const sights = {json.dumps(sights)};
        window.seen = {{}};
        new MutationObserver(() => {{
            for (const [name, what] of Object.entries(sights))
                if (!(name in seen) && document.querySelector(what)) seen[name] = performance.now();
        }}).observe(document, {{ subtree: true, childList: true, attributes: true }});
    }}"""
    with running_browser() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(PATIENCE)
        page.add_init_script(watch)
        page.goto("about:blank")
        before = cpu_of(server.process.pid), cpu_of_browser()
        page.goto(f"{server.address}/step", wait_until="commit")
        page.wait_for_selector(DRAWN)
        spent = [now - then for now, then in zip((cpu_of(server.process.pid), cpu_of_browser()), before, strict=True)]
        seen = page.evaluate("seen")
    return {f"{name}, ms": seen[name] for name in sights} | {"server, CPU ms": spent[0], "browser, CPU ms": spent[1]}


def views(quick):
    """A first view and later ones, of a new server each time."""

    def measure():
        with running_server() as server:
            figures = {f"first: {name}": value for name, value in view(server).items()}
            if not quick:
                time.sleep(REST)
                later = [view(server) for _ in range(2)]
                figures |= {f"later: {name}": median(one[name] for one in later) for name in later[0]}
        return figures

    return measure


CASE = Case(
    "a first view of Step",
    {"Step": views},
    repeats=3,
    bounds={"first: player, ms": 1500, "later: player, ms": 1500},
    summary="median",
    warm=False,
)
