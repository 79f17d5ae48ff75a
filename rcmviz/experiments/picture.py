"""A figure as PNG, drawn by kaleido in a Chromium of its own: within a limit of time, and without asking anybody.

Kaleido 1.5 waits for its page without a limit, and for ever if the page was loaded before Chromium learnt
to report it (``Page.enable``, sent after ``Page.navigate``), as happens on a busy machine. Its Chromium
opens with the start page of the system, Debian's on the web, which loads into the same tab, and its own page
asks cdnjs.cloudflare.com for MathJax, which our figures do not use. Here the tab is empty, and the load is reported.
"""

import asyncio
import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import plotly.graph_objects as go

SECONDS = 300  # until a picture is given up: on a busy machine one can take more than 60


class NoAnswer(Exception):
    """Chromium did not answer in time."""


def png_of(figure: go.Figure, **options: float) -> bytes:
    """The figure as the bytes of a PNG.

    ``options`` width and height, pixels, and scale. Raises NoAnswer after ``SECONDS``, and whatever kaleido and its
    Chromium raise, or that there are none.
    """
    with ThreadPoolExecutor(1) as own:  # in a notebook this thread has a loop that runs already
        return own.submit(asyncio.run, _draw_in_browser(figure, {"format": "png", **options})).result()


async def _draw_in_browser(figure, options):
    browser = _browser()
    drawing = asyncio.ensure_future(_draw(browser, figure, options))
    done, _ = await asyncio.wait([drawing], timeout=SECONDS)
    if not done:
        drawing.cancel()
        _kill(browser)
        await browser.close()  # removes what remains of a closed page
        await asyncio.gather(drawing, return_exceptions=True)
        raise NoAnswer(f"its browser did not answer within {SECONDS} s")
    return drawing.result()


async def _draw(browser, figure, options):
    async with browser:
        return await browser.calc_fig(figure, options)


def _browser():
    """Kaleido with one tab, which is empty, and whose load is heard of whenever it comes."""
    from choreographer.browsers import Chromium
    from kaleido import Kaleido

    class Empty(Chromium):
        def get_cli(self):
            return [*super().get_cli(), "about:blank"]

    class Listening(Kaleido):
        async def _conform_tabs(self, tabs=None):
            for tab in tabs or self.tabs.values():
                await tab.send_command("Page.enable")
            await super()._conform_tabs(tabs)

    return Listening(browser_cls=Empty, enable_extensions=False, mathjax=False, timeout=None)


def _kill(browser):
    """End Chromium with all its processes, which are a group of their own."""
    process = getattr(browser, "subprocess", None)
    if process is None or process.poll() is not None:
        return
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
