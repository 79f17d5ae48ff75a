"""Who enters a page while others do is served after them: first come, first served.

Fifty scripts that run at once take turns at Python's lock, and all end when the last one does. Served one after
another, half of them end in half that time, and who steps, or asks after the server's health, waits for few of them.
"""

import threading
import time
from contextlib import contextmanager

SEATS = 2  # runs at a time: while one waits for a kernel, which lets go of Python's lock, another computes
SEAT_SECONDS = 2.0  # who takes longer keeps nobody waiting: the next one comes in beside it
LOOK_SECONDS = 1.0  # between two looks of who waits; the first sees nothing of the line


class Entrance:
    """So many seats, and the line of those who wait for one; ``clock()`` tells seconds."""

    def __init__(self, seats=SEATS, look=LOOK_SECONDS, clock=time.monotonic):
        self._seats, self._look, self._clock, self._lock = seats, look, clock, threading.Lock()
        self._line, self._seated = [], {}  # tickets, an event each; ticket → when it was seated
        self._own = threading.local()  # .ticket of the run in this thread

    @contextmanager
    def turn(self, waiting=lambda place: None):
        """Hold a seat within; who gets none at once hears ``waiting(place in line)`` now and then, and 0 at its turn.

        Whatever that raises leaves the line, and is raised here.
        """
        ticket = self._own.ticket = threading.Event()
        with self._lock:
            self._line.append(ticket)
            self._admit()
        try:
            self._wait(ticket, waiting)
            yield
        finally:
            self.leave()

    def __len__(self):
        """How many wait."""
        return len(self._line)

    def leave(self):
        """The run in this thread computes no more: it is over, or waits for a process. Its seat is free."""
        ticket = getattr(self._own, "ticket", None)
        with self._lock:
            if ticket in self._line:
                self._line.remove(ticket)
            self._seated.pop(ticket, None)
            self._admit()

    def _wait(self, ticket, waiting):
        waited = False
        while not ticket.wait(self._look):
            with self._lock:
                self._admit()  # somebody may sit there for too long
                place = self._line.index(ticket) + 1 if ticket in self._line else 0
            if place:
                waiting(place)
                waited = True
        if waited:
            waiting(0)

    def _admit(self):
        """Seat who is first in line, while there are seats; the lock is held."""
        now = self._clock()
        taken = sum(now - since < SEAT_SECONDS for since in self._seated.values())
        for ticket in self._line[: max(0, self._seats - taken)]:
            self._line.remove(ticket)
            self._seated[ticket] = now
            ticket.set()


ENTRANCE = Entrance()
