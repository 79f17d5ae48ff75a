"""The view of frames in a browser: steps, keys, merged contexts, light and dark, wide and narrow."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import numpy as np
import pytest

import rcmviz as rv
from support.browser import DRAWN, LOOKS, chromium, page_of, saved  # noqa: F401

FRAMES = np.log(np.random.default_rng(1).dirichlet([0.4] * 4, 12))
LM = rv.train_lm(["a b _ a b", "b b _ a", "a a b"], order=4)


def file_of(**options):
    read = rv.ctc(FRAMES, "ab_", LM, 2)
    return read, rv.export_html(read, **options)


def at(page, position):
    page.wait_for_selector(f'.rv-ctc[data-position="{position}"]')


@pytest.mark.parametrize("scheme, width", LOOKS)
def test_a_file_opens_where_its_link_says_and_fits_the_window(saved, scheme, width):
    read, text = file_of(gold="ab_ab")
    page = saved(text, DRAWN, query="?pos=5", width=width, scheme=scheme)
    at(page, 5)
    assert page.locator(".rv-ctc").get_attribute("data-theme") == scheme
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    words = page.locator(".rv-ctc-word .rv-name").all_inner_texts()
    assert words == [word for word, _, _ in read.words("_")]


def test_steps_by_key_by_click_and_by_word(saved):
    read, text = file_of(position=1)
    page = saved(text, DRAWN)
    page.keyboard.press("ArrowRight")
    at(page, 2)
    page.keyboard.press("End")
    at(page, len(FRAMES))
    assert page.locator(".rv-ctc").get_attribute("data-ahead")
    page.locator(".rv-ctc-word").first.click()
    at(page, read.words("_")[0][1] + 1)
    page.keyboard.press("f")
    page.wait_for_selector(".rv-ctc[data-shares=posterior]")


def test_a_merged_candidate_leads_to_what_carries_it(saved):
    _, text = file_of(position=8)
    page = saved(text, DRAWN)
    row = page.locator(".rv-context-row[data-fate=merged]").first
    carrier = row.locator("button.rv-into").inner_text().removeprefix("→ ")
    row.locator("button.rv-into").click()
    assert page.locator(".rv-carrier .rv-name").inner_text() == carrier


def test_a_link_leads_to_where_the_gold_was_lost(saved):
    read = rv.ctc(FRAMES, "ab_", LM, 1, method="beam")
    gold = next(label for label in "ab_" if label != read.text[0])
    page = saved(rv.export_html(read, gold=gold, position=len(FRAMES)), DRAWN)
    link = page.locator(".rv-gold-line button")
    frame = int(link.inner_text().removeprefix("lost at frame "))
    link.click()
    at(page, frame)
    assert read.frames[0][0] + 1 == frame  # where the beam's only output begins with another label


def test_long_outputs_fit_and_others_are_shown_by_their_difference(saved):
    read = rv.ctc(np.tile(FRAMES, (16, 1)), "ab_", LM, 2)
    assert len(read.text) > 60
    page = saved(rv.export_html(read), DRAWN, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    best, *others = page.locator(".rv-words .rv-word-list .rv-name").all_inner_texts()
    assert best == read.text and others and all("…" in one and len(one) < len(best) for one in others)


def test_contexts_of_a_beam_are_named_by_their_ends(saved):
    read = rv.ctc(np.tile(FRAMES, (4, 1)), "ab_", LM, 4, method="beam")
    page = saved(rv.export_html(read, position=4 * len(FRAMES)), DRAWN)
    kept = page.locator(".rv-context-row[data-fate=kept] .rv-name")
    shown, whole = kept.all_inner_texts(), [one.get_attribute("title") for one in kept.all()]
    assert max(map(len, whole)) > 13 and len(set(shown)) == len(shown)
    assert all(long.endswith(short.removeprefix("…")) for short, long in zip(shown, whole, strict=True))


def test_a_log_that_is_nearly_nothing_has_no_sign(saved):
    read = rv.ctc(FRAMES - 1e-6, "ab_")
    assert -0.005 < read.log_z < 0
    page = saved(rv.export_html(read), DRAWN)
    assert page.locator(".rv-readout", has_text="log Z").locator("dd").inner_text() == "0.00"
