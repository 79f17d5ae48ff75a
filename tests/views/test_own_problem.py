"""Problems of users in the player: tokens, notes, labels too long for their place."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import os

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.views import Run, build_payload
from rcmviz.views.shared.assets import FOLDER
from rcmviz.views.shared.bundle import bundle
from support.browser import chromium, faults, page_of, saved  # noqa: F401
from support.exported import player_page
from support.toy_runs import runs_of

KINDS = "northern", "southern", "north-western"
LONG = tuple(f"B-geographical-entity-{kind}-hemisphere{end}" for kind in KINDS for end in ("", "-of-the-earth"))
TOKENS = ["the", "<b>", "a-word-that-is-much-too-long-for-its-cell", ""]


def problem():
    """Four positions, long labels, tokens and a note on the second."""
    rng = np.random.default_rng(3)
    model = rv.NgramModel.from_windows(LONG, 2, {(a, b, a): 1.5 for a in LONG for b in LONG if a < b})
    return rv.Problem(model, rng.normal(size=(4, len(LONG))), LONG[:4], tokens=tuple(TOKENS), notes={2: "<i> here"})


def html_of(shown, methods=("rcms",)):
    runs = [Run(f"{method} 3", *shown.run(method, 3)) for method in methods]
    return player_page(runs, gold=shown.gold, tokens=shown.tokens, notes=shown.notes, title="<mine>")


def test_tokens_and_notes_are_sent_as_they_are():
    payload = build_payload("abcdea", runs_of(), tokens=list("uvwxyz"), notes={6: "end", 2: "here"})
    assert payload["tokens"] == list("uvwxyz")
    assert payload["notes"] == {"2": "here", "6": "end"}
    without = build_payload("abcdea", runs_of())
    assert without["tokens"] is None and without["notes"] is None
    assert without["subject"] != payload["subject"]


def test_tokens_and_notes_that_do_not_fit():
    with pytest.raises(ValueError, match="5 tokens for 6 positions"):
        build_payload("abcdea", runs_of(), tokens=list("uvwxy"))
    with pytest.raises(ValueError, match="position 7: .* 1 to 6"):
        build_payload("abcdea", runs_of(), notes={7: "?"})


def test_tokens_notes_and_long_names_are_seen_and_whole_names_can_be_pointed_at(saved):
    page = saved(html_of(problem(), ("beam", "rcms")), ".rv-player[data-ready]", reduced_motion="reduce")
    cells = page.locator(".rv-token")
    shown = cells.all_text_contents()
    assert shown[:2] == ["the", "<b>"] and "…" in shown[2] and shown[3] == ""
    assert page.locator(".rv-cell title").nth(2).text_content().startswith(TOKENS[2])
    columns = page.locator(".rv-cell").evaluate_all("""all => all.map(cell => {
        const [name, number] = [".rv-letter", ".rv-value"].map(part => cell.querySelector(part)).map(
            part => part.getBoundingClientRect());
        return number.top >= name.bottom - 4;
    })""")  # a number is not written over the name
    assert len(columns) == 4 and all(columns)
    note = page.locator(".rv-note-text")
    assert "there is one on" in note.inner_text()
    page.get_by_role("button", name="2", exact=True).click()
    page.wait_for_selector('.rv-player[data-position="2"]')
    assert note.inner_text() == "<i> here"
    letters = page.locator(".rv-letter").evaluate_all(
        "nodes => nodes.map(node => [node.textContent, node.parentElement.querySelector('title').textContent])"
    )
    letters = [(short, said.split(": ")[1].split(",")[0]) for short, said in letters]
    names = dict(letters)
    assert set(names.values()) <= set(LONG) and all("…" in short for short in names)
    assert len({whole for _, whole in letters}) == len(names)  # shortened labels are distinct
    assert faults(page, [("light", 1280)]) == []  # as it was opened


def test_short_names_are_never_alike_and_fit(page_of, tmp_path):
    """Random labels of few letters, which share beginnings and ends."""
    rng, cases = np.random.default_rng(8), []
    for _ in range(200):
        words = {"".join(rng.choice(list("ab-"), rng.integers(1, 20))) for _ in range(rng.integers(2, 12))}
        cases.append(sorted(words))
    cases.append(list(LONG))
    (tmp_path / "page.html").write_text("<!doctype html><title>names</title>")
    page = page_of((tmp_path / "page.html").as_uri()).page
    entry = tmp_path / "entry.js"
    names = os.path.relpath(FOLDER / "shared/short_names.js", tmp_path)
    entry.write_text(f'import {{ shortNames }} from "{names}";\n\nexport default shortNames;\n')
    widths = [3, 6, 10, 14, 20, 40]
    found = page.evaluate(
        "async ([source, cases, widths]) => {"
        "const module = await import('data:text/javascript,' + encodeURIComponent(source));"
        "return cases.map(labels => widths.map(width => module.default(labels, width))); }",
        [bundle(entry, "shortNames"), cases, widths],
    )
    for labels, tables in zip(cases, found, strict=True):
        for width, short in zip(widths, tables, strict=True):
            assert len(set(short)) == len(labels), (labels, width)
            for name, cut in zip(labels, short, strict=True):
                assert cut == name if len(name) <= width else len(cut) <= width or "#" in cut
    kinds = dict(zip(LONG, found[-1][widths.index(14)], strict=True))
    assert "nort" in kinds[LONG[0]] and "sout" in kinds[LONG[2]]
