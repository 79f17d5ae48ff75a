"""A finished table of alignments, frame by frame: the candidates, their fates, and the best output so far.

Nothing is recorded while frames are read: a table has the contexts, their masses and their links, so that the
candidates of a frame are proposed again when they are read.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.ctc_decoding import search
from rcmviz.ctc_decoding.alignments import Alignments, room
from rcmviz.ctc_decoding.contexts import NO_OUTLOOK
from rcmviz.kernels.ctc import columns, sweeps

NEAREST = 3  # heaviest contexts whose heaviest alignments give the best output so far
REMEMBERED = 64  # beginnings of outputs whose masses are kept
BYTES = np.dtype(np.int64).itemsize  # of a label


@dataclass(frozen=True, eq=False)
class Proposals(CopyableMixin):
    """The candidates of the contexts before a frame: their strings, and the destination of their mass."""

    keys: np.ndarray  # (N,)
    log_mass: np.ndarray  # (N,) over both ways to end
    into: np.ndarray  # (N,) number of the context after the frame, −1: dropped

    def __post_init__(self):
        freeze(self)


class Replay:
    """The frames of ``Alignments``, counted 1 … T; after frame t stands column t."""

    def __init__(self, table: Alignments):
        self.table = table
        self.beginnings = {
            b"": search.empty_beginning(table, self._context_values, self._drop)
        }  # by their labels as bytes

    def column(self, t):
        """The contexts after t frames, as a slice."""
        return slice(*self.table.links.offset[t : t + 2].tolist())

    def candidates(self, t):
        """The ``Proposals`` of frame t, those of no mass left out."""
        table, before = self.table, self.column(t - 1)
        links = table.links
        keys, count = table.keys[before].copy(), before.stop - before.start
        space = room((count + 1) * (table.width + 1))
        last, row, alpha = links.last[before].copy(), links.row[before].copy(), table.alpha[before].copy()
        context = columns.Contexts(keys, table.names.grown(keys), last, row, alpha)
        number = np.empty((count, table.width), np.int32)
        scores = columns.Scores(self.scores, NO_OUTLOOK)
        total = columns.propose(context, scores, table.scores.emit[t - 1], space, number)
        into = np.full(total, columns.DROPPED, np.int64)
        grown = number != columns.DROPPED
        into[number[grown]] = links.child[before][grown]
        into[:count] = links.stay[before]
        either = np.logaddexp(space.mass[:total, columns.BLANK], space.mass[:total, columns.LABEL])
        possible = either > -np.inf
        return Proposals(space.keys[:total][possible], either[possible], into[possible])

    @cached_property
    def scores(self):
        """The scores of labels, writable as they were when frames were read: the kernel is compiled for that alone."""
        return self.table.scores.table.copy()

    @cached_property
    def _heaviest(self):
        best, came = np.empty_like(self.table.alpha), np.empty(self.table.alpha.shape, np.int64)
        sweeps.heaviest(self.table.links, self.table.scores, best, came)
        return best, came

    def ahead(self, t):
        """``(labels (n,), share)`` of the most probable output after t frames, among those of the heaviest alignments.

        These lead into the three heaviest contexts; of a beam, whose contexts are outputs, it is the most probable one.
        The share is that of all alignments so far which write exactly this.
        """
        column, (best, came) = self.column(t), self._heaviest
        mass = np.logaddexp(self.table.alpha[column, 0], self.table.alpha[column, 1])
        nearest = np.argsort(-mass, kind="stable")[:NEAREST] + column.start
        found = {self._output_of(c, int(best[c].argmax()), came, t) for c in nearest.tolist()}
        total = np.logaddexp.reduce(mass)
        labels, log_mass = max(
            ((one, self._prefix_masses(one).after(t)) for one in sorted(found)), key=lambda one: one[1]
        )
        share = float(np.exp(log_mass - total)) if total > -np.inf else 0.0
        return np.frombuffer(labels, np.int64), share

    def _output_of(self, c, ends, came, t):
        output = np.empty(t, np.int64)
        return output[sweeps.written(came, self.table.links.last, c, ends, output) :].tobytes()

    def so_far(self, labels, t):
        """Log of the summed scores of the alignments that write these labels in t frames."""
        return self._prefix_masses(np.array(labels, np.int64).tobytes()).after(t)

    @property
    def _drop(self):
        return search.DROP if self.table.frames > search.SHORT else search.EVERYTHING

    @cached_property
    def _context_values(self):
        """The log of a mass as a share of its column, or of all alignments where that is more."""
        table, total = self.table, np.full(self.table.frames + 1, -np.inf)
        column = np.repeat(np.arange(len(total)), np.diff(table.links.offset))
        np.logaddexp.at(total, column, np.logaddexp(*table.alpha.T))
        worth = -np.where(total > -np.inf, total, 0.0)[column, None]
        posterior = table.beta - table.log_z if table.log_z > -np.inf else np.full_like(table.beta, -np.inf)
        worth = np.maximum(worth, posterior)
        worth.setflags(write=False)
        return worth

    def _prefix_masses(self, labels):
        """The masses of labels, as bytes, as the beginning of an output; the most recently used are kept."""
        known = next(k for k in range(len(labels), -1, -BYTES) if labels[:k] in self.beginnings)
        found = self.beginnings[labels[:known]]
        for label in np.frombuffer(labels[known:], np.int64).tolist():
            found = search.extend_beginning(self.table, self._context_values, found, label, self._drop)
            self.beginnings[labels[: BYTES * len(found.labels)]] = found
        while len(self.beginnings) > REMEMBERED:
            self.beginnings.pop(next(one for one in self.beginnings if one))
        return found

    def way(self, symbols):
        """The context after each of 0 … T frames along an alignment, (T + 1,); −1 from where it was dropped."""
        links = self.table.links
        at, before = np.zeros(len(symbols) + 1, np.int64), self.table.width
        for t, symbol in enumerate(symbols):
            is_new = symbol not in (self.table.width, before)
            c = at[t]
            at[t + 1] = -1 if c < 0 else links.child[c, symbol] if is_new else links.stay[c]
            before = symbol
        return at

    def lost_at(self, labels):
        """The frame after which no beginning of this output is left among the contexts, None where the output is."""
        alive, here = np.zeros(self.table.frames + 1, bool), search.empty_beginning(self.table, self._context_values)
        for label in (*labels, None):
            alive[here.first : here.first + len(here.at)] |= (here.mass > -np.inf).any(axis=(1, 2))
            if label is not None:
                here = search.extend_beginning(self.table, self._context_values, here, label)
        if here.after(self.table.frames) > -np.inf:
            return None
        return int(np.append(np.flatnonzero(~alive), self.table.frames)[0])
