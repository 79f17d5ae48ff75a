"""Background work of a page: one thread per kind of work; the page reruns when a result arrives.

Long computations run in a worker process (``computing.py``), since a thread here would hold the interpreter's lock.
"""

from concurrent.futures import Future
from itertools import count
from queue import SimpleQueue
from threading import Thread

from pages.shell.fragment import fragment
from pages.shell.rerun import rerun
from pages.shell.run_queue import RUN_QUEUE
from rcmviz.views.shared.component import clock

POLL_SECONDS = 0.4  # seconds between two polls for each unfinished task: with a long queue pages poll less often


class Task(Future):
    """A future whose computation starts only once a page stays open to show it, or waits for its result.

    Pages that are left at once, as in a class, therefore compute nothing. ``enqueue(work)`` puts it in the queue.
    """

    def __init__(self, enqueue):
        super().__init__()
        self._pending = [enqueue]

    def start(self):
        """Put the task in the queue, once."""
        try:
            enqueue = self._pending.pop()  # atomic: two sessions may share the task
        except IndexError:
            return
        enqueue(self)

    def result(self, timeout=None):
        """Return the result; starts the task and waits."""
        self.start()
        return super().result(timeout)


class BackgroundThread:
    """A thread that runs the tasks of one kind in the order in which they start; it does not keep the server alive."""

    def __init__(self, name):
        self._queue, self._numbers, self._done = SimpleQueue(), count(1), 0
        self._last = 0  # number of the task that was started last
        Thread(target=self._work, name=name, daemon=True).start()

    def task(self, work, *args):
        """Return ``work(*args)`` as a ``Task`` that has not started."""
        return Task(lambda future: self._enqueue(future, work, args))

    def rerun_on_news(self, tasks, has_news):
        """Start ``tasks`` if the page is still open at the first poll, and poll until they are done.

        Once ``has_news()`` is true, and no session waits to enter a page, the whole page runs again.
        """
        _poll(self, tasks, has_news)

    @property
    def poll_seconds(self):
        """Seconds between two polls."""
        return POLL_SECONDS * max(1, self._last - self._done)

    def _enqueue(self, future, work, args):
        self._last = next(self._numbers)
        self._queue.put((future, work, args))

    def _work(self):
        while True:
            future, work, args = self._queue.get()
            try:
                future.set_result(work(*args))
            except Exception as error:
                future.set_exception(error)
            self._done += 1


@fragment
def _poll(thread, tasks, has_news):
    clock(thread.poll_seconds, key="background", on_tick=lambda: _start(tasks))
    if has_news() and not len(RUN_QUEUE):
        rerun()


def _start(tasks):
    for task in tasks:
        task.start()
