"""A kernel as others call it: code that is linked into theirs and becomes machine code there alone.

Numba compiles what a kernel calls as it would compile it for Python: with a wrapper that takes its arguments out of
objects, and translated for the processor. Its callers take nothing of that: they link its code and translate it with
their own. What `kernel` makes is compiled for its callers as a `Part`, which leaves those steps out, and in the usual
way only if Python calls it, too. Of 167 functions behind a first training (``trainer.warm_up()``) Python calls 11.

A part is kept on disk beside the kernel's other code, for callers that other processes compile. Where Numba no longer
has what is built on here, every kernel is compiled in the usual way.
"""

from copy import copy

from llvmlite import binding
from numba import njit
from numba.core.caching import CompileResultCacheImpl
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, compile_result
from numba.core.compiler_machinery import register_pass
from numba.core.environment import lookup_environment
from numba.core.typed_passes import NativeLowering

from rcmviz.kernels.on_disk import OnDisk

NEEDED = "_finalize_final_module", "_finalize_dynamic_globals", "_verify_declare_only_symbols"
KEPT = "fndesc", "environment", "signature", "objectmode", "lifted", "reload_init", "referenced_envs"  # of a result
PREFIX = "part-"  # of the names of their files
ENVIRONMENT = "_ZN08NumbaEnv"  # how Numba's names of environments begin: the constants that a function has of Python


class PartLibrary(JITCodeLibrary):
    """Code that no processor runs by itself."""

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    @classmethod
    def of_bitcode(cls, codegen, name, bitcode):
        """A library that was kept."""
        library = cls(codegen, name)
        library._final_module = binding.parse_bitcode(bitcode)
        library._finalized = True
        return library

    def as_bitcode(self):
        """What `of_bitcode` reads."""
        return self._get_module_for_linking().as_bitcode()


class _Entry:
    """What Numba knows a part by, as it knows others by what Python calls."""


@register_pass(mutates_CFG=True, analysis_only=False)
class PartLowering(NativeLowering):
    """Lowers a function into a `PartLibrary`."""

    _name = "rcmviz_part_lowering"

    def run_pass(self, state):
        state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        state["cr"] = lowered = state["cr"]._replace(cfunc=_Entry())
        state.targetctx.insert_user_function(lowered.cfunc, lowered.fndesc, [state.library])
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class WholeLowering(NativeLowering):
    """Lowers a function for Python, and gives the parts in it their environments, which none has by itself."""

    _name = "rcmviz_whole_lowering"

    def run_pass(self, state):
        super().run_pass(state)
        for variable in state.library._final_module.global_variables:
            environment = lookup_environment(variable.name) if variable.name.startswith(ENVIRONMENT) else None
            if environment is not None:
                state.library.codegen.set_env(variable.name, environment)
        return True


def _compiler(lowering):
    class Compiler(CompilerBase):
        def define_pipelines(self):
            manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
            manager.passes = [(lowering if step is NativeLowering else step, name) for step, name in manager.passes]
            manager.finalize()
            return [manager]

    return Compiler


PartCompiler, WholeCompiler = _compiler(PartLowering), _compiler(WholeLowering)


class PartFiles(CompileResultCacheImpl):
    """How a part is kept on disk, where the ``usual`` code of its kernel has its files."""

    def __init__(self, usual):
        self.__dict__.update(usual.__dict__)

    def reduce(self, part):
        part.fndesc.typemap = part.fndesc.calltypes = None  # which are not pickled
        kept = part._replace(referenced_envs=tuple(part._find_referenced_environments()))
        return part.library.name, part.library.as_bitcode(), {name: getattr(kept, name) for name in KEPT}

    def rebuild(self, target, payload):
        name, bitcode, kept = payload
        for initialise in kept["reload_init"]:
            initialise()
        library = PartLibrary.of_bitcode(target.codegen(), name, bitcode)
        return compile_result(
            typing_context=target.typing_context, target_context=target, library=library, entry_point=_Entry(), **kept
        )


def _beside(cache):
    """A cache of parts with its files in the same folder."""
    beside, index = copy(cache), cache._cache_file
    beside._impl = PartFiles(cache._impl)
    beside._cache_file = type(index)(cache._cache_path, PREFIX + cache._impl.filename_base, index._source_stamp)
    return beside


class Part:
    """The other side of a kernel's ``dispatcher``: what its callers are compiled with, made as the first one asks."""

    def __init__(self, dispatcher, flags):
        self._usual, self._flags, self._made = dispatcher, flags, None

    def _dispatcher(self):
        if self._made is None:
            flags = self._flags | {"cache": False, "no_cpython_wrapper": True}
            self._made = part = njit(pipeline_class=PartCompiler, **flags)(self._usual.py_func)
            part.add_overload = lambda result: part.overloads.update({tuple(result.signature.args): result})
            if hasattr(self._usual._cache, "_cache_file"):
                part._cache = _beside(self._usual._cache)
                OnDisk(part).keep_apart()
        return self._made

    def get_call_template(self, args, kws):
        return self._dispatcher().get_call_template(args, kws)

    def get_overload(self, signature):
        return self._dispatcher().get_overload(signature)

    def for_callers(self):
        """Have callers be compiled with this, where there is a compiler and it works as it is thought to here."""
        if hasattr(self._usual, "get_call_template") and all(hasattr(JITCodeLibrary, name) for name in NEEDED):
            self._usual.get_call_template, self._usual.get_overload = self.get_call_template, self.get_overload
