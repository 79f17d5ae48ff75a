"""Answers that never change are asked of the application once; all others each time."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from rcmviz.classroom.immutable import ImmutableCache
from support.asgi import Client

TEXT = b"let a = 1;" * 1_000
KEPT = "public, immutable, max-age=31536000"
ANSWERS = {
    "kept": {"headers": {"Cache-Control": KEPT}},
    "asset": {"headers": {"Cache-Control": "public"}},  # of a component: Streamlit says no more
    "plain": {"headers": {"Cache-Control": "no-cache"}},
    "mine": {"headers": {"Cache-Control": KEPT, "Set-Cookie": "a=b"}},
    "varied": {"headers": {"Cache-Control": KEPT, "Vary": "Accept-Language"}},
    "gone": {"headers": {"Cache-Control": KEPT}, "status_code": 404},
}


@pytest.fixture
def served():
    """Return (client, names): a client of an application behind the cache, and the names that reach the application."""
    asked = []

    def answer(request):
        name = request.path_params["name"]
        asked.append(name)
        if name == "parts":
            return StreamingResponse(iter([TEXT, TEXT]), headers={"Cache-Control": KEPT}, media_type="text/javascript")
        return Response(TEXT, media_type="text/javascript", **ANSWERS[name])

    middleware = [Middleware(ImmutableCache, max_bytes=1_000), Middleware(GZipMiddleware, minimum_size=100)]
    return Client(Starlette(routes=[Route("/{name}", answer)], middleware=middleware)), asked


@pytest.mark.parametrize(("name", "body"), [("kept", TEXT), ("asset", TEXT), ("parts", TEXT + TEXT)])
def test_immutable_responses_are_cached_unchanged(served, name, body):
    client, asked = served
    first, *again = [client.get(f"/{name}") for _ in range(3)]
    assert asked == [name]
    for answer in (first, *again):
        assert answer.content == body and answer.headers["content-encoding"] == "gzip"
        assert answer.headers["cache-control"] == ("public" if name == "asset" else KEPT)
        assert answer.headers["content-type"] == first.headers["content-type"]
        assert answer.headers["vary"] == "Accept-Encoding"
    assert all(int(answer.headers["content-length"]) < 1_000 for answer in again)


def test_clients_without_gzip_receive_plain_text(served):
    client, asked = served
    client.get("/kept")
    answer = client.get("/kept", accept_encoding="identity")
    assert answer.content == TEXT and "content-encoding" not in answer.headers and asked == ["kept", "kept"]


@pytest.mark.parametrize("name", ["plain", "mine", "varied", "gone"])
def test_changing_and_private_responses_are_not_cached(served, name):
    client, asked = served
    assert client.get(f"/{name}").content == client.get(f"/{name}").content == TEXT
    assert asked == [name, name]


def test_parts_news_queries_and_other_methods_are_passed_on(served):
    client, asked = served
    client.get("/kept")
    for name in ("range", "if_none_match", "if_modified_since"):
        client.get("/kept", **{name: "bytes=0-9"})
    client.get("/kept?version=2")
    client.get("/kept", method="HEAD")
    assert len(asked) == 6


def test_the_cache_stays_within_its_limit(served):
    client, asked = served
    for _ in range(2):
        client.get("/kept", accept_encoding="identity")  # 10 kB
    assert asked == ["kept", "kept"]
    assert client.get("/kept").content == client.get("/kept").content and len(asked) == 3
