"""A class over real sockets: who may lead, what followers may send, and that users cannot read each other's work."""

import asyncio
import contextlib
import json
import socket
import threading
import time
import urllib.error
import urllib.request
from contextlib import ExitStack

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from rcmviz.classroom.connections import Connections, LimitedConnection
from rcmviz.classroom.cookies import cookie_name
from rcmviz.classroom.origins import OwnOrigin
from rcmviz.classroom.pace import Pace, PacePerAddress
from rcmviz.classroom.room import Room
from rcmviz.classroom.server import NEW_OF_ADDRESS, TOLD_AT_ONCE, Audience, routes

KEY = "a key for tests"
COOKIE, FOLLOWER = cookie_name("class", 8501), cookie_name("follower", 8501)
PATIENCE = 60  # seconds until a wait is a failure


class Running:
    """A server of nothing but a class, below a path of its own."""

    def __init__(self, hosts):
        self.room, self.lines = Room(KEY), ExitStack()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        app = Starlette(routes=routes(self.room, "rcm"), middleware=[Middleware(OwnOrigin, hosts=hosts)])
        options = {"ws": "websockets-sansio", "http": LimitedConnection}
        self.server = uvicorn.Server(uvicorn.Config(app, port=self.port, log_level="critical", **options))
        self.thread = threading.Thread(target=self.server.run)
        self.thread.start()
        while not self.server.started:
            self.thread.join(0.01)

    def stop(self):
        self.server.should_exit = True
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()
        self.lines.close()

    def ask(self, path, body=None, **headers):
        """(Status, text, headers) of a request."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/rcm/{path}", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read(), answer.headers
        except urllib.error.HTTPError as error:
            return error.code, error.read(), error.headers

    def line(self, path="", **options):
        return self.lines.enter_context(connect(f"ws://127.0.0.1:{self.port}/rcm/class/live{path}", **options))

    def follower(self, token=None, **options):
        """Return a follower's connection, its person and its first message; ``token`` is of an earlier visit."""
        headers = {"Cookie": f"{FOLLOWER}={token}"} if token else {}
        line = self.line(additional_headers=headers, **options)
        return line, hear(line)["who"], hear(line)

    def teacher(self):
        """Return the teacher's connection and its first message."""
        cookie = self.ask("class/lead", KEY.encode())[2]["Set-Cookie"].partition(";")[0]
        line = self.line("/lead", additional_headers={"Cookie": cookie})
        return line, hear(line)


def hear(line, until=lambda said: True):
    """Return the next message for which ``until`` is true."""
    while True:
        said = json.loads(line.recv(timeout=PATIENCE))
        if until(said):
            return said


@pytest.fixture
def running():
    server = Running(["127.0.0.1"])
    yield server
    server.stop()


def test_steps_reach_all_followers_and_those_who_reconnect(running):
    teacher, board = running.teacher()
    assert board["people"] == 0
    running.room.show("player", {"id": "a", "position": 1, "node": None})
    lines = [running.follower()[0] for _ in range(3)]
    hear(teacher, lambda board: board["people"] == 3)
    for position in range(1, 9):
        teacher.send(json.dumps({"go": {"position": position}, "link": "/rcm/step?word=a"}))
        for line in lines:
            assert hear(line, lambda state: state["place"])["place"] == {"position": position}
    lines.pop().close()
    hear(teacher, lambda board: board["people"] == 2)
    back, _, state = running.follower()
    assert (state["place"], state["link"]) == ({"position": 8}, "/rcm/step?word=a")
    status, packed, headers = running.ask(f"class/view/{state['view']['number']}")
    assert (status, headers["Content-Encoding"]) == (200, "gzip") and packed[:2] == b"\x1f\x8b"
    teacher.send(json.dumps({"end": True}))
    for line in (*lines, back):
        assert hear(line, lambda state: not state["on"])["view"] is None
    assert running.ask(f"class/view/{state['view']['number']}")[0] == 404
    # two followers and a teacher are still connected: the server must not wait for them at its end


