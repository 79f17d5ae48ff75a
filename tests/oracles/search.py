"""Search(a, f) as the notes write it, over prefixes of strings of steps; imports nothing of rcmviz.

``f`` scores a prefix (a tuple of steps), ``steps(prefix)`` are its possible next steps, with ``length`` steps it is
complete.
"""

import math


def search(steps, f, length, queue=math.inf, answers=1):
    """``(found, popped, dropped)``: complete prefixes, all that were popped, all that were dropped.

    The top is the highest score, of equals the longer, of those the one that was added first.
    """
    waiting, found, popped, dropped, added = [((), 0)], [], [], [], 1

    def rank(one):
        return f(one[0]), len(one[0]), -one[1]

    while waiting and len(found) < answers:
        top = max(waiting, key=rank)
        waiting.remove(top)
        popped.append(top[0])
        if len(top[0]) == length:
            found.append(top[0])
            continue
        for step in steps(top[0]):
            longer = (*top[0], step)
            if f(longer) > -math.inf:
                waiting.append((longer, added))
            added += 1
        kept = sorted(waiting, key=rank, reverse=True)
        while len(kept) > queue:
            dropped.append(kept.pop())
            waiting.remove(dropped[-1])
    return found, popped, [prefix for prefix, _ in dropped]


def best(steps, f, length):
    """Return the highest score of a complete prefix, by enumeration; −inf if none is possible."""
    whole = [()]
    for _ in range(length):
        whole = [(*prefix, step) for prefix in whole for step in steps(prefix)]
    return max(map(f, whole), default=-math.inf)
