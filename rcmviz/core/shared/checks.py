"""Values that people give, checked: each function returns the plain value, or raises a ValueError that names the
argument, what was given and what to give instead.

A bool is no number; numpy's scalars are numbers. NaN lies in no range.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from math import inf, isnan, nan
from numbers import Integral, Real
from os import PathLike
from typing import Any, NoReturn
from warnings import warn

import numpy as np

from rcmviz.core.shared.wording import counted

MAX_POSITIONS = 2_000
MAX_PASSES = 10
MAX_DRAWN = 20_000_000  # labels of all outputs of one request; 160 MB each of labels and random numbers
LEAST_LOG = -1e300  # of nearly impossible labels: sums over a sequence stay finite
SHOWN = 60  # characters of a value in a message
LARGEST = 1e6  # of a log weight in size, and of the highest log of a position: sums of 2,000 keep their digits


def quote_value(value: Any) -> str:
    """A value as a message quotes it: on one line, shortened."""
    text = " ".join(repr(value).split())
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def refuse(name: str, value: Any, wanted: str) -> NoReturn:
    """Raise the ValueError for an argument of a wrong kind."""
    raise ValueError(f"{name} is {quote_value(value)}: give {wanted}")


def instance(name: str, value: Any, kind: type | tuple[type, ...], wanted: str) -> Any:
    """A value of a class.

    >>> instance("data", 3, dict, "a dict")
    Traceback (most recent call last):
    ValueError: data is 3: give a dict
    """
    if not isinstance(value, kind):
        refuse(name, value, wanted)
    return value


def text(name: str, value: Any) -> str:
    """A text."""
    return instance(name, value, str, "a text")


def index(name: str, value: Any) -> int:
    """A whole number, whose range the caller checks."""
    if value is True or value is False:
        refuse(name, value, "a whole number")
    return instance(name, value, (int, np.integer), "a whole number")


def path(name: str, value: Any) -> str | PathLike:
    """The path of a file, which holds no zero byte."""
    if "\0" in str(instance(name, value, (str, PathLike), "a path")):
        refuse(name, value, "a path without a zero byte")
    return value


def function(name: str, value: Any) -> Callable:
    """Whatever can be called."""
    if not callable(value):
        refuse(name, value, "a function")
    return value


def model(value: Any) -> Any:
    """A model as the builders use it, of whatever class."""
    if not has_attributes(value, "labels", "choices", "check_emissions", "scores"):
        wanted = "an NgramModel, an HMM or an object with labels, choices, check_emissions and scores"
        refuse("model", value, wanted)
    return value


def lattice(value: Any, name: str = "lattice") -> Any:
    """A lattice, of whatever class.

    >>> lattice(None)
    Traceback (most recent call last):
    ValueError: lattice is None: give rcmviz.Lattice
    """
    if not has_attributes(value, "offset", "target", "score"):
        is_pair = isinstance(value, tuple) and value and has_attributes(value[0], "offset", "target", "score")
        refuse(name, value, "rcmviz.Lattice" + ", which is its first part" * bool(is_pair))
    return value


def has_attributes(value: Any, *names: str) -> bool:
    """Whether an object, not a class, has attributes; no property is computed, so that its errors are its own."""
    kind, own = type(value), getattr(value, "__dict__", ())
    for name in names:
        if name not in own and not hasattr(kind, name) and not hasattr(kind, "__getattr__"):
            return False
    return not isinstance(value, type)


def is_whole(value: Any) -> bool:
    """Whether this is a whole number by its type: 3 and np.int8(3) are, 3.0 and True are not."""
    return type(value) is int or isinstance(value, Integral) and not isinstance(value, bool | np.timedelta64)


def is_number(value: Any) -> bool:
    """Whether this is a real number by its type, NaN and infinities included; True is not."""
    return isinstance(value, Real) and not isinstance(value, bool | np.timedelta64)


def whole(name: str, value: Any, low: int, high: int | None = None, wanted: str | None = None) -> int:
    """A whole number from ``low`` to ``high``, as an int.

    >>> whole("k", np.int16(3), 1)
    3
    >>> whole("k", 0, 1)
    Traceback (most recent call last):
    ValueError: k 0: a whole number, 1 or more
    """
    if not is_whole(value) or value < low or (high is not None and value > high):
        usual = f"a whole number, {low} or more" if high is None else f"a whole number from {low} to {high:,}"
        raise ValueError(f"{name} {value!r}: {wanted or usual}")
    return int(value)


def number(
    name: str,
    value: Any,
    wanted: str,
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    below: float | None = None,
) -> float:
    """A number in a range, as a float: ``least`` and ``most`` belong to the range, ``above`` and ``below`` do not.

    >>> number("gap", 2, "a number from 0 on", least=0)
    2.0
    >>> number("gap", float("nan"), "a number from 0 on", least=0)
    Traceback (most recent call last):
    ValueError: gap nan: a number from 0 on
    """
    real = as_float(value) if is_number(value) else nan
    low_enough = (most is None or real <= most) and (below is None or real < below)
    high_enough = (least is None or real >= least) and (above is None or real > above)
    if isnan(real) or not (low_enough and high_enough):
        raise ValueError(f"{name} {value!r}: {wanted}")
    return real


def positive(name: str, value: Any) -> float:
    """A finite number above 0, as a float."""
    return number(name, value, "a positive number", above=0, below=inf)


def non_negative(name: str, value: Any) -> float:
    """A finite number, 0 or more, as a float."""
    return number(name, value, "a non-negative number", least=0, below=inf)


def root_weight(value: Any) -> float:
    """The log weight that a path pays where it enters the root, as a float."""
    if is_number(value) and value == -inf:
        return -inf
    wanted = f"a log weight of at most {LARGEST:,.0f} in size, or -inf"
    return number("root_weight", value, wanted, least=-LARGEST, most=LARGEST)


def as_list(name: str, values: Any, wanted: str, *, or_text: bool = False) -> list:
    """An iterable as a list; a text is refused unless ``or_text``.

    >>> as_list("y", 3, "a list of label sequences")
    Traceback (most recent call last):
    ValueError: y 3: give a list of label sequences
    """
    if not is_iterable(values) or isinstance(values, bytes if or_text else (str, bytes)):
        raise ValueError(f"{name} {quote_value(values)}: give {wanted}")
    return list(values)


def is_iterable(values: Any) -> bool:
    """Whether values can be gone through; an array without dimensions cannot."""
    return isinstance(values, Iterable) and not (isinstance(values, np.ndarray) and values.ndim == 0)


def texts(name: str, values: Any) -> tuple[str, ...]:
    """Texts; one text is split into its characters.

    >>> texts("gold", "ab"), texts("gold", ["a", "b"])
    (('a', 'b'), ('a', 'b'))
    >>> texts("gold", ["a", 2])
    Traceback (most recent call last):
    ValueError: gold[1] is 2: give a text
    """
    found = tuple(as_list(name, values, "a list of texts", or_text=True))
    for k, one in enumerate(found):
        if not isinstance(one, str):
            refuse(f"{name}[{k}]", one, "a text")
    return found


def refuse_one_text(name: str, values: Any, wanted: str = "a list of sentences") -> None:
    """An iterable that is not a single text, whose characters are never meant.

    >>> refuse_one_text("sentences", "the cat")
    Traceback (most recent call last):
    ValueError: sentences is one text; give a list of sentences, write [text] for one: 'the cat'
    """
    if isinstance(values, (str, bytes)):
        raise ValueError(f"{name} is one text; give {wanted}, write [text] for one: {quote_value(values)}")
    if not is_iterable(values):
        refuse(name, values, wanted)


@contextmanager
def hashable(name: str, wanted: str) -> Iterator[None]:
    """While values are looked up: a list or an array among them is a ValueError."""
    try:
        yield
    except TypeError:
        raise ValueError(f"{name}: {wanted}; it holds something else") from None


def as_dict(name: str, values: Any) -> dict:
    """A dict of its own from ``{name: value}``, empty for None.

    >>> as_dict("info", ["a"])
    Traceback (most recent call last):
    ValueError: info ['a']: give a dict, by name
    """
    if values is not None and not (isinstance(values, Mapping) and all(isinstance(key, str) for key in values)):
        raise ValueError(f"{name} {quote_value(values)}: give a dict, by name")
    return dict(values or {})


def as_float(value: Real) -> float:
    """A real number as a float; infinite where it is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def choice(name: str, value: Any, among: Collection[str], wanted: str | None = None) -> str:
    """One of some names.

    >>> choice("mode", "both", ("single", "additive"))
    Traceback (most recent call last):
    ValueError: mode 'both': choose one of single, additive
    """
    if not isinstance(value, str) or value not in among:
        raise ValueError(f"{name} {value!r}: {wanted or 'choose one of ' + ', '.join(among)}")
    return value


