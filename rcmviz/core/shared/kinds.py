"""Arguments of a wrong kind, named as such: a number where a lattice belongs, a list where a name does.

What the annotations of a public function say is looked at only after an error of Python's, numpy's or Numba's has come
on the way: nothing costs time where all is well, and whatever behaves like a model is one.
"""

from __future__ import annotations

import dis
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from inspect import Parameter, signature
from itertools import islice
from os import PathLike
from typing import Any, TypeVar

import numpy as np

from rcmviz.core.shared import checks

Thing = TypeVar("Thing", bound=Callable)

CLEAR = (OSError, MemoryError, RecursionError)  # errors that say what is wrong as they are
NOT_BOUND = re.compile("missing a required|too many positional|got an unexpected keyword|multiple values")  # inspect's
RAISE = dis.opmap["RAISE_VARARGS"]
SAID = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "True or False",
    dict: "a dict",
    Mapping: "a dict",
    list: "a list",
    tuple: "a tuple",
    PathLike: "a path",
    np.ndarray: "an array",
    np.random.Generator: "a generator of random numbers",
}
CHECKS: dict[Any, Callable[[Any], bool]] = {
    int: checks.is_whole,
    float: checks.is_number,
    bool: lambda value: isinstance(value, (bool, np.bool_)),
}
LOOKED_AT = 1_000  # parts of a list
LONGEST = 60  # characters of a value in a message


def kinds_named(thing: Thing) -> Thing:
    """A function, or a class with public methods, that raises a ValueError for arguments of a wrong kind.

    >>> @kinds_named
    ... def length(names: list[str]) -> int:
    ...     return sum(name.__len__() for name in names)
    >>> length(["ab", 3])
    Traceback (most recent call last):
    ValueError: length: names[1] is 3: give a text
    """
    if not isinstance(thing, type):
        return _naming(thing, thing.__name__)
    for name, part in list(vars(thing).items()):
        if name.startswith("_") and name != "__init__":
            continue
        called = thing.__name__ if name == "__init__" else f"{thing.__name__}.{name}"
        if isinstance(part, (classmethod, staticmethod)):
            setattr(thing, name, type(part)(_naming(part.__func__, called)))
        elif isinstance(part, types.FunctionType):
            setattr(thing, name, _naming(part, called))
    return thing


def _naming(function, called):
    @wraps(function)
    def naming(*given, **named):
        try:
            return function(*given, **named)
        except CLEAR:
            raise
        except Exception as error:
            fault = None if _is_clear(error) else _fault(function, given, named)
            if fault is None:
                raise
        raise ValueError(f"{called}: {fault}")

    return naming


def _is_clear(error):
    """Whether a ``raise`` of ours made a ValueError, or a function that is called in two ways fits neither."""
    if isinstance(error, TypeError):
        return NOT_BOUND.match(str(error)) is not None
    last = error.__traceback__
    while last.tb_next:
        last = last.tb_next
    code, package = last.tb_frame.f_code.co_code, last.tb_frame.f_globals.get("__name__", "").partition(".")[0]
    return isinstance(error, ValueError) and package == __name__.partition(".")[0] and code[last.tb_lasti] == RAISE


def _fault(function, given, named):
    """What is wrong with the first argument of a wrong kind; None where there is none."""
    try:
        bound = signature(function).bind(*given, **named)
    except TypeError:  # arguments that the function does not have, which Python says itself
        return None
    hints = _hints(function)
    several = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    for name, value in bound.arguments.items():
        if name in hints and bound.signature.parameters[name].kind not in several:
            wrong = _wrong(value, hints[name])
            if wrong:
                place, part, wanted = wrong
                return f"{name}{place} is {_shown(part)}: give {wanted}"
            if isinstance(value, (str, PathLike)) and "\0" in str(value):
                return f"{name} is {_shown(value)}: give one without a zero byte, as files have"
    return None


def _hints(function):
    """What a function says of its arguments; a hint that only type checkers can resolve says nothing."""
    found = {}
    for name, hint in getattr(function, "__annotations__", {}).items():
        with suppress(NameError):
            found[name] = eval(hint, function.__globals__) if isinstance(hint, str) else hint
    return found


def _shown(value):
    """A value as it may stand in a sentence: in one line, and not long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def _wrong(value, hint):
    """(Place, value, what to give) of a part that is not as the hint says; None where all are, or nobody can tell."""
    kind, of = typing.get_origin(hint) or hint, typing.get_args(hint)
    if kind in (types.UnionType, typing.Union):
        found = [_wrong(value, one) for one in of]
        return None if None in found else max(found, key=lambda wrong: len(wrong[0]))
    if kind in (Any, object) or isinstance(kind, TypeVar) or not isinstance(kind, type):
        return None
    if kind is types.NoneType:
        return None if value is None else ("", value, "nothing")
    if not _is_of(value, kind):
        wanted = SAID.get(kind) or _named(kind)
        within = kind not in SAID and isinstance(value, tuple) and value and _is_of(value[0], kind)
        return "", value, f"{wanted}, which is its first part" if within else wanted
    return _wrong_part(value, kind, of)


def _is_of(value, kind):
    if kind in CHECKS:
        return CHECKS[kind](value)
    if getattr(kind, "_is_protocol", False):
        wanted = (name for name in {**vars(kind), **getattr(kind, "__annotations__", {})} if not name.startswith("_"))
        return not isinstance(value, type) and all(hasattr(value, name) for name in wanted)
    if kind in (Iterable, Sequence):
        return isinstance(value, kind) if not isinstance(value, np.ndarray) else value.ndim > 0
    return isinstance(value, kind)


def _wrong_part(value, kind, of):
    """The first of the parts of a list or dict that is not as their hint says."""
    if issubclass(kind, Mapping):
        pairs = [(f"[{key!r}]", one, of[1]) for key, one in islice(value.items(), LOOKED_AT)] if len(of) == 2 else []
        pairs += [("", key, of[0]) for key in islice(value, LOOKED_AT)] if len(of) == 2 else []
    elif issubclass(kind, tuple) and of and Ellipsis not in of:
        if len(value) != len(of):
            return "", value, f"{len(of)} parts"
        pairs = [(f"[{k}]", one, hint) for k, (one, hint) in enumerate(zip(value, of, strict=True))]
    elif of and isinstance(value, (list, tuple, str, bytes, np.ndarray)) and getattr(value, "ndim", 1):  # 0: no parts
        pairs = [(f"[{k}]", one, of[0]) for k, one in enumerate(value[:LOOKED_AT])]
    else:
        return None
    for place, one, hint in pairs:
        found = _wrong(one, hint)
        if found:
            return place + found[0], *found[1:]
    return None


def _named(kind):
    """How a class is called in a message, by the package that it is imported from."""
    return f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
