"""Decipher in a browser: a cryptogram is solved next to a beam, paused, pinned, stepped through, saved."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import json
import re
from functools import partial
from html import unescape

import pytest

from support.browser import STILL, chromium, faults, page_of, query, settled, show, wait_for_link, wait_until_idle  # noqa: F401
from support.explained import unexplained

VIEW = ".rv-decipher[data-ready=true]"
SHORT = "decipher?pace=4&text=own&plain=1&own=The%20cat%20sat%20on%20the%20mat,%20and%20looked%20at%20the%20moon."
PLAIN = "the baker lights his oven at three"


@pytest.fixture
def opened(show):
    """Open a link of Decipher."""
    return partial(show, drawn=VIEW)


def press(page, label):
    """Press a control; its shortcut is part of its name."""
    page.get_by_role("button", name=re.compile(rf"^{label}\b")).first.click()


def state(page, name):
    return page.locator(VIEW).get_attribute(f"data-{name}")


def wait_for_pass(page, least):
    reached = "([view, least]) => Number(document.querySelector(view)?.dataset.pass) >= least"
    page.wait_for_function(reached, arg=[VIEW, least])


def wait_for_the_latest(page):
    page.wait_for_function(
        "view => { const place = document.querySelector(view)?.dataset; return place && place.pass === place.passes; }",
        arg=VIEW,
    )


def readings(page):
    """Return each method's reading of the message."""
    return page.evaluate(
        "() => [...document.querySelectorAll('.rv-message')].map(text => [...text.querySelectorAll('.rv-group')]"
        ".map(group => [...group.children].map(cell => (cell.querySelector('.rv-plain') ?? cell).textContent).join(''))"
        ".join(' '))"
    )


def rings(page):
    """Return the number of key positions that the first mapping shows."""
    return page.locator(".rv-ring").first.get_attribute("d").count("M")


def paused_after(page, least):
    """Start, pause after some passes, wait for the view to settle, and return the number of passes."""
    press(page, "Start")
    wait_for_pass(page, least)
    press(page, "Pause")
    page.get_by_role("button", name=re.compile("^Resume")).wait_for()
    wait_until_idle(page)  # the last passes may still be on their way to the view
    wait_for_the_latest(page)
    return int(state(page, "passes"))


def test_a_cryptogram_is_solved_where_a_beam_fails(opened):
    page = opened("decipher?passes=90")
    assert readings(page)[0].startswith("··· ·····")
    assert rings(page) == 0  # the key is hidden before a guess
    press(page, "Start")
    page.get_by_role("button", name=re.compile("^Help both with swaps")).wait_for()  # EM has ended
    wait_for_pass(page, 40)
    wait_for_the_latest(page)
    assert state(page, "pass") == "40"
    rcms, beam = readings(page)
    assert rcms.startswith(PLAIN) and not beam.startswith(PLAIN)
    press(page, "Help both with swaps")
    page.wait_for_selector('.rv-decipher[data-solved~="rcms"]')
    page.get_by_role("button", name=re.compile("^Resume")).wait_for()
    wait_for_the_latest(page)
    rcms, _ = readings(page)
    assert rcms.startswith(PLAIN)
    assert page.locator(".rv-reading-panel").first.inner_text().count("100 % right") == 1
    page.locator(".rv-scrubber").focus()
    page.keyboard.press("Home")
    for _ in range(14):
        page.keyboard.press("ArrowRight")
    page.wait_for_selector('.rv-decipher[data-pass="15"]')
    _, beam = readings(page)
    assert not beam.startswith(PLAIN)
    assert rings(page) == 23
    wrong = page.locator(".rv-reading-panel").nth(1).locator(".rv-wrong").count()
    assert wrong > 100
    page.get_by_role("button", name="mark mistakes").click()
    page.wait_for_function("() => document.querySelectorAll('.rv-wrong').length === 0")


