"""While a class is on: one strip above every page, and what the teacher's session shows is shown to all.

A session leads where its browser has the cookie that the key in the teacher's link was exchanged for.
"""

from functools import cache

import streamlit as st

from pages.shell.class_lesson import lesson_for_class
from pages.shell.class_places import opening_of
from pages.shell.kept import KEPT
from rcmviz.classroom.address import class_address, qr_rows
from rcmviz.classroom.base_path import below
from rcmviz.classroom.cookies import cookie_name
from rcmviz.classroom.room import this_room
from rcmviz.views.shared import assets
from rcmviz.views.shared.component import class_strip, observe
from rcmviz.views.shared.packed import whole


def show():
    """The strip, in a class that is on; for those who lead it also before and after."""
    room = this_room()
    if room is None:
        return
    _listen()
    data = {"leads": leads(), "base": below(st.get_option("server.baseUrlPath"))}
    if data["leads"]:
        address = class_address(st.context.url, st.get_option("server.address"), data["base"])
        data |= {"address": address, "qr": qr_rows(address)}
    elif not room.is_on:
        return
    class_strip(data, key="class")


def leads():
    """Whether this session leads the class of its server; a page within somebody else's (``embed=true``) never does."""
    room = this_room()
    if room is None or st.context.is_embedded:
        return False
    return room.leads(st.context.cookies.get(cookie_name("class", st.get_option("server.port"))))


def teach(lesson):
    """Those who follow read the step of the ``lesson`` that this session reads, if any, and are asked what it asks."""
    if leads():
        name, part = (st.session_state.get(key) for key in ("lesson", "lesson.part"))
        this_room().teach(lesson and lesson_for_class(lesson.payload() | {"name": name}), part)


@cache
def _listen():
    """Hear once per process of all views that sessions show, and of the class that begins and ends."""
    room = this_room()
    observe(_publish)
    room.opening_of = opening_of
    room.watch(_settle)
    _settle()


def _settle():
    """What people paste in a class is on no disk, and ends with it."""
    KEPT.writes = not this_room().is_on
    if KEPT.writes:
        KEPT.forget()


def _publish(name, payload):
    if assets.VIEWS[name].in_class and leads():
        this_room().show(name, whole(payload))
