"""What takes long is computed by a process beside the server; its session waits, is told the place in line, can leave.

Whoever moves a widget, or goes, meanwhile ends it. What takes less than half a second is computed here.
"""

import time

import streamlit as st

from pages.compat import session_id
from pages.shell.entrance import ENTRANCE
from pages.shell.visitors import visitor
from rcmviz.jobs.calls import SMALL_SECONDS, these_calls
from rcmviz.jobs.watchdog import WATCHDOG

SAID_SECONDS = 4  # for which a place in line is read before it is said anew


def compute(seconds, function, *given):
    """``function(*given)``, which takes so many ``seconds`` by a rough estimate; raises as the function does,
    and ValueError where the memory of the server is full.

    The function has a name in a module, and it, what it is given and what it returns can be pickled.
    """
    WATCHDOG.check()
    calls = these_calls() if seconds >= SMALL_SECONDS else None
    if calls is None:
        return function(*given)
    ENTRANCE.leave()
    return calls.compute(function, *given, owner=visitor(), waiting=Wait())


class Wait:
    """Called while somebody waits: says the place in line where there is one; Streamlit's own exception ends it.

    It is said anew every few seconds, and each goes by itself: a fragment may not change what it has said outside of
    itself, and whoever leaves the line says nothing any more.
    """

    def __init__(self, clock=time.monotonic):
        """``clock()`` tells seconds."""
        self._is_in_session, self._clock = session_id() is not None, clock
        self._in_line, self._silent_until = False, 0.0

    def __call__(self, ahead):
        """``ahead`` is the place in line, 0 for whoever has a turn."""
        if not self._is_in_session:
            return
        st.session_state.get("page")  # Streamlit ends a script that waits in vain wherever it reads the session's state
        if (ahead or self._in_line) and (now := self._clock()) >= self._silent_until:
            said = f"Number {ahead} in line: others are computing." if ahead else "It is your turn: it is computed now."
            st.toast(said, icon=":material/hourglass:", duration=SAID_SECONDS)
            self._in_line, self._silent_until = bool(ahead), now + SAID_SECONDS
