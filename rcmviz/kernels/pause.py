"""No garbage is looked for while a kernel is compiled."""

import gc

from numba.core import event


class Pause(event.Listener):
    """Stops Python's collector of cyclic garbage from the outermost compilation's start to its end.

    Numba's front end makes so many objects that live until the kernel is done that the collector took a quarter of its
    time: 17.9 s and 13.1 s for ``train_stretch`` and all that it calls. Where the collector was off, it stays off.
    """

    def __init__(self):
        self.depth = 0
        self.was_on = False

    def on_start(self, event):
        if self.depth == 0:
            self.was_on = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event):
        self.depth -= 1
        if self.depth == 0 and self.was_on:
            gc.enable()
