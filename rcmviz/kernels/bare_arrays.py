"""Arrays as an address and a size, for kernels that compile in half the time that Numba's own arrays take.

Numba passes seven to nine numbers for each array and asks at each index whether it is negative. A bare array is two
numbers, or three if it has rows, and its indices count from 0, whatever their type: ``x[i]``, ``x[i, k]``, ``x.size``,
and ``x[i]`` of two axes is a row. Whole numbers of any type come out as int64. Nothing is checked but under
NUMBA_BOUNDSCHECK. It owns nothing: whoever calls the kernel that makes it by `bare` keeps the array alive.

Functions that use one are optimised for size. Loops over whole vectors are short, and unrolling them, once for each
kernel that a loop is inlined in, took more than half of the time in LLVM.
"""

import operator

from numba import config, types
from numba.extending import intrinsic, lower_builtin, make_attribute_wrapper, models, register_model, type_callable


class BareArray(types.Type):
    """C-contiguous numbers ``dtype`` along one axis or two."""

    def __init__(self, dtype, ndim):
        self.dtype, self.ndim = dtype, ndim
        super().__init__(f"BareArray({dtype}, {ndim})")


@register_model(BareArray)
class BareArrayModel(models.StructModel):
    """``size`` counts the numbers of all rows, and ``width`` those of each."""

    def __init__(self, manager, kind):
        members = [("data", types.CPointer(kind.dtype)), ("size", types.intp)]
        super().__init__(manager, kind, members + [("width", types.intp)] * (kind.ndim - 1))


make_attribute_wrapper(BareArray, "size", "size")
make_attribute_wrapper(BareArray, "width", "width")


def _members(builder, value):
    """What a tuple of LLVM's holds."""
    return [builder.extract_value(value, at) for at in range(len(value.type.elements))]


def _bare_type(kind):
    if isinstance(kind, types.Array) and kind.layout == "C" and kind.ndim in (1, 2):
        return BareArray(kind.dtype, kind.ndim)
    if isinstance(kind, types.BaseTuple):
        return types.BaseTuple.from_types([_bare_type(each) for each in kind], getattr(kind, "instance_class", None))
    return kind


def _bare_value(context, builder, kind, value):
    if isinstance(kind, types.BaseTuple):
        values = [_bare_value(context, builder, *each) for each in zip(kind, _members(builder, value), strict=True)]
        return context.make_tuple(builder, _bare_type(kind), values)
    if not isinstance(kind, types.Array):
        return value
    array = context.make_helper(builder, kind, value)
    widths = _members(builder, array.shape)[1:]
    return _make(context, builder, _bare_type(kind), array.data, array.nitems, *widths)


def _make(context, builder, kind, data, size, width=None):
    made = context.make_helper(builder, kind)
    made.data, made.size = data, size
    if width is not None:
        made.width = width
    return made._getvalue()


def address(context, builder, kind, value, at, count=1):
    """The address of place ``at`` of a bare array or one of Numba's; where bounds are checked, IndexError unless
    ``count`` places from there on are in it; None asks for no check.
    """
    is_bare = isinstance(kind, BareArray)
    if is_bare:
        builder.function.attributes.add("optsize")
    array = context.make_helper(builder, kind, value)
    if config.BOUNDSCHECK and count is not None:
        size = array.size if is_bare else array.nitems
        last = builder.sub(size, count if hasattr(count, "type") else at.type(count))
        outside = builder.or_(builder.icmp_signed("<", at, at.type(0)), builder.icmp_signed(">", at, last))
        with builder.if_then(outside, likely=False):
            context.call_conv.return_user_exc(builder, IndexError, ("outside of an array",))
    return builder.gep(array.data, [at])


def _place(context, builder, kind, value, index_kind, index):
    """The address of one number, whose index is a number or a tuple of two."""
    if isinstance(index_kind, types.BaseTuple):
        row, column = (
            context.cast(builder, each, of, types.intp)
            for each, of in zip(_members(builder, index), index_kind, strict=True)
        )
        width = context.make_helper(builder, kind, value).width
        at = builder.add(builder.mul(row, width), column)
    else:
        at = context.cast(builder, index, index_kind, types.intp)
    return address(context, builder, kind, value, at)


def _row(context, builder, kind, value, index):
    """Row ``index`` of a bare array of two axes."""
    width = context.make_helper(builder, kind, value).width
    place = address(context, builder, kind, value, builder.mul(index, width), width)
    return _make(context, builder, BareArray(kind.dtype, 1), place, width)


def _is_place(kind, index):
    return isinstance(index, types.Integer) if kind.ndim == 1 else isinstance(index, types.BaseTuple)


@type_callable(operator.getitem)
def type_item(context):
    """A number, or a row."""

    def typer(kind, index):
        if isinstance(kind, BareArray):
            found = types.intp if isinstance(kind.dtype, types.Integer) else kind.dtype
            return found if _is_place(kind, index) else BareArray(kind.dtype, 1)

    return typer


@type_callable(operator.setitem)
def type_setting(context):
    """Of a number."""

    def typer(kind, index, value):
        if isinstance(kind, BareArray) and _is_place(kind, index):
            return types.none

    return typer


@lower_builtin(operator.getitem, BareArray, types.Any)
def get_item(context, builder, sig, args):
    kind, index = sig.args
    if not _is_place(kind, index):
        return _row(context, builder, kind, args[0], context.cast(builder, args[1], index, types.intp))
    found = context.unpack_value(builder, kind.dtype, _place(context, builder, kind, args[0], index, args[1]))
    return context.cast(builder, found, kind.dtype, sig.return_type)


@lower_builtin(operator.setitem, BareArray, types.Any, types.Any)
def set_item(context, builder, sig, args):
    kind, index = sig.args[:2]
    given = sig.args[2]
    place = _place(context, builder, kind, args[0], index, args[1])
    context.pack_value(builder, kind.dtype, context.cast(builder, args[2], given, kind.dtype), place)
    return context.get_dummy_value()


@intrinsic
def bare(typing, given):
    """The bare array of one, or a tuple of which each array is bare, in tuples within it, too."""
    return _bare_type(given)(given), lambda context, builder, sig, args: _bare_value(context, builder, given, args[0])


@intrinsic
def rows_at(typing, arrays, index):
    """Row ``index`` of each of a named tuple's bare arrays of two axes, as a tuple of the same names."""
    rows = types.BaseTuple.from_types([BareArray(each.dtype, 1) for each in arrays], arrays.instance_class)

    def lower(context, builder, sig, args):
        values = zip(arrays, _members(builder, args[0]), strict=True)
        return context.make_tuple(builder, rows, [_row(context, builder, *each, args[1]) for each in values])

    return rows(arrays, types.intp), lower


@intrinsic
def section(typing, array, begin, end):
    """``array[begin:end]`` of a bare array of one axis, within its bounds."""

    def lower(context, builder, sig, args):
        size = builder.sub(args[2], args[1])
        return _make(context, builder, array, address(context, builder, array, args[0], args[1], size), size)

    return array(array, types.intp, types.intp), lower


@intrinsic
def bits_of(typing, array):
    """The floats of a bare array of single precision as whole numbers, in place."""
    kind = BareArray(types.int32, 1)

    def lower(context, builder, sig, args):
        given = context.make_helper(builder, array, args[0])
        data = builder.bitcast(given.data, context.get_value_type(types.CPointer(types.int32)))
        return _make(context, builder, kind, data, given.size)

    return kind(array), lower
