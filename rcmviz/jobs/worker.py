"""A process that computes for the server: ``python -m rcmviz.jobs.worker``, started by ``workers.py`` only.

It makes objects and calls their methods, one request after the other, and answers each. Requests come on its standard
input and answers leave on its standard output, pickled: both ends are ours, and nothing of it is ever in a file. It
ends where the server does. What computes here is polite (``nice``), and bounded in memory.
"""

import os
import pickle
import signal
import struct
import sys
import threading
from contextlib import suppress
from queue import SimpleQueue
from typing import NamedTuple

NICENESS = 5
# kinds of requests; NOW is called at once, in another thread, without an answer; COMPUTE calls a function
MAKE, CALL, NOW, DROP, COMPUTE = range(5)
_LENGTH = struct.Struct("<Q")  # of what follows, in bytes


class _Request(NamedTuple):
    """A kind of request, the number of an object, a class, function or method, and its arguments or an exception."""

    kind: int
    number: int | None
    what: object
    given: object


class Worker:
    """The objects of this process, by number, and the requests that wait for them."""

    def __init__(self, requests, answers):
        """Both are binary streams."""
        self._requests, self._answers = requests, answers
        self._objects, self._waiting = {}, SimpleQueue()

    def work(self):
        """Answer requests until the server is gone."""
        threading.Thread(target=self._listen, daemon=True).start()
        while True:
            self._send_answer(self._waiting.get())

    def _listen(self):
        """Requests, as they come; those that cannot wait are met here."""
        while True:
            try:
                packed = receive(self._requests)
            except (EOFError, OSError):
                os._exit(0)  # the server is gone, and with it whoever wants an answer
            try:
                request = _Request(*pickle.loads(packed))
            except Exception as error:  # what was sent cannot be read here: its sender must hear of it
                self._waiting.put(_Request(CALL, None, None, error))
                continue
            if request.kind == NOW:
                with suppress(Exception):
                    getattr(self._objects[request.number], request.what)(*request.given)
            else:
                self._waiting.put(request)

    def _send_answer(self, request):
        try:
            self._send(True, self._result(*request))
        except MemoryError:
            self._send(False, ValueError("this needs more memory than a process may take here; make it smaller"))
        except Exception as error:  # whatever it is, the server has to know
            self._send(False, error)

    def _result(self, kind, number, what, given):
        if isinstance(given, Exception):
            raise given
        if kind == DROP:
            self._objects.pop(number, None)
            return None
        if kind == MAKE:
            self._objects[number] = what(*given)
            return None
        if kind == COMPUTE:
            return what(*given)
        return getattr(self._objects[number], what)(*given)

    def _send(self, good, content):
        try:
            answer = pickle.dumps((good, content), protocol=5)
        except Exception as error:  # an exception with something in it that stays here
            answer = pickle.dumps((False, RuntimeError(f"{type(content).__name__}: {content} ({error})")), protocol=5)
        send(self._answers, answer)


def send(stream, packed):
    """Write bytes with their length before them."""
    stream.write(_LENGTH.pack(len(packed)))
    stream.write(packed)
    stream.flush()


def receive(stream):
    """The bytes of one ``send``; EOFError where the other end is gone."""
    head = stream.read(_LENGTH.size)
    if len(head) == _LENGTH.size:
        packed = stream.read(length := _LENGTH.unpack(head)[0])
        if len(packed) == length:
            return packed
    raise EOFError


def limit_memory(more):
    """Limit this process to ``more`` bytes more than it has, if the system can."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        with open("/proc/self/statm") as file:
            has = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (has + more, resource.RLIM_INFINITY))


def main():
    """Work for whoever has begun this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C ends the server, and this process with it
    with suppress(AttributeError, OSError):
        os.nice(NICENESS)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anybody prints goes to the server's log
    import rcmviz.jobs.alignments  # what it will compute with, before its memory is counted
    import rcmviz.jobs.mrf  # noqa: F401

    limit_memory(int(sys.argv[1]))
    Worker(sys.stdin.buffer, answers).work()


if __name__ == "__main__":
    main()
