"""Visitors: a key for each browser, its stored data, and for how long."""

import pytest

from pages.shell import uploads, visitors
from pages.shell.uploads import Uploads, keep_latest
from pages.shell.visitors import GONE_SECONDS, Visitors
from rcmviz.classroom.cookies import cookie_name
from rcmviz.classroom.visitor import visitor_keys

COOKIE = cookie_name("visitor", 8501)


def answered(kind=b"text/html; charset=utf-8", cookie=None, base="", scheme="http"):
    """The headers of one answer of an application behind the middleware."""
    sent = []

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind)]})

    async def send(message):
        sent.append(message)

    async def ask():
        (middleware,) = visitor_keys(base)
        headers = [(b"cookie", cookie.encode())] if cookie else []
        scope = {"type": "http", "scheme": scheme, "headers": headers}
        await middleware.cls(app, **middleware.kwargs)(scope, None, send)

    with pytest.raises(StopIteration):  # nothing of it waits, so no event loop is needed: playwright may have one here
        ask().send(None)
    return [value.decode() for name, value in sent[0]["headers"] if name == b"set-cookie"]


def test_a_page_gives_a_key_to_a_new_browser():
    (one,), (two,) = answered(), answered(cookie="other=1", base="room/", scheme="https")
    assert one.startswith(f"{COOKIE}=")
    assert {"Path=/", "HttpOnly", "SameSite=Lax"} <= set(one.split("; "))
    assert {"Path=/room", "Secure"} <= set(two.split("; "))
    assert one.split(";")[0] != two.split(";")[0]
    assert answered(cookie=f"{COOKIE}=known") == []
    assert answered(kind=b"application/json") == []


def test_a_visitor_is_gone_a_minute_after_the_last_session():
    now, active, gone = [0.0], {"a1", "a2", "b1"}, []
    here = Visitors(active.__contains__, clock=lambda: now[0])
    here.on_gone.append(gone.append)
    for name, session in (("a", "a1"), ("a", "a2"), ("b", "b1")):
        here.register(name, session)
    active -= {"a1", "b1"}
    now[0] += 30
    here.release_gone()
    now[0] += GONE_SECONDS - 20
    here.register("b", "b2")  # loaded again
    active.add("b2")
    now[0] += 15
    here.release_gone()
    assert gone == []
    active.clear()
    now[0] += GONE_SECONDS - 1
    here.release_gone()
    assert gone == []
    now[0] += 2
    here.release_gone()
    assert sorted(gone) == ["a", "b"]
    assert not len(here)


def test_sessions_are_dropped_a_minute_after_they_have_ended_though_their_visitor_is_here():
    now, active, dropped = [0.0], {"a1", "a2"}, []
    here = Visitors(active.__contains__, clock=lambda: now[0])
    here.drop_sessions = lambda: dropped.append(now[0])
    here.register("a", "a1")
    here.register("a", "a2")
    for now[0] in (10, 100):
        here.release_gone()
    active.remove("a1")
    for now[0] in (110, 165, 175, 300):
        here.release_gone()
    assert dropped == [175]
    active.clear()
    for now[0] in (310, 375, 500):
        here.release_gone()
    assert dropped == [175, 375] and not len(here)


@pytest.fixture
def store(monkeypatch):
    found = Uploads()
    yield found
    uploads._STORES.remove(found)


def test_uploads_are_their_visitors_own_and_go_with_them(store, monkeypatch):
    forgotten = []
    store.forgets.append(lambda: forgotten.append(True))
    for name in ("me", "you"):
        monkeypatch.setattr(uploads, "visitor", lambda name=name: name)
        for k in range(3):
            keep_latest(store, f"{name}{k}", b"x", most=2)
        assert list(store) == [f"{name}1", f"{name}2"]
    assert "me1" not in store
    store.leave("unknown")
    assert not forgotten
    store.leave("me")
    assert forgotten
    monkeypatch.setattr(uploads, "visitor", lambda: None)  # outside of any session
    assert list(store) == ["you1", "you2"]


def test_too_many_uploads_are_refused_and_none_of_another_one_goes(store, monkeypatch):
    room = sum(one.bytes for one in uploads._STORES) + 1_000
    monkeypatch.setattr(uploads, "most_upload_bytes", lambda: room)
    monkeypatch.setattr(uploads, "visitor", lambda: "you")
    keep_latest(store, "yours", b"x" * 900, most=4)
    monkeypatch.setattr(uploads, "visitor", lambda: "me")
    with pytest.raises(ValueError, match="the uploads of all visitors"):
        keep_latest(store, "mine", b"y" * 900, most=4)
    assert list(store.of("you")) == ["yours"]
    assert not store.of("me")


def test_there_is_no_visitor_outside_of_a_session():
    assert visitors.visitor() is None