def switch(name: str, value: Any) -> bool:
    """True or False, as a bool of Python; 0 and 1 are neither."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} {value!r}: True or False")
    return bool(value)


def same_length(given: Sized, what: str, wanted: int, of: str, remedy: str = "give one for each") -> None:
    """Check that a sequence has the length of another: one label per position.

    >>> same_length("ab", "labels", 3, "positions")
    Traceback (most recent call last):
    ValueError: 2 labels for 3 positions: give one for each
    """
    if not isinstance(given, Sized) or isinstance(given, np.ndarray) and not given.ndim:
        raise ValueError(f"{what} {quote_value(given)}: give a list of {what}, one for each of {wanted:,} {of}")
    if len(given) != wanted:
        raise ValueError(f"{len(given):,} {what} for {wanted:,} {of}: {remedy}")


def budget(value: Any, name: str = "budget") -> int:
    """A number of contexts, 1 or more, also one that is written as 10.0; beyond 2^31 there is no difference."""
    if not is_number(value) or value % 1 != 0 or value < 1:
        raise ValueError(f"{name} {value!r}: a budget is a whole number of contexts, 1 or more")
    return int(min(value, 2**31))


def passes(value: Any) -> int:
    """The number of passes over a sequence, 1 to 10."""
    return whole("passes", value, 1, MAX_PASSES, f"choose 1 to {MAX_PASSES} passes")


def draws(name: str, count: Any, length: int) -> int:
    """The number of outputs to draw or to list, within memory."""
    most = max(1, MAX_DRAWN // max(1, int(length)))
    return whole(name, count, 1, most, f"ask for 1 to {most:,} outputs of {length} labels")


def positions(count: int) -> int:
    """The number of positions, within the builders' limit."""
    if count > MAX_POSITIONS:
        raise ValueError(f"{count} positions: the limit is {MAX_POSITIONS}; split the sequence")
    return count


