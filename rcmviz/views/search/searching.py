"""Searches of one problem as JSON for the Search view: every pop of some of them, and a race of all."""

from dataclasses import dataclass

import numpy as np

from rcmviz.views.word.payload import digest, number

MOST_POPS = 400  # most pops shown of a search
QUEUED, LOST = 12, 3  # hypotheses shown after a pop: of the queue, of the lost ones
FATES = ("queued", "popped", "dropped", "joined", "impossible")  # as SearchTrace numbers them
DROPPED, IMPOSSIBLE = FATES.index("dropped"), FATES.index("impossible")


@dataclass(frozen=True, eq=False)
class Searched:
    """A finished search and its texts on screen.

    ``search`` a search or a ``Kept`` · ``method`` its key, for colour and mark · ``name`` to show · ``takes`` name of
    the item that a pop takes · ``note`` on the search · ``loses`` how hypotheses are lost · ``known`` (labels, score)
    of the answer, None to read them from the trace.
    """

    search: object
    method: str
    name: str
    takes: str
    note: str
    loses: str = "fell off the full queue"
    known: tuple | None = None

    def answer(self, n):
        """(Labels, score) of a complete hypothesis; ``known`` if given, as a context may remember only a part."""
        trace = self.search.trace
        return self.known or (trace.steps(n), trace.score[n])


def build_searching(
    searches, race, best, *, title, gold=None, images=None, inputs=None, glue="", noun="letter", code=None
):
    """Build the payload of the Search view.

    ``searches`` ``Searched`` of one problem; the view opens with the first · ``race`` [{method, name, points}] with
    points (expansions, score) · ``best`` {labels, score} of the best output, ``gold`` the right one or None, both
    as names · ``images`` rows of 0 and 1 per letter, or ``inputs``, a text per position · ``glue`` between labels,
    ``noun`` what a label is.
    """
    steps = {trace.step(n) for trace in (one.search.trace for one in searches) for n in range(1, len(trace.parent))}
    names = list(dict.fromkeys([*best["labels"], *(gold or ()), *sorted(steps)]))
    number_of = {name: n for n, name in enumerate(names)}
    along = [[number_of[name] for name in labels] for labels in (best["labels"], gold or ())]
    runs = [_run(one, number_of, along) for one in searches]
    proving = next((run for run in runs if run["proves"]), None)
    payload = {
        "kind": "search",
        "title": title,
        "labels": names,
        "glue": glue,
        "noun": noun,
        "output": {"letter": "word", "word": "message"}.get(noun, "output"),
        "T": len(along[0]),
        "best": {"labels": along[0], "score": number(best["score"])},
        "gold": along[1] or None,
        "images": images,
        "inputs": inputs,
        "runs": runs,
        "race": [one | {"points": [[int(n), number(score)] for n, score in one["points"]]} for one in race],
        "bound": proving and [[pop, value] for pop, value in enumerate(proving["bound"], start=1)],
        "code": code,
    }
    return payload | {"id": digest(payload)}


def _run(searched, number_of, along):
    """A search as JSON: pops numbered from 1 on, shown hypotheses renumbered, the others left out."""
    trace = searched.search.trace
    pops = trace.pops[:MOST_POPS]
    last = len(pops)
    proof = len(trace) if searched.search.proved and len(trace) == last else None
    born = np.where(trace.parent >= 0, trace.at[trace.parent] + 1, 0)
    gone = np.where((trace.at >= 0) & (trace.at < last), trace.at + 1, -1)
    right = _begins_output(trace, number_of, along[0])
    shown = (_shown_hypotheses(trace, born, gone, last) | right | _begins_output(trace, number_of, along[1])) & (
        born <= last
    )
    shown = np.flatnonzero(_add_parents(trace, shown & (trace.fate != IMPOSSIBLE)))
    place = np.full(len(born), -1)
    place[shown] = np.arange(len(shown))
    lost = np.bincount(gone[(trace.fate == DROPPED) & (gone > 0)], minlength=last + 1)[1:]
    answers = [n for n in pops.tolist() if trace.complete[n]]
    return {
        "method": searched.method,
        "name": searched.name,
        "takes": searched.takes,
        "note": searched.note,
        "loses": searched.loses,
        "size": trace.settings.get("queue"),
        "proves": searched.search.promised,
        "proof": proof,
        "opening": _opening_pop(proof, gone[right & (trace.fate == DROPPED)], gone[answers], last),
        "cut": len(trace) - last,
        "pops": place[pops].tolist(),
        "queue": trace.queue[:last].tolist(),
        "lost": lost.tolist(),
        "bound": _numbers(trace.bound[:last]),
        "answers": [
            {"pop": int(gone[n]), "labels": [number_of[name] for name in labels], "score": number(score)}
            for n, (labels, score) in ((n, searched.answer(n)) for n in answers)
        ],
        "nodes": _columns(trace, shown, place, born, gone, number_of) | {"right": right[shown].tolist()},
    }


def _columns(trace, shown, place, born, gone, number_of):
    made = np.bincount(trace.parent[1:][trace.fate[1:] != IMPOSSIBLE], minlength=len(place))
    return {
        "parent": place[np.maximum(trace.parent[shown], 0)].tolist(),
        "label": [number_of[trace.step(n)] if trace.parent[n] >= 0 else -1 for n in shown.tolist()],
        "score": _numbers(trace.score[shown]),
        "rest": _numbers(trace.rest[shown]),
        "born": born[shown].tolist(),
        "gone": gone[shown].tolist(),
        "fate": [FATES[fate] for fate in trace.fate[shown].tolist()],
        "made": made[shown].tolist(),
        "complete": trace.complete[shown].tolist(),
    }


def _opening_pop(proof, lost, found, last):
    """The pop to open at: the loss of the best output's path, else the proof or the discovery of the answer."""
    return int(min([*lost[lost > 0], *([proof] if proof else []), *found[:1], last]))


def _shown_hypotheses(trace, born, gone, last):
    """The hypotheses to show: popped ones, the first of the queue, and the best of the lost ones."""
    found = np.zeros(len(born), dtype=bool)
    found[trace.pops[:last]] = True
    order = np.argsort(-trace.total, kind="stable")
    for pop in range(1, last + 1):
        queued = order[(born[order] <= pop) & ((gone[order] < 0) | (gone[order] > pop))]
        found[queued[:QUEUED]] = True
        found[trace.dropped(pop - 1)[:LOST]] = True
    return found


def _begins_output(trace, number_of, labels):
    """Which hypotheses begin an output with these labels."""
    found = np.zeros(len(trace.parent), dtype=bool)
    found[0] = True
    for n in range(1, len(found)):
        depth = int(trace.depth[n])
        if found[trace.parent[n]] and depth <= len(labels):
            found[n] = number_of[trace.step(n)] == labels[depth - 1]
    return found


def _add_parents(trace, chosen):
    for n in np.flatnonzero(chosen)[::-1].tolist():
        while (n := int(trace.parent[n])) > 0 and not chosen[n]:
            chosen[n] = True
    chosen[0] = True
    return chosen


def _numbers(values):
    return [number(value) for value in np.asarray(values).tolist()]
