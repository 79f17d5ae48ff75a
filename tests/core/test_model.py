"""The model: windows, rows, the two feature modes, files."""

import io
import pickle

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.core.models import model as model_module
from rcmviz.core.models import model_file

WINDOWS = {("^", "^", "a"): 1.0, ("^", "*", "b"): -0.5, ("*", "a", "b"): 0.25, ("b", "a", "a"): 2.0}


def sample_model(**changes):
    return rv.NgramModel.from_windows("ab", 2, WINDOWS, **changes)


def weight_of(model, position, context, label):
    """Return a weight by the model's own addressing of rows."""
    code = 0
    for symbol in context:
        code = code * len(model.labels) + model.labels.index(symbol)
    row = model.rows(position, len(context), np.array([code % model.powers[min(len(context), model.order)]]))[0]
    return model.log_table[row, model.labels.index(label)]


def test_each_window_fires_where_it_says():
    model = sample_model()
    assert weight_of(model, 0, (), "a") == 1.0
    assert weight_of(model, 1, (), "b") == -0.5
    assert weight_of(model, 1, ("a",), "b") == 0.0, "a complete history at position 1 is another window"
    assert weight_of(model, 2, ("a",), "b") == 0.25
    assert weight_of(model, 7, ("a",), "b") == 0.25
    assert weight_of(model, 7, ("a", "b", "a"), "a") == 2.0, "only the last two labels are seen"


def test_additive_weights_add_up_over_suffixes_and_the_beginning():
    windows = {("*", "*", "a"): 1.0, ("*", "a", "a"): 10.0, ("b", "a", "a"): 100.0, ("^", "a", "a"): 1000.0}
    model = rv.NgramModel.from_windows("ab", 2, windows, mode="additive")
    assert weight_of(model, 5, (), "a") == 1.0
    assert weight_of(model, 5, ("a",), "a") == 11.0
    assert weight_of(model, 5, ("b", "a"), "a") == 111.0
    assert weight_of(model, 5, ("a", "a"), "a") == 11.0
    assert weight_of(model, 1, ("a",), "a") == 1011.0


@pytest.mark.parametrize("mode", model_module.MODES)
def test_sparse_rows_are_the_dense_rows(mode, monkeypatch):
    dense = random_model(mode, np.random.default_rng(3))
    assert dense.is_dense and dense.address[2].size == 0
    monkeypatch.setattr(model_module, "DENSE_LIMIT", 1)
    sparse = random_model(mode, np.random.default_rng(3))
    assert not sparse.is_dense and sparse.address[2].size > 0
    emit = np.random.default_rng(4).normal(size=(6, 3))
    for budget in (1, 3, 50):
        assert rv.log_z(rv.rcms(sparse, emit, budget)[0]) == rv.log_z(rv.rcms(dense, emit, budget)[0])


def random_model(mode, rng):
    empty = rv.NgramModel.from_windows("abc", 2, {}, mode=mode)
    windows = {}
    for position in range(4):
        for context in [(), ("a",), ("b",), ("a", "b"), ("c", "c"), ("b", "a")]:
            if len(context) <= position:
                for prefix in empty.windows_of(position, context):
                    windows[(*prefix, "abc"[rng.integers(3)])] = float(rng.normal())
    return rv.NgramModel.from_windows("abc", 2, windows, mode=mode)


@pytest.mark.parametrize(
    ("window", "message"),
    [
        (("a", "b"), "expected 2 symbols"),
        (("a", "b", "c", "d"), "expected 2 symbols"),
        (("a", "x", "b"), "'x' is neither"),
        (("a", "a", "x"), "not one of the labels"),
        (("a", "*", "b"), "come in the order"),
        (("*", "^", "b"), "come in the order"),
        (("a", "^", "b"), "come in the order"),
        ("aab"[:0], "expected 2 symbols"),
    ],
)
def test_malformed_windows_are_named(window, message):
    with pytest.raises(ValueError, match=message) as caught:
        rv.NgramModel.from_windows("ab", 2, {window: 1.0})
    assert repr(window) in str(caught.value)


@pytest.mark.parametrize("weight", [np.nan, np.inf, "heavy", None])
def test_weights_are_finite_numbers_or_minus_infinity(weight):
    with pytest.raises(ValueError, match="finite number"):
        rv.NgramModel.from_windows("ab", 1, {("a", "b"): weight})


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("", "at least one"),
        ("aa", "repeat"),
        ("a*", "rename"),
        ("^", "rename"),
        ([1, 1, "a", "a"], "label 1"),
        ([["a"], "b"], "non-empty strings"),
    ],
)
def test_labels_are_checked(labels, message):
    with pytest.raises(ValueError, match=message):
        rv.NgramModel.from_windows(labels, 1, {})


@pytest.mark.parametrize("order", [0, -1, 1.5, True, None, 40])
def test_orders_are_checked(order):
    with pytest.raises(ValueError, match="order"):
        rv.NgramModel.from_windows("abcd", order, {})


