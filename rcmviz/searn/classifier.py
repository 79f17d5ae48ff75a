"""The search classifier: policies that label from left to right, behind the calls that scikit-learn's users know.

>>> X = [[{"word": "the"}, {"word": "cat"}], [{"word": "the"}, {"word": "dog"}, {"word": "sat"}]]
>>> y = [["DET", "NOUN"], ["DET", "NOUN", "VERB"]]
>>> SearchClassifier(iterations=3).fit(X, y).predict([[{"word": "the"}, {"word": "dog"}]])
[['DET', 'NOUN']]
"""

from collections.abc import Callable, Sequence
from dataclasses import fields
from os import PathLike
from typing import Any, Self
from warnings import warn

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from rcmviz.core.shared import checks
from rcmviz.learn.label_scores import Features, Labels, LabelScores
from rcmviz.searn import checkpoint as files
from rcmviz.searn.explanation import Compounding, SearchExplanation, compounding, explain, mixture_after
from rcmviz.searn.losses import OutputLoss, chunk_f1
from rcmviz.searn.policies import States
from rcmviz.searn.prediction import predict
from rcmviz.searn.settings import PREDICTIONS, SearchTraining
from rcmviz.searn.trainer import SearchTrainer
from rcmviz.sequences.encoding import Encoder
from rcmviz.sequences.table import Sequences, check_sequences

SETTINGS = tuple(entry.name for entry in fields(SearchTraining) if entry.name not in ("seed", "loss"))


