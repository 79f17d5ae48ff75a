"""What a class knows, and what it keeps to itself."""

import gzip
import json
import secrets

import pytest

from rcmviz.classroom.room import KEY_VARIABLE, MOST_LEADING, Refused, Room, new_key, this_room

QUESTION = {"key": "q", "text": "kept?", "choices": ["yes", "no", "maybe"]}


STEPS = [
    {"title": "a sum", "text": [["p", ["One."]]], "ask": [], "choices": None},
    {"title": "a guess", "text": [], "ask": "How many?", "choices": ["one", "two"]},
]
LESSON = {"name": "sums", "title": "Sums", "steps": STEPS}


@pytest.fixture
def room():
    begun = Room("the key")
    begun.claim("the key")
    return begun


def state(room):
    return json.loads(room.state())


def board(room):
    return json.loads(room.board())


def test_keys_are_long_and_never_the_same():
    keys = {new_key() for _ in range(100)}
    assert len(keys) == 100 and {len(key) for key in keys} == {43}  # 256 bits, six of them in each character


@pytest.mark.parametrize("key", ["", "the ke", "the key ", "The key", "schlüssel"])
def test_only_the_key_leads(key):
    room = Room("the key")
    with pytest.raises(Refused, match="key"):
        room.claim(key)
    assert not room.is_on and not room.leads("") and not room.leads(None) and not room.leads("the key")
    token = room.claim("the key")
    assert room.is_on and room.leads(token) and not room.leads(token[:-1])


def test_the_key_is_compared_in_constant_time(monkeypatch):
    compared = []
    monkeypatch.setattr(secrets, "compare_digest", lambda *both: compared.append(both) or False)
    with pytest.raises(Refused):
        Room("the key").claim("another")
    assert compared == [(b"another", b"the key")]


def test_child_processes_do_not_inherit_the_key(monkeypatch):
    import os

    this_room.cache_clear()
    monkeypatch.setenv(KEY_VARIABLE, "the key")
    assert this_room() is this_room() is not None and KEY_VARIABLE not in os.environ
    this_room.cache_clear()
    assert this_room() is None
    this_room.cache_clear()


def test_a_class_on_few_files_says_how_many_may_follow(monkeypatch, capsys):
    this_room.cache_clear()
    monkeypatch.setenv(KEY_VARIABLE, "the key")
    monkeypatch.setattr("rcmviz.classroom.room.raise_limit", lambda: 256)  # as on macOS, where it cannot be raised
    assert this_room() is not None
    assert "at most 100 browsers can follow, for the system allows 256 open files" in capsys.readouterr().err
    this_room.cache_clear()


def test_no_more_browsers_than_people_who_teach(room):
    for _ in range(MOST_LEADING - 1):
        room.claim("the key")
    with pytest.raises(Refused, match="start the server"):
        room.claim("the key")


def test_a_view_is_compressed_once_and_follows_the_teachers_position(room):
    payload = {"id": "a", "position": 1, "node": None, "rows": [1, 2]}
    room.show("player", payload)
    first = state(room)["view"]
    assert json.loads(gzip.decompress(room.packed_view(first["number"]))) == payload
    room.go({"pos": "4"}, "/step?pos=4")
    room.show("player", payload | {"position": 4, "node": "*a"})  # a rerun of the teacher's page
    assert state(room)["view"] == first and state(room)["place"] == {"pos": "4"}
    room.show("player", payload | {"id": "b"})
    second = state(room)["view"]
    assert second != first and state(room)["place"] is None
    room.show("player", payload | {"id": "c"})
    assert room.packed_view(first["number"]) is None and room.packed_view(second["number"])


def test_answers_are_counted_once_for_everybody_and_seen_when_the_teacher_shows_them(room):
    people = [room.enter(name) for name in "abc"]
    room.ask(QUESTION)
    for who, marks in zip(people, ([0], [0, 2], [1]), strict=True):
        room.answer(who, "q", marks)
    room.answer(people[2], "q", [2, 2])  # has thought better of it
    assert room.counts() == [2, 0, 2] and board(room)["result"]["people"] == 3
    assert state(room)["result"] is None and state(room)["question"]["choices"] == QUESTION["choices"]
    room.ask(QUESTION)  # the same once more: a browser that came back says it again
    room.reveal()
    assert state(room)["result"] == {"key": "q", "counts": [2, 0, 2], "people": 3}
    with pytest.raises(Refused, match="closed"):
        room.answer(people[0], "q", [1])
    said = room.state() + room.board()
    assert not any(who in said for who in people)


@pytest.mark.parametrize("marks", [None, "0", [3], [-1], [True], [0.0], {"0": 1}, [[0]]])
def test_invalid_answers_are_refused(room, marks):
    who = room.enter()
    room.ask(QUESTION)
    with pytest.raises(Refused, match="from 0 to 2"):
        room.answer(who, "q", marks)
    assert room.counts() == [0, 0, 0]


