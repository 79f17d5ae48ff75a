"""Check that every part that a step of the course names is visible and uncovered, in a running application.

    rcmviz app --no-browser --port 8501 &
    python scripts/lessons_in_sight.py http://127.0.0.1:8501 [LESSON …]

It opens every step at 1280 × 800 and 390 × 844, prints parts that are missing, empty or covered, and ends with code 1
if there are any. ``--shots FOLDER`` keeps a picture of each step.
"""

import argparse
import re
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

import rcmviz.views
from rcmviz.lessons import course

SIZES = (1280, 800), (390, 844)
PARTS = Path(rcmviz.views.__file__).parent / "lesson" / "parts.js"
REST = '[data-testid="stApp"][data-test-script-state="notRunning"]'
# A part is in sight if, scrolled to, most of the points of a grid over its free area belong to it or to its content.
IN_SIGHT = """([parts, names]) => {
    const dock = document.querySelector(".rv-dock").getBoundingClientRect();
    const isSheet = innerWidth < 1280;
    const [start, end] = isSheet ? [0, dock.top] : [dock.right, innerHeight];
    const free = { left: start, top: 60, right: innerWidth, bottom: end };
    const faults = [];
    for (const name of names) {
        const nodes = [...document.querySelectorAll(parts[name])]
            .filter(node => node.checkVisibility({ visibilityProperty: true }) && node.offsetHeight > 0);
        if (!nodes.length) { faults.push(`${name}: missing`); continue; }
        const node = nodes[0];
        node.scrollIntoView({ block: "start" });
        const main = node.closest("[data-testid=stMain]");
        if (main) main.scrollTop -= Math.max(0, 170 - node.getBoundingClientRect().top);
        const box = node.getBoundingClientRect();
        const [left, right] = [Math.max(box.left, free.left), Math.min(box.right, free.right)];
        const [top, bottom] = [Math.max(box.top, free.top), Math.min(box.bottom, free.bottom)];
        if (right - left < 40 || bottom - top < Math.min(16, box.height)) { faults.push(`${name}: outside`); continue; }
        let own = 0;
        for (let k = 0; k < 25; k += 1) {
            const x = left + (right - left) * (0.1 + 0.2 * (k % 5));
            const y = top + (bottom - top) * (0.1 + 0.2 * Math.floor(k / 5));
            const hit = document.elementFromPoint(x, y);
            own += Boolean(hit && (node.contains(hit) || hit.contains(node)));
        }
        if (own < 23) faults.push(`${name}: ${25 - own} of 25 points are covered`);
    }
    return faults;
}"""
SELECTORS = """source => new Function(source)()"""
FIGURE = """() => {
    const figure = document.querySelector(".rv-figure");
    if (!figure) return ["figure: missing"];
    const over = figure.scrollHeight - figure.clientHeight;
    return over > 1 ? [`figure: ${over} pixels need scrolling`] : [];
}"""


def main() -> None:
    """Print the faults of every step and end with code 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("address")
    parser.add_argument("lessons", nargs="*")
    parser.add_argument("--shots", type=Path)
    given = parser.parse_args()
    steps = [(lesson, part) for lesson in course() for part in range(1, len(lesson.steps) + 1)]
    steps = [(lesson, part) for lesson, part in steps if not given.lessons or lesson.name in given.lessons]
    faulty = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.set_default_timeout(120_000)
        for lesson, part in steps:
            for name, size, faults in check_step(page, given, lesson, part):
                faulty += bool(faults)
                for fault in faults:
                    print(f"{name} at {size}: {fault}", flush=True)
        browser.close()
    print(f"{len(steps)} steps, {len(SIZES)} sizes: {faulty} with faults")
    sys.exit(faulty > 0)


def check_step(page, given, lesson, part):
    """Yield (name, size, faults) of a step at every size."""
    step = lesson.steps[part - 1]
    page.set_viewport_size(dict(zip(("width", "height"), SIZES[0], strict=True)))
    page.goto(f"{given.address}/lessons?lesson={lesson.name}&part={part}")
    page.wait_for_selector(f'.rv-lesson[data-part="{part}"]:not([data-moves])', state="attached")
    if "settings" not in step.parts:  # a training that is not started has no view yet
        page.wait_for_selector(".rv-player", state="attached")
    source = re.sub(r"^import .*$|^export ", "", PARTS.read_text(), flags=re.MULTILINE) + "\nreturn PARTS;"
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(700)
        page.wait_for_selector(REST, state="attached")
        page.wait_for_timeout(300)
        if given.shots:
            given.shots.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=given.shots / f"{width}-{lesson.number:02d}-{part:02d}.png")
        parts = page.evaluate(SELECTORS, source)
        faults = page.evaluate(FIGURE if step.figure else IN_SIGHT, [parts, list(step.parts)])
        if step.points and width == SIZES[0][0] and page.locator(".rv-ring:visible").count() == 0:
            faults.append(f"nothing is ringed: {', '.join(step.points)}")
        yield f"{lesson.name} {part}", f"{width} × {height}", faults


if __name__ == "__main__":
    main()