def array(values: Any, wanted: str, dtype: type | None = None) -> np.ndarray:
    """Values as an array: of numpy, of what turns into one (``__array__``) or lends its memory (DLPack), or nested."""
    _refuse_masked(values, wanted)
    try:
        lends = hasattr(values, "__dlpack__") and not hasattr(values, "__array__")
        found = np.asarray(np.from_dlpack(values) if lends else values)
        if dtype is not None and found.dtype.kind in "mMc":  # numpy would take times, and real parts, for numbers
            raise ValueError(wanted)
        return found if dtype is None else found.astype(dtype, copy=False)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(wanted) from None
    except Exception as error:  # of whatever library they are from, such as that they have a gradient
        raise ValueError(f"{wanted}; as an array they fail: {error}") from None


def floats(values: Any, wanted: str) -> np.ndarray:
    """Numbers, or rows of numbers of one length, as an array in double precision; ``wanted`` names the argument."""
    return array(values, wanted, np.float64)


def _refuse_masked(values, wanted):
    """ValueError where values of a masked array are masked: as an array they would be what stands below the mask."""
    parts = values if isinstance(values, (list, tuple)) else (values,)
    masked = sum(int(np.ma.getmaskarray(part).sum()) for part in parts if isinstance(part, np.ma.MaskedArray))
    if masked:
        name, are = wanted.partition(":")[0], "is" if masked == 1 else "are"
        raise ValueError(
            f"{name}: {counted(masked, 'value')} {are} masked; fill masked values, .filled(-np.inf) in logs for what "
            "cannot be"
        )


