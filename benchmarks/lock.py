"""How long a server takes to answer beside scripts that compute in its process, by how often Python's lock goes round.

    python benchmarks/lock.py [rounds]

A server that answers every question at once, as the health check is answered, two threads that compute in Python, and a
process that asks a hundred times. Prints the times of the answers and the work of the threads, one row per interval:
Python's own, 5 ms, and that of the application (``app.py``).
"""

import json
import socket
import sys
import threading
import time
from multiprocessing import get_context

import uvicorn

INTERVALS = 0.005, 0.001, 0.0005  # seconds
QUESTIONS, PAUSE = 100, 0.02
COMPUTING = 2  # threads, as many as runs of pages at a time


async def answer(scope, receive, send):
    """An application that always says the same."""
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


def ask(port, line):
    """Send the milliseconds of each answer over ``line``."""
    times = []
    for _ in range(QUESTIONS):
        began = time.perf_counter()
        with socket.create_connection(("127.0.0.1", port)) as asking:
            asking.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            while asking.recv(4096):
                pass
        times.append(1000 * (time.perf_counter() - began))
        time.sleep(PAUSE)
    line.send(sorted(times))


def compute(over, done):
    """Work in Python until it is over, and count it."""
    while not over.is_set():
        json.dumps({"numbers": [number * number for number in range(2_000)]})
        done.append(1)


def measure(port, interval):
    """(Milliseconds of all answers, sorted; pieces of work per second)."""
    sys.setswitchinterval(interval)
    over, done, (here, there) = threading.Event(), [], get_context("spawn").Pipe()
    threads = [threading.Thread(target=compute, args=(over, done)) for _ in range(COMPUTING)]
    for thread in threads:
        thread.start()
    began = time.perf_counter()
    process = get_context("spawn").Process(target=ask, args=(port, there))
    process.start()
    times = here.recv()
    over.set()
    seconds = time.perf_counter() - began
    for one in (process, *threads):
        one.join()
    return times, len(done) / seconds


def main():
    """A row for each interval, again for each round."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(answer, port=port, log_level="critical"))
    serving = threading.Thread(target=server.run)
    serving.start()
    while not server.started:
        time.sleep(0.01)
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 3):
        for interval in INTERVALS:
            times, work = measure(port, interval)
            middle, high, highest = (times[int(share * (len(times) - 1))] for share in (0.5, 0.95, 0.99))
            said = f"median {middle:.1f}, p95 {high:.1f}, p99 {highest:.1f} ms"
            print(f"{1000 * interval:g} ms: {said}, {work:.0f} pieces of work a second")
    server.should_exit = True
    serving.join()


if __name__ == "__main__":
    main()
