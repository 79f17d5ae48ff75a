"""Work beside a page: begun on a thread of its own, and the page runs once more when it is done.

For what the kernels do in seconds, without Python's lock; what takes longer is a job (``rcmviz.jobs``).
"""

from concurrent.futures import ThreadPoolExecutor

import streamlit as st

LOOK = 0.4  # seconds between two looks


class Beside:
    """One thread for one kind of work, in the order in which it was asked for."""

    def __init__(self, name):
        self._threads = ThreadPoolExecutor(1, thread_name_prefix=name)

    def begin(self, work, *given):
        """``work(*given)`` as a future."""
        return self._threads.submit(work, *given)


def rerun_when(is_news):
    """Look now and then, and run the whole page again once ``is_news()``."""
    st.fragment(_look, run_every=LOOK)(is_news)


def _look(is_news):
    if is_news():
        st.rerun()
