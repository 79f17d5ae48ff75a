"""The panel "Whose fault is it?" in an offline file, and on Compare, where budgets are searched in the background."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import rcmviz as rv
from pages.precision import answer as answers
from pages.precision.methods import model_of
from pages.precision.question import Comparison
from rcmviz.evaluation.blame import blame_answers
from rcmviz.views import Run
from rcmviz.views.word.blame import strip_part
from support.browser import chromium, faults, page_of, query, saved, settled, show, wait_for_link, wait_for_strips  # noqa: F401
from support.exported import player_page
from support.toy_runs import model_and_emissions

PANEL = ".rv-blame"


def exported(budget=1):
    """Beam and RCMS on a word whose gold is the model's best, which the small beam loses; and the strips."""
    model, log_emit = model_and_emissions(length=8, seed=9)
    gold = rv.viterbi(rv.exact(model, log_emit)[0]).labels
    runs, strips = [], []
    for method in ("beam", "rcms"):
        lattice, trace = getattr(rv, method)(model, log_emit, budget)
        runs.append(Run(method, lattice, trace, rv.blame(model, log_emit, lattice, gold)))
        strips.append(rv.budget_strip(model, log_emit, gold, method))
    sent = [strip_part(strip, budget) for strip in strips]
    return player_page(runs, gold=gold, strips=sent), runs, strips


def test_a_file_says_whose_fault_it_is(saved):
    text, runs, strips = exported()
    beam = runs[0].blame
    assert beam.verdict == "search error"
    page = saved(text, ".rv-player[data-ready=true]")
    assert page.get_attribute(PANEL, "data-verdicts") == ",".join(run.blame.verdict for run in runs)
    assert page.get_attribute(PANEL, "data-smallest") == ",".join(str(strip.smallest) for strip in strips)
    drawn = page.locator(f"{PANEL} .rv-blame-run").first.locator(".rv-budget")
    assert [drawn.nth(k).get_attribute("data-verdict") for k in range(drawn.count())] == [
        verdict for *_, verdict, _ in strips[0].stretches()
    ]
    page.locator(f"{PANEL} button.rv-verdict").first.click()
    page.wait_for_selector(f".rv-player[data-position='{beam.position}']")
    assert not page.locator(f"{PANEL} .rv-differences").first.is_visible()
    page.get_by_role("button", name="show the scores").click()
    values = page.locator(f"{PANEL} .rv-differences .rv-cell .rv-value:not(.rv-dim)").all_text_contents()
    shown = [float(value.replace("−", "-")) for value in values[: len(beam.difference)]]
    assert shown == [round(value, 2) + 0.0 for value in beam.difference.tolist()]
    page.locator(f"{PANEL} .rv-differences .rv-cell").first.click()
    page.wait_for_selector(".rv-player[data-position='1'][data-node='']")
    assert faults(page) == []


def test_budgets_are_searched_in_the_background(show):
    """The verdict is immediate, the strip appears later, and a click on a budget runs it without changing the step."""
    page = show("compare?src=pen&word=consider&seed=15&runs=beam:4,rcms:4&pos=3")
    page.keyboard.press("d")
    page.wait_for_selector(f"{PANEL}[data-verdicts='search error,right']")
    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_selector('.rv-player[data-position="4"]')
    page.wait_for_selector(f"{PANEL}[data-smallest] .rv-budget")
    wait_for_strips(page)
    assert page.get_attribute(".rv-player", "data-position") == "4"
    assert page.locator(f"{PANEL} .rv-searching").count() == 0
    page.locator(f"{PANEL} .rv-budget[data-verdict=right]").first.press("Enter")
    page.wait_for_selector(f"{PANEL}[data-verdicts='right,right']")
    wait_for_link(page, runs="beam:5,rcms:4", linked="0", pos="4")
    settled(page)
    assert page.get_attribute(".rv-player", "data-position") == "4"


MISTAKES = ".rv-mistakes[data-judged='1']"
FILE = "precision?words=50&runs=beam:4"


def test_a_table_over_a_file_opens_the_exact_step(show):
    """Words are judged in the background and sorted by blame or a column; a click opens the step that lost the gold."""
    page = show(FILE, drawn=".rv-precision[data-ready=true]")
    page.wait_for_selector(MISTAKES)
    trial = Comparison.read({"words": "50", "runs": "beam:4"})[0]
    words, arm = answers.words_key(trial), trial.arms[0]
    model, data = rv.load_model(model_of(trial, arm)), answers.sequences_of(*words)
    known = blame_answers(model, data, arm.row, answers.answers_of(words, model_of(trial, arm), arm.row), most=100)
    counts = page.locator(".rv-mistakes .rv-said-counts").first.inner_text()
    assert counts == "★ {} right · ≠ {} model error · ✕ {} search error".format(*known.counts.values())
    rows = page.locator(".rv-mistakes tbody tr")
    verdicts = [rows.nth(k).get_attribute("data-verdict") for k in range(rows.count())]
    assert verdicts == sorted((one.blame.verdict for one in known.mistakes), reverse=True)
    page.get_by_role("button", name="at", exact=True).click()
    assert page.locator(".rv-mistakes [aria-sort=ascending]").inner_text().startswith("at")
    first = min((one for one in known.mistakes if one.blame.position), key=lambda one: one.blame.position)
    assert rows.first.locator("td").nth(2).inner_text() == str(first.blame.position)
    assert faults(page) == []
    number = int(rows.first.get_attribute("data-number"))
    (chosen,) = [one for one in known.mistakes if one.number == number]
    rows.first.locator("a").click()
    page.wait_for_selector(f".rv-player[data-position='{chosen.blame.position}']:not(.rv-precision)")
    assert query(page)["pos"] == str(chosen.blame.position)
    page.keyboard.press("d")
    page.wait_for_selector(f"{PANEL}[data-verdicts='{chosen.blame.verdict}']")
