"""The strip of a class above every page; the views of the teacher's session are shown to all who follow.

A session leads if its browser has the cookie that it got in exchange for the key in the teacher's link.
"""

from functools import cache

import streamlit as st

from pages.shell.class_lesson import lesson_for_class
from pages.shell.class_places import opening_of
from pages.shell.text_store import TEXTS
from rcmviz.classroom.address import class_addresses, qr_rows
from rcmviz.classroom.base_path import path_prefix
from rcmviz.classroom.cookies import cookie_name
from rcmviz.classroom.room import this_room
from rcmviz.views.shared import assets
from rcmviz.views.shared.component import class_strip, observe
from rcmviz.views.shared.packed import plain_payload


def show():
    """Draw the strip during a class; teachers see it before and after as well."""
    room = this_room()
    if room is None:
        return
    _listen()
    data = {"leads": leads(), "base": path_prefix(st.get_option("server.baseUrlPath"))}
    if data["leads"]:
        addresses = class_addresses(st.context.url, st.get_option("server.address"), data["base"])
        data |= {"addresses": [{"address": address, "qr": qr_rows(address)} for address in addresses]}
    elif not room.is_on:
        return
    class_strip(data, key="class")


def leads():
    """Whether this session leads the class of its server; a page embedded in a site (``embed=true``) never does."""
    room = this_room()
    if room is None or st.context.is_embedded:
        return False
    return room.leads(st.context.cookies.get(cookie_name("class", st.get_option("server.port"))))


def teach(lesson):
    """Show students the step of ``lesson`` that this session reads, with its task; None ends the lesson."""
    if leads():
        name, part = (st.session_state.get(key) for key in ("lesson", "lesson.part"))
        this_room().teach(lesson and lesson_for_class(lesson.payload() | {"name": name}), part)


@cache
def _listen():
    """Subscribe, once per process, to the views of all sessions and to the beginning and end of the class."""
    room = this_room()
    observe(_publish)
    room.opening_of = opening_of
    room.watch(_update_storage)
    _update_storage()


def _update_storage():
    """Keep texts that are pasted during a class in memory only, and forget them at its end."""
    TEXTS.writes = not this_room().is_on
    if TEXTS.writes:
        TEXTS.forget()


def _publish(name, payload):
    if assets.VIEWS[name].in_class and leads():
        this_room().show(name, plain_payload(payload))
