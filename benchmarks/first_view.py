"""How long a first view takes: a server that is up, a browser that has never been there.

    python benchmarks/first_view.py [rounds] [another checkout]

In each round a server is started, with kernels in the cache. A fresh browser opens Step, then, twelve seconds later,
two more do. Prints medians and least values of all rounds: milliseconds of the clock from the address until Streamlit's
page, the title and the player stand, and milliseconds of the processor that server, browser (all processes) and the
page's own process took. With another checkout, where `rcmviz warmup` has been run, both are taken in turns; its figures
stand before ours.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import conftest  # noqa: E402
from support.browser import DRAWN, FLAGS, PATIENCE, find_chromium  # noqa: E402

REST = 12.0  # seconds until all kernels are loaded
COLUMNS = ("page", "title", "drawn", "server", "browser", "renderer")
SIGHTS = {"page": "[data-testid=stApp]", "title": "h1", "drawn": DRAWN}
WATCH = """{
    const sights = SIGHTS;
    window.seen = {};
    new MutationObserver(() => {
        for (const [name, what] of Object.entries(sights))
            if (!(name in seen) && document.querySelector(what)) seen[name] = performance.now();
    }).observe(document, { subtree: true, childList: true, attributes: true });
}""".replace("SIGHTS", json.dumps(SIGHTS))


def processor(process):
    """Milliseconds that a process has had of it; 0 where it is gone."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) * 1e3 / os.sysconf("SC_CLK_TCK")


def of_browser():
    """(milliseconds of all its processes, of those that draw pages)."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines() if len(line.split(None, 2)) == 3]
    ours = {str(os.getpid())}
    while more := {pid for pid, parent, *_ in rows if parent in ours} - ours:
        ours |= more
    took = [(processor(pid), args) for pid, _, args in rows if pid in ours and "chrom" in args]
    return sum(spent for spent, _ in took), sum(spent for spent, args in took if "--type=renderer" in args)


def view(playwright, server):
    """One row of ``COLUMNS``, of a browser that has never been there."""
    browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(PATIENCE)
    page.add_init_script(WATCH)
    page.goto("about:blank")
    before = processor(server.process.pid), *of_browser()
    page.goto(f"{server.address}/step", wait_until="commit")
    page.wait_for_selector(DRAWN)
    after = processor(server.process.pid), *of_browser()
    seen = page.evaluate("seen")
    browser.close()
    return [*(seen[name] for name in SIGHTS), *(now - then for now, then in zip(after, before, strict=True))]


def main(rounds, *checkouts):
    """Print a table for the first view of a server and one for later ones."""
    trees = [*map(Path, checkouts), ROOT]
    rows = {(tree, later): [] for tree in trees for later in (False, True)}
    with sync_playwright() as playwright:
        for number in range(rounds):
            for tree in trees if number % 2 else reversed(trees):
                conftest.ROOT = tree
                with tempfile.TemporaryDirectory() as folder:
                    server = conftest.Server(Path(folder))
                    try:
                        rows[tree, False].append(view(playwright, server))
                        time.sleep(REST)
                        rows[tree, True] += [view(playwright, server) for _ in range(2)]
                    finally:
                        server.stop()
    print(f"load {os.getloadavg()[0]:.0f}; ms, median (least)   " + "".join(f"{name:>16}" for name in COLUMNS))
    for later in (False, True):
        for tree in trees:
            cells = [
                f"{statistics.median(column):.0f} ({min(column):.0f})"
                for column in zip(*rows[tree, later], strict=True)
            ]
            print(f"{'later' if later else 'first'} {tree!s:<30.30} " + "".join(f"{cell:>16}" for cell in cells))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4, *sys.argv[2:3])
