"""Whether a class keeps up: from the teacher's key to the picture of those who follow.

    python benchmarks/classroom.py [people] [steps]

Starts the application for a class. A teacher in Chromium opens a word of 26 letters and presses ← and →. So many people
(50) follow over websockets as the page of a class does, and two more in Chromium, one of them as large as a phone. In
the middle a fifth of the lines are cut and come back. Then the teacher changes the budget four times: everybody loads
another view. Prints the delay until the message is there, and until a frame with the new position is painted; the
server's memory and processor time; who was lost. Times are those of one clock, as all runs on this machine.
"""

import asyncio
import json
import os
import statistics
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from conftest import CLASS_KEY, Server  # noqa: E402
from support.browser import FLAGS, PATIENCE, find_chromium  # noqa: E402

WORD = "step?word=considerationconsideration&seed=1&budget=10"
PACE = 0.5  # seconds between two keys
CHANGES = 4  # other views
CROWD = 400  # people more, whose memory can be told from what the server has anyway
READY = ".rv-player[data-ready=true]"
# When a key was pressed, and when a frame with a position was on the screen, by the wall's clock in milliseconds.
LISTEN = """() => {
    window.pressed = []; window.painted = [];
    const button = (event) => event.target.closest('button[data-testid$=StepUp]');
    document.addEventListener('keydown', () => window.pressed.push(Date.now()), true);
    document.addEventListener('pointerdown', (event) => button(event) && window.pressed.push(Date.now()), true);
    document.addEventListener('rv-place', (event) => requestAnimationFrame(() => requestAnimationFrame(() =>
        window.painted.push([Number(event.target.dataset.position), Date.now()]))));
}"""


