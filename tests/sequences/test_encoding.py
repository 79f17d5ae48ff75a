"""Features become numbers by one definition, whichever way is taken: whole sequences at once, or value by value."""

import pickle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from problems.chain import problems_of
from rcmviz.sequences.encoding import Encoder

VALUES = st.sampled_from(["the", "", "a=b", 1, 1.0, True, 0, False, 2.5, -3, ["p", "q"], {"in": "x", "n": 2}])
POSITIONS = st.dictionaries(st.sampled_from(["word", "a", "w=a", "-1"]), VALUES, max_size=3)
SEQUENCES = st.lists(st.lists(POSITIONS, min_size=1, max_size=3), min_size=1, max_size=4)


def named(position, prefix=""):
    """The definition: ``{name: value}``, a name that comes twice having the sum."""
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
@given(SEQUENCES, SEQUENCES)
def test_features_are_numbered_by_their_definition(X, further):
    encoder, data = Encoder.learn(X, [["y"] * len(x) for x in X])
    assert read(encoder, data) == [named(position) for x in X for position in x]
    known = [{name: v for name, v in named(p).items() if name in encoder.names} for x in further for p in x]
    for again in (encoder, encoder, pickle.loads(pickle.dumps(encoder))):  # with nothing kept, with all, and anew
        encoded = again.encode(further)
        assert read(encoder, encoded) == known
        np.testing.assert_array_equal(np.diff(encoded.offset), [len(x) for x in further])
