"""How the lanes of a vector change places: by what processors have for it, each in its own instructions.

LLVM writes all else that ``lanes.py`` asks of it on whatever vectors there are. A permutation by numbers that are not
known before, and what is made of it, it takes apart into lanes, sixteen loads or branches; so these are written by
name: with AVX-512 sixteen lanes are compressed, with AVX2 eight lanes are permuted, NEON looks bytes up in two
registers. ``tests/core/test_lane_assembly.py`` looks at what comes out for an ARM processor.

Vectors have sixteen lanes of 32 bits, a half has eight; ``place`` is an address.
"""

import numpy as np
from llvmlite import ir
from numba.core import cgutils

from rcmviz.kernels.llvm import Writer

LANES = 16
ORDERS = "rcmviz.lanes.orders"
BIT, BYTE, SHORT, INT, LONG = (ir.IntType(bits) for bits in (1, 8, 16, 32, 64))
FLOAT = ir.FloatType()
FLOATS, INTS, BITS, SHORTS = (ir.VectorType(one, LANES) for one in (FLOAT, INT, BIT, SHORT))
HALF, BYTES = ir.VectorType(INT, LANES // 2), ir.VectorType(BYTE, 16)


class Moves(Writer):
    """What LLVM makes of them where the processor is none of those below."""

    @staticmethod
    def of(context):
        """The moves for the target processor of the kernels."""
        triple, _, features = context.codegen().magic_tuple()
        if triple.startswith(("aarch64", "arm64")):
            return Neon
        names = features.split(",")
        return Avx512 if "+avx512f" in names else Avx2 if "+avx2" in names else Moves

    def compress(self, place, lanes, mask):
        """Write the lanes that are set one after the other from ``place`` on."""
        name = "llvm.masked.compressstore." + ("v16f32" if lanes.type is FLOATS else "v16i32")
        self.call(name, ir.VoidType(), [lanes, place, mask])


class Avx512(Moves):
    """Sixteen lanes in one register."""

    def compress(self, place, lanes, mask):
        """In a register: Zen 4 writes a part of one to memory lane by lane, in microcode."""
        builder, none = self.builder, ir.Constant(INTS, None)
        ints = builder.bitcast(lanes, INTS)
        moved = self.call("llvm.x86.avx512.mask.compress.v16i32", INTS, [ints, none, mask])
        place = builder.bitcast(place, HALF.as_pointer())
        low, high = (_half(builder, moved, begin) for begin in (0, 8))
        builder.store(low, place, align=4)
        count = builder.ctpop(builder.bitcast(mask, SHORT))
        with builder.if_then(builder.icmp_unsigned(">", count, SHORT(8)), likely=False):
            builder.store(high, builder.gep(place, [LONG(1)]), align=4)


class Avx2(Moves):
    """Permutations of eight lanes, which look at three bits of a number; to compress, they come out of a table."""

    def pick_of_half(self, half, numbers):
        return self.call("llvm.x86.avx2.permd", HALF, [half, numbers])

    def compress(self, place, lanes, mask):
        builder = self.builder
        bits, ints = builder.bitcast(mask, SHORT), builder.bitcast(lanes, INTS)
        place = builder.bitcast(place, INT.as_pointer())
        for begin, part in ((0, builder.trunc(bits, BYTE)), (8, builder.trunc(builder.lshr(bits, SHORT(8)), BYTE))):
            moved = self.pick_of_half(_half(builder, ints, begin), self._order(builder.zext(part, LONG)))
            builder.store(moved, builder.bitcast(place, HALF.as_pointer()), align=4)
            place = builder.gep(place, [builder.zext(builder.ctpop(part), LONG)])

    def _order(self, bits):
        """The numbers of eight lanes, those first whose bits are set, out of the table."""
        builder = self.builder
        row = builder.load(builder.gep(_orders(builder.module), [INT(0), bits]))
        return builder.zext(builder.bitcast(row, ir.VectorType(BYTE, 8)), HALF)


class Neon(Avx2):
    """Bytes out of two registers: bytes 4 n to 4 n + 3 are lane n; four lanes are found at once."""

    def pick_of_half(self, half, numbers):
        builder = self.builder
        numbers = builder.and_(numbers, ir.Constant(HALF, [7] * 8))
        of_lanes = builder.mul(numbers, ir.Constant(HALF, [0x04040404] * 8))
        of_lanes = builder.add(of_lanes, ir.Constant(HALF, [0x03020100] * 8))
        table, which = (
            [builder.bitcast(four, BYTES) for four in _quarters(builder, lanes)] for lanes in (half, of_lanes)
        )
        found = [self.call("llvm.aarch64.neon.tbl2.v16i8", BYTES, [*table, four]) for four in which]
        one, other = (builder.bitcast(four, ir.VectorType(INT, 4)) for four in found)
        return builder.shuffle_vector(one, other, ir.Constant(HALF, list(range(8))))


def _half(builder, whole, begin):
    """Eight lanes of a vector, from ``begin`` on."""
    lane_numbers = ir.Constant(HALF, list(range(begin, begin + 8)))
    return builder.shuffle_vector(whole, ir.Constant(whole.type, ir.Undefined), lane_numbers)


def _quarters(builder, lanes):
    """Four lanes each."""
    numbers = [ir.Constant(ir.VectorType(INT, 4), list(range(at, at + 4))) for at in range(0, lanes.type.count, 4)]
    return [builder.shuffle_vector(lanes, ir.Constant(lanes.type, ir.Undefined), four) for four in numbers]


def _orders(module):
    """For each of 256 masks which lanes come first, eight bytes in one number."""
    if (known := module.globals.get(ORDERS)) is not None:
        return known
    ranks = np.argsort(
        ~np.unpackbits(np.arange(256, dtype="u1")[:, None], axis=1, bitorder="little") & 1, kind="stable"
    )
    orders = np.ascontiguousarray(ranks, "u1").view("<u8").ravel()
    constant = ir.Constant(ir.ArrayType(LONG, 256), [LONG(int(row)) for row in orders])
    table = cgutils.add_global_variable(module, constant.type, ORDERS)
    table.initializer, table.global_constant, table.linkage = constant, True, "internal"
    return table
