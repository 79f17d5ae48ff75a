"""Where the milliseconds of a step in the browser go.

    python benchmarks/step.py [presses] [another checkout]

Writes the player with a word of 26 letters (RCMS 10, RCMS 50, three methods side by side) and a problem of 60 positions
with 40 labels as files, presses → under Chromium's own tracing and prints, in medians over the presses, what one costs
the page's main thread (milliseconds of its processor: script, style, layout, paint, the rest), what raster and the
compositor take beside it, and how long it is from the key to the frame that shows it; and the size of each file. With
another checkout both are taken in turns in one browser; its figures stand before ours.
"""

import gzip
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests")]

from support.browser import FLAGS, find_chromium  # noqa: E402

TURNS = 3
PAUSE = 60  # milliseconds between two presses
CATEGORIES = ["devtools.timeline", "benchmark", "cc", "input", "toplevel"]
FRAME = "ProxyMain::BeginMainFrame"
KINDS = {
    "style": ("UpdateLayoutTree",),
    "layout": ("Layout", "LocalFrameView::layout", "LocalFrameView::performLayout"),
    "paint": ("PrePaint", "Paint", "Layerize", "LocalFrameView::RunPaintLifecyclePhase"),
    "script": ("FireAnimationFrame", "FunctionCall", "v8.callFunction", "MinorGC", "V8.GCScavenger"),
}
OF = {name: kind for kind, names in KINDS.items() for name in names}
COLUMNS = ("script", "style", "layout", "paint", "rest", "frame", "frames after", "all", "other threads", "to screen")


def write_views(folder):
    """The players as files; each checkout runs this with its own code."""
    import numpy as np

    import rcmviz as rv
    from rcmviz.core.transitions import Transitions
    from rcmviz.tasks.handwriting.pen import write_word
    from rcmviz.tasks.handwriting.problems import problem_from_word
    from rcmviz.views import Run

    def save(name, problem, *methods):
        runs = [
            Run(f"{method} {budget}", *problem.run(method, budget, record=method != "exact"))
            for method, budget in methods
        ]
        rv.export_html(runs, path=Path(folder, f"{name}.html"), gold=problem.gold, images=problem.images)

    letters = problem_from_word(rv.load_model("handwriting-pen"), write_word("considerationconsideration", seed=1))
    save("RCMS 10", letters, ("rcms", 10))
    save("RCMS 50", letters, ("rcms", 50))
    save("three methods", letters, ("beam", 10), ("rcms", 10), ("exact", 0))
    rng = np.random.default_rng(0)
    labels = tuple(f"{y:02d}-a-label-of-forty-characters-in-all-{y:02d}"[:40] for y in range(40))
    model = Transitions.of(rng.normal(size=(40, 40))).model(labels)
    problem = rv.Problem(model, rng.normal(size=(60, 40)), labels[:1] * 60)
    save("60 × 40, RCMS 40", problem, ("rcms", 40))
    save("60 × 40, both", problem, ("beam", 40), ("rcms", 40))


def written(checkout, folder):
    """The files that a checkout writes, by name."""
    folder.mkdir()
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    command = [sys.executable, str(Path(__file__).resolve()), "--write", str(folder)]
    subprocess.run(command, check=True, cwd=checkout, env=environment)
    return {file.stem: file for file in folder.iterdir()}


def size_text(file):
    """Kilobytes of a file, and of the data in it."""
    whole = file.read_bytes()
    data = re.search(rb'id="rv-data">(.*?)</script>', whole, re.DOTALL)[1]
    sizes = (f"{len(part) / 1000:.1f} ({len(gzip.compress(part, 5)) / 1000:.1f} compressed)" for part in (whole, data))
    return "kB: " + ", of it data ".join(sizes)


def opened(browser, file):
    """A page that shows a file, at its first position."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(file.as_uri())
    page.wait_for_selector(".rv-player[data-ready=true]")
    page.locator(".rv-player input[type=range]").first.focus()
    page.keyboard.press("Home")
    page.wait_for_timeout(700)
    return page


def traced(browser, page, presses):
    """The events of Chromium's trace while → is pressed so many times, then as often ←."""
    page.bring_to_front()
    browser.start_tracing(page=page, categories=CATEGORIES)
    for key in ("ArrowRight", "ArrowLeft"):
        for _ in range(presses):
            page.keyboard.press(key)
            page.wait_for_timeout(PAUSE)
        page.wait_for_timeout(200)
    return json.loads(browser.stop_tracing())["traceEvents"]


