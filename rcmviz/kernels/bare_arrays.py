"""Arrays as an address and a shape, for kernels that compile in half the time that Numba's own arrays take.

Numba passes seven to nine numbers for each array and asks at each index whether it is negative. A bare array is its
address and its shape, and its indices count from 0, whatever their type: ``x[i]``, ``x[i, k]``, ``x[i]`` of several
axes, which is what stands there, and the slices ``x[a:b]``, ``x[:b]`` and ``x[i, a:b]``, which lie within it. One axis
has ``size``, several have ``shape`` and ``ravel()``. Whole numbers of any type come out as int64. Nothing is checked
but under NUMBA_BOUNDSCHECK. It owns nothing: whoever calls the kernel that makes it by `bare` keeps the array alive.

Functions that use one are optimised for size, unless they begin with ``fast_loops()``. Unrolling and vectorising all
loops, once for each kernel that a loop is inlined in, took half of LLVM's time.

Where nothing is compiled, these functions leave numpy's arrays as they are.
"""

import operator

from numba import config, types
from numba.extending import (
    intrinsic,
    lower_builtin,
    overload_method,
    type_callable,
)

from rcmviz.kernels.packed import BareArray, PackedType

IS_FAST = "fast_loops"  # a mark of a function in LLVM's language


def _members(builder, value):
    """What a tuple of LLVM's holds."""
    return [builder.extract_value(value, at) for at in range(len(value.type.elements))]


def _bare_type(kind):
    if isinstance(kind, PackedType):
        return kind.content
    if isinstance(kind, types.Array) and kind.layout == "C" and kind.ndim > 0:
        return BareArray(kind.dtype, kind.ndim)
    if isinstance(kind, types.BaseTuple):
        return types.BaseTuple.from_types([_bare_type(each) for each in kind], getattr(kind, "instance_class", None))
    return kind


def _bare_value(context, builder, kind, value):
    if isinstance(kind, PackedType):
        return kind.read(context, builder, value)
    if isinstance(kind, types.BaseTuple):
        values = [_bare_value(context, builder, *each) for each in zip(kind, _members(builder, value), strict=True)]
        return context.make_tuple(builder, _bare_type(kind), values)
    if _bare_type(kind) == kind:
        return value
    array = context.make_helper(builder, kind, value)
    return _make(context, builder, kind.dtype, array.data, _members(builder, array.shape))


def _make(context, builder, dtype, data, shape):
    kind = BareArray(dtype, len(shape))
    made = context.make_helper(builder, kind)
    made.data = data
    if kind.ndim == 1:
        (made.size,) = shape
    else:
        made.shape = context.make_tuple(builder, types.UniTuple(types.intp, kind.ndim), shape)
    return made._getvalue()


def _shape(context, builder, kind, value):
    array = context.make_helper(builder, kind, value)
    return [array.size] if kind.ndim == 1 and isinstance(kind, BareArray) else _members(builder, array.shape)


def _product(builder, numbers, start):
    for number in numbers:
        start = builder.mul(start, number)
    return start


def address(context, builder, kind, value, at, count=1):
    """The address of place ``at`` of a bare array or one of Numba's; where bounds are checked, IndexError unless
    ``count`` places from there on are in it; None asks for no check.
    """
    _prefer_size(builder)
    if config.BOUNDSCHECK and count is not None:
        size = _product(builder, _shape(context, builder, kind, value), at.type(1))
        last = builder.sub(size, count if hasattr(count, "type") else at.type(count))
        _check(context, builder, at, last)
    return builder.gep(context.make_helper(builder, kind, value).data, [at])


def _prefer_size(builder):
    if IS_FAST not in builder.function.metadata:
        builder.function.attributes.add("optsize")


def _check(context, builder, number, last):
    """IndexError unless a number is from 0 to ``last``."""
    negative = builder.icmp_signed("<", number, number.type(0))
    outside = builder.or_(negative, builder.icmp_signed(">", number, last))
    with builder.if_then(outside, likely=False):
        context.call_conv.return_user_exc(builder, IndexError, ("outside of an array",))


def _find(context, builder, kind, value, index_kind, index):
    """Where an index points to: the address, and the shape of what stands there."""
    _prefer_size(builder)
    kinds, values = [index_kind], [index]
    if isinstance(index_kind, types.BaseTuple):
        kinds, values = list(index_kind), _members(builder, index)
    shape = _shape(context, builder, kind, value)
    at, left = types.intp, shape[len(kinds) :]
    place = context.get_constant(types.intp, 0)
    for axis, (each, number) in enumerate(zip(kinds, values, strict=True)):
        if isinstance(each, types.SliceType):
            part = context.make_helper(builder, each, number)
            first, size = part.start, shape[axis]
            end = builder.select(builder.icmp_signed("<", part.stop, size), part.stop, size)
            if config.BOUNDSCHECK:
                _check(context, builder, first, end)
            left = [builder.sub(end, first), *left]
        else:
            first = context.cast(builder, number, each, at)
            if config.BOUNDSCHECK:
                _check(context, builder, first, builder.sub(shape[axis], first.type(1)))
        place = builder.add(place, _product(builder, shape[axis + 1 :], first))
    return builder.gep(context.make_helper(builder, kind, value).data, [place]), left