def labelled(name: str, values: Any, labels: Sequence[str], wanted: str, dtype: type = np.float64) -> np.ndarray:
    """Numbers whose last axis follows ``labels``; columns with names, as of pandas, are put in that order.

    Columns that are numbered from 0 on have no names: they are taken as they stand.

    >>> class Table:
    ...     columns = ["b", "a"]
    ...     __array__ = lambda self, *_, **__: np.array([[1.0, 2.0]])
    >>> labelled("log_emit", Table(), ("a", "b"), "log_emit: give rows").tolist()
    [[2.0, 1.0]]
    """
    if isinstance(values, (list, tuple)) and any(column_names(row) is not None for row in values):
        values = [labelled(f"{name}[{i}]", row, labels, wanted, dtype) for i, row in enumerate(values)]
    found, names = array(values, wanted, dtype), column_names(values)
    if names is None:
        return found
    if sorted(names) != sorted(labels):
        given, known = (", ".join(map(repr, some[:8])) + ", …" * (len(some) > 8) for some in (names, labels))
        raise ValueError(
            f"{name}: its columns are {given}, the labels are {known}: name each column after its label, or pass an "
            "array without names, its columns in the order of the labels"
        )
    place = {label: k for k, label in enumerate(names)}
    return found[..., [place[label] for label in labels]]


def column_names(values):
    """The names of the last axis of a table or a row of pandas, polars, pyarrow or xarray; None where it has none."""
    if isinstance(values, (np.ndarray, list, tuple, float, int)):
        return None
    names = getattr(values, "column_names", getattr(values, "columns", None))  # of pyarrow and of the others
    names = None if callable(names) else names
    if names is None and hasattr(values, "dims") and hasattr(values, "coords"):
        names = values.coords[values.dims[-1]].values if values.dims and values.dims[-1] in values.coords else None
    if names is None and hasattr(values, "to_numpy") and np.ndim(values) == 1:
        names = getattr(values, "index", None)  # of a row that was taken out of a table
        names = None if callable(names) or not all(isinstance(name, str) for name in names) else names
    if names is None:
        return None
    names = list(names)
    unnamed = (list(range(len(names))), [f"column_{k}" for k in range(len(names))])  # by pandas, by polars
    return None if names in unnamed else list(map(str, names))


def integers(
    name: str, values: Any, low: int, high: int, dtype: type = np.int64, dims: int = 1, what: str = "whole numbers"
) -> np.ndarray:
    """Whole numbers from ``low`` up to ``high`` (left out) as the kernels take them: of ``dtype``, native, contiguous.

    The kernels check no bounds: tables of ids, links and places come through here, from files and from callers. Values
    are compared as they were given, before any conversion or subtraction could wrap around.

    >>> integers("ids", np.array([2, 0], ">i2"), 0, 3, np.int32)
    array([2, 0], dtype=int32)
    >>> integers("ids", [0, 3], 0, 3)
    Traceback (most recent call last):
    ValueError: ids[1] is 3: give whole numbers from 0 to 2
    """
    _refuse_masked(values, f"{name}: give {what}")
    try:
        given = np.asarray(values)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name}: give {what}, rows of one length") from None
    if given.size == 0 and given.dtype.kind == "f":  # what numpy makes of []
        given = given.astype(dtype)
    if given.dtype.kind not in "iu":
        raise ValueError(f"{name}: its values are {given.dtype}; give {what}")
    if given.ndim != dims:
        raise ValueError(f"{name}: its shape is {given.shape}; give {what} in {dims} dimension{'s' * (dims > 1)}")
    bad = (given < low) | (given >= high)
    if bad.any():
        place = tuple(np.argwhere(bad)[0].tolist())
        spelt = ", ".join(map(str, place))
        raise ValueError(f"{name}[{spelt}] is {given[place]}: give {what} from {low} to {high - 1:,}")
    return np.ascontiguousarray(given, dtype)


