"""Vectors of sixteen lanes on an ARM processor use whole NEON registers of four lanes each.

No such processor is needed: LLVM writes its assembly here. ``test_lanes.py`` tests the results.
"""

import operator
import re

import numpy as np
import pytest
from numba import types

from rcmviz.kernels import lanes
from rcmviz.kernels.chain import lane_emissions, lane_exact, lane_selection
from support.cross import instructions_for

pytestmark = pytest.mark.long

FLOATS, INTS, LOGS = (types.Array(kind, 1, "C") for kind in (types.float32, types.int32, types.float64))
ONE_LANE = re.compile(r"\.[bhs](?: })?\[\d+\]")
OF_ALL = ("dup", "fmla", "fmul", "mla", "mul")  # these take one lane of one vector for all lanes of another


def one_by_one(instructions):
    """Return the instructions that move or compute single lanes."""
    single = [line for line in instructions if ONE_LANE.search(line) and not line.startswith(OF_ALL)]
    return single + [line for line in instructions if re.match(r"f(add|sub|mul|div|sqrt|cmp|madd)\t[sd]\d", line)]


def on_whole_vectors(instructions):
    return [line for line in instructions if re.search(r"\bv\d+\.(4s|16b|8h|2d)|\bq\d+", line)]


def called(instructions):
    return [line for line in instructions if line.startswith(("bl\t", "blr\t"))]


def branches(instructions):
    return [line for line in instructions if re.match(r"(b\.\w+|cbn?z|tbn?z)\t", line)]


def binary(symbol):
    return lambda a, b, out: lanes.store(out, 0, symbol(lanes.load(a, 0), lanes.load(b, 0)))


def chosen(symbol):
    def choose(a, b, out):
        lanes.store(out, 0, lanes.where(symbol(lanes.load(a, 0), lanes.load(b, 0)), lanes.load(b, 4), lanes.load(a, 4)))

    return choose


def unary(operation):
    return lambda a, b, out: lanes.store(out, 0, operation(lanes.load(a, 0)))


OPERATIONS = {
    "load": (lambda a, b, out: lanes.store(out, 0, lanes.load(a, 0)), (FLOATS, FLOATS, FLOATS)),
    "splat": (lambda a, b, out: lanes.store(out, 0, lanes.splat(a[3])), (FLOATS, FLOATS, FLOATS)),
    "spread": (lambda a, b, out: lanes.store(out, 0, lanes.spread(a, 3)), (FLOATS, FLOATS, FLOATS)),
    "counted": (lambda a, b, out: lanes.store(out, 0, lanes.counted()), (INTS, INTS, INTS)),
    "a product that is added": (
        lambda a, b, out: lanes.store(out, 0, lanes.load(a, 0) * lanes.load(b, 0) + lanes.load(out, 0)),
        (FLOATS, FLOATS, FLOATS),
    ),
    "compress": (
        lambda a, b, out: lanes.compress(out, a.size, lanes.load(a, 0), lanes.load(a, 0) > lanes.load(b, 0)),
        (FLOATS, FLOATS, FLOATS),
    ),
    "inverse_root": (unary(lanes.inverse_root), (FLOATS, FLOATS, FLOATS)),
    "as_ints": (unary(lanes.as_ints), (FLOATS, FLOATS, INTS)),
    "as_floats": (unary(lanes.as_floats), (INTS, INTS, FLOATS)),
}
for kind, arrays in (("floats", (FLOATS,) * 3), ("whole numbers", (INTS,) * 3)):
    for symbol in (operator.add, operator.sub, operator.mul, lanes.larger):
        OPERATIONS[f"{symbol.__name__} of {kind}"] = binary(symbol), arrays
    for symbol in (operator.gt, operator.lt, operator.eq):
        OPERATIONS[f"where {symbol.__name__} of {kind}"] = chosen(symbol), arrays
for symbol in (operator.and_, operator.or_, operator.lshift, operator.rshift):
    OPERATIONS[symbol.__name__] = binary(symbol), (INTS,) * 3

NUMBERS = {
    "total": (lambda a, b: lanes.total(lanes.load(a, 0)), (FLOATS, FLOATS), types.float32),
    "total of whole numbers": (lambda a, b: lanes.total(lanes.load(a, 0)), (INTS, INTS), types.int32),
    "highest": (lambda a, b: lanes.highest(lanes.load(a, 0)), (FLOATS, FLOATS), types.float32),
    "highest of whole numbers": (lambda a, b: lanes.highest(lanes.load(a, 0)), (INTS, INTS), types.int32),
    "hits": (lambda a, b: lanes.hits(lanes.load(a, 0) > lanes.load(b, 0)), (FLOATS, FLOATS), types.int64),
    "first": (lambda a, b: lanes.first(lanes.load(a, 0) > lanes.load(b, 0)), (FLOATS, FLOATS), types.int64),
}


@pytest.mark.parametrize("name", [*OPERATIONS, *NUMBERS])
def test_each_operation_is_of_whole_registers(name):
    """Lane by lane there would be sixteen steps or calls; the halves of a mask are two single lanes."""
    instructions = instructions_for(*(OPERATIONS | NUMBERS)[name])
    assert not called(instructions) and not branches(instructions)
    assert len(one_by_one(instructions)) <= 2, "\n".join(one_by_one(instructions))
    assert len(on_whole_vectors(instructions)) >= 3, "\n".join(instructions)


def test_every_operation_is_looked_at():
    """All except `fetch`, which only asks for a line of the cache."""
    asked = {name for name, found in vars(lanes).items() if hasattr(found, "_defn")}
    assert {"load", "compress", "total"} <= asked
    others = "fetch", "where", "store"
    assert {name.split(" ")[0] for name in (*OPERATIONS, *NUMBERS, *others)} >= asked


def test_operations_on_single_lanes_are_detected():
    scalar = instructions_for(lambda a, b: a[0] * np.float32(3) + b[0] / a[1], (FLOATS, FLOATS), types.float32)
    assert one_by_one(scalar) and not on_whole_vectors(scalar)


SIZE = types.int64


@pytest.mark.parametrize(
    ("kernel", "arguments", "result", "used"),
    [
        (lane_exact.multiply, (FLOATS, FLOATS, SIZE, SIZE, FLOATS, FLOATS), types.none, {"fmla": 16}),
        (lane_emissions.scale_lanes, (FLOATS, FLOATS, LOGS, LOGS, FLOATS), types.none, {"fmla": 64, "fcmgt": 12}),
        (lane_selection.shorten, (INTS, *(SIZE,) * 3, types.boolean, INTS, INTS), SIZE, {"tbl": 8, "cmgt": 4}),
    ],
)
def test_a_whole_kernel_keeps_to_registers(kernel, arguments, result, used):
    """Four single numbers: what a product without labels would be scaled by."""
    instructions = instructions_for(kernel.py_func, arguments, result)
    assert not called(instructions)
    assert len(one_by_one(instructions)) <= 4, "\n".join(one_by_one(instructions))
    for name, least in used.items():
        assert sum(line.split("\t")[0] == name for line in on_whole_vectors(instructions)) >= least
