"""How far log Z is to be trusted: bounds and the weighted estimate for the view of a page."""

from functools import lru_cache

from pages.word import runs
from rcmviz.core.methods import USUAL_BUDGET
from rcmviz.views.word.trust import trust_part


def trust_of(settings):
    """What the player's panel draws, None where what-if edits give the methods full models of their own."""
    return _trust_payload(settings.subject, settings.methods, settings.options, settings.edits)


@lru_cache(maxsize=256)  # a class, each with a word of its own: a kilobyte each, and 43 ms to find
def _trust_payload(subject, methods, options, edits):
    labels = [edit for edit in edits if isinstance(edit.what, str)]
    if any(edit.of for edit in labels):
        return None
    problem = runs.problem_of(subject)
    finished = runs.all_finished(subject, methods, options, edits)
    shown = [(run.name, run.lattice, method.kind) for run, method in zip(finished, methods, strict=True)]
    budget = next((method.budget for method in methods if method.has_budget), USUAL_BUDGET)
    asked = {kind: [(edit.position, edit.what) for edit in labels if edit.kind == kind] for kind in ("pin", "forbid")}
    return trust_part(problem.model, problem.log_emit, shown, budget, **asked)
