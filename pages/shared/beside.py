"""Work beside a page: begun on a thread of its own, and the page runs once more when it is done.

What takes long there asks a process of its own (``computing.py``): else it would hold Python's lock against all pages.
"""

from concurrent.futures import Future
from itertools import count
from queue import SimpleQueue
from threading import Thread

import streamlit as st

from pages.shared.entrance import ENTRANCE
from rcmviz.views.shared.component import clock

LOOK = 0.4  # seconds between two looks, for each piece of work that is not done: whoever is last in line looks rarely


class Beside:
    """One thread for one kind of work, in the order in which it was asked for; a server that stops waits for none."""

    def __init__(self, name):
        self._asked, self._begun, self._done = SimpleQueue(), count(1), 0
        self._last = 0  # number of the piece of work that was asked for last
        Thread(target=self._work, name=name, daemon=True).start()

    def begin(self, work, *given):
        """``work(*given)`` as a future."""
        future = Future()
        self._last = next(self._begun)
        self._asked.put((future, work, given))
        return future

    def rerun_when(self, is_news):
        """Look now and then, and run the whole page again once ``is_news()`` and nobody waits to see a first view."""
        _look(self, is_news)

    @property
    def pace(self):
        """Seconds between two looks."""
        return LOOK * max(1, self._last - self._done)

    def _work(self):
        while True:
            future, work, given = self._asked.get()
            try:
                future.set_result(work(*given))
            except Exception as error:
                future.set_exception(error)
            self._done += 1


@st.fragment
def _look(beside, is_news):
    clock(beside.pace, key="beside")
    if is_news() and not len(ENTRANCE):
        st.rerun()
