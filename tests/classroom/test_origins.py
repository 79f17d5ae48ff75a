"""Checks of Host and Origin with their ports, for requests and websockets."""

import pytest
from starlette.datastructures import Headers

from rcmviz.classroom.origins import OwnOrigin, refusal

HOSTS = "127.0.0.1", "localhost", "*.example.org"
OWN = {"host": "127.0.0.1:8501"}


@pytest.mark.parametrize(
    "headers",
    [
        OWN,
        OWN | {"origin": "http://127.0.0.1:8501"},
        {"host": "LOCALHOST.:8501"},
        {"host": "demo.example.org", "origin": "https://demo.example.org"},
        {"host": "demo.example.org:443", "origin": "https://demo.example.org"},
        OWN | {"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"},
        OWN | {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"},
        OWN | {"sec-fetch-site": "none", "sec-fetch-mode": "navigate"},
    ],
)
def test_own_pages_links_and_programs_may_ask(headers):
    assert refusal(Headers(headers), HOSTS) is None


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"host": "evil.example"},
        {"host": "example.org"},
        {"host": "127.0.0.1:port"},
        {"host": "127.0.0.1:99999"},
        {"host": "["},
        {"host": "a@127.0.0.1"},
        {"host": "127.0.0.1/x"},
        OWN | {"origin": "http://127.0.0.1:3000"},
        OWN | {"origin": "http://127.0.0.1"},
        OWN | {"origin": "http://localhost:8501"},
        OWN | {"origin": "null"},
        OWN | {"origin": "http://["},
        OWN | {"origin": ""},
        OWN | {"origin": "file://127.0.0.1:8501"},
        {"host": "demo.example.org", "origin": "http://demo.example.org:3000"},
        OWN | {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors"},
        OWN | {"sec-fetch-site": "cross-site", "sec-fetch-mode": "websocket"},
    ],
)
def test_others_may_not(headers):
    assert refusal(Headers(headers), HOSTS)


@pytest.mark.parametrize("kind, answer", [("http", "http.response.start"), ("websocket", "websocket.close")])
def test_refused_requests_do_not_reach_the_application(kind, answer):
    sent = []

    async def app(scope, receive, send):
        raise AssertionError

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message)

    scope = {"type": kind, "method": "GET", "headers": [(b"host", b"127.0.0.1:1"), (b"origin", b"http://127.0.0.1:2")]}
    with pytest.raises(StopIteration):
        OwnOrigin(app, HOSTS)(scope, receive, send).send(None)
    assert sent[0]["type"] == answer and sent[0].get("status", 403) == 403
