"""Bounds: values by hand, limits, the golden problem; measured quantities against their
definitions; every bound on runs.
"""

import math
from fractions import Fraction as F

import designs
import golden
import numpy as np
import pytest
from reference_sets import ReferenceSet, needs_reference_sets

import coordboost as cb
from coordboost.theory import bounds
from coordboost.theory.bounds import Constants, Trail, frank_wolfe, ls_boost, regularized, stagewise

U = float(np.finfo(float).eps)
K = np.arange(200)
#: A = 2, X the identity of order 4: kappa = 4.
EYE = Constants(2.0, 1.0, 4, 4)
RNG = np.random.default_rng(0)
GAUSS = cb.Problem(RNG.normal(size=(30, 6)), RNG.normal(size=30))
A = Constants.of(GAUSS).size
N = 60
METHODS = {
    "ls": cb.ls_boost(0.5),
    "fs": cb.forward_stagewise(0.05 * A),
    "fs sequence": cb.forward_stagewise(A / np.arange(1, N + 1)),
    "rfs": cb.regularized_forward_stagewise(0.05 * A, 0.8 * A),
    "path": cb.path_forward_stagewise(0.05 * A, np.linspace(0.1, 1, N) * A),
    "fw": cb.methods.frank_wolfe(0.8 * A),
    "fw search": cb.methods.frank_wolfe(0.8 * A, cb.rules.SegmentSearch(0.8 * A)),
    "gcd search": cb.methods.gcd(cb.rules.LineSearch()),
}


def close(found, expected):
    """Formulas of some ten operations."""
    np.testing.assert_allclose(found, expected, rtol=20 * U, atol=0)


def test_values_by_hand():
    """Functions of several statements; the table in verification/by_hand.py has the statements."""
    close(ls_boost.decrease(EYE, 1.0), 1 / 16)
    close(ls_boost.decrease(EYE, 1.0, "sharpened"), 1 / 4)
    close(ls_boost.l1(EYE, 1.0, 1), 2.0)
    close(ls_boost.tail(EYE, eps=1.0, k=0, end=math.inf), 2 / (1 - math.sqrt(0.75)))


def test_gamma_as_printed():
    """The contraction factor of the golden problem, printed to ten decimals."""
    constants = Constants.of(designs.as_it_is(golden.X.astype(float), golden.Y.astype(float)))
    close(constants.size, math.sqrt(14))
    assert abs(constants.kappa - golden.KAPPA) <= 1e-9
    for eps, gamma in golden.GAMMA.items():
        assert abs(1 - ls_boost.decrease(constants, float(eps)) - gamma) <= 0.51e-10


def test_rational_formulas_run_on_rationals():
    constants = Constants(F(3), F(1, 4), 3, 3)
    assert stagewise.correlation(constants, eps=F(1, 4), k=F(5)) == F(25, 8)
    assert (
        stagewise.excess(constants, eps=F(1, 4), k=F(5), variant="sharpened")
        == F(6) * F(25, 8) ** 2
    )
    assert regularized.average_omega(constants, eps=F(1, 4), k=F(5)) == F(7, 2)


def test_limits():
    """k = 0, k = inf, a factor of 1 - 1e-17 and one of 0."""
    assert ls_boost.excess(EYE, eps=1.0, k=0) == 2.0 and ls_boost.l1(EYE, 1.0, 0) == 0.0
    close(ls_boost.l1_by_rate(EYE, eps=1.0, k=1e9), 2 / (1 - math.sqrt(15 / 16)))
    # 1 - x is 1 in float64; the l1 norm still grows like A k / 1
    tiny = EYE._replace(lambda_pmin=1e-17)
    close(ls_boost.l1_by_rate(tiny, eps=1.0, k=10), 20.0)
    one = Constants(2.0, 2.0, 2, 2)  # two equal columns, kappa = 1: exact after one step
    k = [0, 1, 5]
    excess = ls_boost.excess(one, eps=1.0, k=k, variant="sharpened")
    l1 = ls_boost.l1_by_rate(one, eps=1.0, k=k, variant="sharpened")
    assert excess.tolist() == [2.0, 0.0, 0.0] and l1.tolist() == [0.0, 2.0, 2.0]
    eps_is_delta = regularized.l1(eps=2.0, delta=2.0, k=k)
    assert eps_is_delta.tolist() == [0.0, 2.0, 2.0]
    close(stagewise.correlation(EYE, eps=0.5, k=1e18), 0.25)


