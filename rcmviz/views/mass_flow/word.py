"""What shows the runs of one word: the mass-flow picture, and the player's payload as its details."""

import numpy as np

from rcmviz.views.mass_flow.payload import build_mass_flow
from rcmviz.views.word.payload import build_payload

BOTH = {"position", "gold", "images", "title", "code", "tokens"}
PICTURE = {"phase", "exact", "unit", "noun", "follow"}
MOST_ARCS = 500_000  # of a run; the picture of exact inference on four letters (475,254) takes 0.4 s of CPU time
ALONE = ("version", "id", "subject", "title", "T", "code", "position")  # what a page needs of the player alone


def is_large(lattice):
    """Whether a lattice has more than ``MOST_ARCS`` arcs."""
    return bool(np.count_nonzero(lattice.target >= 0) > MOST_ARCS)


def build_word(word, runs, *, earlier=None, **options):
    """The payload of ``build_mass_flow`` with that of ``build_payload`` as ``player``; each takes its own options.

    ``earlier`` the runs before the last what-if edit, which the picture compares with those of now.

    A run of more than ``MOST_ARCS`` arcs has no picture: the payload then has the ``player`` and no ``runs``.

    >>> import rcmviz as rv
    >>> from rcmviz.views import Run
    >>> lattice, trace = rv.rcms(rv.NgramModel.from_windows("ab", 1, {}), [[0.5, 0.0]] * 3, budget=1)
    >>> payload = build_word("aab", [Run("RCMS 1", lattice, trace)], phase="cut", reveal=True)
    >>> payload["phase"], payload["player"]["reveal"]
    ('cut', True)
    """
    runs = list(runs)
    picture = {name: value for name, value in options.items() if name in BOTH | PICTURE}
    details = {name: value for name, value in options.items() if name not in PICTURE}
    shown = build_payload(word, runs, **details)  # it has the stricter rules, and reports faults first
    if any(is_large(run.lattice) for run in runs):
        return {name: shown[name] for name in ALONE} | {"player": shown}
    payload = build_mass_flow(word, runs, **picture) | {"player": shown}
    if earlier and len(earlier) == len(runs) and not any(is_large(run.lattice) for run in earlier):
        payload["earlier"] = build_mass_flow(word, earlier, gold=options.get("gold"))["runs"]
    return payload
