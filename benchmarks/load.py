"""Many people on one server: what a step takes, whether it stays healthy, and what memory comes back.

    python benchmarks/load.py [people] [trainers] [seconds] [--workers N] [--after SECONDS]

Starts the application. So many people (50) open a word of 26 letters on Step. Three others have trainings on: at first
nobody steps, then all go on by a position every two seconds, and again while others (10) open Learn and press *Start*,
all at once.
Each is a session over a websocket that speaks Streamlit's protocol as a browser does: it answers ticks, and it has a
cookie of its own. Beside them a process asks after the server's health, twenty times a second. Prints the first views,
the steps, the health, the trainings, processor time, and the memory of the server and its workers at the start, at the
peak, and after all have left, with what is kept on purpose. The people take processor time too, of the same cores.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import socket
import statistics
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from conftest import Server  # noqa: E402
from rcmviz.jobs.memory import max_memory  # noqa: E402

STEP = "word=considerationconsideration&seed={}&budget=10"
LEARN = "data=pen:{words}:{seed}&runs=rcms:10,beam:10&epochs=200"
PACE = 2.0  # seconds between two steps of a person
HEALTH = 0.05  # seconds between two questions after the health
PATIENCE = 300.0  # seconds for anything
TRAININGS = 3  # that are on while all step
STILL = 30.0  # seconds after its last tick, at most, a training is still on


class Person:
    """A session: what it was shown, and what it asks for."""

    def __init__(self, server, page, query):
        self.server, self.page, self.query = server, page, query
        self.widgets, self.values, self.ticks, self.hash = {}, {}, [], ""
        self.finished, self.texts = asyncio.Event(), []
        self.asked, self.old = "", []  # the fragment that runs; ticks of the run before
        self.struck = 0.0  # when a clock of the page did so last

    async def open(self):
        """Load the page; → seconds until its first run has ended."""
        with urllib.request.urlopen(self.server.address) as answer:
            cookie = answer.headers["set-cookie"].partition(";")[0]
        began = time.perf_counter()
        self.line = await connect(
            self.server.address.replace("http", "ws") + "/_stcore/stream", max_size=None, subprotocols=["streamlit"],
            origin=self.server.address, additional_headers={"Cookie": cookie}, ping_interval=None,
        )  # fmt: skip
        self.hearing = asyncio.create_task(self._hear())
        await self.run()
        return time.perf_counter() - began

    async def run(self, fragment="", changed=None, trigger=None):
        """Ask for a run of the page, or of a fragment of it, and wait for its end; → seconds."""
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_script_hash = self.query, self.hash
        state.page_name = "" if self.hash else self.page
        state.fragment_id = fragment
        if changed:
            self.values |= changed
        for name, value in self.values.items():
            state.widget_states.widgets.add(id=name, json_value=json.dumps(value))
        if trigger:
            state.widget_states.widgets.add(id=trigger, trigger_value=True)
        self.finished.clear()
        self.asked = fragment
        began = time.perf_counter()
        await self.line.send(message.SerializeToString())
        waiting = asyncio.create_task(self.finished.wait())
        await asyncio.wait((waiting, self.hearing), timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        if not waiting.done():
            waiting.cancel()
            raise RuntimeError(f"{self.page}: no answer") from (
                self.hearing.exception() if self.hearing.done() else None
            )
        return time.perf_counter() - began

    async def _hear(self):
        async for packed in self.line:
            message = ForwardMsg()
            message.ParseFromString(packed)
            kind = message.WhichOneof("type")
            if kind == "new_session":
                self.old = self.ticks[:]
            elif kind == "navigation":  # the page that is shown; by a name alone the next run would show the first one
                self.hash = message.navigation.page_script_hash
            elif kind == "delta":
                self._see(message.delta)
            elif kind == "script_finished":
                self._finish(message.script_finished)

    def _finish(self, how):
        if how == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            return
        if how == ForwardMsg.FINISHED_SUCCESSFULLY:  # of the whole page: what ticked before it ticks no more
            for task in self.old:
                task.cancel()
        if self.asked or how == ForwardMsg.FINISHED_SUCCESSFULLY:
            self.finished.set()

    def _see(self, delta):
        element, kind = delta.new_element, delta.new_element.WhichOneof("type")
        if kind == "bidi_component" and element.bidi_component.component_name.endswith("clock"):
            self.ticks.append(asyncio.create_task(self._tick(element.bidi_component, delta.fragment_id)))
        elif kind == "bidi_component":
            self.widgets[element.bidi_component.component_name] = element.bidi_component.id, delta.fragment_id
        elif kind == "button":
            self.widgets[element.button.label] = element.button.id, delta.fragment_id
        elif kind == "alert":
            self.texts.append(element.alert.body)
        elif kind == "exception":
            self.texts.append(element.exception.message)

    async def _tick(self, clock, fragment):
        """As a browser does: a clock strikes, once, and what it stands in runs again and shows it anew."""
        await asyncio.sleep(json.loads(clock.bytes)["seconds"])
        self.struck = time.perf_counter()
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_script_hash, state.fragment_id = self.query, self.hash, fragment
        for name, value in self.values.items():
            state.widget_states.widgets.add(id=name, json_value=json.dumps(value))
        struck = json.dumps([{"event": "tick", "value": True}])
        state.widget_states.widgets.add(id=f"$$STREAMLIT_INTERNAL_KEY_{clock.id}__events", json_trigger_value=struck)
        await self.line.send(message.SerializeToString())

    def widget(self, label):
        """(id, fragment) of a button or a component that was shown."""
        return next(found for name, found in self.widgets.items() if label in name)

    async def leave(self):
        """Close the line."""
        for task in (*self.ticks, self.hearing):
            task.cancel()
        await self.line.close()


class Watch:
    """How long health takes, and the most memory, from now on; nobody else's work holds up the one who asks."""

    def __init__(self, server):
        process = multiprocessing.get_context("spawn")
        self._line, there = process.Pipe()
        address = server.address.removeprefix("http://").split(":")
        self._process = process.Process(target=look, args=(there, address, server.process.pid), daemon=True)
        self._process.start()
        self._line.recv()  # it has begun

    def seen(self):
        """(Milliseconds of each answer, most megabytes) since it was asked last."""
        self._line.send("seen")
        return self._line.recv()

    def end(self):
        """Look no more."""
        self._process.terminate()
        self._process.join()


