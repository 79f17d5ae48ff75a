"""The state of a class: the teacher's view and its place, the question, and the counts of answers.

Nothing of it is written to a disk. A key, new for each server, decides who leads: it is
exchanged once for a token that the teacher's browser keeps as a cookie. People have no names; each browser is
given a token, of which only a digest is kept, and counts once however often it comes back.
"""

import gzip
import hashlib
import hmac
import json
import os
import secrets
import sys
from collections import Counter
from functools import cache
from threading import Lock

from rcmviz.classroom.open_files import most_websockets, raise_limit

KEY_VARIABLE = "RCMVIZ_CLASS_KEY"
LONGEST_TEXT = 300  # characters of a question, or of one of its choices
MOST_CHOICES = 12
MOST_PEOPLE = 500  # concurrent connections
MOST_PER_ADDRESS = 250  # of them of one address: of a proxy, or of a network behind one
MOST_LEADING = 20  # browsers that the key was given to
PLACE = ("position", "phase", "node")  # fields of a payload that say where it opens, and not what it shows
KEPT_VIEWS = 2  # a slow browser may still ask for the view before the present one


class Refused(ValueError):
    """A request that a class refuses; the message is for the user who sent it."""


class Room:
    """One class. Every method may be called from any thread; ``watch`` is notified of each change."""

    def __init__(self, key, most_people=MOST_PEOPLE):
        """``key`` lets lead; ``new_key`` draws one."""
        self._key, self._most_people = key.encode(), most_people
        self._leading, self._lock, self._watchers = set(), Lock(), []
        self._number = 0  # of the latest change
        self._teachers = 0  # connections of those who lead
        self.opening_of = lambda link: None  # what stands over a payload for the place in a link; pages know it
        self._here, self._salt = {}, secrets.token_bytes(16)  # person → connections
        self._addresses, self._most_at = {}, {}  # person → address; address → most concurrent people of it
        self._forget()

    def _forget(self):
        """All that the class has shown, asked and answered is gone."""
        self.is_on = False
        self._views, self._view, self._digest = {}, None, None
        self._place, self._link, self._opening = None, "", None
        self._question, self._answers, self._revealed = None, {}, False
        self._lesson, self._part = None, 1

    # Who leads

    def claim(self, key):
        """A token for the browser of whoever has the key, and the class is on; Refused where the key is another."""
        if not secrets.compare_digest(key.encode(), self._key):
            raise Refused("this is not the key of this class: open the whole link that the server showed when it began")
        with self._lock:
            if len(self._leading) >= MOST_LEADING:
                raise Refused(f"{MOST_LEADING} browsers lead this class already; restart the server for a new key")
            token = secrets.token_urlsafe(32)
            self._leading.add(token)
        self.begin()
        return token

    def leads(self, token):
        """Whether a token was given out by ``claim``."""
        given = (token or "").encode()
        return any(secrets.compare_digest(given, known.encode()) for known in list(self._leading))

    def arrive(self):
        """A leading browser connects."""
        with self._change():
            self._teachers += 1

    def depart(self):
        """A leading browser disconnects; after the last one, followers are notified."""
        with self._change():
            self._teachers -= 1

    def begin(self):
        """The class is on, if it was not."""
        with self._change():
            self.is_on = True

    def end(self):
        """End the class: notify everybody, and forget all its state except who is connected."""
        with self._change():
            self._forget()

    # The shared view

    def show(self, name, payload):
        """The view of this name shows this payload from now on; where it stands comes with ``go``."""
        if not self.is_on:
            return
        lasting = {field: value for field, value in payload.items() if field not in PLACE}
        text = json.dumps(lasting, separators=(",", ":"), allow_nan=False).encode()
        digest = name, hashlib.sha256(text).digest()
        if digest == self._digest:
            return
        packed = gzip.compress(json.dumps(payload, separators=(",", ":")).encode(), 5, mtime=0)
        with self._change():
            number = self._number + 1
            self._views[number] = packed
            for old in sorted(self._views)[:-KEPT_VIEWS]:
                del self._views[old]
            self._view, self._digest, self._place = {"name": name, "number": number}, digest, None
            self._opening = None

    def packed_view(self, number):
        """The payload of a view as JSON, compressed by gzip; None where it is gone."""
        return self._views.get(number)

    def go(self, place, link=""):
        """The view stands there: ``place`` as the view says it, ``link`` the address of the page that shows it."""
        opening = self.opening_of(link)
        with self._change():
            if self.is_on:
                self._place, self._link, self._opening = place, link, opening

    # The lesson

    def teach(self, lesson, part=1):
        """The teacher reads this lesson from ``part`` on, ``{"name", "title", "steps": [{"title", "text", "ask",
        "choices"}, …]}``, or None; the same lesson again stays at its step.
        """
        if self.is_on and lesson != self._lesson:
            with self._change():
                self._lesson = lesson
                self._turn(part)

    def turn(self, name, part):
        """The teacher is at this part of the lesson of that name; what else is heard of lessons comes too late."""
        if self._lesson and name == self._lesson["name"] and part != self._part:
            with self._change():
                self._turn(part)

    def _turn(self, part):
        """Another step of a lesson: what was asked by the one before is gone, its own choices are asked."""
        self._part = part
        if self._question and self._question.get("of_lesson"):
            self._question, self._answers, self._revealed = None, {}, False
        step = self._step()
        if step and step["choices"] and self._question is None:
            asked = {
                "key": f"{step['lesson']} {part}",
                "text": step["ask"][:LONGEST_TEXT],
                "choices": step["choices"],
                "of_lesson": True,
            }
            self._put(_check_question(asked))

    def _step(self):
        """The current step of the lesson with its entry in the list of steps, or None."""
        steps = self._lesson["steps"] if self._lesson else []
        if type(self._part) is not int or not 1 <= self._part <= len(steps):
            return None
        return {"lesson": self._lesson["title"], "part": self._part, "of": len(steps), **steps[self._part - 1]}

    # The question

    def ask(self, question):
        """Ask the class: ``{"key", "text", "choices": [text, …]}``, and whatever else the view needs to put it.

        The same key again is the same question, and its answers stay.
        """
        question = _check_question(question)
        with self._change():
            if not self.is_on or (self._question or {}).get("key") == question["key"]:
                return
            self._put(question)

    def _put(self, question):
        """Ask a question that is checked."""
        self._question, self._answers, self._revealed = question, {}, False
        self._addresses = {who: address for who, address in self._addresses.items() if who in self._here}
        self._most_at = dict(Counter(self._addresses.values()))

    def answer(self, who, key, marks):
        """``who`` marks these choices; who answers again has thought better of it. Refused where nothing is asked."""
        with self._change():
            question = self._question
            if not question or question["key"] != key or self._revealed:
                raise Refused("this question is closed")
            choices = range(len(question["choices"]))
            if not isinstance(marks, list) or not all(type(mark) is int and mark in choices for mark in marks):
                raise Refused(f"an answer is a list of choices from 0 to {len(choices) - 1}")
            if who in self._here:
                self._answers[who] = sorted(set(marks))
                self._limit_votes(self._addresses[who])

    def _limit_votes(self, address):
        """An address has at most as many votes as it had people here at the same time."""
        votes = [who for who in self._answers if self._addresses[who] == address]
        gone = [who for who in votes if who not in self._here]
        for who in gone[: max(0, len(votes) - self._most_at[address])]:
            del self._answers[who]

    def reveal(self):
        """Show everybody the counts, and close the question."""
        with self._change():
            self._revealed = self._question is not None

    def close(self):
        """The question and its answers are gone."""
        with self._change():
            self._question, self._answers, self._revealed = None, {}, False

    def counts(self):
        """The number of people who marked each choice of the question."""
        choices = range(len((self._question or {"choices": ()})["choices"]))
        return [sum(choice in marks for marks in list(self._answers.values())) for choice in choices]

    # Who is here

    def new_token(self):
        """A token for a browser that has none; it holds until the server ends, and nothing of it is kept."""
        name = secrets.token_hex(12)
        return f"{name}.{self._seal(name)}"

    def issued(self, token):
        """Whether ``new_token`` gave this token out."""
        name, _, seal = token.partition(".")
        return hmac.compare_digest(seal.encode(errors="replace"), self._seal(name).encode())

    def _seal(self, name):
        return hmac.new(self._salt, name.encode(errors="replace"), hashlib.sha256).hexdigest()[:32]

    def enter(self, token="", address=""):
        """A browser with a ``token`` begins to follow from an ``address``; returns its person, the same for the same
        token.
        """
        with self._change():
            if sum(self._here.values()) >= self._most_people:
                raise Refused(f"{self._most_people} browsers follow already, which is the most this class bears")
            who = hashlib.sha256(self._salt + token.encode(errors="replace")).hexdigest()[:24]
            there = sum(self._here[one] for one in self._here if self._addresses[one] == address)
            if there >= MOST_PER_ADDRESS:
                raise Refused(f"{MOST_PER_ADDRESS} browsers of your network follow already, the most of one network")
            self._here[who] = self._here.get(who, 0) + 1
            self._addresses[who] = address
            people = sum(self._addresses[one] == address for one in self._here)
            self._most_at[address] = max(people, self._most_at.get(address, 0))
        return who

    def leave(self, who):
        """A browser is gone; what it answered stays until something else is asked."""
        with self._change():
            left = self._here.pop(who, 0) - 1
            if left > 0:
                self._here[who] = left
            elif who not in self._answers:
                self._addresses.pop(who, None)

    # Messages to browsers

    def watch(self, changed):
        """Call ``changed()`` after every change, from whatever thread it came."""
        self._watchers.append(changed)

    def state(self):
        """The state for followers, as JSON."""
        shown = {"on": self.is_on, "led": self._teachers > 0, "view": self._view, "place": self._place}
        shown |= {"link": self._link, "opening": self._opening, "step": self._step()}
        return json.dumps(shown | {"question": self._question, "result": self._result() if self._revealed else None})

    def board(self):
        """The state for leaders, as JSON: the number of people, and their answers."""
        said = {"on": self.is_on, "people": len(self._here), "question": self._question}
        return json.dumps(said | {"result": self._result() if self._question else None, "revealed": self._revealed})

    def _result(self):
        return {"key": self._question["key"], "counts": self.counts(), "people": len(self._answers)}

    def _change(self):
        return _Change(self)


