"""Several examples in one file: the table of those on which the two methods disagree; a row opens its example."""

from dataclasses import replace

import streamlit as st

import rcmviz as rv
from pages.word import runs
from pages.word.question import Subject
from rcmviz.core.methods import MethodChoice
from rcmviz.core.problems.problem_file import is_list_of_problems, parse_problems
from rcmviz.evaluation.disagreements import FILTERS

MOST_EXAMPLES = 500
REGRETS = 20  # rows whose regret is computed
OTHER = MethodChoice("rcms")  # compared with the method of a view that has one
SHOWN = {
    "gold": "gold",
    "first": "first answer",
    "first_confidence": "sure",
    "first_verdict": "fault",
    "first_position": "at",
    "first_regret": "regret",
    "second": "second answer",
    "second_confidence": "sure (2)",
    "second_verdict": "fault (2)",
    "second_regret": "regret (2)",
}
SHARES = "sure", "regret", "sure (2)", "regret (2)"


def take_examples(page, content, source):
    """Keep the problems of a list for this session; False if the content is none. ValueError names a fault."""
    if not is_list_of_problems(content):
        return False
    problems = parse_problems(content, source)
    if len(problems) > MOST_EXAMPLES:
        raise ValueError(
            f"{source}: {len(problems):,} examples, the limit here is {MOST_EXAMPLES}; use rcmviz disagree"
        )
    st.session_state[page.key("examples")] = problems
    _open(page, 0)
    return True


def show_examples(page, settings):
    """The table; nothing without a list."""
    problems = st.session_state.get(page.key("examples"))
    if not problems:
        return
    first, second = [*settings.methods, *([OTHER] * (2 - len(settings.methods)))][:2]
    golds = any(problem.gold for problem in problems)
    shown = [name for name, each in FILTERS.items() if golds or not each.needs_gold]
    with st.container(border=True):
        show = st.selectbox(
            f"{len(problems):,} examples",
            shown,
            format_func=lambda name: FILTERS[name].said(first.name, second.name).removesuffix("."),
            key=page.key("examples.show"),
        )
        table = _table(page, problems, (first, second), show)
        if table.empty:
            st.caption("No such example.")
            return
        numbers = table["number"].tolist()
        st.dataframe(
            table[list(SHOWN)].rename(columns=SHOWN),
            hide_index=True,
            height=min(260, 36 * (len(table) + 1) + 2),
            column_config=dict.fromkeys(SHARES, st.column_config.NumberColumn(format="%.2f")),
        )
        choose, button = st.columns([5, 2], vertical_alignment="bottom")
        chosen = choose.selectbox(
            "Example",
            numbers,
            format_func=lambda number: problems[number].title or f"{number + 1}: {problems[number].name}",
            key=page.key("examples.chosen"),
        )
        position = table["first_position"].fillna(1).tolist()[numbers.index(chosen)]
        button.button(
            "Open it",
            key=page.key("examples.open"),
            on_click=_open,
            args=(page, chosen, int(position)),
            width="stretch",
        )


def _table(page, problems, methods, show):
    """The table of these methods and this filter, kept for the session."""
    kept = st.session_state.setdefault(page.key("examples.tables"), {})
    key = id(problems), methods, show
    if key not in kept:
        kept.clear()
        kept[key] = rv.disagreements(problems, methods=methods, show=show, regrets=REGRETS)
    return kept[key]


def _open(page, number, position=1):
    """An example of the list, read by the methods of the view, where the first one lost the gold."""
    problem = st.session_state[page.key("examples")][number]
    text = problem.to_json()
    subject = Subject("problem", runs.pack_problem(text), model=problem.model_name or page.view.subject.model)
    page.open_view(replace(page.view, subject=subject, edits=(), position=position, node=None))