@pytest.mark.parametrize(
    "formula",
    [
        lambda k: ls_boost.excess(EYE, eps=0.3, k=k),
        lambda k: ls_boost.smallest_correlation(EYE, eps=0.3, k=k, fit=0.0),
        lambda k: ls_boost.tail(EYE, eps=0.3, k=k, end=math.inf),
        lambda k: -ls_boost.l1(EYE, 0.3, k),
        lambda k: stagewise.excess(EYE, eps=0.3, k=k),
        lambda k: -regularized.l1(eps=0.1, delta=2.0, k=k),
        lambda k: regularized.excess(EYE, eps=0.1, delta=2.0, k=k),
        lambda k: (
            regularized.average_omega(EYE, eps=0.1, delta=2.0, k=k, variant="sharpened")
            - 0.3 * (k / 1e3)
        ),
        lambda k: frank_wolfe.excess(delta=2.0, k=k),
    ],
)
def test_monotone(formula):
    assert (np.diff(formula(K)) <= 0).all()


def test_sharpened_is_sharper():
    for statement in (
        ls_boost.excess,
        ls_boost.fit,
        ls_boost.distance,
        ls_boost.l1_by_rate,
        ls_boost.l1_simple,
        regularized.average_omega,
    ):
        printed, sharpened = (
            statement(EYE, eps=0.7, k=K, delta=2.0, variant=variant)
            for variant in ("printed", "sharpened")
        )
        assert (sharpened <= printed * (1 + 4 * U)).all()


@pytest.mark.parametrize("kind", designs.GAUSSIAN)
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("weighted", [False, True])
def test_trail_agrees_with_the_definitions(kind, name, weighted):
    """Plain NumPy on W^(1/2) B, at every step. Everything is below 4 A, the condition numbers below
    100.
    """
    X, y = designs.gaussian(kind)
    weight = np.arange(len(y)) % 3 + 0.5 if weighted else None
    problem = cb.Problem(X, y, sample_weight=weight)
    run = cb.solve(problem, METHODS[name], N)
    trail = Trail.of(run)
    root = np.sqrt(problem.weight)
    B = root[:, None] * designs.columns(problem)
    target = root * problem.y
    pinv = np.linalg.pinv(B, rcond=1e-10)
    best = B @ (pinv @ target)
    beta = designs.betas(run)
    resid = target - beta @ B.T
    loose = {"rtol": 1e-11, "atol": 1e-11 * np.linalg.norm(target)}
    np.testing.assert_allclose(trail.corr, np.abs(resid @ B).max(axis=1), **loose)
    np.testing.assert_allclose(trail.chosen, (resid @ B)[np.arange(N), run.path.learner], **loose)
    np.testing.assert_allclose(trail.inner, np.einsum("ij,ij->i", resid, beta @ B.T), **loose)
    np.testing.assert_allclose(trail.fit, np.linalg.norm(best - beta @ B.T, axis=1), **loose)
    np.testing.assert_allclose(
        trail.distance,
        np.linalg.norm(resid @ pinv.T, axis=1),
        rtol=1e-9,
        atol=1e-9 * np.linalg.norm(target),
    )
    np.testing.assert_allclose(
        trail.loss, (resid**2).sum(axis=1) / 2, rtol=1e-11, atol=1e-11 * (target @ target)
    )
    np.testing.assert_allclose(trail.l1, np.abs(beta).sum(axis=1), rtol=1e-13)
    np.testing.assert_allclose(trail.l2, np.linalg.norm(beta, axis=1), rtol=1e-13)
    np.testing.assert_allclose(trail.to_end, np.abs(beta - beta[-1]).sum(axis=1), rtol=1e-13)
    assert trail.l0.tolist() == np.count_nonzero(beta, axis=1).tolist()
    assert trail.repeats.tolist() == [
        max(np.bincount(run.path.learner[:k]), default=0) for k in range(N + 1)
    ]
    assert trail.best.tolist() == [int(np.argmin(trail.corr[: k + 1])) for k in range(N + 1)]
    np.testing.assert_allclose(trail.constants.size, np.linalg.norm(best), rtol=1e-12)


@pytest.mark.parametrize("name", METHODS)
def test_every_bound_holds(name):
    run = cb.solve(GAUSS, METHODS[name], N)
    checks = cb.theory.check(run)
    assert all(one.holds for one in checks), [one.as_dict() for one in checks if not one.holds]
    assert all(
        one.level == "float" and np.isfinite(np.asarray(one.slack, dtype=float)).all()
        for one in checks
    )
    # the slack is too small to decide
    assert max(np.max(one.slack) for one in checks) < 1e-9 * max(1, A) ** 2


