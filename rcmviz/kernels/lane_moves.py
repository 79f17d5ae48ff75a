"""How the lanes of a vector change places: by what processors have for it, each in its own instructions.

LLVM writes all else that ``lanes.py`` asks of it on whatever vectors there are. A permutation by numbers that are not
known before, and what is made of it, it takes apart into lanes, sixteen loads or branches; so these are written by
name: with AVX-512 sixteen lanes are permuted and compressed, with AVX2 eight lanes are permuted, NEON looks bytes up in
up to four registers. ``tests/core/test_lane_assembly.py`` looks at what comes out for an ARM processor.

Vectors have sixteen lanes of 32 bits, a half has eight; ``place`` is an address.
"""

import numpy as np
from llvmlite import ir
from numba.core import cgutils

from rcmviz.kernels.llvm import Writer

LANES = 16
BIT, BYTE, SHORT, INT, LONG = (ir.IntType(bits) for bits in (1, 8, 16, 32, 64))
FLOAT = ir.FloatType()
FLOATS, INTS, BITS, SHORTS = (ir.VectorType(one, LANES) for one in (FLOAT, INT, BIT, SHORT))
HALF, BYTES = ir.VectorType(INT, LANES // 2), ir.VectorType(BYTE, 16)


class Moves(Writer):
    """What LLVM makes of them where the processor is none of those below."""

    @staticmethod
    def of(context):
        """Those of the processor that kernels are compiled for."""
        triple, _, features = context.codegen().magic_tuple()
        if triple.startswith(("aarch64", "arm64")):
            return Neon
        names = features.split(",")
        return Avx512 if "+avx512f" in names else Avx2 if "+avx2" in names else Moves

    def pick(self, whole, numbers):
        """For each lane the lane of ``whole`` whose number, 0 to 15, stands in ``numbers``."""
        builder, found = self.builder, ir.Constant(INTS, ir.Undefined)
        for lane in range(LANES):
            number = builder.and_(builder.extract_element(numbers, INT(lane)), INT(LANES - 1))
            found = builder.insert_element(found, builder.extract_element(whole, number), INT(lane))
        return found

    def compress(self, place, lanes, mask):
        """Write the lanes that are set one after the other from ``place`` on."""
        name = "llvm.masked.compressstore." + ("v16f32" if lanes.type is FLOATS else "v16i32")
        self.call(name, ir.VoidType(), [lanes, place, mask])

    def list_larger(self, values, places, at, one, other, begin, bound):
        """`compress` numbers of two vectors that exceed the bound, and their places, which are ``begin`` and those that
        follow, from ``at`` on; returns how many do.
        """
        builder, start = self.builder, at
        for lanes, first in ((one, 0), (other, LANES)):
            mask = builder.icmp_signed(">", lanes, bound)
            numbers = builder.add(begin, ir.Constant(INTS, list(range(first, first + LANES))))
            self.compress(builder.gep(values, [at]), lanes, mask)
            self.compress(builder.gep(places, [at]), numbers, mask)
            at = builder.add(at, builder.zext(builder.ctpop(builder.bitcast(mask, SHORT)), LONG))
        return builder.sub(at, start)


class Avx512(Moves):
    """Sixteen lanes in one register."""

    def pick(self, whole, numbers):
        return self.call("llvm.x86.avx512.permvar.si.512", INTS, [whole, numbers])

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

    def pick(self, whole, numbers):
        builder, parts = self.builder, []
        low, high = (_half(builder, whole, begin) for begin in (0, 8))
        for begin in (0, 8):
            which = _half(builder, numbers, begin)
            ones, others = (self.pick_of_half(part, which) for part in (low, high))
            is_high = builder.icmp_signed(">", which, ir.Constant(HALF, [7] * 8))
            parts.append(builder.select(is_high, others, ones))
        return _side_by_side(builder, parts)

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

    def _order(self, bits, begin=0):
        """The numbers of eight lanes, those first whose bits are set, and ``begin`` more, out of the table."""
        builder = self.builder
        row = builder.load(builder.gep(_orders(builder.module, begin), [INT(0), bits]))
        return builder.zext(builder.bitcast(row, ir.VectorType(BYTE, 8)), HALF)

    def list_larger(self, values, places, at, one, other, begin, bound):
        """Half by half, as a mask of sixteen lanes would be put together and taken apart again, and with a table for
        each, which looks at three bits of a number only and has places, too.
        """
        builder, start = self.builder, at
        halves = [_half(builder, lanes, first) for lanes in (one, other) for first in (0, 8)]
        bound, begin = (_half(builder, lanes, 0) for lanes in (bound, begin))
        for i, half in enumerate(halves):
            bits = self.bits_of(builder.icmp_signed(">", half, bound))
            order = self._order(bits, 8 * i)
            for array, moved in ((values, self.pick_of_half(half, order)), (places, builder.add(order, begin))):
                builder.store(moved, builder.bitcast(builder.gep(array, [at]), HALF.as_pointer()), align=4)
            at = builder.add(at, builder.ctpop(bits))
        return builder.sub(at, start)

    def bits_of(self, mask):
        """Eight lanes as bits of a number."""
        signs = self.builder.bitcast(self.builder.sext(mask, HALF), ir.VectorType(FLOAT, 8))
        return self.builder.zext(self.call("llvm.x86.avx.movmsk.ps.256", INT, [signs]), LONG)


class Neon(Avx2):
    """Bytes out of two or four registers: bytes 4 n to 4 n + 3 are lane n; four lanes are found at a time."""

    def pick(self, whole, numbers):
        builder, kind, count = self.builder, numbers.type, numbers.type.count
        of_lanes = builder.mul(numbers, ir.Constant(kind, [0x04040404] * count))
        of_lanes = builder.add(of_lanes, ir.Constant(kind, [0x03020100] * count))
        name = f"llvm.aarch64.neon.tbl{count // 4}.v16i8"
        table, which = (
            [builder.bitcast(four, BYTES) for four in _quarters(builder, lanes)] for lanes in (whole, of_lanes)
        )
        found = [self.call(name, BYTES, [*table, four]) for four in which]
        return _side_by_side(builder, [builder.bitcast(four, ir.VectorType(INT, 4)) for four in found])

    def pick_of_half(self, half, numbers):
        return self.pick(half, self.builder.and_(numbers, ir.Constant(HALF, [7] * 8)))

    def bits_of(self, mask):
        builder, powers = self.builder, ir.Constant(HALF, [1 << lane for lane in range(8)])
        set_bits = builder.select(mask, powers, ir.Constant(HALF, None))
        return builder.zext(self.call("llvm.vector.reduce.add.v8i32", INT, [set_bits]), LONG)


def _half(builder, whole, begin):
    """Eight lanes of a vector, from ``begin`` on."""
    lane_numbers = ir.Constant(HALF, list(range(begin, begin + 8)))
    return builder.shuffle_vector(whole, ir.Constant(whole.type, ir.Undefined), lane_numbers)


def _quarters(builder, lanes):
    """Four lanes each."""
    numbers = [ir.Constant(ir.VectorType(INT, 4), list(range(at, at + 4))) for at in range(0, lanes.type.count, 4)]
    return [builder.shuffle_vector(lanes, ir.Constant(lanes.type, ir.Undefined), four) for four in numbers]


def _side_by_side(builder, parts):
    """Vectors one after the other in one."""
    while len(parts) > 1:
        count = parts[0].type.count
        numbers = ir.Constant(ir.VectorType(INT, 2 * count), list(range(2 * count)))
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [builder.shuffle_vector(one, other, numbers) for one, other in pairs]
    return parts[0]


def _orders(module, begin):
    """For each of 256 masks which lanes come first, and ``begin`` more, eight bytes in one number."""
    if (known := module.globals.get(f"rcmviz.lanes.orders.{begin}")) is not None:
        return known
    ranks = np.argsort(
        ~np.unpackbits(np.arange(256, dtype="u1")[:, None], axis=1, bitorder="little") & 1, kind="stable"
    )
    orders = np.ascontiguousarray(ranks + begin, "u1").view("<u8").ravel()
    constant = ir.Constant(ir.ArrayType(LONG, 256), [LONG(int(row)) for row in orders])
    table = cgutils.add_global_variable(module, constant.type, f"rcmviz.lanes.orders.{begin}")
    table.initializer, table.global_constant, table.linkage = constant, True, "internal"
    return table
