"""Fragments of pages whose own runs wait at the entrance, as those of pages do."""

from contextlib import nullcontext
from functools import wraps

import streamlit as st

from pages.shell import class_line
from pages.shell.entrance import ENTRANCE


def seat():
    """What a run is within: a seat at the entrance, which whoever leads a class does not wait for."""
    return nullcontext() if class_line.leads() else ENTRANCE.seat()


def fragment(function):
    """``st.fragment`` within a ``seat``."""

    @st.fragment
    @wraps(function)
    def run(*given, **options):
        with seat():
            function(*given, **options)

    return run
