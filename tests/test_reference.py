"""References reproduce the golden tables, and each other: == on Fractions, tolerances only where floats are meant."""

from fractions import Fraction as F
from itertools import chain, combinations, pairwise, product

import golden
import numpy as np
import pytest
import reference as ref
import reference_exact as exact
import reference_norms as norms

X, Y = golden.X, golden.Y
I3 = exact.fractions(np.eye(3))


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
            tuple(beta), ref.L_n(X, Y, beta), max(abs(X.T @ (Y - X @ beta))), run.picks[k], deltas and ref.omega(X, Y, beta, deltas[k])
        )
        assert [f for f, g in zip(found, row, strict=True) if g is not None] == [g for g in row if g is not None], k
        assert all(type(x) is F for x in beta)


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


# Optima and norms. ----------------------------------------------------------------------------------------------------


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
