"""Work beside a page: done on a thread of its own, and the page runs once more when it is.

What takes long there asks a process of its own (``computing.py``): else it would hold Python's lock against all pages.
"""

from concurrent.futures import Future
from itertools import count
from queue import SimpleQueue
from threading import Thread

from pages.shell.entrance import ENTRANCE
from pages.shell.fragment import fragment
from pages.shell.rerun import rerun
from rcmviz.views.shared.component import clock

LOOK = 0.4  # seconds between two looks, for each piece of work that is not done: whoever is last in line looks rarely


class Work(Future):
    """Work that is not begun before somebody stays to see it, or waits for its result: words that a class only passes
    by leave nothing to do. ``line_up(work)`` begins it.
    """

    def __init__(self, line_up):
        super().__init__()
        self._to_begin = [line_up]

    def begin(self):
        """Have it done in its turn, once."""
        try:
            line_up = self._to_begin.pop()  # at once, for two sessions may ask for it
        except IndexError:
            return
        line_up(self)

    def result(self, timeout=None):
        """What came of it; begins it and waits."""
        self.begin()
        return super().result(timeout)


class Beside:
    """One thread for one kind of work, in the order in which it is begun; a server that stops waits for none."""

    def __init__(self, name):
        self._asked, self._begun, self._done = SimpleQueue(), count(1), 0
        self._last = 0  # number of the piece of work that was begun last
        Thread(target=self._work, name=name, daemon=True).start()

    def later(self, work, *given):
        """``work(*given)`` as a ``Work`` that is not begun."""
        return Work(lambda future: self._line_up(future, work, given))

    def rerun_when(self, works, is_news):
        """Begin these for whoever is still there at the first look; look now and then, and run the whole page again
        once ``is_news()`` and nobody waits to see a first view.
        """
        _look(self, works, is_news)

    @property
    def pace(self):
        """Seconds between two looks."""
        return LOOK * max(1, self._last - self._done)

    def _line_up(self, future, work, given):
        self._last = next(self._begun)
        self._asked.put((future, work, given))

    def _work(self):
        while True:
            future, work, given = self._asked.get()
            try:
                future.set_result(work(*given))
            except Exception as error:
                future.set_exception(error)
            self._done += 1


@fragment
def _look(beside, works, is_news):
    clock(beside.pace, key="beside", on_tick=lambda: _begin(works))
    if is_news() and not len(ENTRANCE):
        rerun()


def _begin(works):
    for work in works:
        work.begin()
