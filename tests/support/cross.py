"""Assembly that Numba generates for another processor, by the same steps as for this one."""

import re
from unittest import mock

from llvmlite import binding
from numba import types
from numba.core import codegen
from numba.core.compiler import Flags, compile_extra
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

binding.initialize_all_targets()
binding.initialize_all_asmprinters()


class CrossCodegen(codegen.AOTCPUCodegen):
    """Numba's own, which asks for the triple of the process in two places."""

    def __init__(self, triple, cpu):
        self.triple = triple
        super().__init__("cross", cpu)

    def _init(self, module):
        with mock.patch.object(binding, "get_process_triple", return_value=self.triple):
            super()._init(module)
        self._data_layout = str(self._tm.target_data)

    def _create_empty_module(self, name):
        with mock.patch.object(binding, "get_process_triple", return_value=self.triple):
            return super()._create_empty_module(name)


def instructions_for(function, arguments, result=types.none, triple="aarch64-unknown-linux-gnu", cpu="neoverse-n1"):
    """The instructions of a function of Numba's types that calls nothing that is compiled on its own, one a line."""
    typing, target = cpu_target.typing_context, cpu_target.target_context
    typing.refresh()
    target.refresh()
    target = target.subtarget(_internal_codegen=CrossCodegen(triple, cpu), aot_mode=True)
    flags = Flags()
    flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    flags.nrt, flags.error_model = False, "numpy"
    with global_compiler_lock:
        library = compile_extra(typing, target, function, arguments, result, flags, {}).library
        library.finalize()
    return re.findall(r"^\t([a-z][\w.]*(?:\t.*)?)$", library.get_asm_str(), re.MULTILINE)
