"""Whose turn it is: work of many people on few workers, in stretches.

Each worker has a thread here that hands it one stretch after the other, of one owner after the other: whoever trains
five methods gets no more turns than whoever trains one. ``seats`` trainings take turns, others wait in line until one
ends; a waiting one takes no memory.
"""

import threading
from collections import OrderedDict, deque

from rcmviz.jobs.workers import REST_SECONDS

IDLE_SECONDS = 5.0  # after which the thread of a worker ends; the next work begins another


class Turns:
    """``workers`` (each with ``make``, ``drop``, ``holds``, ``rest``) · ``seats`` how many trainings take turns at once
    · ``has_room()`` whether memory is left for one more · ``ready()`` returns when the workers can start.
    """

    def __init__(self, workers, seats, has_room=lambda: True, ready=lambda: None):
        self.seats, self._has_room, self._lock = seats, has_room, threading.Lock()
        self._lanes = [_Lane(worker, ready, k) for k, worker in enumerate(workers)]
        self._seated, self._line = set(), []

    def executor(self, owner=""):
        """An ``Executor`` for one training of an owner."""
        return Executor(self, owner)

    def assign_lanes(self):
        """Give seats that are free to those who wait, in their order."""
        with self._lock:
            self._fill()

    def rest(self, idle=REST_SECONDS):
        """End the processes idle for ``idle`` seconds; return whether none is left."""
        left = [lane for lane in self._lanes if not lane.worker.rest(idle)]
        return not left

    def submit(self, executor, work):
        """Work of an executor: soon, or once it has a seat."""
        with self._lock:
            executor.work = work
            if executor in self._seated:
                executor.lane.put(executor)
            elif executor not in self._line:
                self._line.append(executor)
                self._fill()

    def leave(self, executor):
        """Free the seat of an executor that has nothing to do."""
        with self._lock:
            self._seated.discard(executor)
            self._fill()

    def withdraw(self, executor):
        """An executor waits no longer; whether it stood in line."""
        with self._lock:
            waited = executor in self._line
            if waited:
                self._line.remove(executor)
            return waited

    def ahead(self, executor):
        """An executor's place in line, from 1; 0 if it has a seat or is not waiting."""
        with self._lock:
            return self._line.index(executor) + 1 if executor in self._line else 0

    def _fill(self):
        while self._line and len(self._seated) < self.seats and (not self._seated or self._has_room()):
            executor = self._line.pop(0)
            self._seated.add(executor)
            if executor.lane is None or not executor.has_made:
                executor.lane = min(self._lanes, key=lambda lane: sum(one.lane is lane for one in self._seated))
            executor.lane.put(executor)


class Executor:
    """One training's place: an executor of one stretch after the other, and the worker of its objects."""

    def __init__(self, turns, owner):
        self._turns, self.owner = turns, owner
        self.work, self.lane, self.has_made = None, None, False

    def submit(self, work):
        """Call ``work()`` when it is its turn."""
        self._turns.submit(self, work)

    def make(self, factory, *given):
        """An object where this executor computes; only from within its own work."""
        made = self.lane.worker.make(factory, *given)
        self.has_made = True
        return made

    def drop(self, made):
        """The object is not needed any more."""
        self.has_made = False
        self.lane.worker.drop(made)

    def leave(self):
        """Nothing is to be done."""
        self._turns.leave(self)

    def withdraw(self):
        """It waits no longer for a seat; whether it did."""
        return self._turns.withdraw(self)

    @property
    def ahead(self):
        """Its place in line, 0 if it is not waiting."""
        return self._turns.ahead(self)


class _Lane:
    """A worker and its thread: one executor after another, owner by owner."""

    def __init__(self, worker, ready, number):
        self.worker, self._ready = worker, ready
        self._waiting, self._change = OrderedDict(), threading.Condition()  # owner → executors
        self._thread, self._number = None, number

    def put(self, executor):
        """An executor waits for its turn."""
        with self._change:
            self._waiting.setdefault(executor.owner, deque()).append(executor)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=f"training-{self._number}", daemon=True)
                self._thread.start()
            self._change.notify()

    def _run(self):
        while (executor := self._next()) is not None:
            self._ready()
            executor.work()

    def _next(self):
        """The next executor, or None: the first of the owner whose turn it is; that owner goes to the end."""
        with self._change:
            if not self._waiting and not self._change.wait_for(lambda: self._waiting, IDLE_SECONDS):
                self._thread = None
                return None
            owner, executors = self._waiting.popitem(last=False)
            executor = executors.popleft()
            if executors:
                self._waiting[owner] = executors
            return executor
