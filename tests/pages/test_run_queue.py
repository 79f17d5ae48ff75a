"""The queue of page runs: first come, first served; runs that leave or take long do not block others."""

import threading
from pathlib import Path
from textwrap import dedent

import pytest
from streamlit.testing.v1 import AppTest, app_test

from pages.shell.run_queue import RUN_QUEUE, SLOT_SECONDS, RunQueue
from support.jobs import wait_for
from support.pages import FragmentRunner, opened

ROOT = Path(__file__).parents[2]


class Gone(Exception):
    """The user has left the queue."""


class People:
    """Runs at one queue, each in a thread, which stay inside until ``go``."""

    def __init__(self, slots=1):
        self.now, self.inside, self.said, self.ended = 0.0, [], {}, {}
        self.queue = RunQueue(slots, poll_seconds=0.001, clock=lambda: self.now)
        self.going, self.threads = {}, []

    def come(self, name, leaves=False, gives_up=False):
        """Start a run that enters a page; it ``leaves`` while it waits, or ``gives_up`` its slot inside."""
        before = len(self.queue) + len(self.inside)
        self._begin(name, self._run, leaves, gives_up)
        wait_for(lambda: name in self.ended or name in self.inside or len(self.queue) + len(self.inside) > before)

    def press(self, name):
        """Start a run of an open page."""
        before = len(self.queue._here)
        self._begin(name, self._answer)
        wait_for(lambda: name in self.inside or len(self.queue._here) > before)

    def _begin(self, name, run, *given):
        self.going[name], self.said[name] = threading.Event(), []
        self.threads.append(threading.Thread(target=run, args=(name, *given)))
        self.threads[-1].start()

    def _answer(self, name):
        self.queue.acquire()
        self.inside.append(name)
        self.going[name].wait()
        self.inside.remove(name)
        self.queue.release()
        self.ended[name] = "served"

    def _run(self, name, leaves, gives_up):
        def waiting(place):
            self.said[name].append(place)
            if leaves:
                raise Gone

        try:
            with self.queue.entering(waiting):
                self.inside.append(name)
                if gives_up:
                    self.queue.release()
                self.going[name].wait()
                self.inside.remove(name)
            self.ended[name] = "served"
        except Gone:
            self.ended[name] = "gone"

    def go(self, name):
        """End a run."""
        self.going[name].set()
        wait_for(lambda: name in self.ended)


@pytest.fixture
def people(request):
    made = People(getattr(request, "param", 1))
    yield made
    for going in made.going.values():
        going.set()
    for thread in made.threads:
        thread.join()


def test_first_come_first_served_and_waiting_runs_report_their_place(people):
    for name in "abc":
        people.come(name)
    wait_for(lambda: people.said["b"] and people.said["c"])
    assert people.inside == ["a"] and set(people.said["b"]) == {1} and set(people.said["c"]) == {2}
    people.go("a")
    wait_for(lambda: people.inside == ["b"])
    wait_for(lambda: people.said["c"][-1] == 1)
    assert people.said["b"][-1] == 0
    people.go("b")
    wait_for(lambda: people.inside == ["c"])
    people.go("c")
    assert people.said["a"] == [] and len(people.queue) == 0


def test_runs_that_leave_the_queue_or_a_slot_do_not_block_others(people):
    people.come("a")
    people.come("b", leaves=True)
    wait_for(lambda: people.ended.get("b") == "gone")
    people.come("c", gives_up=True)
    people.come("d")
    people.go("a")
    wait_for(lambda: people.inside == ["c", "d"])


def test_a_long_run_continues_and_does_not_block_others(people):
    people.come("a")
    people.come("b")
    assert people.inside == ["a"]
    people.now += SLOT_SECONDS
    wait_for(lambda: people.inside == ["a", "b"])
    people.come("c")
    wait_for(lambda: people.said["c"])
    assert people.inside == ["a", "b"]
    people.go("a")
    assert people.inside == ["b"]
    people.go("b")
    wait_for(lambda: people.inside == ["c"])


