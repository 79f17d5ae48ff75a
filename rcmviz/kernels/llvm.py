"""Calls of functions by name in LLVM code that is written by hand."""

from llvmlite import ir
from numba.core import cgutils


class Writer:
    """Calls LLVM's own functions and those of C; ``builder`` writes LLVM's language."""

    def __init__(self, builder):
        self.builder = builder

    def call(self, name, result, args, **options):
        """What a function of this name and kind returns."""
        kind = ir.FunctionType(result, [arg.type for arg in args])
        return self.builder.call(cgutils.get_or_insert_function(self.builder.module, kind, name), args, **options)
