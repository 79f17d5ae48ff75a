"""Facts of the CTC page against the transcript of the same question, and a short lesson that uses them."""

import math

import pytest

import rcmviz as rv
from pages.ctc.inputs import load
from pages.ctc.question import CtcQuestion
from pages.lessons.checking import check_lesson
from pages.lessons.facts import facts_known, value_of
from rcmviz.ctc_decoding.replay import Replay
from rcmviz.lessons import View, parse_lesson
from rcmviz.lessons.expressions import parse_expression

LESSON = """\
---
title: Sure and wrong
question: What does a beam know of what it has dropped?
minutes: 5
---
A network has looked at a line of writing. Which text is meant?

## Room for five
view: ctc?frames=text&text=i+know+that+he+is+here&method=beam&pos=30
point: panel Frames

A beam keeps {5: view.contexts(40)} outputs after each frame.
It reads {`i_know_that_he_showere`: view.text} and is {96 %: view.confidence}
sure. What was written has the probability {0: view.gold_p} here.

```task until
ask: Go to the frame after which nothing that is kept begins like the right text.
until: pos == view.lost_at
hint: The line with the star leads there.
right: From here on the beam is sure of something wrong.
wrong: Here a beginning of the right text is still kept.
solution: pos=40
```

## The same room, merged
view: &method=rcms

RCMS merges what it has no room for. It finds {`i_know_that_he_is_here`: view.text}, and says
how little five contexts know: {13 %: view.confidence}.

```task choose
ask: With room for 20, how sure is RCMS of the same text?
options: 13 % | 69 % | 96 %
answer: view.confidence[budget=20]
hint: Change the budget above the view.
right: {69 %: view.confidence[budget=20]}. A beam of 20 is {89 %: view.confidence[budget=20&method=beam]} sure.
wrong: More room makes it surer, but not that sure, or not that little.
```
"""


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


def test_a_beam_reports_where_it_lost_the_gold():
    transcript, gold = read(method="beam")
    numbers = tuple(transcript.label_names.index(label) for label in gold)
    assert fact("view.lost", method="beam") and fact("view.gold_p", method="beam") == 0.0
    assert fact("view.lost_at", method="beam") == Replay(transcript.alignments).lost_at(numbers)
    assert not fact("view.lost") and fact("view.lost_at") is None
    assert 0 < fact("view.moved(40)", method="beam") < 1


@pytest.mark.parametrize("asked, said", [("view.contexts(99)", "1 to 55"), ("view.output(7)", "1 to 6")])
def test_unknown_facts_are_refused(asked, said):
    with pytest.raises(ValueError, match=said):
        fact(asked)


def test_a_lesson_about_ctc_has_no_remarks():
    lesson = parse_lesson(LESSON, "ctc.md")
    assert [f"{remark.line}: {remark.text}" for remark in check_lesson(lesson)] == []
    assert all(one.split("(")[0].startswith("view.") for one in facts_known("ctc"))
