"""The line before a page: who came first goes first; who leaves, or takes long, holds up nobody, and loses nothing."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from streamlit.runtime.scriptrunner import script_runner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests, ScriptRequestType

from pages.shared import entrance
from pages.shared.entrance import SEAT_SECONDS, Entrance
from support.jobs import wait_for

ROOT = Path(__file__).parents[2]


class Gone(Exception):
    """Whoever waited has left."""


class People:
    """Runs in threads of their own at one entrance; each stays within until it is asked to go."""

    def __init__(self, seats=1):
        self.now, self.inside, self.said, self.ended = 0.0, [], {}, {}
        self.entrance = Entrance(seats, look=0.001, clock=lambda: self.now)
        self.going, self.threads = {}, []

    def come(self, name, leaves=False, gives_up=False):
        """A run asks for a turn; ``leaves`` while it waits · ``gives_up`` its seat within."""
        before = len(self.entrance) + len(self.inside)
        self._begin(name, self._run, leaves, gives_up)
        wait_for(lambda: name in self.ended or name in self.inside or len(self.entrance) + len(self.inside) > before)

    def press(self, name):
        """A run of somebody who is here already asks for a seat."""
        before = len(self.entrance._here)
        self._begin(name, self._answer)
        wait_for(lambda: name in self.inside or len(self.entrance._here) > before)

    def _begin(self, name, run, *given):
        self.going[name], self.said[name] = threading.Event(), []
        self.threads.append(threading.Thread(target=run, args=(name, *given)))
        self.threads[-1].start()

    def _answer(self, name):
        self.entrance.come()
        self.inside.append(name)
        self.going[name].wait()
        self.inside.remove(name)
        self.entrance.leave()
        self.ended[name] = "served"

    def _run(self, name, leaves, gives_up):
        def waiting(place):
            self.said[name].append(place)
            if leaves:
                raise Gone

        try:
            with self.entrance.turn(waiting):
                self.inside.append(name)
                if gives_up:
                    self.entrance.leave()
                self.going[name].wait()
                self.inside.remove(name)
            self.ended[name] = "served"
        except Gone:
            self.ended[name] = "gone"

    def go(self, name):
        """A run is over."""
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


def test_who_comes_first_goes_first_and_who_waits_hears_its_place(people):
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
    assert people.said["a"] == [] and len(people.entrance) == 0


def test_who_leaves_the_line_or_a_seat_holds_up_nobody(people):
    people.come("a")
    people.come("b", leaves=True)
    wait_for(lambda: people.ended.get("b") == "gone")
    people.come("c", gives_up=True)
    people.come("d")
    people.go("a")
    wait_for(lambda: people.inside == ["c", "d"])


def test_who_takes_long_keeps_its_place_and_nobody_waiting(people):
    people.come("a")
    people.come("b")
    assert people.inside == ["a"]
    people.now += SEAT_SECONDS
    wait_for(lambda: people.inside == ["a", "b"])
    people.come("c")
    wait_for(lambda: people.said["c"])
    assert people.inside == ["a", "b"]
    people.go("a")
    assert people.inside == ["b"]
    people.go("b")
    wait_for(lambda: people.inside == ["c"])


def test_a_run_that_fails_frees_its_seat(people):
    with pytest.raises(Gone), people.entrance.turn():
        raise Gone
    with people.entrance.turn():
        assert len(people.entrance) == 0
    people.entrance.leave()  # of nothing


@pytest.mark.parametrize("people", [2], indirect=True)
def test_who_is_here_and_who_enters_do_not_wait_for_all_of_the_others(people):
    for name in "ab":
        people.press(name)
    for name in "cd":
        people.press(name)
    for name in "xy":
        people.come(name)
    assert people.inside == ["a", "b"]
    people.go("a")
    wait_for(lambda: people.inside == ["b", "x"])  # though c and d were there before: one seat is for who enters
    people.go("b")
    wait_for(lambda: people.inside == ["x", "c"])
    people.go("c")
    wait_for(lambda: people.inside == ["x", "d"])
    people.go("d")
    wait_for(lambda: people.inside == ["x", "y"])  # nobody else wants the other one


def test_who_enters_gives_up_the_seat_of_the_run_that_it_is_in(people):
    people.entrance.come()
    with people.entrance.turn():
        people.press("a")
        assert people.inside == []
    wait_for(lambda: people.inside == ["a"])


@pytest.fixture
def requests_of(monkeypatch):
    """One seat at the server's entrance; → a function that makes what a session asks for."""
    monkeypatch.setattr(entrance, "ENTRANCE", Entrance(1, look=0.001))
    monkeypatch.setattr(script_runner, "ScriptRequests", ScriptRequests)  # so that what follows is undone
    waiters = []

    def make(leads=False):
        entrance.take_turns(waits_for_nobody=lambda: leads)
        return script_runner.ScriptRequests()

    with ThreadPoolExecutor() as threads:

        def ready(requests):
            """What the session's thread is told to do, once it is told."""
            waiters.append(threads.submit(requests.on_scriptrunner_ready))
            wait_for(lambda: waiters[-1].done() or entrance.ENTRANCE._here)
            return waiters[-1]

        yield make, ready
        entrance.ENTRANCE.leave()


def pressed(fragment):
    """What a browser asks for: a run of a fragment."""
    return RerunData(fragment_id=fragment)


def test_what_is_pressed_while_one_waits_is_answered_by_the_run_that_waits(requests_of):
    make, ready = requests_of
    requests = make()
    entrance.ENTRANCE.come()  # somebody else
    requests.request_rerun(pressed("a"))
    waiting = ready(requests)
    assert not waiting.done()
    requests.request_rerun(pressed("b"))
    entrance.ENTRANCE.leave()
    request = waiting.result()
    assert request.type == ScriptRequestType.RERUN and request.rerun_data.fragment_id_queue == ["a", "b"]


def test_a_run_gives_its_seat_back_when_nothing_follows_it(requests_of):
    make, _ = requests_of
    requests = make()
    requests.request_rerun(pressed("a"))
    assert requests.on_scriptrunner_ready().type == ScriptRequestType.RERUN
    requests.request_rerun(pressed("b"))
    assert requests.on_scriptrunner_ready().rerun_data.fragment_id_queue == ["b"]
    assert len(entrance.ENTRANCE._seated) == 1
    assert requests.on_scriptrunner_ready().type == ScriptRequestType.STOP
    assert not entrance.ENTRANCE._seated and not entrance.ENTRANCE._here


def test_nobody_stands_in_line_for_nothing_and_who_leaves_meanwhile_holds_no_seat(requests_of):
    make, ready = requests_of
    entrance.ENTRANCE.come()
    assert ready(make()).result().type == ScriptRequestType.STOP  # at once, with nothing asked for
    requests = make()
    requests.request_rerun(pressed("a"))
    waiting = ready(requests)
    requests.request_stop()
    entrance.ENTRANCE.leave()
    assert waiting.result().type == ScriptRequestType.STOP and not entrance.ENTRANCE._seated


def test_who_leads_a_class_waits_for_nobody(requests_of):
    make, ready = requests_of
    requests = make(leads=True)
    entrance.ENTRANCE.come()
    requests.request_rerun(pressed("a"))
    assert ready(requests).result().type == ScriptRequestType.RERUN


def test_the_application_takes_turns_and_keeps_presses():
    code = "import app; from streamlit.runtime.scriptrunner.script_runner import ScriptRequests as s; print(s.mro())"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert "TurnByTurn" in ran.stdout and "PressesKept" in ran.stdout, ran.stderr
