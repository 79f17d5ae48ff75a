"""Response time and memory of a busy server."""

import multiprocessing
import socket
import time
from contextlib import suppress
from pathlib import Path

HEALTH = 0.05  # seconds between two requests


class HealthProbe:
    """Measures the server's health checks in a separate process."""

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
    """Request the health until the end; send the times on request over ``line``."""
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
    """Median, 95th and 99th of a hundred and worst, in milliseconds."""
    ordered = sorted(1000 * seconds for seconds in times)
    shares = {"median": 0.5, "95 %": 0.95, "99 %": 0.99, "worst": 1.0}
    return {f"{name}, {share}, ms": ordered[int(at * (len(ordered) - 1))] for share, at in shares.items()}