def _left(kind, index):
    """How many axes an index leaves, None if it is of no use."""
    parts = list(index) if isinstance(index, types.BaseTuple) else [index]
    *before, last = parts
    if len(parts) > kind.ndim or not all(isinstance(part, types.Integer) for part in before):
        return None
    if isinstance(last, types.SliceType) and not last.has_step:
        return kind.ndim - len(parts) + 1
    return kind.ndim - len(parts) if isinstance(last, types.Integer) else None


@type_callable(operator.getitem)
def type_item(context):
    """A number, or an array of those axes that are left."""

    def typer(kind, index):
        left = _left(kind, index) if isinstance(kind, BareArray) else None
        if left == 0:
            return types.intp if isinstance(kind.dtype, types.Integer) else kind.dtype
        return left and BareArray(kind.dtype, left)

    return typer


@type_callable(operator.setitem)
def type_setting(context):
    """Of a number."""

    def typer(kind, index, value):
        if isinstance(kind, BareArray) and _left(kind, index) == 0:
            return types.none

    return typer


@lower_builtin(operator.getitem, BareArray, types.Any)
def get_item(context, builder, sig, args):
    kind, index = sig.args
    place, left = _find(context, builder, kind, args[0], index, args[1])
    if left:
        return _make(context, builder, kind.dtype, place, left)
    return context.cast(builder, context.unpack_value(builder, kind.dtype, place), kind.dtype, sig.return_type)


@lower_builtin(operator.setitem, BareArray, types.Any, types.Any)
def set_item(context, builder, sig, args):
    kind, index = sig.args[:2]
    given = sig.args[2]
    place, _ = _find(context, builder, kind, args[0], index, args[1])
    context.pack_value(builder, kind.dtype, context.cast(builder, args[2], given, kind.dtype), place)
    return context.get_dummy_value()


@intrinsic
def _flat(typing, array):
    def lower(context, builder, sig, args):
        size = _product(builder, _shape(context, builder, array, args[0]), context.get_constant(types.intp, 1))
        return _make(context, builder, array.dtype, context.make_helper(builder, array, args[0]).data, [size])

    return BareArray(array.dtype, 1)(array), lower


@overload_method(BareArray, "ravel")
def ravel(array):
    """All numbers along one axis."""
    return lambda array: _flat(array)


def bare(given):
    """The bare array of one, or a tuple of which each array is bare, in tuples within it, too."""
    return given


@type_callable(bare)
def type_bare(context):
    """The same tuples of bare arrays."""
    return lambda given: _bare_type(given)


@lower_builtin(bare, types.Any)
def make_bare(context, builder, sig, args):
    return _bare_value(context, builder, sig.args[0], args[0])


def as_in(array, number):
    """A number of the type that an array holds."""
    return array.dtype.type(number)


@type_callable(as_in)
def type_number(context):
    """The array's."""
    return lambda array, number: array.dtype


@lower_builtin(as_in, types.Any, types.Any)
def cast_number(context, builder, sig, args):
    return context.cast(builder, args[1], sig.args[1], sig.return_type)


def bits_of(array):
    """The floats of a bare array as whole numbers of as many bits, in place."""
    return array.view(f"i{array.itemsize}")


@type_callable(bits_of)
def type_bits(context):
    """Signed ones."""
    return lambda array: BareArray(types.Integer.from_bitwidth(array.dtype.bitwidth, True), array.ndim)


@lower_builtin(bits_of, BareArray)
def see_bits(context, builder, sig, args):
    (kind,), result = sig.args, sig.return_type
    data = context.make_helper(builder, kind, args[0]).data
    data = builder.bitcast(data, context.get_value_type(types.CPointer(result.dtype)))
    return _make(context, builder, result.dtype, data, _shape(context, builder, kind, args[0]))


def fast_loops():
    """Let LLVM unroll and vectorise the loops of this function, also where it becomes part of another."""


@type_callable(fast_loops)
def type_mark(context):
    """A statement."""
    return lambda: types.none


@lower_builtin(fast_loops)
def mark_function(context, builder, sig, args):
    builder.function.set_metadata(IS_FAST, builder.module.add_metadata([]))
    builder.function.attributes.discard("optsize")
    return context.get_dummy_value()


@intrinsic
def rows_at(typing, arrays, index):
    """Row ``index`` of each of a named tuple's bare arrays of two axes, as a tuple of the same names."""
    rows = types.BaseTuple.from_types([BareArray(each.dtype, 1) for each in arrays], arrays.instance_class)

    def lower(context, builder, sig, args):
        values = []
        for kind, value in zip(arrays, _members(builder, args[0]), strict=True):
            place, width = _find(context, builder, kind, value, types.intp, args[1])
            values.append(_make(context, builder, kind.dtype, place, width))
        return context.make_tuple(builder, rows, values)

    return rows(arrays, types.intp), lower
