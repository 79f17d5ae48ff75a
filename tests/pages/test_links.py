"""Links of every page: written links are read again, unreadable parts produce a notice."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.shell import link
from pages.shell.registry import pages

VIEWS = {name: page.default for name, page in pages().items()}
NAMES = [(page, name) for page, view in VIEWS.items() for name in (*view.names(), *view.place_names())]
# What a link may say, of this page or of another one.
SAID = st.sampled_from(["0", "1", "3", "0.25", "rcms", "beam:7,rcms:7", "pen", "kassel", "learning", "words", "x", "é"])


def queries(page):
    return st.dictionaries(st.sampled_from([name for where, name in NAMES if where == page]), SAID, max_size=6)


@pytest.mark.parametrize("page", VIEWS)
@given(st.data())
@settings(max_examples=60, deadline=None)
def test_written_links_are_read_again_and_written_equally(page, data):
    usual = VIEWS[page]
    view, _, _ = usual.read(data.draw(queries(page)), usual)
    again, opening, notices = usual.read(view.write(), usual)
    assert again.write() == view.write()
    assert (opening, notices) == (None, [])


@pytest.mark.parametrize("page", VIEWS)
@given(st.data())
@settings(max_examples=60, deadline=None)
def test_unknown_parameters_cost_one_sentence_and_change_nothing(page, data):
    usual, query = VIEWS[page], data.draw(queries(page))
    view, _, notices = usual.read(query, usual)
    with_more, _, more = usual.read(query | {"zoom": "2"}, usual)
    assert with_more == view
    assert sorted(more) == sorted([*notices, "The link has 'zoom', which this page does not know."])


@dataclasses.dataclass(frozen=True)
class Toy(link.Link):
    """One field of each kind, of which some matter only while ``deep``."""

    deep: bool = link.flag("deep", False)
    word: str = link.text("word", "a", 5, always=True)
    size: int = link.whole("size", 3, 1, 9, of="deep")
    rate: float = link.real("rate", 0.5, 0.0, 1.0)
    way: str = link.choice("way", "up", ("up", "down"))

    def groups(self):
        return ("deep",) if self.deep else ()


TOYS = st.builds(
    Toy,
    st.booleans(),
    st.text("abc", max_size=5),
    st.integers(1, 9),
    st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    st.sampled_from(["up", "down"]),
)


@given(TOYS)
def test_a_view_comes_back_from_its_link_but_for_what_does_not_matter(toy):
    found, opening, notices = Toy.read(toy.write())
    assert (opening, notices) == (None, [])
    assert found == (toy if toy.deep else dataclasses.replace(toy, size=3))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("deep", "yes", "`deep=yes` in the link is not one of 0, 1; showing 0 instead."),
        (
            "word",
            "abcdef",
            "`word` in the link: 6 characters; at most 5 are allowed; showing the view without it.",
        ),
        ("size", "0", "`size=0` in the link is not a whole number from 1 to 9; showing 3 instead."),
        ("rate", "nan", "`rate=nan` in the link is not a number from 0.0 to 1.0; showing 0.5 instead."),
        ("way", "`" * 50, f"`way={chr(39) * 40}…` in the link is not one of up, down; showing up instead."),
    ],
)
def test_nonsense_costs_a_sentence_and_leaves_the_default(name, text, said):
    assert Toy.read({name: text}) == (Toy(), None, [said])