class SearchClassifier(LabelScores, BaseEstimator):
    """Sequence labeller that has learnt to search: SEARN, DAgger, LOLS, or training on gold prefixes.

    Parameters
    ----------
    algorithm : {"searn", "dagger", "lols", "gold"}
        Who acts on the way to a state and after each action, as in ``SearchTraining``.
    loss : {"hamming", "zero-one", "chunks", "edit"} or callable
        Loss of a whole output, or a function of two lists of labels, the truth and an output.
    order : int
        How many past labels a policy sees.
    iterations : int
        Classifiers that are learnt one after the other.
    beta : float, "adaptive" or "cubic"
        Weight of a new classifier in the mixture.
    reduction : {"margin", "regression", "all-pairs", "costing"}
        How the linear classifier learns from costs.
    learner : classifier of scikit-learn, optional
        What learns in its place; its ``fit`` takes ``sample_weight``.
    epochs : int
        Visits of the linear classifier to each position.
    eta : float
        Step size of AdaGrad.
    delta : float
        What AdaGrad adds to its sum of squares.
    average : bool
        Average the weights over all steps.
    warm : bool
        Begin each linear classifier with the weights of the one before.
    prediction : {"vote", "sample"}
        At every position the classifiers vote by their weights, or one of them is drawn.
    random_state : int, numpy.random.RandomState or None
        Seed of the draws.
    verbose : int
        Print a line per iteration unless 0.

    Attributes
    ----------
    classes_ : ndarray of shape (Y,)
        The labels.
    mixture_ : Mixture
        The policies and their weights, that of the oracle first.
    encoder_ : Encoder
        The numbers of features and labels.
    n_features_in_ : int
        Features per position.
    info_ : dict
        Further entries of the file, such as how the columns of its training file were read.
    history_ : tuple of IterationState
        How each iteration was.

    Notes
    -----
    SEARN is of Daumé, Langford and Marcu (2009). Its guarantee needs a β of about 1 / T³ for sequences of T positions;
    in practice .1 to .5 is used.

    Examples
    --------
    >>> import rcmviz as rv
    >>> X, y = [[["the"], ["cat"]], [["a"], ["dog"]]], [["DET", "NOUN"]] * 2
    >>> rv.SearchClassifier("dagger", iterations=2).fit(X, y).predict([[["a"], ["cat"]]])
    [['DET', 'NOUN']]
    """

    def __init__(
        self,
        algorithm: str = "searn",
        loss: str | Callable = "hamming",
        order: int = 1,
        iterations: int = 10,
        beta: float | str = 0.3,
        reduction: str = "margin",
        learner: Any = None,
        epochs: int = 5,
        eta: float = 0.2,
        delta: float = 1e-4,
        average: bool = True,
        warm: bool = True,
        prediction: str = "vote",
        random_state: int | np.random.RandomState | None = 0,
        verbose: int = 0,
    ):
        self.algorithm, self.loss, self.order, self.iterations = algorithm, loss, order, iterations
        self.beta, self.reduction, self.learner = beta, reduction, learner
        self.epochs, self.eta, self.delta, self.average, self.warm = epochs, eta, delta, average, warm
        self.prediction, self.random_state, self.verbose = prediction, random_state, verbose

    def fit(self, X: Features, y: Labels, held_out: tuple[Features, Labels] | None = None) -> Self:
        """Learn from labelled sequences.

        Parameters
        ----------
        X : sequence of sequences
            A position is a dict of features, a list of feature names or a row of numbers. Empty sequences say nothing
            and are left out.
        y : sequence of sequences
            One label per position, all of them text or all whole numbers.
        held_out : tuple of X and y, optional
            Sequences whose loss goes into ``history_``, and on which an adaptive beta is chosen.

        Returns
        -------
        SearchClassifier
            The classifier itself.

        Raises
        ------
        ValueError
            A setting, a sequence or a feature cannot be used, or a loss is not finite.
        """
        settings = self._settings()
        checks.choice("prediction", self.prediction, PREDICTIONS)
        encoder, data = Encoder.learn(X, y)
        if len(encoder.classes) == 1:
            warn(f"y has one label only, {encoder.classes[0]!r}: it will be the answer everywhere", stacklevel=2)
        unseen = None
        if held_out is not None:
            if not isinstance(held_out, (tuple, list)) or len(held_out) != 2:
                checks.refuse("held_out", held_out, "a pair (X, y)")
            unseen = encoder.encode(*held_out)
        own = self.loss if callable(self.loss) else None
        trainer = SearchTrainer(data, settings, unseen, loss=own, learner=self.learner)
        while not trainer.done:
            self._print_progress(trainer.iterate())
        self._set_result(encoder, trainer.mixture, tuple(trainer.history), settings)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required, tags.input_tags.dict, tags.input_tags.two_d_array = True, True, False
        return tags

    def _settings(self):
        seed = self.random_state
        if not checks.is_whole(seed):
            seed = int(check_random_state(seed).randint(2**31))
        loss = "hamming" if callable(self.loss) else self.loss
        return SearchTraining(**{name: getattr(self, name) for name in SETTINGS}, loss=loss, seed=seed)

    def _set_result(self, encoder, mixture, history, settings):
        self.info_: dict = {}
        self.encoder_, self.mixture_, self.history_, self.settings_ = encoder, mixture, history, settings
        self.classes_, self.n_features_in_ = np.array(encoder.classes), encoder.F
        self._labels = encoder.labels
        self._states = States(self._labels, settings.order)

    def _print_progress(self, state):
        if self.verbose:
            held_out = "" if np.isnan(state.accuracy) else f", held-out accuracy {state.accuracy:.3f}"
            print(f"iteration {state.iteration}: errors of the roll-ins {state.roll_in_errors:.3f}{held_out}")

    def predict(self, X: Features) -> list[list]:
        """Labels by the mixture without its oracle.

        Parameters
        ----------
        X : sequence of sequences
            Sequences as for ``fit``.

        Returns
        -------
        list of list
            One label per position of each sequence.
        """
        return self._fill_empty(X, [], lambda some: self._name_labels(self.read(self._encode_labelled(some))))

    def _predictions(self, data):
        return self.read(data)

    def read(self, data: Sequences) -> list[np.ndarray]:
        """Label numbers of encoded sequences.

        Parameters
        ----------
        data : Sequences
            Sequences with the features of the training.

        Returns
        -------
        list of ndarray of int, shape (T,)
            One array per sequence.

        Raises
        ------
        ValueError
            The sequences have other features or labels than the training.
        """
        check_is_fitted(self, "mixture_")
        check_sequences("data", data)
        known, given = (len(self.encoder_.classes), self.encoder_.F), (len(data.labels), data.F)
        if given != known:
            raise ValueError("data: {} labels and {} features; the training had {} and {}".format(*given, *known))
        labels = predict(data, self.mixture_, self._states, self.prediction, self.settings_.seed)
        return np.split(labels, data.offset[1:-1])

    def score_chunks(self, X: Features, y: Labels) -> float:
        """F1 of the chunks of all sequences together; labels are of BIO, IOB1, BIOES or BILOU, or runs of equal tags.

        Parameters
        ----------
        X : sequence of sequences
            Sequences as for ``fit``.
        y : sequence of sequences
            Their labels.

        Returns
        -------
        float
            F1, 0 to 1.
        """
        golds, outputs = self._compare_labels(X, y)
        return chunk_f1(golds, outputs, self._labels)

    def mean_loss(self, X: Features, y: Labels) -> float:
        """Mean over sequences of the loss that it was trained for.

        Parameters
        ----------
        X : sequence of sequences
            Sequences as for ``fit``.
        y : sequence of sequences
            Their labels.

        Returns
        -------
        float
            The mean loss.
        """
        golds, outputs = self._compare_labels(X, y)
        return float(self._output_loss().of_all(golds, outputs).mean())

    def compounding(self, X: Features, y: Labels) -> Compounding:
        """The share of wrong labels after e earlier errors: how errors pile up.

        Parameters
        ----------
        X : sequence of sequences
            Sequences as for ``fit``.
        y : sequence of sequences
            Their labels.

        Returns
        -------
        Compounding
            Positions and errors by the number of earlier errors in the sequence.
        """
        return compounding(*self._compare_labels(X, y))

    def _output_loss(self):
        own = self.loss if callable(self.loss) else None
        return OutputLoss(self.encoder_.classes, self.settings_.loss, own)

    def explain(
        self, x: Sequence[Any], y: Sequence[Any], iterations: int | None = None, seed: int = 0
    ) -> SearchExplanation:
        """One sequence as an iteration sees it: roll-in, the costs of all actions, who acted, what was shared.

        Parameters
        ----------
        x : sequence
            One sequence as in ``fit``.
        y : sequence
            Its labels, which the oracle needs.
        iterations : int, optional
            Draw from the mixture after this number of iterations, 0 for the oracle alone; the last by default.
        seed : int
            Seed of the drawn policies.

        Returns
        -------
        SearchExplanation
            Plain lists; ``to_dict`` makes it ready for JSON.

        Raises
        ------
        ValueError
            A label is not known, or there was no such iteration or its policies are gone.
        """
        data = self._encode_labelled([x], [y])
        count = len(self.history_)
        wanted = count if iterations is None else checks.whole("iterations", iterations, 0, count)
        mixture = mixture_after(wanted, self.mixture_, self.history_)
        if mixture is None:
            name = self.settings_.point.name
            raise ValueError(f"iterations {wanted}: {name} keeps its last classifier only; choose 0 or {count}")
        weights = [(1.0,), *(state.mixture for state in self.history_)]
        return explain(data, mixture, weights, self.settings_, self._output_loss(), self._states, seed)

    def save(self, path: str | PathLike) -> None:
        """Write policies, feature names, classes and parameters as one npz file without pickle.

        Parameters
        ----------
        path : str or path
            The file.

        Raises
        ------
        ValueError
            The policies are of scikit-learn, or the loss is a function: neither goes into a file without pickle.
        """
        check_is_fitted(self, "mixture_")
        if callable(self.loss):
            raise ValueError("a loss that is a function cannot be kept in a file without pickle; name one of ours")
        info = self.info_ | {"encoder": self.encoder_.to_dict(), "prediction": self.prediction}
        history = list(self.history_)
        files.write(path, files.SavedLearner(self._labels, self.mixture_, self.settings_, history, info))

    @classmethod
    def load(cls, path: str | PathLike) -> Self:
        """Read what ``save``, or ``rcmviz searn train`` on a file, wrote.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        SearchClassifier
            The classifier, ready to predict.

        Raises
        ------
        ValueError
            The file is missing, holds no classifier or is damaged.
        """
        kept = files.read(path)
        if "encoder" not in kept.info:
            raise ValueError(f"{path}: policies without feature names; give a file by a classifier or rcmviz searn")
        try:
            encoder = Encoder.from_dict(kept.info["encoder"])
            wide = [policy.model.emission.shape[0] != encoder.F + 1 for policy in kept.mixture.policies]
            if any(wide) or not wide or len(encoder.classes) != len(kept.labels):
                raise ValueError("features and policies do not fit together")
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path}: the classifier is damaged ({error}); copy or train it again") from None
        parameters = {name: getattr(kept.settings, name) for name in (*SETTINGS, "loss")}
        prediction = kept.info.get("prediction", "vote")
        classifier = cls(**parameters, prediction=prediction, random_state=kept.settings.seed)
        classifier._set_result(encoder, kept.mixture, tuple(kept.history), kept.settings)
        classifier.info_ = {name: kept.info[name] for name in kept.info if name not in ("encoder", "prediction")}
        return classifier


def warm_up() -> None:
    """Compile or load all kernels of a classifier."""
    X, y = [[{"a": 1.0}, {"b": 1.0}]], [["a", "b"]]
    learnt = SearchClassifier(iterations=2, epochs=1).fit(X, y)  # the second has a policy that was learnt
    learnt.predict(X), learnt.compounding(X, y), learnt.explain(X[0], y[0], 1)
