"""Data of the figures that steps show in place of a page, from the engine's answers about the view of the step."""

from functools import lru_cache

from pages.decipher.texts import subject_of
from pages.lessons.facts import value_of
from pages.lessons.opening import open_link
from pages.word import runs
from rcmviz.lessons import View
from rcmviz.lessons.expressions import parse_expression


def with_figures(lesson):
    """Return the payload of a lesson with the data of its figures; ``{"refused": why}`` for one without data."""
    payload = lesson.payload()
    for step, sent in zip(lesson.steps, payload["steps"], strict=True):
        if step.figure:
            try:
                sent["figure"] = figure_of(step.view, step.figure)
            except ValueError as error:
                sent["figure"] = {"kind": step.figure[0], "refused": str(error)}
    return payload


def figure_of(view, figure):
    """Return the data of a figure in a View as JSON; ValueError if it cannot be computed."""
    return {"kind": figure[0]} | _figure(view.page, tuple(sorted(view.query.items())), figure)


@lru_cache(maxsize=64)
def _figure(page, query, figure):
    kind, *words = figure
    return FIGURES[kind](View(page, dict(query)), *words)


def _question(view):
    return open_link(view.page, view.query).view


def _value(view, expression):
    return value_of(view, parse_expression(expression))


def _letters(view):
    """The images of a word, its right letters, and the emissions of all letters."""
    problem = runs.problem_of(_question(view).subject)
    if problem.images is None:
        raise ValueError("this word has no images")
    return {
        "images": problem.images.astype(int).tolist(),
        "gold": list(problem.gold or ()),
        "labels": list(problem.labels),
        "emissions": problem.log_emit.round(4).tolist(),
    }


def _scores(view, beginning=""):
    """The same; after a ``beginning`` also the window of each letter."""
    drawn = _letters(view)
    if not beginning:
        return drawn
    lattice, context, _ = _read(view, beginning)
    windows = lattice.score[context] - runs.problem_of(_question(view).subject).log_emit[len(beginning)]
    return drawn | {"beginning": beginning, "windows": windows.round(4).tolist()}


def _read(view, word):
    """The lattice of the first method, the context after ``word``, and (emission, window) of each of its labels."""
    question = _question(view)
    problem = runs.problem_of(question.subject)
    lattice = runs.finished_run(question.subject, question.methods[0], question.options, ()).lattice
    context, terms = 0, []
    for position, label in enumerate(word):
        if label not in problem.labels or position == problem.T:
            raise ValueError(f"{word!r} is no reading of {problem.T} labels")
        number = problem.labels.index(label)
        emission = float(problem.log_emit[position, number])
        terms.append((emission, float(lattice.score[context, number]) - emission))
        context = int(lattice.target[context, number])
    return lattice, context, terms


def _sum(view, *words):
    """Emission and window of each letter of a few readings, and their sum."""
    readings = [{"name": word, "terms": _read(view, word)[2]} for word in words]
    for reading in readings:
        reading["score"] = sum(map(sum, reading["terms"]))
    return {"images": _letters(view)["images"], "readings": readings}


def _masses(view, count, *words):
    """The most probable readings and ``words`` with their scores and shares, and the mass of all."""
    method = _question(view).methods[0].kind
    names = [_value(view, f"{method}.reading({rank})") for rank in range(1, int(count) + 1)]
    names += [word for word in words if word not in names]
    return {
        "readings": [
            {"name": name, "score": _value(view, f"{method}.score({name})"), "p": _value(view, f"{method}.p({name})")}
            for name in names
        ],
        "number": _value(view, "view.readings"),
        "logZ": _value(view, f"{method}.log_z"),
    }


def _seen(view, method, *words):
    """The share of all mass that a method has added up, and the shares of readings in all of it."""
    exact = "[method=exact]"
    return {
        "method": method,
        "budget": _value(view, f"{method}.budget"),
        "share": _value(view, f"{method}.seen"),
        "logZ": [_value(view, f"{method}.log_z"), _value(view, f"exact.log_z{exact}")],
        "readings": [
            {
                "name": word,
                "p": _value(view, f"exact.p({word}){exact}"),
                "own": _value(view, f"{method}.p({word})"),
            }
            for word in words
        ],
    }


def _cipher(view):
    """The message of a cipher in its symbols, and how often each occurs."""
    layout = subject_of(_question(view)).layout
    lines = [
        ["".join(item if isinstance(item, str) else layout.symbols[item] for item in group) for group in line]
        for line in layout.message
    ]
    counts = [(layout.symbols[symbol], int(layout.counts[symbol])) for symbol in layout.rows]
    return {"lines": [" ".join(line) for line in lines], "counts": counts}


FIGURES = {
    "letters": _letters,
    "scores": _scores,
    "sum": _sum,
    "masses": _masses,
    "seen": _seen,
    "cipher": _cipher,
}
