"""Sixteen numbers at once: vectors as types of Numba, for kernels that do not wait for LLVM to vectorise them.

``f32x16``, ``i32x16`` and ``mask16`` are LLVM's own vectors: one register of AVX-512, two of AVX2, four of NEON or SSE.
Inside a compiled function they are written as numbers are, ``a * b + c``, ``a > b``, ``where(a > b, a, b)``; they are
values, not arrays, and never leave it. `load` and `store` take places of a flat contiguous array of f32 or i32 and
check nothing but under NUMBA_BOUNDSCHECK: an array that is read to the end of a row needs 16 places beyond its last.

A product that is added may become one instruction, rounded once; sums over lanes are taken in any order. Only what
every processor has in LLVM's language is used, but for lanes that change places (``lane_moves.py``). Where nothing is
compiled, ``SUPPORTED`` is false and callers take their scalar kernels.
"""

import operator

from llvmlite import ir
from numba import config, types
from numba.core.datamodel.models import PrimitiveModel
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, register_model

from rcmviz.kernels.bare_arrays import address
from rcmviz.kernels.lane_moves import BIT, BITS, BYTE, FLOAT, FLOATS, INT, INTS, LANES, LONG, SHORT, Moves
from rcmviz.kernels.llvm import Writer

FUSED = ("contract", "nsz")  # of each operation on floats: what a sum may do with a product


class Lanes(types.Type):
    """A vector; ``name`` says of what."""


f32x16, i32x16, mask16 = Lanes("f32x16"), Lanes("i32x16"), Lanes("mask16")
VECTORS = {f32x16: FLOATS, i32x16: INTS, mask16: BITS}
LANES_OF = {types.float32: f32x16, types.int32: i32x16}


@register_model(Lanes)
class LanesModel(PrimitiveModel):
    """Kept in registers as LLVM keeps them."""

    def __init__(self, manager, kind):
        super().__init__(manager, kind, VECTORS[kind])


def _place(context, builder, sig, args):
    """The address of place ``args[1]`` of the array ``args[0]``; where bounds are checked, IndexError outside of it."""
    return address(context, builder, sig.args[0], args[0], args[1], LANES)


def _splat(builder, number, vector):
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, number, INT(0))
    return builder.shuffle_vector(first, undefined, ir.Constant(INTS, [0] * LANES))


@intrinsic
def load(typing, array, at):
    """Sixteen neighbours of a flat array, from place ``at`` on."""
    result = LANES_OF[array.dtype]

    def lower(context, builder, sig, args):
        place = _place(context, builder, sig, args)
        return builder.load(builder.bitcast(place, VECTORS[result].as_pointer()), align=4)

    return result(array, types.intp), lower


@intrinsic
def store(typing, array, at, lanes):
    """Write them there."""

    def lower(context, builder, sig, args):
        place = builder.bitcast(_place(context, builder, sig, args), VECTORS[lanes].as_pointer())
        builder.store(args[2], place, align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes), lower


