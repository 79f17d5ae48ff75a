"""A user's problem in a browser: uploaded, viewed, shared, opened again."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import io

import numpy as np

from support import tabs
from support.browser import (  # noqa: F401
    chromium,
    faults,
    page_of,
    query,
    settled,
    show,
    wait_for_link,
)

LABELS = [f"{kind}-of-the-kind-{y:02d}-".ljust(37, "x") + f"-{y:02d}" for y in range(20) for kind in ("noun", "verb")]


def logits():
    """Sixty positions and forty labels of forty characters, with transitions, tokens, a gold and a note."""
    rng, file = np.random.default_rng(0), io.BytesIO()
    assert {len(label) for label in LABELS} == {40} and len(set(LABELS)) == 40
    np.savez(
        file,
        logits=rng.normal(size=(60, 40)),
        transitions=rng.normal(size=(40, 40)),
        labels=np.array(LABELS),
        tokens=np.array([f"word{i}" for i in range(60)]),
        gold=rng.integers(40, size=60),
        notes=np.array(["", "look here"] + [""] * 58),
        title=np.array("Sixty words, forty tags"),
    )
    return file.getvalue()


def test_sixty_positions_with_forty_long_labels_are_uploaded_stepped_through_shared_and_opened_again(show):
    page = show("your_example", reduced_motion="reduce")
    page.get_by_text("Your own: paste").click()
    upload = {"name": "mine.npz", "mimeType": "application/octet-stream", "buffer": logits()}
    page.locator("input[type=file]").first.set_input_files(upload)
    page.get_by_text("Position 1 of 60").wait_for()
    page.get_by_text("Sixty words, forty tags").wait_for()
    page.get_by_text("the address works only on this computer").wait_for()
    settled(page)
    wait_for_link(page, runs="beam:40,rcms:40")  # the budget that the labels suggest
    assert query(page)["problem"].startswith("only-here.")
    assert len(page.url) < 300
    page.keyboard.press("d")
    page.wait_for_selector(".rv-flow-details .rv-player[data-ready=true]")
    letters = page.locator(".rv-letter").evaluate_all("all => all.map(one => [one.firstChild.data, one.textContent])")
    assert len(dict(letters)) == len({whole for _, whole in letters})  # shortened labels are distinct
    page.get_by_role("button", name="2", exact=True).click()
    page.get_by_text("look here").last.wait_for()
    wait_for_link(page, pos=2)
    candidate = page.locator(".rv-ranks .rv-candidate").nth(2)
    candidate.click()
    page.wait_for_selector('.rv-player[data-node]:not([data-node=""])')
    assert faults(page, [("dark", 390)]) == []
    tabs.again(page)
    settled(page)
    page.get_by_text("Position 2 of 60", exact=True).wait_for()
    assert page.get_by_text("Sixty words, forty tags").count() >= 1
