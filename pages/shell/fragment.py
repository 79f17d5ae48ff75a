"""Fragments of pages whose runs wait in the same queue as the runs of pages."""

from contextlib import nullcontext
from functools import wraps

import streamlit as st

from pages.shell import class_line
from pages.shell.run_queue import RUN_QUEUE


def run_slot():
    """Return the context of a run: a slot of the queue; a teacher does not wait for one."""
    return nullcontext() if class_line.leads() else RUN_QUEUE.slot()


def fragment(function):
    """``st.fragment`` within a ``run_slot``."""

    @st.fragment
    @wraps(function)
    def run(*given, **options):
        with run_slot():
            function(*given, **options)

    return run
