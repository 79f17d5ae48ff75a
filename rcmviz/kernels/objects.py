"""Lists, dicts and texts of Python for compiled code that holds Python's lock: each is the address of an object.

`intp` of an object's ``id``. Nothing is checked: who calls has looked at the kind of an object, and holds it while its
address is used. No code of Python's runs in these, so nobody can change an object meanwhile. What is called are
functions of Python's C interface, and two of Numba's that say where a text has its characters and what type an object
has; all are found by name when a kernel is loaded, as in the wrappers that Numba writes itself.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from rcmviz.kernels.llvm import Writer

ADDRESS, BYTE, INT = types.intp, ir.IntType(8), ir.IntType(32)


def _objects(context, builder, addresses):
    return [builder.inttoptr(address, context.get_python_api(builder).pyobj) for address in addresses]


def _address(context, builder, pointer):
    return builder.ptrtoint(pointer, context.get_value_type(ADDRESS))


@intrinsic
def type_of(typing, thing):
    """The address of an object's type."""

    def lower(context, builder, sig, args):
        python = context.get_python_api(builder)
        return _address(context, builder, python.get_type(*_objects(context, builder, args)))

    return ADDRESS(ADDRESS), lower


@intrinsic
def length_of(typing, container):
    """How many items a list or a dict has."""

    def lower(context, builder, sig, args):
        return Writer(builder).call("PyObject_Size", context.get_value_type(ADDRESS), _objects(context, builder, args))

    return ADDRESS(ADDRESS), lower


@intrinsic
def item_of(typing, container, number):
    """An item of a list."""

    def lower(context, builder, sig, args):
        (container,) = _objects(context, builder, args[:1])
        return _address(context, builder, Writer(builder).call("PyList_GetItem", container.type, [container, args[1]]))

    return ADDRESS(ADDRESS, types.intp), lower


@intrinsic
def next_pair(typing, container, cursor):
    """``(cursor, key, value)`` of the pair of a dict that ``cursor`` is at, 0 at first; the new one is 0 if none is."""
    result = types.UniTuple(ADDRESS, 3)

    def lower(context, builder, sig, args):
        (container,) = _objects(context, builder, args[:1])
        whole = context.get_value_type(ADDRESS)
        places = [cgutils.alloca_once(builder, kind) for kind in (whole, container.type, container.type)]
        builder.store(args[1], places[0])
        more = Writer(builder).call("PyDict_Next", INT, [container, *places])
        at, key, value = (builder.load(place) for place in places)
        at = builder.select(builder.icmp_signed("!=", more, INT(0)), at, whole(0))
        return context.make_tuple(builder, result, [at, *(_address(context, builder, each) for each in (key, value))])

    return result(ADDRESS, types.intp), lower


@intrinsic
def characters_of(typing, text):
    """``(address, length, size)`` of a text's characters, each of ``size`` bytes: 1, 2 or 4."""
    result = types.UniTuple(types.intp, 3)

    def lower(context, builder, sig, args):
        (text,) = _objects(context, builder, args)
        _, data, length, size, _, _ = context.get_python_api(builder).string_as_string_size_and_kind(text)
        whole = context.get_value_type(types.intp)
        return context.make_tuple(
            builder, result, [_address(context, builder, data), length, builder.zext(size, whole)]
        )

    return result(ADDRESS), lower


@intrinsic
def character(typing, text, i):
    """Character i, as a whole number, of the text whose ``characters_of`` these are."""
    kind = ir.IntType(64)

    def lower(context, builder, sig, args):
        data, _, size = (builder.extract_value(args[0], k) for k in range(3))
        found = cgutils.alloca_once(builder, kind)
        place = builder.inttoptr(builder.add(data, builder.mul(args[1], size)), BYTE.as_pointer())
        choice = builder.function.append_basic_block("character")
        switch = builder.switch(size, choice)
        for bytes_ in (1, 2, 4):
            block = choice if bytes_ == 4 else builder.function.append_basic_block("character")
            if bytes_ < 4:
                switch.add_case(size.type(bytes_), block)
            with builder.goto_block(block):
                own = ir.IntType(8 * bytes_)
                builder.store(builder.zext(builder.load(builder.bitcast(place, own.as_pointer())), kind), found)
        after = builder.function.append_basic_block("character")
        for block in (choice, *(block for _, block in switch.cases)):
            with builder.goto_block(block):
                builder.branch(after)
        builder.position_at_end(after)
        return builder.load(found)

    return types.uint64(types.UniTuple(types.intp, 3), types.intp), lower


@intrinsic
def float_of(typing, number):
    """A float's value."""

    def lower(context, builder, sig, args):
        return Writer(builder).call("PyFloat_AsDouble", ir.DoubleType(), _objects(context, builder, args))

    return types.float64(ADDRESS), lower


@intrinsic
def whole_of(typing, number):
    """(The value of an int, whether it is beyond 64 bits and not that)."""
    result = types.Tuple((types.int64, types.boolean))

    def lower(context, builder, sig, args):
        overflow = cgutils.alloca_once(builder, INT)
        args = [*_objects(context, builder, args), overflow]
        value = Writer(builder).call("PyLong_AsLongLongAndOverflow", ir.IntType(64), args)
        is_beyond = builder.icmp_signed("!=", builder.load(overflow), INT(0))
        return context.make_tuple(builder, result, [value, is_beyond])

    return result(ADDRESS), lower


@intrinsic
def join(typing, name, between, value):
    """Three texts one after the other, a new text that is the caller's."""

    def lower(context, builder, sig, args):
        python = context.get_python_api(builder)
        name, between, value = _objects(context, builder, args)
        begun = Writer(builder).call("PyUnicode_Concat", name.type, [name, between])
        whole = Writer(builder).call("PyUnicode_Concat", name.type, [begun, value])
        python.decref(begun)
        return _address(context, builder, whole)

    return ADDRESS(ADDRESS, ADDRESS, ADDRESS), lower


@intrinsic
def append(typing, container, thing):
    """Let a list hold one object more."""

    def lower(context, builder, sig, args):
        Writer(builder).call("PyList_Append", INT, _objects(context, builder, args))
        return context.get_dummy_value()

    return types.void(ADDRESS, ADDRESS), lower


@intrinsic
def let_go(typing, thing):
    """Give up the hold of an object that was the caller's."""

    def lower(context, builder, sig, args):
        context.get_python_api(builder).decref(*_objects(context, builder, args))
        return context.get_dummy_value()

    return types.void(ADDRESS), lower
