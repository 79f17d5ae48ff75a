"""Regressions on Home, Step and Compare."""

import pytest

from pages.shell.registry import nav_entries
from pages.word import runs, widgets
from pages.word.question import Subject, WordQuestion
from pages.word.strokes import read_strokes, word_drawn, write_strokes
from rcmviz.tasks.handwriting.pen import encode_images
from support.pages import link_of, open_tab, opened, texts

SLOPE, HOOK = [[0.25, 0.2], [0.75, 0.8]], [[0.5, 0.1], [0.5, 0.9], [0.9, 0.9]]
INK = write_strokes([[SLOPE], [SLOPE, HOOK]])
DRAWING = encode_images(word_drawn(INK).images)


def test_home_can_be_read_in_order_where_columns_stand_below_each_other():
    session = opened("home/page.py")
    invitations = [button.label for button in session.button]
    assert invitations == [entry.card for entry in nav_entries()[1:]]


def test_the_what_if_form_follows_the_players_position_until_changed():
    session = open_tab(opened("step/page.py", word="exactly", seed="14", pos="4"), "step", "What if")
    form = "step.edit.position"
    assert session.number_input(key=form).value == 4
    try_at(session, 7, "y")
    assert session.number_input(key=form).value == 7
    session.session_state["step.value"] = session.session_state["step.value"].at(2)  # as the player says it
    assert session.run().number_input(key=form).value == 2
    try_at(session, 6, "l")
    session.text_input(key="step.text.pen").set_value("on").run()
    assert not session.exception and session.number_input(key=form).value <= 2


def try_at(session, position, label):
    session.number_input(key="step.edit.position").set_value(position)
    session.text_input(key="step.edit.what").set_value(label)
    session.button[[button.label for button in session.button].index("Try it")].click().run()
    assert not session.exception and not session.warning


def test_strokes_are_written_to_a_quarter_of_a_pixel_and_read_back():
    letters = read_strokes(INK)
    assert write_strokes(letters) == INK
    assert letters[1][1] == pytest.approx([pytest.approx(point, abs=0.002) for point in HOOK])
    assert read_strokes("") == []


@pytest.mark.parametrize("ink", ["A", "AAA.", "AAA~", "ä€é", "AAA.AA", " "])
def test_damaged_strokes_are_ignored(ink):
    with pytest.raises(ValueError, match="damaged"):
        read_strokes(ink)
    assert widgets._strokes_of(Subject("drawn", DRAWING, ink=ink)) == []


def test_a_drawing_comes_back_to_its_pad_and_takes_a_gold():
    session = opened("step/page.py", src="drawn", word=DRAWING, ink=INK)
    view = session.session_state["step.value"]
    assert widgets._strokes_of(view.subject) == read_strokes(INK)
    assert widgets._strokes_of(Subject("drawn", DRAWING[:32], ink=INK)) == []  # pixels of something else
    assert runs.problem_of(view.subject).gold is None
    session.text_input(key="step.gold").set_value("On").run()
    subject = session.session_state["step.value"].subject
    assert runs.problem_of(subject).gold == ("o", "n")
    assert link_of(session) | {"gold": "On", "ink": INK} == link_of(session)
    assert WordQuestion.read(link_of(session))[0].subject == subject
    session.text_input(key="step.gold").set_value("one").run()
    assert not session.error and "3 letters for 2 that are drawn" in texts(session.caption)
    assert runs.problem_of(session.session_state["step.value"].subject).gold is None