@intrinsic
def fetch(typing, array, at):
    """Ask for the line of the cache that place ``at`` lies in, and do not wait."""

    def lower(context, builder, sig, args):
        place = builder.bitcast(address(context, builder, sig.args[0], args[0], args[1], None), BYTE.as_pointer())
        Writer(builder).call("llvm.prefetch.p0", ir.VoidType(), [place, INT(0), INT(3), INT(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), lower


@intrinsic
def splat(typing, number):
    """One number in all lanes."""
    result = LANES_OF[number]
    return result(number), lambda context, builder, sig, args: _splat(builder, args[0], VECTORS[result])


@intrinsic
def counted(typing):
    """The numbers of the lanes, 0 to 15."""
    return i32x16(), lambda context, builder, sig, args: ir.Constant(INTS, list(range(LANES)))


def _operator(symbol, floats, ints, result=None):
    """Give lanes an operator of Python's: ``floats``, where they have it, and ``ints`` write it for two values."""
    kinds = {f32x16: floats, i32x16: ints} if floats else {i32x16: ints}

    @infer_global(symbol)
    class Template(ConcreteTemplate):
        cases = [signature(result or kind, kind, kind) for kind in kinds]  # noqa: RUF012

    for kind, write in kinds.items():

        @lower_builtin(symbol, kind, kind)
        def lower(context, builder, sig, args, write=write):
            return write(builder, *args)


def _arithmetic(name):
    return lambda b, x, y: getattr(b, f"f{name}")(x, y, flags=FUSED), lambda b, x, y: getattr(b, name)(x, y)


def _comparison(sign):
    return lambda b, x, y: b.fcmp_ordered(sign, x, y), lambda b, x, y: b.icmp_signed(sign, x, y), mask16


_operator(operator.add, *_arithmetic("add"))
_operator(operator.sub, *_arithmetic("sub"))
_operator(operator.mul, *_arithmetic("mul"))
_operator(operator.gt, *_comparison(">"))
_operator(operator.lt, *_comparison("<"))
_operator(operator.eq, *_comparison("=="))
for symbol, name in ((operator.and_, "and_"), (operator.or_, "or_")):
    _operator(symbol, None, lambda b, x, y, name=name: getattr(b, name)(x, y))
_operator(operator.lshift, None, lambda b, x, y: b.shl(x, y))
_operator(operator.rshift, None, lambda b, x, y: b.ashr(x, y))


@intrinsic
def where(typing, mask, yes, no):
    """Lane by lane one or the other."""
    return yes(mask, yes, no), lambda context, builder, sig, args: builder.select(*args)


@intrinsic
def larger(typing, one, other):
    """Lane by lane the larger."""

    def lower(context, builder, sig, args):
        more = builder.fcmp_ordered if one is f32x16 else builder.icmp_signed
        return builder.select(more(">", *args), *args)

    return one(one, other), lower


@intrinsic
def spread(typing, array, at):
    """Place ``at`` of a flat array in all lanes: `splat` of a number that is not looked at before."""
    result = LANES_OF[array.dtype]

    def lower(context, builder, sig, args):
        place = address(context, builder, sig.args[0], args[0], args[1])
        return _splat(builder, builder.load(place, align=4), VECTORS[result])

    return result(array, types.intp), lower


@intrinsic
def inverse_root(typing, lanes):
    """One by the square root of positive floats, to some units in the last place: LLVM may take an estimate."""

    def lower(context, builder, sig, args):
        root = Writer(builder).call("llvm.sqrt.v16f32", FLOATS, args, fastmath=("fast",))
        return builder.fdiv(ir.Constant(FLOATS, [1.0] * LANES), root, flags=("fast",))

    return lanes(lanes), lower


@intrinsic
def as_ints(typing, lanes):
    """The bits of floats as whole numbers: those of positive floats are in the order of the floats."""
    return i32x16(lanes), lambda context, builder, sig, args: builder.bitcast(args[0], INTS)


@intrinsic
def as_floats(typing, lanes):
    """The floats that have these bits."""
    return f32x16(lanes), lambda context, builder, sig, args: builder.bitcast(args[0], FLOATS)


@intrinsic
def total(typing, lanes):
    """The sum of all lanes."""

    def lower(context, builder, sig, args):
        if lanes is i32x16:
            return Writer(builder).call("llvm.vector.reduce.add.v16i32", INT, args)
        return Writer(builder).call(
            "llvm.vector.reduce.fadd.v16f32", FLOAT, [FLOAT(-0.0), *args], fastmath=("reassoc",)
        )

    return (types.int32 if lanes is i32x16 else types.float32)(lanes), lower


@intrinsic
def highest(typing, lanes):
    """The largest of all lanes."""

    def lower(context, builder, sig, args):
        if lanes is i32x16:
            return Writer(builder).call("llvm.vector.reduce.smax.v16i32", INT, args)
        return Writer(builder).call("llvm.vector.reduce.fmax.v16f32", FLOAT, args, fastmath=("nnan", "nsz"))

    return (types.int32 if lanes is i32x16 else types.float32)(lanes), lower


@intrinsic
def hits(typing, mask):
    """How many lanes are set."""

    def lower(context, builder, sig, args):
        return builder.zext(builder.ctpop(builder.bitcast(args[0], SHORT)), LONG)

    return types.int64(mask), lower


@intrinsic
def first(typing, mask):
    """The number of the first lane that is set, 16 where none is."""

    def lower(context, builder, sig, args):
        return builder.zext(builder.cttz(builder.bitcast(args[0], SHORT), BIT(0)), LONG)

    return types.int64(mask), lower


@intrinsic
def compress(typing, array, at, lanes, mask):
    """Write the lanes that are set one after the other from place ``at`` on; the 16 places are overwritten."""

    def lower(context, builder, sig, args):
        place = _place(context, builder, sig, args)
        Moves.of(context)(builder).compress(place, *args[2:])
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes, mask), lower


SUPPORTED = not config.DISABLE_JIT  # Numba compiles the LLVM code above
