"""References reproduce the golden tables, and each other: == on Fractions, tolerances only where floats are meant."""

from fractions import Fraction as F
from itertools import chain, combinations, pairwise, product
from math import inf

import golden
import numpy as np
import pytest
import reference as ref
import reference_exact as exact
import reference_norms as norms

X, Y = golden.X, golden.Y
I3 = exact.fractions(np.eye(3))


def instance(seed=0, n=4, p=5):
    """Small exact instance: unit columns, integers as targets, p > n."""
    rng = np.random.default_rng(seed)
    return exact.rational_columns(rng.integers(-2, 3, (n - 1, p))), exact.fractions(rng.integers(-9, 10, n))


INSTANCES = [(X, Y), instance(0), instance(1), instance(2, n=5, p=3)]
over_instances = pytest.mark.parametrize("X, y", INSTANCES)


def same(a, b):
    return a.shape == b.shape and bool((a == b).all())


# Golden tables. -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "run, table, deltas",
    [
        (ref.ls_boost(X, Y, F(1, 2), 5), golden.LS_BOOST_HALF, None),
        (ref.forward_stagewise(X, Y, F(1, 4), 7), golden.FS_QUARTER, None),
        (ref.regularized_forward_stagewise(X, Y, F(1, 4), F(2), 6), golden.RFS_QUARTER_2, 6 * [F(2)]),
        (ref.path_forward_stagewise(X, Y, F(1, 4), golden.PATH_DELTAS), golden.PATH_QUARTER, golden.PATH_DELTAS),
    ],
    ids=["LS-Boost", "FS", "R-FS", "PATH"],
)
def test_golden_tables(run, table, deltas):
    for k, row in enumerate(table):
        beta = run.betas[k]
        found = golden.Row(
            tuple(beta),
            ref.L_n(X, Y, beta),
            max(abs(X.T @ (Y - X @ beta))),
            run.picks[k],
            deltas and ref.omega(X, Y, beta, deltas[k]),
        )
        assert [f for f, g in zip(found, row, strict=True) if g is not None] == [g for g in row if g is not None], k
        assert all(type(x) is F for x in beta)


def test_golden_spectrum():
    """Printed to ten decimals."""
    eigen = np.linalg.eigvalsh((X.T @ X).astype(float))
    kappa = 3 / eigen[0]
    gamma = {eps: 1 - float(eps * (2 - eps)) / (4 * kappa) for eps in golden.GAMMA}
    found = [eigen[0], eigen[-1], kappa, *gamma.values()]
    printed = [golden.LAMBDA_PMIN, golden.LAMBDA_MAX, golden.KAPPA, *golden.GAMMA.values()]
    np.testing.assert_allclose(found, printed, rtol=0, atol=0.5e-10 + 1e-13)


def test_golden_lasso():
    assert same(exact.least_squares(X, Y), golden.LEAST_SQUARES) and sum(abs(golden.LEAST_SQUARES)) == golden.DELTA_MAX
    for delta, (beta, loss) in golden.LASSO.items():
        assert tuple(exact.lasso_ball(X, Y, delta)) == beta and ref.L_n(X, Y, np.array(beta)) == loss
    for (d0, b0), (d1, b1) in pairwise(golden.LASSO_KNOTS.items()):  # linear between knots, another slope in each piece
        for delta in (d0, (2 * d0 + d1) / 3, d1):
            line = np.array(b0) + (delta - d0) / (d1 - d0) * (np.array(b1) - np.array(b0))
            assert same(exact.lasso_ball(X, Y, delta), line)
    assert same(exact.lasso_ball(X, Y, F(100)), golden.LEAST_SQUARES)


def test_golden_gbm_and_gamma():
    run = ref.coordinate_descent(I3, golden.GBM_Y, 3)
    losses = [ref.SQUARED.value(golden.GBM_Y, beta) for beta in run.betas]
    assert run.picks == golden.GBM_PICKS and losses == golden.GBM_LOSSES
    np.testing.assert_allclose([7 * (2 / 3) ** k for k in range(4)], golden.GBM_BOUNDS, rtol=0, atol=0.5e-3)
    assert list(norms.gamma_weights(3, 7)) == golden.GAMMA_3_7
    assert norms.gamma_weights(10, 40)[0] == golden.GAMMA_10_40_FIRST


# Equivalences. --------------------------------------------------------------------------------------------------------


