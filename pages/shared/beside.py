"""Work beside a page: begun on a thread of its own, and the page runs once more when it is done.

For what the kernels do in seconds, without Python's lock; what takes longer is a job (``rcmviz.jobs``).
"""

from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread

import streamlit as st

LOOK = 0.4  # seconds between two looks


class Beside:
    """One thread for one kind of work, in the order in which it was asked for; a server that stops waits for none."""

    def __init__(self, name):
        self._asked = SimpleQueue()
        Thread(target=self._work, name=name, daemon=True).start()

    def begin(self, work, *given):
        """``work(*given)`` as a future."""
        future = Future()
        self._asked.put((future, work, given))
        return future

    def _work(self):
        while True:
            future, work, given = self._asked.get()
            try:
                future.set_result(work(*given))
            except Exception as error:
                future.set_exception(error)


def rerun_when(is_news):
    """Look now and then, and run the whole page again once ``is_news()``."""
    st.fragment(_look, run_every=LOOK)(is_news)


def _look(is_news):
    if is_news():
        st.rerun()