def test_the_page_opens_on_a_run_that_moves_and_a_pin_in_the_past_branches_there(opened):
    page = opened("decipher", height=800)
    page.wait_for_selector('.rv-decipher[data-recorded][data-pass="40"]')
    right = page.locator(".rv-right").all_inner_texts()
    assert right == ["100 % right", "21.5 % right"]
    seen = "node => { const box = node.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; }"
    assert page.eval_on_selector_all(".rv-transport, .rv-message, svg.rv-matrix", f"nodes => nodes.every({seen})")
    assert set(unexplained(page)) <= {"Z"}  # a symbol
    page.get_by_role("radio", name="Words").click()  # another run, and not longer than it is
    page.wait_for_selector('.rv-decipher[data-recorded][data-passes="12"][data-pass="12"]')
    page.get_by_role("button", name="Open this line in the player").click()
    page.wait_for_url("**/your_example?*problem=*")
    page.get_by_text("Line 1 of the cipher, RCMS 2 after pass 12").wait_for()
    page.go_back()
    page.wait_for_selector('.rv-decipher[data-recorded][data-passes="12"]')
    early = opened("decipher?at=5")
    was = readings(early)
    symbol = early.locator(".rv-sign").nth(3).locator("small").inner_text()
    early.locator(".rv-sign").nth(3).click()
    early.get_by_role("button", name="means e", exact=True).click()
    early.wait_for_selector('.rv-reading-panel[data-old="true"]')
    wait_for_link(early, pins=f"{symbol}-e", since=5)
    early.get_by_role("button", name=re.compile("^Help both with swaps")).wait_for()
    early.locator(".rv-scrubber").focus()
    early.keyboard.press("Home")
    for _ in range(4):
        early.keyboard.press("ArrowRight")
    early.wait_for_selector('.rv-decipher[data-pass="5"]')
    rcms_old, rcms, beam_old, beam = readings(early)
    assert [rcms_old, beam_old] == [rcms, beam] == was  # the same up to there
    early.keyboard.press("ArrowRight")
    early.wait_for_selector('.rv-decipher[data-pass="6"]')
    rcms_old, rcms, *_ = readings(early)
    assert rcms.split()[1].startswith("e") and not rcms_old.split()[1].startswith("e")


def test_pause_scrub_and_a_link_to_a_pass(opened):
    page = opened("decipher?pace=1")  # half a minute is left when it is paused again
    passes = paused_after(page, 5)
    wait_until_idle(page)
    assert int(state(page, "passes")) == passes
    late = readings(page)
    page.locator(".rv-scrubber").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector('.rv-decipher[data-pass="2"][data-follows="false"]')
    early = readings(page)
    assert early != late
    wait_for_link(page, at=2)
    again = opened(page.url.split("/", 3)[3])
    again.wait_for_selector('.rv-decipher[data-pass="2"]')
    assert readings(again) == early
    page.get_by_role("button", name="latest").click()
    page.wait_for_selector('.rv-decipher[data-follows="true"]')
    assert readings(page) == late
    wait_for_link(page, at=None)
    press(page, "Resume")
    wait_for_pass(page, passes + 3)
    page.get_by_text(re.compile(r"^To pass \d+: \d+ s left")).wait_for()
    press(page, "Pause")


def test_passes_that_were_asked_for_are_followed_from_the_bar_too_and_stay_after_a_cancel(opened):
    page = opened("decipher?pace=4&runs=rcms:60")
    passes = paused_after(page, 5)
    page.locator(".rv-scrubber").focus()
    page.keyboard.press("Home")
    page.wait_for_selector('.rv-decipher[data-pass="1"][data-follows="false"]')
    page.keyboard.press("e")
    page.wait_for_selector(f'.rv-decipher[data-pass="{passes + 1}"][data-follows="true"]')
    page.wait_for_selector(STILL)
    late = readings(page)
    press(page, "Cancel")
    page.locator(".rv-status").get_by_text("cancelled").wait_for()
    assert readings(page) == late


def test_a_copied_link_makes_the_latest_pass_again_where_the_run_is_forgotten(opened):
    page = opened("decipher?pace=4&runs=rcms:20&order=2")
    paused_after(page, 5)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="copy link").click()
    page.get_by_text("link copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()").split("/", 3)[3]
    page.get_by_role("button", name="embed").click()
    page.get_by_text("iframe copied").wait_for()
    lines = page.evaluate("navigator.clipboard.readText()")
    assert unescape(lines).startswith(f'<iframe src="{page.url.split("?")[0]}?') and "embed=true" in lines
    again = opened(re.sub("run=[^&]*", "run=forgotten", copied))
    again.wait_for_selector(f'.rv-decipher[data-pass="{state(page, "passes")}"][data-follows="true"]')
    assert readings(again) == readings(page)


def test_a_pin_is_applied_kept_in_the_link_and_freed(opened):
    page = opened("decipher?pace=4&runs=rcms:60,rcms:20")
    passes = paused_after(page, 3)
    page.locator(".rv-sign").nth(3).click()  # b of "the baker"
    symbol = page.locator(".rv-sign").nth(3).locator("small").inner_text()
    page.get_by_role("button", name="means b").click()
    wait_for_link(page, pins=f"{symbol}-b")
    page.wait_for_selector(".rv-sign.rv-pinned")
    assert all(text.split()[1].startswith("b") for text in readings(page))
    assert page.locator(".rv-pin-chips").inner_text() == f"{symbol} = b"
    press(page, "One pass")
    wait_for_pass(page, passes + 1)
    page.wait_for_selector(STILL)
    assert all(text.split()[1].startswith("b") for text in readings(page))
    page.get_by_role("button", name="free it").click()
    wait_for_link(page, pins=None)
    page.wait_for_function("() => !document.querySelector('.rv-pinned')")
    page.locator(".rv-pins select").select_option(label=symbol)
    assert page.locator(".rv-sign.rv-on").count() == 0 or symbol in page.locator(".rv-sign.rv-on").first.inner_text()


