"""Numbers of unusual types are converted or refused; no kernel is compiled for them."""

import numpy as np
import pytest

import rcmviz as rv


def test_threads_of_infer_batch():
    model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    log_emits = [np.array([[1.0, 0.0], [0.0, 0.5]])] * 5
    usual = rv.infer_batch(model, log_emits)
    for threads in (-1, np.int64(-1), 1, 2, np.int8(3), 100):
        found = rv.infer_batch(model, log_emits, threads=threads)
        assert found.log_z.tolist() == usual.log_z.tolist()
        assert [labels.tolist() for labels in found.labels] == [labels.tolist() for labels in usual.labels]
    for threads in (0, -2, 1.5, True, "2", 2.0):
        with pytest.raises(ValueError, match="threads .*1 or more"):
            rv.infer_batch(model, log_emits, threads=threads)
    with pytest.raises(ValueError, match="root_weight nan"):
        rv.infer_batch(model, log_emits, "repaired", root_weight=float("nan"))


def test_settings_are_of_one_type():
    given = {"eta": 1, "delta": np.float32(1), "l2": True + 1, "epochs": np.int8(3), "average": np.bool_(True)}
    training = rv.Training(**given)
    assert {name: type(getattr(training, name)) for name in given} == {
        "eta": float,
        "delta": float,
        "l2": float,
        "epochs": int,
        "average": bool,
    }
