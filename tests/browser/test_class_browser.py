"""A class in a browser: a teacher leads; a phone follows, leaves, returns and answers."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import re

import pytest

from conftest import CLASS_KEY
from support.browser import chromium, faults, go_to, page_of, serious, settled, show, too_wide  # noqa: F401


@pytest.fixture
def teacher(show, chromium):
    """The teacher's page, at a word; the class is over and the browser knows no key any more when the test ends."""
    page = show(f"class/lead#{CLASS_KEY}", ".rv-class-head", reload=True)
    yield page
    chromium.clear_cookies(name=re.compile("rcmviz-class-"))
    end = page.get_by_role("button", name="End the class")
    if end.is_visible():  # the test has failed: no other page shall have the strip of a class
        end.click()
        page.get_by_role("button", name="Restart the class").wait_for()


def test_a_class_follows_its_teacher(teacher, page_of, server):
    assert CLASS_KEY not in teacher.url and CLASS_KEY not in teacher.evaluate("document.cookie")
    teacher.goto(f"{server.address}/step?word=exactly&seed=14&pos=2&lesson=merging&part=3")
    settled(teacher)
    watched = page_of(f"{server.address}/class", width=390, scheme="dark")
    pupil = watched.page
    pupil.wait_for_selector(at(2))
    pupil.get_by_role("heading", name="Half a memory").wait_for()
    teacher.wait_for_selector('.rv-class[data-people="1"]')
    teacher.keyboard.press("Shift+ArrowRight")
    pupil.wait_for_selector(at(3))
    pupil.wait_for_selector(".rv-flow[data-phase=settle]")
    teacher.keyboard.press("x")
    pupil.wait_for_selector(".rv-flow[data-shares=end]")
    teacher.keyboard.press("x")
    pupil.wait_for_selector(".rv-flow[data-shares=chosen]")
    assert pupil.url == f"{server.address}/class" and CLASS_KEY not in pupil.content()

    # alone, and back again
    pupil.keyboard.press("End")
    pupil.wait_for_selector("[data-following=false]")
    teacher.keyboard.press("Shift+ArrowRight")
    teacher.wait_for_selector(at(4))
    own = pupil.get_by_role("link", name="Open in the application")
    assert own.get_attribute("href").startswith(f"{server.address}/step?") and pupil.query_selector(at(7))
    pupil.get_by_role("button", name="Back to class").click()
    pupil.wait_for_selector(f"[data-following=true] {at(4)}")

    # the connection breaks and is restored
    lines, is_down = [], [False]
    pupil.route_web_socket(re.compile("/class/live$"), lambda line: held(line, lines, is_down))
    pupil.reload()
    pupil.wait_for_selector(f"[data-following=true] {at(4)}:not([data-moves])")  # it moves there from position 2
    pupil.get_by_text("Following the teacher.").wait_for()
    is_down[0] = True
    lines[-1].close(code=1012)
    pupil.get_by_text("Connection lost; trying again …").wait_for()
    is_down[0] = False
    pupil.wait_for_selector(at(4))
    pupil.get_by_text("Following the teacher.").wait_for()

    # a question
    teacher.get_by_text("Ask the class", exact=True).first.click()
    assert faults(teacher, [("dark", 1280), ("light", 1280)]) == []
    teacher.get_by_label("Question", exact=True).fill("Is it kept? " + "x" * 200)
    teacher.get_by_role("button", name="Ask the class").click()
    pupil.get_by_role("button", name="no", exact=True).click()
    teacher.get_by_text("1 of 1 answered").wait_for()
    assert serious(pupil) == [] == too_wide(pupil)
    for page in (teacher, pupil):
        assert page.locator(".rv-class-question").evaluate("asked => asked.scrollWidth <= asked.clientWidth")
    pupil.reload()  # what was answered is still known
    pupil.get_by_text("Sent.").wait_for()
    assert pupil.locator(".rv-answer[aria-pressed=true]").inner_text() == "no"
    teacher.get_by_role("button", name="Show the answers to all").click()
    pupil.get_by_text("1 answered.").wait_for()
    assert pupil.locator(".rv-answer[data-mine] .rv-answer-count").inner_text() == "1 of 1"
    teacher.get_by_role("button", name="Show the invitation").click()
    assert serious(teacher) == []
    teacher.keyboard.press("Escape")
    teacher.get_by_role("button", name="Close the question").click()

    # the quiz of the player asks everybody, and answers wait for the teacher
    teacher.keyboard.press("q")
    pupil.wait_for_selector(".rv-player[data-quiz=asking]")
    pupil.keyboard.press("1")
    pupil.keyboard.press("Enter")
    pupil.wait_for_selector(".rv-player[data-quiz=held]")
    teacher.get_by_text("1 of 1 answered").wait_for()
    teacher.keyboard.press("ArrowRight")
    pupil.wait_for_selector(".rv-player[data-quiz=solved]")
    teacher.keyboard.press("q")
    pupil.wait_for_selector(".rv-player:not([data-quiz])")

    # a lesson next to the teacher's page: its next step and question
    teacher.keyboard.press("n")
    pupil.get_by_role("heading", name="Where does it go?").wait_for()
    pupil.get_by_role("button", name="*i", exact=True).click()
    teacher.get_by_text("1 of 1 answered").wait_for()
    teacher.keyboard.press("b")
    pupil.get_by_role("heading", name="Half a memory").wait_for()
    assert not pupil.locator(".rv-class-sheet").is_visible()

    # another page of the application, another view
    go_to(teacher, "ARS")
    teacher.wait_for_selector(".rv-ars[data-round='1']")
    pupil.wait_for_selector(".rv-ars[data-round='1']")
    teacher.keyboard.press("ArrowRight")
    pupil.wait_for_selector("[data-following=true] .rv-ars[data-round='2']")

    teacher.get_by_role("button", name="End the class").click()
    pupil.get_by_text("has ended").wait_for()
    assert pupil.locator(".rv-player").count() == 0
    assert watched.errors == [] == watched.foreign_requests(server.address, server.address.replace("http", "ws"))


def held(line, lines, is_down):
    """A line that is cut while the server is down."""
    if is_down[0]:
        line.close(code=1012)
    else:
        line.connect_to_server()
        lines.append(line)


def at(position):
    return f'.rv-player[data-position="{position}"]'
