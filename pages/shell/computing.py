"""Long computations of a page, in worker processes; the session shows its place in the queue while it waits.

A change of a widget, or leaving the page, cancels the computation. Computations under half a second run here.
"""

import time

import streamlit as st

from pages.compat import session_id
from pages.shell.run_queue import RUN_QUEUE
from pages.shell.visitors import visitor
from rcmviz.jobs.calls import SMALL_SECONDS, shared_calls
from rcmviz.jobs.watchdog import WATCHDOG

MESSAGE_SECONDS = 4  # how long a toast with the place in the queue stays before the next one


def compute(seconds, function, *given):
    """Return ``function(*given)``, estimated to take ``seconds``.

    Raises what the function raises, and ValueError if the server's memory is full.

    ``function`` is a named function of a module; its arguments and its result can be pickled.
    """
    WATCHDOG.check()
    calls = shared_calls() if seconds >= SMALL_SECONDS else None
    if calls is None:
        return function(*given)
    RUN_QUEUE.release()
    return calls.compute(function, *given, owner=visitor(), waiting=Wait())


class Wait:
    """A callback of a waiting session: shows its place in the queue; Streamlit's exception cancels the wait.

    A toast is shown again every few seconds and disappears by itself, since a fragment may not change elements outside
    of itself.
    """

    def __init__(self, clock=time.monotonic):
        """``clock()`` returns seconds."""
        self._is_in_session, self._clock = session_id() is not None, clock
        self._in_line, self._silent_until = False, 0.0

    def __call__(self, ahead):
        """Show the place in the queue, ``ahead``; 0 once the computation has started."""
        if not self._is_in_session:
            return
        st.session_state.get("page")  # Streamlit stops a script that is out of date when it reads the session's state
        if (ahead or self._in_line) and (now := self._clock()) >= self._silent_until:
            message = f"Number {ahead} in line: others are computing." if ahead else "Your computation has started."
            st.toast(message, icon=":material/hourglass:", duration=MESSAGE_SECONDS)
            self._in_line, self._silent_until = bool(ahead), now + MESSAGE_SECONDS