def test_save_and_load_round_trip(tmp_path):
    emission = np.arange(6.0).reshape(3, 2)
    model = sample_model(emission=emission, info={"grid": "8x4"})
    model.save(tmp_path / "m.npz")
    again = rv.load_model(tmp_path / "m.npz")
    assert again.labels == model.labels and again.order == 2 and again.info == {"grid": "8x4"}
    np.testing.assert_array_equal(again.log_table, model.log_table)
    np.testing.assert_array_equal(again.log_emit([[1.0, 0.0]]), [[0.0 + 4.0, 1.0 + 5.0]])


def test_a_truncated_file_is_named(tmp_path):
    sample_model().save(tmp_path / "m.npz")
    whole = (tmp_path / "m.npz").read_bytes()
    for kept in (0, 10, len(whole) // 2, len(whole) - 30):
        (tmp_path / "cut.npz").write_bytes(whole[:kept])
        with pytest.raises(ValueError, match=r"cut\.npz.*(cut short|damaged|pickle)"):
            rv.load_model(tmp_path / "cut.npz")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("keys", lambda keys: keys + 10_000, "keys.0. is 1.*: give whole numbers from 0"),  # out of bounds
        ("keys", lambda keys: keys - 10_000, "keys.0. is -9"),
        ("keys", lambda keys: keys.reshape(1, -1), "rows and weights do not fit"),
        ("weights", lambda weights: weights.astype(str), "rows and weights do not fit"),
        ("emission", lambda _: np.array([["a", "b"]]), "emissions do not fit"),
        ("order", lambda _: np.array(1.5), "the order is a whole number"),
        ("info", lambda _: np.array("3"), "the model is damaged"),
        ("version", lambda _: np.array("new"), "does not say its version"),
        ("version", lambda _: np.zeros(0), "does not say its version"),
    ],
)
def test_damaged_parts_are_refused(name, value, message, tmp_path):
    path = tmp_path / "model.npz"
    sample_model().save(path)
    parts = dict(np.load(path))
    np.savez(path, **{**parts, name: value(parts[name])})
    with pytest.raises(ValueError, match=message):
        rv.NgramModel.load(path)


def test_a_single_array_is_no_model(tmp_path):
    with open(tmp_path / "array.npz", "wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(ValueError, match="array.npz: "):
        rv.NgramModel.load(tmp_path / "array.npz")


@pytest.mark.parametrize(("labels", "weights"), [(None, {}), (3, {}), ("ab", None), ("ab", [1, 2])])
def test_invalid_labels_and_weights_are_refused(labels, weights):
    with pytest.raises(ValueError, match="labels .*weights"):
        rv.NgramModel.from_windows(labels, 1, weights)


def test_labels_of_a_list_are_those_of_a_string():
    listed = rv.NgramModel.from_windows(["a", "b"], 2, WINDOWS)
    assert listed.labels == sample_model().labels
    assert np.array_equal(listed.weights, sample_model().weights)


def test_a_write_that_fails_leaves_the_model_that_was_there(tmp_path):
    path = tmp_path / "m.npz"
    sample_model().save(path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="info: .*texts"):
        sample_model(info={"not JSON": object()}).save(path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]
    with pytest.raises(OSError) as caught:
        sample_model().save(tmp_path / "missing" / "m.npz")
    assert caught.value.filename == str(tmp_path / "missing" / "m.npz")


def test_a_pickle_is_never_loaded(tmp_path):
    class Boom:
        def __reduce__(self):
            return (pytest.fail, ("the pickle ran",))

    (tmp_path / "raw.npz").write_bytes(pickle.dumps(Boom()))
    buffer = io.BytesIO()
    np.savez(buffer, format=np.array(Boom(), dtype=object))
    (tmp_path / "inside.npz").write_bytes(buffer.getvalue())
    for name in ("raw.npz", "inside.npz"):
        with pytest.raises(ValueError, match="pickle"):
            rv.load_model(tmp_path / name)


def test_later_versions_and_other_files_say_so(tmp_path, monkeypatch):
    monkeypatch.setattr(model_file, "PLAIN", 99)
    sample_model().save(tmp_path / "later.npz")
    monkeypatch.undo()
    with pytest.raises(ValueError, match="version 99.*update"):
        rv.load_model(tmp_path / "later.npz")
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    with pytest.raises(ValueError, match="rcmviz model"):
        rv.load_model(tmp_path / "other.npz")
    with pytest.raises(ValueError, match="no such file"):
        rv.load_model(tmp_path / "absent.npz")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ValueError, match="folder: .*path"):
        rv.load_model(tmp_path / "folder")
    with pytest.raises(ValueError, match="handwriting-pen"):
        rv.load_model("handwriting-nobody")


def test_shipped_models_load():
    assert {"handwriting-kassel", "handwriting-pen"} <= set(rv.shipped_models())
    for name in rv.shipped_models():
        model = rv.load_model(name)
        assert model.info["name"] == name and model.emission is not None


def test_features_are_checked():
    with pytest.raises(ValueError, match="no emissions"):
        sample_model().log_emit([[1.0]])
    with pytest.raises(ValueError, match="the model expects 2"):
        sample_model(emission=np.zeros((3, 2))).log_emit([[1.0, 0.0, 1.0]])
