"""Kernels that only loops call: compiled to LLVM's language, optimised once, as part of each loop, with no machine code of their own.

numba would optimise a kernel, make machine code of it, and optimise it again in every kernel and loop that calls it. A loop of kernels
in ten levels, optimised at its own level only, is compiled in three quarters of the time; the machine code is as fast.
"""

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.typed_passes import NativeLowering


class _Code(JITCodeLibrary):
    """What a caller takes in: the code as it was lowered. It is never run from here."""

    def _optimize_final_module(self):
        """Left to the caller."""

    def _finalize_final_module(self):
        """Without machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=False, analysis_only=True)
class _Entry(AnalysisPass):
    """Code that cannot be called from Python is known to its callers by an object: some builtin method of an object of its own."""

    _name = "coordboost_entry"

    def __init__(self):
        super().__init__()

    def run_pass(self, state):
        entry = [].append
        state["cr"] = state["cr"]._replace(cfunc=entry)
        state.targetctx.insert_user_function(entry, state["cr"].fndesc, [state.library])
        return True


class Callee(Compiler):
    """numba's compiler for functions that only compiled code calls."""

    def define_pipelines(self):
        """The passes of numba, for code that stays in LLVM's language."""
        state = self.state
        state.flags.no_compile = state.flags.no_cpython_wrapper = state.flags.no_cfunc_wrapper = True
        state.library = _Code(state.targetctx.codegen(), state.func_id.func_qualname)
        (passes,) = super().define_pipelines()
        passes.add_pass_after(_Entry, NativeLowering)
        passes.finalize()
        return [passes]