def look(line, address, pid):
    """Ask after the health of a server until the end, and say over ``line`` what was seen when that is asked for."""
    host, port = address
    line.send("here")
    times, peak = [], 0
    while True:
        began = time.perf_counter()
        with socket.create_connection((host, int(port))) as asking:
            asking.sendall(b"GET /_stcore/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            while asking.recv(4096):
                pass
        times.append(1000 * (time.perf_counter() - began))
        peak = max(peak, memory(pid))
        if line.poll(HEALTH):
            line.recv()
            line.send((times, peak))
            times, peak = [], 0


def memory(pid):
    """Megabytes of a server and of its workers."""
    total = 0
    for one in (pid, *children(pid)):
        try:
            lines = Path(f"/proc/{one}/status").read_text().splitlines()
        except OSError:  # it has just ended
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) // 1000
    return total


def processor(server):
    """Seconds of processor time that the server itself has taken, and its workers with it."""
    own, *others = [taken(pid) for pid in (server.process.pid, *children(server.process.pid))]
    return own, own + sum(others)


def taken(pid):
    """Seconds of processor time of a process, 0 where it has just ended."""
    try:
        ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")


def children(pid):
    """The numbers of the workers, whichever thread has begun them."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # a thread that has just ended
            found += (task / "children").read_text().split()
    return found


def said(times, scale=1000):
    """Median, 95th and 99th of a hundred, and worst, in milliseconds."""
    if not times:
        return "nobody"
    worst = sorted(scale * seconds for seconds in times)
    parts = [statistics.median(worst), *(worst[int(share * (len(worst) - 1))] for share in (0.95, 0.99, 1))]
    return "median {:,.0f}, p95 {:,.0f}, p99 {:,.0f}, worst {:,.0f} ms".format(*parts)


async def step(person, seconds, times):
    """Go on by a position every so often."""
    await asyncio.sleep(PACE * (hash(person.query) % 100) / 100)
    name, fragment = person.widget("player")
    ends, position = time.perf_counter() + seconds, 1
    while time.perf_counter() < ends:
        position = position % 26 + 1
        times.append(await person.run(fragment, {name: {"position": position, "node": None}}))
        await asyncio.sleep(PACE)


async def start(person):
    """Press Start; → seconds until the page has answered."""
    name, fragment = person.widget("Start")
    return await person.run(fragment, trigger=name)


async def come(server, people):
    """So many open Step at once; → they."""
    steppers = [Person(server, "step", STEP.format(k)) for k in range(1, people + 1)]
    cpu = processor(server)
    views = await asyncio.gather(*(person.open() for person in steppers))
    own, both = ((now - before) / len(views) for now, before in zip(processor(server), cpu, strict=True))
    print(f"first views of {people} at once: {said(views)}", flush=True)
    print(f"  {own:.2f} s of CPU each, {both:.2f} with workers", flush=True)
    return steppers


async def step_beside(server, watch, steppers, seconds, doing):
    """All step, beside what others are ``doing``; → most megabytes."""
    watch.seen()
    times, cpu = [], processor(server)[0]
    await asyncio.gather(*(step(person, seconds, times) for person in steppers))
    health, peak = watch.seen()
    each = 1000 * (processor(server)[0] - cpu) / max(1, len(times))
    print(f"{len(steppers)} people step, {doing}")
    print(f"  a step: {said(times)} ({len(times)} steps, {each:.0f} ms of CPU of the server each)")
    print(f"  health: {said(health, 1)} ({len(health)} times); load {os.getloadavg()[0]:.1f}", flush=True)
    return peak


async def train_and_step(server, watch, steppers, seconds):
    """Three trainings are on, while nobody steps and while all do."""
    trainers = [Person(server, "learn", LEARN.format(words=3_000, seed=100 + k)) for k in range(TRAININGS)]
    await asyncio.gather(*(person.open() for person in trainers))
    await asyncio.gather(*(start(person) for person in trainers))
    watch.seen()
    await asyncio.sleep(seconds)
    health, _ = watch.seen()
    print(f"{TRAININGS} trainings are on, nobody steps")
    print(f"  health: {said(health, 1)} ({len(health)} times); load {os.getloadavg()[0]:.1f}", flush=True)
    peak = await step_beside(server, watch, steppers, seconds, f"{TRAININGS} trainings are on")
    still = sum(time.perf_counter() - person.struck < STILL for person in trainers)
    print(f"  trainings still on: {still} of {TRAININGS}")
    await asyncio.gather(*(person.leave() for person in trainers))
    return peak


async def start_and_step(server, watch, steppers, options):
    """Others press Start, all at once, while all step."""
    trainers = [Person(server, "learn", LEARN.format(words=300, seed=k)) for k in range(options.trainers)]
    await asyncio.gather(*(person.open() for person in trainers))
    starting = asyncio.gather(*(start(person) for person in trainers))
    peak = await step_beside(server, watch, steppers, options.seconds, f"{options.trainers} press Start at once")
    print(f"  Start: {said(await starting)}")
    refused = [text for person in trainers for text in person.texts]
    print(f"  refused: {len(refused)} of {options.trainers} {refused[:1]}", flush=True)
    await asyncio.gather(*(person.leave() for person in trainers))
    return peak


async def measure(server, options):
    """Everybody comes, works and leaves."""
    pid = server.process.pid
    first, second = Person(server, "step", STEP.format(0)), Person(server, "step", STEP.format(10_000))
    print(f"one alone: first view {await first.open():.1f} s", flush=True)
    print(f"again: {await second.open():.2f} s", flush=True)
    print(f"memory before: {memory(pid)} MB")
    watch = Watch(server)
    steppers = await come(server, options.people)
    peaks = [watch.seen()[1], await train_and_step(server, watch, steppers, options.seconds)]
    peaks.append(await start_and_step(server, watch, steppers, options))
    print(f"memory at the peak: {max(peaks)} MB, now {memory(pid)} MB")
    watch.end()
    await asyncio.gather(*(person.leave() for person in (first, second, *steppers)))
    print(f"kept at most: {max_memory() // 4_000_000} MB of what was computed, until nobody is left for a minute")
    for waited in range(0, options.after + 1, 60):
        print(f"memory {waited} s after all have left: {memory(pid)} MB", flush=True)
        await asyncio.sleep(min(60, options.after - waited))


def main():
    """Start a server, and measure it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("people", type=int, nargs="?", default=50)
    parser.add_argument("trainers", type=int, nargs="?", default=10)
    parser.add_argument("seconds", type=int, nargs="?", default=60, help="for which everybody steps")
    parser.add_argument("--workers", default="", help="processes that train; as many as cores where not given")
    parser.add_argument("--after", type=int, default=300, help="seconds to wait after all have left")
    options = parser.parse_args()
    print(f"load before {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), workers=options.workers)
        try:
            asyncio.run(measure(server, options))
        finally:
            server.stop()


if __name__ == "__main__":
    main()
