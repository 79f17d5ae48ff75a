"""The routes below ``/class`` of a server with a class.

Those who follow need no page of Streamlit: their browser loads one small document, the script of the view that the
teacher shows, and its payload, packed once for all. A websocket per browser then says where the view stands. So a step
costs the server one message of some hundred bytes for each who follows, and no run of a script.
"""

import asyncio
import json
import secrets
from contextlib import suppress
from functools import cache
from pathlib import Path

from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocketDisconnect

from rcmviz.classroom.address import network_of
from rcmviz.classroom.base_path import path_prefix
from rcmviz.classroom.cookies import cookie_name
from rcmviz.classroom.origins import AGAINST_RULES
from rcmviz.classroom.pace import Pace, PacePerAddress
from rcmviz.classroom.room import Refused
from rcmviz.views.shared import assets

AGAIN_LATER = 1013  # why a websocket is closed that may come back
LONGEST_KEY, LONGEST_ANSWER, LONGEST_WORD = 200, 2_000, 20_000  # characters
AWAY_SECONDS = 10  # until followers are notified of a missing leader
MESSAGES = 10, 40  # of one browser, a second in the long run and at once
MESSAGES_OF_ADDRESS = 200, 2_000
JOINS_OF_ADDRESS = 20, 500
NEW_OF_ADDRESS = 5, 20  # browsers without a token: 200 phones behind one address are in after 40 s
LONGEST_WAIT = 15.0  # seconds for a token; some browsers give up at 20
TOLD_AT_ONCE = 25  # browsers, before the server looks after requests
_PAGES = Path(assets.FOLDER) / "classroom"
_HEADERS = {"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}


def routes(room, base="", port=8501):
    """The routes of a class: what Streamlit's ``App`` takes. ``OwnOrigin`` of ``origins.py`` is to stand before them.

    ``base`` is the path below which the application lies, ``port`` that of the server, for the names of its cookies.
    """
    return _Classroom(room, path_prefix(base), port).routes()


class _Classroom:
    def __init__(self, room, base, port):
        self.room, self.base = room, base
        self.cookie, self.token = cookie_name("class", port), cookie_name("follower", port)
        self.new = PacePerAddress(*NEW_OF_ADDRESS)
        self.joins, self.messages = PacePerAddress(*JOINS_OF_ADDRESS), PacePerAddress(*MESSAGES_OF_ADDRESS)
        self.loop, self.is_waking = None, False
        self.followers, self.leaders = Audience(room.state), Audience(room.board)
        room.watch(self._note_change)

    def routes(self):
        here = f"{self.base}/class"
        return [
            Route(here, self.follow),
            Route(f"{here}/", lambda _: RedirectResponse(here)),
            Route(f"{here}/lead", self.lead, methods=["GET", "POST"]),
            Route(f"{here}/script/{{name}}.js", self.script),
            Route(f"{here}/style/{{name}}.css", self.style),
            Route(f"{here}/view/{{number:int}}", self.view),
            WebSocketRoute(f"{here}/live", self.live),
            WebSocketRoute(f"{here}/live/lead", self.live_lead),
        ]

    # Documents

    async def follow(self, request):
        """The page of those who follow."""
        return self._document(request, "follow")

    async def lead(self, request):
        """GET: the page that takes the key out of the teacher's link. POST: the key itself, for a cookie."""
        if request.method == "GET":
            return self._document(request, "lead")
        length = request.headers.get("content-length", "")
        if not length.isdecimal() or len(length) > 9 or int(length) > LONGEST_KEY:
            return _refusal("this is not the key of this class")
        try:
            token = self.room.claim((await request.body()).decode(errors="replace"))
        except Refused as refused:
            return _refusal(str(refused))
        answer = Response(status_code=204, headers=_HEADERS)
        safe = request.url.scheme == "https"
        answer.set_cookie(self.cookie, token, path=self.base or "/", httponly=True, samesite="strict", secure=safe)
        return answer

    async def script(self, request):
        """The script of a view, or of the page of those who follow."""
        return _asset(request, assets.script, "text/javascript")

    async def style(self, request):
        """Its style sheet."""
        return _asset(request, assets.style, "text/css")

    async def view(self, request):
        """The payload of the view that the class looks at."""
        packed = self.room.packed_view(request.path_params["number"])
        if packed is None:
            return PlainTextResponse("this view is gone", 404, headers=_HEADERS)
        return Response(packed, headers={**_HEADERS, "Content-Encoding": "gzip", "Content-Type": "application/json"})

    def _document(self, request, name):
        nonce, host = secrets.token_urlsafe(16), request.headers.get("host", "")
        policy = (
            f"default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'unsafe-inline'; "
            f"img-src data: blob:; connect-src 'self' ws://{host} wss://{host}; frame-ancestors 'none'; base-uri 'none'"
        )
        text = _document_text(name).replace("%nonce%", nonce)
        return HTMLResponse(text, headers={**_HEADERS, "Content-Security-Policy": policy})

    # Live

    async def live(self, socket):
        """The socket of followers: they receive the state, and may answer questions."""
        address = _network(socket)
        token = socket.cookies.get(self.token, "")
        is_known = self.room.issued(token)
        wait = self.joins.reserve(address, 0.0)
        if wait is not None and not is_known:
            wait = self.new.reserve(address, LONGEST_WAIT)
        if wait is None:  # before it is accepted: browsers then wait longer after each try
            return await socket.close(AGAIN_LATER)
        await asyncio.sleep(wait)
        with suppress(WebSocketDisconnect):
            if is_known:
                await socket.accept()
            else:
                token = self.room.new_token()
                await socket.accept(headers=[(b"set-cookie", self._cookie_of(socket, token))])
            try:
                who = self.room.enter(token, address)
            except Refused as refused:
                return await socket.close(AGAINST_RULES, str(refused))
            try:
                await socket.send_text(json.dumps({"who": who}))
                await self._converse(
                    socket, self.followers, LONGEST_ANSWER, lambda said: self._handle_answer(who, said)
                )
            finally:
                self.room.leave(who)

    def _cookie_of(self, socket, token):
        """The header that gives a browser its token for as long as it is open."""
        safe = "; Secure" if socket.url.scheme == "wss" else ""
        return f"{self.token}={token}; Path={self.base or '/'}; HttpOnly; SameSite=Strict{safe}".encode()

    async def live_lead(self, socket):
        """The socket of leaders, known by the cookie that the key was exchanged for."""
        if not self.room.leads(socket.cookies.get(self.cookie)):
            return await socket.close(AGAINST_RULES)
        await socket.accept()
        self.room.arrive()
        try:
            with suppress(WebSocketDisconnect):
                await self._converse(socket, self.leaders, LONGEST_WORD, self._handle_command)
        finally:  # who goes from page to page is soon back
            asyncio.get_running_loop().call_later(AWAY_SECONDS, self.room.depart)

    def _handle_answer(self, who, said):
        """Handle a follower's message: an answer, and nothing else."""
        if set(said) != {"answer"} or not isinstance(said["answer"], dict):
            raise _NotAllowed("only the teacher leads: open the teacher's link, which has the key, to lead this class")
        self.room.answer(who, said["answer"].get("key"), said["answer"].get("marks"))

    def _handle_command(self, said):
        """Handle a leader's message: one of these commands, with its arguments."""
        room = self.room
        acts = {
            "go": lambda place: room.go(place, str(said.get("link", ""))),
            "turn": lambda part: room.turn(said.get("lesson"), part),
            "ask": room.ask,
            "reveal": lambda _: room.reveal(),
            "close": lambda _: room.close(),
            "begin": lambda _: room.begin(),
            "end": lambda _: room.end(),
        }
        for name in set(said) & set(acts):
            acts[name](said[name])

    async def _converse(self, socket, audience, longest, hears):
        """Send a browser the latest state and receive its messages, until one side ends."""
        self.loop = asyncio.get_running_loop()
        news = audience.join(self.loop)
        telling = asyncio.create_task(_send_news(socket, audience, news))
        pace = Pace(*MESSAGES)
        try:
            while True:
                said = await self._next(socket, longest, pace)
                try:
                    hears(said)
                except _NotAllowed as refused:
                    return await socket.close(AGAINST_RULES, str(refused))
                except Refused as refused:
                    await socket.send_text(json.dumps({"refused": str(refused)}))
        finally:
            audience.leave(news)
            telling.cancel()

    async def _next(self, socket, longest, pace):
        """The next message as a dict; one too long, too early or not JSON ends the connection."""
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        text = message.get("text") or ""
        is_in_time = pace.allows_one_more() and self.messages.allows_one_more(_network(socket))
        with suppress(ValueError, RecursionError):
            said = json.loads(text) if len(text) <= longest and is_in_time else None
            if isinstance(said, dict):
                return said
        await socket.close(AGAINST_RULES, "this is no message that a class understands")
        raise WebSocketDisconnect(AGAINST_RULES)

    def _note_change(self):
        """Note a change, from any thread. Changes until the loop handles it are sent together."""
        if self.loop is not None and not self.is_waking:
            self.is_waking = True
            with suppress(RuntimeError):  # the server ends
                self.loop.call_soon_threadsafe(self._wake)

    def _wake(self):
        self.is_waking = False
        for audience in (self.followers, self.leaders):
            audience.refresh(self.loop)


class Audience:
    """Browsers that all receive the same text, ``tells()``: it is made once, and sent only when it changes."""

    def __init__(self, tells):
        self.text, self._tells = "", tells
        self._listening, self._waiting = set(), {}  # events; those still to be set, in order

    def join(self, loop):
        """An event for one more browser: it is set now, and whenever ``text`` has changed."""
        news = asyncio.Event()
        self._listening.add(news)
        self.refresh(loop)
        news.set()
        return news

    def leave(self, news):
        """The browser of this event is gone."""
        self._listening.discard(news)
        self._waiting.pop(news, None)

    def refresh(self, loop):
        """Wake the browsers if their text has changed."""
        text = self._tells()
        if text == self.text:
            return
        self.text = text
        if not self._waiting:
            loop.call_soon(self._wake_some, loop)
        self._waiting |= dict.fromkeys(self._listening)

    def _wake_some(self, loop):
        """Wake a few, and the others after the requests that are waiting."""
        for news in list(self._waiting)[:TOLD_AT_ONCE]:
            del self._waiting[news]
            news.set()
        if self._waiting:
            loop.call_soon(self._wake_some, loop)


async def _send_news(socket, audience, news):
    """Send each new text; changes during a transmission are sent as one, so nothing queues up for a slow browser."""
    sent = None
    with suppress(WebSocketDisconnect, RuntimeError):  # it is gone; who hears it ends it
        while True:
            await news.wait()
            news.clear()
            if audience.text != sent:
                sent = audience.text
                await socket.send_text(sent)


class _NotAllowed(Exception):
    """Ends a conversation."""


def _network(socket):
    return network_of(socket.client.host if socket.client else "")


def _refusal(text):
    return PlainTextResponse(text, 403, headers=_HEADERS)


def _asset(request, make, kind):
    """The script or the style sheet of a view, if there is one of that name."""
    name = request.path_params["name"]
    if name not in assets.VIEWS:
        return PlainTextResponse("there is no such view", 404, headers=_HEADERS)
    return Response(make(name), media_type=kind, headers={**_HEADERS, "Cache-Control": "no-cache"})


@cache
def _document_text(name):
    return (_PAGES / f"{name}.html").read_text(encoding="utf-8")
