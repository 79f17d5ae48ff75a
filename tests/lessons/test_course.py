"""The course: every number, link, target and task of its lessons, recomputed by the engine."""

import pytest

from pages.lessons.checking import check_lesson
from rcmviz.lessons import course

COURSE = course()


def test_the_course_has_its_lessons_in_order():

    assert [lesson.number for lesson in COURSE] == list(range(1, 11))
    assert len({lesson.name for lesson in COURSE}) == 10


@pytest.mark.parametrize("lesson", COURSE, ids=[lesson.name for lesson in COURSE])
def test_what_a_lesson_says_is_so(lesson):
    assert [f"{remark.line}: {remark.text}" for remark in check_lesson(lesson)] == []


@pytest.mark.parametrize("lesson", COURSE, ids=[lesson.name for lesson in COURSE])
def test_a_lesson_asks_in_several_ways_and_ends_with_an_example_of_the_readers_own(lesson):
    tasks = [step.task for step in lesson.steps if step.task]
    assert lesson.question.endswith("?") and 5 <= lesson.minutes <= 10 and 6 <= len(lesson.steps) <= 12
    assert len(tasks) >= 3 and len({task.kind for task in tasks}) >= 2
    assert lesson.steps[-1].title == "Now your own example"
    assert lesson.steps[-1].task.kind == "until" and lesson.steps[-1].task.solution is not None
    for task in tasks:
        assert task.hint and task.right and task.wrong  # whoever fails is helped, whoever succeeds is told why
