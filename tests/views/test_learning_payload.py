"""The learning payload: numbers or null, weights that can be unpacked, no reference that keeps a run alive."""

import base64
import gc
import json
import weakref

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.jobs.host import Host
from rcmviz.views.learn.payload import CURVES, HEAVIEST, ShownSequence, build_learning
from support.jobs import LABELS, awake, sequences, wait_for  # noqa: F401

SETTINGS = rv.Training(order=1, budget=3, epochs=2)


@pytest.fixture
def run():
    host, data = Host(threads=1), sequences()
    run = host.open("here", data, [SETTINGS, rv.Training("beam", order=1, budget=2, epochs=2)], sequences(6, 1))
    run.run()
    wait_for(lambda: run.finished)
    yield run
    host.close(run.name)


def payload_of(run, **options):
    sequence = sequences(6, 1).take([2])
    tokens = [f"t{i}" for i in range(sequence.positions)]
    return build_learning(run, ["RCMS 3", "Beam 2"], ShownSequence(sequence, tokens, 2, ["a", "b", "c"]), **options)


def test_it_is_json_with_null_where_there_is_no_number(run):
    payload = json.loads(json.dumps(payload_of(run, features=("x", "y", "z")), allow_nan=False))
    for method, snapshot in zip(payload["methods"], run.snapshots(), strict=True):
        assert method["status"] == "done"
        assert [len(method["points"][curve]) for curve in CURVES] == [len(snapshot.points)] * len(CURVES)
        assert [one["step"] for one in method["checkpoints"]] == [one.step for one in snapshot.checkpoints]
        assert method["points"]["accuracy"][-1] == pytest.approx(snapshot.points[-1].accuracy, rel=1e-3)
        last = method["checkpoints"][-1]
        assert len(last["windows"]) <= 2 * HEAVIEST
        assert {feature for feature, _, _ in last["features"]} <= {"x", "y", "z", "bias"}
        assert len(last["decoded"]) == len(payload["sequence"]["gold"]) == len(payload["sequence"]["tokens"])


def test_pixel_weights_come_back_from_their_bytes(run):
    checkpoint = run.snapshots()[0].checkpoints[-1]
    sent = payload_of(run, pixels=(1, 3))["methods"][0]["checkpoints"][-1]
    levels = np.frombuffer(base64.b64decode(sent["weights"]), np.uint8).reshape(len(LABELS), 3)
    weights = checkpoint.model.emission[:-1].T
    centred = weights - weights.mean(axis=0)
    np.testing.assert_allclose((levels - 128.0) / 127 * sent["scale"], centred, atol=sent["scale"] / 200)


def test_images_are_rows_of_digits(run):
    images = np.zeros((2, 4, 3), np.uint8)
    images[1, 2, 0] = 1
    payload = build_learning(run, ["a", "b"], ShownSequence(sequences(6, 1).take([2]), images, 0, ["word"]))
    assert payload["sequence"]["images"][1] == ["000", "000", "100", "000"]


def test_the_payload_does_not_keep_a_checkpoint_in_memory(run):
    payload = payload_of(run)
    model = weakref.ref(run.snapshots()[0].checkpoints[0].model)
    run.cancel()
    gc.collect()
    assert payload["methods"]
    assert model() is None
