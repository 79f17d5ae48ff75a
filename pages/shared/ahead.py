"""What a page will need, named in the headers of its document: a browser fetches it while Streamlit's script begins.

Streamlit's script loads each widget when it first has one to show, and what that imports after it: three times back and
forth, until then nobody sees the player.
"""

import re
from functools import cache
from pathlib import Path

import streamlit
from starlette.middleware import Middleware

from rcmviz.classroom.page_headers import OnPages
from rcmviz.classroom.scripts import FOLDER, file_of

STATIC = Path(streamlit.__file__).parent / "static"
WIDGETS = ("BidiComponent", "Html", "ButtonGroup", "TextInput", "NumberInput", "Button", "Selectbox")
PLAYERS = ("step", "compare", "your_example")
_IMPORTED = re.compile(r'\b(?:from|import)\s*"\./([\w.-]+\.js)"')


@cache
def streamlit_files():
    """The scripts of ``WIDGETS`` and all that they import, but for what Streamlit's document names; none if unknown."""
    folder, page = STATIC / "static" / "js", STATIC / "index.html"
    known = set(re.findall(r"[\w.-]+\.js", page.read_text(encoding="utf-8"))) if page.exists() else set()
    found, todo = [], [file.name for name in WIDGETS for file in folder.glob(f"{name}.*.js")]
    while todo:
        name = todo.pop(0)
        if name not in known and (folder / name).exists():
            known.add(name)
            found.append(name)
            todo += _IMPORTED.findall((folder / name).read_text(encoding="utf-8"))
    return tuple(found)


@cache
def ahead_of(page):
    """The header of the document of a page with a player, None of others; addresses are beside the document's."""
    if page not in PLAYERS:
        return None
    files = [f"{FOLDER}/{file_of('player')}", *(f"static/js/{name}" for name in streamlit_files())]
    return ", ".join(f"<./{file}>; rel=modulepreload; crossorigin" for file in files)


class _Ahead(OnPages):
    def add_to(self, headers, scope):
        names = ahead_of(scope["path"].rpartition("/")[2])
        if names:
            headers.append("link", names)


def at_once():
    """What Streamlit's ``App`` takes as middleware."""
    return [Middleware(_Ahead)]
