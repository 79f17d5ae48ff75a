"""The field as a user meets it: learn from sentences, ask for probabilities, blanks, neighbours and draws.

>>> field = MarkovField(size=None, order=1, rank=2, held_out=0.0, max_steps=20).fit(["the cat sat", "the dog sat"])
>>> sorted(word for word, _ in field.fill(["the"], ["sat"], k=2))
['cat', 'dog']
"""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin
from rcmviz.lm.text import TOKENS
from rcmviz.mrf import store
from rcmviz.mrf.field_inference import FieldInference, Text
from rcmviz.mrf.moments import count_moments
from rcmviz.mrf.potentials import FullRank, LowRank
from rcmviz.mrf.pseudo import PseudoTrainer
from rcmviz.mrf.tightening import tighten
from rcmviz.mrf.training import DTYPES, FieldState, FieldTrainer, FieldTraining
from rcmviz.mrf.vocabulary import AUTO, Vocabulary, read_corpus


class MarkovField(FieldInference, CopyableMixin, BaseEstimator):
    """Markov random field over a whole text, learnt by an upper bound on log Z whose cost does not know its length.

    Parameters
    ----------
    size : int, "auto" or None
        Words of the vocabulary, ``<S>`` and ``<unk>`` included; "auto" for 1,000, or all words of a text with fewer;
        None for all.
    order : int
        K: a word is tied to its K neighbours on each side.
    rank : int, optional
        D: edges are U_u · W_v^l with vectors of D numbers; None keeps a number for every pair of words.
    l2 : float
        Weight of ½ l2 ‖U, W‖² against the log-likelihood of the whole text.
    held_out : float
        Share of the text, whole sentences at its end, that early stopping looks at; 0 for none. Nothing is held out if
        the last sentence is more than twice the share.
    max_steps : int
        Most steps of L-BFGS.
    patience : int, optional
        Steps without a better held-out bound before it stops.
    tolerance : float
        A step that gains less, relatively, is the last.
    dtype : {"float32", "float64"}
        Precision of the matrices.
    objective : {"likelihood", "pseudo-likelihood"}
        The bound on the likelihood of the text; or, the paper's rival, every word given its neighbours, by AdaGrad.
        Its steps are 50 batches, its states tell pseudo-likelihoods in place of bounds.
    solver : {"joint", "tightening"}
        L-BFGS over potentials and messages together; or the paper's Algorithms 1 and 2, which tighten the bound by 200
        sub-gradient steps in every evaluation.
    eta : float
        Step size of AdaGrad.
    batch : int
        Tokens of a batch.
    units : {"tokens", "words", "characters", "letters", "english"}
        What texts are split into, in training and whenever the field is asked, as in ``train_lm``.
    random_state : int
        Seed of the first vectors, and of the order of the batches.
    verbose : int
        Steps between two printed lines; 0 prints none.

    Attributes
    ----------
    vocabulary_ : Vocabulary
        The words by number.
    potentials_ : LowRank or FullRank
        θ⁰ and the edges.
    delta_ : ndarray of shape (K, C)
        The messages of the star bound.
    counts_ : ndarray of shape (C,)
        How often each word occurs in the text that was learnt from.
    tokens_ : int
        N of that text, separators included.
    history_ : tuple of dict
        The numbers of each step: bound, held_out and others.
    info_ : dict
        Where the field comes from.

    Notes
    -----
    p(x) ∝ exp Σ_i (θ⁰(x_i) + Σ_{l=1..K} θ_l(x_i, x_{i+l})) over the ring of all N tokens, K separators ``<S>`` before
    every sentence (Jernite, Rush and Sontag, 2015, §4.1). Its log Z is bounded by stars (eq. 14 and 15) and learnt by
    one L-BFGS over potentials and messages. A sentence has a probability among those of its length (eq. 3).

    Examples
    --------
    >>> import rcmviz as rv
    >>> text = ["the cat sat", "the dog sat", "a dog ran"]
    >>> field = rv.MarkovField(size=None, order=2, rank=2, held_out=0.0, max_steps=30).fit(text)
    >>> field.log_prob("the dog sat") > field.log_prob("sat the dog")
    True
    """

    def __init__(
        self,
        size: int | str | None = AUTO,
        order: int = 2,
        rank: int | None = 30,
        *,
        l2: float = 1.0,
        held_out: float = 0.05,
        max_steps: int = 2_000,
        patience: int | None = 50,
        tolerance: float = 1e-7,
        dtype: str = "float32",
        objective: str = "likelihood",
        solver: str = "joint",
        eta: float = 0.1,
        batch: int = 256,
        units: str = TOKENS,
        random_state: int = 0,
        verbose: int = 0,
    ):
        self.size, self.order, self.rank, self.l2, self.held_out = size, order, rank, l2, held_out
        self.max_steps, self.patience, self.tolerance = max_steps, patience, tolerance
        self.dtype, self.random_state, self.verbose = dtype, random_state, verbose
        self.objective, self.solver, self.eta, self.batch, self.units = objective, solver, eta, batch, units

    def fit(self, sentences: Text, y: None = None, *, progress: Callable[[FieldState], Any] | None = None) -> Self:
        """Learn from sentences.

        Parameters
        ----------
        sentences : path or iterable of str or of sequences of str
            A text file with a sentence per line as a ``pathlib.Path``, or sentences as texts, which are split into
            ``units``, or as words.
        y : None
            Ignored.
        progress : callable, optional
            Called with the ``FieldState`` after every step; where it returns False, learning ends there.

        Returns
        -------
        MarkovField
            The field itself, as it was at the best held-out bound.

        Raises
        ------
        ValueError
            A setting is out of range, or the text is empty, too short or has fewer words than ``size``.
        """
        if progress is not None:
            checks.function("progress", progress)
        trainer = self.trainer(sentences)
        history = [trainer.first.numbers()]
        for state in trainer.run():
            history.append(state.numbers())
            if self.verbose and state.step % self.verbose == 0:
                print(f"step {state.step}: bound {state.bound:.4f}, held out {state.held_out:.4f} nats per token")
            if progress is not None and progress(state) is False:
                break
        self.history_ = tuple(history)
        return self.finish(trainer)

    def finish(self, trainer: FieldTrainer | PseudoTrainer) -> Self:
        """Become the field of the best state of a training; what has no messages gets those of the tightest bound.

        Parameters
        ----------
        trainer : FieldTrainer or PseudoTrainer
            What ``trainer`` of this field made.

        Returns
        -------
        MarkovField
            The field itself.
        """
        checks.instance("trainer", trainer, (FieldTrainer, PseudoTrainer), "what trainer of this field made")
        self.take(trainer.best)
        if self.objective == "pseudo-likelihood":
            self.delta_ = tighten(self.potentials_, dtype=DTYPES[self.dtype]).delta
        return self

    def trainer(self, sentences: Text, *, resume: str | PathLike | None = None) -> FieldTrainer | PseudoTrainer:
        """Read a text and begin to learn from it, for those who take the steps themselves.

        Parameters
        ----------
        sentences : path or iterable
            The text, as for ``fit``.
        resume : str or path, optional
            Checkpoint of the training's ``save`` to continue from, of the same text and by the same objective.

        Returns
        -------
        FieldTrainer or PseudoTrainer
            The training; ``field.take(state)`` makes this the field of one of its states.

        Raises
        ------
        ValueError
            As for ``fit``, or the checkpoint is not of this text.
        """
        settings = self._training()
        share = checks.number("held_out", self.held_out, "a share from 0 to 0.9", least=0, most=0.9)
        self.vocabulary_, corpus = read_corpus(sentences, self.size, self.units)
        learnt, unseen = corpus.cut(share) if share and len(corpus) > 1 else (corpus, None)
        if unseen is not None and len(unseen.ids) > 2 * share * len(corpus.ids):
            learnt, unseen = corpus, None  # the text is so short that one sentence is too much of it
        size = len(self.vocabulary_)
        moments = count_moments([learnt], self.order, size)
        held_out = None if unseen is None else count_moments([unseen], self.order, size)
        self.counts_, self.tokens_ = moments.words, moments.tokens
        self.info_: dict = {}
        self.history_ = ()
        if settings.objective == "pseudo-likelihood":
            if resume is not None:
                return PseudoTrainer.resume(resume, learnt, unseen, size, max_steps=self.max_steps)
            return PseudoTrainer(learnt, unseen, settings, size)
        if resume is not None:
            return FieldTrainer.resume(resume, moments, held_out, max_steps=self.max_steps)
        return FieldTrainer(moments, held_out, settings)

    def _training(self):
        return FieldTraining(
            self.order,
            self.rank,
            self.l2,
            self.max_steps,
            self.patience,
            self.tolerance,
            self.dtype,
            self.random_state,
            self.objective,
            self.solver,
            self.eta,
            self.batch,
        )

    def take(self, state: FieldState) -> Self:
        """Become the field of a state of the training.

        Parameters
        ----------
        state : FieldState
            A state of the trainer that this field made.

        Returns
        -------
        MarkovField
            The field itself.
        """
        if not checks.has_attributes(state, "potentials", "delta"):
            checks.refuse("state", state, "a state of the trainer that this field made")
        self.potentials_, self.delta_ = state.potentials, state.delta
        self.__dict__.pop("_sentence_model", None)
        return self

    def save(self, path: str | PathLike, info: Mapping | None = None) -> None:
        """Write the field as npz without pickle, whole or not at all.

        Parameters
        ----------
        path : str or path
            The file.
        info : mapping, optional
            Where the field comes from.
        """
        check_is_fitted(self, "potentials_")
        info = self.info_ if info is None else checks.as_dict("info", info)
        store.write_field(
            path,
            self.get_params(),
            self.vocabulary_,
            self.potentials_,
            self.delta_,
            self.counts_,
            self.tokens_,
            info,
            self.history_,
        )

    @classmethod
    def load(cls, path: str | PathLike) -> Self:
        """Read what ``save`` wrote.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        MarkovField
            The field.

        Raises
        ------
        ValueError
            The file is none of a field or is damaged; the message names it and its fault.
        """
        stored = store.read_field(path)._asdict()
        settings = stored.pop("settings")
        field = cls(**{name: value for name, value in settings.items() if name in cls._get_param_names()})
        for name, value in stored.items():
            setattr(field, f"{name}_", value)
        return field


def make_field(
    words: Sequence[str],
    potentials: FullRank | LowRank,
    delta: np.ndarray | None = None,
    counts: np.ndarray | None = None,
    tokens: int = 0,
) -> MarkovField:
    """A field of potentials that were not learnt here; ``words`` the separator first, ``delta`` 0 by default."""
    field = MarkovField(size=len(words), order=potentials.order, rank=potentials.rank)
    field.vocabulary_ = Vocabulary(tuple(words))
    if potentials.size != len(words):
        raise ValueError(f"{len(words)} words for potentials of {potentials.size}")
    field.potentials_, field.info_, field.history_, field.tokens_ = potentials, {}, (), tokens
    field.delta_ = np.zeros((potentials.order, potentials.size)) if delta is None else delta
    field.counts_ = np.ones(potentials.size) if counts is None else counts
    return field
