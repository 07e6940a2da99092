"""Python does not look for garbage while code is compiled, and does so again afterwards."""

import gc
from collections import namedtuple

import numpy as np
import pytest
from reference_sets import needs_compiler

import coordboost as cb

pytestmark = needs_compiler
RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4))
Y = X[:, 0] + RNG.normal(size=30)


def run_of(move):
    """Two steps with a step rule of one's own, which is compiled anew."""
    rule = type("Own", (namedtuple("_Own", ""), cb.rules.StepRule), {"move": move})
    method = cb.rules.Method("own", cb.rules.Greedy(), rule())
    return cb.solve(cb.Problem(X, Y), method, 2)


def half(self, k, state, j, corr, beta_j):
    return 0, corr / 2


def not_compilable(self, k, state, j, corr, beta_j):
    return 0, corr + len(open("/").read())


@pytest.fixture
def collection():
    before = gc.isenabled()
    yield
    (gc.enable if before else gc.disable)()


def test_no_garbage_is_collected_while_code_is_compiled(collection):
    for is_on in (False, True):  # the first time modules are loaded, too
        (gc.enable if is_on else gc.disable)()
        with pytest.raises(ValueError, match="could not be compiled"):
            run_of(not_compilable)
        assert gc.isenabled() == is_on
    begun = []

    def note(phase, info):
        begun.append(phase)

    gc.callbacks.append(note)
    try:
        run_of(half)
    finally:
        gc.callbacks.remove(note)
    assert gc.isenabled()
    assert len(begun) < 40
