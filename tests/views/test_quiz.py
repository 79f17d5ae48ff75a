"""The quiz: its scores against the engine over random words, and how it is played in an exported file."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import json
import math
import os
import re

import rcmviz as rv
from rcmviz.core.lattices.trace import FATES
from rcmviz.views import Run, build_payload
from rcmviz.views.shared.assets import FOLDER
from rcmviz.views.shared.bundle import bundle
from rcmviz.views.word.quiz import why_not_asked
from support.browser import DRAWN, chromium, faults, page_of, saved  # noqa: F401
from support.exported import player_page
from support.toy_runs import model_and_emissions, runs_of

WORDS = 500
# Questions of all kinds about all positions and runs of each payload, answered at random.
ENTRY = """
import { questionAt, scoreAnswer } from "%(word)s/quiz_questions.js";
import { remembered } from "%(word)s/rows.js";
import { KINDS } from "%(word)s/quiz_questions.js";

let state = 1;
const chance = () => (state = (state * 48271) %% 2147483647) / 2147483647;

function asked(view, position, kind, run) {
  const question = questionAt(view, position, kind, run);
  if (!question) return { position, kind, run, choices: null };
  const all = question.choices.map((_, k) => k);
  const marks = kind === "mass" ? [Math.floor(chance() * all.length)] : all.filter(() => chance() < 0.5);
  const choices = question.choices.map(({ name, from, fits }) => ({ name, from, fits }));
  const about = question.about?.name ?? null;
  return { position, kind, run, choices, about, marks, truth: question.truth, ...scoreAnswer(question, marks) };
}

function play(text) {
  return JSON.parse(text).map((payload) => {
    const view = { payload };
    view.memory = remembered(view);
    const positions = Array.from({ length: payload.T }, (_, i) => i + 1);
    return positions.flatMap((i) => payload.runs.flatMap((_, r) => KINDS.map((kind) => asked(view, i, kind, r))));
  });
}

window.play = play;
export default play;
"""
METHODS = (
    lambda *given: rv.rcms(*given, 3),
    lambda *given: rv.beam(*given, 3),
    lambda *given: rv.rcms(*given, 12),
    lambda *given: rv.rcms(*given, 4, deduplicate=True),
    lambda *given: rv.rcms(*given, 3, passes=2),
    lambda *given: rv.beam(*given, 5, deduplicate=True),
    lambda *given: rv.rcms(*given, 4, root_weight=-1.0),
    lambda *given: rv.stochastic_beam(*given, 3),
    lambda *given: rv.recombining_beam(*given, 4),
)


def random_run(number):
    model, log_emit = model_and_emissions(length=3 + number % 2, seed=number, labels="abcd"[: 3 + number % 2], order=2)
    return Run("run", *METHODS[number % len(METHODS)](model, log_emit))


def named(labels, i):
    return ("" if len(labels) == i else "*") + "".join(labels)


def test_scores_equal_the_engines_answers_over_500_random_words(page_of, tmp_path):
    entry = tmp_path / "entry.js"
    entry.write_text(ENTRY % {"word": os.path.relpath(FOLDER / "word", tmp_path)}, encoding="utf-8")
    page = page_of("about:blank").page
    page.add_script_tag(type="module", content=bundle(entry, "played"))
    page.wait_for_function("() => window.play !== undefined")
    runs = [random_run(number) for number in range(WORDS)]
    seen = {"kept": 0, "mass": 0}
    sizes = set()
    payloads = [build_payload(None, [run]) for run in runs]
    played = page.evaluate("text => window.play(text)", json.dumps(payloads))
    for run, payload, found in zip(runs, payloads, played, strict=True):
        for answer in found:
            if answer["position"] in range(2, payload["T"]):
                reason = why_not_asked(payload, answer["position"], answer["run"])
                assert (reason is None) == (answer["choices"] is not None)
            check = check_kept if answer["kind"] == "kept" else check_mass
            if check(run, answer):
                seen[answer["kind"]] += 1
                sizes.add((answer["kind"], answer["right"], answer["of"]))
    assert min(seen.values()) > WORDS
    assert len(sizes) > 6, "random answers are right and wrong in all ways"


def fates_of(run, i):
    """Return {name: (kept, the context that has its mass now, its mass)} of candidates with a mass of their own."""
    trace, lattice = run.trace, run.lattice
    if not 1 <= i < lattice.T or trace.settings["method"] == "stochastic":
        return {}
    found, names = {}, []
    for m, fate in enumerate(trace.fate(i).tolist(), trace.candidates(i).start):
        into = int(trace.into[m])
        if trace.log_mass[m] == -math.inf:
            continue
        names.append(named(trace.labels_of(m), i))
        if FATES[fate] != "joined":
            carrier = lattice.name(into) if into >= 0 else None
            found[names[-1]] = (FATES[fate] == "kept", carrier, math.exp(trace.log_mass[m]))
    return {name: known for name, known in found.items() if names.count(name) == 1}


def check_kept(run, answer):
    """Whether a question was asked; its score is that of the trace."""
    known = fates_of(run, answer["position"])
    able = len({kept for kept, _, _ in known.values()}) == 2
    assert able == (answer["choices"] is not None)
    if not able:
        return False
    names = [choice["name"] for choice in answer["choices"]]
    assert len(set(names)) == len(names) == min(6, len(known))
    kept = [known[name][0] for name in names]
    assert set(kept) == {True, False}, "there is something to choose"
    assert answer["truth"] == [k for k, stays in enumerate(kept) if stays]
    right = sum(k in answer["marks"] for k in answer["truth"])
    assert (answer["right"], answer["of"]) == (right, max(sum(kept), len(answer["marks"])))
    by_mass = not run.trace.settings.get("deduplicate") and run.trace.settings.get("passes", 1) == 1
    check_hint(answer["choices"], kept, [known[name][2] for name in names] if by_mass else None)
    return True


def check_hint(choices, kept, masses):
    """The hint's factors multiply to the mass, up to a common factor, and the largest products are kept."""
    hints = [choice["from"] for choice in choices]
    for k, choice in enumerate(choices):
        for _, fit in choice["fits"]:
            assert 0 <= fit <= 1
            hints[k] *= fit
    if masses:
        ratios = [hint / mass for hint, mass in zip(hints, masses, strict=True)]
        assert max(ratios) < min(ratios) * (1 + 1e-8)
    stay = [hint for hint, stays in zip(hints, kept, strict=True) if stays]
    go = [hint for hint, stays in zip(hints, kept, strict=True) if not stays]
    assert min(stay) >= max(go) * (1 - 1e-9)


