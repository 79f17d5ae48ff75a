"""A class on one server: fifty first views at once, then fifty people who step during ten trainings.

Everybody opens a word of 26 letters on Step and advances by a position every two seconds. Another process requests
the server's health twenty times a second. Wall time in milliseconds: median, 95th and 99th percentile, maximum; CPU
time of the server for each view and step; its memory, with workers, at the end. The simulated users run on the same
cores. A second row, ``crowd.py``, has 500 followers and 1,000 idle connections.
"""

import asyncio
import os
import time

from benchmarks.case import Case
from benchmarks.crowd import crowd
from benchmarks.first_view import cpu_of, running_server
from benchmarks.health import HealthProbe, memory, spread
from benchmarks.people import Person

PEOPLE, QUICK, TRAININGS, SECONDS = 50, 3, 10, 30
STEP = "word=considerationconsideration&seed={}&budget=10"
LEARN = "data=pen:3000:{}&runs=rcms:10,beam:10&epochs=200"
PACE = 2.0  # seconds between two steps of a person
BUSY = "during views", "during steps", "while 500 join", "with followers", "with 1000 idle connections"
STILL = 30.0  # seconds: a training whose last tick is older has ended


async def step(person, seconds, times):
    """Advance by a position every two seconds."""
    await asyncio.sleep(PACE * (hash(person.query) % 100) / 100)
    name, fragment = person.widget("rcmviz.word")
    ends, position = time.perf_counter() + seconds, 1
    while time.perf_counter() < ends:
        position = position % 26 + 1
        times.append(await person.run(fragment, {name: {"position": position, "node": None}}))
        await asyncio.sleep(PACE)


async def train(server, count):
    """Return people whose trainings run."""
    trainers = [Person(server, "learn", LEARN.format(100 + k)) for k in range(count)]
    await asyncio.gather(*(person.open() for person in trainers))
    for person in trainers:
        name, fragment = person.widget("Start")
        await person.run(fragment, trigger=name)
    return trainers


async def attend(server, quick):
    """Measure the figures of a class."""
    pid, people = server.process.pid, QUICK if quick else PEOPLE
    alone = Person(server, "step", STEP.format(0))
    await alone.open()  # load the kernels
    health = HealthProbe(server)
    before = cpu_of(pid)
    steppers = [Person(server, "step", STEP.format(k)) for k in range(1, people + 1)]
    views = await asyncio.gather(*(person.open() for person in steppers))
    figures = spread(f"{people} first views", views) | {"a view, server's CPU ms": (cpu_of(pid) - before) / people}
    figures |= spread("health during views", health.times())
    trainers = await train(server, 1 if quick else TRAININGS)
    health.times()
    before, times = cpu_of(pid), []
    await asyncio.gather(*(step(person, 4 if quick else SECONDS, times) for person in steppers))
    figures |= spread("a step", times) | {"a step, server's CPU ms": (cpu_of(pid) - before) / len(times)}
    figures |= spread("health during steps", health.times())
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
    {"class": lesson, "crowd": crowd},
    repeats=1,
    bounds={f"health {when}, 99 %, ms": 100 for when in BUSY},
    summary="median",
    warm=False,
)
