"""The table of candidates under the player: the candidates of the position, filtered, by rank."""

from dataclasses import replace

import pytest

from pages.word import blame, runs, tabs
from pages.word.code import reproducing_code
from pages.word.edits import Edit
from pages.word.question import WordQuestion
from rcmviz.core.methods import MethodChoice
from support.pages import opened

ASKED = {"word": "exactly", "seed": "3", "budget": "4", "pos": "5"}


@pytest.fixture(scope="module")
def expected():
    """Return the rows of a position, read from the trace's columns."""
    settings, *_ = WordQuestion.read(ASKED)
    table = runs.finished_run(settings.subject, settings.methods[0], settings.options, settings.edits).trace.table(5)
    return sorted(
        (rank, tabs.context_name(context, 5), fate)
        for rank, context, fate in zip(table["rank"], table["context"], table["fate"], strict=True)
    )


def shown(session):
    table = session.dataframe[0].value
    return list(zip(table["rank"], table["candidate"], table["fate"], strict=True))


def test_several_passes_have_a_column_for_what_they_rank_by():
    settings, *_ = WordQuestion.read(ASKED | {"passes": "2"})
    trace = runs.finished_run(settings.subject, settings.methods[0], settings.options, settings.edits).trace
    table = tabs.candidate_columns(trace, 5)
    assert list(table)[:3] == ["rank", "estimated posterior", "candidate"]
    assert table["estimated posterior"] == sorted(table["estimated posterior"], reverse=True)
    session = opened("step/page.py", **ASKED, passes="2")
    assert session.dataframe[0].value["estimated posterior"].is_monotonic_decreasing and not session.exception


def test_a_rule_names_the_run_and_has_a_column_for_its_score():
    query = ASKED | {"select": "lookahead", "adaptive": "entropy"}
    settings, _, notices = WordQuestion.read(query)
    assert not notices and WordQuestion.write(settings).items() >= query.items()
    call = settings.subject, settings.methods, settings.options, settings.edits
    (run,) = runs.all_finished(*call)
    assert run.name == "RCMS 4, lookahead, adaptive"
    assert sum(run.trace.budget(i) for i in range(1, 7)) == 24
    code = reproducing_code(*call)
    assert "budget=4, select='lookahead', adaptive='entropy')" in code
    (ranked,) = runs.all_finished(settings.subject, settings.methods, replace(settings.options, adaptive="equal"), ())
    table = tabs.candidate_columns(ranked.trace, 5)
    assert list(table)[:3] == ["rank", "score", "candidate"] and table["score"][0] == max(table["score"])
    sent = runs.word_payload(*call[:2], replace(settings.options, adaptive="equal"), ())["player"]["runs"][0]
    assert sent["sums"]["rule"] == "lookahead" and "by lookahead" in sent["sentences"][0]
    assert sent["columns"][5]["candidates"]["key"][0] == pytest.approx(table["score"][0], abs=1e-4)
    beam = runs.finished_run(
        settings.subject, MethodChoice("beam", 4), replace(settings.options, select="posterior"), ()
    )
    assert beam.name == "Beam 4" and beam.trace.ranked_by == "mass"
    long = replace(settings.subject, text="a" * 30)
    with pytest.raises(ValueError, match="shorter word or another rule"):
        runs.finished_run(long, settings.methods[0], replace(settings.options, select="expert"), ())
    edited = runs.finished_run(settings.subject, MethodChoice("beam", 4), settings.options, (Edit("budget", 2, 7),))
    assert edited.trace.budget(2) == 7


def test_every_pass_is_shown_as_a_run_of_its_own():
    query = ASKED | {"passes": "4", "every_pass": "1", "adaptive": "regret"}
    settings, _, notices = WordQuestion.read(query)
    assert not notices and WordQuestion.write(settings).items() >= query.items()
    call = settings.subject, settings.methods, settings.options, settings.edits
    payload = runs.word_payload(*call)
    shown = payload["player"]["runs"]
    assert [run["name"] for run in shown] == [f"Pass {number}, RCMS 4" for number in (1, 2, 4)]
    assert payload["player"]["settings"]["variables"][2] == ["trace.passes[3].lattice", "trace.passes[3]"]
    assert [run["sums"]["by"] for run in shown] == ["mass", "pass", "pass"]
    assert "budgets" not in payload["runs"][0] and sum(payload["runs"][2]["budgets"]) == 24  # the first is equal
    strips = blame.strips_of(settings)
    assert strips[:2] == [None, None] and len(strips) == 3
    assert len(runs.word_payload(*call[:3], (Edit("pin", 2, "x"),))["player"]["runs"]) == 3
    session = opened("step/page.py", **query)
    assert session.toggle(key="step.every_pass").value and not session.exception
    session.selectbox(key="step.select").set_value("lookahead").run()
    assert "lookahead" in session.query_params["select"] and not session.exception


def test_filters_select_rows(expected):
    session = opened("step/page.py", **ASKED)
    assert shown(session) == expected and {"kept", "merged"} <= {fate for *_, fate in expected}
    session.text_input(key="step.filter").set_value("t").run()
    assert shown(session) == [row for row in expected if "t" in row[1]] != expected
    session.button_group(key="step.fates").set_value(["kept"]).run()
    assert shown(session) == [row for row in expected if "t" in row[1] and row[2] == "kept"]
    session.text_input(key="step.filter").set_value("no such context").run()
    assert not session.exception and shown(session) == []
    assert [str(kind) for kind in session.dataframe[0].value.dtypes[["rank", "mass"]]] == ["int64", "float64"]
