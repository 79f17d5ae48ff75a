"""Where the quiz of the player can ask: the same rule as ``quiz_questions.js``, for those who write a question down."""

from collections import Counter

KEPT, MERGED, DROPPED = 0, 1, 3  # of the fates


def why_not_asked(payload, position, run=None):
    """Why the quiz of a payload cannot ask about a position, as a sentence; None where it can.

    ``position`` from 1, None for any · ``run`` number of the method from 0, None for any.

    >>> import rcmviz as rv
    >>> from rcmviz.views import Run, build_payload
    >>> model = rv.NgramModel.from_windows("ab", 2, {("*", "a", "b"): 1.0})
    >>> lattice, trace = rv.rcms(model, [[0.2, 0.0]] * 4, budget=2)
    >>> payload = build_payload("aaab", [Run("RCMS", lattice, trace)])
    >>> why_not_asked(payload, 3) is None, why_not_asked(payload, 1)
    (True, 'the quiz asks about positions 2 to 3, where something is selected; 1 is none of them')
    """
    last = payload["T"] - 1
    if last < 2:
        return f"the quiz needs three positions or more, here are {last + 1}"
    if position is not None and not 2 <= position <= last:
        return f"the quiz asks about positions 2 to {last}, where something is selected; {position} is none of them"
    if run is not None and not 0 <= run < len(payload["runs"]):
        return f"there is no method {run + 1}"
    asked = payload["runs"] if run is None else payload["runs"][run : run + 1]
    places = range(2, last + 1) if position is None else [position]
    if any(_is_open(each, i) for each in asked for i in places):
        return None
    where = "anywhere" if position is None else f"at position {position}"
    return f"nothing can be predicted {where}: {' and '.join(each['name'] for each in asked)} keeps all, or draws"


def _is_open(run, position):
    """Whether a run keeps one and not another candidate that has a mass and a name of its own, and not at random."""
    sent = run["columns"][position].get("candidates")
    if run["draws"] or sent is None:
        return False
    names = list(zip(map(tuple, sent["labels"]), sent["length"], strict=True))
    often = Counter(names)
    fates = {
        fate for name, fate, mass in zip(names, sent["fate"], sent["mass"], strict=True) if mass and often[name] == 1
    }
    return KEPT in fates and bool(fates & {MERGED, DROPPED})
