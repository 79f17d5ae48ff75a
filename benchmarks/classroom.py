"""A class on one server: fifty first views at once, then fifty people who step beside three trainings.

Everybody opens a word of 26 letters on Step and goes on by a position every two seconds. Meanwhile a process asks after
the server's health twenty times a second. Milliseconds of the clock, at the median, the 95th of a hundred and the
worst; CPU time of the server for each view and step; its memory, with workers, at the end. The people take CPU time of
the same cores.
"""

import asyncio
import multiprocessing
import os
import socket
import time
from contextlib import suppress
from pathlib import Path

from benchmarks.case import Case
from benchmarks.first_view import cpu_of, running_server
from benchmarks.people import Person

PEOPLE, QUICK, TRAININGS, SECONDS = 50, 3, 3, 30
STEP = "word=considerationconsideration&seed={}&budget=10"
LEARN = "data=pen:3000:{}&runs=rcms:10,beam:10&epochs=200"
PACE = 2.0  # seconds between two steps of a person
HEALTH = 0.05  # seconds between two questions after the health
STILL = 30.0  # seconds after its last tick, at most, a training is still on


class HealthProbe:
    """How long the server takes to say that it is healthy, asked by a process of its own."""

    def __init__(self, server):
        spawn = multiprocessing.get_context("spawn")
        self._line, there = spawn.Pipe()
        host, port = server.address.removeprefix("http://").split(":")
        self._process = spawn.Process(target=probe, args=(there, host, int(port)), daemon=True)
        self._process.start()
        self._line.recv()  # it has begun

    def times(self):
        """Seconds of each answer since the last call."""
        self._line.send("times")
        return self._line.recv()

    def stop(self):
        """End the process."""
        self._process.terminate()
        self._process.join()


def probe(line, host, port):
    """Ask after the health until the end; send the times when asked over ``line``."""
    line.send("ready")
    times = []
    while True:
        began = time.perf_counter()
        with socket.create_connection((host, port)) as asking:
            asking.sendall(b"GET /_stcore/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            while asking.recv(4096):
                pass
        times.append(time.perf_counter() - began)
        if line.poll(HEALTH):
            line.recv()
            line.send(times)
            times = []


def processes(pid):
    """A server and its workers."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # a thread that has just ended
            found += map(int, (task / "children").read_text(encoding="ascii").split())
    return found


def memory(pid):
    """Megabytes of a server and its workers."""
    total = 0
    for one in processes(pid):
        with suppress(OSError):  # it has just ended
            lines = Path(f"/proc/{one}/status").read_text(encoding="ascii").splitlines()
            total += sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1000
    return total


def spread(name, times):
    """Median, 95th of a hundred and worst, in milliseconds."""
    ordered = sorted(1000 * seconds for seconds in times)
    shares = {"median": 0.5, "95 %": 0.95, "worst": 1.0}
    return {f"{name}, {share}, ms": ordered[int(at * (len(ordered) - 1))] for share, at in shares.items()}


async def step(person, seconds, times):
    """Go on by a position every so often."""
    await asyncio.sleep(PACE * (hash(person.query) % 100) / 100)
    name, fragment = person.widget("player")
    ends, position = time.perf_counter() + seconds, 1
    while time.perf_counter() < ends:
        position = position % 26 + 1
        times.append(await person.run(fragment, {name: {"position": position, "node": None}}))
        await asyncio.sleep(PACE)


async def train(server, count):
    """People who have trainings on."""
    trainers = [Person(server, "learn", LEARN.format(100 + k)) for k in range(count)]
    await asyncio.gather(*(person.open() for person in trainers))
    for person in trainers:
        name, fragment = person.widget("Start")
        await person.run(fragment, trigger=name)
    return trainers


async def attend(server, quick):
    """The figures of a class."""
    pid, people = server.process.pid, QUICK if quick else PEOPLE
    alone = Person(server, "step", STEP.format(0))
    await alone.open()  # kernels are loaded
    health = HealthProbe(server)
    before = cpu_of(pid)
    steppers = [Person(server, "step", STEP.format(k)) for k in range(1, people + 1)]
    views = await asyncio.gather(*(person.open() for person in steppers))
    figures = spread(f"{people} first views", views) | {"a view, server's CPU ms": (cpu_of(pid) - before) / people}
    figures |= spread("health beside views", health.times())
    trainers = await train(server, 1 if quick else TRAININGS)
    health.times()
    before, times = cpu_of(pid), []
    await asyncio.gather(*(step(person, 4 if quick else SECONDS, times) for person in steppers))
    figures |= spread("a step", times) | {"a step, server's CPU ms": (cpu_of(pid) - before) / len(times)}
    figures |= spread("health beside steps", health.times())
    ended = sum(time.perf_counter() - person.last_tick > STILL for person in trainers)
    figures |= {"memory, MB": memory(pid), "trainings that ended early": ended}
    health.stop()
    await asyncio.gather(*(person.leave() for person in (alone, *steppers, *trainers)))
    return figures


def lesson(quick):
    """A class on a new server."""

    def measure():
        with running_server(workers=str(os.cpu_count())) as server:
            return asyncio.run(attend(server, quick))

    return measure


CASE = Case(
    f"a class of {PEOPLE} on one server",
    {"class": lesson},
    repeats=1,
    bounds={"health beside views, worst, ms": 100, "health beside steps, worst, ms": 100},
    summary="median",
    warm=False,
)