def test_only_followers_can_answer(room):
    room.ask(QUESTION)
    room.answer("made up", "q", [0])
    assert room.counts() == [0, 0, 0]
    gone = room.enter()
    room.leave(gone)
    room.answer(gone, "q", [0])
    assert room.counts() == [0, 0, 0]


def test_a_returning_browser_is_the_same_person(room):
    who = room.enter()
    room.ask(QUESTION)
    room.answer(who, "q", [1])
    room.leave(who)
    assert room.counts() == [0, 1, 0] and board(room)["people"] == 0
    assert room.enter() == who != room.enter("another")
    room.answer(who, "q", [0])
    assert room.counts() == [1, 0, 0] and board(room)["people"] == 2


@pytest.mark.parametrize(
    "question", [None, [], {"text": "?"}, {"choices": ["a"]}, {"choices": ["a", 2]}, {"choices": ["a" * 301, "b"]}]
)
def test_invalid_questions_are_refused(room, question):
    with pytest.raises(Refused, match=r"a question (is|with)"):
        room.ask(question)
    assert state(room)["question"] is None


def test_nothing_is_left_at_the_end(room):
    who = room.enter()
    room.show("player", {"id": "a"})
    number = state(room)["view"]["number"]
    room.go({"pos": "2"}, "/step")
    room.ask(QUESTION)
    room.answer(who, "q", [0])
    sent = []
    room.watch(lambda: sent.append(room.state()))
    room.end()
    assert json.loads(sent[-1]) == {
        "on": False,
        "led": False,
        "view": None,
        "place": None,
        "link": "",
        "opening": None,
        "question": None,
        "result": None,
        "step": None,
    }
    assert room.packed_view(number) is None and room.counts() == []
    room.show("player", {"id": "b"})
    room.go({"pos": "3"})
    room.ask(QUESTION)
    assert state(room)["view"] is None and state(room)["place"] is None and state(room)["question"] is None


def test_followers_of_one_class_may_answer_in_the_next(room):
    who, address = room.enter("a", "10.0.0.1"), "10.0.0.1"
    room.end()
    room.begin()
    assert board(room)["people"] == 1 and room.enter("a", address) == who
    room.ask(QUESTION)
    room.answer(who, "q", [1])
    assert room.counts() == [0, 1, 0]


def test_the_step_of_a_lesson_is_read_by_all_and_asks_by_itself(room):
    here = room.enter()
    room.turn("sums", 2)  # the lesson is not known yet
    assert state(room)["step"] is None
    room.teach(LESSON)
    assert state(room)["step"] == {"lesson": "Sums", "part": 1, "of": 2, **STEPS[0]}
    assert state(room)["question"] is None
    room.turn("sums", 2)
    question = state(room)["question"]
    assert (question["text"], question["choices"]) == ("How many?", ["one", "two"])
    room.answer(here, question["key"], [1])
    assert board(room)["result"]["counts"] == [0, 1]
    room.teach(LESSON, 1)  # a page that was on its way when the teacher went on
    assert state(room)["step"]["part"] == 2
    for part in (3, 0, "2", None, 1):
        room.turn("sums", part)
        assert (state(room)["step"] or {}).get("part") == (1 if part == 1 else None)
        assert state(room)["question"] is None
    room.ask(QUESTION)
    room.turn("sums", 2)  # the teacher's question has priority
    assert state(room)["question"]["key"] == "q"
    room.teach(None)
    assert state(room)["step"] is None and state(room)["question"]["key"] == "q"


def test_an_address_has_as_many_votes_as_people_at_a_time(room):
    early = [room.enter(name, "10.0.0.1") for name in "abc"]
    room.ask(QUESTION)
    for who in early:
        room.answer(who, "q", [0])
        room.leave(who)
    for name in map(str, range(200)):  # one person who deletes the cookie each time
        who = room.enter(name, "10.0.0.1")
        room.answer(who, "q", [1])
        room.leave(who)
    assert sum(room.counts()) == 3
    other = room.enter("d", "10.0.0.2")
    room.answer(other, "q", [2])
    assert sum(room.counts()) == 4


def test_a_class_and_a_network_have_so_many_places(monkeypatch):
    monkeypatch.setattr("rcmviz.classroom.room.MOST_PER_ADDRESS", 2)
    room = Room("the key", most_people=3)
    people = [room.enter(name, "10.0.0.1") for name in "ab"]
    with pytest.raises(Refused, match="of your network"):
        room.enter("c", "10.0.0.1")
    room.enter("c", "10.0.0.2")
    with pytest.raises(Refused, match="3 browsers"):
        room.enter("d", "10.0.0.3")
    room.leave(people[0])
    room.enter("d", "10.0.0.1")
