"""What the document of a page names ahead: scripts that are there, each once, on pages with a player only."""

import re
from pathlib import Path

import pytest

from pages.shared import ahead
from rcmviz.classroom.scripts import file_of

SCRIPTS = Path(ahead.STATIC) / "static" / "js"


def test_all_that_the_widgets_import_is_named_once():
    files = ahead.streamlit_files()
    document = (ahead.STATIC / "index.html").read_text()
    assert len(set(files)) == len(files) and not any(name in document for name in files)
    for name in files:
        imported = re.findall(r'"\./([\w.-]+\.js)"', (SCRIPTS / name).read_text().split(";", 1)[0])
        assert all(one in files or one in document for one in imported)
    for widget in ahead.WIDGETS:
        assert any(name.startswith(f"{widget}.") for name in files), f"{widget}: Streamlit has another name for it"


@pytest.mark.parametrize("page", ["step", "compare", "your_example", "learn", "", "nobody"])
def test_pages_with_a_player_name_its_script(page):
    named = ahead.ahead_of(page)
    if page not in ahead.PLAYERS:
        assert named is None
    else:
        assert f"/{file_of('player')}>; rel=modulepreload" in named
        assert len(named) < 6_000  # servers before ours take headers of 8 kB
