"""The sequence classifier: training and decoding behind the calls that scikit-learn's users know.

>>> X = [[{"word": "the"}, {"word": "cat"}], [{"word": "the"}, {"word": "dog"}, {"word": "sat"}]]
>>> y = [["DET", "NOUN"], ["DET", "NOUN", "VERB"]]
>>> classifier = SequenceClassifier(order=1, epochs=30).fit(X, y)
>>> classifier.predict([[{"word": "the"}, {"word": "dog"}]])
[['DET', 'NOUN']]
"""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Self
from warnings import warn

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from rcmviz.core.builders.build import build_lattice
from rcmviz.core.builders.one_by_one import infer_one_by_one, is_stepwise, passes_of
from rcmviz.core.builders.selection_rules import SelectionRule, checked_rule
from rcmviz.core.inference.batch import infer_stacked
from rcmviz.core.methods import METHODS
from rcmviz.core.models.model import NgramModel
from rcmviz.core.problems.problem import Problem
from rcmviz.core.rules import FORWARD, fitting_rule
from rcmviz.core.shared import checks
from rcmviz.core.shared.npz import UNFIT
from rcmviz.core.shared.wording import counted
from rcmviz.learn.classifier_parameters import (
    OF_FILES,
    OTHERS,
    SETTINGS,
    TEST_SETTINGS,
    other_parameters,
    training_of,
    visits_of,
)
from rcmviz.learn.forbidden import check_allowed, forbidden_pairs, replace_forbidden
from rcmviz.learn.inspection import InspectionMixin
from rcmviz.learn.label_scores import Features, Labels, LabelScores
from rcmviz.learn.pruning import prune_weights, round_weights
from rcmviz.learn.settings import Training
from rcmviz.learn.trainer import FitTrainer, best_model, last_model
from rcmviz.sequences.encoding import Encoder, labels_text, list_sequences, too_large


