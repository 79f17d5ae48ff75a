"""The tabs under the player: candidates as a table, questions, what-if edits, and everything that can be taken home."""

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import streamlit as st

import rcmviz as rv
from pages.shell.methods import MAX_BUDGET
from pages.shell.text import escape_markdown, sentence
from pages.word import runs
from pages.word.code import reproducing_code
from pages.word.edits import Edit
from pages.word.regrets import regrets_of, repair_sentence, rows_of
from rcmviz.core.inference.tree_rows import context_name
from rcmviz.lm.text import tokens

LONGEST_PATTERN = 500  # characters

MOST_ROWS = 2_000  # of the candidates table
MOST_FILTERED = 5_000  # of the highest rank, in which a part of a context is looked for; exact inference has 456,976
FATES = ("kept", "merged", "joined", "dropped")
KEYS = {"pass": "estimated posterior", "rule": "score"}  # the column of what candidates are ranked by
EXACT = "exact share"  # the column of a candidate's share of the exact posterior
TYPES = {
    "rank": pa.int64(),
    **dict.fromkeys(KEYS.values(), pa.float64()),
    "candidate": pa.string(),
    "mass": pa.float64(),
    EXACT: pa.float64(),
    "log mass": pa.float64(),
    "fate": pa.string(),
    "into": pa.string(),
}
EXACT_HELP = (
    "Probability, under the full model, of all outputs that the candidate represents; estimated from weighted "
    "draws if exact inference is too large."
)
REGRET_HELP = "Exact mass that the best selection of the same size would keep in addition."
WRITTEN = ("filter", "fates", "pattern", "edit.kind", "edit.position", "edit.what", "edit.of")  # widgets of the tabs


def show(page, settings, finished):
    """The tabs; ``finished`` one per method. Only what the open one shows is made."""
    for name in WRITTEN:  # Streamlit forgets what a widget said that is not drawn
        if (key := page.key(name)) in st.session_state:
            st.session_state[key] = st.session_state[key]
    tabs = st.tabs(NAMES, key=page.key("tabs"), on_change="rerun")
    for tab, show_tab in zip(tabs, TABS.values(), strict=True):
        if tab.open:
            with tab:
                show_tab(page, settings, finished)


def show_candidates(page, settings, finished):
    """The candidates of the present position: sort by a column, filter, download."""
    run = _chosen_run(page, finished, "candidates")
    lattice, position = run.lattice, min(settings.position, run.lattice.T)
    if run.trace is None:
        st.caption("This run is too long to keep every candidate: choose a shorter word, or RCMS.")
        return
    if position == lattice.T:
        st.caption(f"Position {position} is the last one: every context leads to the end, and nothing is selected.")
        return
    regret = regrets_of(settings)[finished.index(run)]
    table = candidate_columns(run.trace, position, regret)
    found, every = len(table["rank"]), len(range(*run.trace.candidates(position).indices(len(run.trace.key))))
    search, fate = st.columns([2, 3], vertical_alignment="bottom")
    text = search.text_input("Filter", placeholder="a part of a context, such as ol", key=page.key("filter"))
    there = set(table["fate"])
    wanted = fate.pills("Fate", [f for f in FATES if f in there], selection_mode="multi", key=page.key("fates"))
    named = zip(table["candidate"], table["fate"], strict=True)
    rows = [row for row, (name, came_to) in enumerate(named) if text in name and came_to in (wanted or there)]
    st.dataframe(
        pa.table(_take_rows(table, rows[:MOST_ROWS]), pa.schema([(name, TYPES[name]) for name in table])),
        hide_index=True,
        height=330,
        column_config={
            KEYS["pass"]: st.column_config.NumberColumn(
                format="%.4f", help="What candidates are ranked by: mass × the message of the pass before."
            ),
            KEYS["rule"]: st.column_config.NumberColumn(
                format="%.4f",
                help="What candidates are ranked by: the selection rule's score, as a share.",
            ),
            "mass": st.column_config.ProgressColumn("mass", format="%.4f", max_value=max(table["mass"], default=1.0)),
            EXACT: st.column_config.NumberColumn(format="%.4f", help=EXACT_HELP),
            "log mass": st.column_config.NumberColumn(format="%.3f"),
        },
    )
    text_column, button = st.columns([4, 1], vertical_alignment="center")
    among = f"{found:,}" if every == found else f"the first {found:,} of {every:,}"
    text_column.caption(f"{len(rows):,} of {among} candidates at position {position}, {run.name}.")
    button.download_button(
        "CSV",
        lambda: pd.DataFrame(_take_rows(table, rows)).to_csv(index=False),
        f"candidates-{position}.csv",
        "text/csv",
        on_click="ignore",
        key=page.key("csv"),
        icon=":material/download:",
        width="stretch",
    )


