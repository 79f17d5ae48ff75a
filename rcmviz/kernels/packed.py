"""Many arrays as one argument, so that kernels that Python calls compile in less time.

For each array that it is given, Numba writes what takes it out of its Python object, counts its references and hands
on seven to nine numbers; a trainer works in sixty. `pack` writes the addresses and shapes of all arrays of a tuple, and
its numbers, one after the other; `bare_arrays.bare` reads them in the kernel, as a tuple of bare arrays.
"""

import struct
from functools import cache

import numpy as np
from llvmlite import ir
from numba import config, from_dtype, types
from numba.extending import NativeValue, make_attribute_wrapper, models, register_model, unbox

WORD = ir.IntType(64)
NUMBERS = {bool: types.boolean, int: types.int64, float: types.float64, type(None): types.none}
NUMBERS |= {np.bool_: types.boolean, np.int64: types.int64, np.float64: types.float64}


class BareArray(types.Type):
    """C-contiguous numbers ``dtype`` along ``ndim`` axes."""

    def __init__(self, dtype, ndim):
        self.dtype, self.ndim = dtype, ndim
        super().__init__(f"BareArray({dtype}, {ndim})")


@register_model(BareArray)
class BareArrayModel(models.StructModel):
    """One axis has a ``size``, several have a ``shape``."""

    def __init__(self, manager, kind):
        size = ("size", types.intp) if kind.ndim == 1 else ("shape", types.UniTuple(types.intp, kind.ndim))
        super().__init__(manager, kind, [("data", types.CPointer(kind.dtype)), size])


make_attribute_wrapper(BareArray, "size", "size")
make_attribute_wrapper(BareArray, "shape", "shape")


class PackedType(types.Type):
    """A tuple whose bare kind is ``content``."""

    def __init__(self, content):
        self.content = content
        super().__init__(f"Packed({content})")

    @property
    def key(self):
        """Equal names of tuples do not make equal types."""
        return self.content

    def read(self, context, builder, value):
        """The tuple, word by word from the address ``value`` on."""
        places = iter(range(2**30))
        base = builder.inttoptr(value, WORD.as_pointer())

        def word():
            return builder.load(builder.gep(base, [WORD(next(places))]))

        return _read(context, builder, self.content, word)


@register_model(PackedType)
class PackedModel(models.PrimitiveModel):
    """The address of the words."""

    def __init__(self, manager, kind):
        super().__init__(manager, kind, WORD)


@unbox(PackedType)
def _unbox_packed(kind, value, c):
    """The address, which the Python object knows."""
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.pyapi.long_as_longlong(number)
    c.pyapi.decref(number)
    return NativeValue(address)


class Packed:
    """A tuple, its words, and their address; it keeps the arrays alive."""

    __slots__ = ("_numba_type_", "address", "given", "words")

    def __init__(self, given, kind, words):
        self.given, self.words, self._numba_type_ = given, words, kind
        self.address = words.ctypes.data


def pack(given):
    """Arrays, numbers, None and tuples of these as one argument of a kernel.

    ValueError unless arrays are C-contiguous.
    """
    if config.DISABLE_JIT:
        return given
    words = []
    kind, codes = _kind(_enter(given, words))
    return Packed(given, kind, np.frombuffer(codes.pack(*words), np.int64))


def _enter(given, words):
    """Append the words of a value; returns what its kind depends on."""
    if isinstance(given, np.ndarray):
        if not given.flags.c_contiguous:
            raise ValueError(f"an array of shape {given.shape} and strides {given.strides} cannot be packed")
        words += given.ctypes.data, *given.shape
        return given.dtype, given.ndim
    if isinstance(given, tuple):
        return type(given), *[_enter(each, words) for each in given]
    if given is not None:
        words.append(given)
    return type(given)


@cache
def _kind(entered):
    """The type of a packed tuple, and how its words are written."""
    content, codes = _content(entered), []
    _list_codes(content, codes)
    return PackedType(content), struct.Struct("=" + "".join(codes))


def _content(entered):
    if not isinstance(entered, tuple):
        return NUMBERS[entered]
    if isinstance(entered[0], np.dtype):
        return BareArray(from_dtype(entered[0]), entered[1])
    cls, *parts = entered
    return types.BaseTuple.from_types([_content(part) for part in parts], None if cls is tuple else cls)


def _list_codes(kind, codes):
    """The letters of ``struct`` for each word."""
    if isinstance(kind, BareArray):
        codes += "q" * (1 + kind.ndim)
    elif isinstance(kind, types.BaseTuple):
        for each in kind:
            _list_codes(each, codes)
    elif kind != types.none:
        codes += "d" if kind == types.float64 else "q"


def _read(context, builder, kind, word):
    """A value of this kind out of the next words."""
    if isinstance(kind, types.BaseTuple):
        return context.make_tuple(builder, kind, [_read(context, builder, each, word) for each in kind])
    if isinstance(kind, BareArray):
        made = context.make_helper(builder, kind)
        made.data = builder.inttoptr(word(), context.get_value_type(types.CPointer(kind.dtype)))
        shape = [word() for _ in range(kind.ndim)]
        if kind.ndim == 1:
            (made.size,) = shape
        else:
            made.shape = context.make_tuple(builder, types.UniTuple(types.intp, kind.ndim), shape)
        return made._getvalue()
    if kind == types.none:
        return context.get_dummy_value()
    number = word()
    if kind == types.float64:
        return builder.bitcast(number, ir.DoubleType())
    return builder.trunc(number, ir.IntType(1)) if kind == types.boolean else number
