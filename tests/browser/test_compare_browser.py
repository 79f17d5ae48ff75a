"""Compare in a browser: its first screen, what-if edits of one method, before and after, gradual reveal."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import pytest

from support.browser import chromium, faults, page_of, query, settled, show, wait_for_link, wait_for_strips  # noqa: F401

HEIGHT = 800
BOTTOMS = """() => [".rv-flow-frame", ".rv-flow-timeline", ".rv-flow-controls"]
    .map(part => Math.max(...[...document.querySelectorAll(part)].map(node => node.getBoundingClientRect().bottom)))"""
SMALLEST = """() => Math.min(...[...document.querySelectorAll(".rv-flow *")]
    .filter(node => node.checkVisibility() && [...node.childNodes].some(one => one.nodeType === 3 && one.data.trim()))
    .map(node => parseFloat(getComputedStyle(node).fontSize)))"""


@pytest.mark.parametrize("at", ["pos=5&phase=grow", "pos=5&phase=cut&edits=f7:=x", "pos=8&phase=settle"])
@pytest.mark.parametrize("page_name, methods", [("compare", "runs=beam:4,rcms:4,repaired:4"), ("step", "method=beam")])
def test_the_whole_picture_is_in_sight(show, page_name, methods, at):
    link = f"{page_name}?word=consider&seed=15&{methods}&budget=4&{at}".replace("&budget=4&", "&", methods[0] == "r")
    page = show(link, width=1280, height=HEIGHT, reduced_motion="reduce")
    bottoms = page.evaluate(BOTTOMS)
    assert bottoms == sorted(bottoms) and bottoms[-1] <= HEIGHT
    assert page.evaluate(SMALLEST) >= 14
    assert page.locator(".rv-tools:visible").count() == 1 and page.locator(".rv-transport:visible").count() == 0
    assert not page.locator(".rv-fold").is_visible()


def test_a_phone_begins_with_the_picture(show):
    page = show("compare?word=consider&seed=15&runs=beam:4,rcms:4&pos=8&phase=settle", reduced_motion="reduce")
    assert faults(page, (("dark", 1280), ("light", 390))) == []
    page.set_viewport_size({"width": 390, "height": 844})
    method = page.get_by_role("combobox", name="Method 1")  # the settings are folded
    assert page.locator(".rv-flow").bounding_box()["y"] < 844 / 2
    assert not method.is_visible()
    page.locator(".rv-fold > summary").click()
    method.wait_for()


def test_a_name_is_pinned_in_the_picture_and_the_earlier_run_stays_as_an_outline(show):
    page = show("compare?word=consider&seed=15&runs=beam:4,rcms:4&pos=5&phase=cut", reduced_motion="reduce")
    wait_for_strips(page)
    page.locator(".rv-flow-label[aria-label^='consi:']:visible").first.click()
    page.locator(".rv-flow-menu > button", has_text="pin consi").click()
    wait_for_link(page, edits="p5:consi", pos=5, phase="cut")
    settled(page)
    change = page.locator(".rv-flow-change")
    change.get_by_text("Pin context “consi” at position 5").wait_for()
    said = change.inner_text()
    assert "Beam 4 reads consider instead of careless" in said and "% lost" in said and "RCMS 4 still reads" in said
    page.reload()  # Python sends the earlier run
    change.get_by_text("Pin context “consi” at position 5").wait_for()
    assert change.inner_text() == said
    settled(page)
    assert page.locator(".rv-flow-sentence").inner_text()
    assert page.locator(".rv-flow-frame .rv-flow-earlier").count() >= 2
    assert page.locator(".rv-flow-timeline .rv-flow-earlier path").count() == 2
    assert faults(page, (("light", 1280), ("dark", 390))) == []
    change.get_by_role("button", name="undo").click()
    wait_for_link(page, edits=None, pos=5)
    settled(page)
    change.wait_for(state="hidden")
    assert page.locator(".rv-flow-earlier").count() == 0


def test_shares_in_the_end_stay_in_the_link(show):
    page = show("compare?word=consider&seed=15&runs=beam:4,rcms:4&pos=5&phase=cut", reduced_motion="reduce")
    wait_for_strips(page)
    page.keyboard.press("x")
    wait_for_link(page, share="end", pos=5)
    page.keyboard.press("Shift+ArrowLeft")
    wait_for_link(page, share="end", pos=4)
    page.get_by_label("Word", exact=True).fill("cat")
    page.keyboard.press("Enter")
    wait_for_link(page, share="end", word="cat")  # the page was run again
    settled(page)
    page.wait_for_selector(".rv-flow[data-shares=end]")
    page.get_by_role("button", name="share in the end").click()
    wait_for_link(page, share=None)


WATCH = """() => {
    window.spared = new Set();
    const see = changes => changes.forEach(({ target }) => target.matches(".rv-out-of-sight") && spared.add(target));
    const player = document.querySelector(".rv-flow-details .rv-player");
    new MutationObserver(see).observe(player, { subtree: true, attributes: true });
}"""

AT_REST = """() => ![...spared].some(row => row.matches(".rv-out-of-sight"))
    && [...document.querySelectorAll(".rv-scroll")].every(frame => [...spared].some(row => frame.contains(row)))"""

SPARED = """frame => [...frame.querySelectorAll(".rv-row")].filter(row => row.checkVisibility()).map(row => {
    const [box, { bottom }] = [row.getBoundingClientRect(), frame.getBoundingClientRect()];
    return [spared.has(row), box.top < Math.min(bottom, innerHeight)];
})"""


def test_a_step_lays_out_what_is_in_sight_and_all_is_there_at_rest(show):
    page = show("step?word=consideration&seed=1&budget=50&pos=4", width=1280, height=900, reduced_motion="reduce")
    page.keyboard.press("d")
    page.wait_for_selector(".rv-flow-details .rv-player[data-ready=true]")
    page.evaluate(WATCH)
    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_function(AT_REST)  # a frame may be written after another one has come to rest
    for frame in page.locator(".rv-scroll").all():
        spared, in_sight = zip(*frame.evaluate(SPARED), strict=True)
        assert any(spared) and not any(map(min, zip(spared, in_sight, strict=True)))


UNSEEN = "() => document.querySelectorAll('.rv-unseen').length === 5"


def test_an_edit_of_one_method_keeps_what_is_revealed(show):
    page = show("compare?word=exactly&seed=14&pos=2&runs=rcms:5,rcms:5&reveal=1", width=1280, height=HEIGHT)
    page.wait_for_function(UNSEEN)
    assert query(page)["reveal"] == "1"
    wait_for_strips(page)
    page.locator(".rv-player .rv-segment", has_text="○ only").click()
    page.get_by_role("button", name="letter ≠ x").click()
    wait_for_link(page, edits="2f2:=x", pos=2, reveal=1)
    settled(page)
    heads = page.locator(".rv-ranks .rv-panel-title").all_text_contents()
    assert [" ✎ 1" in head for head in heads] == [False, True]
    assert query(page)["reveal"] == "1"
    wait_for_strips(page)
    page.get_by_role("button", name="budget −").click()
    wait_for_link(page, edits="2f2:=x,2b2:4", reveal=1)
    page.wait_for_function(UNSEEN)
    settled(page)
    page.get_by_role("button", name="first difference").click()
    page.wait_for_selector('.rv-player[data-position="1"]')
    wait_for_link(page, pos=1, reveal=1)