class _Change:
    """Change a room under its lock, then notify the watchers unless it was refused."""

    def __init__(self, room):
        self.room = room

    def __enter__(self):
        self.room._lock.acquire()

    def __exit__(self, refused, *_):
        if not refused:
            self.room._number += 1
        self.room._lock.release()
        if not refused:
            for changed in self.room._watchers:
                changed()


def _check_question(question):
    """A question as it is kept, or Refused."""
    choices = question.get("choices", []) if isinstance(question, dict) else None
    texts = [question.get("text", ""), *choices] if isinstance(choices, list) else [None]
    if not all(isinstance(text, str) and len(text) <= LONGEST_TEXT for text in texts):
        raise Refused(f"a question is a text with choices, of at most {LONGEST_TEXT} characters each")
    if not 2 <= len(texts) - 1 <= MOST_CHOICES:
        raise Refused(f"a question with {len(texts) - 1} choices: give 2 to {MOST_CHOICES}, one per line")
    key = str(question.get("key") or secrets.token_urlsafe(9))
    return {**question, "key": key[:LONGEST_TEXT]}


def new_key():
    """A key of 256 random bits.

    Examples
    --------
    >>> len(new_key())
    43
    """
    return secrets.token_urlsafe(32)


@cache
def this_room():
    """The class of this process, or None where its server was not started for one (``rcmviz app --class``)."""
    key = os.environ.pop(KEY_VARIABLE, None)  # no process that this one starts shall know it
    if not key:
        return None
    files = raise_limit()
    most_people = min(MOST_PEOPLE, most_websockets(files) * 4 // 5)
    if most_people < MOST_PEOPLE:
        print(
            f"rcmviz: at most {most_people} browsers can follow, for the system allows {files} open files; "
            "for more, raise ulimit -n",
            file=sys.stderr,
            flush=True,
        )
    return Room(key, most_people)
