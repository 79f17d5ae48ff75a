"""Whose fault it is, on Step, Compare and Your own example: verdicts at once, strips of budgets when they are found.

A strip takes up to a second per method, most of it Python's: it is searched beside the page, by a process where there
is one, so that nobody waits for it, and for those who stay, so that what a class passes by costs nothing.
"""

from functools import lru_cache, partial

import rcmviz as rv
from pages.shell.background import BackgroundThread
from pages.shell.computing import compute
from pages.word import runs
from pages.word.edits import edits_of_method
from rcmviz.core.builders.budgets import max_budget_in_a_second
from rcmviz.views.word.blame import SEARCHING, strip_part

SECONDS_PER_POSITION = 4e-4  # of a word with one budget: 26 letters with 143 budgets took 1.2 s

_SEARCHES = BackgroundThread("budgets")


def strips_of(settings):
    """Per run that is shown its strip as JSON, ``SEARCHING`` until it is found, None without a gold or a budget.

    Earlier passes have none, and the expert, who would take minutes.
    """
    searches = _searches_of(settings)
    shown = [_shown_strip(search, method) for search, method in zip(searches, settings.methods, strict=True)]
    if len(shown) == 1 and settings.options.every_pass:
        finished = runs.all_finished(settings.subject, settings.methods, settings.options, settings.edits)
        shown = [None] * (len(runs.passes_of(finished[0])) - 1) + shown
    return shown


def _shown_strip(search, method):
    if search is None or not search.done():
        return search and SEARCHING
    strip = search.result()
    return None if strip is None else strip_part(strip, method.budget)


def found_strips(settings):
    """The same, waiting for those that are being searched: for what is taken home."""
    for search in _searches_of(settings):
        if search is not None:
            search.result()
    return strips_of(settings)


def look_again(settings, shown):
    """Run the page once more when more strips are found than those ``shown``; nothing where they are all."""
    left = shown.count(SEARCHING)
    if left:
        searches = [search for search in _searches_of(settings) if search is not None]
        _SEARCHES.rerun_on_news(searches, lambda: strips_of(settings).count(SEARCHING) < left)


def _searches_of(settings):
    return [_search_of(settings, *each) for each in enumerate(settings.methods, 1)]


def _search_of(settings, number, method):
    is_slow = settings.options.options_of(method.entry).get("select") == "expert"
    if not method.has_budget or is_slow or runs.problem_of(settings.subject).gold is None:
        return None
    return _search(settings.subject, method.kind, settings.options, edits_of_method(settings.edits, number))


@lru_cache(maxsize=128)
def _search(subject, kind, options, edits):
    """The search for a strip; the same for every budget that the method has now."""
    return _SEARCHES.task(_strip, subject, kind, options, edits)


def _strip(subject, kind, options, edits):
    problem = runs.problem_of(subject)
    call, _ = runs.builder_call(kind, options, edits)
    most = max_budget_in_a_second(problem.log_emit)
    search = partial(rv.budget_strip, problem.model, problem.log_emit, problem.gold, kind, most=most, **call)
    try:
        return compute(most * problem.T * SECONDS_PER_POSITION, search)
    except ValueError:  # a budget with which the method finds nothing, or that takes too much; the run
        return None  # says which
