"""What a payload leaves out when it is sent, because ``derived.js`` finds it again from the rest, bit for bit.

- A candidate's labels are those of its parent and one more, and the parent mostly is a context of the column before.
- The log of its mass is the sum of the logs of its factors. Logs have ten decimals, so in units of 1e-10 they are whole
  numbers, whose sums are exact; by how many units a sum of rounded logs misses the rounded sum is sent.
- Its emission is that of its label, and the mass of what is kept that of a context of the column.
- Shares are exponentials of logs, with six digits; those that are not sure to be rounded alike are sent.
"""

import math

KEPT = 0  # of the fates
UNITS = 1e10  # of one
MOST = 100_000  # of a log whose units are exact
FURTHEST = 9  # units that a sum may miss
DIGITS = 6  # of a share
SURE = 0.499999  # of its last digit: by less than what is left the exponentials of two machines differ


def without_derived(payload):
    """A payload of ``build_payload`` as it is sent, a new one.

    >>> import rcmviz as rv
    >>> from rcmviz.views import Run, build_payload
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    >>> whole = build_payload(None, [Run("RCMS", *rv.rcms(model, [[0.2, 0.0]] * 9, budget=2))])
    >>> [payload["runs"][0]["columns"][3]["forward"] for payload in (whole, without_derived(whole))]
    [[0.554062, 0.222969, 0.222969], None]
    """
    return payload | {"runs": [run | {"columns": _columns(run), "derives": True} for run in payload["runs"]]}


def _columns(run):
    columns = run["columns"]
    return [_column(run, column, above) for column, above in zip(columns, [None, *columns], strict=False)]


def _column(run, column, above):
    """A column as it is sent; ``above`` is the column before."""
    sums = column["sums"]
    forward = [_less(mass, sums["whole"]) for mass in sums["forward"]]
    posterior = [_less(_both(*logs), run["logZ"]) for logs in zip(sums["forward"], sums["backward"], strict=True)]
    sent = column | {
        "forward": _unsure(column["forward"], forward),
        "posterior": _unsure(column["posterior"], posterior),
    }
    if "candidates" not in column:
        return sent
    candidates = column["candidates"]
    held = {into for into, fate in zip(candidates["into"], candidates["fate"], strict=True) if fate == KEPT}
    own = [mass for place, mass in enumerate(sums["own"]) if place not in held]
    return sent | {"sums": sums | {"own": own}, "candidates": _candidates(candidates, sums["whole"], above)}


def _candidates(sent, whole, above):
    sums = sent["sums"]
    grown = [sums["parents"][parent][0][1] + 1 for parent in sums["parent"]]
    label = [labels[-1] for labels in sent["labels"]]
    first = [k for k, y in enumerate(label) if y not in label[:k]]
    return {
        "label": label,
        "most": None if sent["length"] == grown else max(sent["length"]),
        "mass": _unsure(sent["mass"], [_less(mass, whole) for mass in sums["mass"]]),
        **{field: value for field, value in sent.items() if field not in ("labels", "length", "mass", "sums")},
        "sums": sums
        | {
            "parents": _placed(sums["parents"], above),
            "emission": sums["emission"] and [sums["emission"][k] for k in first],
            "mass": _missed(sums),
        },
    }


def _placed(parents, above):
    """Parents by their place in the column before, with their id; as they are where they were not sent there."""
    known = zip(above["labels"], above["length"], above["sums"]["forward"], strict=True)
    places = {(tuple(labels), length, mass): place for place, (labels, length, mass) in enumerate(known)}
    found = [(places.get((tuple(labels), length, mass)), c) for (labels, length, c), mass in parents]
    return [parent if place is None else [place, c] for parent, (place, c) in zip(parents, found, strict=True)]


def _missed(sums):
    """By how many units each mass misses the sum of its factors, itself in brackets where it is none; None: by none."""
    parents = [sums["parents"][parent][1] for parent in sums["parent"]]
    factors = zip(parents, sums["window"], sums["emission"] or [0.0] * len(parents), strict=True)
    missed = [_missed_by(mass, logs) for mass, logs in zip(sums["mass"], factors, strict=True)]
    return missed if any(missed) else None


def _missed_by(mass, factors):
    if None in factors or mass is None:
        return 0 if None in factors and mass is None else [mass]
    off = round(mass * UNITS) - sum(round(log * UNITS) for log in factors)
    return off if abs(off) <= FURTHEST and max(map(abs, factors)) <= MOST else [mass]


def _less(log, by):
    """A log less another one, None where one of them is."""
    return None if log is None or by is None else log - by


def _both(log, other):
    return None if log is None or other is None else log + other


def _unsure(shares, logs):
    """``[[number, share], …]`` of the shares that are not sure to be found again from their logs; None: of none."""
    return [[k, share] for k, (share, log) in enumerate(zip(shares, logs, strict=True)) if not _is(share, log)] or None


def _is(share, log):
    """Whether a share is that exponential, rounded to six digits, whichever way the exponential is."""
    found = 0.0 if log is None else math.exp(min(log, 1.0))
    if not (found > 0 and share > 0):
        return found == share
    return abs(found - share) < SURE * 10.0 ** (math.floor(math.log10(min(found, share))) + 1 - DIGITS)
