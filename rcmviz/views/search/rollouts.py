"""Iterations of SEARN on one sequence as JSON for the SEARN view."""

from rcmviz.views.word.payload import digest, number

EARLIER = 4  # earlier errors that are distinguished; more are counted together
MOST_ROWS = 14  # most actions that are drawn


def build_searn(explained, inputs, compounding, progress, *, title, images=None, noun="word", opening=1, code=None):
    """Build the payload of the SEARN view.

    ``explained`` a ``SearchExplanation`` of the same sequence for each iteration, the first one draws from the oracle
    alone · ``inputs`` a text per position, ``images`` rows of 0 and 1 · ``compounding`` [(method, name,
    ``Compounding``)] · ``progress`` [{method, name, points [(iteration, share of labels that are right)]}] ·
    ``noun`` what a position is called · ``opening`` the iteration that is shown first, from 1 on.
    """
    first = explained[0]
    rows = _rows(explained)
    iterations = [_iteration(k, one, rows) for k, one in enumerate(explained, start=1)]
    payload = {
        "kind": "searn",
        "title": title,
        "words": list(inputs),
        "images": images,
        "noun": noun,
        "labels": first.labels,
        "gold": first.gold,
        "actions": rows,
        "others": len(first.labels) - len(rows),
        "iterations": iterations,
        "first": opening,
        "earlier": EARLIER,
        "opening": _position(iterations[opening - 1], first.gold, rows),
        "compounding": [_curve(*one) for one in compounding],
        "progress": [one | {"points": [[k, number(share)] for k, share in one["points"]]} for one in progress],
        "code": code,
    }
    return payload | {"id": digest(payload)}


def _rows(explained):
    """The drawn actions: right ones, those that a policy took or would take, and the cheapest others."""
    wanted = set(explained[0].gold)
    for one in explained:
        wanted.update(one.roll_in, *one.actions)
    width = len(explained[0].labels)
    mean = [sum(row[a] for one in explained for row in one.cost) for a in range(width)]
    for a in sorted(range(width), key=mean.__getitem__):
        if len(wanted) < MOST_ROWS:
            wanted.add(a)
    return sorted(wanted)


def _iteration(k, one, rows):
    regrets = [row[a] - min(row) for row in one.cost for a in rows]
    return {
        "name": f"iteration {k}",
        "mixture": [[policy, number(share)] for policy, share in enumerate(one.mixture)],
        "rollin": [{"label": y, "policy": policy} for y, policy in zip(one.roll_in, one.acted, strict=True)],
        "costs": [[number(row[a]) for a in rows] for row in one.cost],
        "most": number(max(regrets)),
        "ends": [[_end(one, i, a) for a in rows] for i in range(len(one.gold))],
        "decisions": one.decisions,
        "unshared": one.decisions_without_sharing,
    }


def _end(one, i, a):
    """The labels after an action: its own roll-out until it joins the shared path, then the shared path."""
    return [*one.way[i][a][1:], *one.rest[i][one.joined[i][a] :]]


def _position(iteration, gold, rows):
    """The position to open at, from 1 on: one where the right label is not cheapest, else the most expensive."""
    regrets = [row[rows.index(y)] - min(row) for row, y in zip(iteration["costs"], gold, strict=True)]
    spreads = [max(row) - min(row) for row in iteration["costs"]]
    return 1 + max(range(len(gold)), key=lambda i: (regrets[i], spreads[i]))


def _curve(method, name, found):
    """[earlier errors, wrong labels, all labels]; the last row includes all higher numbers of errors."""
    few = slice(0, EARLIER)
    wrong, count = ([*values[few], sum(values[EARLIER:])] for values in (found.errors, found.positions))
    points = [[e, *pair] for e, pair in enumerate(zip(wrong, count, strict=True)) if pair[1]]
    return {"method": method, "name": name, "points": points}
