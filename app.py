"""The launcher: warm the kernels, then serve pages/_main.py. Run with ``streamlit run app.py`` or ``rcmviz app``."""

import gc
import sys
from contextlib import asynccontextmanager

import streamlit as st

from pages.shared.class_line import leads
from pages.shared.entrance import take_turns
from pages.shared.presses import keep_presses
from rcmviz.classroom.policy import MIDDLEWARE
from rcmviz.classroom.room import this_room
from rcmviz.classroom.visitor import visitor_keys


@asynccontextmanager
async def warm(_app):
    """Compile or load the kernels of the pages before the server reports healthy, so that no first click waits.

    Measured: 11 s on the very first start, 1 s afterwards. The kernels of trainings, adaptive rejection and alignments
    (a minute or two once) follow while the pages are there already; what compiles on a page waits behind them.
    """
    from rcmviz.ars import decode
    from rcmviz.core import build
    from rcmviz.frames import decode as frames
    from rcmviz.jobs import alignments
    from rcmviz.jobs.host import this_host
    from rcmviz.search import builders
    from rcmviz.searn import classifier as searn
    from rcmviz.views.word import trust

    give_way_often()
    build.warm_up()
    trust.warm_up()
    this_host().warm_up()
    this_host().warm_up(decode.warm_up)
    this_host().warm_up(alignments.warm_up)
    this_host().warm_up(builders.warm_up)
    this_host().warm_up(searn.warm_up)
    this_host().warm_up(frames.warm_up)
    gc.collect()
    gc.freeze()  # what is loaded stays: no later collection looks through it
    collect_all_rarely()
    print(f"rcmviz is ready at http://{st.get_option('server.address')}:{st.get_option('server.port')}", flush=True)
    yield


def give_way_often():
    """Python's lock goes round every millisecond, not every five: who answers the browsers waits for it at every turn.

    Beside two threads that compute, an answer took 41 ms at the median and 146 in the slowest of a hundred cases; it
    takes 12 and 55, for a tenth of the threads' work (``benchmarks/lock.py``, a slow machine).
    """
    sys.setswitchinterval(0.001)


def collect_all_rarely():
    """One collection of the whole memory in a hundred of the younger parts, not in ten: each holds up everybody.

    Fifty people who step had one every eight seconds, of 28 to 64 ms; now there is one in a minute or two, and one when
    somebody has gone (``visitors.py``).
    """
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, 100)


def class_routes():
    """What serves a class, where the server was started for one (``rcmviz app --class``)."""
    room = this_room()
    if room is None:
        return []
    from rcmviz.classroom.server import routes

    return routes(room, st.get_option("server.baseUrlPath"), st.get_option("server.allowedHosts"))


keep_presses()
take_turns(waits_for_nobody=leads)
middleware = [*MIDDLEWARE, *visitor_keys(st.get_option("server.baseUrlPath"))]
app = st.App("pages/_main.py", lifespan=warm, routes=class_routes(), middleware=middleware)
