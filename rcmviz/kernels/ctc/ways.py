"""The heaviest alignment into every context, frame by frame, and what it writes.

A state is a context and what the last frame is, numbered ``context · 2 + ends``.
"""

import numpy as np

from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.ctc.columns import BLANK, LABEL
from rcmviz.kernels.kernel import kernel, part
from rcmviz.kernels.rows import fill


@kernel(_nrt=False)
def heaviest(links, scores, best, came):
    """``best (C, 2)``: the heaviest alignment into each state, as a log; ``came (C, 2)``: the state before, −1: none.

    Ties go to the lower context, then to the blank, the label again, the lower new label.
    """
    links, scores, best, came = bare((links, scores, best, came))
    offset, stay, child, last = links.offset, links.stay, links.child, links.last
    emit, width = scores.emit, links.child.shape[1]
    fill(best.ravel(), -np.inf)
    fill(came.ravel(), -1)
    best[0, BLANK] = 0.0
    for t in range(emit.shape[0]):
        for c in range(offset[t], offset[t + 1]):
            for ends in range(2):
                here, state = best[c, ends], 2 * c + ends
                if here == -np.inf:
                    continue
                if stay[c] >= 0:
                    enter(best, came, stay[c], BLANK, here + emit[t, width], state)
                    if ends == LABEL:
                        enter(best, came, stay[c], LABEL, here + emit[t, last[c]], state)
                for a in range(width):
                    if child[c, a] >= 0 and not (ends == LABEL and a == last[c]):
                        enter(best, came, child[c, a], LABEL, here + emit[t, a] + scores.table[links.row[c], a], state)


@part(_nrt=False)
def enter(best, came, c, ends, found, state):
    """Take a heavier way into a state."""
    if found > best[c, ends]:
        best[c, ends] = found
        came[c, ends] = state


@kernel(_nrt=False)
def written(came, last, c, ends, output):
    """The labels that the heaviest alignment into a state writes, into the end of ``output``; returns where they begin.

    A frame that shows a label shows a new one, unless the frame before shows the same.
    """
    came, last, output = bare((came, last, output))
    begin = output.size
    while came[c, ends] >= 0:
        before, ended = came[c, ends] >> 1, came[c, ends] & 1
        if ends == LABEL and not (ended == LABEL and last[before] == last[c]):
            begin -= 1
            output[begin] = last[c]
        c, ends = before, ended
    return begin
