"""The course: every number, link, target and task of its lessons, recomputed by the engine."""

import pytest

from pages.lessons.checking import check_lesson
from rcmviz.lessons import course, parse_lesson

COURSE = course()


def test_the_course_has_its_lessons_in_order():
    assert [lesson.number for lesson in COURSE] == list(range(1, 12))
    assert len({lesson.name for lesson in COURSE}) == 11


@pytest.mark.parametrize("lesson", COURSE, ids=[lesson.name for lesson in COURSE])
def test_claims_of_lessons_are_true(lesson):
    assert [f"{remark.line}: {remark.text}" for remark in check_lesson(lesson)] == []


@pytest.mark.parametrize("lesson", COURSE, ids=[lesson.name for lesson in COURSE])
def test_a_lesson_asks_in_several_ways_and_ends_with_an_example_of_the_readers_own(lesson):
    tasks = [step.task for step in lesson.steps if step.task]
    assert lesson.question.endswith("?") and 5 <= lesson.minutes <= 10 and 6 <= len(lesson.steps) <= 12
    assert len(tasks) >= 3 and len({task.kind for task in tasks}) >= 2
    assert lesson.steps[-1].title == "Now your own example"
    assert lesson.steps[-1].task.kind == "until" and lesson.steps[-1].task.solution is not None
    assert all(step.parts or step.figure for step in lesson.steps)  # the rest of the page is hidden
    for task in tasks:
        assert task.hint and task.right and task.wrong  # help after a mistake, an explanation after success


PREDICT = """---
title: Predict
question: Which are kept?
minutes: 5
---
Three tasks of which the quiz can ask none.

## The first position
view: step?word=ant&seed=14&budget=3

```task predict
ask: Which are kept?
of: kept
at: 1
```

## A page without a quiz
view: ars

```task predict
ask: Which are kept?
of: kept
```

## A method that keeps all
view: compare?word=ant&seed=14&runs=beam:4,exact

```task predict
ask: Where does the mass go?
of: mass
at: 2
run: 2
```
"""


def test_a_prediction_that_the_quiz_cannot_ask_is_named_with_its_line():
    found = [(remark.line, remark.text) for remark in check_lesson(parse_lesson(PREDICT, "predict.md"))]
    assert found == [
        (14, "the quiz asks about positions 2 to 2, where something is selected; 1 is none of them"),
        (20, "the page ars has no quiz: predict on step, compare, your_example"),
        (31, "nothing can be predicted at position 2: Exact keeps all, or draws"),
    ]
