"""The diagnosis that the page opens on: whose fault a wrong answer is, in a sentence, with repairs to try."""

import re
from dataclasses import replace

import streamlit as st

from pages.shell.text import escape_markdown, sentence
from pages.word import blame, regrets, runs
from pages.word.edits import edits_of_method
from rcmviz.core.builders.blame import DROPPED, RIGHT, SEARCH_ERROR, blame_problem
from rcmviz.core.inference.infer import viterbi
from rcmviz.core.lattices.trace import star
from rcmviz.core.methods import MethodChoice
from rcmviz.views.shared.plain import number

CODE = re.compile("`([^`]*)`")
TIE = 1e-9  # a smaller gap of two shares is rounding


def show_verdict(page, settings):
    """The verdict on the first method that is wrong, the evidence, and a button for each repair."""
    try:
        problem = runs.problem_of(settings.subject)
        finished = runs.all_finished(settings.subject, settings.methods, settings.options, settings.edits)
    except ValueError:
        return
    if problem.gold is None:
        st.caption("No right labels: with `gold` in the problem, this line says whose fault a wrong answer is.")
        return
    found = [blame_problem(problem, run.lattice) for run in finished]
    wrong = next((place for place, one in enumerate(found) if one.verdict != RIGHT), None)
    if wrong is None:
        st.markdown(
            ":material/check_circle: **Right**: "
            f"{escape_markdown(_names(run.name for run in finished))} answer the gold."
        )
        return
    repairs = list(_repairs(settings, problem, finished, found, wrong))
    name = finished[wrong].name
    verdict = f"{name}: {_sentence(settings, found[wrong], wrong, repairs)}"
    others = [run.name for run, one in zip(finished, found, strict=True) if one.verdict == RIGHT]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{sentence(verdict)}**", width="content")
        for repair in repairs:
            st.button(
                f"Try {escape_markdown(repair.title)}",
                key=page.key(f"repair.{repair}"),
                type="tertiary",
                icon=":material/build:",
                on_click=_try,
                args=(page, wrong, repair),
            )
    st.caption(escape_markdown(_evidence(settings, found[wrong], wrong, others)))


def _sentence(settings, found, wrong, repairs):
    if found.verdict != SEARCH_ERROR:
        return "model error. The model prefers another output to the gold, so no better search would help."
    regret = _regret_of(settings, wrong)
    swap, what = regret.repair if regret else None, "dropped" if found.cause == DROPPED else "merged"
    at = f"search error at position {found.position}"
    sentence = (
        f"{at}: the gold was {what}" if found.cause in (DROPPED, "merged") else f"{at}: the output is scored too high"
    )
    if swap is not None and swap.position == found.position:
        apart = f"by {swap.gap:.2g}" if swap.gap > TIE else "in a tie"
        sentence += f" for `{star(swap.kept, swap.position)}` {apart}"
    *first, last = [repair.entry.full_title if repair.kind == "exact" else repair.title for repair in repairs] or [""]
    return f"{sentence}; {', '.join(first)}{' or ' * bool(first)}{last} repairs it." if last else f"{sentence}."


def _evidence(settings, found, wrong, others):
    """The scores of both outputs under the full model, the regret there, and who is right."""
    gold, output = number(found.gold_score), number(found.output_score)
    parts = [f"Under the full model the gold scores {_score(gold)} and the output {_score(output)}."]
    regret = _regret_of(settings, wrong)
    if regret and found.position and found.position <= len(regret.swaps):
        parts.append(CODE.sub(r"“\1”", regret.sentence(found.position)))  # Streamlit's code is too pale in a caption
    if others:
        parts.append(f"{_names(others)} {'is' if len(others) == 1 else 'are'} right.")
    return " ".join(parts)


def _score(value):
    return "−∞" if value is None else f"{value:.2f}"


def _regret_of(settings, wrong):
    edits = edits_of_method(settings.edits, wrong + 1)
    return regrets.regret_of(settings.subject, settings.methods[wrong], settings.options, edits)


def _repairs(settings, problem, finished, found, wrong):
    """Other methods that answer the gold: the smallest budget, as soon as it is found, merging, exact inference."""
    if found[wrong].verdict != SEARCH_ERROR:
        return
    method, gold = settings.methods[wrong], tuple(problem.gold)
    strip = blame.strips_of(settings)[wrong]
    if strip and strip.get("smallest"):
        yield replace(method, budget=strip["smallest"])
    merging = MethodChoice("rcms", method.budget)
    for repair in (merging, MethodChoice("exact")):
        if repair == method or (repair.kind == "exact" and not runs.allows_exact(problem)):
            continue
        edits = edits_of_method(settings.edits, wrong + 1)
        run = runs.finished_run(settings.subject, repair, settings.options, edits)
        if run.has_output and viterbi(run.lattice).labels == gold:
            yield repair


def _try(page, wrong, repair):
    """The view with the wrong method replaced."""
    methods = list(page.view.methods)
    methods[wrong] = repair
    budgets = {method.budget for method in methods if method.has_budget}
    page.open_view(replace(page.view, methods=tuple(methods), linked=len(budgets) < 2))


def _names(names):
    return " and ".join(names)