def costs(events):
    """Per press a row of ``COLUMNS``: milliseconds of the main thread's processor, and others, of a trace.

    The parts are those of the frame in which the step is painted. What goes on until the next press, transitions for
    instance, is in "frames after", a number, and in "all".
    """
    presses = [event for event in events if event["name"] == "EventDispatch" and is_press(event)]
    page, main = presses[0]["pid"], presses[0]["tid"]
    spans = [event for event in events if event.get("ph") == "X" and event["pid"] == page]
    own = parts([event for event in spans if event["tid"] == main])
    tasks = [event for event in spans if event["name"] in ("ThreadControllerImpl::RunTask", "ThreadPool_RunTask")]
    shown = list(latencies(events))
    starts = [press["ts"] for press in presses]
    rows = []
    for start, end in zip(starts, [*starts[1:], starts[-1] + 1000 * PAUSE], strict=True):
        frames = [event for event in spans if event["name"] == FRAME and start <= event["ts"] < end]
        if not frames:
            continue
        row = dict.fromkeys(COLUMNS, 0.0)
        first, last = frames[0]["ts"], frames[0]["ts"] + frames[0]["dur"]
        for at, kind, taken in own:
            if first <= at < last:
                row[kind] += taken
        within = [event for event in tasks if start <= event["ts"] < end]
        row["frame"] = frames[0]["tdur"] / 1000
        row["frames after"] = len(frames) - 1
        row["all"] = sum(event.get("tdur", 0) for event in within if event["tid"] == main) / 1000
        row["other threads"] = sum(event.get("tdur", 0) for event in within if event["tid"] != main) / 1000
        row["to screen"] = max((key for key in shown if key[0] <= start), default=(0, 0.0))[1]
        rows.append(row)
    return rows


def is_press(event):
    """Whether a page hears a key going down here."""
    return event["args"].get("data", {}).get("type") == "keydown"


def latencies(events):
    """(start, milliseconds until the frame that shows it is on the screen) of each key."""
    begun = {}
    for event in events:
        if event["name"] != "EventLatency":
            continue
        key = event["pid"], event["id2"]["local"]
        if event["ph"] == "b" and event["args"]["event_latency"]["event_type"] in ("KEY_PRESSED", "RAW_KEY_PRESSED"):
            begun[key] = event["ts"]
        elif event["ph"] == "e" and key in begun:
            yield begun[key], (event["ts"] - begun.pop(key)) / 1000


def parts(spans):
    """[start, part, milliseconds of the processor without what stands within] of the spans of one thread."""
    found, around = [], []
    for event in sorted(spans, key=lambda event: (event["ts"], -event["dur"])):
        while around and around[-1][0] <= event["ts"]:
            around.pop()
        taken = event.get("tdur", 0) / 1000
        if around:
            found[around[-1][1]][2] -= taken
        around.append((event["ts"] + event["dur"], len(found)))
        found.append([event["ts"], OF.get(event["name"], "rest"), taken])
    return found


def compare(browser, checkouts, presses, folder):
    """Print a table per view, a line per checkout: medians over all presses of all turns."""
    files = {path: written(path, folder / str(k)) for k, path in enumerate(checkouts)}
    for view in sorted(files[checkouts[0]]):
        found = {path: [] for path in checkouts}
        for _ in range(TURNS):
            for path, rows in found.items():
                page = opened(browser, files[path][view])
                traced(browser, page, 5)  # what is compiled, is
                rows += costs(traced(browser, page, presses))
                page.close()
        print(f"\n{view}\n{'':24}" + "".join(f"{column:>14}" for column in COLUMNS))
        for path, rows in found.items():
            medians = [statistics.median(row[column] for row in rows) for column in COLUMNS]
            print(f"{path.name[-23:]:24}" + "".join(f"{median:14.1f}" for median in medians))
            print(f"{'':24}{size_text(files[path][view])}", flush=True)


def main(presses, other=None):
    """Compare the players of this checkout and another one."""
    checkouts = [ROOT] if other is None else [Path(other).resolve(), ROOT]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        try:
            compare(browser, checkouts, presses, Path(folder))
        finally:
            browser.close()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        write_views(sys.argv[2])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 20, *sys.argv[2:3])
