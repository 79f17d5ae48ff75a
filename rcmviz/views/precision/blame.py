"""The verdicts on a method's mistakes as JSON for the table of the precision view."""

from rcmviz.core.builders.blame import VERDICTS
from rcmviz.views.shared.plain import number


def blame_rows(verdicts, most):
    """Build the rows of the table of mistakes from an ``evaluation.blame.Verdicts``.

    Returns ``counts`` of the ``VERDICTS``, in their order, and ``rows``, per mistake ``[sequence, verdict, position,
    cause, margin, smallest]``: the verdict by its index; the margin in nats, None for ∞; the smallest budget, 0 if none
    up to ``most`` gives the gold, None if none was tried.
    """
    return {
        "counts": [verdicts.counts[verdict] for verdict in VERDICTS],
        "rows": [_blame_row(mistake) for mistake in verdicts.mistakes],
        "most": most,
    }


def _blame_row(mistake):
    found = mistake.blame
    smallest = (mistake.smallest or 0) if mistake.searched else None
    verdict = VERDICTS.index(found.verdict)
    return [mistake.number, verdict, found.position, found.cause, number(found.margin), smallest]
