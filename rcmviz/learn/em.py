"""EM for hidden labels that are written as unknown symbols: a known language model, emissions to be found.

A pass is one E-step, the expected number of times that each symbol was written for each label under the contexts that
RCMS, beam search or exact inference keeps, and one M-step, p(symbol | label) = (count + .01) / Σ. The emissions begin
uniform: position and length alone tell labels apart.
"""

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rcmviz.core.inference.batch import Search, fits_single, infer_in_double, run_kernels
from rcmviz.core.methods import OF_EM
from rcmviz.core.shared import checks
from rcmviz.core.shared.checks import MAX_POSITIONS
from rcmviz.core.shared.frozen import CopyableMixin, freeze
from rcmviz.kernels.chain.lane_state import Outputs
from rcmviz.kernels.learn.feature_sums import add_rows_at
from rcmviz.learn.discounting import END

SMOOTHING = 0.01
PIECE = 2_000  # positions between two looks at whether to stop


@dataclass(frozen=True, eq=False)
class Pass(CopyableMixin):
    """The result of one pass of EM, S symbols, Y labels without the end.

    ``number`` from 1 on · ``log_likelihood`` of all sequences at the emissions that the pass began with ·
    ``mean_length`` of the contexts, weighted by mass · ``counts (S, Y)`` expected · ``emission (S, Y)`` p(symbol |
    label), its columns sum to one · ``seconds``.
    """

    number: int
    log_likelihood: float
    mean_length: float
    counts: np.ndarray
    emission: np.ndarray
    seconds: float

    def __post_init__(self):
        freeze(self)


class EM:
    """EM that can be looked at, changed and stopped between passes.

    ``model`` an ``NgramModel`` whose last label is the end, as ``discounted_model`` makes it · ``sequences`` lists of
    symbol numbers 0 … S − 1 · ``method`` one of ``methods.OF_EM``, ``budget`` contexts · ``pins`` {symbol: label}, both
    numbers, of known symbols · ``emission (S, Y)`` to begin with, uniform else · ``smoothing`` of the emissions · ``S``
    how many symbols there are, if not all of them occur.
    Method, budget and pins may be changed between passes. ValueError where something does not fit.
    """

    def __init__(
        self,
        model,
        sequences,
        method="rcms",
        budget=60,
        *,
        pins=None,
        emission=None,
        smoothing=SMOOTHING,
        S=None,
        dtype="f4",
    ):
        if model.labels[-1] != END:
            raise ValueError(f"the last label of the model is {model.labels[-1]!r}, EM needs {END!r} to end with")
        never = "a number above 0, else a wrong guess can never be mended"
        checks.number("smoothing", smoothing, never, above=0, below=np.inf)
        self.model, self.smoothing, self.dtype = model, smoothing, dtype
        self.method, self.budget = method, budget
        stacked = _stack_sequences(sequences, S)
        self.symbols, self.offset, self.S = stacked.symbols, stacked.offset, stacked.S
        self.passes = 0
        start = np.full((self.S, self.Y), 1.0 / self.S) if emission is None else np.asarray(emission, np.float64)
        if start.shape != (self.S, self.Y):
            raise ValueError(f"emission of shape {start.shape}: {self.S} symbols and {self.Y} labels are expected")
        if not (np.isfinite(start) & (start >= 0)).all() or not start.any(axis=0).all():
            raise ValueError("emission: numbers from 0 on, of every label at least one above 0")
        self._free, self.pins = start, pins or {}

    @property
    def Y(self):
        """The number of labels without the end."""
        return len(self.model.labels) - 1

    @property
    def pins(self):
        """``{symbol: label}`` of known symbols."""
        return self._pins

    @pins.setter
    def pins(self, pins):
        self._pins = _check_pins(pins, self.S, self.Y)

    @property
    def emission(self):
        """p(symbol | label) (S, Y), pins included."""
        emission = self._free.copy()
        for symbol, label in self._pins.items():
            emission[symbol], emission[:, label] = 0.0, 0.0
            emission[symbol, label] = 1.0
        total = emission.sum(axis=0)  # 0 for a label that no symbol is left for
        return np.divide(emission, total, out=emission, where=total > 0)

    def advance(self, stop=None):
        """One pass; None where ``stop()``, asked every few hundred sequences, came true: then nothing has changed."""
        began = time.perf_counter()
        checks.choice("method", self.method, OF_EM)
        counts, out = np.zeros((self.S + 1, self.Y + 1)), np.zeros((len(self.offset) - 1, 3))
        emission = self._add_end(self.emission)
        for first, last in _pieces(self.offset):
            if stop is not None and stop():
                return None
            self._expect(slice(first, last), emission, counts, out[first:last])
        self._free = self._maximise(counts[:-1, :-1])
        self.passes += 1
        weights = np.maximum(np.diff(self.offset) - 1, 0)
        mean_length = float(np.average(out[:, 2], weights=weights)) if weights.any() else 0.0
        seconds = time.perf_counter() - began
        found = counts[:-1, :-1].copy(), self.emission
        return Pass(self.passes, float(out[:, 0].sum()), mean_length, *found, seconds)

    def run(self, passes, stop=None):
        """A generator of one ``Pass`` after the other."""
        for _ in range(passes):
            state = self.advance(stop)
            if state is None:
                return
            yield state

    def log_emit(self, sequence):
        """Log emissions (T + 1, Y + 1) of one sequence and its end, for the builders."""
        with np.errstate(divide="ignore"):
            return np.log(self._add_end(self.emission)[[*sequence, self.S]])

    def _add_end(self, emission):
        """Emissions (S + 1, Y + 1) with the end as an additional label and symbol."""
        table = np.zeros((self.S + 1, self.Y + 1))
        table[:-1, :-1], table[-1, -1] = emission, 1.0
        return table

    def _expect(self, piece, emission, counts, out):
        """Add up the posteriors of the positions of some sequences by their symbols."""
        offset = self.offset[piece.start : piece.stop + 1]
        symbols, offset = self.symbols[offset[0] : offset[-1]], offset - offset[0]
        how = Search(self.method, self.budget)
        with np.errstate(divide="ignore"):
            log_emission = np.log(emission)
        is_single = self.dtype == "f4" and fits_single(self.model, log_emission, offset, how)
        posterior = np.zeros((len(symbols), emission.shape[1]), "f4" if is_single else "f8")
        outputs = Outputs(np.zeros(0, np.int64), out, posterior)
        if is_single:
            run_kernels(self.model, emission.astype("f4")[symbols], offset, how, outputs)
        else:
            out[:] = np.nan
        again = np.isnan(out[:, 0])
        if again.any():
            infer_in_double(self.model, log_emission[symbols], offset, again, how, outputs)
        add_rows_at(posterior, symbols, counts)

    def _maximise(self, counts):
        smooth = counts + self.smoothing
        return smooth / smooth.sum(axis=0)


