"""A headless Chromium for tests: fixtures to import, `chromium` (one per session), `page_of` (watched pages), `show`
(pages of the running application) and `saved` (files), and what tests ask of a page.

Without a browser the tests that need one are skipped with the reason; with RCMVIZ_REQUIRE_BROWSER=1 (CI) they fail.
"""

import importlib.util
import json
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from pages.shell.registry import nav_entries

from .tabs import Tabs, visit

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--process-per-site",  # pages share compiled scripts
)
# A test ends before the optimising compiler pays off; the quick compiler does, as tabs are reused.
BRIEF = ("--js-flags=--no-turbofan",)
# Chromium's battery saver, always on: thirty frames a second instead of sixty halve the GPU process's CPU time.
SPARING = {"performance_tuning": {"battery_saver_mode": {"state": 3}}}
# Streamlit's spinner does not turn, which saves CPU time in every frame.
SPINNER = """{
    const still = new CSSStyleSheet();
    still.replaceSync("[data-testid=stSpinnerIcon] { animation: none !important; }");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
}"""
STILL = '[data-testid="stApp"][data-test-script-state="notRunning"]'
DRAWN = ".rv-player[data-ready=true]"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LOOKS = ("light", 1280), ("dark", 390)
# The colours of a look have come, also where they come little by little (text takes its colour before some grounds do),
# views have had two frames to follow the window's width, and nothing is pale: Streamlit fades elements that a slow run
# has not made again yet.
FOLLOWED = """async ([scheme, width]) => {
    const ground = getComputedStyle(document.querySelector('.stApp') ?? document.body).backgroundColor;
    const light = ground.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
    if (innerWidth !== width || (light < 384) !== (scheme === 'dark')) return false;
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    if (document.getAnimations().some(moving => moving instanceof CSSTransition)) return false;
    const elements = [...document.querySelectorAll('[data-testid=stElementContainer]')];
    return elements.every(node => getComputedStyle(node).opacity === '1');
}"""
# Listing passed checks would double the time. "region", content outside of landmarks, is never more than "moderate".
SERIOUS = """async () => {
    const { violations } = await axe.run({ resultTypes: ["violations"], rules: { region: { enabled: false } } });
    return violations.filter(rule => ["serious", "critical"].includes(rule.impact))
        .map(rule => [rule.id, rule.nodes[0].target, rule.nodes[0].failureSummary]);
}"""
PATIENCE = 300_000  # ms until a wait is a failure, on a machine that may be busy with other things


def no_browser(reason):
    """Skip, or fail where a browser is required."""
    if os.environ.get("RCMVIZ_REQUIRE_BROWSER") == "1":
        pytest.fail(f"RCMVIZ_REQUIRE_BROWSER=1, but {reason}")
    pytest.skip(reason)


