"""The launcher: warm the kernels, then serve pages/_main.py. Run with ``rcmviz app`` or ``streamlit run app.py``."""

import asyncio
import gc
import os
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread, Timer

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

from pages.compat import drop_expired_sessions
from pages.shell.registry import view_at
from pages.shell.uploads import room_for_files
from pages.shell.visitors import VISITORS
from pages.word import first_view
from rcmviz.classroom.base_path import path_prefix
from rcmviz.classroom.immutable import ImmutableCache
from rcmviz.classroom.no_class import no_class_routes
from rcmviz.classroom.open_files import note_lack
from rcmviz.classroom.origins import OwnOrigin
from rcmviz.classroom.orphan import PARENT_VARIABLE, end_without_parent
from rcmviz.classroom.policy import MIDDLEWARE
from rcmviz.classroom.room import this_room
from rcmviz.classroom.upload_limits import UploadLimit
from rcmviz.classroom.view_bundle import ViewBundle, ViewPreload
from rcmviz.classroom.visitor import visitor_keys
from rcmviz.jobs.warm_ups import kernels_by_page, warm_up
from rcmviz.jobs.watchdog import WATCHDOG

FIRST_VIEW = 8  # seconds after the start that belong to whoever opens the first page


@asynccontextmanager
async def warm(_app):
    """Compile or load the kernels of the first pages before the server reports healthy, so that no first click waits.

    Measured: 11 s on the very first start, 1 s afterwards. Those of trainings and of all other pages (a minute or two
    once) follow while the pages are there already; what compiles on a page waits behind them.
    """
    import pages.step.page  # noqa: F401  Pandas among it: a first view would wait for it
    from rcmviz.jobs.host import this_host

    loop = asyncio.get_running_loop()
    loop.set_exception_handler(note_lack())
    warm_up(kernels_by_page("first view"))
    gc.freeze()  # no collection looks through what is loaded: it would delay all users by a tenth of a second
    this_host().warm_up()
    VISITORS.drop_sessions = lambda: asyncio.run_coroutine_threadsafe(drop_expired_sessions(app, stream), loop).result()
    Thread(target=first_view.make_ready, name="first view", daemon=True).start()
    later = Timer(FIRST_VIEW, this_host().warm_up, [warm_others])
    later.daemon = True
    later.start()
    if PARENT_VARIABLE in os.environ:
        end_without_parent(int(os.environ.pop(PARENT_VARIABLE)), Path.cwd())
    print(f"rcmviz is ready at http://{st.get_option('server.address')}:{st.get_option('server.port')}", flush=True)
    yield


def warm_others():
    """Import and warm what no first page needs: scikit-learn alone, for learning to search, is half of all imports."""
    warm_up(kernels_by_page("later views"))
    gc.collect()
    gc.freeze()
    WATCHDOG.start()


def class_routes():
    """The routes of a class, if the server has one (``rcmviz app --class``); else of the page that reports none."""
    room = this_room()
    if room is None:
        return no_class_routes(base)
    from rcmviz.classroom.server import routes

    return routes(room, base, port)


base, port = st.get_option("server.baseUrlPath"), st.get_option("server.port")
stream = path_prefix(base) + "/_stcore/stream"
# Streamlit compresses none of its own scripts: a first view has 2.5 MB of them, 0.6 MB compressed.
compressed = Middleware(GZipMiddleware, minimum_size=1_000, compresslevel=6)
files = [Middleware(ImmutableCache), compressed, Middleware(ViewBundle), Middleware(ViewPreload, view_at=view_at)]
own = Middleware(OwnOrigin, hosts=st.get_option("server.allowedHosts"))
uploads = Middleware(UploadLimit, most=room_for_files)
middleware = [own, uploads, *files, *MIDDLEWARE, *visitor_keys(base, port)]
main = Path(__file__).parent / "pages" / "_main.py"
app = st.App(main, lifespan=warm, routes=class_routes(), middleware=middleware)
