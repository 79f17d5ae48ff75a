"""CPU time of a step of the player in the browser.

The player is written as a file, with a word of 26 letters or a problem of 60 positions and 40 labels, and → and ← are
pressed under Chromium's tracing. Medians over the presses: milliseconds of CPU time of the page's main thread in the
frame that paints the step (script, style, layout, paint, rest), until the next press 60 ms later (*all*), and wall
milliseconds from the key to the frame on the screen; and the size of the file.
"""

import json
import tempfile
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.case import Case
from benchmarks.first_view import running_browser

PRESSES, QUICK, PAUSE = 20, 3, 60  # milliseconds between two presses
CATEGORIES = ["devtools.timeline", "benchmark", "cc", "input", "toplevel"]
FRAME = "ProxyMain::BeginMainFrame"
KINDS = {
    "style": ("UpdateLayoutTree",),
    "layout": ("Layout", "LocalFrameView::layout", "LocalFrameView::performLayout"),
    "paint": ("PrePaint", "Paint", "Layerize", "LocalFrameView::RunPaintLifecyclePhase"),
    "script": ("FireAnimationFrame", "FunctionCall", "v8.callFunction", "MinorGC", "V8.GCScavenger"),
}
KIND_OF = {name: kind for kind, names in KINDS.items() for name in names}
PARTS = ("script", "style", "layout", "paint", "rest", "frame", "all")


def letters():
    """A word of the pen."""
    import rcmviz as rv
    from rcmviz.tasks.handwriting.pen import write_word
    from rcmviz.tasks.handwriting.problems import problem_from_word

    return problem_from_word(rv.load_model("handwriting-pen"), write_word("considerationconsideration", seed=1))


def many_labels():
    """60 positions, 40 labels of 40 characters."""
    import numpy as np

    import rcmviz as rv
    from rcmviz.core.models.transitions import Transitions

    rng = np.random.default_rng(0)
    labels = tuple(f"{y:02d}-a-label-of-forty-characters-in-all-{y:02d}"[:40] for y in range(40))
    model = Transitions.of(rng.normal(size=(40, 40))).model(labels)
    return rv.Problem(model, rng.normal(size=(60, 40)), labels[:1] * 60)


def write_view(problem, methods, path):
    """The player as a file."""
    from rcmviz.views import Run, build_payload
    from rcmviz.views.shared.export import page

    runs = [
        Run(f"{method} {budget}", *problem.run(method, budget, record=method != "exact")) for method, budget in methods
    ]
    payload = build_payload(None, runs, gold=problem.gold, images=problem.images)
    path.write_text(page(payload, "player", "player"), encoding="utf-8")


def open_page(browser, file):
    """A page that shows a file, at its first position."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(file.as_uri())
    page.wait_for_selector(".rv-player[data-ready=true]")
    page.locator(".rv-player input[type=range]").first.focus()
    page.keyboard.press("Home")
    page.wait_for_timeout(700)
    return page


def trace_key_presses(browser, page, presses):
    """The events of Chromium's trace while → is pressed, then as often ←."""
    browser.start_tracing(page=page, categories=CATEGORIES)
    for key in ("ArrowRight", "ArrowLeft"):
        for _ in range(presses):
            page.keyboard.press(key)
            page.wait_for_timeout(PAUSE)
        page.wait_for_timeout(200)
    return json.loads(browser.stop_tracing())["traceEvents"]


def costs(events):
    """Return the figures of each key press of a trace; *rest* is the time in a frame outside of the other parts."""
    presses = [event for event in events if event["name"] == "EventDispatch" and is_press(event)]
    page, main = presses[0]["pid"], presses[0]["tid"]
    spans = [event for event in events if (event.get("ph"), event["pid"], event["tid"]) == ("X", page, main)]
    own = own_times(spans)
    shown = list(latencies(events))
    starts = [press["ts"] for press in presses]
    for start, end in zip(starts, [*starts[1:], starts[-1] + 1000 * PAUSE], strict=True):
        frame = next((event for event in spans if event["name"] == FRAME and start <= event["ts"] < end), None)
        if frame is None:
            continue
        row = dict.fromkeys(PARTS, 0.0)
        for at, kind, taken in own:
            if frame["ts"] <= at < frame["ts"] + frame["dur"]:
                row[kind] += taken
        row["frame"] = frame["tdur"] / 1000
        tasks = (event for event in spans if event["name"] == "ThreadControllerImpl::RunTask")
        row["all"] = sum(event.get("tdur", 0) for event in tasks if start <= event["ts"] < end) / 1000
        latency = max((key for key in shown if key[0] <= start), default=(0, 0.0))[1]
        yield {f"{part}, CPU ms": row[part] for part in PARTS} | {"to the screen, ms": latency}


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


def own_times(spans):
    """[start, part, CPU milliseconds without nested spans] of the spans of one thread."""
    found, around = [], []
    for event in sorted(spans, key=lambda event: (event["ts"], -event["dur"])):
        while around and around[-1][0] <= event["ts"]:
            around.pop()
        taken = event.get("tdur", 0) / 1000
        if around:
            found[around[-1][1]][2] -= taken
        around.append((event["ts"] + event["dur"], len(found)))
        found.append([event["ts"], KIND_OF.get(event["name"], "rest"), taken])
    return found


def key_press_measurement(problem, methods, quick):
    """The figures of a view, a new page each time."""
    presses = QUICK if quick else PRESSES

    def measure():
        with tempfile.TemporaryDirectory() as folder, running_browser() as browser:
            file = Path(folder, "view.html")
            write_view(problem(), methods, file)
            page = open_page(browser, file)
            trace_key_presses(browser, page, 5)  # compile scripts
            rows = list(costs(trace_key_presses(browser, page, presses)))
            size = file.stat().st_size
        return {name: median(row[name] for row in rows) for name in rows[0]} | {"file, kB": size / 1000}

    return measure


VIEWS = {
    "RCMS 10": (letters, [("rcms", 10)]),
    "RCMS 50": (letters, [("rcms", 50)]),
    "beam, RCMS, exact": (letters, [("beam", 10), ("rcms", 10), ("exact", 0)]),
    "60 × 40, RCMS 40": (many_labels, [("rcms", 40)]),
    "60 × 40, beam and RCMS": (many_labels, [("beam", 40), ("rcms", 40)]),
}
CASE = Case(
    "a step in the browser",
    {name: partial(key_press_measurement, *view) for name, view in VIEWS.items()},
    repeats=3,
    bounds={"to the screen, ms": 50},
    summary="median",
    warm=False,
)
