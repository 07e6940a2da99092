"""Steps that make no arrays run without reference counts, which cost more than a step; no piece has to say so."""

from typing import NamedTuple

import numpy as np
import pytest
from test_determinism import PACKAGE, python

import coordboost as cb
from coordboost import _generic
from coordboost.engine import loop
from coordboost.engine.stepper import Stepper

pytestmark = pytest.mark.skipif(_generic.numba.config.DISABLE_JIT, reason="nothing is compiled")
RNG = np.random.default_rng(11)
PROBLEM = cb.Problem(RNG.standard_normal((20, 8)), RNG.standard_normal(20))
VIEWS = {"Explicit": True, "Gram": True, "Lookahead": False, "GramColumns": False}


@pytest.fixture
def loops(monkeypatch):
    """The compiled loops of the runs that follow, each as it was made: here, as code from the disk cannot be looked at."""
    made, build = [], _generic.build

    def noted(function, pieces):
        made.append(_generic.compiled(function, pieces))
        return made[-1]

    monkeypatch.setattr(_generic, "build", lambda function, stamp, cached, counting: build(function, stamp, False, counting))
    monkeypatch.setattr(loop, "compiled", noted)
    _generic._compiled.cache_clear()
    yield made
    _generic._compiled.cache_clear()


def test_only_steps_that_make_arrays_count_references(loops):
    """In one process, in this order: what is compiled with counts for one loop is compiled again without for the next."""
    for view, counting in VIEWS.items():
        cb.solve(PROBLEM, cb.ls_boost(0.1), 20, view=getattr(cb, view))
        form = next(run.forms[0] for run in loops if run.forms[0].py_func.__name__ == "advance")
        assert form.targetoptions["_nrt"] is counting, view
        assert len(form.signatures) == 1 and ("NRT_" in form.inspect_asm(form.signatures[0])) == counting, view
        loops.clear()


class Own(NamedTuple):
    """A piece of a user's."""


def ones(view, select, step, n):
    """A loop that makes an array."""
    return np.ones(n).sum()


def test_what_a_view_and_a_rule_make_is_found_out_once_and_not_from_a_users_piece(loops, monkeypatch):
    monkeypatch.setattr(_generic, "_COUNTED", set())
    for *pieces, forms in [
        (cb.Squared(), cb.Full(), Own(), 2), (cb.Squared(), cb.Full(), cb.LineSearch(), 2), (cb.Squared(), cb.Full(), cb.Sign(0.1), 1),
        (cb.Squared(), cb.Cyclic(), cb.Sign(0.1), 2), (cb.Logistic(), cb.Full(), cb.Sign(0.1), 2),
    ]:  # fmt: skip
        run = _generic.compiled(ones, pieces)
        assert len(run.forms) == forms, pieces
        assert run(*pieces, 3) == 3.0 and len(run.forms) == 1


def test_an_array_of_its_own_is_returned_with_counts():
    """A part of an array, and a new one: both can be returned."""
    given = np.arange(6.0)
    for function in (lambda v: v[2:4], lambda v: v[2:4] + 0.0):
        run = _generic.compiled(function, ())
        np.testing.assert_array_equal(run(given), [2.0, 3.0])
        assert len(run.forms) == 1


CODE = """
import numpy as np
import coordboost as cb
from coordboost.engine import loop
compiled = loop.compiled


def noted(function, pieces):
    run = compiled(function, pieces)
    print(len(run.forms) if function is loop.advance else "", end=" ")
    runs.append(run)
    return run


runs, loop.compiled = [], noted
problem = cb.Problem(np.array([[1.0], [0.0]]), [3.0, 0.0], center=False)
for view in (cb.Explicit, cb.Lookahead):
    cb.solve(problem, cb.gcd(), 1, view=view)
"""


@pytest.mark.slow  # processes that compile
def test_what_needs_counts_is_tried_without_once_for_all_processes(tmp_path):
    package = str(PACKAGE.parent)
    assert python(CODE, tmp_path, PYTHONPATH=package).split() == ["2", "2"]
    assert python(CODE, tmp_path, PYTHONPATH=package).split() == ["1", "2"]


def counts(problem, method):
    """Whether the compiled loop of a run that was made counts references: it takes twice as long to compile then."""
    if _generic.numba.config.DISABLE_JIT:
        return False
    one = Stepper(problem, method)
    form = loop.runner(one.view, one.method.select, one.method.step, one.coefficients).forms[0]
    assert form.signatures
    return form.targetoptions["_nrt"]


def test_steps_with_trees_count_none():
    """What a view seeks learners for is one of its fields: a verb that returns it would make every array of a step be counted."""
    problem = cb.Problem(cb.trees(RNG.standard_normal((20, 2)), max_depth=1), RNG.standard_normal(20))
    cb.solve(problem, cb.gbm(0.1), 2)
    assert not counts(problem, cb.gbm(0.1))
