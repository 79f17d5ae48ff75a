"""The queue of page runs: a few run at once, in the order in which they came.

Fifty scripts that run at once share Python's lock, and all end when the last one does. In a queue half of them end in
half that time, and a health check waits for two of them at most.
"""

import threading
import time
from contextlib import contextmanager

SLOTS = 2  # while one waits for a kernel, which releases Python's lock, another one computes
SLOT_SECONDS = 2.0  # a run that takes longer no longer counts, and the next one starts
POLL_SECONDS = 1.0  # between two polls of a waiting run; a run that starts sooner shows no place in the queue


class RunQueue:
    """A number of slots, and two lines that wait for them: runs of open pages, and runs that enter a page.

    If both wait, one slot is for runs that enter and the others are for open pages, so that neither line waits for all
    of the other · ``clock()`` returns seconds.
    """

    def __init__(self, slots=SLOTS, poll_seconds=POLL_SECONDS, clock=time.monotonic):
        self._slots, self._poll_seconds, self._clock, self._lock = slots, poll_seconds, clock, threading.Lock()
        self._here, self._entering = [], []  # tickets, an event each
        self._running = {}  # ticket → when it was started, and whether it was entering
        self._local = threading.local()  # of this thread's run: .ticket, and .is_inside while it waits or runs

    def __len__(self):
        """The number of runs that wait to enter a page."""
        return len(self._entering)

    def acquire(self):
        """Wait for a slot for a run of an open page, and hold it until ``release``."""
        self._wait(self._join(self._here), self._here, lambda place: None)

    @contextmanager
    def entering(self, waiting=lambda place: None):
        """Hold a slot within this context for a run that enters a page, in place of the slot that it may have.

        While the run waits, ``waiting(place in line)`` is called now and then, and with 0 when it starts. An exception
        from it leaves the line and is raised here.
        """
        self.release()
        ticket = self._join(self._entering)
        with self._inside():
            self._wait(ticket, self._entering, waiting)
            yield

    @contextmanager
    def slot(self):
        """``acquire``, and ``release`` at the end; does nothing within another slot, or within ``entering``."""
        if getattr(self._local, "is_inside", False):
            yield
            return
        with self._inside():
            self.acquire()
            yield

    @contextmanager
    def _inside(self):
        before, self._local.is_inside = getattr(self._local, "is_inside", False), True
        try:
            yield
        finally:
            self._local.is_inside = before
            self.release()

    def release(self):
        """Release the slot of the run in this thread, which has ended or waits for a process."""
        ticket = getattr(self._local, "ticket", None)
        with self._lock:
            for line in (self._here, self._entering):
                if ticket in line:
                    line.remove(ticket)
            self._running.pop(ticket, None)
            self._admit()

    def _join(self, line):
        ticket = self._local.ticket = threading.Event()
        with self._lock:
            line.append(ticket)
            self._admit()
        return ticket

    def _wait(self, ticket, line, waiting):
        waited = False
        while not ticket.wait(self._poll_seconds):
            with self._lock:
                self._admit()  # a slot may have expired
                place = line.index(ticket) + 1 if ticket in line else 0
            if place:
                waiting(place)
                waited = True
        if waited:
            waiting(0)

    def _admit(self):
        """Start the next runs while slots are free; the lock is held."""
        now = self._clock()
        self._running = {one: slot for one, slot in self._running.items() if now - slot[0] < SLOT_SECONDS}
        while len(self._running) < self._slots and (line := self._next_line()):
            ticket = line.pop(0)
            self._running[ticket] = now, line is self._entering
            ticket.set()

    def _next_line(self):
        """Return the line whose first run is next."""
        is_entering = any(entering for _, entering in self._running.values())
        first, second = self._here, self._entering
        if not is_entering and self._slots > 1:
            first, second = second, first
        return first or second


RUN_QUEUE = RunQueue()
