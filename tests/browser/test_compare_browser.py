"""Compare in a real browser: its first screen, what-if for one method, before and after, revealing as one goes."""

# ruff: noqa: F811  (fixtures are imported, then asked for by name)

from support.browser import all_tried, chromium, faults, page_of, query, settled, show, wait_for_link  # noqa: F401

HEIGHT = 800
FOLD = """height => {
    const bottom = selector => [...document.querySelectorAll(selector)].filter(node => node.checkVisibility())
        .map(node => node.getBoundingClientRect().bottom);
    return [bottom(".rv-strip"), bottom(".rv-ranks .rv-budget-line"), scrollY];
}"""

SLOTS = """(frames, height) => frames.map(frame => [...frame.querySelectorAll(".rv-candidate")]
    .filter(row => row.checkVisibility() && row.getBoundingClientRect().bottom <= height + 4
        && row.getBoundingClientRect().bottom <= frame.getBoundingClientRect().bottom).length)"""


def test_the_first_screen_shows_the_decision(show):
    link = "compare?word=consider&seed=15&runs=beam:4,rcms:4,repaired:4&pos=5&node=consi&edits=f7:=x"
    page = show(link, width=1280, height=HEIGHT, reduced_motion="reduce")
    strip, lines, scrolled = page.evaluate(FOLD, HEIGHT)
    assert scrolled == 0
    assert max(strip) < HEIGHT
    assert len(lines) == 3
    assert max(lines) < HEIGHT
    kept = page.locator(".rv-ranks .rv-candidate[data-fate=kept]:visible")
    assert kept.count() == 12
    assert min(page.locator(".rv-ranks .rv-scroll").evaluate_all(SLOTS, HEIGHT)) >= 7, "candidates, and the line"
    assert not page.locator(".rv-fold").is_visible()
    assert faults(page, (("dark", 1280), ("light", 390))) == []
    page.set_viewport_size({"width": 390, "height": 844})
    method = page.get_by_role("combobox", name="Method 1")  # a phone begins with the picture, and folds the settings
    assert page.locator(".rv-strip").bounding_box()["y"] < 844 / 2
    assert not method.is_visible()
    page.locator(".rv-fold > summary").click()
    method.wait_for()


WATCH = """() => {
    window.spared = new Set();
    const see = changes => changes.forEach(({ target }) => target.matches(".rv-out-of-sight") && spared.add(target));
    new MutationObserver(see).observe(document.querySelector(".rv-player"), { subtree: true, attributes: true });
}"""

AT_REST = """() => ![...spared].some(row => row.matches(".rv-out-of-sight"))
    && [...document.querySelectorAll(".rv-scroll")].every(frame => [...spared].some(row => frame.contains(row)))"""

SPARED = """frame => [...frame.querySelectorAll(".rv-row")].filter(row => row.checkVisibility()).map(row => {
    const [box, { bottom }] = [row.getBoundingClientRect(), frame.getBoundingClientRect()];
    return [spared.has(row), box.top < Math.min(bottom, innerHeight)];
})"""


def test_a_step_lays_out_what_is_in_sight_and_all_is_there_at_rest(show):
    page = show("step?word=consideration&seed=1&budget=50&pos=4", width=1280, height=900, reduced_motion="reduce")
    page.evaluate(WATCH)
    page.keyboard.press("ArrowRight")
    page.wait_for_function(AT_REST)  # a frame may be written after another one has come to rest
    for frame in page.locator(".rv-scroll").all():
        spared, in_sight = zip(*frame.evaluate(SPARED), strict=True)
        assert any(spared) and not any(map(min, zip(spared, in_sight, strict=True)))


UNSEEN = "() => document.querySelectorAll('.rv-unseen').length === 5"


def test_before_and_after_and_what_is_revealed(show):
    page = show("step?word=exactly&seed=14&pos=2&method=rcms&budget=5&reveal=1", width=1280, height=HEIGHT)
    page.wait_for_function(UNSEEN)
    assert query(page)["reveal"] == "1"
    all_tried(page)
    page.get_by_role("button", name="letter ≠ x").click()
    wait_for_link(page, edits="f2:=x", reveal=1)
    all_tried(page)
    page.get_by_role("button", name="before | after").click()
    page.wait_for_url("**/compare?**")
    settled(page)
    wait_for_link(page, runs="rcms:5,rcms:5", edits="2f2:=x", pos=2)
    heads = page.locator(".rv-ranks .rv-panel-title").all_text_contents()
    assert [" ✎ 1" in head for head in heads] == [False, True]
    assert query(page)["reveal"] == "1"
    page.locator(".rv-player .rv-segment", has_text="○ only").wait_for()
    all_tried(page)
    page.get_by_role("button", name="budget −").click()
    wait_for_link(page, edits="2f2:=x,2b2:4", reveal=1)
    page.wait_for_function(UNSEEN)
    settled(page)
    page.keyboard.press("d")  # from the first position with other contexts to the first that is read differently
    page.wait_for_selector('.rv-player[data-position="1"]')
    wait_for_link(page, pos=1, reveal=1)
