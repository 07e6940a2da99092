"""The cost of a step over a user's oracle: its scan and little more, for any number of learners."""

import time

import numpy as np
import pytest
from reference_sets import needs_compiler

import coordboost as cb

RNG = np.random.default_rng(0)
M, N = 40, 3000
ROWS = RNG.standard_normal((N, M))
ROWS /= np.linalg.norm(ROWS, axis=1)[:, None]
Y = RNG.standard_normal(M)


class Columns:
    """An oracle that counts its calls."""

    n_samples, n_learners = M, N

    def __init__(self):
        self.scans, self.columns = 0, 0

    def scan(self, v):
        self.scans += 1
        return ROWS @ v

    def column(self, j):
        self.columns += 1
        return ROWS[j].copy()


@needs_compiler
def test_a_step_costs_its_scan():
    """At most four times the bare scans, where the Python loop once took a hundred times; and the
    default is as fast as the naive state.
    """
    oracle = Columns()
    problem = cb.Problem(oracle, Y, center=False)
    method = cb.ls_boost(1.0)
    cb.solve(problem, method, 30), cb.solve(problem, method, 30, model_state=cb.engine.NaiveState)

    def cost(model_state):
        before = oracle.scans
        began = time.process_time()
        cb.solve(problem, method, 200, model_state=model_state)
        took = time.process_time() - began
        n = oracle.scans - before
        began = time.process_time()
        for _ in range(max(n, 200)):
            oracle.scan(problem.y)
        return took / (time.process_time() - began), n

    (ratio, _), (_, n_scans) = min(cost(cb.engine.NaiveState) for _ in range(3)), cost(None)
    assert ratio <= 4 and n_scans <= 210


def test_lookahead_is_rarely_tried_where_it_does_not_pay():
    """Every choice is new: after a failed lookahead, naive steps continue until they cost as much
    as the next one, all columns new.
    """
    oracle = Columns()
    problem = cb.Problem(oracle, Y, center=False)
    before = oracle.columns
    run = cb.solve(problem, cb.ls_boost(1.0), 200)
    assert len(set(run.path.learner)) > 150 and oracle.columns - before <= 200 + 600


def test_no_gram_columns_where_each_takes_a_scan_and_every_pick_is_new():
    """Gram columns would cost as much as the naive state and more: 298 of them once doubled the
    time of 300 steps.
    """
    run = cb.solve(cb.Problem(Columns(), Y, center=False), cb.ls_boost(1.0), 300)
    assert run.n_gram_columns == 0 and run.n_scans <= 310


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    "method",
    [cb.ls_boost(1.0), cb.methods.lasso_cd(0.1, cb.rules.Greedy())],
    ids=["largest", "score"],
)
def test_numbers_that_are_not_finite_are_noticed_anywhere(bad, method):
    """They are noticed in the pass that finds the winner, also where the largest correlation
    wins.
    """

    class Later(Columns):
        def scan(self, v):
            out = super().scan(v)
            out[2500] = bad if self.scans > 30 else out[2500]
            return out

    oracle = Later()
    problem = cb.Problem(oracle, Y, center=False)
    with pytest.raises(
        ValueError,
        match=r"Later.scan must return 3000 finite numbers, got shape .* with NaN or infinity",
    ):
        cb.solve(problem, method, 60, model_state=cb.engine.NaiveState)
    assert oracle.scans == 31
