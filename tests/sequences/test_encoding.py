"""Encoding of features: equal numbers for cached, new and nested features."""

import pickle
from enum import Enum

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rcmviz as rv
from problems.chain import problems_of
from rcmviz.sequences.encoding import Encoder
from rcmviz.sequences.numbering import BLOCK

PLAIN = ["the", "", "a=b", "é", "日", "日é😀", 1, 1.0, True, 0, False, 2.5, -3, 2**62 + 1]


class Word(str, Enum):  # noqa: UP042 - equal to its value, but written "Word.the", unlike a StrEnum
    the = "the"


ODD = [["p", "q"], {"in": "x", "n": 2}, 2**70, np.float64(1.5), np.str_("the"), Word.the]
VALUES = st.sampled_from([*PLAIN, *PLAIN, *ODD])
POSITIONS = st.dictionaries(st.sampled_from(["word", "a", "w=a", "-1", "日", "é", np.str_("b")]), VALUES, max_size=3)
SEQUENCES = st.lists(st.lists(POSITIONS, min_size=1, max_size=3), min_size=1, max_size=4)


def named(position, prefix=""):
    """Return the definition: ``{name: value}``, with the sum for repeated names."""
    found = {}
    for name, value in position.items():
        if isinstance(value, dict):
            parts = named(value, f"{prefix}{name}:")
        elif isinstance(value, list):
            parts = {f"{prefix}{name}={part}": 1.0 for part in value}
        elif isinstance(value, str):
            parts = {f"{prefix}{name}={value}": 1.0}
        else:
            parts = {f"{prefix}{name}": float(value)}
        for part, amount in parts.items():
            found[part] = found.get(part, 0.0) + amount
    return found


def read(encoder, data):
    """``{name: value}`` of each position of encoded sequences."""
    found = []
    for i in range(data.positions):
        entries = range(data.start[i], data.start[i + 1])
        found.append({})
        for entry in entries:
            name = encoder.names[data.feature[entry]]
            found[-1][name] = found[-1].get(name, 0.0) + data.value[entry]
    return found


@problems_of(100)
@given(X=SEQUENCES, further=SEQUENCES)
def test_features_are_numbered_by_their_definition(X, further):
    encoder, data = Encoder.learn(X, [["y"] * len(x) for x in X])
    assert read(encoder, data) == [named(position) for x in X for position in x]
    known = [{name: v for name, v in named(p).items() if name in encoder.names} for x in further for p in x]
    for again in (encoder, encoder, pickle.loads(pickle.dumps(encoder))):  # with an empty cache, a full one, and a copy
        encoded = again.encode(further)
        assert read(encoder, encoded) == known
        np.testing.assert_array_equal(np.diff(encoded.offset), [len(x) for x in further])


def test_any_number_of_names_is_met_and_found_again():
    """This includes names from nested dicts."""
    X = [
        [{"n": str(7 * i % 5_000), str(i % 3_000): True, **({"in": {"": str(i)}} if i % 501 == 0 else {})}]
        for i in range(3 * BLOCK)
    ]
    encoder, data = Encoder.learn(X, [["y"]] * len(X))
    assert read(encoder, data) == [named(x[0]) for x in X]
    assert read(encoder, encoder.encode(X)) == [named(x[0]) for x in X]
    assert encoder.encode([[{"n": "5000", "": 1}]]).feature.size == 0


def test_a_file_that_names_a_feature_twice_is_refused():
    with pytest.raises(ValueError, match="1 .* 2 features"):
        Encoder.from_dict({"classes": ["p"], "F": 2, "names": ["a", "a"]})


@pytest.mark.parametrize("odd", [3, None, ["a", 2], {"a": {"b": ["c", 1]}}, {"a": object()}, {(1,): 1}])
def test_a_position_that_cannot_be_read_is_named(odd):
    X = [[{"a": "b"}]] * 3 + [[{"a": 1}, {"a": "b", "c": {"d": 1}}, odd]]
    with pytest.raises(ValueError, match="sequence 4, position 3: |feature"):
        Encoder.learn(X, [["y"] * len(x) for x in X])


def test_tables_whose_columns_differ_are_refused():
    table = pd.DataFrame({"f": [1.0, 0.0], "g": [0.0, 1.0]})
    assert rv.Sequences.from_arrays([table, table], ["ab", "ab"], "ab").F == 2
    with pytest.raises(ValueError, match="sequence 2: .*'g', 'f'"):
        rv.Sequences.from_arrays([table, table[["g", "f"]]], ["ab", "ab"], "ab")
    encoder, _ = Encoder.learn([np.eye(2)], [["a", "b"]])
    with pytest.raises(ValueError, match=r"X\[1\] .*list"):
        encoder.encode([np.eye(2), table])
