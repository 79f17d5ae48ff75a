"""The sequence classifier: training and decoding behind the calls that scikit-learn's users know.

>>> X = [[{"word": "the"}, {"word": "cat"}], [{"word": "the"}, {"word": "dog"}, {"word": "sat"}]]
>>> y = [["DET", "NOUN"], ["DET", "NOUN", "VERB"]]
>>> classifier = SequenceClassifier(order=1, epochs=30).fit(X, y)
>>> classifier.predict([[{"word": "the"}, {"word": "dog"}]])
[['DET', 'NOUN']]
"""

from dataclasses import fields, replace
from warnings import warn

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from rcmviz.batch import infer_batch
from rcmviz.encoding import Encoder, listed
from rcmviz.learn.settings import Training
from rcmviz.learn.trainer import train
from rcmviz.model import NgramModel
from rcmviz.problem import Problem

SETTINGS = tuple(entry.name for entry in fields(Training) if entry.name != "seed")
TEST_SETTINGS = "test_budget", "test_passes"


class SequenceClassifier(BaseEstimator):
    """Labels every position of a sequence with a log-linear n-gram model whose contexts are chosen at run time.

    Parameters are those of ``Training`` (method, budget, order, mode, passes, deduplicate, lost_gold, eta, delta, l2,
    average, epochs, shuffle, table), with ``random_state`` for its seed; ``test_budget`` and ``test_passes`` decode
    with more contexts or passes than were trained with (None: the same); ``n_jobs`` threads decode, one by default;
    ``verbose`` prints a line per epoch.

    ``X`` is a list of sequences; a position is a dict of features, a list of feature names or a row of numbers
    (``rcmviz.encoding``). ``y`` is a list of label sequences; labels are texts or whole numbers.

    Learnt: ``classes_ (Y,)``, ``model_`` an ``NgramModel``, ``encoder_``, ``n_features_in_`` features per position,
    ``history_`` one dict per epoch (step, log_likelihood, gradient_norm, …; without the model).

    To scikit-learn this is an estimator but no *classifier*: its stratified splits and its metrics expect one label per
    sample. So ``GridSearchCV`` splits over sequences, unstratified, and scores by ``score``.
    """

    def __init__(
        self, method="rcms", budget=10, order=3, mode="single", passes=1, deduplicate=False, lost_gold="numerator",
        eta=0.2, delta=1e-4, l2=0.0, average=False, epochs=20, shuffle=True, table="auto", random_state=0,
        test_budget=None, test_passes=None, n_jobs=None, verbose=0,
    ):  # fmt: skip
        self.method, self.budget, self.order, self.mode = method, budget, order, mode
        self.passes, self.deduplicate, self.lost_gold = passes, deduplicate, lost_gold
        self.eta, self.delta, self.l2, self.average = eta, delta, l2, average
        self.epochs, self.shuffle, self.table, self.random_state = epochs, shuffle, table, random_state
        self.test_budget, self.test_passes, self.n_jobs, self.verbose = test_budget, test_passes, n_jobs, verbose

    def fit(self, X, y, held_out=None):
        """Learn from labelled sequences; ``held_out`` a pair (X, y) whose accuracy goes into ``history_``.

        ValueError names what cannot be learnt from: a setting, a sequence, a feature that is not finite, too many
        labels for the memory. A single label is learnt with a warning.
        """
        settings = self._training()
        encoder, data = Encoder.learn(X, y)
        if len(encoder.classes) == 1:
            warn(f"y has one label only, {encoder.classes[0]!r}: it will be the answer everywhere", stacklevel=2)
        unseen = None if held_out is None else encoder.encode(*held_out)
        history = []
        for state in train(data, settings, unseen, info={"encoder": encoder.to_dict()}):
            history.append(numbers(state))
            self._tell(state)
        self._learnt(encoder, state.model, tuple(history))
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required, tags.input_tags.dict, tags.input_tags.two_d_array = True, True, False
        return tags

    def _training(self):
        seed = self.random_state
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            seed = int(check_random_state(seed).randint(2**31))
        return Training(**{name: getattr(self, name) for name in SETTINGS}, seed=seed)

    def _learnt(self, encoder, model, history):
        self.encoder_, self.model_, self.history_ = encoder, model, history
        self.classes_, self.n_features_in_ = np.array(encoder.classes), encoder.F

    def _tell(self, state):
        if self.verbose:
            held_out = "" if np.isnan(state.accuracy) else f", held-out accuracy {state.accuracy:.3f}"
            print(f"epoch {state.epoch} of {self.epochs}: log likelihood {state.log_likelihood:.3f}{held_out}")

    def predict(self, X):
        """The most probable output of every sequence, a list of lists of labels."""
        return self._named(self._decode(self._encoded(X)).labels)

    def predict_proba(self, X):
        """The probability of every label at every position, a list of arrays (T, Y) in the order of ``classes_``."""
        return [np.asarray(rows, np.float64) for rows in self._decode(self._encoded(X), posterior=True).posterior]

    def predict_log_proba_sequence(self, X):
        """The log probability (N,) of each decoded output in the method's own model: its confidence is exp of it."""
        return self._decode(self._encoded(X)).log_prob

    def predict_with_confidence(self, X):
        """The outputs and their confidence (N,) from one decoding → (list of lists of labels, array)."""
        batch = self._decode(self._encoded(X))
        return self._named(batch.labels), np.exp(batch.log_prob)

    def _named(self, decoded):
        return [[self.encoder_.classes[label] for label in labels] for labels in decoded]

    def _encoded(self, X, y=None):
        check_is_fitted(self, "model_")
        return self.encoder_.encode(X, y)

    def _decode(self, data, posterior=False):
        return infer_batch(
            self.model_, data.log_emits(self.model_.emission), self.method,
            self.budget if self.test_budget is None else self.test_budget,
            passes=self.passes if self.test_passes is None else self.test_passes, deduplicate=self.deduplicate,
            threads=effective_n_jobs(self.n_jobs), posterior=posterior,
        )  # fmt: skip

    def score(self, X, y, sample_weight=None):
        """The share of sequences whose labels are all right (``sample_weight`` one per sequence).

        A label that training has not seen is never predicted, so such a sequence counts as wrong.
        """
        right, lengths = self._right_labels(X, y)
        weights = _weights(sample_weight, len(lengths))
        return float(weights @ (right == lengths) / weights.sum())

    def score_labels(self, X, y, sample_weight=None):
        """The share of labels that are right; as ``scoring=SequenceClassifier.score_labels`` for a grid search."""
        right, lengths = self._right_labels(X, y)
        weights = _weights(sample_weight, len(lengths))
        return float(weights @ right / (weights @ lengths))

    def _right_labels(self, X, y):
        """How many labels of each sequence (N,) are right, and how many there are (N,).

        A warning names gold labels that training has not seen.
        """
        if y is None:
            raise ValueError("a score compares with labels: give y, a list of label sequences")
        y = list(y)
        data = self._encoded(X, y)
        unseen = self.encoder_.unseen(y)
        if unseen:
            warn(f"labels that training has not seen count as wrong: {listed(unseen)}", stacklevel=3)
        pairs = zip(self._decode(data).labels, data.golds(), strict=True)
        return np.array([np.sum(found == gold) for found, gold in pairs]), np.diff(data.offset)

    def problem(self, x, y=None, name="sequence"):
        """One sequence as a ``Problem``: run it, step through it in the application, export it as a page."""
        (log_emit,) = self._encoded([x], None if y is None else [y]).log_emits(self.model_.emission)
        return Problem(self.model_, log_emit, None if y is None else tuple(str(label) for label in y), name)

    def save(self, path):
        """Write model, feature names, classes and parameters as one npz without pickle (``docs/classifier.md``)."""
        check_is_fitted(self, "model_")
        test = {name: getattr(self, name) for name in TEST_SETTINGS}
        test = {name: value if value is None else int(value) for name, value in test.items()}
        replace(self.model_, info=self.model_.info | test).save(path)

    @classmethod
    def load(cls, path):
        """Read what ``save`` or ``rcmviz train`` on a file wrote; ValueError says what is wrong with another file."""
        model = NgramModel.load(path)
        if "encoder" not in model.info:
            raise ValueError(f"{path}: a model without feature names; give one trained on a file or by a classifier")
        try:
            encoder = Encoder.from_dict(model.info["encoder"])
            if model.emission is None or model.emission.shape != (encoder.F + 1, len(encoder.classes)):
                raise ValueError("features and emissions do not fit together")
            settings = Training.from_dict({name: model.info["training"][name] for name in (*SETTINGS, "seed")})
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path}: the classifier is damaged ({error}); copy or train it again") from None
        parameters = {name: getattr(settings, name) for name in SETTINGS} | {"random_state": settings.seed}
        tests = {name: model.info.get(name) for name in TEST_SETTINGS}
        classifier = cls(**parameters, **tests)
        classifier._learnt(encoder, model, ())
        return classifier


def numbers(state):
    """The numbers of a training state, without its model."""
    return {name: value for name, value in vars(state).items() if name != "model"}


def _weights(given, number):
    weights = np.ones(number) if given is None else np.asarray(given, dtype=np.float64)
    if weights.shape != (number,) or not (weights >= 0).all() or not 0 < weights.sum() < np.inf:
        raise ValueError(f"sample_weight of shape {weights.shape}: give one number per sequence, {number}, not all 0")
    return weights