class SequenceClassifier(LabelScores, InspectionMixin, BaseEstimator):
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
        Climb the log-likelihood, or correct wrong decodings: the structured perceptron.
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
    warm_start : bool
        ``fit`` continues from the weights of the last ``fit``, with its features and labels.
    early_stopping : bool
        Stop when the held-out part gets no better, and keep the best epoch.
    validation_fraction : float
        Share of the sequences that early stopping holds out where ``fit`` is given no ``held_out``.
    n_iter_no_change : int
        Epochs without a better accuracy after which it stops.
    min_weight : float
        Weights nearer to 0 than this are left out at the end of ``fit``, and features that have no other.
    forbidden : sequence of (label, label), {"bio", "iob1", "bioes", "bilou"} or None
        Labels that never follow each other in an answer, ``None`` for the beginning or the end; or the scheme of labels
        such as ``B-NP``, ``I-NP`` and ``O``, which an answer then keeps. The training labels must keep it too.
    test_select : str or callable
        How candidates are ranked when it decodes, as ``select`` of ``rv.rcms``. Rules other than "forward" and
        "posterior" decode stepwise on one thread, a hundred times slower.

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
    feature_names_in_ : ndarray of str
        Names of the features; there is none where positions are rows of numbers.
    n_iter_ : int
        Epochs of the last ``fit``.
    history_ : tuple of dict
        The numbers of each epoch: step, log_likelihood, gradient_norm and others.

    Notes
    -----
    It is trained by AdaGrad on the log-likelihood, in single precision where it can be (as ``Training``), the context
    sets held fixed as they are selected (Steinhardt and Liang, 2015, §4 and §5), or as a structured perceptron
    (Collins, 2002), whose probabilities mean little: it learns which output is best, not how much better it is.

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
        self,
        method: str = "rcms",
        budget: int = 10,
        order: int = 3,
        mode: str = "single",
        passes: int = 1,
        deduplicate: bool = False,
        lost_gold: str = "numerator",
        eta: float = 0.2,
        delta: float = 1e-4,
        l2: float = 0.0,
        average: bool = True,
        epochs: int = 5,
        shuffle: bool = True,
        table: str = "auto",
        objective: str = "likelihood",
        update: str = "standard",
        mira: float = 0.0,
        random_state: int | np.random.RandomState | None = 0,
        test_budget: int | None = None,
        test_passes: int | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        warm_start: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 3,
        min_weight: float = 0.0,
        forbidden: str | Sequence[tuple[Any, Any]] | None = (),
        test_select: str | SelectionRule = FORWARD,
    ):
        self.method, self.budget, self.order, self.mode = method, budget, order, mode
        self.passes, self.deduplicate, self.lost_gold = passes, deduplicate, lost_gold
        self.eta, self.delta, self.l2, self.average = eta, delta, l2, average
        self.epochs, self.shuffle, self.table, self.random_state = epochs, shuffle, table, random_state
        self.objective, self.update, self.mira = objective, update, mira
        self.test_budget, self.test_passes, self.n_jobs, self.verbose = test_budget, test_passes, n_jobs, verbose
        self.warm_start, self.early_stopping = warm_start, early_stopping
        self.validation_fraction, self.n_iter_no_change = validation_fraction, n_iter_no_change
        self.min_weight, self.forbidden, self.test_select = min_weight, forbidden, test_select

    def fit(
        self,
        X: Features,
        y: Labels,
        held_out: tuple[Features, Labels] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from labelled sequences.

        Parameters
        ----------
        X : sequence of sequences
            A position is a dict of features, a list of feature names or a row of numbers. Empty sequences say nothing
            and are left out.
        y : sequence of sequences
            One label per position, all of them text or all whole numbers. A single label is learned with a warning.
        held_out : tuple of X and y, optional
            Sequences whose accuracy goes into ``history_``, and by which early stopping judges.
        sample_weight : array_like of int, shape (N,), optional
            How often each sequence is visited in an epoch, 0 for not at all.

        Returns
        -------
        SequenceClassifier
            The classifier itself.

        Raises
        ------
        ValueError
            A setting, a sequence or a feature cannot be used, labels follow each other that are ``forbidden``, or there
            are too many labels for the memory.
        """
        settings, y = self._training(), list_sequences(y, "y")
        for name in ("early_stopping", "warm_start"):
            checks.switch(name, getattr(self, name))
        if held_out is not None and not (isinstance(held_out, (tuple, list)) and len(held_out) == 2):
            raise ValueError("held_out: give a pair (X, y), sequences and their labels")
        goes_on = self.warm_start and hasattr(self, "model_")
        encoder, data = (self.encoder_, self._encode_known(X, y)) if goes_on else Encoder.learn(X, y)
        if len(encoder.classes) == 1:
            warn(f"y has one label only, {encoder.classes[0]!r}: it will be the answer everywhere", stacklevel=2)
        self._check_allowed(encoder, data, y)
        which = visits_of(sample_weight, y)
        unseen = None if held_out is None else encoder.encode(*held_out)
        if self.early_stopping and unseen is None:
            which, unseen = self._split(data, which, settings.seed)
        data = data if which is None else data.take(which)
        self._train(encoder, data, settings, unseen, self.model_ if goes_on else None)
        if not goes_on:  # small steps from here on would be lost by rounding after each
            self.model_ = round_weights(self.model_)
        return self

    def partial_fit(self, X: Features, y: Labels, classes: Sequence[Any] | None = None) -> Self:
        """Learn from a further batch: one epoch from the present weights.

        Parameters
        ----------
        X : sequence of sequences
            Sequences as for ``fit``; features that the first batch had not are left out, with a warning.
        y : sequence of sequences
            One label per position.
        classes : sequence, optional
            All labels that there will be; the first batch needs not have them all. Later they are the same.

        Returns
        -------
        SequenceClassifier
            The classifier itself. AdaGrad's sums and averages start again with each batch.

        Raises
        ------
        ValueError
            A label is not among ``classes``, those of the first batch by default, or something cannot be used.
        """
        settings, y = replace(self._training(), epochs=1), list_sequences(y, "y")
        known = hasattr(self, "model_")
        if known and classes is not None:
            with checks.hashable("classes", "give the names of the labels"):
                others = set(classes) != set(self.encoder_.classes)
            if others:
                first = labels_text(self.encoder_.classes)
                raise ValueError(f"classes: the first batch has {first}; name these, or none")
        encoder, data = (self.encoder_, self._encode_known(X, y)) if known else Encoder.learn(X, y, classes)
        self._check_allowed(encoder, data, y)
        self._train(encoder, data, settings, None, self.model_ if known else None)
        return self

    def _encode_known(self, X, y):
        """Labelled sequences with the features and labels of the last training."""
        unseen = self.encoder_.unseen(y)
        if unseen:
            raise ValueError(
                f"labels that the first training had not: {labels_text(unseen)}; fit a new classifier on all data, or "
                "name all labels when partial_fit is called first, classes=[…]"
            )
        new: list = []
        data = self.encoder_.encode(X, y, new)
        if new:
            warn(
                f"{counted(len(new), 'feature')} that the first training had not: {labels_text(new)}; left out, since "
                "a model keeps the features of its first training; fit a new classifier on all data to have them",
                stacklevel=3,
            )
        return data

    def _check_allowed(self, encoder, data, y):
        """ValueError if the training labels have a forbidden pair."""
        full = [w for w, labels in enumerate(y, start=1) if len(labels)]
        where = "sequence {}, position {}".format
        check_allowed(self.forbidden, encoder.classes, data.gold, data.offset, lambda w, i: where(full[w], i + 1))

    def _split(self, data, which, seed):
        """Sequences to train on, and those held out: disjoint, however often one is visited."""
        share = checks.number("validation_fraction", self.validation_fraction, "above 0, below 1", above=0, below=1)
        order = np.random.RandomState(seed).permutation(len(data))
        out = order[: max(1, round(share * len(data)))]
        which = np.arange(len(data)) if which is None else which
        kept = which[~np.isin(which, out)]
        if not len(kept):
            raise ValueError(f"{len(data)} sequences: early stopping leaves none to train on; give more, or held_out")
        return kept, data.take(out)

    def _train(self, encoder, data, settings, unseen, start):
        large = too_large(data)
        if large:
            warn(large, stacklevel=3)
        trainer = FitTrainer(data, settings, unseen, start=start, info={"encoder": encoder.to_dict()})
        patience = checks.whole("n_iter_no_change", self.n_iter_no_change, 1, 1_000_000)
        judges = self.early_stopping and unseen is not None
        report = self._print_progress
        model = best_model(trainer, patience, report) if judges else last_model(trainer, report)
        history = tuple(trainer.history)
        encoder, model = prune_weights(encoder, model, self.min_weight)
        self._set_result(encoder, model, history)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required, tags.input_tags.dict, tags.input_tags.two_d_array = True, True, False
        return tags

    def _training(self):
        seed = self.random_state
        if not checks.is_whole(seed):
            seed = int(check_random_state(seed).randint(2**31))
        precision = "f4" if self.objective == "likelihood" else "f8"
        return Training(**{name: getattr(self, name) for name in SETTINGS}, seed=seed, precision=precision)

    def _set_result(self, encoder, model, history):
        encoder.index_names()  # else a first prediction would take a quarter longer
        self.encoder_, self.model_, self.history_ = encoder, model, history
        self.classes_, self.n_features_in_ = np.array(encoder.classes), encoder.F
        self.n_iter_ = len(history)

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Names of the features, made on first use."""
        check_is_fitted(self, "encoder_")
        if self.encoder_.names is None:
            raise AttributeError("feature_names_in_: positions are rows of numbers, which have no names")
        return np.array(self.encoder_.names, dtype=object)

    def _print_progress(self, trainer):
        if self.verbose:
            now, measured = trainer.history[-1], trainer.settings.measured
            held_out = "" if np.isnan(now["accuracy"]) else f", held-out accuracy {now['accuracy']:.3f}"
            print(f"epoch {now['epoch']} of {self.epochs}: {measured} {now['log_likelihood']:.3f}{held_out}")

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
        return self._fill_empty(X, [], lambda some: self._name_labels(self._predictions(self._encode_labelled(some))))

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
        check_is_fitted(self, "encoder_")
        none = np.zeros((0, len(self.encoder_.classes)))
        return self._fill_empty(X, none, lambda some: self._posteriors_of(self._encode_labelled(some)))

    def predict_marginals(self, X: Features) -> list[list[dict[Any, float]]]:
        """Probability of every label at every position by name, as sklearn-crfsuite has it.

        Parameters
        ----------
        X : sequence of sequences
            Sequences as for ``fit``.

        Returns
        -------
        list of list of dict
            For each position a dict from labels to probabilities.
        """
        tables = self.predict_proba(X)
        return [[dict(zip(self.encoder_.classes, row, strict=True)) for row in rows.tolist()] for rows in tables]

    def _posteriors_of(self, data):
        return self._posteriors(data.stacked_log_emits(self.model_.emission), data.offset)

    def _posteriors(self, stacked, offset):
        return list(self._infer(stacked, offset, posterior=True).posterior)

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
        return np.array(
            self._fill_empty(X, 0.0, lambda some: self._decode(self._encode_labelled(some)).log_prob), np.float64
        )

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
        read = self._fill_empty(X, ([], 0.0), self._predict_with_confidence)
        return [list(labels) for labels, _ in read], np.exp([log_prob for _, log_prob in read])

    def _predict_with_confidence(self, X):
        batch = self._decode(self._encode_labelled(X))
        return list(zip(self._name_labels(batch.labels), batch.log_prob.tolist(), strict=True))

    def _predictions(self, data):
        # On vectors where the method has them: of 2,001 sentences of UD-EWT two at most have other tags in double.
        return self._decode(data, "f4").labels

    def _decode(self, data, dtype="f8"):
        stacked = data.stacked_log_emits(self.model_.emission)
        batch = self._infer(stacked, data.offset, dtype)
        never = forbidden_pairs(self.forbidden, self.encoder_.classes)
        return (
            batch
            if never is None
            else replace_forbidden(batch, never, np.split(stacked, data.offset[1:-1]), self._lattices)
        )

    def _lattices(self, log_emit):
        """The lattice of the method, and one that has all outputs where the method drops some."""
        for method in dict.fromkeys((self.method, "rcms")):
            taken = self._of_builder(method)
            yield build_lattice(method, self.model_, log_emit, self._budget, record=False, **taken)[0]

    def _of_builder(self, method):
        """The options of a method's builder; forward mass replaces an unsuitable rule."""
        select = self.test_select
        options = self._options | {"root_weight": self.model_.root_weight}
        options["select"] = fitting_rule(select, method) if isinstance(select, str) else select
        return METHODS[method].taken(options)

    def _infer(self, stacked, offset, dtype="f8", posterior=False):
        if is_stepwise(checked_rule(self.test_select, METHODS[self.method])):
            return infer_one_by_one(
                self.model_, stacked, offset, self.method, self._budget, **self._of_builder(self.method)
            )
        return infer_stacked(
            self.model_,
            stacked,
            offset,
            self.method,
            self._budget,
            threads=effective_n_jobs(self.n_jobs),
            dtype=dtype,
            posterior=posterior,
            **self._options,
        )

    @property
    def _budget(self):
        return self.budget if self.test_budget is None else self.test_budget

    @property
    def _options(self):
        passes = self.passes if self.test_passes is None else self.test_passes
        return {"passes": passes_of(self.test_select, passes), "deduplicate": self.deduplicate}

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
        (log_emit,) = self._encode_labelled([x], None if y is None else [y]).log_emits(self.model_.emission)
        spelt = dict(zip(self.encoder_.classes, self.encoder_.labels, strict=True))
        gold = None if y is None else tuple(spelt.get(label, str(label)) for label in y)
        return Problem(self.model_, log_emit, gold, name)

    def save(self, path: str | PathLike) -> None:
        """Write model, feature names, classes and parameters as one npz file without pickle.

        Parameters
        ----------
        path : str or path
            The file; ``docs/classifier.md`` describes it.
        """
        check_is_fitted(self, "model_")
        if callable(self.test_select):
            raise ValueError("test_select is a function, which a file cannot hold; set a rule's name before saving")
        test = {name: getattr(self, name) for name in TEST_SETTINGS}
        test = {name: value if value is None else int(value) for name, value in test.items()}
        never: Any = self.forbidden
        if never is not None and not isinstance(never, str):
            never = list(map(list, never))
        others = other_parameters({name: getattr(self, name) for name in OTHERS})
        info = {"forbidden": never, "parameters": others, "history": self.history_} | test
        replace(self.model_, info=self.model_.info | info | {"set_since": self._changed_settings()}).save(path)

    def _changed_settings(self):
        """The parameters that are no longer those of the training."""
        trained = training_of(self.model_.info["training"])
        seed = self.random_state if checks.is_whole(self.random_state) else trained.seed
        now = replace(trained, **{name: getattr(self, name) for name in SETTINGS}, seed=seed)
        names = [name for name in (*SETTINGS, "seed") if getattr(now, name) != getattr(trained, name)]
        return {name: getattr(now, name) for name in names}

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
            settings = training_of(model.info["training"] | model.info.get("set_since", {}))
            parameters: dict[str, Any] = other_parameters(model.info.get("parameters", {}))
            history = tuple(map(dict, model.info.get("history", ())))
            never = model.info.get("forbidden", ())
            never = never if never is None or isinstance(never, str) else tuple(tuple(pair) for pair in never)
        except UNFIT as error:
            raise ValueError(f"{path}: the classifier is damaged ({error}); copy or train it again") from None
        try:
            forbidden_pairs(never, encoder.classes)
        except ValueError as error:  # up to rcmviz 0.2 a scheme of other labels was learnt with, and did nothing
            warn(f"{path}: {error}; nothing is forbidden", stacklevel=2)
            never = ()
        parameters |= {name: getattr(settings, name) for name in SETTINGS}
        parameters |= {name: model.info.get(name) for name in TEST_SETTINGS}
        classifier = cls(**parameters, random_state=settings.seed, forbidden=never)
        info = {name: value for name, value in model.info.items() if name not in (*OF_FILES, *TEST_SETTINGS)}
        classifier._set_result(encoder, replace(model, info=info), history)
        return classifier
