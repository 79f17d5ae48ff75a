"""The rules of the server hold for the application as it is served: each route, each websocket."""

import urllib.error
import urllib.request

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from conftest import CLASS_KEY

ROUTES = {
    "/": "GET",
    "/step": "GET",
    "/_stcore/health": "GET",
    "/_stcore/host-config": "GET",
    "/_stcore/upload_file/a/b": "PUT",
    "/media/a.png": "GET",
    "/class": "GET",
    "/class/lead": "POST",
    "/class/script/player.js": "GET",
}
FOREIGN = {"Origin": "http://127.0.0.1:3000"}, {"Host": "evil.example"}, {"Sec-Fetch-Site": "same-site"}


def ask(server, path, method="GET", **headers):
    """(Status, headers) of a request."""
    body = CLASS_KEY.encode() if method != "GET" else None
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(server.address + path, body, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers


@pytest.mark.parametrize("headers", FOREIGN)
def test_no_route_answers_foreign_pages_and_names(server, headers):
    assert {path: ask(server, path, method, **headers)[0] for path, method in ROUTES.items()} == dict.fromkeys(
        ROUTES, 403
    )
    for path in ("/_stcore/stream", "/class/live", "/class/live/lead"):
        with pytest.raises(InvalidStatus) as refused:
            connect(server.address.replace("http", "ws") + path, additional_headers=headers)
        assert refused.value.response.status_code in (400, 403)  # 400: there are two hosts


def test_pages_load_from_this_server_only_and_those_of_a_class_are_never_framed(server):
    for path, ancestors in {"/": "'self'", "/step": "'self'", "/class": "'none'", "/class/lead": "'none'"}.items():
        status, headers = ask(server, path)
        policy = headers["Content-Security-Policy"]
        assert status == 200 and f"frame-ancestors {ancestors};" in policy and "*" not in policy
        assert headers["Referrer-Policy"] in ("same-origin", "no-referrer")