class Followers:
    """People who follow, in a thread and an event loop of their own, each as the page of a class does it."""

    def __init__(self, address, count):
        self.address, self.heard, self.states, self.views = address, [], [None] * count, []
        self.lines, self.tokens, self.back, self.over = [None] * count, [None] * count, 0, False
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.tasks = [asyncio.run_coroutine_threadsafe(self._follow(who), self.loop) for who in range(count)]

    async def _follow(self, who):
        while not self.over:
            async with connect(f"{self.address.replace('http', 'ws')}/class/live", max_size=None) as line:
                self.lines[who] = line
                await line.send(json.dumps({"who": self.tokens[who]}))
                try:
                    await self._hear(who, line)
                except ConnectionClosed:
                    self.back += not self.over
            await asyncio.sleep(0.25)

    async def _hear(self, who, line):
        async for text in line:
            said, before = json.loads(text), self.states[who]
            if "who" in said:
                self.tokens[who] = said["who"]
                continue
            self.heard.append((who, (said["place"] or {}).get("position"), 1000 * time.time()))
            self.states[who] = said
            if said["view"] and (before is None or said["view"] != before["view"]):
                await self._fetch(said["view"]["number"])

    async def _fetch(self, number):
        host, port = self.address.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(f"GET /class/view/{number} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
        size = len(await reader.read())
        writer.close()
        self.views.append((number, size, 1000 * time.time()))

    def cut(self, some):
        """The lines of some people break, as those of a phone that goes through a door."""
        for who in some:
            self.loop.call_soon_threadsafe(self.lines[who].transport.abort)

    def end(self):
        """Everybody goes home."""
        self.over = True
        for line in self.lines:
            asyncio.run_coroutine_threadsafe(line.close(), self.loop).result(60)


def main(people=50, steps=40):
    """Run all of it and print what came out."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        try:
            print(f"load before {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, {people} people, {steps} steps")
            measure(server, browser, people, steps)
        finally:
            browser.close()
            server.stop()


def measure(server, browser, people, steps):
    """The class, from its beginning to its end."""
    teacher = opened(browser, f"{server.address}/class/lead#{CLASS_KEY}", ".rv-class-head")
    teacher.goto(f"{server.address}/{WORD}")
    teacher.wait_for_selector(READY)
    watching = [opened(browser, f"{server.address}/class", READY, size) for size in ((1280, 900), (390, 844))]
    followers = Followers(server.address, people)
    wait_for_people(teacher, people + len(watching))
    until(lambda: len(followers.views) == people)
    before, crowd = status(server), Followers(server.address, CROWD)
    wait_for_people(teacher, people + len(watching) + CROWD)
    more = status(server)[0] - before[0]
    print(f"memory {more / CROWD:.0f} kB a person ({CROWD} more for a moment; {before[0] / 1e3:.0f} MB before them)")
    crowd.end()
    wait_for_people(teacher, people + len(watching))

    for page in (teacher, *watching):
        page.evaluate(LISTEN)
    cpu = status(server)[1]
    for step in range(steps):
        if step == steps // 2:
            followers.cut(range(people // 5))
        teacher.keyboard.press("ArrowRight" if step // 20 % 2 == 0 else "ArrowLeft")
        teacher.wait_for_timeout(1000 * PACE)
    pressed, shown = teacher.evaluate("window.pressed"), teacher.evaluate("window.painted")
    positions = [position for position, _ in shown]
    raw = delays(pressed, positions, [(position, when) for _, position, when in followers.heard])
    late = people * steps - len(raw)
    print(f"the message is there after {said(raw)} ms; {late} of {people * steps} came with the next, or to a cut line")
    for page, name in zip(watching, ("desk", "phone"), strict=True):
        print(f"painted, {name}: {said(delays(pressed, positions, page.evaluate('window.painted')))} ms")
    print(f"painted, the teacher's own: {said(delays(pressed, positions, shown))} ms")
    used = status(server)[1] - cpu
    print(f"the server's processor time: {1000 * used / steps:.0f} ms a step; load {os.getloadavg()[0]:.1f}")

    wait_for_people(teacher, people + len(watching))
    ends = {state["place"]["position"] for state in followers.states}
    print(f"{followers.back} lines were cut and came back, all stand at {ends}, the teacher at {positions[-1]}")

    change(teacher, followers, watching, people)
    teacher.get_by_role("button", name="End the class").click()
    until(lambda: not any(state["on"] for state in followers.states))
    number = max(number for number, _, _ in followers.views)
    followers.end()
    for page in watching:
        page.close()
    wait_for_text(teacher, "the class is over")
    print(f"after the end: the view is {gone(server, number)}, {status(server)[0] / 1e3:.0f} MB")


def change(teacher, followers, watching, people):
    """Other views: the teacher makes the budget larger, and everybody loads what comes of it."""
    first, painted = [], [[] for _ in watching]
    for _ in range(CHANGES):
        numbers = {number for number, _, _ in followers.views}
        for page in (teacher, *watching):
            page.evaluate("window.pressed = []; window.painted = []")
        teacher.locator("button[data-testid$=StepUp]").last.click()
        until(lambda known=numbers: len({n for n, _, _ in followers.views} - known) == 1)
        new = max(number for number, _, _ in followers.views)
        until(lambda number=new: sum(n == number for n, _, _ in followers.views) >= people)
        start = teacher.evaluate("window.pressed")[0]
        first += [when - start for number, _, when in followers.views if number == new]
        for page, times in zip(watching, painted, strict=True):
            until(lambda page=page: page.evaluate("window.painted.length"))  # the page lets nobody evaluate a text
            times.append(page.evaluate("window.painted[0][1]") - start)
        teacher.wait_for_timeout(1500)
    size = followers.views[-1][1]
    print(f"another view, {size / 1e3:.0f} kB, is there after {said(first)} ms, painted {said(sum(painted, []))} ms")


def opened(browser, address, drawn, size=(1280, 900)):
    """A page in a browser of its own, once it shows something."""
    page = browser.new_context(viewport={"width": size[0], "height": size[1]}).new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.wait_for_selector(drawn)
    return page


def delays(pressed, positions, arrivals):
    """Milliseconds from each key to each arrival of the position that it led to, up to the next key but one."""
    found = []
    for start, position, end in zip(pressed, positions, [*pressed[2:], float("inf"), float("inf")], strict=False):
        found += [when - start for there, when in arrivals if there == position and start <= when < end]
    return found


def said(times):
    """Median, 95th of a hundred, and worst."""
    worst = sorted(times)
    return f"{statistics.median(times):.0f} (95 %: {worst[int(0.95 * (len(worst) - 1))]:.0f}, worst {worst[-1]:.0f})"


def status(server):
    """(Memory in kB, seconds of processor time) of the server."""
    process = Path(f"/proc/{server.process.pid}")
    memory = next(line for line in (process / "status").read_text().splitlines() if line.startswith("VmRSS"))
    ticks = (process / "stat").read_text().rpartition(")")[2].split()
    return int(memory.split()[1]), (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")


def wait_for_people(teacher, count):
    """Until the teacher sees so many."""
    teacher.wait_for_selector(f'.rv-class[data-people="{count}"]')


def wait_for_text(page, text):
    """Until the strip says so."""
    page.locator(".rv-class-people", has_text=text).wait_for()


def gone(server, number):
    """Whether a view of a class that is over can still be had."""
    try:
        urllib.request.urlopen(f"{server.address}/class/view/{number}").read()
        return "still there"
    except urllib.error.HTTPError as error:
        return f"gone ({error.code})"


def until(true, patience=300):
    """Wait for something, and fail after five minutes."""
    for _ in range(20 * patience):
        if true():
            return
        time.sleep(0.05)
    raise TimeoutError("it did not come")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
