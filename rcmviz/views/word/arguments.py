"""What the views of a word are given: the runs, the right labels and the pictures, checked and as JSON has them."""

from collections.abc import Sequence

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.views.shared.plain import pixel_rows


def check_runs(runs, position):
    """ValueError unless there are one to three runs of one input, and the position is one of theirs."""
    if not 1 <= len(runs) <= 3:
        raise ValueError(f"{len(runs)} runs: the player shows one to three")
    first = runs[0].lattice
    for run in runs[1:]:
        if run.lattice.T != first.T or run.lattice.labels != first.labels:
            raise ValueError(f"run {run.name!r}: other positions or labels than {runs[0].name!r}; show one word")
    checks.whole("position", position, 1, first.T, f"choose 1 to {first.T}")


def spell_title(letters):
    """Letters as a title, empty for none."""
    return "".join(map(str, letters)) if isinstance(letters, Sequence) else ""


def gold_names(gold, lattice):
    """The right labels as a tuple of names, None where none are given; ValueError for what does not fit."""
    if gold is not None and (not hasattr(gold, "__len__") or isinstance(gold, np.ndarray) and not gold.ndim):
        raise ValueError(f"gold {gold!r}: give a label per position, or their letters")
    if gold is None or len(gold) == 0:
        return None
    if len(gold) != lattice.T:
        raise ValueError(f"gold has {len(gold)} labels, the lattice {lattice.T} positions")
    unknown = [label for label in gold if not isinstance(label, str) or label not in lattice.labels]
    if unknown:
        raise ValueError(f"gold label {unknown[0]!r} is not one of the labels")
    return tuple(gold)


def image_rows(images, length):
    """Pictures as rows of "0" and "1", one picture per position; or None."""
    if images is None:
        return None
    checks.same_length(images, "images", length, "positions")
    if any(np.ndim(image) != 2 for image in images):
        raise ValueError("images: give rows of pixels, 0 and 1, for each position")
    return pixel_rows(images)
