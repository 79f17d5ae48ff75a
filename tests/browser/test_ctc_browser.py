"""CTC in a browser: the first view, another method, a frame in the link, light and dark."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

from support.browser import chromium, faults, page_of, settled, show, wait_for_link  # noqa: F401
from support.seen_texts import TEXTS

VIEW = ".rv-ctc[data-ready=true]"


def test_frames_are_read_stepped_and_read_by_a_beam(show):
    page = show("ctc", VIEW, width=1280, height=800)
    assert page.locator(".rv-gold-line").inner_text() == "★ right"
    strip = page.locator(".rv-ctc-strip").bounding_box()
    assert strip["y"] < 500  # the output is visible without scrolling
    begun = page.locator(VIEW).get_attribute("data-position")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(f"{VIEW}:not([data-position='{begun}'])")
    at = page.locator(VIEW).get_attribute("data-position")
    wait_for_link(page, pos=at)
    page.get_by_role("button", name="A beam of 5", exact=True).click()
    wait_for_link(page, method="beam", pos=at)  # the frame stays
    lost = page.locator(".rv-gold-line button")
    lost.click()
    page.wait_for_selector(f'{VIEW}[data-position="{lost.inner_text().removeprefix("lost at frame ")}"]')
    assert faults(page) == []
    page.get_by_text("Your own frames", exact=True).first.click()
    page.get_by_text("Upload frames: npz, npy or CSV").wait_for()
    settled(page, "[data-testid=stFileUploader]")


def test_a_tab_shows_where_a_beam_loses_the_right_output(show):
    flow = ".rv-flow[data-ready=true]"
    page = show("ctc?frames=flow&pos=40&phase=settle", f'{flow}[data-position="40"]', reduced_motion="reduce")
    assert "i_know_that_he_i, is dropped by Beam 5" in page.locator(".rv-flow-aside").inner_text()
    smallest, covered = page.evaluate(TEXTS)
    assert smallest >= 14 and covered == []
    page.keyboard.press("End")
    page.wait_for_selector(f'{flow}[data-position="56"]')
    wait_for_link(page, pos=56, frames="flow")
    poster = page.locator(".rv-flow-poster").inner_text()
    assert "96 % sure: wrong" in poster and "13 % sure: right" in poster
    assert faults(page) == []
