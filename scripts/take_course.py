"""Take the course as a student would, in Chromium: every task is failed once, then done.

    python scripts/take_course.py                               each lesson as an exported file, off the network
    python scripts/take_course.py --page http://127.0.0.1:8501  in the running application
    python scripts/take_course.py mine.md                       a lesson of one's own, as a file

What cannot be failed or done is named, and the script ends with code 1.
"""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import TimeoutError as TooLate  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

from pages.lessons.exporting import export_lesson  # noqa: E402
from pages.lessons.tasks import condition_of, judged  # noqa: E402
from rcmviz.lessons import course, read_lesson  # noqa: E402

PATIENCE = 30_000  # ms for a view or a verdict
MOMENT = 1_500  # ms for what a key may change
MOST_STEPS = 300  # keys on the way to a place
KEPT = (
    "window.quizAnswered = null; document.addEventListener('rv-quiz-answered', e => (window.quizAnswered = e.detail))"
)


class Student:
    """Takes a lesson on a page where its dock stands; ``said`` collects what went wrong."""

    def __init__(self, page, lesson):
        self.page, self.lesson, self.said = page, lesson, []
        page.evaluate(KEPT)

    def take(self):
        """All steps, one after the other; the number of tasks that were failed and done."""
        taken = 0
        for part, step in enumerate(self.lesson.steps, 1):
            self.wait(part=part)
            if step.task:
                self.page.wait_for_selector(f".rv-lesson[data-part='{part}'][data-judges='']", state="attached")
                taken += self.try_task(part, step)
            if part < len(self.lesson.steps):
                self.page.get_by_role("button", name="Next", exact=True).click()
        return taken

    def try_task(self, part, step):
        """One task failed, then done."""
        try:
            {"until": self.until, "predict": self.predict}.get(step.task.kind, self.choose)(part, step)
        except TooLate:
            state = self.page.locator(".rv-lesson").get_attribute("data-task")
            self.said.append(f"{self.lesson.name}, step {part} ({step.task.kind}): stays {state}")
            return False
        return True

    def choose(self, part, step):
        """A wrong option, then the right one."""
        (right,) = condition_of(self.lesson, part)["choice"]
        self.page.keyboard.press(str(2 if right == 0 else 1))
        self.wait(part=part, task="tried")
        self.page.keyboard.press(str(right + 1))
        self.wait(part=part, task="done")

    def until(self, part, step):
        """Somewhere else, then, step by step or shown, where it is done."""
        self.page.locator("body").click(position={"x": 5, "y": 5})
        keys = ["ArrowRight", "ArrowLeft", "End", "Home"]
        for key in reversed(keys) if step.view.page == "align" else keys:  # one step right may be where it is done
            self.page.keyboard.press(key)
            if self.becomes(part, "tried"):
                break
        else:
            self.elsewhere(step)
        self.wait(part=part, task="tried")
        changed = dict(step.task.solution.query.items() - step.view.query.items())
        if set(changed) <= {"pos", "round"}:
            self.page.keyboard.press("Home")
            for _ in range(MOST_STEPS):
                if self.state() == "done":
                    return
                self.page.keyboard.press("ArrowRight")
                self.page.wait_for_timeout(30)
        self.page.get_by_role("button", name="Show me").click()
        self.wait(part=part, task="done")

    def elsewhere(self, step):
        """What no key leaves: another setting that a file offers, else the first slider of the view."""
        offered = self.page.locator(".rv-task-ways button")
        slider = self.page.locator(".rv-player input[type=range]")
        if offered.count():
            views = [view for _, view in step.task.offline]
            done = [judged(step.task, step.view, {"page": view.page, "query": view.query})[0] for view in views]
            offered.nth(done.index(False)).click()
        elif slider.count():
            slider.first.focus()
            self.page.keyboard.press("ArrowLeft")

    def predict(self, part, step):
        """A prediction without any mark or with a wrong one, then the one that the player has shown to be right."""
        self.answer(lambda truth, choices: [k for k in range(choices) if k not in truth][:1])
        self.wait(part=part, task="tried")
        self.answer(lambda truth, choices: truth)
        self.wait(part=part, task="done")

    def answer(self, marks):
        """Ask to be asked, and answer: by ``marks(truth, number of choices)`` where the truth was seen before."""
        page = self.page
        known = page.evaluate("window.quizAnswered && [window.quizAnswered.truth, window.quizAnswered.choices.length]")
        page.evaluate("window.quizAnswered = null")
        page.locator(".rv-task-ways button").first.click()
        page.wait_for_selector(".rv-player[data-quiz='asking']", state="attached")
        for k in marks(*known) if known else [1]:
            page.keyboard.press(str(k + 1))
        page.keyboard.press("Enter")
        page.wait_for_function("() => window.quizAnswered")

    def state(self):
        """What the dock says of the task."""
        return self.page.locator(".rv-lesson").get_attribute("data-task")

    def becomes(self, part, state):
        """Whether a task gets into a state within a moment."""
        try:
            self.wait(MOMENT, part=part, task=state)
        except TooLate:
            return False
        return True

    def wait(self, patience=PATIENCE, **marks):
        """Wait until the dock says so."""
        wanted = "".join(f'[data-{mark}="{value}"]' for mark, value in marks.items())
        self.page.wait_for_selector(f".rv-lesson{wanted}", state="attached", timeout=patience)


def opened(context, lesson, folder, address):
    """A page with the lesson's first step: of the application, or of a file without a network."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.set_viewport_size({"width": 1280, "height": 900})
    if address:
        page.goto(f"{address}/lessons?lesson={lesson.name}&part=1")
    else:
        file = folder / f"{lesson.name}.html"
        file.write_text(export_lesson(lesson), encoding="utf-8")
        context.set_offline(True)
        page.goto(file.as_uri())
    page.wait_for_selector(".rv-dock")
    return page


def main():
    """Take what was asked for, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="lessons; without any, the course")
    parser.add_argument("--page", help="address of the running application")
    asked = parser.parse_args()
    lessons = [read_lesson(file) for file in asked.files] or course()
    wrong, tasks = [], 0
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for lesson in lessons:
            context, began = browser.new_context(), time.monotonic()
            errors = []
            page = opened(context, lesson, Path(folder), asked.page)
            page.on("pageerror", lambda error, errors=errors: errors.append(str(error)))
            student = Student(page, lesson)
            taken = student.take()
            tasks += taken
            found = student.said + [f"{lesson.name}: {error}" for error in errors]
            wrong += found
            seconds = time.monotonic() - began
            print(
                f"{lesson.title}: {len(lesson.steps)} steps, {taken} tasks failed and done, {seconds:.0f} s",
                *found,
                sep="\n",
            )
            context.close()
        browser.close()
    print(f"{len(lessons)} lessons, {tasks} tasks failed and done, {len(wrong)} went wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
