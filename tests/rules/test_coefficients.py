"""Coefficient rules: they give the rows of a path their meaning; and theorems apply to what rules
declare.
"""

from collections import namedtuple

import numpy as np
import pytest
from designs import columns, gaussian

import coordboost as cb

PROBLEM = cb.Problem(*gaussian("tall"))


def test_refitted_coefficients_are_least_squares_on_the_learners_so_far():
    run = cb.solve(PROBLEM, cb.forward_stepwise(), 4)
    for state in run.replay(range(5)):
        chosen = run.path.learner[: state.k]
        fit = np.linalg.lstsq(columns(PROBLEM)[:, chosen], PROBLEM.y)[0]
        assert (state.beta[chosen] == fit).all() and np.count_nonzero(state.beta) == state.k
    cut = cb.solve(PROBLEM, cb.forward_stepwise(), 2).resume(2)  # resuming builds the basis again
    assert (cut.path.learner == run.path.learner).all() and (cut.beta == run.beta).all()


def test_a_dependent_learner_is_not_refitted():
    """Six columns of rank four: steps after the fourth move nothing."""
    problem = cb.Problem(*gaussian("deficient"))
    run = cb.solve(problem, cb.forward_stepwise(), 6)
    assert (run.path.theta[:4] != 0).all() and not run.path.theta[4:].any()
    fit = np.zeros(6)
    fit[run.path.learner[:4]] = np.linalg.lstsq(
        columns(problem)[:, run.path.learner[:4]], problem.y
    )[0]
    assert (run.beta == fit).all()


class Unheard(namedtuple("Unheard", ""), cb.rules.CoefficientRule):
    """Coefficients that no model state supports."""

    def start(self, problem):
        return self

    def accumulate(self, j, shrink, theta):
        pass

    def coefficient(self, j):
        return 0.0

    def beta(self, unit):
        return np.zeros(0)


def test_unsupported_coefficients_are_refused():
    with pytest.raises(ValueError, match="no model state keeps Unheard coefficients"):
        cb.solve(
            PROBLEM,
            cb.rules.Method(
                "own", cb.rules.Greedy(), cb.rules.ShrunkenStep(), coefficients=Unheard()
            ),
            3,
        )
    with pytest.raises(ValueError, match="coefficients must be a coefficient rule such as Single"):
        cb.rules.Method(
            "own", cb.rules.Greedy(), cb.rules.ShrunkenStep(), coefficients=cb.rules.Greedy()
        )
    with pytest.raises(ValueError, match="cannot run on model_state=NaiveState"):
        cb.solve(PROBLEM, cb.forward_stepwise(), 3, model_state=cb.engine.NaiveState)


def test_which_methods_are_greedy():
    """Greedy: all learners are candidates, the score is the absolute correlation, and there is one
    sequence of coefficients.
    """
    greedy = [
        cb.ls_boost(),
        cb.forward_stagewise(0.1),
        cb.methods.frank_wolfe(1.0),
        cb.methods.gcd(cb.rules.LineSearch()),
    ]
    others = [
        cb.methods.rcd(),
        cb.methods.ccd(),
        cb.rtgcd(3),
        cb.methods.lasso_cd(0.1, cb.rules.Greedy()),
        cb.agbm(0.5, 0.1),
        cb.vagbm(0.5),
        cb.forward_stepwise(),
    ]
    assert all(method.greedy for method in greedy) and not any(method.greedy for method in others)


class Halving(namedtuple("Halving", "rate eps radius"), cb.rules.StepRule):
    """A rule with fields named like those of the package, and other steps."""

    def move(self, k, state, j, corr, beta_j):
        return 0.0, 0.5**k * corr


class Loud(namedtuple("Loud", "eps"), cb.rules.StepRule):
    """A user's own forward stagewise, declared as such."""

    @property
    def stagewise(self):
        return self.eps, np.inf

    def move(self, k, state, j, corr, beta_j):
        return 0.0, self.eps * (1.0 if corr > 0 else -1.0)


def test_theorems_apply_to_what_is_declared():
    quiet = cb.solve(
        PROBLEM,
        cb.rules.Method("own", cb.rules.Greedy(), Halving(1.0, 0.1, 2.0)),
        20,
        compile=False,
    )
    # it applies to every greedy run
    assert [claim.name for claim in cb.theory.check(quiet)] == ["A posteriori, error"]
    loud = cb.solve(
        PROBLEM, cb.rules.Method("own", cb.rules.Greedy(), Loud(0.1)), 20, compile=False
    )
    ours = cb.solve(PROBLEM, cb.forward_stagewise(0.1), 20, compile=False)
    assert [claim.name for claim in cb.theory.check(loud)] == [
        claim.name for claim in cb.theory.check(ours)
    ]
    random = cb.solve(
        PROBLEM, cb.rules.Method("own", cb.rules.RandomSubset(2), Loud(0.1)), 20, compile=False
    )
    with pytest.raises(ValueError, match="no bound applies to own"):
        cb.theory.check(random)
    with pytest.raises(ValueError, match="no theorem applies to own"):
        cb.theory.plan(PROBLEM, random.method, n_steps=10)


def test_refitted_coefficients_are_weighted_least_squares():
    """The residual is orthogonal to each chosen learner, in the weighted inner product."""
    rng = np.random.default_rng(7)
    problem = cb.Problem(
        rng.normal(size=(30, 8)), rng.normal(size=30), sample_weight=rng.integers(1, 9, 30)
    )
    run = cb.solve(problem, cb.forward_stepwise(), 4)
    used = np.flatnonzero(run.beta)
    assert len(used) == 4
    # each correlation is a rounded sum of 30 products; the problem is well conditioned
    assert np.abs(
        problem.scan(problem.resid(problem.combine(run.beta)))[used]
    ).max() <= 1e-13 * np.linalg.norm(problem.y)


def test_nearly_equal_columns_are_refitted_accurately():
    """If the second column were orthogonalised only once, rounding errors would be as large as its
    new part.
    """
    rng = np.random.default_rng(0)
    first, new = rng.normal(size=(2, 30))
    problem = cb.Problem(np.column_stack([first, first + 1e-7 * new]), rng.normal(size=30))
    run = cb.solve(problem, cb.forward_stepwise(), 2)
    direction = (
        new - new.mean() - problem.dictionary.column(0) * (problem.dictionary.column(0) @ new)
    )
    # the residual is orthogonal to the new direction, up to the rounding of coefficients of 1e7
    assert abs(direction @ problem.resid(run.pred)) <= 1e-6 * np.linalg.norm(
        direction
    ) * np.linalg.norm(problem.y)
