"""Exported runs in a browser; who imports `opened` imports `chromium`, `page_of` and `saved` of `browser` too."""

import pytest

from rcmviz.views import build_payload
from rcmviz.views.shared.export import page
from rcmviz.views.word.shown import runs_of
from support.browser import DRAWN


def player_page(trace, lattice=None, *, word=None, title=None, **options):
    """The player alone, without the mass-flow picture, as an HTML page; options are those of ``build_payload``."""
    runs = runs_of(trace, None) if lattice is None else runs_of(lattice, trace)
    payload = build_payload(word, runs, title=title, **options)
    names = ", ".join(run.name for run in runs)
    return page(payload, f"{payload['title']} · {names}" if payload["title"] else "rcmviz", "player")


@pytest.fixture
def opened(saved):
    """A function that exports runs and opens the file: ``opened(runs, query="?pos=4", **options)``.

    Options are those of ``player_page``, with the gold of the toy runs and a title unless they are given, and the size
    and the ``scheme`` of the window.
    """

    def open_runs(
        runs, query="", *, gold="abcdea", title="test word", width=1280, height=900, scheme="light", **options
    ):
        text = player_page(runs, gold=gold, title=title, **options)
        return saved(text, DRAWN, query=query, width=width, height=height, scheme=scheme)

    return open_runs
