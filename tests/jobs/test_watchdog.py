"""The memory limit: caches are dropped first, then new work is refused, and both are reported."""

from functools import lru_cache

import pytest

from pages.ctc import inputs
from pages.shell import computing
from rcmviz.jobs.watchdog import FULL, Watchdog, resident_bytes, shed_caches


class Server:
    """A server that takes ``kept`` bytes, of which ``caches`` can be shed."""

    def __init__(self):
        self.kept, self.caches = 100, 0
        self.watchdog = Watchdog(lambda: 1_000, lambda: self.kept + self.caches, self.shed)
        self.watchdog.start()

    def shed(self):
        self.caches = 0


def test_caches_go_before_work_is_refused_and_both_end(capsys):
    server = Server()
    server.caches = 5_000
    server.watchdog.look()
    assert server.caches == 0 and not server.watchdog.is_full and not capsys.readouterr().err
    server.kept += 1_001
    server.watchdog.look()
    with pytest.raises(ValueError, match=FULL):
        server.watchdog.check()
    server.watchdog.look()
    assert capsys.readouterr().err.count("new work is refused") == 1
    server.kept -= 100  # within the limit, but not by enough
    server.watchdog.look()
    assert server.watchdog.is_full
    server.kept -= 10
    server.watchdog.look()
    server.watchdog.check()
    assert capsys.readouterr().err.count("new work is taken again") == 1


def test_memory_at_the_start_does_not_count():
    server = Server()
    assert server.watchdog.bytes == 0
    server.kept = 1_050
    assert server.watchdog.bytes == 950


def test_a_page_says_that_the_memory_is_full(monkeypatch):
    monkeypatch.setattr(computing.WATCHDOG, "is_full", True)
    with pytest.raises(ValueError, match="full"):
        computing.compute(0, lambda: 1)


def test_caches_of_pages_are_found_and_emptied(monkeypatch):
    @lru_cache(maxsize=2)
    def kept():
        return object()

    kept.__module__ = inputs.__name__
    monkeypatch.setattr(inputs, "kept", kept, raising=False)
    before = kept()
    assert kept() is before
    shed_caches()
    assert kept() is not before
    assert resident_bytes() >= 0
