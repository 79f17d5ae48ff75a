"""Facts of the CTC page against the transcript of the same question, and the short lesson of docs/ctc-page.md."""

import math
import re
from pathlib import Path

import pytest

import rcmviz as rv
from pages.ctc.inputs import load
from pages.ctc.question import CtcQuestion
from pages.lessons.checking import check_lesson
from pages.lessons.facts import facts_known, value_of
from rcmviz.ctc_decoding.replay import Replay
from rcmviz.lessons import View, parse_lesson
from rcmviz.lessons.expressions import parse_expression

PAGE = Path(__file__).parents[2] / "docs" / "ctc-page.md"


def fact(expression, **query):
    return value_of(View("ctc", query), parse_expression(expression))


def read(**settings):
    inputs = load(CtcQuestion(**settings))
    frames = inputs.frames
    return rv.ctc(frames.log_probs, frames.labels, inputs.lm, **inputs.options), inputs.gold


@pytest.mark.parametrize("method", ["rcms", "beam"])
def test_facts_are_what_the_transcript_says(method):
    transcript, gold = read(method=method)
    assert fact("view.text", method=method) == transcript.text
    assert fact("view.proven", method=method) is transcript.is_proven
    assert fact("view.frames", method=method) == len(transcript.posterior)
    assert fact("view.gold", method=method) == "".join(gold)
    assert fact("view.right", method=method) is (transcript.labels == gold)
    second = transcript.nbest(2)[1]
    assert fact("view.output(2)", method=method) == second.text
    for name, wanted in {
        "view.confidence": transcript.confidence,
        "view.log_z": transcript.log_z,
        "view.gold_p": math.exp(transcript.log_prob(gold)),
        "view.output_p(2)": second.confidence,
    }.items():
        assert fact(name, method=method) == pytest.approx(wanted, rel=1e-5)
    replay = Replay(transcript.alignments)
    column, found = replay.column(14), replay.candidates(14)
    assert fact("view.contexts(14)", method=method) == column.stop - column.start
    assert fact("view.candidates(14)", method=method) == len(found.keys)
    assert fact("view.ahead(14)", method=method) == "".join(transcript.label_names[a] for a in replay.ahead(14)[0])


def test_a_beam_that_has_lost_what_is_right_says_where():
    transcript, gold = read(method="beam")
    numbers = tuple(transcript.label_names.index(label) for label in gold)
    assert fact("view.lost", method="beam") and fact("view.gold_p", method="beam") == 0.0
    assert fact("view.lost_at", method="beam") == Replay(transcript.alignments).lost_at(numbers)
    assert not fact("view.lost") and fact("view.lost_at") is None
    assert 0 < fact("view.moved(40)", method="beam") < 1


@pytest.mark.parametrize("asked, said", [("view.contexts(99)", "1 to 55"), ("view.output(7)", "1 to 6")])
def test_what_there_is_not_is_refused(asked, said):
    with pytest.raises(ValueError, match=said):
        fact(asked)


def test_the_lesson_of_the_documentation_is_so():
    text = re.search(r"^````markdown\n(.*?)^````$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)[1]
    lesson = parse_lesson(text, "ctc.md")
    assert [f"{remark.line}: {remark.text}" for remark in check_lesson(lesson)] == []
    assert all(one.split("(")[0].startswith("view.") for one in facts_known("ctc"))
