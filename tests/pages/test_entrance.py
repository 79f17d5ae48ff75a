"""The line before a page: who came first goes first; who leaves, or takes long, holds up nobody."""

import threading

import pytest

from pages.shared.entrance import SEAT_SECONDS, Entrance
from support.jobs import wait_for


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
        self.going[name], self.said[name] = threading.Event(), []
        before = len(self.entrance) + len(self.inside)
        self.threads.append(threading.Thread(target=self._run, args=(name, leaves, gives_up)))
        self.threads[-1].start()
        wait_for(lambda: name in self.ended or name in self.inside or len(self.entrance) + len(self.inside) > before)

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
def people():
    made = People()
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
