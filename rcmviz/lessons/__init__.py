"""Lessons: text files that lead through views of the application, with tasks that the engine judges."""

from rcmviz.lessons.lesson import Lesson, LessonError, Step, Task
from rcmviz.lessons.links import View, parse_view
from rcmviz.lessons.reader import parse_lesson, read_lesson
from rcmviz.lessons.shelf import TEMPLATE, course, lesson_named

__all__ = [
    "TEMPLATE",
    "Lesson",
    "LessonError",
    "Step",
    "Task",
    "View",
    "course",
    "lesson_named",
    "parse_lesson",
    "parse_view",
    "read_lesson",
]