@pytest.mark.parametrize(
    "problem",
    [
        designs.as_it_is(np.ones((4, 2)) / 2, [1, 2, 3, 4]),
        designs.as_it_is(np.eye(3), [0, 0, 0]),
        designs.as_it_is(np.eye(2), [1, -1]),
    ],
)
@pytest.mark.parametrize("n_steps", [0, 1, 5])
@pytest.mark.parametrize(
    "method",
    [
        cb.ls_boost(1.0),
        cb.forward_stagewise(0.5),
        cb.regularized_forward_stagewise(0.5, 0.5),
        cb.methods.frank_wolfe(1.0),
        cb.path_forward_stagewise(0.5, [0.5] * 5),
    ],
)
def test_degenerate_runs(problem, n_steps, method):
    """Rank one, y = 0, exact ties; no steps at all."""
    assert all(one.holds for one in cb.theory.check(cb.solve(problem, method, n_steps)))


@needs_reference_sets
def test_constants_of_prostate():
    """Printed to six decimals or eight digits."""
    data = ReferenceSet("prostate")
    constants = Constants.of(cb.Problem(data.X, data.y))
    assert abs(constants.size - golden.PROSTATE.A) <= 0.51e-6
    assert abs(constants.kappa - golden.PROSTATE.kappa) <= 0.51e-6
    assert abs(constants.optimum / 97 - golden.PROSTATE.L_star) <= 0.51e-8


@needs_reference_sets
def test_many_steps_on_many_learners():
    """72 x 3571, 20,000 steps: every bound at every step."""
    data = ReferenceSet("leukemia")
    problem = cb.Problem(data.X, data.y)
    run = cb.solve(problem, cb.forward_stagewise(1e-3 * Constants.of(problem).size), 20_000)
    checks = cb.theory.check(run)
    assert all(one.holds and len(one.at) >= 20_000 for one in checks) and len(checks) == 12


def test_a_wrong_run_is_refuted():
    """Correlations, fits and norms that are too large violate the bounds."""
    run = cb.solve(GAUSS, METHODS["ls"], N)
    trail = Trail.of(run)
    wrong = {"corr": 2 * trail.corr, "fit": trail.fit + A, "l1": 3 * trail.l1, "l0": trail.l0 + 2}
    for field, values in wrong.items():
        vars(trail)[field] = values
    failed = {
        one.name
        for one in bounds.STATEMENTS
        if one.follow == Trail.of
        for variant in one.variants(run)
        if not all(found.holds for found in one.compare(trail, variant))
    }
    assert {
        "Theorem 2.1 (iii)",
        "Theorem 2.1 (v), first term",
        "Theorem 2.1 (vi)",
        "(25) descent",
    } <= failed


def test_which_theorems_apply_to_which_methods():
    def names(method):
        return {one.name.split(" (")[0] for one in cb.theory.check(cb.solve(GAUSS, method, 3))}

    assert "Theorem 2.1" in names(cb.methods.gcd()) and "Theorem 2.1" in names(cb.ls_boost(1.5))
    assert "Theorem 3.1" in names(cb.regularized_forward_stagewise(0.1, np.inf))
    assert "Theorem 4.1" in names(cb.methods.frank_wolfe(1.0, 0.25))
    above = cb.theory.check(cb.solve(GAUSS, cb.ls_boost(1.5), 3))
    assert "printed" not in {one.variant for one in above if one.name == "Theorem 2.1 (i)"}


def test_a_line_search_is_ls_boost_with_rate_one():
    """The same theorems with the same bounds: least squares along a unit column is a step by its
    correlation.
    """
    search, rate = (
        cb.theory.check(cb.solve(GAUSS, method, 3))
        for method in (cb.methods.gcd(cb.rules.LineSearch()), cb.ls_boost(1.0))
    )
    assert [one.name for one in search] == [one.name for one in rate]
    for one, other in zip(search, rate, strict=True):
        np.testing.assert_allclose(one.bound, other.bound, rtol=1e-12)


@pytest.mark.parametrize(
    ("method", "n_steps"),
    [
        (cb.forward_stagewise(0.01), 2_500),
        (cb.regularized_forward_stagewise(0.01, 4.0), 1_300),
        (cb.ls_boost(0.1), 1_300),
        (cb.methods.frank_wolfe_away(4.0), 40),
        (cb.forward_stepwise(), 4),
    ],
    ids=str,
)
def test_a_trail_holds_the_norms_of_replayed_states(method, n_steps):
    """Steps are followed some hundreds at a time."""
    X = np.random.default_rng(6).normal(size=(40, 5))
    run = cb.solve(cb.Problem(X, X @ [3.0, -2, 1, 0, 0.5]), method, n_steps)
    trail = bounds.Trail.of(run)
    for state in run.replay(range(0, n_steps + 1, max(1, n_steps // 50))):
        k = state.k
        assert trail.l1[k] == pytest.approx(state.l1, rel=1e-12, abs=1e-12)
        assert trail.corr[k] == pytest.approx(np.abs(state.corr).max(), abs=1e-11)
        assert trail.to_end[k] == pytest.approx(np.abs(state.beta - run.beta).sum(), abs=1e-12)
