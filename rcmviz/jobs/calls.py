"""One computation in a worker process, for a user who waits for it.

A training has stretches and can be asked to stop after one; a call has none. So a process computes one thing
for one user, and cancelling ends the process: the next computation starts another.
"""

import threading
from concurrent.futures import Future, wait
from functools import cache

from rcmviz.jobs.memory import max_memory
from rcmviz.jobs.workers import REST_SECONDS, ProcessWorker, WorkerLost, workers_from_environment

SMALL_SECONDS = 0.5  # of estimated work: shorter work is computed in the server
MOST_LOSSES = 3  # times that its process may die
LOOK_SECONDS = 0.1  # seconds between two looks of whoever waits


class Calls:
    """``workers`` that compute (``ProcessWorker``), and the line of those who wait for one."""

    def __init__(self, workers):
        self._free, self._line = list(workers), []
        self._change = threading.Condition()
        self._turn, self._served, self._working = 0, {}, set()  # owner → its last turn; owners who have a worker

    def compute(self, function, *given, owner=None, waiting=lambda ahead: None):
        """``function(*given)`` by a worker; raises as it does, ValueError if its process died again and again.

        ``waiting(ahead)`` is called every tenth of a second, with its place in line, 0 once it is its turn. Whatever
        that raises ends the computation and is raised here. An ``owner`` has one turn at a time; None is unknown.
        """
        ticket = object() if owner is None else owner, object()
        for _ in range(MOST_LOSSES):
            worker = self._take_worker(ticket, waiting)
            try:
                return _compute_on_worker(worker, function, given, waiting)
            except WorkerLost as lost:
                said = str(lost)
            finally:
                self._return_worker(ticket, worker)
        raise ValueError(
            f"the process that computed this has died {MOST_LOSSES} times ({said}): ask for something smaller"
        )

    def _take_worker(self, ticket, waiting):
        """A worker, when it is its turn."""
        with self._change:
            self._line.append(ticket)
        try:
            while True:
                with self._change:
                    ahead = self._order().index(ticket)
                    if ahead < len(self._free) and ticket[0] not in self._working:
                        return self._begin_turn(ticket)
                    self._change.wait(LOOK_SECONDS)
                waiting(ahead + 1)
        except BaseException:
            with self._change:
                self._line.remove(ticket)
            raise

    def _order(self):
        """The waiting owners: idle ones first, then by their last turn, then by arrival."""
        return sorted(self._line, key=lambda ticket: (ticket[0] in self._working, self._served.get(ticket[0], 0)))

    def _begin_turn(self, ticket):
        """It is its turn; the lock is held."""
        self._line.remove(ticket)
        self._turn += 1
        self._served[ticket[0]] = self._turn
        self._working.add(ticket[0])
        return self._free.pop()

    def _return_worker(self, ticket, worker):
        owner = ticket[0]
        with self._change:
            self._free.append(worker)
            self._working.discard(owner)
            if all(other != owner for other, _ in self._line):
                del self._served[owner]
            self._change.notify_all()
        resting = threading.Timer(REST_SECONDS + 1, worker.rest)
        resting.daemon = True
        resting.start()


def _compute_on_worker(worker, function, given, waiting):
    """The worker's result; ``waiting(0)`` is called in between, and stops the worker by raising."""
    future = Future()
    threading.Thread(target=_fulfil, args=(future, worker, function, given), daemon=True).start()
    try:
        while not wait([future], LOOK_SECONDS).done:
            waiting(0)
    except BaseException:
        while not future.done():  # a process that is only beginning ends too
            worker.end()
            wait([future], LOOK_SECONDS)
        raise
    return future.result()


def _fulfil(future, worker, function, given):
    try:
        future.set_result(worker.compute(function, *given))
    except BaseException as error:  # whoever waits has to know
        future.set_exception(error)


@cache
def shared_calls():
    """The Calls of this process; None where threads of the server compute (``RCMVIZ_WORKERS=0``)."""
    limit, workers = max_memory() // 2, workers_from_environment()
    return Calls([ProcessWorker(limit) for _ in range(workers)]) if workers else None
