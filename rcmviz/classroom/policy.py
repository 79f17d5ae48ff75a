"""The content policy of pages: nothing from other hosts, whatever a link, a file or a message says.

Text is escaped where it is written (pages/shell/text.py); this is a second defence. A browser refuses a page's requests
to another machine, so an injected picture is not loaded.
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.middleware import Middleware
from starlette.types import Scope

from rcmviz.classroom.page_headers import OnPages

# Streamlit evaluates no scripts of ours, puts styles into its page, and loads the view of a page's folder from a blob:
# only a script that runs already can make one.
_OWN = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src 'self' blob:; "
    "style-src 'self' 'unsafe-inline'; font-src 'self' data:; img-src 'self' data: blob:; media-src 'self' blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; connect-src 'self' data: blob:"
)


class OwnOnly(OnPages):
    """Middleware that gives every page without a policy of its own one that names this server alone."""

    def add_headers(self, headers: MutableHeaders, scope: Scope) -> None:
        """Add the policy for the name that this server was called by."""
        is_embedded = "true" in QueryParams(scope.get("query_string", b"")).getlist("embed")
        headers.setdefault("Content-Security-Policy", policy(Headers(scope=scope).get("host", ""), is_embedded))
        headers.setdefault("Referrer-Policy", "same-origin")


def policy(host: str, is_embedded: bool = False) -> str:
    """The policy of a page requested under this name; older browsers want the websocket by its address.

    Only a page that is made to stand in other pages, with ``embed=true`` in its link, may be framed by them.

    >>> policy("127.0.0.1:8501").rsplit(";", 1)[1]
    " connect-src 'self' data: blob: ws://127.0.0.1:8501 wss://127.0.0.1:8501"
    """
    known = host.isascii() and host and all(sign.isalnum() or sign in ".-:[]_" for sign in host)
    framed = "" if is_embedded else "frame-ancestors 'self'; "
    return framed + _OWN + (f" ws://{host} wss://{host}" if known else "")


MIDDLEWARE = [Middleware(OwnOnly)]
