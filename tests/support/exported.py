"""Exported runs in a browser; who imports `opened` imports `chromium`, `page_of` and `saved` of `browser` too."""

import pytest

import rcmviz as rv
from support.browser import DRAWN


@pytest.fixture
def opened(saved):
    """A function that exports runs and opens the file: ``opened(runs, query="?pos=4", **options)``.

    Options are those of ``export_html``, with the gold of the toy runs and a title unless they are given, and the size
    and the ``scheme`` of the window.
    """

    def open_runs(
        runs, query="", *, gold="abcdea", title="test word", width=1280, height=900, scheme="light", **options
    ):
        text = rv.export_html(runs, gold=gold, title=title, **options)
        return saved(text, DRAWN, query=query, width=width, height=height, scheme=scheme)

    return open_runs
