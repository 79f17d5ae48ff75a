"""Each view as one file, where Streamlit would serve its modules one by one.

Streamlit serves the asset directory of a component without anything by which a browser could keep a file: each load of
Step would ask for 57 modules, five times back and forth, however often the browser has had them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from rcmviz.classroom.page_headers import OnPages
from rcmviz.views.shared import assets

ROUTE = "/_stcore/bidi-components/rcmviz."


class ViewBundle:
    """Middleware that answers for the entry module of a view with a bundle of it and of all that it imports.

    A browser that has the bundle uses it. If a release of Streamlit serves components elsewhere, nothing is
    answered here, and browsers load a view module by module.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as ASGI has it."""
        view = _view_of(scope["path"]) if scope["type"] == "http" and scope["method"] == "GET" else None
        await (self.app if view is None else _response(view, Headers(scope=scope)))(scope, receive, send)


def _view_of(path: str) -> str | None:
    """The view whose entry module lies at a path, None if there is none."""
    view, _, file = path.partition(ROUTE)[2].partition("/")
    return view if view in assets.VIEWS and assets.VIEWS[view].entry == file else None


def _response(view: str, headers: Headers) -> Response:
    etag = _etag(view)
    kept = {"Cache-Control": "public", "ETag": etag}  # no age: a browser asks whether there is a newer one
    if etag in headers.get("if-none-match", ""):
        return Response(status_code=304, headers=kept)
    return Response(assets.script(view), media_type="text/javascript", headers=kept)


@cache
def _etag(view: str) -> str:
    return f'"{hashlib.sha256(assets.script(view).encode()).hexdigest()[:16]}"'


class ViewPreload(OnPages):
    """Middleware by which a browser fetches the view of a page while it fetches Streamlit's scripts.

    Otherwise it asks for the view when Streamlit shows it, after fonts and the scripts of all other elements: 2 s later
    at 1.5 Mbit/s. ``view_at(path)`` is the name of the view that the page at a path opens with, "" for none. Views in
    the folder of a page are part of the page's own messages.
    """

    def __init__(self, app: ASGIApp, view_at: Callable[[str], str]) -> None:
        super().__init__(app)
        self.view_at = view_at

    def add_headers(self, headers: MutableHeaders, scope: Scope) -> None:
        """Name the bundle by its address relative to the document's, valid below any base path."""
        view = assets.VIEWS.get(self.view_at(scope["path"]))
        if view is not None and not view.is_of_page:
            headers.append("Link", f"<.{ROUTE}{view.name}/{view.entry}>; rel=modulepreload")
