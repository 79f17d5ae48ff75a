"""Words that explain themselves: one source, the glossary begins with its sentences, and the tip in a browser."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import os
import re
from pathlib import Path

import pytest

from rcmviz import lessons
from rcmviz.views.shared import words
from rcmviz.views.shared.assets import FOLDER
from rcmviz.views.shared.bundle import bundle
from support.browser import chromium, faults, page_of, saved  # noqa: F401
from support.explained import unexplained
from support.exported import player_page
from support.toy_runs import runs_of

ENTRY = re.compile(r"^- (?=\*\*)((?:[^–]|\n)+?) – ((?:.+\n?)(?:  .+\n?)*)", re.MULTILINE)
DRAWN = ".rv-player[data-ready=true]"


def entries():
    """Return {word: its entry in docs/glossary.md}, as plain text on one line."""
    text = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text(encoding="utf-8")
    found = {}
    for names, explanation in ENTRY.findall(text):
        plain = re.sub(r"\s+", " ", explanation).replace("`", "").replace("**", "")
        for name in re.findall(r"\*\*(.+?)\*\*", names):
            found.setdefault(name, re.sub(r"(?<!\S)\*([^*\s][^*]*?)\*(?!\w)", r"\1", plain))
    return found


@pytest.mark.parametrize("word", words.glossary())
def test_the_glossary_begins_with_the_sentence(word):
    assert entries()[word].startswith(words.glossary()[word])


def test_sentences_are_single_and_short():
    for word, sentence in words.glossary().items():
        assert sentence.endswith(".") and sentence[:1] == sentence[:1].strip(), word
        assert len(sentence) <= 110 and ". " not in sentence, word


SCRIPT = """
import { worded } from "%s/shared/words.js";
window.linked = (texts) => texts.map((text) =>
  worded(text).filter((node) => node instanceof Element).map((node) => node.dataset.explains));
export default window.linked;
"""
MEANT = {
    "lost at position 5": ["lost"],
    "Lost": ["lost"],
    "What is lost there": [],
    "The key is lost.": [],
    "fold 1 is the test": ["fold"],
    "Fold the ring completely.": [],
    "Exact": ["exact"],
    "■ Exact": ["exact"],
    "by exact inference": ["exact"],
    "above the exact value": [],
    "The gold is lost there.": ["lost"],
}


def test_a_word_of_everyday_language_is_a_term_only_in_its_phrases(page_of, tmp_path):
    entry = tmp_path / "entry.js"
    entry.write_text(SCRIPT % os.path.relpath(FOLDER, tmp_path), encoding="utf-8")
    page = page_of("about:blank").page
    page.add_script_tag(type="module", content=bundle(entry, "linked_words"))
    page.wait_for_function("() => window.linked !== undefined")
    found = page.evaluate("texts => window.linked(texts)", list(MEANT))
    ambiguous = {"lost", "fold", "exact"}
    assert [[word for word in one if word in ambiguous] for one in found] == list(MEANT.values())
    texts = [sentence for lesson in lessons.course() for step in lesson.steps for sentence, _ in step.text.sentences]
    linked = {word for found in page.evaluate("texts => window.linked(texts)", texts) for word in found}
    assert "mass" in linked and not linked & {"lost", "fold"}


def test_words_explain_themselves_on_hover_focus_and_tap(saved):
    page = saved(player_page(runs_of(), gold="abcdea", title="word"), DRAWN)
    tip = page.locator(".rv-tip")
    page.locator('.rv-panel-title [data-explains="context"]').first.hover()
    tip.wait_for(state="visible")
    assert words.glossary()["context"] in tip.inner_text()
    assert tip.locator("svg").count() == 1
    page.mouse.move(2, 2)
    tip.wait_for(state="hidden")
    word = page.locator('.rv-readout [data-explains="entropy"]')
    word.focus()
    tip.wait_for(state="visible")
    assert word.get_attribute("aria-describedby") == tip.get_attribute("id")
    assert words.glossary()["entropy"] in tip.inner_text()
    page.keyboard.press("Escape")
    tip.wait_for(state="hidden")
    page.locator('.rv-gutter[data-explains="gold"]').click()
    tip.wait_for(state="visible")
    assert words.glossary()["gold"] in tip.inner_text()
    page.keyboard.press("Escape")
    tip.wait_for(state="hidden")
    page.keyboard.press("ArrowRight")  # a step changes headings: their words stay explained
    page.wait_for_selector('.rv-player[data-position="2"]')
    assert unexplained(page) == []
    named = page.eval_on_selector_all("[data-explains]", "nodes => nodes.map(node => node.dataset.explains)")
    first_screen = {"context", "candidate", "rank", "entropy", "log Z so far", "root", "mass", "confidence", "gold"}
    assert first_screen | {"decoded", "posterior mass", "kept", "merged", "label"} <= set(named)
    assert not faults(page)