@over_instances
def test_methods_that_are_the_same(X, y):
    eps, delta, n = F(1, 4), F(2), 6
    fs, rfs = ref.forward_stagewise(X, y, eps, n), ref.regularized_forward_stagewise(X, y, eps, delta, n)
    boost, greedy = ref.ls_boost(X, y, F(1), n), ref.coordinate_descent(X, y, n)
    sizes = [eps * max(abs(X.T @ (y - X @ b))) for b in ref.ls_boost(X, y, eps, n).betas[:n]]
    all_of_them = n * [range(X.shape[1])]
    pairs = [
        (fs, ref.regularized_forward_stagewise(X, y, eps, inf, n)),
        (rfs, ref.path_forward_stagewise(X, y, eps, n * [delta])),
        (rfs, ref.frank_wolfe(X, y, delta, n, lambda k: eps / delta)),
        (boost, greedy),
        (boost, ref.lasso_cd(X, y, 0, n)),
        (boost, ref.coordinate_descent(X, y, n, candidates=all_of_them)),
        (boost, ref.coordinate_descent(X, y, n, candidates=boost.picks)),
        (ref.ls_boost(X, y, eps, n), ref.forward_stagewise(X, y, sizes, n)),
        (ref.ls_boost(X, y, eps, n), ref.coordinate_descent(X, y, n, rho=eps)),
    ]
    for a, b in pairs:
        assert same(a.betas, b.betas) and a.picks == b.picks


@over_instances
def test_residual_space(X, y):
    """Propositions 3.2, 4.1: the same methods are subgradient descent on residuals."""
    eps, delta = F(1, 4), F(2)
    fs, rfs = ref.forward_stagewise(X, y, eps, 6), ref.regularized_forward_stagewise(X, y, eps, delta, 6)
    assert same(y - fs.betas @ X.T, ref.subgradient_descent(X, y, 6 * [eps]))
    assert same(y - rfs.betas @ X.T, ref.subgradient_descent(X, y, 6 * [eps], delta))


@over_instances
def test_decrease_identities(X, y):
    """Theorem 2.1 (26) and the FS identity below Theorem 3.1, as equalities."""
    n, eps = len(y), F(1, 4)
    for run, gain in (
        (ref.ls_boost(X, y, eps, 5), lambda c: eps * (2 - eps) * c * c / (2 * n)),
        (ref.forward_stagewise(X, y, eps, 5), lambda c: eps * (2 * c - eps) / (2 * n)),
    ):
        for a, b in pairwise(run.betas):
            assert ref.L_n(X, y, a) - ref.L_n(X, y, b) == gain(max(abs(X.T @ (y - X @ a))))


@over_instances
def test_scale_and_sign(X, y):
    a, eps = F(7, 3), F(1, 4)
    rfs = ref.regularized_forward_stagewise
    assert same(a * ref.ls_boost(X, y, eps, 4).betas, ref.ls_boost(X, a * y, eps, 4).betas)
    assert same(a * rfs(X, y, eps, F(2), 4).betas, rfs(X, a * y, a * eps, 2 * a, 4).betas)
    flip = np.array([(-1) ** j for j in range(X.shape[1])])
    assert same(flip * rfs(X, y, eps, F(2), 4).betas, rfs(X * flip, y, eps, F(2), 4).betas)


def test_hand_made_cases():
    y = np.array([F(-1), F(5), F(3)])
    assert ref.ls_boost(I3, y, F(1), 3).picks == [1, 2, 0] and same(ref.ls_boost(I3, y, F(1), 3).betas[3], y)
    assert ref.forward_stagewise(I3, y, F(5, 2), 3).picks == [1, 2, 1]  # |corr|: (1, 5, 3), (1, 2.5, 3), (1, 2.5, .5)
    twins = ref.ls_boost(X[:, [0, 0, 0]], Y, F(1), 2)  # rank one: done after one step, lowest index
    assert same(twins.betas[2], np.array([F(3), 0, 0])) and twins.thetas == [3, 0]
    lasso = ref.lasso_cd(I3, y, 2, 3)
    assert lasso.picks == [1, 2, 0] and lasso.thetas == [3, 1, 0]
    assert ref.coordinate_descent(I3, y, 4, candidates=[[2, 0], [1], [0, 2], [2]]).picks == [2, 1, 0, 2]
    betas, picks = ref.forward_stepwise(X, Y, 9)
    rounded, _ = ref.forward_stepwise(X.astype(float), Y.astype(float), 3)
    assert picks == [0, 2, 1] and same(betas[-1], golden.LEAST_SQUARES)
    np.testing.assert_allclose(rounded, betas.astype(float), rtol=0, atol=1e-14)
    rfs = ref.regularized_forward_stagewise(I3, 0 * y, F(1), F(2), 2)
    assert not rfs.betas.any() and rfs.thetas == [0, 0] and rfs.shrinks == [F(1, 2)] * 2


# Optima and norms. ----------------------------------------------------------------------------------------------------


@over_instances
def test_exact_lasso(X, y):
    """omega = 0 on the ball, both forms meet, and the iterative methods only come closer from above."""
    for delta in (F(1, 2), F(2)):
        star = exact.lasso_ball(X, y, delta)
        lam = max(abs(X.T @ (y - X @ star)))
        assert ref.omega(X, y, star, delta) == 0 and sum(abs(star)) == delta
        assert same(X @ exact.lasso_penalty(X, y, lam), X @ star)
        for beta in ref.frank_wolfe(X, y, delta, 4, lambda k: F(2, k + 2)).betas:
            gap = ref.L_n(X, y, beta) - ref.L_n(X, y, star)
            assert 0 <= gap <= delta / len(y) * ref.omega(X, y, beta, delta)


