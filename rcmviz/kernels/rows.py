"""Rows copied, added and scaled, label by label, and numbers to pass on.

Numba compiles into each ``target[a:b] = source`` the text of an error about shapes: 150 kB of LLVM's code beside 10 kB
for the loop, and three times the time, in the kernel and in all that call it.
"""

import numpy as np
from numba import njit

ZERO, ONE = np.int64(0), np.int64(1)  # as arguments: a literal is a type of its own, and all is compiled twice


@njit(cache=True, nogil=True, _nrt=False)
def copy_row(source, into):
    """``into (Y,)`` takes the first Y values of ``source``."""
    for y in range(into.size):
        into[y] = source[y]


@njit(cache=True, nogil=True, _nrt=False)
def add_rows(one, other, into):
    """``into (Y,)`` is the sum of two rows."""
    for y in range(into.size):
        into[y] = one[y] + other[y]


@njit(cache=True, nogil=True, _nrt=False)
def multiply_row(row, factor):
    """``row (Y,)`` times a number."""
    for y in range(row.size):
        row[y] *= factor


@njit(cache=True, nogil=True, _nrt=False)
def divide_row(row, by):
    """``row (Y,)`` through a number."""
    for y in range(row.size):
        row[y] /= by