@pytest.mark.parametrize("said", [{"go": {"position": 3}}, {"end": True}, {"answer": {}, "reveal": True}, {"begin": 1}])
def test_followers_cannot_lead_without_the_key(running, said):
    running.room.claim(KEY)
    running.room.show("player", {"id": "a"})
    line, _, before = running.follower()
    line.send(json.dumps(said))
    with pytest.raises(ConnectionClosed) as closed:
        hear(line)
    assert closed.value.rcvd.code == 1008 and "only the teacher leads" in closed.value.rcvd.reason
    again = running.follower()[2]
    assert (again["on"], again["place"], again["result"]) == (True, before["place"], None)


@pytest.mark.parametrize("cookie", ["", "x", KEY])
def test_only_teachers_connect_to_the_teachers_socket(running, cookie):
    running.room.claim(KEY)
    with pytest.raises(InvalidStatus) as refused:
        running.line("/lead", additional_headers={"Cookie": f"{COOKIE}={cookie}"})
    assert refused.value.response.status_code == 403


def test_a_wrong_key_leads_nowhere_and_the_right_one_is_in_no_address(running):
    for body in (b"", b"wrong", KEY.encode() + b"!", b"\xff\xfe", b"x" * 5_000):
        status, text, headers = running.ask("class/lead", body)
        assert status == 403 and b"key of this class" in text and "Set-Cookie" not in headers
    assert not running.room.is_on
    status, _, headers = running.ask("class/lead", KEY.encode())
    cookie = headers["Set-Cookie"]
    assert status == 204 and running.room.is_on and KEY not in cookie
    assert all(part in cookie for part in ("HttpOnly", "SameSite=strict", "Path=/rcm"))
    for path in ("class", "class/lead"):
        status, text, headers = running.ask(path)
        assert status == 200 and KEY.encode() not in text and headers["Referrer-Policy"] == "no-referrer"
        assert "default-src 'none'" in headers["Content-Security-Policy"]


def test_pages_of_others_and_foreign_names_hear_nothing(running):
    running.room.claim(KEY)
    running.room.show("player", {"id": "a"})
    number = json.loads(running.room.state())["view"]["number"]
    elsewhere = {"Origin": "http://evil.example"}
    for path in ("", "/lead"):
        with pytest.raises(InvalidStatus):
            running.line(path, additional_headers=elsewhere)
    assert running.ask(f"class/view/{number}", Host="evil.example")[0] == 403
    assert running.ask("class", Host="evil.example")[0] == 403
    assert running.ask("class/lead", KEY.encode(), Host="evil.example")[0] == 403
    assert running.ask("class/lead", KEY.encode(), Origin="http://evil.example")[0] == 403
    assert running.ask("class/script/nothing.js")[0] == running.ask("class/style/..%2fpage.css")[0] == 404


def test_answers_are_counted_anonymously(running):
    teacher, _ = running.teacher()
    lines, tokens, _ = zip(*(running.follower() for _ in range(2)), strict=True)
    teacher.send(json.dumps({"ask": {"key": "q", "text": "kept?", "choices": ["yes", "no"]}}))
    for line, mark in zip(lines, (0, 1), strict=True):
        hear(line, lambda state: state["question"])
        line.send(json.dumps({"answer": {"key": "q", "marks": [mark]}}))
    board = hear(teacher, lambda board: board["result"] and board["result"]["people"] == 2)
    assert board["result"]["counts"] == [1, 1] and not any(token in json.dumps(board) for token in tokens)
    lines[0].send(json.dumps({"answer": {"key": "old", "marks": [0]}}))
    assert "closed" in hear(lines[0], lambda said: "refused" in said)["refused"]
    teacher.send(json.dumps({"reveal": True}))
    assert hear(lines[1], lambda state: state["result"])["result"] == {"key": "q", "counts": [1, 1], "people": 2}


NO_MESSAGES = "nonsense", "[1]", '{"who": []}', "[" * 1_900, '{"answer": [' + "[" * 1_500, b"binary", "", '{"a": NaN'


@pytest.mark.parametrize("said", NO_MESSAGES)
def test_invalid_messages_close_the_connection_without_a_traceback(running, said, caplog):
    line, _, _ = running.follower()
    line.send(said)
    with pytest.raises(ConnectionClosed) as closed:
        hear(line)
    assert closed.value.rcvd.code == 1008 and not caplog.records


