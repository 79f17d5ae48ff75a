"""The page of docs/example_page works after copying its folder, as docs/contributing.md says."""

import shutil
import sys
from pathlib import Path

import pytest

import pages as package
from pages.lessons.drawing import draw_link
from pages.lessons.opening import open_link
from pages.shell import answers, registry
from pages.shell.class_places import opening_of
from rcmviz.views.shared import assets
from rcmviz.views.shared.export import page as html_page
from support.pages import answers_of, link_of, opened

LETTERS = Path(__file__).parents[2] / "docs" / "example_page" / "letters"
CACHES = registry.nav_entries, registry.entry_named, registry.names, registry.page_named, answers.prepared


@pytest.fixture
def page(tmp_path, monkeypatch):
    """The application with that page in one more folder of pages."""
    shutil.copytree(LETTERS, tmp_path / "letters")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    monkeypatch.setattr(assets, "VIEWS", assets.VIEWS.copy())
    forget()
    yield registry.page_named("letters")
    monkeypatch.undo()
    forget()


def forget():
    for cache in CACHES:
        cache.cache_clear()
    for name in [name for name in sys.modules if name.startswith("pages.letters")]:
        del sys.modules[name]


def test_a_folder_is_a_page(page):
    entry = registry.entry_named("letters")
    assert entry in registry.nav_entries() and entry.group == "Applications"
    session = opened("letters/page.py", word="cat", budget="3")
    assert not session.exception and not session.error and not session.warning
    assert session.title[0].value == page.title
    session.number_input(key="letters.budget").set_value(4).run()
    assert link_of(session) == {"word": "cat", "budget": "4"}
    session.text_input(key="letters.word").set_value("naïve").run()
    assert not session.exception
    home = opened("home/page.py")
    assert entry.card in [button.label for button in home.button]


def test_its_view_is_drawn_by_a_script_of_its_own_folder(page):
    payload = answers_of(page).payload_of(page.question(word="cat"))
    assert [column[0][0] for column in payload["columns"]][:2] == ["c", "a"]
    compile(payload["code"], "letters", "exec")
    text = html_page(payload, page.heading(payload), page.view.name)
    assert "rcmvizLetters" in text and "replaceChildren" in text
    drawing = draw_link(open_link("letters", {"word": "cat"}))
    assert (drawing.view, drawing.payload["title"]) == ("letters", "cat")
    assert opening_of("/letters?word=cat") is None


def test_nonsense_costs_a_sentence(page):
    session = opened("letters/page.py", word="x" * 21, budget="0", zoom="2")
    assert not session.exception
    assert all(part in session.warning[0].value for part in ("word", "from 1 to 500", "zoom"))