def candidate_columns(trace, position, regret=None):
    """The candidates of a position by rank, named as people write them; those of a low rank are left out of many.

    Lists by the name of their column: a data frame would take a step of a person on Step half as much time again.
    """
    table = trace.columns(position, MOST_FILTERED)
    columns = {
        "rank": table["rank"],
        **({KEYS[trace.ranked_by]: table["key"]} if trace.ranked_by in KEYS else {}),
        "candidate": [context_name(context, position) for context in table["context"]],
        "mass": table["mass"],
        **({EXACT: _exact_shares(trace, position, regret)} if regret else {}),
        "log mass": table["log_mass"],
        "fate": table["fate"],
        "into": ["" if into is None else context_name(into, position) for into in table["into"]],
    }
    return _take_rows(columns, sorted(range(len(table["rank"])), key=table["rank"].__getitem__))


def _exact_shares(trace, position, regret):
    """The exact shares of the candidates in the order of ``trace.columns``."""
    return regret.exact_share[trace.candidates(position)][trace.rank(position) <= MOST_FILTERED].tolist()


def _take_rows(columns, rows):
    """These rows of all columns."""
    return {name: [column[row] for row in rows] for name, column in columns.items()}


def _chosen_run(page, finished, purpose):
    if len(finished) == 1:
        return finished[0]
    names = [run.name for run in finished]
    key = page.key(f"run.{purpose}")
    if st.session_state.get(key) not in names:
        st.session_state[key] = names[0]
    return finished[names.index(st.segmented_control("Method", names, key=key, required=True))]


def show_regret(page, settings, finished):
    """Per position which candidate should have been kept, and what it cost."""
    regrets = {run.name: found for run, found in zip(finished, regrets_of(settings), strict=True) if found}
    if not regrets:
        st.caption("No regret: this run keeps every context, or has no list of candidates or no output.")
        return
    names = list(regrets)
    name = names[0]
    if len(names) > 1:
        key = page.key("run.regret")
        if st.session_state.get(key) not in names:
            st.session_state[key] = names[0]
        name = st.segmented_control("Method", names, key=key, required=True)
    regret = regrets[name]
    position = min(settings.position, len(regret.swaps))
    sentences = [regret.sentence(position)] if position else []
    st.markdown(" ".join(sentence(one) for one in (*sentences, repair_sentence(regret)) if one))
    share = st.column_config.NumberColumn(format="%.3f")
    st.dataframe(
        pd.DataFrame(rows_of(regret)),
        hide_index=True,
        height=260,
        column_config={
            "position": st.column_config.NumberColumn(width="small"),
            "regret": st.column_config.ProgressColumn(format="%.3f", max_value=1.0, help=REGRET_HELP),
            "share": share,
            "share of the kept": share,
            "log Z": st.column_config.NumberColumn(format="%+.2f", help="Change of log Z with this swap, in nats."),
            "gold": st.column_config.NumberColumn(
                format="%+.3f", help="Change of the gold's probability with this swap."
            ),
        },
    )
    judge = "exact inference"
    if regret.is_estimate:
        judge = f"weighted draws, an estimate: effective sample size {regret.ess:.0f}"
    st.caption(escape_markdown(f"{name}: total regret {regret.total:.2f}, judged by {judge}."))


def show_questions(page, settings, finished):
    """Ask anything: the mass of a pattern, under each method."""
    spaced = any(len(label) > 1 for label in finished[0].lattice.labels)
    text = st.text_input(
        "Mass of a pattern",
        key=page.key("pattern"),
        placeholder="? a *" if spaced else "?o*ing",
        max_chars=LONGEST_PATTERN,
        help="? stands for one label, * for any run of labels"
        + (", with a space between labels." if spaced else ": ?o*ing is any word with o second that ends in ing."),
    )
    if text.strip():
        try:
            masses = [rv.mass(run.lattice, tokens(text) if spaced else text.strip()) for run in finished]
        except ValueError as error:
            st.warning(sentence(error))
        else:
            for column, run, mass in zip(st.columns(3), finished, masses, strict=False):
                column.metric(escape_markdown(run.name), f"{mass:.4g}")
    rows = [
        {
            "method": run.name,
            "output": " ".join(path.labels) if spaced else "".join(path.labels),
            "probability": float(np.exp(path.log_prob)),
            "log score": path.log_score,
        }
        for run in finished
        for path in rv.kbest(run.lattice, 10)
    ]
    st.caption("The ten most probable outputs")
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        height=250,
        column_config={"probability": st.column_config.ProgressColumn("probability", format="percent", max_value=1.0)},
    )


EDIT_KINDS = {
    "pin a label": "pin",
    "forbid a label": "forbid",
    "pin a context": "pin",
    "forbid a context": "forbid",
    "set the budget": "budget",
}


