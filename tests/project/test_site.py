"""The sources of the documentation's site: links between documents, the gallery's links, the citation."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import rcmviz
from pages.lessons.opening import open_link

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("models/*.md"), *ROOT.glob("results/*.md")])
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
GALLERY = runpy.run_path(str(ROOT / "scripts" / "docs" / "views.py"))


def test_links_between_documents_lead_somewhere():
    links = {path: LINK.findall(CODE.sub("", path.read_text(encoding="utf-8"))) for path in DOCUMENTS}
    assert sum(map(len, links.values())) > 50
    lost = [(path.name, to) for path, found in links.items() for to in found if not (path.parent / to).exists()]
    assert lost == []


@pytest.mark.parametrize("link", [view[-1] for view in (*GALLERY["VIEWS"], *GALLERY["ELSEWHERE"])])
def test_a_link_of_the_gallery_is_read_without_a_complaint(link):
    page, _, query = link.partition("?")
    assert open_link(page, dict(part.split("=") for part in query.replace("+", " ").split("&") if part)).notices == ()


def test_the_citation_names_this_version():
    assert f"version: {rcmviz.__version__}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_site_is_built_without_a_warning_or_a_broken_link(tmp_path):
    """``make docs`` builds it without warnings; views and lessons are left out here."""
    command = [sys.executable, str(ROOT / "scripts/docs/build.py"), str(tmp_path / "docs"), "--check"]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert int(ran.stdout.split()[0]) > 100, "pages"
