"""CPU time of the mass-flow picture in the browser while it plays, is scrubbed or stepped.

The picture, as a file and on the pages Step and Compare, is played through one position under Chromium's tracing,
without a GPU. Milliseconds: CPU time of the page's main thread in a frame (median and 95 %), the time between two
frames as the page sees them, CPU time from a key to the first frame that moves (95 %), and the time until that frame is
on the screen; and kilobytes of the payload, compressed.
"""

import gzip
import json
import tempfile
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.case import Case
from benchmarks.first_view import running_browser, running_server
from benchmarks.step import CATEGORIES, FRAME, is_press, latencies, letters, many_labels

SECONDS, QUICK = 9, 2  # a position plays for 9.2 s
PRESSES = 8
INTERVALS = """seconds => new Promise(done => {
    const times = [];
    const look = now => {
        times.push(now);
        if (now - times[0] < 1000 * seconds) requestAnimationFrame(look);
        else done(times.slice(1).map((time, k) => time - times[k]));
    };
    requestAnimationFrame(look);
})"""


def many_contexts():
    """Twelve positions, 26 labels and weights such that no context stands out."""
    import numpy as np

    import rcmviz as rv

    rng = np.random.default_rng(3)
    labels = "abcdefghijklmnopqrstuvwxyz"
    windows = {("*", a, b): float(rng.normal()) for a in labels for b in labels}
    return rv.Problem(
        rv.NgramModel.from_windows(labels, 2, windows), rng.normal(0, 1.2, (12, 26)), tuple("considerably")
    )


def write_picture(problem, budget, path):
    """Beam search and RCMS as a file; returns the size of the payload, compressed."""
    from rcmviz.views import Run
    from rcmviz.views.mass_flow.payload import build_mass_flow
    from rcmviz.views.shared.export import page

    runs = [Run(f"{method} {budget}", *problem.run(method, budget)) for method in ("beam", "rcms")]
    payload = build_mass_flow(None, runs, gold=problem.gold, images=problem.images)
    path.write_text(page(payload, "mass flow", "mass_flow"), encoding="utf-8")
    return len(gzip.compress(json.dumps(payload, separators=(",", ":")).encode(), 6))


def frames_of(events):
    """CPU milliseconds of the page's main thread in each frame of a trace."""
    press = next(event for event in events if event["name"] == "EventDispatch" and is_press(event))
    own = [
        event for event in events if (event.get("ph"), event["pid"], event["tid"]) == ("X", press["pid"], press["tid"])
    ]
    return [event["tdur"] / 1000 for event in own if event["name"] == FRAME and event["ts"] >= press["ts"]]


def first_frames(events):
    """CPU milliseconds of each key: of its handler, and of the larger of the two frames after it."""
    presses = [event for event in events if event["name"] == "EventDispatch" and is_press(event)]
    page = presses[0]["pid"]
    frames = [event for event in events if event["name"] == FRAME and event["pid"] == page and "tdur" in event]
    for press, following in zip(presses, [*presses[1:], None], strict=True):
        end = following["ts"] if following else float("inf")
        own = sorted((event["ts"], event["tdur"]) for event in frames if press["ts"] <= event["ts"] < end)[:2]
        if own:
            yield (press.get("tdur", 0) + max(taken for _, taken in own)) / 1000


def high(values):
    """Return the 95th percentile."""
    return sorted(values)[int(0.95 * (len(values) - 1))]


def picture_measurement(problem, budget, quick):
    """The figures of a picture, a new page each time."""

    def measure():
        with tempfile.TemporaryDirectory() as folder, running_browser() as browser:
            file = Path(folder, "picture.html")
            size = write_picture(problem(), budget, file)
            found = figures(browser, f"{file.as_uri()}?pos=4&phase=settle", quick)
        return found | {"payload, kB compressed": size / 1000}

    return measure


def page_measurement(link, quick):
    """The figures of the picture on a page of the application, a new server each time."""

    def measure():
        with running_server() as server, running_browser() as browser:
            return figures(browser, f"{server.address}/{link}&pos=4&phase=settle", quick)

    return measure


def figures(browser, address, quick):
    """What the picture at an address costs while it plays, and when it is stepped."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(address)
    page.wait_for_selector(".rv-flow[data-ready=true]")
    page.keyboard.press(" ")
    page.wait_for_timeout(2000)  # scripts are compiled, and a page has come to rest
    page.keyboard.press(" ")
    browser.start_tracing(page=page, categories=CATEGORIES)
    page.keyboard.press(" ")
    between = page.evaluate(INTERVALS, QUICK if quick else SECONDS)
    page.keyboard.press(" ")
    frames = frames_of(json.loads(browser.stop_tracing())["traceEvents"])
    browser.start_tracing(page=page, categories=CATEGORIES)
    for _ in range(PRESSES):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(300)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    shown = [taken for _, taken in latencies(events)]
    return {
        "a frame, CPU ms": median(frames),
        "a frame, CPU ms, 95 %": high(frames),
        "between frames, ms": median(between),
        "between frames, ms, 95 %": high(between),
        "key to its first frame, CPU ms, 95 %": high(list(first_frames(events))),
        "key to the screen, ms": median(shown),
    }


PAGES = {
    "Step, budget 50": "step?word=considerably&method=rcms&budget=50",
    "Compare, budget 50": "compare?word=considerably&runs=beam:50,rcms:50",
}
PICTURES = {
    "26 letters, budget 20": (letters, 20),
    "12 × 26, budget 50": (many_contexts, 50),
    "60 × 40, budget 20": (many_labels, 20),
}
CASE = Case(
    "the mass-flow picture in the browser",
    {name: partial(picture_measurement, *picture) for name, picture in PICTURES.items()}
    | {name: partial(page_measurement, link) for name, link in PAGES.items()},
    repeats=3,
    bounds={
        "a frame, CPU ms": 16.7,
        "key to its first frame, CPU ms, 95 %": 16.7,
        "between frames, ms": 17,
        "payload, kB compressed": 60,
    },
    summary="median",
    warm=False,
)
