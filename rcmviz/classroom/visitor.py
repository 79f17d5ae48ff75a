"""A key for every browser: a cookie that no script can read and no address shows.

By it a server knows whose a training is, and whose an upload; it says nothing about a person.
"""

import secrets

from starlette.middleware import Middleware
from starlette.requests import HTTPConnection

from rcmviz.classroom.cookies import cookie_name
from rcmviz.classroom.page_headers import OnPages

DAYS = 30


def visitor_keys(base="", port=8501):
    """Middleware for Streamlit's ``App``; ``base`` is the path of the application, ``port`` its server's."""
    return [Middleware(_GiveKey, path="/" + base.strip("/"), cookie=cookie_name("visitor", port))]


class _GiveKey(OnPages):
    def __init__(self, app, path, cookie):
        super().__init__(app)
        self._path, self._cookie = path, cookie

    def add_headers(self, headers, scope):
        if self._cookie in HTTPConnection(scope).cookies:
            return
        safe = "; Secure" if scope.get("scheme") == "https" else ""
        # Lax: whoever follows a link from elsewhere keeps the key that the browser has.
        headers.append(
            "set-cookie",
            f"{self._cookie}={secrets.token_urlsafe(24)}; Path={self._path}; Max-Age={DAYS * 86_400}; HttpOnly; "
            f"SameSite=Lax{safe}",
        )
