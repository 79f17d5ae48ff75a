"""Visitors: what a browser starts or uploads belongs to it, in all of its tabs, and is released after it leaves.

A browser is recognized by a cookie (``rcmviz/classroom/visitor.py``), of which only a digest is kept.
"""

import gc
import hashlib
import threading
import time

import streamlit as st

from pages.compat import is_connected, session_id
from rcmviz.classroom.cookies import cookie_name
from rcmviz.jobs.memory import RESULT_CACHE
from rcmviz.jobs.watchdog import trim_heap

GONE_SECONDS = 60  # from the end of a visitor's last session until its resources are released
LOOK_SECONDS = 15
_NAME = "visitor"


def visitor():
    """Return the name of this session's visitor; None outside of any session."""
    session = session_id()
    if session is None:
        return None
    known = st.session_state.get(_NAME)
    if known is None:
        key = st.context.cookies.get(cookie_name("visitor", st.get_option("server.port"))) or session
        known = st.session_state[_NAME] = hashlib.sha256(str(key).encode()).hexdigest()[:32]
    return known


def is_mine(run):
    """Whether this session may control a run: its visitor started it, or it has no owner."""
    return not run.owner or run.owner == visitor()


class Visitors:
    """The sessions of each visitor; ``on_gone`` are called with the name of one without a session for a minute."""

    def __init__(self, is_active, clock=time.monotonic):
        """``is_active(session id)`` tells whether a session is connected."""
        self.on_gone = []  # functions of a visitor
        self.drop_sessions = lambda: None  # called a minute after sessions have ended, by a thread of its own
        self._is_active, self._clock = is_active, clock
        self._sessions, self._seen, self._lock, self._timer = {}, {}, threading.Lock(), None
        self._ended = None  # when a session was first seen to be over, the latest one; None where all were dropped

    def register(self, visitor, session):
        """Register a session of a visitor."""
        with self._lock:
            self._sessions.setdefault(visitor, set()).add(session)
            self._seen[visitor] = self._clock()
            if self._timer is None:
                self._watch()

    def __len__(self):
        return len(self._sessions)

    def release_gone(self):
        """Release the resources of visitors who have left, with a garbage collection."""
        gone = [visitor for visitor in list(self._sessions) if self._is_gone(visitor)]
        for visitor in gone:
            for release in self.on_gone:
                release(visitor)
        is_over = self._ended is not None and self._clock() - self._ended > GONE_SECONDS
        if is_over:
            self._ended = None
            self.drop_sessions()
        if gone or is_over:
            gc.collect()
            trim_heap()

    def _is_gone(self, visitor):
        with self._lock:
            here = {session for session in self._sessions[visitor] if self._is_active(session)}
            if here != self._sessions[visitor]:
                self._ended = self._clock()
            self._sessions[visitor] = here
            if here:
                self._seen[visitor] = self._clock()
            gone = self._clock() - self._seen[visitor] > GONE_SECONDS
            if gone:
                del self._sessions[visitor], self._seen[visitor]
            return gone

    def _watch(self):
        self._timer = threading.Timer(LOOK_SECONDS, self._tick)
        self._timer.daemon = True
        self._timer.start()

    def _tick(self):
        try:
            self.release_gone()
        finally:
            with self._lock:
                self._timer = None
                if self._sessions or self._ended is not None:
                    self._watch()


VISITORS = Visitors(is_connected)
VISITORS.on_gone.append(lambda _: RESULT_CACHE.clear() if not len(VISITORS) else None)  # no reader is left


def register_session():
    """Register this session; called whenever a page runs."""
    session = session_id()
    if session is not None:
        VISITORS.register(visitor(), session)
