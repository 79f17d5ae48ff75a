"""The validation layer: for every odd value either the plain value or a ValueError with name, value and remedy."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rcmviz as rv
from problems.chain import problems_of
from rcmviz.core.shared import checks
from support.lent import DLPackOnly, WithGradient

NUMPY = [np.int8, np.int64, np.uint16, np.float32, np.float64]
EXTREMES = [math.nan, math.inf, -math.inf, -0.0, 0, 1, 10, 11, 2**31, 2**63, 10**400, -(10**400), 1e300, 5e-324]
ODD = [
    None,
    True,
    False,
    np.True_,
    "3",
    b"3",
    "",
    3 + 0j,
    Decimal(3),
    [3],
    (3,),
    {3},
    {},
    object,
    np.array(3),
    np.array([3]),
    np.datetime64("2026-01-01"),
    np.timedelta64(3, "s"),
]
PLAIN = st.one_of(
    st.integers(), st.integers(-3, 12), st.floats(), st.floats(-2, 12), st.fractions(), st.sampled_from(EXTREMES)
)
NUMBERS = st.one_of(PLAIN, st.builds(lambda kind, value: kind(value), st.sampled_from(NUMPY), st.integers(0, 100)))
VALUES = st.one_of(NUMBERS, st.sampled_from(ODD), st.text(max_size=5))


def is_real(value):
    """Whether a value is a number for this test: of these types only, since bool is an int."""
    return type(value) in (int, float, Fraction, *NUMPY)


def holds(check, value, fits, plain, *, name="size"):
    """The check returns the plain value exactly where the value fits, and else names argument and value."""
    try:
        found = check(value)
    except ValueError as error:
        assert not fits
        assert str(error).startswith(f"{name} {value!r}: ") and len(str(error)) > len(f"{name} {value!r}: ") + 3
    else:
        assert fits and type(found) is plain and found == plain(value)


@problems_of(500)
@given(VALUES, st.integers(-3, 3), st.none() | st.integers(3, 12))
def test_whole_numbers(value, low, high):
    whole = type(value) in (int, np.int8, np.int64, np.uint16)
    fits = whole and low <= value and (high is None or value <= high)
    holds(lambda given: checks.whole("size", given, low, high), value, fits, int)


BOUNDS = ("least", "above", "most", "below")


@problems_of(500)
@given(VALUES, st.dictionaries(st.sampled_from(BOUNDS), st.sampled_from([-math.inf, -1, 0, 1.5, 10, math.inf])))
def test_numbers_in_ranges(value, bounds):
    fits = is_real(value) and value == value
    fits = fits and all(value >= bounds[key] for key in ("least",) if key in bounds)
    fits = fits and all(value <= bounds[key] for key in ("most",) if key in bounds)
    for key, strictly in (("above", lambda bound: value > bound), ("below", lambda bound: value < bound)):
        fits = fits and (key not in bounds or strictly(bounds[key]))
    if is_real(value) and value == value:  # a number that no float can hold is as good as infinite
        assume(abs(checks.as_float(value)) < 1e308 or value in (math.inf, -math.inf))
    holds(lambda given: checks.number("size", given, "a number in range", **bounds), value, fits, float)


@pytest.mark.parametrize(("check", "zero"), [(checks.positive, False), (checks.non_negative, True)])
@problems_of(300)
@given(value=VALUES)
def test_finite_numbers_above_zero(check, zero, value):
    fits = is_real(value) and 0 <= checks.as_float(value) < math.inf and (zero or float(value) > 0)
    holds(lambda given: check("size", given), value, fits, float)


@problems_of(300)
@given(VALUES)
def test_budgets_may_be_written_as_floats(value):
    fits = is_real(value) and 1 <= value < math.inf and value == math.floor(value)
    found = min(value, 2**31) if fits else value
    try:
        assert checks.budget(value) == found and type(checks.budget(value)) is int and fits
    except ValueError as error:
        assert not fits and str(error) == f"budget {value!r}: a budget is a whole number of contexts, 1 or more"


@problems_of(300)
@given(VALUES)
def test_choices_and_switches(value):
    for among in (("3", "ab"), {"3": 1, "ab": 2}):
        fits = type(value) is str and value in ("3", "ab")
        holds(lambda given, among=among: checks.choice("size", given, among), value, fits, str)
    holds(lambda given: checks.switch("size", given), value, type(value) in (bool, np.bool_), bool)


MESSAGES = {
    "k 0: a whole number, 1 or more": lambda: checks.whole("k", 0, 1),
    "k 21: a whole number from 1 to 20": lambda: checks.whole("k", 21, 1, 20),
    "epochs True: a whole number from 1 to 10,000": lambda: checks.whole("epochs", True, 1, 10_000),
    "k 1.0: ask for 1 word or more": lambda: checks.whole("k", 1.0, 1, wanted="ask for 1 word or more"),
    "passes 11: choose 1 to 10 passes": lambda: checks.passes(11),
    "eta nan: a positive number": lambda: checks.positive("eta", math.nan),
    "l2 -1: a non-negative number": lambda: checks.non_negative("l2", -1),
    "mode 3: choose one of single, additive": lambda: checks.choice("mode", 3, ("single", "additive")),
    "shuffle 1: True or False": lambda: checks.switch("shuffle", 1),
    "2001 positions: the limit is 2000; split the sequence": lambda: checks.positions(2001),
    "rows of numbers, please": lambda: checks.floats([[1], [1, 2]], "rows of numbers, please"),
    "x at (1, 0) is inf: write -inf for what cannot be, and logs whose highest at a position is at most 1,000,000 in "
    "size": lambda: checks.logs(np.array([[0.0], [np.inf]]), lambda i, y: f"x at {(i, y)}"),
}


@pytest.mark.parametrize(("message", "call"), MESSAGES.items(), ids=MESSAGES.keys())
def test_messages_say_what_to_give_instead(message, call):
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == message


@problems_of(300)
@given(st.lists(st.one_of(NUMBERS, st.sampled_from(ODD)), min_size=1, max_size=3))
def test_arrays_of_anything(values):
    try:
        array = checks.floats(values, "numbers, please")
    except ValueError as error:
        assert str(error) == "numbers, please"
    else:
        assert array.dtype == np.float64 and len(array) == len(values)


def test_arrays_of_other_libraries():
    rows = np.array([[1.0, 2.0]], np.float32)
    assert checks.floats(DLPackOnly(rows), "numbers, please").tolist() == [[1.0, 2.0]]
    with pytest.raises(ValueError, match=r"^numbers, please; .*call detach\(\) first$"):
        checks.floats(WithGradient(), "numbers, please")


@problems_of(200)
@given(st.lists(st.floats(), min_size=1, max_size=4))
def test_logs_are_finite_or_minus_infinity(values):
    """The first one that is none is named."""
    wrong = [k for k, value in enumerate(values) if not (-1e300 <= value <= 1e6 or value == -math.inf)]
    wrong = wrong or [k for k, value in enumerate(values) if value == max(values) and -math.inf < value < -1e6]
    try:
        assert checks.logs(np.array([values]), lambda _, k: f"number {k}") is not None and not wrong
    except ValueError as error:
        assert str(error).startswith(f"number {wrong[0]} is ")


TIMES = np.array([[1, 2], [3, 4]], "datetime64[s]")
NO_NUMBERS = {
    "times": TIMES,
    "durations": TIMES - TIMES[0, 0],
    "a list of times": list(TIMES),
    "complex numbers": np.array([[1j, 2], [3, 4]]),
}


@pytest.mark.parametrize("values", NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_times_and_complex_numbers_are_no_numbers(values):
    """numpy would take seconds since 1970, and real parts."""
    model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    calls = (
        lambda: rv.rcms(model, values, budget=2),
        lambda: rv.infer_batch(model, [values], "rcms", 2),
        lambda: rv.Problem(model, values),
        lambda: rv.ctc(values, "a"),
        lambda: rv.Sequences.from_arrays([values], ["ab"], "ab"),
        lambda: rv.SequenceClassifier().fit([values, values], [["a", "b"], ["b", "a"]]),
        lambda: rv.NgramModel.from_windows("ab", 1, {("a", "b"): values[0][0]}),
        lambda: rv.rcms(model, np.zeros((2, 2)), budget=values[0][1]),
    )
    for call in calls:
        with pytest.raises(ValueError, match="give|whole number|features|rows"):
            call()


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64])
def test_numpys_whole_numbers_are_budgets(kind):
    model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    scores = np.random.default_rng(0).normal(size=(5, 2))
    plain, given = (rv.infer_batch(model, [scores], "rcms", budget) for budget in (2, kind(2)))
    assert given.log_z.tolist() == plain.log_z.tolist()
    assert rv.log_z(rv.rcms(model, scores, budget=kind(2))[0]) == rv.log_z(rv.rcms(model, scores, budget=2)[0])
