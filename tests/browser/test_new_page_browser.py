"""The page of docs/example_page in a browser: its view is in its folder, and Streamlit loads it from a blob."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import shutil

import pytest

from conftest import ROOT, Server
from support.browser import chromium, page_of, settled  # noqa: F401

LAUNCHER = """
from importlib.util import module_from_spec, spec_from_file_location

import pages

pages.__path__.append({folder!r})
spec = spec_from_file_location("launcher", {app!r})
launcher = module_from_spec(spec)
spec.loader.exec_module(launcher)
app = launcher.app
"""


@pytest.fixture
def address(tmp_path):
    """The application with that page in one more folder of pages, preloading its view."""
    shutil.copytree(ROOT / "docs" / "example_page" / "letters", tmp_path / "pages" / "letters")
    declared = tmp_path / "pages" / "letters" / "__init__.py"
    declared.write_text(
        declared.read_text(encoding="utf-8").replace('card="Read', 'view="letters", card="Read'), encoding="utf-8"
    )
    shutil.copytree(ROOT / ".streamlit", tmp_path / "launcher" / ".streamlit")
    launcher = tmp_path / "launcher" / "app.py"
    launcher.write_text(LAUNCHER.format(folder=str(tmp_path / "pages"), app=str(ROOT / "app.py")), encoding="utf-8")
    running = Server(tmp_path, launcher=launcher)
    yield running.address
    running.stop()


def test_it_is_drawn(page_of, address):
    page = page_of(f"{address}/letters?word=cat").page
    settled(page, ".rv-letters[data-ready=true]")
    assert page.locator(".rv-letters section").first.inner_text().startswith("c")
