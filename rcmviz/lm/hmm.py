"""A hidden Markov model of high order: candidate words per position, how well each explains what was observed, and a
language model over them. All builders take it: ARS, beam, RCMS and exact inference on the same input.

``p(x) = Π p_lm(x_i | <s> x_1 … x_{i−1}) · p(o_i | x_i)``, unnormalised (Carter, Dymetman, Bouchard 2012).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from inspect import Parameter, signature
from typing import Any, TypeVar
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike

from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin
from rcmviz.core.shared.repeats import first_repeated
from rcmviz.lm.language_model import BEGIN, END, UNKNOWN, LanguageModel
from rcmviz.lm.word_scores import WordScores

Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class HMM(CopyableMixin):
    """Hidden Markov model of high order: candidate words per position under a language model.

    Parameters
    ----------
    lm : LanguageModel
        Language model of order N.
    candidates : sequence of sequences of str, length L
        The words that each position can be.
    log_obs : sequence of array_like
        Log probability in nats of what was observed, for each candidate; −inf allowed.
    end : bool
        Give ``</s>`` a last position of its own, so that the end is scored too.
    temperature : float
        Divides the log probabilities of the language model; ln 10 = 2.303 reads an ARPA file's log10 numbers as
        natural logs.

    Raises
    ------
    ValueError
        The parts do not fit together, or a word has no probability; the message names the position.

    Notes
    -----
    p(x) = Π p_lm(x_i | <s> x_1 … x_{i−1}) p(o_i | x_i), not normalised (Carter, Dymetman and Bouchard, 2012, §2).

    Examples
    --------
    >>> import rcmviz as rv
    >>> lm = rv.train_lm(["the cat sat", "the dog ran"], order=3)
    >>> hmm = rv.HMM(lm, [["the"], ["cat", "dog"]], [[0.0], [-1.0, -2.0]])
    >>> hmm.T, hmm.labels
    (3, ('the', 'cat', 'dog', '</s>'))
    """

    lm: LanguageModel
    candidates: Sequence[Sequence[str]]
    log_obs: Sequence[ArrayLike]
    end: bool = True
    temperature: float = 1.0

    def __post_init__(self):
        put = object.__setattr__
        if not checks.has_attributes(self.lm, "order", "end", "ids"):
            checks.refuse("lm", self.lm, "rcmviz.LanguageModel")
        put(self, "candidates", _read_candidates(self.candidates))
        put(self, "log_obs", _read_observations(self.log_obs, self.candidates))
        above_0 = "a number above 0; 1 leaves the model as it is"
        checks.number("temperature", self.temperature, above_0, above=0, below=np.inf)
        if checks.switch("end", self.end) and self.lm.end < 0:
            raise ValueError(f"the language model has no {END}: it cannot score the end of a sentence; pass end=False")
        _check_words(self)

    @classmethod
    def weighted(
        cls,
        lm: LanguageModel,
        candidates: Sequence[Sequence[str]],
        log_obs: Sequence[ArrayLike],
        *,
        lm_weight: float = 1.0,
        word_bonus: float = 0.0,
        log_prior: Mapping[str, float] | None = None,
        end: bool = True,
    ) -> "HMM":
        """Make an HMM with the settings that recognisers of speech and writing name.

        Parameters
        ----------
        lm : LanguageModel
            Language model of order N.
        candidates : sequence of sequences of str, length L
            The words that each position can be.
        log_obs : sequence of array_like
            Log scores in nats, for each candidate.
        lm_weight : float
            Multiplies the log probabilities of the language model; the temperature is its inverse.
        word_bonus : float
            Added for every word, in nats. All sentences of one HMM have equally many words, so it moves log Z and
            tells HMMs of different lengths apart.
        log_prior : mapping of str to float, optional
            Log probability of each word, taken off its score: it makes of a classifier's log p(word | observed) what
            an HMM asks, log p(observed | word) up to a constant. Words that it lacks stay as they are.
        end : bool
            Score ``</s>`` too; it gets no bonus.

        Returns
        -------
        HMM
            The model: log_obs + word_bonus − log_prior under ``temperature=1 / lm_weight``.

        Raises
        ------
        ValueError
            A number cannot be used, or the parts do not fit together.

        Examples
        --------
        >>> import rcmviz as rv
        >>> lm = rv.train_lm(["the cat sat", "the dog ran"], order=3)
        >>> hmm = rv.HMM.weighted(lm, [["cat", "dog"]], [[-1.0, -2.0]], lm_weight=2, word_bonus=0.5)
        >>> hmm.temperature, hmm.log_obs[0].tolist()
        (0.5, [-0.5, -1.5])
        """
        checks.number("lm_weight", lm_weight, "a number above 0; 1 leaves the model as it is", above=0, below=np.inf)
        checks.number("word_bonus", word_bonus, "a finite number of nats", above=-np.inf, below=np.inf)
        candidates = _read_candidates(candidates)
        prior = {} if log_prior is None else checks.instance("log_prior", log_prior, Mapping, "a dict {word: number}")
        numbers = checks.floats(list(prior.values()), "log_prior: give a number for each word")
        offsets = dict(zip(prior, numbers.tolist(), strict=True))
        rows = [
            row + word_bonus - np.array([offsets.get(word, 0.0) for word in column])
            for row, column in zip(_read_observations(log_obs, candidates), candidates, strict=True)
        ]
        return cls(lm, candidates, rows, end, 1 / lm_weight)

    def __repr__(self):
        return f"<HMM: {self.T:,} positions, {len(self.labels):,} words, order {self.order}>"

    @property
    def T(self) -> int:
        """Number of positions, that of ``</s>`` included."""
        return len(self.candidates) + bool(self.end)

    @property
    def order(self) -> int:
        """Order N of the language model, which sees contexts of N − 1 words."""
        return self.lm.order

    @cached_property
    def _columns(self):
        return (*self.candidates, (END,)) if self.end else self.candidates

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """All words that are a candidate somewhere, in order of their first position."""
        return tuple(dict.fromkeys(word for column in self._columns for word in column))

    @cached_property
    def choices(self) -> np.ndarray:
        """Index into ``labels`` of column y of position i, shape (T, Y); −1 if a position has fewer candidates."""
        index = {word: k for k, word in enumerate(self.labels)}
        return _pad_by_position(
            [index[word] for column in self._columns for word in column], self._columns, -1, np.int64
        )

    @cached_property
    def words(self) -> np.ndarray:
        """Ids of the candidates in the language model, shape (T, Y); −1 where a position has fewer."""
        ids = self.lm.ids([word for column in self._columns for word in column])
        return _pad_by_position(ids, self._columns, -1, np.int32)

    @cached_property
    def log_emit(self) -> np.ndarray:
        """Log observations in nats, shape (T, Y); −inf where a position has fewer candidates."""
        values = np.concatenate([*self.log_obs, *([np.zeros(1)] if self.end else [])])
        return _pad_by_position(values, self._columns, -np.inf, np.float64)

    def check_emissions(self, log_emit: None) -> np.ndarray:
        """The observations of the model itself.

        Parameters
        ----------
        log_emit : None
            No other emissions can be given.

        Returns
        -------
        ndarray of shape (T, Y)
            ``log_emit`` of the model.

        Raises
        ------
        ValueError
            Other emissions are given.
        """
        if log_emit is not None:
            raise ValueError("an HMM has its own observations: leave out log_emit and name the options, budget=20")
        return self.log_emit

    def scores(self, log_emit: np.ndarray, root_weight: float = 0.0) -> WordScores:
        """The scores of the arcs of a lattice.

        Parameters
        ----------
        log_emit : ndarray of shape (T, Y)
            Checked and edited log observations in nats.
        root_weight : float
            Log weight of the root; only log-linear models use it.

        Returns
        -------
        WordScores
            What the builders ask.
        """
        log_emit = checks.floats(log_emit, "log_emit: give the edited observations (T, Y)")
        if log_emit.shape != self.log_emit.shape:
            raise ValueError(f"log_emit of shape {log_emit.shape}: the observations have {self.log_emit.shape}")
        return WordScores(self, log_emit)

    def names(self, path: Iterable[int]) -> tuple[str, ...]:
        """Words of a path.

        Parameters
        ----------
        path : iterable of int, length T
            The candidate of each position, by its number.

        Returns
        -------
        tuple of str
            The words, ``</s>`` left out.
        """
        path = path.tolist() if isinstance(path, np.ndarray) else path
        path = checks.as_list("path", path, "the number of a candidate for each position", or_text=True)
        for i, (column, y) in enumerate(zip(self.candidates, path, strict=False), start=1):
            if type(y) is not int or not 0 <= y < len(column):  # hundreds of samples are named: most are well
                checks.whole(f"path: the candidate of position {i},", y, 0, len(column) - 1)
        return tuple(column[y] for column, y in zip(self.candidates, path, strict=False))


def accept_hmm_arguments(function: Callable[..., Result]) -> Callable[..., Result]:
    """Let ``function(hmm, …)`` also take what the HMM is made of: ``(lm, candidates, log_obs, …, end, temperature)``.

    The parts stand where ``hmm`` did, ``end`` after the other positional arguments, ``temperature`` is named.

    >>> import rcmviz as rv
    >>> count_positions = accept_hmm_arguments(lambda hmm: hmm.T)
    >>> lm = rv.train_lm(["the cat sat", "the dog ran"], order=3)
    >>> count_positions(lm, [["the"]], [[0.0]], False), count_positions(rv.HMM(lm, [["the"]], [[0.0]]))
    (1, 2)
    """
    by_hmm = signature(function)
    by_parts = _accept_hmm_or_parts(by_hmm)

    @wraps(function)
    def either(*given: Any, **options: Any) -> Result:
        for hmm in given[:1] or [options[name] for name in ("hmm", "lm") if name in options]:
            checks.instance("hmm", hmm, (HMM, LanguageModel), "rcmviz.HMM, or lm, candidates and log_obs")
        if "lm" not in options and not (given and isinstance(given[0], LanguageModel)):
            return function(*given, **options)
        arguments = by_parts.bind(*given, **options).arguments
        parts = {name: arguments.pop(name) for name in PARTS if name in arguments}
        return function(HMM(**parts), **arguments)

    return either


PARTS = ("lm", "candidates", "log_obs", "end", "temperature")  # of an HMM, by the names of its fields


def _accept_hmm_or_parts(by_hmm):
    """The signature of a function of an HMM, the HMM in parts."""
    _, *others = by_hmm.parameters.values()
    *given, end = (Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in PARTS[:-1])
    temperature = Parameter(PARTS[-1], Parameter.KEYWORD_ONLY, default=1.0)
    named = [one for one in others if one.kind is Parameter.KEYWORD_ONLY]
    placed = [one for one in others if one.kind is not Parameter.KEYWORD_ONLY]
    return by_hmm.replace(parameters=[*given, *placed, end.replace(default=True), temperature, *named])


def _pad_by_position(values, columns, filler, dtype):
    """A value for each candidate, one position after the other, as a table (T, Y) that is not written to."""
    sizes = np.array(list(map(len, columns)))
    table = np.full((len(sizes), sizes.max()), filler, dtype)
    table[np.arange(table.shape[1]) < sizes[:, None]] = values
    table.setflags(write=False)
    return table


def _read_candidates(candidates):
    wanted = "a list of words per position"
    found = checks.as_list("candidates", candidates, wanted)
    columns = tuple(tuple(checks.as_list("candidates", column, wanted)) for column in found)
    if not columns:
        raise ValueError("candidates: there is no position; give at least one list of words")
    checks.positions(len(columns))
    for i, column in enumerate(columns, start=1):
        if not column:
            raise ValueError(f"position {i} has no candidate; leave the position out or offer more words there")
        with checks.hashable(f"candidates of position {i}", "give words"):
            distinct = len(set(column))
        if distinct < len(column):
            raise ValueError(f"position {i}: the candidate {first_repeated(column)!r} occurs twice")
    return columns


def _read_observations(log_obs, candidates):
    rows = checks.as_list("log_obs", log_obs, "a list of numbers per position")
    if len(rows) != len(candidates):
        raise ValueError(f"log_obs has {len(rows)} positions, candidates {len(candidates)}")
    arrays = []
    for i, (row, column) in enumerate(zip(rows, candidates, strict=True), start=1):
        place = f"log_obs at position {i}"
        row = checks.labelled(place, row, column, f"{place}: expected one number per candidate")
        if row.shape != (len(column),):
            raise ValueError(f"log_obs at position {i} has the shape {row.shape} for {len(column)} candidates")
        arrays.append(row)

    def name_of(place):
        i, word = [(i, word) for i, column in enumerate(candidates, start=1) for word in column][place]
        return f"log_obs at position {i}, {word!r},"

    together = checks.logs(np.concatenate(arrays), name_of, [len(column) for column in candidates])
    if together.min() >= 0:  # rare: else a loop over all positions would be paid for nothing
        checks.warn_of_probabilities("log_obs", _pad_by_position(together, candidates, 0.0, np.float64))
    return tuple(arrays)


def _check_words(hmm):
    for i, column in enumerate(hmm.candidates, start=1):
        for edge in (BEGIN, END):
            if edge in column:
                raise ValueError(f"position {i}: {edge} marks the edge of a sentence and cannot be a candidate")
    offered = np.array([len(column) for column in hmm._columns])
    if np.count_nonzero(hmm.words >= 0) < offered.sum():
        i, y = np.argwhere((hmm.words < 0) & (np.arange(hmm.words.shape[1]) < offered[:, None]))[0]
        raise ValueError(
            f"position {i + 1}: the language model does not know {hmm.candidates[i][y]!r} and has no <unk>; "
            "leave it out, or use a model with <unk>"
        )
    _warn_of_unknown(hmm)


def _warn_of_unknown(hmm):
    """Words that the language model lacks share the score of its <unk>, which few expect of a word they offer."""
    unknown = hmm.lm.unknown
    if unknown < 0 or not (hmm.words == unknown).any():
        return
    lacked = [hmm._columns[i][y] for i, y in np.argwhere(hmm.words == unknown)]
    lacked = [word for word in dict.fromkeys(lacked) if word != UNKNOWN]
    if lacked:
        some = ", ".join(map(repr, lacked[:3])) + (f" and {len(lacked) - 3:,} more" if len(lacked) > 3 else "")
        warn(f"the language model lacks {some}: scored as {UNKNOWN}", stacklevel=2)
