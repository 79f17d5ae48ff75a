"""What people uploaded, kept by this process for links that name it: the latest few of each visitor.

Nobody sees what another one uploaded, though a link names it, and nobody's uploads make another one's go. What a
visitor uploaded goes a minute after the visitor (``visitors.py``).
"""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.shell.text import sentence
from pages.shell.visitors import VISITORS, visitor
from rcmviz.core.shared.text_file import decode
from rcmviz.jobs.bench import bytes_held
from rcmviz.jobs.memory import SHELF, max_memory

_STORES: list[Any] = []


class Uploads(Mapping):
    """Contents by digest, the latest last: those of this session's visitor; outside of a session all."""

    def __init__(self, *forgets):
        """``forgets`` empty what was computed from uploads, besides the answers of pages; more may be added."""
        self._of, self.forgets = {}, [SHELF.clear, *forgets]
        _STORES.append(self)

    def of(self, name):
        """The OrderedDict of one visitor."""
        return self._of.setdefault(name, OrderedDict())

    def leave(self, name):
        """A visitor has gone."""
        if self._of.pop(name, None):
            for forget in self.forgets:
                forget()

    @property
    def bytes(self):
        """What all of them hold."""
        return bytes_held(self._of)

    def need(self, digest, gone):
        """A content; ValueError says that it is ``gone`` where this session's visitor has none of that digest."""
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


def keep_latest(uploads, digest, content, most, check=lambda: None):
    """Keep ``content`` as the visitor's latest of ``most`` in ``Uploads``, unless ``check`` raises ValueError.

    ValueError also where all visitors together hold too much.
    """
    mine = uploads.of(visitor())
    mine[digest] = content
    mine.move_to_end(digest)
    try:
        if sum(store.bytes for store in _STORES) > (most_bytes := max_memory() // 4):
            raise ValueError(
                f"the uploads of all who are here take more than {most_bytes // 1_000_000} MB, which is the limit; "
                "try again when somebody has left, or open it on a computer of your own"
            )
        check()
    except ValueError:
        del mine[digest]
        raise
    while len(mine) > most:
        mine.popitem(last=False)


def decoded(name, content):
    """The text of an uploaded file's bytes; ValueError where it is none."""
    return decode(content, name, fault="{source} is no text in UTF-8", remedy="save it as such, and choose it again")


def draw_text_uploader(place, state, label):
    """Where a text file is chosen in place of a pasted text, for ``file_or_pasted``."""
    place.file_uploader(
        label,
        "txt",
        key=state.key("own.file"),
        max_upload_size=1,
        help="It is read on this machine, and used instead of the pasted text.",
    )


def draw_take_button(place, state, label, take):
    """A button that calls ``take(state)``; the reason of its ValueError is shown below."""
    place.button(label, on_click=_take, args=(state, take), key=state.key("own.take"), icon=":material/check:")
    refused = st.session_state.pop(state.key("own.refused"), None)
    if refused:
        st.error(sentence(refused), icon=":material/error:")


def _take(state, take):
    try:
        take(state)
    except ValueError as error:
        st.session_state[state.key("own.refused")] = str(error)


def file_or_pasted(page, name):
    """The text in the file of the page's uploader ``own.file``, else what was pasted into its text area ``name``."""
    file = st.session_state.get(page.key("own.file"))
    return st.session_state.get(page.key(name), "") if file is None else decoded(file.name, file.getvalue())


def _leave(name):
    for store in _STORES:
        store.leave(name)


VISITORS.farewells.append(_leave)
