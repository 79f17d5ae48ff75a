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

import hands  # noqa: E402
from playwright.sync_api import TimeoutError as TooLate  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

from pages.lessons.exporting import export_lesson  # noqa: E402
from pages.lessons.tasks import condition_of, judged  # noqa: E402
from rcmviz.lessons import course, read_lesson  # noqa: E402

PATIENCE = 180_000  # ms for a view or a verdict, on a machine that may be busy
MOMENT = 1_500  # ms for what a key may change
LINKED = 600  # ms until a place stands in the link
MOST_STEPS = 60  # keys on the way to a place
KEPT = (
    "window.quizAnswered = null; document.addEventListener('rv-quiz-answered', e => (window.quizAnswered = e.detail))"
)


class Student:
    """Takes a lesson on a page where its dock stands, ``live`` in the application or in a file; ``said`` collects what
    went wrong, and ``shown`` counts the tasks for which the dock was asked to show how.
    """

    def __init__(self, page, lesson, live):
        self.page, self.lesson, self.live, self.said, self.shown = page, lesson, live, [], 0
        page.evaluate(KEPT)

    def take(self):
        """All steps, one after the other; the number of tasks that were failed and done."""
        taken = 0
        for part, step in enumerate(self.lesson.steps, 1):
            self.wait(part=part)
            self.page.wait_for_selector(".rv-lesson[data-part]:not([data-moves])", state="attached")
            if step.task:
                self.page.wait_for_selector(f".rv-lesson[data-part='{part}'][data-judges='']", state="attached")
                taken += self.try_task(part, step)
            if part < len(self.lesson.steps):
                self.page.locator(".rv-dock-next").click()  # "Skip" where a task stays undone
        return taken

    def try_task(self, part, step):
        """One task failed, then done."""
        try:
            {"until": self.until, "predict": self.predict}.get(step.task.kind, self.choose)(part, step)
        except TooLate:
            state = self.page.locator(".rv-lesson").get_attribute("data-task")
            self.said.append(f"{self.lesson.name}, step {part} ({step.task.kind}): stays {state} at {self.page.url}")
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
        """Somewhere else, then where it is done: by steps and by hand as far as the view goes, else shown."""
        if self.live:
            hands.rest(self.page)
        changed = differences(step.task.solution, step.view)
        walked = hands.is_walked(step.view, changed)
        if not (walked and self.steps_away(part, step)):
            self.goes_wrong(part, step)
        self.wait(part=part, task="tried")
        if walked and self.steps_there(30 if "pos" in changed else LINKED):
            return
        if not (self.live and hands.change(self.page, step.view, changed)):
            self.shown += 1
            self.page.get_by_role("button", name="Show me").click()
        self.wait(part=part, task="done")

    def steps_away(self, part, step):
        """Whether a key leads to where it is not done."""
        keys = ["ArrowRight", "ArrowLeft", "End", "Home"]
        for key in reversed(keys) if step.view.page == "align" else keys:  # one step right may be where it is done
            self.page.keyboard.press(key)
            if self.becomes(part, "tried"):
                return True
        return False

    def steps_there(self, rest):
        """Whether it is done on the way from the first place to the last, with so many ms at each."""
        self.page.keyboard.press("Home")
        for _ in range(MOST_STEPS):
            if self.state() == "done":
                return True
            self.page.keyboard.press("ArrowRight")
            self.page.wait_for_timeout(rest)
        return False

    def goes_wrong(self, part, step):
        """What no step leaves: another setting, one that a file offers too; else whatever leaves the first place."""
        views = [view for _, view in step.task.offline]
        done = [judged(step.task, step.view, {"page": view.page, "query": view.query})[0] for view in views]
        if self.live and False in done:
            changed = differences(views[done.index(False)], step.view)
            if hands.change(self.page, step.view, dict(reversed(changed.items()))):  # the word last
                return
        if self.live or False not in done:
            self.moves_a_slider(step) or self.steps_away(part, step)
        else:
            self.page.locator(".rv-task-ways button").nth(done.index(False)).click()

    def moves_a_slider(self, step):
        """Whether the first slider of the view is one that a task is about."""
        if step.view.page not in ("learn", "precision"):
            return False
        if self.live and step.view.page == "learn":
            hands.change(self.page, step.view, {"at": "the end"})
        self.page.locator(".rv-player input[type=range]").first.focus()
        self.page.keyboard.press("Home" if step.view.page == "learn" else "ArrowLeft")
        return True

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


def differences(view, before):
    """The parameters that lead from one view to another, in the order of the link."""
    changed = {name: text for name, text in view.query.items() if before.query.get(name) != text}
    if view.page == "precision" and "by" in changed:  # another meaning of the slider begins elsewhere
        changed["at"] = view.query["at"]
    return changed


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
    parser.add_argument("lessons", nargs="*", help="names of the course's, or files; without any, the course")
    parser.add_argument("--page", help="address of the running application")
    asked = parser.parse_args()
    by_name = {lesson.name: lesson for lesson in course()}
    lessons = [by_name.get(name) or read_lesson(name) for name in asked.lessons] or course()
    wrong, tasks = [], 0
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for lesson in lessons:
            context, began = browser.new_context(), time.monotonic()
            errors = []
            page = opened(context, lesson, Path(folder), asked.page)
            page.on("pageerror", lambda error, errors=errors: errors.append(str(error)))
            student = Student(page, lesson, bool(asked.page))
            taken = student.take()
            tasks += taken
            found = student.said + [f"{lesson.name}: {error}" for error in errors]
            wrong += found
            seconds = time.monotonic() - began
            print(
                f"{lesson.title}: {len(lesson.steps)} steps, {taken} tasks failed and done, {seconds:.0f} s",
                *found,
                sep="\n",
                flush=True,
            )
            context.close()
        browser.close()
    print(f"{len(lessons)} lessons, {tasks} tasks failed and done, {len(wrong)} went wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
