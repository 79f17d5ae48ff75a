"""Links and files of versions 0.1 and 0.2 open, some compared with the results of that version."""

import json
import re
from dataclasses import asdict, is_dataclass
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from pages.align.question import AlignQuestion
from pages.ars.question import ArsQuestion, ArsViewState
from pages.decipher.question import DecipherQuestion
from pages.home.examples import LOST, SMALL
from pages.learn.question import LearnQuestion
from pages.precision.question import Comparison
from pages.word.question import Subject, WordQuestion
from pages.your_example.problems import packed_sample
from rcmviz.core.methods import MethodChoice
from support.pages import link_of, opened, texts

FIXTURES = Path(__file__).parents[1] / "fixtures"
LINKS = json.loads((FIXTURES / "links-0.2.json").read_text(encoding="utf-8"))
# Where methods are compared, one that came twice was refused; it is shown now.
TWICE = "runs=rcms%3A10%2Crcms%3A10"
LINKS = [link for link in LINKS if TWICE not in link["query"]]


def _read_word(default):
    def read(query):
        settings, _, notices = WordQuestion.read(query, default)
        return settings, (settings.position, settings.node), notices

    return read


def _read_ars(query):
    """All of the place, as it was said once."""
    question, opening, notices = ArsQuestion.read(query)
    return question, opening if opening is None else asdict(ArsViewState(**opening)), notices


def _read_decipher(query):
    """The number of the pass alone."""
    puzzle, opening, notices = DecipherQuestion.read(query)
    return puzzle, opening and (opening["at"] or None), notices


SAMPLE, COMPARED = Subject("problem", packed_sample()), (MethodChoice("beam", 2), MethodChoice("rcms", 2))
# How a page reads its link, to (value, opening, notices), and writes it.
READ = {
    "step": _read_word(WordQuestion()),
    "compare": _read_word(WordQuestion(LOST, SMALL, compares=True)),
    "your_example": _read_word(WordQuestion(SAMPLE, COMPARED, compares=True)),
    "learn": LearnQuestion.read,
    "precision": Comparison.read,
    "ars": _read_ars,
    "decipher": _read_decipher,
    "align": AlignQuestion.read,
}
WRITE = {
    "step": WordQuestion.write,
    "compare": WordQuestion.write,
    "your_example": WordQuestion.write,
    "learn": LearnQuestion.write,
    "precision": Comparison.write,
    "ars": ArsQuestion.write,
    "decipher": DecipherQuestion.write,
    "align": AlignQuestion.write,
}


# WordQuestion that have come since, as a link that knows nothing of them leaves them.
SINCE = {
    "shared": {"objective": "likelihood", "update": "standard", "mira": 0.0, "precision": "f8"},
    "subject": {"ink": "", "gold": ""},
    "options": {"draw": 0, "select": "forward", "adaptive": "equal", "every_pass": False},
}


def plain(value):
    """A value as JSON holds it: dataclasses as their fields, tuples as lists; without what has come since."""
    if isinstance(value, AlignQuestion):
        assert value.checkpoint is None  # a newer field; None means that no example is chosen
        value = {name: each for name, each in asdict(value).items() if name != "checkpoint"}
        value["look"] = value["look"] or 0
    if isinstance(value, LearnQuestion):  # its fields were parts of two values
        value = {name: getattr(value, name) for name in ("source", "methods", "shared", "word", "step")}
        value |= {"source": asdict(value["source"]), "methods": [asdict(method) for method in value["methods"]]}
        value |= {"shared": asdict(value["shared"])}
    found = json.loads(json.dumps(asdict(value) if is_dataclass(value) else value))
    for each in found.get("edits", ()) if isinstance(found, dict) else ():
        assert each.pop("of") is None  # for all methods, as always
    if isinstance(found, dict) and "pins" in found:
        assert found.pop("since") == 0  # of Decipher: from the first pass on, as always
    for part in SINCE.keys() & (found if isinstance(found, dict) else {}):
        assert SINCE[part].items() <= found[part].items()
        found[part] = {name: each for name, each in found[part].items() if name not in SINCE[part]}
    return found


def refused(notices):
    """The parameters that notices about a link name."""
    return sorted(re.search(r"`(\w+)|'(\w+)'|$", notice)[0] for notice in notices)


def query_of(link):
    return dict(parse_qsl(link["query"], keep_blank_values=True))


@pytest.mark.parametrize("page", READ)
def test_a_link_of_0_2_gives_the_same_view(page):
    links = [link for link in LINKS if link["page"] == page]
    assert len(links) >= 5
    for link in links:
        value, opening, notices = READ[page](query_of(link))
        found = {"value": plain(value), "opening": plain(opening), "link": WRITE[page](value)}
        assert found == {name: link[name] for name in found}, link["query"]
        assert refused(notices) == refused(link["notices"]), link["query"]


def test_a_method_may_come_twice_now():
    settings, _, notices = READ["compare"](dict(parse_qsl(TWICE)))
    assert settings.methods == (MethodChoice("rcms", 10),) * 2
    assert notices == []


@pytest.mark.parametrize("number", range(len(LINKS)))
def test_a_page_opens_a_link_of_0_2(number):
    link = LINKS[number]
    session = opened(f"{link['page']}/page.py", **query_of(link))
    assert not session.exception
    if "shown" in link:
        assert link_of(session) == link["shown"]["link"]
        warnings = texts(session.warning), link["shown"]["warnings"]
        assert refused(warnings[0].split("  \n")) == refused(warnings[1].split("  \n"))
        assert bool(session.error) == bool(link["shown"]["errors"])
    elif link["query"]:  # a bare address opens the page's current first view
        assert link["link"].items() <= link_of(session).items()


# From the documentation and the tests of 0.1 and 0.2; version 0.2 had the pages of the last three.
FIRST_LINKS = (FIXTURES / "links-0.1.txt").read_text(encoding="utf-8").split()


@pytest.mark.parametrize("link", FIRST_LINKS)
def test_a_page_opens_a_link_of_0_1(link):
    page, _, query = link.partition("?")
    query = dict(parse_qsl(query))
    session = opened(f"{page}/page.py", **query)
    assert not session.exception
    assert not any(refused(texts(session.warning).split("  \n")))
    assert query.items() <= link_of(session).items()


def test_fifty_old_links():
    assert len(LINKS) + len(FIRST_LINKS) >= 50


@pytest.mark.parametrize(
    ("page", "query", "widget", "file"),
    [
        ("your_example", {}, "your_example.upload", "saved-0.1/problem.json"),
        ("your_example", {}, "your_example.upload", "saved-0.1/problem.csv"),
        ("learn", {"data": "upload:a"}, "learn.file", "saved-0.2/sentences.conll"),
        ("learn", {"data": "upload:a"}, "learn.file", "saved-0.2/sentences.csv"),
        ("ars", {"tab": "doctor"}, "ars.doctor.upload", "saved-0.2/lm-kneser-ney.arpa"),
    ],
)
def test_a_page_takes_a_saved_file(page, query, widget, file):
    session = opened(f"{page}/page.py", **query)
    before = link_of(session)
    path = FIXTURES / file
    session.file_uploader(key=widget).set_value((path.name, path.read_bytes(), "")).run()
    assert not session.exception and not session.error
    assert page == "ars" or link_of(session) != before
