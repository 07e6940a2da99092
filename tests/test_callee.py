"""Kernels become part of the loop that calls them: one piece of machine code, however many levels they have."""

import numpy as np
import pytest
from numba.core.codegen import JitEngine
from reference_sets import needs_compiler

from coordboost._generic import build, kernel, leaf, reduction

pytestmark = needs_compiler


@leaf
def _twice(x):
    return 2.0 * x


@kernel
def _rooms(x, n):
    if n < 0:
        raise ValueError("no room")
    return np.full(n, _twice(x))


@reduction
def _total(v):
    out = 0.0
    for x in v:
        out += x
    return out


def _loop(x, n):
    return _total(_rooms(x, n)) + _twice(x)


def test_only_a_loop_and_sums_have_machine_code(monkeypatch):
    made, own = [], JitEngine.add_module
    monkeypatch.setattr(JitEngine, "add_module", lambda engine, module: (made.append(module.name), own(engine, module))[1])
    loop = build(_loop, "test", False, True)
    assert loop(1.5, 4) == _loop(1.5, 4) == 15.0
    names = [name for name in ("loop", "total", "rooms", "twice") if any(f"_{name}" in one for one in made)]
    assert names == ["loop", "total"], made


def test_what_a_kernel_raises_reaches_the_caller():
    loop = build(_loop, "test", False, True)
    with pytest.raises(ValueError, match="no room"):
        loop(1.0, -1)
