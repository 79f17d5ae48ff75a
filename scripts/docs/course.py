"""The lessons as pages: each one plays in the page, from the file that ``rcmviz lesson export`` writes."""

from functools import partial

from gallery import frame

from pages.lessons.exporting import export_lesson
from rcmviz.lessons import course


def lessons(live):
    """``{name of the page: its Markdown}``, the index with them; the lessons are written to ``live``."""
    pages, listed = {}, []
    for lesson in course():
        file = f"lesson-{lesson.name}.html"
        live.write(file, partial(export_lesson, lesson))
        pages[lesson.name] = (
            f"# {lesson.title}\n\n**{lesson.question}** About {lesson.minutes} minutes.\n\n"
            f"{frame(f'../live/{file}', lesson.title, 1100)}\n\n"
            f"In the application: `http://127.0.0.1:8501/lessons?lesson={lesson.name}`.\n"
        )
        listed.append(f"1. [{lesson.title}]({lesson.name}.md): {lesson.question} ({lesson.minutes} minutes)")
    names = "\n".join(pages)
    pages["index"] = (
        "# Lessons\n\nEach begins with a question and ends with an example of yours.\n\n"
        + "\n".join(listed)
        + f"\n\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    )
    return pages