@pytest.mark.parametrize("leads, largest", [(False, 2_000), (True, 20_000)])
def test_a_message_that_is_too_large_is_refused_by_the_header_of_its_frame(running, leads, largest, caplog):
    teacher, _ = running.teacher()
    line = teacher if leads else running.follower(compression=None)[0]
    size = largest + 1
    # A first frame that announces more than it sends: waiting for all of it would never end.
    line.socket.sendall(bytes([0x81, 0x80 | 126]) + size.to_bytes(2, "big") + bytes(4) + b"x")
    with pytest.raises(ConnectionClosed) as closed:
        hear(line, lambda said: False)
    assert closed.value.rcvd.code == 1009 and not caplog.records


@pytest.mark.parametrize("host", ["[", "127.0.0.1:x", "a b", "", "127.0.0.1@evil", "127.0.0.1/x"])
def test_an_invalid_host_is_refused_without_a_traceback(running, host, caplog):
    with socket.create_connection(("127.0.0.1", running.port), timeout=PATIENCE) as line:
        line.sendall(f"GET /rcm/class HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        answer = line.makefile("rb").readline()
    assert answer.split()[1] in (b"403", b"400") and not caplog.records


def token_of(line):
    """The token that a browser was given, if it was."""
    cookie = line.response.headers.get("Set-Cookie")
    assert cookie is None or {"HttpOnly", "SameSite=Strict", "Path=/rcm"} <= set(cookie.split("; "))
    return cookie and cookie.partition(";")[0].partition("=")[2]


def test_a_browser_is_given_one_token_and_is_the_same_person_with_it(running):
    line, who, _ = running.follower()
    token = token_of(line)
    back, same, _ = running.follower(token)
    assert same == who and token_of(back) is None
    for other in ("made up", token[:-1] + "x", f"made{token}", "ü.ü", "."):
        line, person, _ = running.follower(other)
        assert person != who and token_of(line) not in (None, token)


def test_many_new_browsers_of_an_address_are_let_in_one_after_another(running, monkeypatch):
    monkeypatch.setattr("rcmviz.classroom.server.LONGEST_WAIT", 1.0)
    begun = time.monotonic()
    lines = [running.follower()[0] for _ in range(NEW_OF_ADDRESS[1] + 5)]
    assert time.monotonic() - begun > 0.9  # five a second
    waiting = [threading.Thread(target=running.follower) for _ in range(5)]
    for thread in waiting:
        thread.start()
    token = token_of(lines[0])
    assert token_of(running.follower(token)[0]) is None  # a returning follower does not wait
    for thread in waiting:
        thread.join()


def test_new_browsers_that_would_wait_too_long_are_refused(monkeypatch):
    monkeypatch.setattr("rcmviz.classroom.server.NEW_OF_ADDRESS", (1e-6, 2))  # the third waits for days
    with ExitStack() as ends:
        server = Running(["127.0.0.1"])
        ends.callback(server.stop)
        token = token_of(server.follower()[0])
        server.follower()
        with pytest.raises(InvalidStatus):
            server.follower()
        assert token_of(server.follower(token)[0]) is None


def test_who_goes_while_waiting_for_a_token_leaves_nothing_behind(running, monkeypatch, caplog):
    for _ in range(NEW_OF_ADDRESS[1]):
        running.follower()
    request = f"GET /rcm/class/live HTTP/1.1\r\nHost: 127.0.0.1:{running.port}\r\nConnection: Upgrade\r\n"
    request += "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", running.port), timeout=PATIENCE) as line:
            line.sendall(request.encode())
            time.sleep(0.05)
    here, _, _ = running.follower()  # its turn is after theirs
    here.close()
    assert not caplog.records and json.loads(running.room.board())["people"] <= NEW_OF_ADDRESS[1] + 1