def show_what_if(page, settings, finished):
    """A form for edits, and how far they moved the posteriors."""
    lattice = finished[0].lattice
    with st.form(page.key("edit"), border=False):
        kind, position, what, *whom, go = st.columns(
            [2, 2, 3] + [2] * (len(finished) > 1) + [2], vertical_alignment="bottom"
        )
        kind.selectbox("Edit", list(EDIT_KINDS), key=page.key("edit.kind"))
        _follow_player(page, min(settings.position, lattice.T), lattice.T)
        position.number_input("At position", 1, lattice.T, key=page.key("edit.position"))
        what.text_input("What", key=page.key("edit.what"), placeholder="ol, or a, or 20")
        for column in whom:
            names = {None: "all methods"} | {n: run.name for n, run in enumerate(finished, 1)}
            column.selectbox("For", names, format_func=names.get, key=page.key("edit.of"))
        go.form_submit_button("Try it", on_click=_try_edit, args=(page, lattice.labels), width="stretch")
    refused = st.session_state.pop(page.key("edit.refused"), None)
    if refused:
        st.warning(sentence(refused))
    st.caption("Edits can also be made in the player: select a context there. They are part of the link.")
    if settings.edits:
        st.dataframe(show_changes(settings, finished), hide_index=True, height=250)


def _follow_player(page, position, last):
    """Whenever the player has moved, the form stands at its position."""
    followed, shown = page.key("edit.followed"), page.key("edit.position")
    if st.session_state.get(followed) != position or not 1 <= st.session_state.get(shown, 0) <= last:
        st.session_state[followed] = st.session_state[shown] = position


def _try_edit(page, labels):
    """The edit that the form asks for, or a sentence where it cannot be."""
    chosen, position, text = (st.session_state[page.key(f"edit.{name}")] for name in ("kind", "position", "what"))
    try:
        what = _edit_target(chosen, int(position), text.strip(), labels)
        of = page.number_of(st.session_state.get(page.key("edit.of")))
        page.add_edit(Edit(EDIT_KINDS[chosen], int(position), what, of))
    except ValueError as error:
        st.session_state[page.key("edit.refused")] = str(error)


def _edit_target(chosen, position, text, labels):
    """What the form's text means: a budget, a label or a context."""
    if EDIT_KINDS[chosen] == "budget":
        if not text.isdecimal() or len(text) > 9 or not 1 <= int(text) <= MAX_BUDGET:
            raise ValueError(f"{text!r} is no budget: give a whole number from 1 to {MAX_BUDGET:,}")
        return int(text)
    spaced = any(len(label) > 1 for label in labels)
    context = tuple(text.split()) if spaced else tuple(text.lstrip("*"))
    longest = 1 if "label" in chosen else position
    if not 1 <= len(context) <= longest or not set(context) <= set(labels):
        wanted = "one label" if longest == 1 else f"one to {position} labels, oldest first"
        raise ValueError(f"{text!r} cannot stand at position {position}: give {wanted}")
    return context[0] if "label" in chosen else context


def show_changes(settings, finished):
    """The label posteriors that the edits moved most, as a table."""
    rows = []
    for method, run in zip(settings.methods, finished, strict=True):
        before = runs.label_posterior(settings.subject, method, settings.options)
        after = rv.posterior(run.lattice).label
        moved = np.argsort(-np.abs(after - before), axis=None, kind="stable")[:10]
        for i, y in zip(*np.unravel_index(moved, after.shape), strict=True):
            rows.append((run.name, i + 1, run.lattice.labels[y], before[i, y], after[i, y], after[i, y] - before[i, y]))
    table = pd.DataFrame(rows, columns=["method", "position", "label", "before", "after", "difference"])
    return table[table["difference"].abs() > 5e-5].round(4)


def show_downloads(page, settings, finished):
    """The run as files, and the code that makes it again."""
    problem = runs.problem_of(settings.subject)
    stem = re.sub(r"[^A-Za-z0-9]+", "-", problem.name).strip("-") or "view"
    left, right = st.columns(2)
    common = {"on_click": "ignore", "width": "stretch", "icon": ":material/download:"}
    run = finished[0]
    if run.trace is not None:
        left.download_button(
            f"Trace of {run.name} (JSON)",
            run.trace.to_json,
            f"{stem}-trace.json",
            "application/json",
            key=page.key("trace"),
            **common,
        )
    right.download_button(
        "Download this problem (JSON)",
        problem.to_json,
        f"{stem}.json",
        "application/json",
        key=page.key("problem.file"),
        help="For Your own example, `rcmviz step`, `rv.read_problem`.",
        **common,
    )
    st.caption("The same in a notebook")
    st.code(
        reproducing_code(settings.subject, settings.methods, settings.options, settings.edits, settings.position),
        language=None,  # Streamlit's colours of Python are too dark on a dark page
        wrap_lines=True,
    )


TABS = {
    "Candidates": show_candidates,
    "Regret": show_regret,
    "Ask": show_questions,
    "What if": show_what_if,
    "Save and share": show_downloads,
}
NAMES = list(TABS)
