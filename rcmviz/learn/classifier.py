"""The sequence classifier: training and decoding behind the calls that scikit-learn's users know.

>>> X = [[{"word": "the"}, {"word": "cat"}], [{"word": "the"}, {"word": "dog"}, {"word": "sat"}]]
>>> y = [["DET", "NOUN"], ["DET", "NOUN", "VERB"]]
>>> classifier = SequenceClassifier(order=1, epochs=30).fit(X, y)
>>> classifier.predict([[{"word": "the"}, {"word": "dog"}]])
[['DET', 'NOUN']]
"""

from collections.abc import Sequence
from dataclasses import fields, replace
from os import PathLike
from typing import Any, Self
from warnings import warn

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from rcmviz.core import checks
from rcmviz.core.batch import infer_batch
from rcmviz.core.model import NgramModel
from rcmviz.core.npz import UNFIT
from rcmviz.core.problem import Problem
from rcmviz.learn.label_scores import Features, Labels, LabelScores
from rcmviz.learn.settings import Training, numbers
from rcmviz.learn.trainer import train
from rcmviz.sequences.encoding import Encoder

SETTINGS = tuple(entry.name for entry in fields(Training) if entry.name != "seed")
TEST_SETTINGS = "test_budget", "test_passes"


class SequenceClassifier(LabelScores, BaseEstimator):
    """Sequence labeller with scikit-learn's calls: a log-linear n-gram model whose contexts are chosen at run time.

    Parameters
    ----------
    method : str
        How contexts are chosen, one of ``rcmviz.core.methods.TRAINABLE``.
    budget : int
        Contexts per position, the root not counted.
    order : int
        How many past labels a weight can see.
    mode : {"single", "additive"}
        One window fires per position, or the windows of all suffixes add up.
    passes : int
        Passes of RCMS over each sequence, 1 to 10.
    deduplicate : bool
        Join contexts that are equal in their last ``order`` labels.
    lost_gold : {"numerator", "both", "skip", "early"}
        What a training example does when its gold falls off the beam, as in ``Training``.
    eta : float
        Step size of AdaGrad.
    delta : float
        What AdaGrad adds to its sum of squares.
    l2 : float
        Weight of the penalty ½ l2 Σ θ².
    average : bool
        Average the weights over all steps.
    epochs : int
        Passes over the training data.
    shuffle : bool
        Visit the sequences of each epoch in random order.
    table : {"auto", "dense", "hashed"}
        How the weights are stored.
    objective : {"likelihood", "perceptron"}
        Climb the log-likelihood, or correct what is decoded wrongly: the structured perceptron.
    update : {"standard", "early", "max-violation"}
        What a step of the perceptron compares, as in ``Training``.
    mira : float
        Largest passive-aggressive step of a perceptron; 0 for steps of size one.
    random_state : int, numpy.random.RandomState or None
        Seed of the order of the sequences.
    test_budget : int, optional
        Contexts per position when it decodes, ``budget`` by default.
    test_passes : int, optional
        Passes when it decodes, ``passes`` by default.
    n_jobs : int, optional
        Threads that decode, one by default.
    verbose : int
        Print a line per epoch unless 0.

    Attributes
    ----------
    classes_ : ndarray of shape (Y,)
        The labels.
    model_ : NgramModel
        The trained model.
    encoder_ : Encoder
        The numbers of features and labels.
    n_features_in_ : int
        Features per position.
    history_ : tuple of dict
        The numbers of each epoch: step, log_likelihood, gradient_norm and others.

    Notes
    -----
    It is trained by AdaGrad on the log-likelihood, the context sets held fixed as they are selected (Steinhardt and
    Liang, 2015, §4 and §5), or as a structured perceptron (Collins, 2002), whose probabilities mean little: it learns
    which output is best, not how much better it is.

    To scikit-learn this is an estimator but no *classifier*: its stratified splits and its metrics expect one label per
    sample. So ``GridSearchCV`` splits over sequences, unstratified, and scores by ``score``.

    Examples
    --------
    >>> import rcmviz as rv
    >>> X, y = [[["the"], ["cat"]], [["a"], ["dog"]]], [["DET", "NOUN"]] * 2
    >>> rv.SequenceClassifier(order=1, epochs=10).fit(X, y).predict([[["a"], ["cat"]]])
    [['DET', 'NOUN']]
    """

    def __init__(
        self, method: str = "rcms", budget: int = 10, order: int = 3, mode: str = "single", passes: int = 1,
        deduplicate: bool = False, lost_gold: str = "numerator", eta: float = 0.2, delta: float = 1e-4, l2: float = 0.0,
        average: bool = False, epochs: int = 20, shuffle: bool = True, table: str = "auto",
        objective: str = "likelihood", update: str = "standard", mira: float = 0.0,
        random_state: int | np.random.RandomState | None = 0, test_budget: int | None = None,
        test_passes: int | None = None, n_jobs: int | None = None, verbose: int = 0,
    ):  # fmt: skip
        self.method, self.budget, self.order, self.mode = method, budget, order, mode
        self.passes, self.deduplicate, self.lost_gold = passes, deduplicate, lost_gold
        self.eta, self.delta, self.l2, self.average = eta, delta, l2, average
        self.epochs, self.shuffle, self.table, self.random_state = epochs, shuffle, table, random_state
        self.objective, self.update, self.mira = objective, update, mira
        self.test_budget, self.test_passes, self.n_jobs, self.verbose = test_budget, test_passes, n_jobs, verbose

    def fit(self, X: Features, y: Labels, held_out: tuple[Features, Labels] | None = None) -> Self:
        """Learn from labelled sequences.

        Parameters
        ----------
        X : sequence of sequences
            A position is a dict of features, a list of feature names or a row of numbers.
        y : sequence of sequences
            One label per position, all of them text or all whole numbers. A single label is learned with a warning.
        held_out : tuple of X and y, optional
            Sequences whose accuracy goes into ``history_``.

        Returns
        -------
        SequenceClassifier
            The classifier itself.

        Raises
        ------
        ValueError
            A setting, a sequence or a feature cannot be used, or there are too many labels for the memory.
        """
        settings = self._training()
        encoder, data = Encoder.learn(X, y)
        if len(encoder.classes) == 1:
            warn(f"y has one label only, {encoder.classes[0]!r}: it will be the answer everywhere", stacklevel=2)
        unseen = None if held_out is None else encoder.encode(*held_out)
        history = []
        for state in train(data, settings, unseen, info={"encoder": encoder.to_dict()}):
            history.append(numbers(state))
            self._print_progress(state, settings.measured)
        self._learnt(encoder, state.model, tuple(history))
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required, tags.input_tags.dict, tags.input_tags.two_d_array = True, True, False
        return tags

    def _training(self):
        seed = self.random_state
        if not checks.is_whole(seed):
            seed = int(check_random_state(seed).randint(2**31))
        return Training(**{name: getattr(self, name) for name in SETTINGS}, seed=seed)

    def _learnt(self, encoder, model, history):
        self.encoder_, self.model_, self.history_ = encoder, model, history
        self.classes_, self.n_features_in_ = np.array(encoder.classes), encoder.F

    def _print_progress(self, state, measured):
        if self.verbose:
            held_out = "" if np.isnan(state.accuracy) else f", held-out accuracy {state.accuracy:.3f}"
            print(f"epoch {state.epoch} of {self.epochs}: {measured} {state.log_likelihood:.3f}{held_out}")

    def predict(self, X: Features) -> list[list]:
        """Most probable labels.

        Parameters
        ----------
        X : sequence of sequences
            Sequences as for ``fit``.

        Returns
        -------
        list of list
            One label per position of each sequence.
        """
        return self._named(self._decode(self._encoded(X)).labels)

    def predict_proba(self, X: Features) -> list[np.ndarray]:
        """Probability of every label at every position.

        Parameters
        ----------
        X : sequence of sequences
            Sequences as for ``fit``.

        Returns
        -------
        list of ndarray of shape (T, Y)
            One array per sequence, its columns in the order of ``classes_``.
        """
        return [np.asarray(rows, np.float64) for rows in self._decode(self._encoded(X), posterior=True).posterior]

    def predict_log_proba_sequence(self, X: Features) -> np.ndarray:
        """Log probability of each decoded output in the method's own model.

        Parameters
        ----------
        X : sequence of sequences
            Sequences as for ``fit``.

        Returns
        -------
        ndarray of shape (N,)
            One number per sequence, in nats; its exponential is the confidence.
        """
        return self._decode(self._encoded(X)).log_prob

    def predict_with_confidence(self, X: Features) -> tuple[list[list], np.ndarray]:
        """Most probable labels and their confidence, decoded once.

        Parameters
        ----------
        X : sequence of sequences
            Sequences as for ``fit``.

        Returns
        -------
        labels : list of list
            One label per position of each sequence.
        confidence : ndarray of shape (N,)
            Probability of each output in the method's own model.
        """
        batch = self._decode(self._encoded(X))
        return self._named(batch.labels), np.exp(batch.log_prob)

    def _named(self, decoded):
        return [[self.encoder_.classes[label] for label in labels] for labels in decoded]

    def _reads(self, data):
        return self._decode(data).labels

    def _decode(self, data, posterior=False):
        return infer_batch(
            self.model_, data.log_emits(self.model_.emission), self.method,
            self.budget if self.test_budget is None else self.test_budget,
            passes=self.passes if self.test_passes is None else self.test_passes, deduplicate=self.deduplicate,
            threads=effective_n_jobs(self.n_jobs), posterior=posterior,
        )  # fmt: skip

    def problem(self, x: Sequence[Any], y: Sequence[Any] | None = None, name: str = "sequence") -> Problem:
        """One sequence as a problem to run, to step through in the application or to export.

        Parameters
        ----------
        x : sequence
            One sequence as in ``fit``.
        y : sequence, optional
            Its labels.
        name : str
            Name of the problem.

        Returns
        -------
        Problem
            The model with the log emissions of the sequence.
        """
        (log_emit,) = self._encoded([x], None if y is None else [y]).log_emits(self.model_.emission)
        return Problem(self.model_, log_emit, None if y is None else tuple(str(label) for label in y), name)

    def save(self, path: str | PathLike) -> None:
        """Write model, feature names, classes and parameters as one npz file without pickle.

        Parameters
        ----------
        path : str or path
            The file; ``docs/classifier.md`` describes it.
        """
        check_is_fitted(self, "model_")
        test = {name: getattr(self, name) for name in TEST_SETTINGS}
        test = {name: value if value is None else int(value) for name, value in test.items()}
        replace(self.model_, info=self.model_.info | test).save(path)

    @classmethod
    def load(cls, path: str | PathLike) -> Self:
        """Read what ``save``, or ``rcmviz train`` on a file, wrote.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        SequenceClassifier
            The classifier, ready to predict.

        Raises
        ------
        ValueError
            The file is missing, holds no classifier or is damaged.
        """
        model = NgramModel.load(path)
        if "encoder" not in model.info:
            raise ValueError(f"{path}: a model without feature names; give one trained on a file or by a classifier")
        try:
            encoder = Encoder.from_dict(model.info["encoder"])
            if model.emission is None or model.emission.shape != (encoder.F + 1, len(encoder.classes)):
                raise ValueError("features and emissions do not fit together")
            written, usual = model.info["training"], Training()
            needed = [name for name in (*SETTINGS, "seed") if name in written or name in usual.to_dict()]
            settings = Training.from_dict({name: written[name] for name in needed})
        except UNFIT as error:
            raise ValueError(f"{path}: the classifier is damaged ({error}); copy or train it again") from None
        parameters: dict[str, Any] = {name: getattr(settings, name) for name in SETTINGS}
        parameters |= {name: model.info.get(name) for name in TEST_SETTINGS}
        classifier = cls(**parameters, random_state=settings.seed)
        classifier._learnt(encoder, model, ())
        return classifier
