"""Your own example opens on the diagnosis; several examples in one file become a table."""

import json

from pages.word import blame
from pages.word.question import WordQuestion
from pages.your_example.gallery import GALLERY
from pages.your_example.problems import usual_settings
from support.pages import link_of, opened, texts


def labels(session):
    return [button.label for button in session.button]


def click(session, label):
    session.button[labels(session).index(label)].click().run()
    return session


def test_the_page_opens_on_the_verdict_with_its_repairs():
    """The smallest budget appears as soon as it is found; a repair replaces the wrong method."""
    blame.found_strips(usual_settings())
    session = opened("your_example/page.py")
    said = "Beam 2: search error at position 4: the gold was dropped for `babc` in a tie; beam 3, RCMS 2 or exact"
    assert said in texts(session.markdown).replace("\\", "")
    assert "“baba” should have been kept instead of “babc”" in texts(session.caption)
    assert {"Try beam 3", "Try RCMS 2", "Try exact"} <= set(labels(session))
    click(session, "Try exact")
    assert link_of(session)["runs"] == "exact,rcms:2"
    assert "**Right**: Exact and RCMS 2 answer the gold" in texts(session.markdown)


def test_a_list_of_problems_becomes_a_table_whose_rows_open():
    session = opened("your_example/page.py")
    problems = [json.loads(prepared.text) for prepared in GALLERY]
    session.text_area[0].set_value(json.dumps(problems)).run()
    click(session, "Use this")
    assert not session.error
    assert session.dataframe[0].value["fault"].tolist() == ["search error"] * 4
    session.selectbox(key="your_example.examples.show").set_value("harmed").run()
    assert "No such example." in texts(session.caption)
    session.selectbox(key="your_example.examples.show").set_value("saved").run()
    click(session, "Open it")
    shown = WordQuestion(compares=True).read(link_of(session), usual_settings())[0]
    assert shown.position == 3
    assert "The old man the boats" in texts(session.markdown)


def test_a_fault_in_a_list_is_named_with_its_problem():
    session = opened("your_example/page.py")
    session.text_area[0].set_value("[1]").run()
    assert "problem 1" in texts(click(session, "Use this").error)
