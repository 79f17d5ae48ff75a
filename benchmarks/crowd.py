"""A full class on a server that may open 1,024 files: 500 followers, then 1,000 idle connections.

They come from ten addresses, and are let in within some seconds. Then a teacher advances by a step ten times a second;
a step ends when all followers have received it. Two hundred of them answer a question, and reconnect afterwards: each
is known by its cookie, and no answer is lost.
"""

import asyncio
import json
import time
import urllib.request

from benchmarks.first_view import cpu_of, running_server
from benchmarks.health import HealthProbe, memory, spread
from rcmviz.classroom.open_files import raise_limit

FILES, FOLLOWERS, IDLE, STEPS, PHONES = 1_024, 500, 1_000, 100, 200
PAUSE = 0.1  # seconds between two steps
QUIET = 5.0  # seconds that idle connections are kept open
ADDRESSES = [f"127.0.0.{k}" for k in range(2, 12)]


class Follower:
    """A follower, with the latest step received."""

    def __init__(self, number):
        self.number, self.position, self.changed, self.cookie = number, None, asyncio.Event(), None
        self.heard = None  # seconds at which the latest step arrived

    async def join(self, address):
        """Follow the class at an address."""
        from websockets.asyncio.client import connect

        self.line = await connect(
            f"{address.replace('http', 'ws')}/class/live",
            local_addr=(ADDRESSES[self.number % len(ADDRESSES)], 0),
            open_timeout=120,
            additional_headers={"Cookie": self.cookie} if self.cookie else None,
        )
        given = self.line.response.headers.get("set-cookie")
        self.cookie = self.cookie or given.partition(";")[0]
        self.who = json.loads(await self.line.recv())["who"]
        self.hearing = asyncio.create_task(self._listen())

    async def _listen(self):
        async for said in self.line:
            place = json.loads(said).get("place") or {}
            self.position, self.heard = place.get("position"), time.perf_counter()
            self.changed.set()

    async def hear_of(self, position):
        """Wait until the class is at a position."""
        while self.position != position:
            self.changed.clear()
            await self.changed.wait()

    async def answer(self, key):
        """Answer the question of this key."""
        await self.line.send(json.dumps({"answer": {"key": key, "marks": [self.number % 4]}}))

    async def reconnect(self, address):
        """Lose the line, and come back; return whether the server knows this browser."""
        who = self.who
        await self.leave()
        await self.join(address)
        return self.who == who

    async def leave(self):
        """Close the line."""
        self.hearing.cancel()
        await self.line.close()


async def follow(server, quick):
    """The figures of a crowd."""
    from websockets.asyncio.client import connect

    from conftest import CLASS_KEY

    request = urllib.request.Request(f"{server.address}/class/lead", CLASS_KEY.encode())
    with urllib.request.urlopen(request) as answer:
        cookie = answer.headers["set-cookie"].partition(";")[0]
    address = f"{server.address.replace('http', 'ws')}/class/live/lead"
    teacher = await connect(address, additional_headers={"Cookie": cookie})
    board = {}
    draining = asyncio.create_task(drain(teacher, board))
    health, pid = HealthProbe(server), server.process.pid
    before = cpu_of(pid)
    people = [Follower(k) for k in range(20 if quick else FOLLOWERS)]
    await asyncio.gather(*(person.join(server.address) for person in people))
    figures = spread(f"health while {FOLLOWERS} join", health.times())
    figures["all join, server's CPU ms"] = cpu_of(pid) - before
    before, times, arrivals = cpu_of(pid), [], []
    for position in range(1, (5 if quick else STEPS) + 1):
        began = time.perf_counter()
        await teacher.send(json.dumps({"go": {"position": position}}))
        await asyncio.gather(*(person.hear_of(position) for person in people))
        times.append(time.perf_counter() - began)
        arrivals += [person.heard - began for person in people]
        await asyncio.sleep(PAUSE)
    figures["a step, server's CPU ms"] = (cpu_of(pid) - before) / len(times)
    figures |= spread(f"a step reaches {FOLLOWERS}", times) | spread("health with followers", health.times())
    figures |= spread("a step reaches a follower", arrivals)
    figures |= await vote(server, teacher, board, people[: PHONES // 10 if quick else PHONES])
    host, port = server.address.removeprefix("http://").split(":")
    idle = [await asyncio.open_connection(host, port) for _ in range(50 if quick else IDLE)]
    health.times()
    await asyncio.sleep(1 if quick else QUIET)
    figures |= spread(f"health with {IDLE} idle connections", health.times())
    lost = sum(person.hearing.done() for person in people)
    figures |= {"crowd: memory, MB": memory(pid), "followers that were lost": lost}
    figures["log, bytes"] = server.log.stat().st_size
    for _, writer in idle:
        writer.close()
    health.stop()
    draining.cancel()
    await asyncio.gather(*(person.leave() for person in people), teacher.close())
    return figures


async def vote(server, teacher, board, phones):
    """The figures of a question that these phones answer."""
    pid, before, key = server.process.pid, cpu_of(server.process.pid), "benchmark"
    began = time.perf_counter()
    await teacher.send(json.dumps({"ask": {"key": key, "text": "Which one?", "choices": ["a", "b", "c", "d"]}}))
    await until(board, lambda: board.get("question"))
    await asyncio.gather(*(phone.answer(key) for phone in phones))
    await until(board, lambda: (board.get("result") or {}).get("people") == len(phones))
    figures = {f"{len(phones)} answers counted, ms": 1000 * (time.perf_counter() - began)}
    figures["answers, server's CPU ms"] = cpu_of(pid) - before
    began = time.perf_counter()
    known = await asyncio.gather(*(phone.reconnect(server.address) for phone in phones))
    figures[f"{len(phones)} reconnect, ms"] = 1000 * (time.perf_counter() - began)
    await asyncio.sleep(PAUSE)
    figures["phones lost over a reconnect"] = known.count(False)
    figures["answers lost over a reconnect"] = len(phones) - board["result"]["people"]
    await teacher.send(json.dumps({"close": True}))
    return figures


async def until(board, holds):
    """Wait until the condition holds for the teacher's board."""
    while not holds():
        await asyncio.sleep(0.01)


async def drain(line, board):
    """Receive the teacher's messages; the latest is the ``board``."""
    async for said in line:
        board.clear()
        board.update(json.loads(said))


def crowd(quick):
    """A crowd on a new server."""

    def measure():
        raise_limit()
        with running_server(files=FILES) as server:
            return asyncio.run(follow(server, quick))

    return measure
