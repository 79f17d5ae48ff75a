"""Every declared page without a browser: it opens, survives nonsense, answers as it is prepared, is drawn
elsewhere, and is imported only on request."""

import contextlib
import json
import subprocess
import sys
from functools import cache

import pytest

from fuzz.page_views import only_short_answers, view
from pages.lessons.drawing import draw_link
from pages.lessons.facts import fact_of, facts_known
from pages.lessons.opening import open_link
from pages.shell import answers, registry
from pages.shell.class_places import opening_of
from pages.shell.facts import points_of
from pages.shell.link import Parameter
from rcmviz.lessons import View
from rcmviz.lessons.expressions import parse_expression
from rcmviz.views.shared import assets
from support.pages import link_of, opened

PAGES = registry.pages()
CHEAP = {"precision": {"words": "50", "runs": "rcms:1"}}  # for pages that open with much to compute
VIEWS, SHORT = 8, 0.2  # per page, with answers of at most SHORT seconds; python -m fuzz.pages opens thousands


@pytest.fixture(params=PAGES)
def page(request):
    return PAGES[request.param]


def test_it_opens_with_its_question_in_the_link(page):
    session = opened(f"{page.name}/page.py")
    assert not session.exception and not session.error and not session.warning
    assert session.title[0].value == page.title
    assert link_of(session) == (page.opens_with or page.default).write()
    assert not session.get("doc_string")  # Streamlit's output of a bare expression


def test_nonsense_in_a_link_costs_a_sentence_and_no_more(page):
    names = {*page.default.names(), *page.default.place_names()} - {*page.default.browser_params}
    session = opened(f"{page.name}/page.py", **dict.fromkeys(names, "\u2603") | CHEAP.get(page.name, {}))
    assert not session.exception
    assert len(session.warning) == 1 and "in the link" in session.warning[0].value


@pytest.mark.parametrize("name", [entry.name for entry in registry.nav_entries()])
def test_the_page_fuzzer_finds_nothing(name):
    """Plausible links and moved widgets, within limits and just outside, produce answers or a message."""
    with only_short_answers(SHORT):
        for seed in range(VIEWS):
            outcome = view(name, seed)
            assert not outcome.faults, outcome


@cache
def computed(name, tab):
    page = PAGES[name]
    return json.loads(json.dumps(answers.compute_payload(page, page.openings()[tab])))


def test_the_prepared_answer_is_the_computed_one(page):
    """If this fails, run scripts/record_openings.py."""
    kept = answers.prepared(page.name)
    if kept is None:
        pytest.skip("nothing is prepared")
    for tab in kept if page.tabs else [""]:
        assert differences(kept[tab] if tab else kept, computed(page.name, tab)) == []


def differences(kept, found, at=""):
    """Yield the places where two payloads differ by more than rounding; an id is a digest of the rest."""
    if isinstance(kept, dict) and isinstance(found, dict) and kept.keys() == found.keys():
        pairs = [(f"{at}.{name}", kept[name], found[name]) for name in kept if name != "id"]
        return [where for place, *pair in pairs for where in differences(*pair, place)]
    if isinstance(kept, list) and isinstance(found, list) and len(kept) == len(found):
        pairs = enumerate(zip(kept, found, strict=True))
        return [where for number, pair in pairs for where in differences(*pair, f"{at}[{number}]")]
    if isinstance(kept, int | float) and isinstance(found, int | float):
        return [] if kept == pytest.approx(found, rel=1e-3, abs=2e-3) else [at]
    return [] if kept == found else [at]


def test_examples_have_answers_and_code_that_compiles(page):
    for example in page.examples:
        payload = answers.payload_of(page, example.question)
        assert "error" not in payload and example.description.endswith(".")
        if page.code:
            compile(payload["code"], page.name, "exec")


def test_fields_that_do_not_apply_ask_for_no_new_answer(page):
    for opening in page.openings().values():
        for name, parameter in opening.parameters().items():
            if isinstance(parameter, Parameter) and "options" in parameter.limits and not opening.applies(name):
                others = [opening.changed(**{name: value}) for value in parameter.limits["options"]]
                assert {other.relevant() for other in others} == {opening.relevant()}
        assert opening.relevant().relevant() == opening.relevant()


def test_lessons_exports_and_classes_can_draw_it(page):
    cheap = CHEAP.get(page.name, page.opens_with.write() if page.opens_with else {})
    opened_link = open_link(page.name, cheap)
    drawing = draw_link(opened_link)
    assert registry.view_at(f"/{page.name}") == page.view.name
    assert assets.VIEWS[drawing.view] is page.view and page.view.draw in assets.script(drawing.view)
    assert opening_of(f"/{page.name}?nothing=1") is None
    assert all(any(names) for names in points_of(page.name, opened_link.view, opened_link.opening).values())
    for name, meaning in facts_known(page.name).items():
        assert meaning.endswith(".")
        if name.startswith("view.") and "(" not in name:
            (asked,) = parse_expression(name).facts
            with contextlib.suppress(ValueError):  # a fact of another tab
                fact_of(View(page.name, cheap), asked)


def test_the_navigation_imports_no_page():
    code = (
        "import sys; from pages.shell.registry import nav_entries; entries = nav_entries(); "
        "print(len(entries), [name for name in sys.modules if name.startswith('pages.') and name.endswith('.page')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found.split() == [str(len(registry.nav_entries())), "[]"]
