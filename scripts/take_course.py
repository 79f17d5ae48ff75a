"""Take the course by its tasks, in a running application and in exported files.

    rcmviz app --no-browser --port 8501 &
    python scripts/take_course.py http://127.0.0.1:8501 [LESSON …]
    python scripts/take_course.py file [LESSON …]

Questions with options get the right one; other tasks are failed once and solved by "Show me". Predictions are left
out: they need a quiz. The script prints the tasks that are not done, and ends with code 1 if there are any.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import TimeoutError as TooLong
from playwright.sync_api import sync_playwright

from pages.lessons.exporting import export_lesson
from pages.lessons.tasks import compile_condition
from rcmviz.lessons import course

PATIENCE = 40_000  # milliseconds
TRY = """() => {
    document.body.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    document.dispatchEvent(new CustomEvent("rv-place"));
}"""


def main() -> None:
    """Take every task and end with code 1 if one is not done."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("address", help='of the application, or "file"')
    parser.add_argument("lessons", nargs="*")
    given = parser.parse_args()
    taken, failed, left = 0, [], 0
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: failed.append(f"uncaught: {error}"))
        for lesson in course():
            if given.lessons and lesson.name not in given.lessons:
                continue
            file = Path(folder, f"{lesson.name}.html")
            if given.address == "file":
                file.write_text(export_lesson(lesson), encoding="utf-8")
            for part, step in enumerate(lesson.steps, 1):
                if step.task is None or step.task.kind == "predict":
                    left += step.task is not None
                    continue
                live = f"{given.address}/lessons?lesson={lesson.name}&part={part}"
                page.goto(f"{file.as_uri()}?part={part}" if given.address == "file" else live)
                taken += 1
                try:
                    take(page, step, part)
                except TooLong:
                    said = page.locator(".rv-task-verdict").inner_text()
                    failed.append(f"{lesson.name} {part}: {said}")
                    print(failed[-1], flush=True)
        browser.close()
    print(f"{taken} tasks, {len(failed)} not done, {left} predictions left out", *failed, sep="\n")
    sys.exit(bool(failed))


def take(page, step, part):
    """Do the task of a step; TooLong if it is not accepted."""
    page.wait_for_selector(f'.rv-lesson[data-part="{part}"][data-judges]:not([data-moves])', state="attached")
    done = f'.rv-lesson[data-part="{part}"][data-task="done"]'
    if step.task.kind != "until":
        right = compile_condition(step.task, step.view)["choice"]
        page.locator(".rv-choice").nth(right[0]).click()
    else:
        page.wait_for_timeout(500)
        page.evaluate(TRY)
        page.get_by_role("button", name="Show me").click()
    page.wait_for_selector(done, state="attached")


if __name__ == "__main__":
    main()
