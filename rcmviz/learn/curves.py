"""A training as its curves: HTML that needs no style sheet, in the colours of the page that it stands on."""

from html import escape
from math import isfinite

from rcmviz.core.methods import MethodChoice

WIDTH, HEIGHT, EDGE = 210, 90, 4  # pixels of a curve, and what its line keeps away from the frame


def training_text(trainer):
    """A line on the state of a training.

    >>> import rcmviz as rv
    >>> data = rv.Sequences.from_arrays([[[1.0], [0.0]]], ["ab"], "ab")
    >>> training_text(rv.Trainer(data, rv.Training(order=1, budget=2, epochs=2)))
    'Trainer: RCMS 2, 0 of 2 examples'
    """
    choice = MethodChoice(trainer.settings.method, trainer.settings.budget)
    return f"Trainer: {choice.name}, {trainer.step:,} of {trainer.settings.epochs * len(trainer.data):,} examples"


def training_html(trainer):
    """A training so far: one curve per measure, from state to state."""
    measures = {
        trainer.settings.measured: "log_likelihood",
        "accuracy, held out": "accuracy",
        "labels remembered": "mean_length",
        "share of golds lost": "lost",
    }
    curves = [_curve(title, _points(trainer.history, name)) for title, name in measures.items()]
    drawn = "".join(f'<div style="margin:4px 16px 4px 0">{curve}</div>' for curve in curves if curve)
    below = drawn or "<div>No examples yet: advance() visits the next ones.</div>"
    return (
        f"<div><b>{escape(training_text(trainer))}</b>"
        f'<div style="display:flex;flex-wrap:wrap;font-size:12px">{below}</div></div>'
    )


def _points(history, name):
    """``[(examples, value)]`` for known values."""
    return [(state["step"], state[name]) for state in history if isfinite(state[name])]


def _curve(title, points):
    """A measure under its title, with its last value; None without points or if a share is always 0."""
    if not points or (title.startswith("share") and not any(value for _, value in points)):
        return None
    steps, values = zip(*points, strict=True)
    low, high = min(values), max(values)
    across = (WIDTH - 2 * EDGE) / max(1, steps[-1] - steps[0])
    up = (HEIGHT - 2 * EDGE) / ((high - low) or 1)
    line = " ".join(f"{EDGE + (x - steps[0]) * across:.1f},{HEIGHT - EDGE - (y - low) * up:.1f}" for x, y in points)
    said = f"{title}: from {values[0]:.3g} to {values[-1]:.3g} after {steps[-1]:,} examples"
    return (
        f"<div>{escape(title)} <b>{values[-1]:.3g}</b></div>"
        f'<svg width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{escape(said)}">'
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" fill="none" stroke="currentColor" '
        f'stroke-opacity="0.25"/><polyline points="{line}" fill="none" stroke="#1f77b4" stroke-width="2"/></svg>'
        f'<div style="opacity:0.7">{low:.3g} … {high:.3g}</div>'
    )
