"""Browser tabs that tests reuse, each reset to the state of a new one.

Loading the application costs three seconds of CPU time, most of them for Streamlit's scripts in a new document.
Therefore the document stays in the tab: after a test React takes the application down, with its session and its
connection to the server; for the next test React draws it again at another link, in a third of the time. Other state of
the document is restored; if that is impossible, the tab is closed.
"""

from collections import defaultdict
from functools import partial

BLANK = "about:blank"
BEGUN = "[data-testid=stElementContainer]"
# Milliseconds between two looks at the awaited state. Playwright's default, every frame, makes
# the browser draw all of them.
BETWEEN_LOOKS = 50

# Whether the application is down, and the document as after a load of it. React's root is in #root; `render` of any
# other root draws there too.
TAKE_DOWN = """async () => {
    const host = document.getElementById("root");
    const script = document.querySelector('link[rel=modulepreload][href*="/react-dom."]');
    const name = Object.keys(host ?? {}).find(key => key.startsWith("__reactContainer$"));
    if (!script || !name) return false;
    const { createRoot } = Object.values(await import(script.href))[0]();
    const root = host[name].stateNode;
    window.rvDrawn ??= {
        element: root.current.memoizedState.element,
        root: Object.assign(createRoot(document.createElement("div")), { _internalRoot: root }),
    };
    window.rvDrawn.root.render(null);
    for (let frame = 0; frame < 100 && host.firstChild; frame += 1) await new Promise(requestAnimationFrame);
    sessionStorage.clear();
    performance.clearMeasures();
    scrollTo(0, 0);
    return !host.firstChild && !document.body.className;
}"""
DRAW_AGAIN = """address => {
    if (!window.rvDrawn || new URL(address).origin !== location.origin) return false;
    History.prototype.pushState.call(history, null, "", address);
    window.rvDrawn.root.render(window.rvDrawn.element);
    return true;
}"""


class Tabs:
    """The unused tabs of a browser by purpose; None means none in particular."""

    def __init__(self, context):
        self.context, self.free = context, defaultdict(list)

    def take(self, use):
        """A tab for this use, its mouse in the corner."""
        if not self.free[use]:
            return self._window()
        page = self.free[use].pop()
        page.mouse.move(0, 0)
        return page

    def _window(self):
        """Open a separate window: Chromium draws its front tab sixty times a second, the tabs behind it once."""
        opener = self.context.pages[0] if self.context.pages else self.context.new_page()
        with self.context.expect_page() as opened:
            opener.evaluate("open('about:blank', '', 'popup,noopener')")
        page = opened.value
        page.wait_for_function = partial(page.wait_for_function, polling=BETWEEN_LOOKS)
        return page

    def release(self, use, page):
        """Keep a tab for the next test, or close it."""
        if use is None or not empty(page):
            page.close()
        else:
            self.free[use].append(page)


def empty(page):
    """Leave a tab's page; return False if some of its state remains."""
    if page.url.startswith("http"):
        return page.evaluate(TAKE_DOWN)
    if page.url != BLANK:
        page.evaluate("sessionStorage.clear()")
    page.goto(BLANK)
    return True


def visit(page, url):
    """Open an address; the application's in the current document, if there is one."""
    if page.url.startswith("http") and page.evaluate(DRAW_AGAIN, url):
        page.wait_for_selector(BEGUN, state="attached")
    else:
        page.goto(url)


def again(page, address=None):
    """Open a link, by default the page's, in a new session, as a reload does in three times the time."""
    address = address or page.url
    if empty(page):
        visit(page, address)
    else:
        page.goto(address)