def check_mass(run, answer):
    known = fates_of(run, answer["position"])
    able = len({kept for kept, _, _ in known.values()}) == 2
    assert able == (answer["choices"] is not None)
    if not able:
        return False
    kept, into, _ = known[answer["about"]]
    assert not kept
    names = [choice["name"] for choice in answer["choices"]]
    lattice, i = run.lattice, answer["position"]
    column = lattice.column(i)
    there = {lattice.name(c) for c in range(column.start, column.stop)}
    assert names[-1] is None and set(names[:-1]) <= there and 2 <= len(set(names)) == len(names) <= 5
    assert answer["truth"] == [names.index(into)]
    assert (answer["right"], answer["of"]) == (int(names[answer["marks"][0]] == into), 1)
    return True


NOTED = """() => {
    window.heard = [];
    for (const what of ["asked", "marked", "answered", "solved", "ended"])
        document.addEventListener("rv-quiz-" + what, event => {
            window.heard.push([what, JSON.parse(JSON.stringify(event.detail))]);
            if (what === "answered" && window.holds) event.preventDefault();
        });
}"""


def send(page, what, detail=None):
    page.evaluate(
        "([what, detail]) => document.querySelector('.rv-player')"
        ".dispatchEvent(new CustomEvent('rv-quiz-' + what, { detail }))",
        [what, detail],
    )


def heard(page, what):
    return [detail for name, detail in page.evaluate("window.heard") if name == what]


def at_stage(page, stage):
    page.wait_for_selector(f".rv-player[data-quiz={stage}]")


