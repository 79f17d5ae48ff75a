"""What decodes is compiled beside a training."""

import os
import threading
import time

import pytest

from rcmviz.core.methods import TRAINABLE
from rcmviz.kernels.chain import dense, words
from rcmviz.learn import beside
from rcmviz.learn.classifier import SequenceClassifier

X, Y = [[{"a": "b"}, {"c": 2.0}], [{"a": "d"}]], [["p", "q"], ["p"]]


@pytest.mark.parametrize("method", TRAINABLE)
def test_a_first_prediction_compiles_nothing(method, monkeypatch):
    monkeypatch.setattr(beside, "_begun", {})
    learner = SequenceClassifier(method=method, order=1, epochs=1).fit(X, Y)
    beside.wait()
    kernel = words.infer_words if TRAINABLE[method].selects else dense.infer_dense
    known = list(kernel.signatures)
    assert known
    learner.predict(X)
    assert kernel.signatures == known
    assert list(beside._begun) == [method]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_waits_for_what_is_compiled(monkeypatch):
    done = []
    slow = threading.Thread(target=lambda: (time.sleep(0.05), done.append(True)))
    monkeypatch.setattr(beside, "_begun", {"rcms": slow})
    slow.start()
    child = os.fork()
    if not child:
        os._exit(0 if done else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
