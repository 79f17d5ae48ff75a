"""The result of decoding frames: the best output, its confidence, the next best, and the place of each label."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rcmviz.core.lattices import printed
from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin
from rcmviz.ctc_decoding import search
from rcmviz.ctc_decoding.alignments import Alignments

# Beginnings of one length that are opened in search of the best output, fewer the more frames there are. 600 noisy
# frames are read alike with 100, 10 and 1.
MOST, LEAST, FRAMES = 100, 12, 2_000_000
SHOWN = 5  # outputs of a table


class Word(NamedTuple):
    """A word of an output, its first frame and the one after its last."""

    text: str
    start: int
    stop: int


@dataclass(frozen=True, eq=False)
class Output:
    """One output of a transcript.

    Attributes
    ----------
    labels : tuple of str
        Its labels, repeats joined and blanks left out.
    log_score : float
        Log of the summed scores of its alignments, in nats.
    log_prob : float
        Log probability in nats: log_score − log Z.
    """

    labels: tuple[str, ...]
    log_score: float
    log_prob: float

    @property
    def text(self) -> str:
        """The labels, written together."""
        return "".join(self.labels)

    @property
    def confidence(self) -> float:
        """Probability, 0 to 1."""
        return float(np.exp(min(self.log_prob, 0.0)))


@dataclass(frozen=True, eq=False)
class Transcript(CopyableMixin):
    """The result of ``ctc``; outputs have their probability summed over all alignments that the kept contexts have.

    Parameters
    ----------
    label_names : tuple of str, length V
        The names of all labels.
    blank : int
        Column of the blank in the frames.
    method : str
        How contexts were kept: exact, beam or rcms.
    budget : int
        How many a frame has.
    alignments : Alignments
        The contexts and their links.

    Examples
    --------
    >>> import rcmviz as rv
    >>> read = rv.ctc(np.log([[0.6, 0.1, 0.3], [0.5, 0.2, 0.3], [0.1, 0.7, 0.2]]), "ab")
    >>> read.text, round(read.confidence, 3), read.frames.tolist()
    ('ab', 0.549, [[0, 2], [2, 3]])
    """

    label_names: tuple[str, ...]
    blank: int
    method: str
    budget: int
    alignments: Alignments = field(repr=False)

    def __repr__(self):
        return f"<Transcript: {self._summary()}>"

    def _summary(self):
        how = self.method if self.method == "exact" else f"{self.method} {self.budget}"
        return f"{self.alignments.frames:,} frames, {len(self.label_names):,} labels, {how}"

    def _repr_html_(self):
        if self.log_z == -np.inf:
            return printed.line_html(self)
        best = self.nbest(SHOWN)
        rows = [
            (printed.code_html(one.text), f"{one.confidence:.3f}", printed.bar_html(one.confidence)) for one in best
        ]
        rest = max(0.0, 1 - sum(one.confidence for one in best))
        caption = f"Most probable outputs, log Z {self.log_z:.3f}"
        return printed.table_html(f"Transcript: {self._summary()}", caption, rows, f"all others: {rest:.3f}")

    @property
    def log_z(self) -> float:
        """Log of the summed scores of all outputs, in nats; −inf where none is possible."""
        return self.alignments.log_z

    @property
    def _most(self):
        """The number of prefixes of one length that are opened."""
        return min(max(FRAMES // self.alignments.frames**2, LEAST), MOST)

    @cached_property
    def _best(self):
        found, proven = search.best_outputs(self._possible(), 1, self._most)
        return self._output(*found[0]), proven > 0

    @property
    def best(self) -> Output:
        """The most probable output."""
        return self._best[0]

    @property
    def is_proven(self) -> bool:
        """Whether no output is more probable than ``best``, under the contexts that were kept."""
        return self._best[1]

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the best output."""
        return self.best.labels

    @property
    def text(self) -> str:
        """The best output, its labels written together."""
        return self.best.text

    @property
    def confidence(self) -> float:
        """Probability of the best output, 0 to 1."""
        return self.best.confidence

    @cached_property
    def frames(self) -> np.ndarray:
        """First frame of each label of the best output and the one after its last, shape (n, 2)."""
        return self.frames_of(self.best.labels)

    @cached_property
    def posterior(self) -> np.ndarray:
        """Probability of each symbol at each frame, shape (T, V + 1), columns as they were given."""
        shares = self._possible().symbols
        shares = np.insert(shares[:, :-1], self.blank, shares[:, -1], axis=1)
        shares.setflags(write=False)
        return shares

    def nbest(self, k: int = 10, most: int | None = None) -> list[Output]:
        """The k most probable outputs.

        Parameters
        ----------
        k : int
            How many, 1 or more.
        most : int, optional
            Of each length no more beginnings are looked at, and at least 2 k; 100 unless said, fewer (down to 12)
            from 142 frames on.

        Returns
        -------
        list of Output
            Distinct outputs, the most probable first; fewer where no more are possible.

        Raises
        ------
        ValueError
            A number is below 1, or no output is possible.

        Examples
        --------
        >>> import rcmviz as rv
        >>> read = rv.ctc(np.log([[0.6, 0.4], [0.5, 0.5]]), "a")
        >>> [(one.text, round(one.confidence, 3)) for one in read.nbest()]
        [('a', 0.8), ('', 0.2)]
        """
        k, most = checks.whole("k", k, 1), self._most if most is None else checks.whole("most", most, 1)
        most = max(most, 2 * k)
        found, proven = search.best_outputs(self._possible(), k, most)
        outputs = [self._output(*one) for one in found]
        if most == self._most:  # the search for the best one begins like this one, and need not be done again
            self.__dict__.setdefault("_best", (outputs[0], proven > 0))
        return outputs

    def log_prob(self, labels: Iterable[str]) -> float:
        """Log probability of one output.

        Parameters
        ----------
        labels : iterable of str
            Its labels, repeats joined and blanks left out.

        Returns
        -------
        float
            Log probability in nats; −inf where the output was dropped or is impossible.

        Raises
        ------
        ValueError
            A label is unknown, or no output is possible.

        Examples
        --------
        >>> import rcmviz as rv
        >>> read = rv.ctc(np.log([[0.5, 0.25, 0.25]] * 2), "ab")
        >>> round(float(np.exp(read.log_prob("ab"))), 4), read.log_prob("aab")
        (0.125, -inf)
        """
        table = self._possible()
        return search.log_mass_of(table, self._numbers(labels)) - self.log_z

    def frames_of(self, labels: Iterable[str]) -> np.ndarray:
        """Frames of the labels of an output, in its most probable alignment.

        Parameters
        ----------
        labels : iterable of str, length n
            The output.

        Returns
        -------
        ndarray of int, shape (n, 2)
            Its first frame and the one after its last, of each label.

        Raises
        ------
        ValueError
            A label is unknown, or the output has no alignment.
        """
        numbers = self._numbers(labels)
        symbols = search.align(self._possible(), numbers)
        if symbols is None:
            raise ValueError("the output has no alignment: it was dropped, or is impossible")
        starts = np.flatnonzero(np.diff(symbols, prepend=len(self.label_names)))
        starts = starts[symbols[starts] < len(self.label_names)]
        stops = np.flatnonzero(np.diff(symbols, append=len(self.label_names))) + 1
        stops = stops[symbols[stops - 1] < len(self.label_names)]
        return np.stack([starts, stops], axis=1)

    def confidences_of(self, labels: Iterable[str]) -> np.ndarray:
        """Probability of each label of an output given those before it, and of the end given all of them.

        Parameters
        ----------
        labels : iterable of str, length n
            The output.

        Returns
        -------
        ndarray of float, shape (n + 1,)
            Their product is the probability of the output.

        Raises
        ------
        ValueError
            A label is unknown, or no output is possible.

        Examples
        --------
        >>> import rcmviz as rv
        >>> read = rv.ctc(np.log([[0.6, 0.1, 0.3], [0.5, 0.2, 0.3], [0.1, 0.7, 0.2]]), "ab")
        >>> read.confidences_of("ab").round(3).tolist()
        [0.759, 0.739, 0.979]
        """
        return search.chain(self._possible(), self._numbers(labels))

    def words(self, separator: str = " ") -> list[Word]:
        """Words of the best output, with their frames.

        Parameters
        ----------
        separator : str
            The label between words.

        Returns
        -------
        list of Word
            Text of each word, its first frame and the one after its last.

        Examples
        --------
        >>> import rcmviz as rv
        >>> frames = np.log(np.eye(4)[[0, 0, 3, 2, 1, 3]] * 0.9 + 0.025)
        >>> rv.ctc(frames, "ab ").words()
        [Word(text='a', start=0, stop=2), Word(text='b', start=4, stop=5)]
        """
        checks.text("separator", separator)
        found: list[Word] = []
        is_open = False
        for label, (start, stop) in zip(self.labels, self.frames.tolist(), strict=True):
            if label == separator:
                is_open = False
            elif is_open:
                found[-1] = Word(found[-1].text + label, found[-1].start, stop)
            else:
                found.append(Word(label, start, stop))
                is_open = True
        return found

    def _output(self, labels, log_score):
        return Output(tuple(self.label_names[a] for a in labels), log_score, log_score - self.log_z)

    def _possible(self):
        if self.log_z == -np.inf:
            raise ValueError(
                "no output has positive probability, log Z is -inf: look for frames that are all -inf, "
                "or raise the budget of a beam"
            )
        return self.alignments

    def _numbers(self, labels):
        index = {label: a for a, label in enumerate(self.label_names)}
        labels = checks.texts("labels", labels)
        unknown = [label for label in labels if label not in index]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is not one of the labels")
        return [index[label] for label in labels]