def test_words_are_read_and_a_word_pinned(opened):
    page = opened("decipher?kind=words&runs=rcms:10&passes=3")
    press(page, "Start")
    wait_for_pass(page, 3)
    page.get_by_role("button", name=re.compile("^Resume")).wait_for()
    wait_until_idle(page)
    page.locator("svg.rv-matrix").click(position={"x": 60, "y": 75})
    field = page.get_by_label("word", exact=True)
    field.fill("nonsense")
    field.press("Enter")
    page.get_by_text("'nonsense' is not a word of the language model").wait_for()
    field.fill("the")
    page.get_by_role("button", name="set it").click()
    page.locator(".rv-pin-chips").get_by_text("= the").wait_for()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV").click()
    rows = waiting.value.path().read_text().splitlines()
    assert rows[0] == "symbol,count,key,pinned,RCMS 10,RCMS 10 share"
    assert sum(row.split(",")[3] == "1" for row in rows[1:]) == 1


def test_own_text_bad_and_good(opened):
    page = opened("decipher?text=own&runs=rcms:20", drawn=STILL)
    page.get_by_text("The text is empty").wait_for()
    field = page.get_by_label(re.compile("A cryptogram or a plain text"))
    for text, message in [("Ça va? Ça va bien, merci.", "'Ç', character 1"), ("1984, 2001", "0 letters")]:
        field.fill(text)
        field.press("Control+Enter")
        page.get_by_text(re.compile(re.escape(message))).wait_for()
    field.fill("Wkh txlfn eurzq ira mxpsv ryhu wkh odcb grj.")
    field.press("Control+Enter")
    settled(page, VIEW)
    assert page.get_by_role("button", name="mark mistakes").count() == 0  # the key is unknown
    press(page, "One pass")
    wait_for_pass(page, 1)
    assert len(readings(page)) == 1


SENTENCES = "\n".join(f"{who} saw {what} {k % 7}" for k, (who, what) in enumerate([("she", "it"), ("he", "them")] * 7))


def test_plain_sentences_come_from_a_file(opened):
    page = opened("decipher?kind=words&sentences=own&runs=rcms:5", drawn=STILL)
    contents = {b"\xff\xfe\x00": "is no text in UTF-8", SENTENCES.encode(): "plain ones train the language model"}
    for content, message in contents.items():
        file = {"name": "mine.txt", "mimeType": "text/plain", "buffer": content}
        with page.expect_response(lambda answer: "upload_file" in answer.url and answer.request.method == "PUT"):
            page.locator("input[type=file]").set_input_files(file)
        wait_until_idle(page)  # until the page has been run with it
        page.get_by_role("button", name="Take these").click()
        page.get_by_text(re.compile(message)).wait_for()


def test_the_saved_page_plays_offline(opened, page_of, tmp_path):
    page = opened("decipher?runs=rcms:20&passes=6&order=2")
    press(page, "Start")
    wait_for_pass(page, 6)
    page.get_by_role("button", name=re.compile("^Resume")).wait_for()
    wait_until_idle(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save as HTML").click()
    file = tmp_path / "decipher.html"
    waiting.value.save_as(file)
    watched = page_of(file.as_uri())
    saved = watched.page
    saved.wait_for_selector('.rv-decipher[data-pass="6"]')
    assert readings(saved) == readings(page)
    saved.locator(".rv-scrubber").focus()
    saved.keyboard.press("ArrowLeft")
    saved.wait_for_selector('.rv-decipher[data-pass="5"]')
    assert saved.get_by_role("button", name=re.compile("^means ")).count() == 0
    with saved.expect_download() as waiting:
        saved.get_by_role("button", name="JSON").click()
    assert len(json.loads(waiting.value.path().read_text())["methods"][0]["passes"]) == 6
    assert watched.errors == []
    assert watched.foreign_requests(file.as_uri()) == []


def test_axe_and_a_telephone(opened):
    page = opened(SHORT, reduced_motion="reduce")
    assert faults(page) == []
    paused_after(page, 4)
    page.locator(".rv-sign").nth(3).click()
    assert faults(page) == []


def test_home_leads_here(show):
    page = show("")
    page.locator('a[href*="decipher?"]').click()
    page.wait_for_selector(VIEW)
    assert query(page)["kind"] == "letters"