def find_chromium():
    """Path of an installed Chromium or Chrome, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@cache
def _launch(path, config):
    """The one browser of this process: playwright cannot be started twice, modules import the fixture on their own.

    It keeps a profile on the disk, where Chromium stores compiled scripts, so that pages load faster.
    """
    from playwright.sync_api import sync_playwright

    profile = tempfile.TemporaryDirectory(prefix="rcmviz-chromium-", ignore_cleanup_errors=True)
    Path(profile.name, "Local State").write_text(json.dumps(SPARING), encoding="utf-8")
    playwright = sync_playwright().start()
    context = playwright.chromium.launch_persistent_context(
        profile.name, executable_path=path, args=[*FLAGS, *BRIEF], timeout=PATIENCE
    )
    context.add_init_script(SPINNER)
    for end in (profile.cleanup, playwright.stop, context.close):  # the last one first
        config.add_cleanup(end)
    return context


@cache
def _tabs(context):
    """The browser tabs that tests reuse."""
    return Tabs(context)


@pytest.fixture(scope="session")
def chromium(pytestconfig):
    """A running headless browser (playwright's BrowserContext)."""
    if importlib.util.find_spec("playwright") is None:
        no_browser("playwright is not installed: pip install 'rcmviz[test]'")
    path = find_chromium()
    if path is None:
        no_browser("no chromium on this machine: scripts/install_browser.sh installs one")
    return _launch(path, pytestconfig)


class Watched:
    """A page that records ``errors`` (uncaught) and ``requests`` (requested addresses).

    Its messages to the server are appended to ``frames``; its tab is one for this ``use`` (`support.tabs`).
    """

    def __init__(self, tabs, use=None, frames=None):
        self.tabs, self.use, self.page, self.errors, self.requests = tabs, use, tabs.take(use), [], []
        self.hears = {
            "pageerror": lambda error: self.errors.append(str(error)),
            "request": lambda request: self.requests.append(request.url),
        }
        if frames is not None:
            self.hears["websocket"] = lambda socket: socket.on("framesent", lambda frame: frames.append(frame))
        for event, act in self.hears.items():
            self.page.on(event, act)

    def leave(self, keep=True):
        """Leave the page; the next test uses the tab unless it must be closed."""
        if self.tabs is not None:
            self.tabs.release(self.use if keep else None, self.page)
            for event, act in self.hears.items():
                self.page.remove_listener(event, act)
        self.tabs = None

    def foreign_requests(self, *allowed):
        """Requests to anything but the given beginnings of addresses (and what a page makes itself)."""
        return [url for url in self.requests if not url.startswith((*allowed, "data:", "blob:"))]


def _without_network(page):
    """Take a page of the shared context off the network."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    limits = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    session.send("Network.emulateNetworkConditions", {"offline": True} | limits)


@pytest.fixture
def page_of(chromium, request):
    """A function that opens a watched page: ``page_of(url, width=1280, scheme="light", offline=True)``.

    What it says to the server is appended to ``frames``. The tab of a file, or one for a ``use``, has had other tests.
    """
    opened, failed = [], request.session.testsfailed

    def open_page(
        url,
        width=1280,
        height=900,
        scheme="light",
        reduced_motion="no-preference",
        frames=None,
        offline=False,
        use=None,
    ):
        if url.startswith(("file:", "about:")):
            use = "files, offline" if offline else "files"
        watched = Watched(_tabs(chromium), use, frames)
        opened.append(watched)
        watched.page.set_viewport_size({"width": width, "height": height})
        watched.page.emulate_media(color_scheme=scheme, reduced_motion=reduced_motion)
        if offline:
            _without_network(watched.page)
        watched.page.set_default_timeout(PATIENCE)
        visit(watched.page, url)
        return watched

    yield open_page
    for watched in opened:
        watched.leave(keep=request.session.testsfailed == failed)


@pytest.fixture
def show(page_of, server, request):
    """A function that opens a link of the running application: ``show(link, drawn=DRAWN, reload=False, **options)``.

    Details are shown unless the link says otherwise. It waits as ``settled`` does; an error of a page, open or as it is
    left, or a request to another host fails the test. The session is always new; a test that changes the document
    itself gets its own with ``reload``.
    """
    shown, failed = [], request.session.testsfailed

    def open_link(link, drawn=DRAWN, reload=False, **options):
        use = None if reload or "embed=" in link else "application"
        details = "" if "details=" in link or "#" in link else "&details=1" if "?" in link else "?details=1"
        watched = page_of(f"{server.address}/{link}{details}", use=use, **options)
        try:
            settled(watched.page, drawn)
        except Exception as error:
            seen = watched.page.locator("body").inner_text()[:800]
            pytest.fail(f"{link} is not drawn: {error}\nuncaught errors: {watched.errors}\nthe page says: {seen}")
        shown.append(watched)
        return watched.page

    yield open_link
    for watched in shown:
        if request.session.testsfailed != failed:  # the expected element did not appear: print what did
            print(f"{watched.page.url}\n{watched.page.locator('body').inner_text()[:4000]}")
        watched.leave(keep=request.session.testsfailed == failed)
        assert watched.errors == []
        assert watched.foreign_requests(server.address, server.address.replace("http", "ws")) == []


@pytest.fixture
def saved(page_of, tmp_path):
    """A function that opens a page as a file, offline: ``saved(html, drawn, query="?pos=4", **options)``.

    It waits for ``drawn``; an error of the page or any request fails the test.
    """
    shown = []

    def open_file(html, drawn, query="", **options):
        file = tmp_path / f"view-{len(shown)}.html"
        file.write_text(html, encoding="utf-8")
        watched = page_of(file.as_uri() + query, offline=True, **options)
        watched.page.wait_for_selector(drawn)
        shown.append(watched)
        return watched.page

    yield open_file
    for watched in shown:
        assert watched.errors == []
        assert watched.foreign_requests("file:") == []


def settled(page, drawn=DRAWN):
    """Wait for the end of the script run and for the selector ``drawn``, by default a view."""
    page.wait_for_selector(STILL, state="attached")  # present mode hides the page
    page.wait_for_selector(drawn)


def go_to(page, title):
    """Choose a page in the menus of the navigation."""
    entry = next(entry for entry in nav_entries() if entry.title == title)
    page.locator("[data-testid=stTopNavSection]", has_text=entry.group).click()
    page.get_by_role("menuitem", name=title, exact=True).click()


def wait_for_strips(page):
    """Wait until every strip of budgets is computed and shown.

    Messages sent during a run of the page may be lost (streamlit#16732), and each new strip reruns the page.
    """
    page.wait_for_function("() => !document.querySelector('.rv-blame')?.textContent.includes('Searching')")
    settled(page)


def wait_until_idle(page):
    """Wait until no script has run for longer than a training's page waits between two looks.

    A saved file is made on request under a name that the next run forgets, and a click during a run may be lost
    (streamlit#16732).
    """
    page.evaluate(
        f"""async () => {{
            const still = () => document.querySelector('{STILL}') !== null;
            for (let looks = 0; looks < 20; looks = still() ? looks + 1 : 0)
                await new Promise(resolve => setTimeout(resolve, 100));
        }}"""
    )


def tap(page, x, y):
    """A finger's touch at a point of the window."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def query(page):
    """The parameters of a page's link, without the switch for details."""
    values = parse_qs(urlsplit(page.url).query).items()
    return {name: first for name, (first, *_) in values if name != "details"}


def wait_for_link(page, **expected):
    """Wait until the link has these parameters; None for an absent one."""
    names = json.dumps({name: None if value is None else str(value) for name, value in expected.items()})
    page.wait_for_function(
        f"""() => {{
            const query = new URLSearchParams(location.search);
            return Object.entries({names}).every(([name, value]) => query.get(name) === value);
        }}"""
    )


def too_wide(page):
    """Return the pixels by which the page or its content is wider than the window, once its views have followed it."""
    return page.evaluate(
        """async () => {
            const main = document.querySelector("[data-testid=stMain]");
            const nodes = [document.documentElement, main].filter(node => node);
            for (let looks = 1; ; looks += 1) {
                const over = nodes.map(node => node.scrollWidth - node.clientWidth).filter(pixels => pixels > 0);
                if (over.length === 0 || looks === 30) return over;
                await new Promise(resolve => setTimeout(resolve, 100));
            }
        }"""
    )


def serious(page):
    """Return what axe calls serious or critical on the current page."""
    sync = pytest.importorskip("axe_playwright_python.sync_playwright", reason="the axe package is not installed")
    if not page.evaluate("'axe' in window"):
        page.evaluate(sync.Axe().axe_script)
    return page.evaluate(SERIOUS)


def seen(page, looks=LOOKS):
    """Yield each ``(scheme, width)`` after changing an open page to it, which is faster than loading the page again."""
    for scheme, width in looks:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(FOLLOWED, arg=[scheme, width], polling=50)
        yield scheme, width


def faults(page, looks=LOOKS):
    """Return accessibility faults and content wider than the window, in each scheme and width.

    While a script runs or a menu opens, parts are pale or have the colours of another scheme. Faults are therefore
    checked again once the page has rested.
    """
    runs, found = page.locator("[data-testid=stApp]").count() > 0, []
    for look in seen(page, looks):
        fault = serious(page), too_wide(page)
        if any(fault) and runs:
            wait_until_idle(page)
            fault = serious(page), too_wide(page)
        if any(fault):
            found.append((look, *fault))
    return found
