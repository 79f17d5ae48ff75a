"""A view is one file, and a browser that has it receives 304."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route

from pages.shell import registry
from rcmviz.classroom.immutable import ImmutableCache
from rcmviz.classroom.view_bundle import ROUTE, ViewBundle, ViewPreload
from rcmviz.views.shared import assets
from support.asgi import Client

ENTRY = f"{ROUTE}player/{assets.VIEWS['player'].entry}"


SCRIPT = assets.script("player").encode()


@pytest.fixture
def client():
    async def others(request):
        return (PlainTextResponse if "." in request.path_params["path"] else HTMLResponse)("of Streamlit")

    middleware = [
        Middleware(ImmutableCache),
        Middleware(GZipMiddleware),
        Middleware(ViewBundle),
        Middleware(ViewPreload, view_at=registry.view_at),
    ]
    return Client(Starlette(routes=[Route("/{path:path}", others)], middleware=middleware))


@pytest.mark.parametrize("base", ["", "/lab/rcmviz"])
def test_the_entry_of_a_view_brings_all_its_modules(client, base):
    answer = client.get(base + ENTRY)
    assert answer.content == SCRIPT and b"import {" not in SCRIPT
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["content-encoding"] == "gzip"


def test_a_browser_that_has_it_is_sent_nothing(client):
    for _ in range(2):  # from the bundle, from the cache
        etag = client.get(ENTRY).headers["etag"]
    again = client.get(ENTRY, if_none_match=etag)
    assert (again.status, again.content, again.headers["etag"]) == (304, b"", etag)
    assert client.get(ENTRY, if_none_match='"another"').content == SCRIPT


@pytest.mark.parametrize(
    "path",
    [f"{ROUTE}player/word/tree.js", f"{ROUTE}nothing/word/player.js", f"{ROUTE}pad/word/player.js", "/word/pad.js"],
)
def test_other_paths_are_passed_to_streamlit(client, path):
    assert client.get(path).content == b"of Streamlit"


def test_every_view_is_found_by_the_path_that_streamlit_gives_it(client):
    for view, parts in assets.VIEWS.items():
        assert client.get(f"{ROUTE}{view}/{parts.entry}").content == assets.script(view).encode()


def test_a_page_names_the_view_that_it_opens_with(client):
    for page, view in ((entry.name, entry.view) for entry in registry.nav_entries() if entry.view):
        named = client.get(f"/lab/{page}").headers["link"]
        assert named == f"<.{ROUTE}{view}/{assets.VIEWS[view].entry}>; rel=modulepreload"
    assert "link" not in client.get("/").headers and "link" not in client.get("/static/step.js").headers
