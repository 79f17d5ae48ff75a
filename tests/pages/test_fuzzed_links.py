"""Links that once raised exceptions, mostly found by ``python -m fuzz.pages``: each shows its page."""

from urllib.parse import parse_qsl

import pytest

from rcmviz.lessons import course
from support.pages import opened

LINKS = [
    "step?noise=0.3",
    "compare?noise=0.5",
    "your_example?src=pen",
    "learn?runs=importance:50",
    f"step?word=on&lesson={course()[0].name}&part={'9' * 5_000}",
    "field?view=lifting&text=on it&order=1",
]


@pytest.mark.parametrize("link", LINKS)
def test_it_opens(link):
    page, _, query = link.partition("?")
    session = opened(f"{page}/page.py", **dict(parse_qsl(query, keep_blank_values=True)))
    assert not session.exception
