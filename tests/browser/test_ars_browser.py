"""ARS in a browser: rounds compared with the library, playing to the certificate, the keypad, the urn, links."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import csv
import json
import re

import numpy as np
import pytest

from pages.ars.doctor import SAMPLE
from rcmviz.views.ars.payload import build_ars
from rcmviz.views.shared.export import page as html_page
from support import tabs
from support.browser import STILL, chromium, faults, page_of, query, saved, show, wait_for_link  # noqa: F401
from support.toy_ars import decoded, sampled

VIEW = ".rv-ars[data-ready=true]"
LONG_RUN = "ars?mode=sample&n=300&ahead=0"  # more than a thousand trials


# The names of states that a text is written over.
OVER_NAMES = """text => {
    const box = text.getBoundingClientRect();
    const apart = (one) =>
        one.right <= box.left || one.left >= box.right || one.bottom <= box.top || one.top >= box.bottom;
    return [...document.querySelectorAll('.rv-state rect')]
        .filter(name => !apart(name.getBoundingClientRect()))
        .map(name => name.parentElement.textContent);
}"""


@pytest.fixture
def offline(saved):
    """Open a run as a file, offline."""

    def open_run(result, trace, **options):
        payload = build_ars(trace, result, inputs=["<b>&"] * 4, code="import rcmviz as rv\n")
        return saved(html_page(payload, "A <run>", "ars"), VIEW, **options), payload

    return open_run


def go(page, number):
    """Move the slider to a round as a person does, and wait for the picture."""
    page.evaluate(
        """number => new Promise(done => {
        const range = document.querySelector('.rv-ars .rv-scrubber');
        range.value = number;
        range.dispatchEvent(new Event('input', { bubbles: true }));
        requestAnimationFrame(() => requestAnimationFrame(done));
    })""",
        number,
    )
    assert shown_by_view(page, "round") == str(number)


def shown_by_view(page, name):
    return page.locator(VIEW).get_attribute(f"data-{name}")


def contexts_along(lattice, path):
    """The names of the contexts that a path of columns leads through, roots left out."""
    names, c = [], 0
    for y in path:
        c = lattice.target[c, y]
        names.append(" ".join(lattice.context(c)))
    return [name for name in names if name]


def test_the_graph_is_q_as_it_was_and_the_path_goes_through_it(offline):
    best, trace = decoded(11)
    page, _ = offline(best, trace)
    for view in ("all", "path"):
        if shown_by_view(page, "view") != view:
            page.keyboard.press("v")
            page.wait_for_selector(f'{VIEW}[data-view="{view}"]')
        for r in sorted({0, len(trace) // 2, len(trace) - 1}):
            go(page, r + 1)
            lattice = trace.lattice(r)
            assert f": {lattice.C} states" in page.locator(".rv-graph h2").inner_text()
            on_path = page.locator(".rv-state.rv-step text").all_text_contents()
            assert sorted(on_path) == sorted(contexts_along(lattice, trace.path[r]))
            made = page.locator(".rv-state.rv-made text").all_text_contents()
            born = [" ".join(trace.lattice().context(c)) for c in np.flatnonzero(trace.born == r)]
            assert sorted(made) == sorted(born)


def test_the_largest_slack_is_shown_as_it_was(offline):
    best, trace = decoded(11)
    page, payload = offline(best, trace, width=390)
    excess = trace.log_bound - trace.log_prob
    for r in range(len(trace) - 1):
        go(page, r + 1)
        said = page.locator(".rv-detail-text").inner_text().replace("−", "-")
        bound, truth, by = map(float, re.search(r"= (\S+) but .* = (\S+): (\S+) nats too optimistic", said).groups())
        i = int(np.argmax(excess[r]))
        assert (bound, truth, by) == pytest.approx(
            (trace.log_bound[r, i], trace.log_prob[r, i], excess[r, i]), abs=0.006
        )
        assert f"({payload['names'][payload['sequences']['words'][payload['sequences']['of'][r]][i]]}" in said
        assert page.locator(".rv-missing:not([width='0'])").count() == np.count_nonzero(excess[r] > 2e-4)
        if r == 0:  # along the ground
            assert page.locator(".rv-slack").evaluate(OVER_NAMES) == []


def test_it_plays_to_the_certificate(offline):
    best, trace = decoded(11)
    page, _ = offline(best, trace)
    assert "proved optimal at round" in page.locator(".rv-answer").inner_text()
    page.locator("select.rv-speed").select_option("16")
    page.locator("select.rv-speed").blur()
    page.keyboard.press("Home")
    page.wait_for_selector(f'{VIEW}[data-round="1"]')
    page.keyboard.press(" ")
    page.wait_for_selector(f'{VIEW}[data-verdict="proved"]')
    assert shown_by_view(page, "round") == str(best.iterations)
    assert "no sequence can be better" in page.locator(".rv-detail-text").inner_text()
    assert page.locator(".rv-proof").text_content() == f"proved optimal at round {best.iterations}"


def test_the_tally_counts_what_was_accepted_so_far(offline):
    draws, trace = sampled(7, n=80)
    page, payload = offline(draws, trace)
    assert f"from {payload['round']} trials" in page.locator(".rv-answer").inner_text()  # as many as the slider has
    ranked = np.argsort([-p for p in payload["sequences"]["logP"]], kind="stable").tolist()[:24]
    for r in (0, payload["round"] // 2, payload["round"] - 1):
        go(page, r + 1)
        so_far = [payload["sequences"]["of"][s] for s in range(r + 1) if payload["rounds"]["accepted"][s]]
        shown = [row.locator("span.rv-bar-value").first.inner_text() for row in page.locator("button.rv-urn-row").all()]
        assert list(map(int, shown)) == [so_far.count(k) for k in ranked]
        assert f"{len(so_far)} exact samples, {len(set(so_far))} different" in page.locator(".rv-urn h2").inner_text()
        shares = page.locator("[data-position='1'] text.rv-name:visible").all_text_contents()
        firsts = [payload["names"][payload["sequences"]["words"][k][0]] for k in so_far]
        counts = sorted(map(firsts.count, set(firsts)), reverse=True)
        assert [firsts.count(word) for word in shares] == counts[:4]


def test_clicks_lead_to_rounds(offline):
    draws, trace = sampled(7, n=80)
    page, payload = offline(draws, trace)
    page.get_by_role("button", name="rejected", exact=True).click()
    rejected = page.locator(".rv-round-row[data-verdict='rejected']").nth(3)
    number = rejected.get_attribute("data-round")
    rejected.click()
    page.wait_for_selector(f'{VIEW}[data-round="{number}"][data-verdict="rejected"]')
    box = page.locator(".rv-charts").bounding_box()
    page.mouse.click(box["x"] + 52, box["y"] + 90)
    page.wait_for_selector(f'{VIEW}[data-round="1"], {VIEW}[data-round="2"]')
    page.locator("button.rv-urn-row").first.click()
    best = int(np.argmax(payload["sequences"]["logP"]))
    first = next(r for r, k in enumerate(payload["sequences"]["of"]) if k == best and payload["rounds"]["accepted"][r])
    page.wait_for_selector(f'{VIEW}[data-round="{first + 1}"]')
    page.keyboard.press("End")
    page.locator(".rv-state:not(.rv-step)").last.click()
    born = page.locator(".rv-caption button")
    if born.count():
        wanted = born.inner_text()
        born.click()
        page.wait_for_selector(f'{VIEW}[data-round="{wanted}"]')


def test_exports(offline, tmp_path):
    best, trace = decoded(11)
    page, payload = offline(best, trace, scheme="dark")
    saved = {}
    for kind in ("CSV", "JSON", "SVG", "PNG"):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind, exact=True).click()
        saved[kind] = tmp_path / kind
        download.value.save_as(saved[kind])
    rows = list(csv.DictReader(saved["CSV"].open(encoding="utf-8")))
    assert [float(row["log q"]) for row in rows] == pytest.approx(trace.log_q, abs=1e-4)
    assert [row["states"] for row in rows] == [str(count) for count in trace.states]
    assert json.loads(saved["JSON"].read_text()) == payload
    picture = saved["SVG"].read_text()
    assert picture.startswith("<svg")
    assert "proved optimal" in picture
    assert "class=" not in picture.replace('class=""', "")
    assert saved["PNG"].read_bytes().startswith(b"\x89PNG")
    page.get_by_role("button", name="show code").click()
    assert "import rcmviz" in page.locator(".rv-code").inner_text()


def answer(page, *words):
    """Wait until the answer is these words."""
    page.wait_for_function(
        """words => [...document.querySelectorAll('.rv-answer-word')].map(word => word.firstChild.textContent).join(' ')
            === words""",
        arg=" ".join(words),
    )


def test_digits_are_typed_and_the_message_is_proved(show):
    page = show("ars?message=843")
    answer(page, "the")
    field = page.get_by_label("message, as digits or as text")
    field.click()
    page.keyboard.press("End")
    page.keyboard.type(" 66639")
    answer(page, "the", "money")
    assert field.evaluate("node => node === document.activeElement"), "the next key must find the field"
    for key in ("space", "3 def", "9 wxyz", "4 ghi", "7 pqrs", "8 tuv"):
        page.get_by_role("button", name=key, exact=True).click()
    wait_for_link(page, message="843 66639 39478")
    answer(page, "the", "money", "exist")
    page.locator(".rv-graph h2").click()  # leave the field: keys still reach the keypad
    page.keyboard.press("Backspace")
    wait_for_link(page, message="843 66639 3947")
    assert page.locator(".rv-verdict").first.inner_text().startswith("✓ proved optimal")
    field.fill("does the money exist?")
    answer(page, "does", "the", "money", "exist", ".")
    assert page.locator(".rv-meant").inner_text() == "★ ?"
    wait_for_link(page, message="does the money exist?")


REFUSED = (
    ("", "The message is empty"),
    ("843 " * 60, "60 words; at most 50"),
    ("8" * 40, "takes 40 keys"),
    ("36+7", "'+' in place 3 is no key"),
)


def test_unreadable_keys_show_an_error_and_the_keypad_stays(show):
    page = show("ars?message=843")
    field = page.get_by_label("message, as digits or as text")
    for message, said in REFUSED:
        field.fill(message)
        page.wait_for_function("said => document.querySelector('.rv-refusal')?.innerText.includes(said)", arg=said)
    field.fill("843")
    answer(page, "the")


def test_playing_sends_no_request_and_the_round_is_in_the_link(show):
    frames = []
    page = show(LONG_RUN, frames=frames)
    assert int(shown_by_view(page, "rounds")) > 300
    frames.clear()
    page.keyboard.press("Home")
    page.evaluate("performance.clearMeasures('rv-step')")
    for _ in range(40):
        page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="rejected", exact=True).click()
    page.locator(".rv-round-row[data-round='20']").click()
    page.get_by_role("button", name="all states").click()
    wait_for_link(page, round="20", view="all")
    assert page.evaluate("performance.getEntriesByName('rv-step').length") > 0  # the time from key to paint
    assert frames == []
    path = page.locator("[data-part=word]").all_text_contents()
    tabs.again(page)
    page.wait_for_selector(f'{VIEW}[data-round="20"][data-view="all"]')
    assert page.locator("[data-part=word]").all_text_contents() == path


def test_back_is_back(show):
    page = show("ars?message=843 66639")
    answer(page, "the", "money")
    page.get_by_role("radio", name="Sample").or_(page.get_by_role("button", name="Sample")).first.click()
    page.wait_for_selector(f'{VIEW}[data-mode="sample"]')
    wait_for_link(page, mode="sample")
    page.go_back()
    page.wait_for_selector(f'{VIEW}[data-mode="decode"]')
    wait_for_link(page, mode=None)
    assert query(page)["message"] == "843 66639"


def test_methods_are_compared(show):
    page = show("ars?tab=compare&message=843 66639 39478&most=15&budget=2", drawn=".rv-race[data-ready=true]")
    cards = {card.get_attribute("data-kind"): card.inner_text() for card in page.locator(".rv-card").all()}
    assert set(cards) == {"ars", "beam", "rcms", "exact"}
    assert "Proved in" in cards["ars"]
    assert "no bound" in cards["rcms"]
    assert "lower bound" in cards["beam"]
    page.get_by_label("Message, as digits or as text").fill("843 66639")
    page.keyboard.press("Enter")
    wait_for_link(page, message="843 66639", tab="compare", budget="2")


def test_a_sentence_is_tagged(show):
    page = show("ars?tab=tagging&sentence=The dog barks .&n=100")
    assert page.locator(".rv-answer-word small").all_inner_texts()[:2] == ["DT", "NN"]
    assert page.locator(".rv-answer-word").count() == 4
    assert page.locator("[data-position='1'] text.rv-name:visible").first.text_content() == "DT"
    assert page.locator(".rv-keypad").count() == 0


def test_an_upload_is_examined_and_one_that_is_too_large_is_never_sent(show, tmp_path):
    page = show("ars?tab=doctor", drawn=".rv-findings")
    sent = []
    page.on("request", lambda request: sent.append(request.url) if "upload_file" in request.url else None)
    with (tmp_path / "huge.arpa").open("wb") as file:
        file.truncate(2_000_000_000)
    page.locator("input[type=file]").set_input_files(tmp_path / "huge.arpa")
    page.get_by_text("must be 50.0MB or smaller").wait_for()
    assert sent == []
    (tmp_path / "six.arpa").write_text("said before\n" * 500_000 + SAMPLE, encoding="utf-8")
    page.locator("input[type=file]").set_input_files(tmp_path / "six.arpa")
    page.get_by_text("six.arpa · 6.0 MB").wait_for()
    assert len(sent) == 1


SEEN = (
    ("ars?mode=sample&n=50&round=20", VIEW, "light", 1280),
    ("ars", VIEW, "dark", 390),
    ("ars?tab=tagging&n=50&view=path", VIEW, "dark", 1280),
    ("ars?tab=compare&message=843 66639", ".rv-race[data-ready=true]", "light", 390),
    ("ars?tab=doctor", ".rv-findings", "dark", 1280),
)


@pytest.mark.parametrize(("link", "drawn", "scheme", "width"), SEEN)
def test_axe_finds_nothing_serious_and_nothing_is_too_wide(show, link, drawn, scheme, width):
    page = show(link, drawn=drawn, scheme=scheme, width=width, reduced_motion="reduce")
    assert faults(page, [(scheme, width)]) == []