@over_instances
def test_line_search_is_the_best_step(X, y):
    delta = F(2)
    run = ref.frank_wolfe_line_search(X, y, delta, 3)
    for k, gamma in enumerate(run.shrinks):

        def value(g, k=k):
            return ref.L_n(X, y, ref.frank_wolfe(X, y, delta, k + 1, [*run.shrinks[:k], g].__getitem__).betas[-1])

        assert 0 <= gamma <= 1 and ref.L_n(X, y, run.betas[k + 1]) == value(gamma)
        assert all(value(gamma) <= value(g) for g in (F(0), F(1), max(gamma - F(1, 99), F(0)), min(gamma + F(1, 99), F(1))))


@over_instances
def test_lasso_cd_rests_at_the_optimum(X, y):
    star = ref.lasso_cd(X.astype(float), y.astype(float), 1.0, 1000).betas[-1]
    np.testing.assert_allclose(X.astype(float) @ star, (X @ exact.lasso_penalty(X, y, F(1))).astype(float), atol=1e-9)
    at_rest = ref.lasso_cd(X, y, F(100), 2)
    assert not at_rest.betas.any()


def test_norms_are_expectations():
    """Propositions 3.1-3.3: E max over the drawn set, over all draws."""
    a, groups, G = exact.fractions([3, -1, 4, 1, -5]), [[0, 1], [2], [3, 4]], 3
    assert norms.norm_group(a, groups) == sum(max(abs(a[g])) for g in groups) / F(G)
    for t in range(1, 6):
        draws = [max(abs(a[list(J)])) for J in combinations(range(5), t)]
        assert norms.norm_ordered(a, norms.gamma_weights(t, 5)) == sum(draws) / len(draws)
    for t in range(1, G + 1):
        draws = [max(abs(a[list(chain(*T))])) for T in combinations(groups, t)]
        assert norms.norm_mixed(a, groups, norms.gamma_weights(t, G)) == sum(draws) / len(draws)


@pytest.mark.parametrize("b", [(3, -1, 4, 1), (0, 0, 2, -2), (1, 1, 1, -1)])
def test_duals_by_enumeration(b):
    """The unit balls have all their vertices along {-1, 0, 1}^K, so max <a, b> / ||a|| over these is the dual norm."""
    b, groups = exact.fractions(b), [[0, 2], [1], [3]]
    ternary = [exact.fractions(a) for a in product([-1, 0, 1], repeat=4) if any(a)]
    for t in range(1, 4):
        g4, g3 = norms.gamma_weights(t, 4), norms.gamma_weights(t, 3)
        assert max(a @ b / norms.norm_inf(a) for a in ternary) == norms.dual_inf(b)
        assert max(a @ b / norms.norm_ordered(a, g4) for a in ternary) == norms.dual_ordered(b, g4)
        assert max(a @ b / norms.norm_group(a, groups) for a in ternary) == norms.dual_group(b, groups)
        assert max(a @ b / norms.norm_mixed(a, groups, g3) for a in ternary) == norms.dual_mixed(b, groups, g3)


def test_loss_values():
    one, two = np.array([1.0]), np.array([2.0])
    assert ref.SQUARED.value(two, -two) == 8 and ref.huber(1).value(two, -two) == 3.5 and ref.huber(4).value(two, -two) == 8
    assert ref.EXPONENTIAL.value(one, -two) == np.exp(2) and ref.logistic().value(one, 0 * one) == np.log(2)
    assert ref.logistic(0.5).value(one, 1e3 * one) == 0.25e6 and ref.logistic().value(-one, 1e3 * one) == 1e3


@pytest.mark.parametrize("loss", [ref.SQUARED, ref.huber(0.5), ref.logistic(), ref.logistic(0.1), ref.EXPONENTIAL])
def test_losses(loss):
    """resid = -dloss/dpred by central differences: error h^2 |f'''| / 6 + u |f| / h < 1e-8 at h = 1e-5; no overflow."""
    y, f, h = np.array([1.0, -1, 1, -1]), np.array([0.3, 2.0, -1.7, -0.4]), 1e-5
    slopes = [(loss.value(y, f - h * e) - loss.value(y, f + h * e)) / (2 * h) for e in np.eye(4)]
    np.testing.assert_allclose(loss.residual(y, f), slopes, rtol=0, atol=1e-8)
    X = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    run = ref.coordinate_descent(X, y, 5, loss, rho=None if loss.sigma else 0.2)
    assert np.all(np.diff([loss.value(y, X @ beta) for beta in run.betas]) < 0)
    assert loss is ref.EXPONENTIAL or np.isfinite(loss.residual(y, 1e4 * f)).all()
