"""Freed memory given back to the system, where that can be asked for.

glibc keeps what is freed below what is used, and pieces of up to 32 MB once one of that size has been freed. So a fit
of 49 tags holds 37 MB with it and 43 without, under a beam 61 and 76 (docs/speed-classifier.md); elsewhere nothing is
asked.
"""

import ctypes
import sys


def give_back():
    """Let the C library give back what is free between what is used: after encoding, half of all that it holds."""
    if sys.platform == "linux":
        getattr(ctypes.CDLL(None), "malloc_trim", int)(0)
