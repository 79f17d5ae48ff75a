"""Uploads of visitors, kept by this process for links that name them: the latest few of each visitor.

A visitor cannot see or displace the uploads of others. Uploads are deleted a minute after their visitor has left
(``visitors.py``).
"""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.compat import is_connected, session_id
from pages.shell.text import sentence
from pages.shell.visitors import VISITORS, visitor
from rcmviz.classroom.upload_limits import LIMITS
from rcmviz.core.shared.packed import count_unpacked_bytes
from rcmviz.core.shared.text_file import decode
from rcmviz.jobs.memory import RESULT_CACHE, most_upload_bytes
from rcmviz.jobs.training_task import bytes_held
from rcmviz.jobs.watchdog import WATCHDOG

_STORES: list[Any] = []


class Uploads(Mapping):
    """Contents by digest, the latest last: those of this session's visitor; outside of a session all."""

    def __init__(self, *forgets):
        """``forgets`` clear caches of results from uploads, besides the answers of pages; more may be added."""
        self._of, self.forgets = {}, [RESULT_CACHE.clear, *forgets]
        _STORES.append(self)

    def of(self, name):
        """Return the OrderedDict of one visitor."""
        return self._of.setdefault(name, OrderedDict())

    def leave(self, name):
        """Delete the uploads of a visitor."""
        if self._of.pop(name, None):
            for forget in self.forgets:
                forget()

    @property
    def bytes(self):
        """The size of all uploads."""
        return bytes_held(self._of)

    def need(self, digest, gone):
        """Return a content; ValueError ``gone`` if this session's visitor has none of that digest."""
        content = self.get(digest)
        if content is None:
            raise ValueError(gone)
        return content

    def _seen(self):
        name = visitor()
        stores = list(self._of.values()) if name is None else [self._of.get(None, {}), self._of.get(name, {})]
        return {digest: content for store in stores for digest, content in store.items()}

    def __getitem__(self, digest):
        return self._seen()[digest]

    def __iter__(self):
        return iter(self._seen())

    def __len__(self):
        return len(self._seen())


def draw_uploader(place, label, kinds, megabytes, **options):
    """Draw an uploader of files up to ``megabytes``; the server refuses larger ones as well."""
    session = session_id()
    if session is not None:
        LIMITS.allow(session, megabytes)
    return place.file_uploader(label, type=kinds, max_upload_size=megabytes, **options)


def start_page():
    """Reset the limits of this session, which enters a page whose uploaders are still to be drawn."""
    session = session_id()
    if session is not None:
        LIMITS.start_page(session)


def weigh(name, content, most):
    """Return the unpacked size of an upload in bytes.

    Raises ValueError, before it is unpacked, for more than ``most``, or if all uploads would then take too much memory.
    """
    size = count_unpacked_bytes(content, most)
    if size > most:
        raise ValueError(f"{name}: unpacked it has more than {most:,} bytes, the limit; take a part of it")
    check_memory(size)
    return size


def room_for_files():
    """Return the bytes that all arriving files may have: none while the memory is full."""
    LIMITS.forget(is_connected)
    return 0 if WATCHDOG.is_full else most_upload_bytes()


def check_memory(more=0):
    """Raise ValueError if all uploads, with ``more`` bytes, take too much memory."""
    WATCHDOG.check()
    LIMITS.forget(is_connected)
    if LIMITS.bytes + more + sum(store.bytes for store in _STORES) > most_upload_bytes():
        raise ValueError(
            f"the uploads of all visitors exceed {most_upload_bytes() // 1_000_000} MB, the limit; "
            "try again later, or run the application on your own computer"
        )


def keep_latest(uploads, digest, content, most, check=lambda: None):
    """Keep ``content`` as the latest of the visitor's ``most`` uploads.

    Raises ValueError if ``check`` does, or if all uploads take too much memory.
    """
    mine = uploads.of(visitor())
    mine[digest] = content
    mine.move_to_end(digest)
    try:
        check_memory()
        check()
    except ValueError:
        del mine[digest]
        raise
    while len(mine) > most:
        mine.popitem(last=False)


def text_of_upload(name, content):
    """Return the text of an uploaded file; ValueError if it is not UTF-8."""
    return decode(content, name, fault="{source} is no text in UTF-8", remedy="save it as such, and choose it again")


def draw_text_uploader(place, state, label):
    """Draw an uploader for a text file, an alternative to pasted text, for ``file_or_pasted``."""
    draw_uploader(
        place,
        label,
        "txt",
        1,
        key=state.key("own.file"),
        help="Used instead of the pasted text.",
    )


def draw_take_button(place, state, label, take):
    """Draw a button that calls ``take(state)`` and shows the message of its ValueError below."""
    place.button(label, on_click=_take_upload, args=(state, take), key=state.key("own.take"), icon=":material/check:")
    refused = st.session_state.pop(state.key("own.refused"), None)
    if refused:
        st.error(sentence(refused), icon=":material/error:")


def _take_upload(state, take):
    try:
        take(state)
    except ValueError as error:
        st.session_state[state.key("own.refused")] = str(error)


def file_or_pasted(page, name):
    """Return the text in the file of the page's uploader ``own.file``, else the text pasted into its area ``name``."""
    file = st.session_state.get(page.key("own.file"))
    return st.session_state.get(page.key(name), "") if file is None else text_of_upload(file.name, file.getvalue())


def _leave(name):
    for store in _STORES:
        store.leave(name)


VISITORS.on_gone.append(_leave)
