"""How long a step takes until it is painted, and what it asks of the server.

    python benchmarks/browser.py [presses] [steps | machines]

Starts the application, opens Step on long pen words, three methods side by side and a problem of 60 positions with 40
labels of 40 characters, presses → and reads the player's own measure from key to the frame after the paint; then the
same while three trainings of the Learn page run. Last come the time machines, Field's beside Decipher's. Prints
medians, worst cases and websocket frames; of one part if named.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from conftest import Server  # noqa: E402
from pages.word.runs import pack_problem  # noqa: E402
from rcmviz.core.problem import Problem  # noqa: E402
from rcmviz.core.transitions import Transitions  # noqa: E402
from support.browser import FLAGS, PATIENCE, find_chromium  # noqa: E402

LONG = "considerationconsideration"
VIEWS = {
    "RCMS 10": f"step?word={LONG}&seed=1&budget=10",
    "RCMS 50": f"step?word={LONG}&seed=1&budget=50",
    "beam, RCMS, exact": f"compare?word={LONG}&seed=1&runs=beam:10,rcms:10,exact",
}
MACHINES = {
    "Decipher": "decipher?at=20",
    "Field, learning": "field?view=learning",
    "Field, tightening": "field",
}
TRAINING = "learn?data=pen:300:0&runs=rcms:10,beam:10,exact&epochs=200"


def large_problem():
    """A problem as it stands in a link: the name that it is kept by, for it is too large."""
    rng = np.random.default_rng(0)
    labels = tuple(f"{y:02d}-a-label-of-forty-characters-in-all-{y:02d}"[:40] for y in range(40))
    model = Transitions.of(rng.normal(size=(40, 40))).model(labels)
    return pack_problem(Problem(model, rng.normal(size=(60, 40)), labels[:1] * 60).to_json())


def opened(browser, address, frames):
    """A page that shows a view, and how long that took."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: frames.append(frame)))
    page.set_default_timeout(PATIENCE)
    start = time.perf_counter()
    page.goto(address)
    page.wait_for_selector(".rv-player[data-ready=true]")
    return page, time.perf_counter() - start


def step_times(page, presses):
    """Milliseconds from key to painted frame, one per press."""
    page.locator(".rv-player input[type=range]").first.focus()
    page.keyboard.press("Home")
    page.wait_for_timeout(500)
    page.evaluate("performance.clearMeasures('rv-step')")
    for number in range(presses):
        page.keyboard.press("ArrowRight" if number // 15 % 2 == 0 else "ArrowLeft")
        page.wait_for_timeout(60)
    return page.evaluate("performance.getEntriesByName('rv-step').map(entry => entry.duration)")


def while_training(browser, address, presses):
    """Milliseconds per step on the Step page, idle and while this session trains three methods, one after the other."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{address}/{TRAINING}")
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
    times = {}
    for state, button in (("training", "Start"), ("paused", "Pause")):
        page.get_by_role("button", name=button).click()
        page.wait_for_function(
            "state => document.querySelector('.rv-legend-item')?.innerText.includes(state)", arg=state, timeout=60_000
        )
        page.get_by_role("link", name="Step").last.click()
        page.wait_for_selector(".rv-player[data-position]")
        page.wait_for_timeout(2_000)
        times[state] = step_times(page, presses)
        page.get_by_role("link", name="Learn").last.click()
        page.wait_for_selector(".rv-learning[data-ready=true]")
    page.close()
    return times


def steps(browser, address, presses):
    """Print one line per view, and one for a step beside a training."""
    own = f"your_example?problem={large_problem()}&runs="
    large = {"60 × 40, RCMS 40": own + "rcms:40", "60 × 40, both": own + "beam:40,rcms:40"}
    for name, link in (VIEWS | large).items():
        frames = []
        page, first = opened(browser, f"{address}/{link}", frames)
        page.wait_for_timeout(2_000)
        frames.clear()
        times = step_times(page, presses)
        print(
            f"{name:18} first view {first:.1f} s · step median {statistics.median(times):.0f} ms, "
            f"worst {max(times):.0f} ms · {len(times)} paints, {len(frames)} frames sent in {presses} presses"
        )
        page.close()
    times = while_training(browser, address, presses)
    busy, idle = (statistics.median(times[state]) for state in ("training", "paused"))
    print(f"a step while three trainings run {busy:.0f} ms, paused {idle:.0f} ms: {busy / idle:.2f} times")


def machines(browser, address, presses):
    """Print one line per time machine: what a step takes, as a share of Decipher's too; taken in turns."""
    pages = {name: opened(browser, f"{address}/{link}", [])[0] for name, link in MACHINES.items()}
    times = {name: [] for name in pages}
    for page in pages.values():
        page.wait_for_function("document.querySelector('.rv-player input[type=range]')?.max > 10")
    for _ in range(3):
        for name, page in pages.items():
            page.bring_to_front()
            times[name] += step_times(page, presses)
    usual = statistics.median(times["Decipher"])
    for name, found in times.items():
        median = statistics.median(found)
        print(f"{name:18} step median {median:.0f} ms, worst {max(found):.0f} ms: {median / usual:.2f} × Decipher")


def main(presses, part=None):
    """Print what each part has to say, or the one that is named."""
    parts = {"steps": steps, "machines": machines}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        start = time.perf_counter()
        server = Server(Path(folder))
        print(f"warm start of the server: {time.perf_counter() - start:.1f} s")
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        try:
            for name in [part] if part else parts:
                parts[name](browser, server.address, presses)
        finally:
            browser.close()
            server.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40, *sys.argv[2:3])
