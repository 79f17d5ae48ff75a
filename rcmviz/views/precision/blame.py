"""The verdicts on a method's mistakes → what the table of the precision view needs, as plain JSON."""

from rcmviz.core.builders.blame import VERDICTS
from rcmviz.views.shared.plain import number


def blame_rows(verdicts, most):
    """``counts`` of the ``VERDICTS``, in their order · ``rows``, per mistake ``[sequence, verdict, position, cause,
    margin, smallest]``: the verdict as its number; the margin in nats, None for ∞; the smallest budget, 0 where none up
    to ``most`` gives the gold, None where none was tried.

    ``verdicts`` is an ``evaluation.blame.Verdicts``.
    """
    return {
        "counts": [verdicts.counts[verdict] for verdict in VERDICTS],
        "rows": [_row(mistake) for mistake in verdicts.mistakes],
        "most": most,
    }


def _row(mistake):
    found = mistake.blame
    smallest = (mistake.smallest or 0) if mistake.searched else None
    verdict = VERDICTS.index(found.verdict)
    return [mistake.number, verdict, found.position, found.cause, number(found.margin), smallest]
