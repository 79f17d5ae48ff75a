"""Streamlit's own files from memory: the same contents, compressed for those who read that, and nothing else."""

import gzip

import pytest
from starlette.datastructures import Headers

from pages.shared import ahead

STATIC = ahead.STATIC / "static"
SCRIPT = ahead.streamlit_files()[0]


PATHS = {"": "/static/", "/lab/rcmviz/": "/lab/rcmviz/static/"}


def asked(base, path, method="GET", **headers):
    """(headers, body) of the answer of an application below ``base``; a body of None where the request passes."""
    (middleware, *_), sent = ahead.at_once(base), []

    async def passed(_scope, _receive, send):
        await send({"headers": [], "body": None})

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http", "method": method, "path": path,
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip
    with pytest.raises(StopIteration):  # it waits for nobody
        middleware.cls(passed, **middleware.kwargs)(scope, None, send).send(None)
    return Headers(raw=sent[0]["headers"]), sent[-1]["body"]


@pytest.mark.parametrize("base", PATHS)
def test_a_file_is_what_it_was_and_a_browser_keeps_it(base):
    font = next(file for file in (STATIC / "media").iterdir() if file.suffix == ".woff2")
    for file, kind in ((STATIC / "js" / SCRIPT, "javascript"), (font, "font/woff2")):
        for encoding in ("gzip", "identity"):
            path = PATHS[base] + file.relative_to(STATIC).as_posix()
            headers, body = asked(base, path, accept_encoding=encoding)
            packed = headers.get("content-encoding") == "gzip"
            assert packed == (encoding == "gzip" and kind == "javascript")
            assert (gzip.decompress(body) if packed else body) == file.read_bytes()
            assert kind in headers["content-type"] and "immutable" in headers["cache-control"]
            assert (headers.get("vary") == "Accept-Encoding") == (kind == "javascript")


@pytest.mark.parametrize("name", ["", "js", "js/nobody.js", "../index.html", "js/../../index.html"])
def test_what_is_no_file_of_the_folder_passes(name):
    assert asked("", f"/static/{name}")[1] is None


def test_who_asks_for_a_part_or_for_news_is_answered_by_streamlit():
    path = f"/static/js/{SCRIPT}"
    assert asked("", path)[1] is not None and asked("", path, "HEAD")[1] is None
    for name in ("range", "if_none_match", "if_modified_since"):
        assert asked("", path, **{name: "bytes=0-9"})[1] is None