def test_a_failed_run_frees_its_slot(people):
    with pytest.raises(Gone), people.queue.entering():
        raise Gone
    with people.queue.entering():
        assert len(people.queue) == 0
    people.queue.release()  # of nothing


@pytest.mark.parametrize("people", [2], indirect=True)
def test_open_pages_and_entering_runs_alternate(people):
    for name in "ab":
        people.press(name)
    for name in "cd":
        people.press(name)
    for name in "xy":
        people.come(name)
    assert people.inside == ["a", "b"]
    people.go("a")
    wait_for(lambda: people.inside == ["b", "x"])  # although c and d came earlier: one slot is for entering runs
    people.go("b")
    wait_for(lambda: people.inside == ["x", "c"])
    people.go("c")
    wait_for(lambda: people.inside == ["x", "d"])
    people.go("d")
    wait_for(lambda: people.inside == ["x", "y"])  # no other run waits for the second slot


def test_entering_releases_the_slot_of_the_current_run(people):
    people.queue.acquire()
    with people.queue.entering():
        people.press("a")
        assert people.inside == []
    wait_for(lambda: people.inside == ["a"])


def test_nested_slots_are_one_slot():
    queue = RunQueue(1, poll_seconds=0.001)
    for outer in (queue.slot, queue.entering):
        with outer():
            with queue.slot():
                assert len(queue._running) == 1
            assert len(queue._running) == 1
        assert not queue._running
    with pytest.raises(Gone), queue.slot():
        raise Gone
    assert not queue._running and not queue._here


def test_no_slot_is_held_after_entering_from_a_slot():
    queue = RunQueue(1, poll_seconds=0.001)
    with queue.slot():
        with queue.entering():
            assert len(queue._running) == 1
        assert not queue._running
        with queue.slot():
            assert not queue._running, "the rest of the run does not wait again"


FRAGMENT = """
    import streamlit as st

    from pages.shell.run_queue import RUN_QUEUE
    from pages.shell.fragment import fragment, run_slot

    @fragment
    def part():
        st.button("again", key="again")
        st.text(f"fragment {len(RUN_QUEUE._running)}")

    with run_slot():
        st.text(f"page {len(RUN_QUEUE._running)}")
        part()
    st.text(f"after {len(RUN_QUEUE._running)}")
"""


@pytest.mark.parametrize("is_leading", [False, True])
def test_pages_and_fragments_take_slots_except_for_teachers(monkeypatch, is_leading):
    monkeypatch.setattr("pages.shell.class_line.leads", lambda: is_leading)
    session = AppTest.from_string(dedent(FRAGMENT), default_timeout=600).run()
    slots = 0 if is_leading else 1
    assert [text.value for text in session.text] == [f"page {slots}", f"fragment {slots}", "after 0"]
    monkeypatch.setattr(app_test, "LocalScriptRunner", FragmentRunner)
    session.button(key="again").click().run()
    assert f"fragment {slots}" in [text.value for text in session.text] and not RUN_QUEUE._running


def test_pages_of_the_application_run_within_a_slot_and_enter_through_the_queue(monkeypatch):
    held = []
    for name in ("slot", "entering"):
        own = getattr(RunQueue, name)
        monkeypatch.setattr(RunQueue, name, lambda *given, own=own, name=name: held.append(name) or own(*given))
    session = opened("lessons/page.py")
    assert held[-2:] == ["slot", "entering"] and not RUN_QUEUE._running
    held.clear()
    session.run()
    assert "slot" in held and "entering" not in held and not RUN_QUEUE._running


def test_every_fragment_takes_a_slot():
    own = ROOT / "pages" / "shell" / "fragment.py"
    assert [file for file in (ROOT / "pages").rglob("*.py") if "@st.fragment" in file.read_text() and file != own] == []
