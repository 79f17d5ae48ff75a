"""Compiles ahead the kernels of a classifier's first calls: `rcmviz warmup fit`."""

from rcmviz.learn.classifier import SequenceClassifier

X, Y = [[{"a": "b"}, {"c": 2.0}], [{"a": "d"}]], [["p", "q"], ["p"]]
KINDS = (  # a kernel of the training each; methods not named here share one of theirs
    {},
    {"passes": 2},
    {"deduplicate": True},
    {"method": "exact"},
    {"method": "exact", "order": 2},
    {"objective": "perceptron"},
    {"objective": "perceptron", "method": "exact"},
)


def warm_up():
    """Compile or load the kernels that learn, and those that then read labels and probabilities."""
    for kind in KINDS:
        learner = SequenceClassifier(**{"order": 1, "epochs": 1, **kind}).fit(X, Y, held_out=(X, Y))
        learner.predict(X)
        learner.predict_proba(X)
