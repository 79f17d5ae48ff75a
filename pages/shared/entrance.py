"""Runs of pages take turns, so many at a time: whoever comes first is served first.

Fifty scripts that run at once take turns at Python's lock, and all end when the last one does. Served one after
another, half of them end in half that time, and who asks after the server's health waits for two of them at most.
"""

import threading
import time
from contextlib import contextmanager

try:  # inner parts of Streamlit 1.67: where a release has them elsewhere, runs take no turns and all else is as it was
    from streamlit.runtime.scriptrunner import script_runner
    from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
except ImportError:
    script_runner = None

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
        self._own = threading.local()  # .ticket of the run in this thread

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
        try:
            self._wait(ticket, self._entering, waiting)
            yield
        finally:
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


def take_turns(waits_for_nobody):
    """From now on the runs of all sessions take turns, but for those where ``waits_for_nobody()``.

    A run waits before it takes what its session asks for, so what is pressed meanwhile is answered by the same run, and
    nothing is lost. A session has one place in line, however much is pressed there.
    """
    if not hasattr(script_runner, "ScriptRequests"):
        return

    class TurnByTurn(script_runner.ScriptRequests):
        """What a session asks for: its thread comes here before each run, and when there is none to follow."""

        def on_scriptrunner_ready(self):
            ENTRANCE.leave()
            if self._state == ScriptRequestType.RERUN and not waits_for_nobody():
                ENTRANCE.come()
            request = super().on_scriptrunner_ready()
            if request.type == ScriptRequestType.STOP:  # who stood in line has gone meanwhile
                ENTRANCE.leave()
            return request

    script_runner.ScriptRequests = TurnByTurn