def test_one_browser_has_one_vote_however_often_it_comes_back(running):
    running.room.claim(KEY)
    running.room.ask({"key": "q", "text": "kept?", "choices": ["yes", "no"]})
    vote = json.dumps({"answer": {"key": "q", "marks": [0]}})
    token = token_of(running.follower()[0])
    running.lines.close()
    for cookie in (token, "", token, "", *map(str, range(8)), token):  # with a token, without, with made up ones
        line, _, _ = running.follower(cookie)
        line.send(vote)
        line.send("the end")
        with pytest.raises(ConnectionClosed):
            hear(line, lambda said: False)
    assert running.room.counts() == [1, 0]


def test_the_rate_of_messages_is_limited():
    now = [7.0]
    pace = Pace(10, 40, lambda: now[0])
    assert [pace.allows_one_more() for _ in range(42)] == [True] * 40 + [False] * 2
    now[0] = 8.0
    assert [pace.allows_one_more() for _ in range(12)] == [True] * 10 + [False] * 2
    now[0] = 1e6
    assert pace.allows_one_more()


def test_a_browser_that_talks_without_end_is_shut_out(running, caplog):
    line, _, _ = running.follower()
    with pytest.raises(ConnectionClosed) as closed:
        for _ in range(10_000):
            line.send(json.dumps({"answer": {"key": "none", "marks": []}}))
        hear(line, lambda said: False)
    assert closed.value.rcvd.code == 1008 and not caplog.records


def test_an_address_talks_as_fast_as_its_own_limit_and_no_faster():
    paces = PacePerAddress(1, 3, lambda: 0.0)
    assert [paces.allows_one_more("a") for _ in range(4)] == [True] * 3 + [False]
    assert paces.allows_one_more("b") and not paces.allows_one_more("a")


def test_a_change_wakes_a_few_browsers_at_a_time_and_only_if_they_are_told_something_new():
    async def follow():
        said = ["first"]
        loop, audience = asyncio.get_running_loop(), Audience(lambda: said[0])
        news = [audience.join(loop) for _ in range(2 * TOLD_AT_ONCE + 1)]
        await asyncio.sleep(0.01)  # those who join receive the current state
        for one in news:
            one.clear()
        audience.refresh(loop)
        await asyncio.sleep(0.01)
        assert not any(one.is_set() for one in news)
        said[0] = "second"
        audience.refresh(loop)
        audience.leave(news.pop())
        woken = []
        for _ in range(3):
            await asyncio.sleep(0)
            woken.append(sum(one.is_set() for one in news))
        return woken

    assert asyncio.run(follow()) == [TOLD_AT_ONCE, 2 * TOLD_AT_ONCE, 2 * TOLD_AT_ONCE]


def test_those_who_follow_are_told_that_the_teacher_has_gone_and_is_back(running, monkeypatch):
    monkeypatch.setattr("rcmviz.classroom.server.AWAY_SECONDS", 0)
    teacher, _ = running.teacher()
    line, _, state = running.follower()
    assert state["led"]
    teacher.close()
    assert hear(line, lambda state: not state["led"])["on"]
    running.teacher()
    hear(line, lambda state: state["led"])


def test_a_browser_without_a_place_is_told_so_and_nothing_is_logged(monkeypatch, caplog):
    monkeypatch.setattr(LimitedConnection, "connections", Connections(4, 2))
    running = Running(["127.0.0.1"])
    try:
        lines = [running.follower()[0] for _ in range(2)]
        with pytest.raises(InvalidStatus) as refused:
            running.follower()
        assert refused.value.response.status_code == 503
        place = "127.0.0.1", running.port
        with contextlib.ExitStack() as opened:
            silent = [opened.enter_context(socket.create_connection(place, timeout=PATIENCE)) for _ in range(3)]
            assert silent[0].recv(12) == b"HTTP/1.1 503"  # the longest silent one
        lines[0].ping().wait(PATIENCE)
    finally:
        running.stop()
    assert not caplog.records


def test_a_head_without_an_end_is_cut_off(running):
    place = "127.0.0.1", running.port
    with socket.create_connection(place, timeout=PATIENCE) as line, contextlib.suppress(ConnectionError):
        for _ in range(100):
            line.sendall(b"GET /rcm/class HTTP/1.1\r\nX: " + b"x" * 10_000)
        while line.recv(4_096):
            pass
    assert running.ask("class")[0] == 200