class _Stacked(NamedTuple):
    """Symbols of all sequences with their ends (N,), offsets (W+1,), and S; the end is symbol S."""

    symbols: np.ndarray
    offset: np.ndarray
    S: int


def _stack_sequences(sequences, S):
    sequences = [np.asarray(sequence, np.int64) for sequence in sequences]
    if not sequences or min(map(len, sequences)) == 0:
        raise ValueError("EM needs at least one sequence, and none may be empty")
    longest = max(map(len, sequences))
    if longest >= MAX_POSITIONS:
        raise ValueError(f"a sequence of {longest:,} symbols: the limit is {MAX_POSITIONS - 1:,}; split it")
    if min(sequence.min() for sequence in sequences) < 0:
        raise ValueError("symbols are numbers from 0 on")
    highest = int(max(sequence.max() for sequence in sequences))
    S = highest + 1 if S is None else S
    if highest >= S:
        raise ValueError(f"symbol {highest}: there are {S} symbols, numbered from 0 on")
    symbols = np.concatenate([part for sequence in sequences for part in (sequence, [S])])
    offset = np.concatenate([[0], np.cumsum([len(sequence) + 1 for sequence in sequences])])
    return _Stacked(symbols, offset.astype(np.int64), S)


def _check_pins(pins, S, Y):
    for symbol, label in pins.items():
        if symbol not in range(S) or label not in range(Y):
            raise ValueError(f"pin {symbol!r}: {label!r}: symbols are 0 to {S - 1}, labels 0 to {Y - 1}")
    if len(set(pins.values())) < len(pins):
        raise ValueError("two symbols are pinned to one label; the cipher is one to one: free one of them")
    return dict(pins)


def _pieces(offset):
    """``(first, last)`` runs of sequences with about ``PIECE`` positions each."""
    first = 0
    while first < len(offset) - 1:
        last = max(int(np.searchsorted(offset, offset[first] + PIECE, side="right")) - 1, first + 1)
        yield first, last
        first = last
