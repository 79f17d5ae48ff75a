"""What the player's panel "Whose fault is it?" needs: a verdict per run, and later the strip of its budgets."""

from rcmviz.views.shared.plain import number

SEARCHING = {"searching": True}  # in place of a strip that is being made


def blame_part(blame):
    """A ``Blame`` as plain JSON, or None; scores in nats, None for −inf.

    ``own`` is the difference per position that the method itself compared, its lattice's.
    """
    if blame is None:
        return None
    own = blame.gold_own - blame.output_own if blame.output is not None else blame.gold_own
    return {
        "verdict": blame.verdict,
        "position": blame.position,
        "cause": blame.cause,
        "tie": blame.is_tie,
        "scores": [number(blame.gold_score), number(blame.output_score)],
        "margin": number(blame.margin),
        "ownMargin": number(blame.own_margin),
        "difference": [number(value) for value in blame.difference],
        "own": [number(value) for value in own],
    }


def strip_part(strip, budget):
    """A ``BudgetStrip`` as plain JSON; ``budget`` is what the run has now."""
    return strip.to_dict() | {"monotone": strip.is_monotone, "now": budget}
