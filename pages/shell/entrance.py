"""Runs of pages take turns, so many at a time: whoever comes first is served first.

Fifty scripts that run at once take turns at Python's lock, and all end when the last one does. Served one after
another, half of them end in half that time, and who asks after the server's health waits for two of them at most.
"""

import threading
import time
from contextlib import contextmanager

SEATS = 2  # runs at a time: while one waits for a kernel, which lets go of Python's lock, another computes
SEAT_SECONDS = 2.0  # who takes longer keeps nobody waiting: the next one comes in beside it
LOOK_SECONDS = 1.0  # between two looks of who waits; the first sees nothing of the line


class Entrance:
    """So many seats, and two lines of those who wait for one: who is here already, and who enters a page.

    Where both wait, one seat is for whoever enters and the others are for those who are here, so that neither line
    waits for all of the other · ``clock()`` tells seconds.
    """

    def __init__(self, seats=SEATS, look=LOOK_SECONDS, clock=time.monotonic):
        self._seats, self._look, self._clock, self._lock = seats, look, clock, threading.Lock()
        self._here, self._entering = [], []  # tickets, an event each
        self._seated = {}  # ticket → when it was seated, and whether it was entering
        self._own = threading.local()  # of the run in this thread: .ticket, and .is_inside while it stands or sits here

    def __len__(self):
        """How many wait to enter."""
        return len(self._entering)

    def come(self):
        """Hold a seat from now on until ``leave``, once it is free; of a run that shows a page which is there."""
        self._wait(self._stand(self._here), self._here, lambda place: None)

    @contextmanager
    def turn(self, waiting=lambda place: None):
        """Hold a seat within, of who enters a page, in place of the one that it may have.

        Who gets none at once hears ``waiting(place in line)`` now and then, and 0 at its turn. Whatever that raises
        leaves the line, and is raised here.
        """
        self.leave()
        ticket = self._stand(self._entering)
        with self._inside():
            self._wait(ticket, self._entering, waiting)
            yield

    @contextmanager
    def seat(self):
        """``come``, and ``leave`` at the end; nothing changes within another one, or within ``turn``."""
        if getattr(self._own, "is_inside", False):
            yield
            return
        with self._inside():
            self.come()
            yield

    @contextmanager
    def _inside(self):
        before, self._own.is_inside = getattr(self._own, "is_inside", False), True
        try:
            yield
        finally:
            self._own.is_inside = before
            self.leave()

    def leave(self):
        """The run in this thread computes no more: it is over, or waits for a process. Its seat is free."""
        ticket = getattr(self._own, "ticket", None)
        with self._lock:
            for line in (self._here, self._entering):
                if ticket in line:
                    line.remove(ticket)
            self._seated.pop(ticket, None)
            self._admit()

    def _stand(self, line):
        ticket = self._own.ticket = threading.Event()
        with self._lock:
            line.append(ticket)
            self._admit()
        return ticket

    def _wait(self, ticket, line, waiting):
        waited = False
        while not ticket.wait(self._look):
            with self._lock:
                self._admit()  # somebody may sit there for too long
                place = line.index(ticket) + 1 if ticket in line else 0
            if place:
                waiting(place)
                waited = True
        if waited:
            waiting(0)

    def _admit(self):
        """Seat who is next, while there are seats; the lock is held."""
        now = self._clock()
        self._seated = {one: seat for one, seat in self._seated.items() if now - seat[0] < SEAT_SECONDS}
        while len(self._seated) < self._seats and (line := self._next_line()):
            ticket = line.pop(0)
            self._seated[ticket] = now, line is self._entering
            ticket.set()

    def _next_line(self):
        """The line whose first one is to be seated."""
        anybody_entering = any(entering for _, entering in self._seated.values())
        first, second = self._here, self._entering
        if not anybody_entering and self._seats > 1:
            first, second = second, first
        return first or second


ENTRANCE = Entrance()
