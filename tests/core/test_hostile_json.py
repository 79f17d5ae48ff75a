"""JSON of lattices, traces and problems with changed parts is read or refused with a ValueError."""

import json
import random

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.core.lattices.store import read_lattice, read_trace
from rcmviz.core.methods import MethodChoice
from rcmviz.core.problems.problem_file import parse_problem

MODEL = rv.NgramModel.from_windows("ab", 2, {("*", "a", "b"): 1.0})
PROBLEM = rv.Problem(MODEL, np.array([[0.0, 1.0]] * 3), name="x")
LATTICE, TRACE = rv.rcms(MODEL, PROBLEM.log_emit, budget=2)
READERS = {"lattice": (read_lattice, LATTICE), "trace": (read_trace, TRACE), "problem": (parse_problem, PROBLEM)}
ODD = (
    None,
    -1,
    0.5,
    1e308,
    2**63,
    2**64 - 1,
    -(2**63),
    10**40,
    -(10**400),
    "x",
    "",
    [],
    {},
    [[]],
    [1],
    [None],
    True,
    [[1], [1, 2]],
    [[[]]],
    {"a": 1},
    float("inf"),
    float("nan"),
)


def places(document, place=()):
    """Return the path of keys to every part."""
    for key, value in document.items() if isinstance(document, dict) else enumerate(document):
        yield (*place, key)
        if isinstance(value, (dict, list)):
            yield from places(value, (*place, key))


@pytest.mark.parametrize("kind", READERS)
def test_a_changed_part_is_read_or_refused(kind):
    """Values survive writing and reading again."""
    read, whole = READERS[kind]
    random_ = random.Random(16)
    refused = 0
    for _ in range(400):
        document = json.loads(whole.to_json())
        *above, last = random_.choice([place for place in places(document) if len(place) <= random_.choice([1, 2, 9])])
        part = document
        for key in above:
            part = part[key]
        part[last] = random_.choice(ODD)
        try:
            found = read(json.dumps(document))
        except ValueError as error:
            assert str(error), document
            refused += 1
        else:
            found = found[1] if kind == "trace" else found
            json.loads(found.to_json(), parse_constant=pytest.fail)
    assert refused > 200


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize(
    "text",
    [
        '{"schema": ' + "[" * 100_000,
        '{"a": ' * 50_000,
        '{"schema": ' + "9" * 5_000 + "}",
        '{"schema": "rcmviz/lattice"}',
        '{"schema": "rcmviz/trace", "version": 1, "lattice": [1]}',
        '{"schema": "rcmviz/trace", "version": 1e999}',
        '{"schema": "rcmviz/lattice", "version": 1, "lattice": null}',
        "a\x00b",
        "x" * 5_000,
        ",",
        ",,\n,",
    ],
)
def test_invalid_json_is_refused(kind, text):
    with pytest.raises(ValueError, match=r"."):
        READERS[kind][0](text)


def test_a_budget_is_not_hidden_behind_zeros():
    for text in ("rcms:0000000011999999999", "rcms:" + "9" * 5_000, "beam:501", "beam:0", "rcms:²"):
        with pytest.raises(ValueError, match="1 to 500"):
            MethodChoice.parse(text, most=500)
    assert MethodChoice.parse("rcms:010", most=500).budget == 10