def test_predicting_comes_before_seeing(saved):
    runs = runs_of(("rcms", "beam"), budget=4, length=7)
    page = saved(player_page(runs, gold="abcdeab", title="word"), DRAWN)
    player = page.locator(".rv-player")
    page.evaluate(NOTED)
    page.keyboard.press("q")
    at_stage(page, "asking")
    (first,) = [detail["question"] for detail in heard(page, "asked")]
    assert "truth" not in first and first["position"] == 2 and player.get_attribute("data-position") == "1"
    assert page.locator(".rv-unseen").count() == 6, "nothing right of the position is given away"
    assert page.locator(".rv-quiz-main").is_disabled()
    table = runs[first["run"]].trace.table(2)
    stays = {named(row.context, 2): bool(row.kept) for row in table.itertuples()}
    wanted = [stays[choice["name"]] for choice in first["choices"]]
    assert sum(wanted) == first["count"]
    page.keyboard.press("h")
    page.locator(".rv-quiz-fits").first.wait_for()
    for k, kept in enumerate(wanted, 1):
        if kept:
            page.keyboard.press(str(k))
    page.keyboard.press("1")  # the first decision the other way round
    page.keyboard.press("Enter")
    at_stage(page, "solved")
    assert player.get_attribute("data-position") == "2"
    (answer,) = heard(page, "answered")
    first_kept, kept = wanted[0], sum(wanted)
    score = (kept - first_kept, kept + (not first_kept))
    assert (answer["right"], answer["of"]) == score and answer["hinted"] and answer["counts"]
    verdicts = page.locator(".rv-quiz-row").evaluate_all("rows => rows.map(row => row.dataset.verdict)")
    turned = "missed" if first_kept else "wrong"
    assert verdicts == [turned] + ["right" if one else None for one in wanted[1:]]
    assert page.locator(f".rv-candidate[data-verdict={turned}]:visible").count() == 1
    assert f"{score[0]} of {score[1]} right so far" in page.locator(".rv-quiz-total").inner_text()
    said = page.locator(".rv-quiz-asked, .rv-quiz-choices").all_inner_texts()
    assert not set("✓✗") & set("".join(said)), "the only cross is that of dropped candidates"
    assert all(re.search(r"\.\d|e−", text) for text in page.locator(".rv-quiz-why").all_inner_texts()), "masses"
    assert faults(page) == []
    # on without an answer: it is shown, and not counted
    page.keyboard.press("Enter")
    at_stage(page, "asking")
    page.keyboard.press("ArrowRight")
    at_stage(page, "solved")
    assert player.get_attribute("data-position") == "3" and heard(page, "solved")[-1]["result"] is None
    assert page.locator(".rv-quiz-main").evaluate("node => node === document.activeElement"), (
        "the keys continue from there"
    )
    # positions seen before do not count
    page.keyboard.press("ArrowLeft")
    at_stage(page, "asking")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    at_stage(page, "solved")
    assert not heard(page, "answered")[-1]["counts"]
    assert f"{score[0]} of {score[1]} right so far" in page.locator(".rv-quiz-total").inner_text()
    # a class: the teacher decides when the answer is shown
    page.evaluate("window.holds = true")
    send(page, "ask", {"kind": "mass", "run": 1, "position": 5})
    at_stage(page, "asking")
    assert page.locator(".rv-choice").first.evaluate("node => node === document.activeElement")
    question = heard(page, "asked")[-1]["question"]
    assert (question["kind"], question["method"], question["position"]) == ("mass", "beam", 5)
    page.locator(".rv-choice").last.click()
    page.keyboard.press("Enter")
    at_stage(page, "held")
    page.keyboard.press("1")
    assert player.get_attribute("data-position") == "4" and heard(page, "marked")[-1]["marks"] != [0]
    send(page, "reveal")
    at_stage(page, "solved")
    assert (player.get_attribute("data-quiz-right"), player.get_attribute("data-quiz-of")) == ("1", "1")  # beams drop
    page.wait_for_selector(f'.rv-player[data-node="{question["about"]}"]')  # and the stage shows it
    count = len(question["choices"])
    send(page, "bars", {"key": question["key"], "shares": [0.0] * (count - 1) + [1.0], "people": 3})
    page.locator(".rv-quiz-all").last.wait_for()
    assert page.locator(".rv-quiz-all").all_inner_texts()[-1] == "100 %"
    page.keyboard.press("q")
    page.wait_for_selector(".rv-player:not([data-quiz])")
    assert not page.locator(".rv-quiz").is_visible() and page.locator(".rv-unseen").count() == 0
    assert len(heard(page, "ended")) == 1


def test_a_link_asks_in_present_mode_and_a_clicker_leads_through(saved):
    page = saved(player_page(runs_of(budget=5, length=8), gold="abcdeabc"), DRAWN)
    page.goto(page.url + "?quiz=kept&pos=3&present=1")
    for stage in ("asking", "solved"):
        at_stage(page, stage)
        assert page.locator(".rv-player[data-presenting] .rv-quiz").is_visible()
        page.keyboard.press("PageDown")
    at_stage(page, "asking")
    assert page.get_attribute(".rv-player", "data-position") == "4"
    page.keyboard.press("Escape")
    page.wait_for_selector(".rv-player:not([data-presenting])")
    assert page.locator(".rv-unseen").count() == 4, "the quiz continues and still hides the answers"
    page.click(".rv-quiz-me")
    page.wait_for_selector(".rv-player:not([data-quiz])")
    assert page.locator(".rv-unseen").count() == 0


def test_why_a_question_cannot_be_asked():
    payload = build_payload(None, runs_of(("rcms", "exact")))
    assert why_not_asked(payload, None) is why_not_asked(payload, 3, 0) is None
    assert (
        why_not_asked(payload, 6)
        == "the quiz asks about positions 2 to 5, where something is selected; 6 is none of them"
    )
    assert why_not_asked(payload, 3, 1) == "nothing can be predicted at position 3: exact keeps all, or draws"
    assert why_not_asked(payload, None, 2) == "there is no method 3"
    short = build_payload(None, runs_of(("rcms",), length=2))
    assert why_not_asked(short, 1) == "the quiz needs three positions or more, here are 2"


def test_no_question_if_all_candidates_are_kept(saved):
    page = saved(player_page(runs_of(("exact",)), gold="abcdea"), DRAWN)
    assert page.locator(".rv-quiz-me").is_disabled()
    page.keyboard.press("q")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector('.rv-player[data-position="2"]:not([data-quiz])')
