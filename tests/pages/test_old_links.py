"""Links of version 0.2, written down with what the code of that time made of them: each opens the same view today."""

import json
from dataclasses import asdict, is_dataclass
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from pages.align.settings import read_question as read_align
from pages.align.settings import write_question as write_align
from pages.ars.settings import read_question as read_ars
from pages.ars.settings import write_question as write_ars
from pages.decipher.settings import read_puzzle, write_puzzle
from pages.home.examples import LOST, SMALL
from pages.learn.settings import read_lesson, write_lesson
from pages.precision.settings import read_trial, write_trial
from pages.shared.trained_models import known_models
from pages.word.problems import packed_sample
from pages.word.settings import Method, Settings, Subject, read_settings, write_query
from support.pages import opened, texts

LINKS = json.loads((Path(__file__).parents[1] / "fixtures/links-0.2.json").read_text(encoding="utf-8"))


def _read_word(default):
    def read(query):
        settings, notices = read_settings(query, known_models(query), default)
        return settings, (settings.position, settings.node), notices

    return read


def _read_learn(query):
    lesson, notices = read_lesson(query)
    return lesson, None, notices


SAMPLE = Subject("problem", packed_sample())
# How a page reads its link, to (value, opening, notices), and writes it.
READ = {
    "step": _read_word(Settings()),
    "compare": _read_word(Settings(LOST, SMALL, compares=True)),
    "your_example": _read_word(Settings(SAMPLE, (Method("beam", 2), Method("rcms", 2)), compares=True)),
    "learn": _read_learn,
    "precision": read_trial,
    "ars": read_ars,
    "decipher": read_puzzle,
    "align": read_align,
}
WRITE = {
    "step": write_query,
    "compare": write_query,
    "your_example": write_query,
    "learn": write_lesson,
    "precision": write_trial,
    "ars": write_ars,
    "decipher": write_puzzle,
    "align": write_align,
}


def plain(value):
    """A value as JSON holds it: dataclasses as their fields, tuples as lists."""
    return json.loads(json.dumps(asdict(value) if is_dataclass(value) else value))


def query_of(link):
    return dict(parse_qsl(link["query"], keep_blank_values=True))


@pytest.mark.parametrize("page", READ)
def test_a_link_of_0_2_says_what_it_said(page):
    links = [link for link in LINKS if link["page"] == page]
    assert len(links) >= 5
    for link in links:
        value, opening, notices = READ[page](query_of(link))
        found = {"value": plain(value), "opening": plain(opening), "notices": notices, "link": WRITE[page](value)}
        assert found == {name: link[name] for name in found}, link["query"]


@pytest.mark.parametrize("number", [number for number, link in enumerate(LINKS) if "shown" in link])
def test_a_page_opens_a_link_of_0_2(number):
    link = LINKS[number]
    session = opened(f"{link['page']}.py", **query_of(link))
    assert not session.exception
    shown = {name: "".join(value) for name, value in session.query_params.items()}
    assert shown == link["shown"]["link"]
    assert texts(session.warning) == link["shown"]["warnings"]
    assert texts(session.error) == link["shown"]["errors"]
