"""The pages of the server name no other machine in what they may load."""

import pytest

from rcmviz.classroom.policy import OwnOnly


def answered(kind, host=b"127.0.0.1:8501", query=b"", **headers):
    """The headers of an answer that passed through."""
    sent = []

    async def app(scope, receive, send):
        own = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind.encode()), *own]})

    async def keep(message):
        sent.append(message)

    # It never awaits, so it ends at once; another event loop would disturb the browser's.
    with pytest.raises(StopIteration):
        OwnOnly(app)({"type": "http", "headers": [(b"host", host)], "query_string": query}, None, keep).send(None)
    return {name.decode(): value.decode() for name, value in sent[0]["headers"]}


def rules(policy):
    """Return a policy's allowed sources by directive."""
    return {rule.split()[0]: rule.split()[1:] for rule in policy.split(";")}


def test_a_page_may_load_from_its_own_server_only():
    allowed = rules(answered("text/html; charset=utf-8")["content-security-policy"])
    assert allowed["default-src"] == ["'self'"] and allowed["img-src"] == ["'self'", "data:", "blob:"]
    own = {"'self'", "'none'", "'unsafe-inline'", "'wasm-unsafe-eval'", "data:", "blob:"}
    own |= {"ws://127.0.0.1:8501", "wss://127.0.0.1:8501"}
    assert {source for sources in allowed.values() for source in sources} <= own


@pytest.mark.parametrize("host", [b"x; img-src *", b"a b", b"*", b"\xff", b""])
def test_no_name_of_a_server_widens_it(host):
    allowed = rules(answered("text/html", host)["content-security-policy"])
    assert allowed["connect-src"] == ["'self'", "data:", "blob:"] and allowed["img-src"][0] == "'self'"


def test_a_page_with_a_policy_keeps_it_and_other_answers_need_none():
    assert answered("text/html", content_security_policy="default-src 'none'")["content-security-policy"] == (
        "default-src 'none'"
    )
    assert "content-security-policy" not in answered("application/json")


@pytest.mark.parametrize("query, is_framed", [(b"", False), (b"embed=true", True), (b"word=embed%3Dtrue", False)])
def test_others_may_frame_only_what_is_made_for_it(query, is_framed):
    allowed = rules(answered("text/html", query=query)["content-security-policy"])
    assert allowed.get("frame-ancestors") == (None if is_framed else ["'self'"])
