"""Floats in one or two bytes, sixteen at once: how ``lanes.py`` reads and writes them.

An array of u16 holds bfloat16, the upper sixteen bits of floats: their range with eight binary digits. One of i16 holds
halves, ``np.float16``, of which Numba has no arrays: eleven digits up to 65,504, beyond which nothing may be written.
One of u8 holds what is not negative: three digits from 2^-31, which stands for all below, to 7.5e9, for all above.
Rounded up or down by chance, a sum of small steps is right in the mean; always rounded alike, it would stop to grow.
"""

from llvmlite import ir

from rcmviz.kernels.lane_moves import BYTES, FLOATS, INTS, LANES, SHORTS
from rcmviz.kernels.llvm import Writer

HALVES = ir.VectorType(ir.HalfType(), LANES)
BELOW = 13  # bits of a float that a half has not
CUT, LEAST = 21, 96 << 23  # bits of a float that a byte has not, and the float that all bytes are added to
SCALE = 2.0**112  # between the exponents of halves and floats: by it the bits of one are those of the other


def _ints(number):
    return ir.Constant(INTS, [number] * LANES)


class FewBytes(Writer):
    """A way of keeping floats; ``kept`` is what sixteen of them are in memory."""

    kept = SHORTS

    def read(self, bits):
        """The floats that are kept so."""
        raise NotImplementedError

    def rounded(self, floats, noise):
        """What is kept of floats; the upper bits of ``noise`` are as good as random."""
        raise NotImplementedError

    def _raised(self, floats, noise, bits):
        """Floats as whole numbers, more by chance in so many of their lowest bits, so that these can be cut off."""
        builder = self.builder
        return builder.add(builder.bitcast(floats, INTS), builder.lshr(noise, _ints(32 - bits)))


class Bfloat16(FewBytes):
    """The upper halves of floats."""

    def read(self, bits):
        return self.builder.bitcast(self.builder.shl(self.builder.zext(bits, INTS), _ints(16)), FLOATS)

    def rounded(self, floats, noise):
        return self.builder.trunc(self.builder.lshr(self._raised(floats, noise, 16), _ints(16)), SHORTS)


class Byte(FewBytes):
    """Bits 21 to 28 of floats, less those of the least."""

    kept = BYTES

    def read(self, bits):
        builder = self.builder
        above = builder.shl(builder.zext(bits, INTS), _ints(CUT))
        return builder.bitcast(builder.add(above, _ints(LEAST)), FLOATS)

    def rounded(self, floats, noise):
        builder = self.builder
        above = self._not(">", builder.sub(self._raised(floats, noise, CUT), _ints(LEAST)), 0)
        return builder.trunc(self._not("<", builder.lshr(above, _ints(CUT)), 255), BYTES)

    def _not(self, sign, numbers, limit):
        return self.builder.select(self.builder.icmp_signed(sign, numbers, _ints(limit)), numbers, _ints(limit))


class Half(FewBytes):
    """Halves where the processor has instructions for them. Those below 6e-5 have less digits, and are the nearest."""

    @staticmethod
    def of(context):
        """How the processor that kernels are compiled for has them."""
        triple, _, features = context.codegen().magic_tuple()
        has = triple.startswith(("aarch64", "arm64")) or "+f16c" in features.split(",")
        return Half if has else HalfByHand

    def read(self, bits):
        return self.builder.fpext(self.builder.bitcast(bits, HALVES), FLOATS)

    def rounded(self, floats, noise):
        cut = self.builder.and_(self._raised(floats, noise, BELOW), _ints(-1 << BELOW))
        return self._narrowed(self.builder.bitcast(cut, FLOATS))

    def _narrowed(self, floats):
        return self.builder.bitcast(self.builder.fptrunc(floats, HALVES), SHORTS)


class HalfByHand(Half):
    """Where it has none, LLVM would call a function for each lane, which is not there."""

    def read(self, bits):
        builder = self.builder
        moved = builder.and_(builder.shl(builder.sext(bits, INTS), _ints(BELOW)), _ints(-0x70002000))
        return builder.fmul(builder.bitcast(moved, FLOATS), ir.Constant(FLOATS, [SCALE] * LANES))

    def _narrowed(self, floats):
        builder = self.builder
        whole = builder.bitcast(builder.fmul(floats, ir.Constant(FLOATS, [1 / SCALE] * LANES)), INTS)
        size = builder.and_(builder.lshr(builder.add(whole, _ints(1 << BELOW - 1)), _ints(BELOW)), _ints(0x7FFF))
        sign = builder.and_(builder.lshr(whole, _ints(16)), _ints(0x8000))
        return builder.trunc(builder.or_(size, sign), SHORTS)