def offsets(name: str, values: Any, last: int, dtype: type = np.int64) -> np.ndarray:
    """The first rows of a table's parts, as ``integers``: from 0 up to ``last``, none before the one ahead of it.

    >>> offsets("offset", [0, 2, 2, 5], 5)
    array([0, 2, 2, 5])
    >>> offsets("offset", [0, 3, 2, 5], 5)
    Traceback (most recent call last):
    ValueError: offset[2] is 2, before offset[1], 3: parts stand one after the other
    """
    found = integers(name, values, 0, last + 1, dtype)
    if not len(found) or found[0] != 0 or found[-1] != last:
        ends = f"from {found[0]} to {found[-1]}" if len(found) else "empty"
        raise ValueError(f"{name}: it is {ends}; its first is 0 and its last is {last:,}")
    back = np.flatnonzero(found[1:] < found[:-1])
    if len(back):
        k = int(back[0])
        raise ValueError(
            f"{name}[{k + 1}] is {found[k + 1]}, before {name}[{k}], {found[k]}: parts stand one after the other"
        )
    return found


def generator(seed: Any) -> np.random.Generator:
    """A source of random numbers from a seed, 0 or more, or one as it is."""
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(whole("seed", seed, 0))


def weights(name: str, values: Any, *, or_zero: bool = False) -> np.ndarray:
    """Log weights: numbers of at most a million in size, so that sums over a sequence keep their digits; with
    ``or_zero`` also −inf, the log of zero.

    >>> weights("weights", [0.5, float("nan")])
    Traceback (most recent call last):
    ValueError: weights[1] is nan: a log weight is a number of at most 1,000,000 in size
    """
    _refuse_masked(values, f"{name}: give numbers")
    is_ready = isinstance(values, np.ndarray) and values.dtype.kind == "f" and values.dtype.isnative
    given = values if is_ready else floats(values, f"{name}: give numbers, rows of one length")
    if not _within_largest(given):
        bad = ~((np.abs(given) <= LARGEST) | (or_zero & np.isneginf(given)))
        for place in map(tuple, np.argwhere(bad)[:1].tolist()):
            spelt = f"[{', '.join(map(str, place))}]" if place else ""
            raise ValueError(f"{name}{spelt} is {given[place]}: {log_weight(or_zero)}")
    return given


def log_weight(or_zero: bool) -> str:
    """The allowed log weights, for messages."""
    known = f"a log weight is a number of at most {LARGEST:,.0f} in size"
    return f"{known}, or -inf for an impossible label" if or_zero else known


def _within_largest(values):
    """Whether all are numbers of at most ``LARGEST`` in size; NaN is none. Two passes, and no array is made."""
    return not values.size or bool(values.min() >= -LARGEST and values.max() <= LARGEST)


def logs(values: np.ndarray, name_of: Callable[..., str], rows: Sequence[int] | None = None) -> np.ndarray:
    """Logs of probabilities up to a factor, a row (or, one after the other, ``rows`` rows) for each position.

    The highest of a row is at most ``LARGEST`` in size, so that sums keep their digits; others may be as low as they
    like, and −inf. ``name_of(*place)`` names a value.
    """
    if _within_largest(values):  # most are; this check is eight times faster
        return values
    fine = ((values <= LARGEST) & (values >= np.float64(LEAST_LOG))) | np.isneginf(values)  # single is too small for it
    if not fine.all():
        _refuse_log(values, ~fine, name_of)
    first = np.cumsum([0, *rows])[:-1] if rows is not None else None
    highest = values.max(axis=1, initial=-np.inf) if first is None else np.maximum.reduceat(values, first)
    low = (highest < -LARGEST) & ~np.isneginf(highest)
    if low.any():
        row, top = (of[:, None] if first is None else np.repeat(of, rows) for of in (low, highest))
        _refuse_log(values, row & (values == top), name_of)
    return values


def warn_of_probabilities(name: str, rows: np.ndarray) -> None:
    """Warn where every row of logs, −inf for none, is a distribution: the logarithm was probably forgotten."""
    if rows.min() < 0 or rows.max() > 1 or not ((rows > 0) & (rows < 1)).any():
        return
    if np.allclose(rows.sum(axis=-1), 1, atol=1e-4):
        fault = f"{name}: every position sums to 1, so these look like probabilities; pass their logs, np.log(p)"
        warn(fault, stacklevel=2)


def _refuse_log(values, bad, name_of):
    place = tuple(np.argwhere(bad)[0].tolist())
    raise ValueError(
        f"{name_of(*place)} is {values[place]}: write -inf for what cannot be, and logs whose highest at a position is "
        f"at most {LARGEST:,.0f} in size"
    )
