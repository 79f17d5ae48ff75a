"""Limits on uploads, of a page and in total, are checked before the bytes arrive."""

import pytest

from rcmviz.classroom.upload_limits import KEPT_SECONDS, MEGABYTE, UploadLimit, UploadLimits


def answered(limits, size, method="PUT", session="s", file="f", most=100 * MEGABYTE, status=204):
    """(Status of the answer, whether Streamlit was asked) of one upload."""
    sent, asked = [], []

    async def app(scope, receive, send):
        asked.append(scope)
        await send({"type": "http.response.start", "status": status, "headers": []})

    async def send(message):
        sent.append(message)

    headers = [] if size is None else [(b"content-length", str(size).encode())]
    scope = {"type": "http", "method": method, "path": f"/rcm/_stcore/upload_file/{session}/{file}", "headers": headers}
    with pytest.raises(StopIteration):  # nothing of it waits, so no event loop is needed
        UploadLimit(app, lambda: most, limits)(scope, None, send).send(None)
    return sent[0]["status"], bool(asked)


def test_a_file_may_be_as_large_as_the_page_of_its_session_states():
    limits = UploadLimits()
    assert answered(limits, 5) == (204, True)  # room for the framing of a request
    assert answered(limits, MEGABYTE) == (413, False)
    limits.allow("s", 20)
    limits.allow("s", 1)
    assert answered(limits, 20 * MEGABYTE) == (204, True)
    assert answered(limits, 21 * MEGABYTE) == answered(limits, 10**30) == (413, False)
    limits.start_page("s")
    assert answered(limits, 20 * MEGABYTE) == (413, False)
    for odd in (None, "-1", "1e9", "x"):
        assert answered(limits, odd) == (411, False)


def test_raw_uploads_count_until_they_or_their_session_go():
    now = [0.0]
    limits = UploadLimits(lambda: now[0])
    for session in "ab":
        limits.allow(session, 50)
    assert answered(limits, 40 * MEGABYTE, session="a") == (204, True)
    assert answered(limits, 40 * MEGABYTE, session="a") == (204, True)  # the same file again
    assert answered(limits, 40 * MEGABYTE, session="b") == (204, True)
    assert limits.bytes == 80 * MEGABYTE
    assert answered(limits, 40 * MEGABYTE, session="b", file="g") == (507, False)
    assert answered(limits, None, "DELETE", session="b")[1] and limits.bytes == 40 * MEGABYTE
    assert answered(limits, 40 * MEGABYTE, session="b", status=400) == (400, True)
    assert limits.bytes == 40 * MEGABYTE  # uploads refused by Streamlit do not count
    limits.forget(lambda session: session == "b")
    assert limits.bytes == 40 * MEGABYTE  # Streamlit still has it
    now[0] = KEPT_SECONDS + 1
    limits.forget(lambda session: session == "b")
    assert limits.bytes == 0 and limits.allowed("a") == 0 < limits.allowed("b")
    assert answered(limits, 1, session="b", most=0) == (507, False)  # the memory is full
