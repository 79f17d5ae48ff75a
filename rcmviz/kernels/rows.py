"""Rows copied, added and scaled, label by label, and numbers to pass on.

Numba compiles into each ``target[a:b] = source`` the text of an error about shapes: 150 kB of LLVM's code instead of
10 kB for the loop, and three times the time, in the kernel and in all that call it.
"""

import numpy as np

from rcmviz.kernels.bare_arrays import as_in
from rcmviz.kernels.kernel import helper, kernel

ZERO, ONE = np.int64(0), np.int64(1)  # as arguments: a literal is a type of its own, and all is compiled twice


@helper(_nrt=False)
def fill(row, value):
    """All of ``row (Y,)`` becomes ``value``."""
    for y in range(row.size):
        row[y] = value


@helper(_nrt=False)
def fill_column(table, column, value):
    """All of ``table[:, column]`` becomes ``value``."""
    for row in range(table.shape[0]):
        table[row, column] = value


@helper(_nrt=False)
def copy_row(source, into):
    """``into (Y,)`` takes the first Y values of ``source``."""
    for y in range(into.size):
        into[y] = source[y]


@helper(_nrt=False)
def add_rows(one, other, into):
    """``into (Y,)`` is the sum of two rows."""
    for y in range(into.size):
        into[y] = one[y] + other[y]


@kernel(_nrt=False)
def largest(row):
    """The largest of the numbers (Y,), of which none is NaN; ``row.max()`` takes seven times as long to compile."""
    most = row[0]
    for y in range(1, row.size):
        most = max(most, row[y])
    return most


@helper(_nrt=False)
def sum_of(row):
    """The sum of the numbers (Y,), from the first on."""
    total = as_in(row, 0)
    for y in range(row.size):
        total += row[y]
    return total


@helper(_nrt=False)
def multiply_row(row, factor):
    """``row (Y,)`` times a number."""
    for y in range(row.size):
        row[y] *= factor


@helper(_nrt=False)
def divide_row(row, by):
    """``row (Y,)`` through a number."""
    for y in range(row.size):
        row[y] /= by
