"""A class seen from its pages: which parts of a session are shared."""

import gzip
import json
from types import SimpleNamespace

import pytest
import streamlit as st

from pages.shell import class_line, uploads
from pages.shell import language_models as models
from pages.shell.class_lesson import lesson_for_class
from pages.shell.class_places import opening_of
from pages.shell.text_store import TextStore
from rcmviz.classroom import address
from rcmviz.classroom.cookies import cookie_name
from rcmviz.classroom.room import Room
from rcmviz.lessons import course
from support.pages import opened


@pytest.fixture
def room(monkeypatch):
    """A class in this process; ``room.teaches`` says whether the next session leads it."""
    begun = Room("the key")
    begun.claim("the key")
    begun.teaches = True
    monkeypatch.setattr(class_line, "this_room", lambda: begun)
    monkeypatch.setattr(class_line, "leads", lambda: begun.teaches)
    yield begun


def test_what_the_teacher_shows_is_shown_to_all_and_nothing_else(room):
    room.teaches = False
    session = opened("step/page.py", word="on", seed="1")
    assert not session.exception
    assert json.loads(room.state())["view"] is None
    room.teaches = True
    session = opened("home/page.py")
    assert not session.exception
    assert json.loads(room.state())["view"] is None  # the picture of Home is its own
    session = opened("step/page.py", word="at", seed="1", pos="2")
    assert not session.exception
    view = json.loads(room.state())["view"]
    payload = json.loads(gzip.decompress(room.packed_view(view["number"])))
    assert (view["name"], payload["gold"], payload["position"]) == ("word", [0, 19], 2)


@pytest.mark.parametrize(
    ("token", "is_embedded", "leads"), [(True, False, True), (True, True, False), ("", False, False)]
)
def test_who_has_the_cookie_leads_but_not_in_a_frame(monkeypatch, token, is_embedded, leads):
    room = Room("the key")
    cookies = {cookie_name("class", st.get_option("server.port")): room.claim("the key") if token else "made up"}
    monkeypatch.setattr(class_line, "this_room", lambda: room)
    monkeypatch.setattr(st, "context", SimpleNamespace(is_embedded=is_embedded, cookies=cookies))
    assert class_line.leads() is leads


@pytest.mark.parametrize(
    ("link", "opening"),
    [
        ("/step?word=on&pos=2", None),
        ("/rcm/ars?message=3637&round=4&state=2", {"round": 4, "held": 2}),
        ("/decipher?at=7", {"step": 7}),
        ("/align?word=tax", None),
        ("https://evil.example/etc/passwd", None),
        ("", None),
    ],
)
def test_where_a_view_opens_is_read_from_the_teachers_link(link, opening):
    found = opening_of(link)
    assert found is None if opening is None else opening.items() <= found.items()


def test_precision_opens_where_its_slider_stands():
    assert {"by": "share", "at": 0.5}.items() <= opening_of("/precision?by=share&at=0.5")["opening"].items()


def test_nobody_is_offered_what_somebody_else_has_uploaded(monkeypatch):
    monkeypatch.setattr(models, "UPLOADS", type(models.UPLOADS)())
    monkeypatch.setattr(models, "read_model", lambda name, content: name)
    monkeypatch.setattr(uploads, "visitor", lambda: "me")
    mine = models.keep_model("mine.arpa", b"mine")
    assert mine in models.offered_models("lm-small")
    assert models.model_named(mine) == "mine.arpa"
    monkeypatch.setattr(uploads, "visitor", lambda: "another visitor")
    assert mine not in models.offered_models("lm-small")
    with pytest.raises(ValueError, match="the latest four uploads"):
        models.model_named(mine)  # by a link that has its name
    for k in range(5):
        models.keep_model(f"{k}.arpa", b"%d" % k)
    monkeypatch.setattr(uploads, "visitor", lambda: "me")
    assert models.model_named(mine) == "mine.arpa"
    models.UPLOADS.leave("me")
    assert mine not in models.offered_models("lm-small")


def test_what_people_paste_is_on_no_disk_and_ends_with_the_class(room, monkeypatch, tmp_path):
    keeper = TextStore(lambda: tmp_path / "kept")
    monkeypatch.setattr(class_line, "TEXTS", keeper)
    class_line._update_storage()
    name = keeper.keep("a student's text")
    assert keeper.find(name) == "a student's text" and not (tmp_path / "kept").exists()
    room.end()
    class_line._update_storage()
    with pytest.raises(ValueError, match="computer"):
        keeper.find(name)


def test_lessons_have_no_answers_for_those_who_follow_and_their_questions_fit():
    lessons = [lesson_for_class(lesson.payload()) for lesson in course()]
    steps = [step for lesson in lessons for step in lesson["steps"]]
    assert all(set(step) == {"title", "text", "ask", "choices"} for step in steps)
    asked = [step for step in steps if step["choices"]]
    assert asked and all(0 < len(step["ask"]) <= 300 and all(step["choices"]) for step in asked)
    assert not any(f'["{kind}", ' in json.dumps(steps) for kind in ("point", "view"))
    merging = next(lesson for lesson in lessons if lesson["title"] == "Merging")
    assert merging["steps"][3]["choices"] == ["conti", "*i", "*", "nowhere, it is dropped"]


def test_a_machine_in_several_networks_offers_each_address_and_answers_to_all(monkeypatch):
    monkeypatch.setattr(address, "own_address", lambda: "192.168.0.7")
    monkeypatch.setattr(address, "_addresses_of_interfaces", lambda: ["127.0.0.1", "10.0.0.2", "192.168.0.7"])
    offered = address.class_addresses("http://localhost:8501/step", "0.0.0.0", "/rcm")
    assert offered == ["http://192.168.0.7:8501/rcm/class", "http://10.0.0.2:8501/rcm/class"]
    assert address.class_addresses("http://10.0.0.2:8501/", "0.0.0.0") == ["http://10.0.0.2:8501/class"]
    assert {"192.168.0.7", "10.0.0.2"} <= set(address.own_names("0.0.0.0"))
