"""Naive methods reproduce the golden tables with ==, and ``solve`` reproduces them up to
rounding.
"""

from fractions import Fraction as F
from functools import partial
from itertools import pairwise

import golden
import numpy as np
import pytest
import reference as ref
import reference_exact as exact
from designs import drift

import coordboost as cb

X = golden.X
Y = golden.Y
RFS_DELTAS = 6 * [F(2)]
PATH_DELTAS = golden.PATH_DELTAS
# name: the reference on Fractions, the named method, number of steps, table, radii that omega
# refers to
TABLES = {
    "LS-Boost": (ref.ls_boost(X, Y, F(1, 2), 5), cb.ls_boost(0.5), golden.LS_BOOST_HALF, None),
    "FS": (
        ref.forward_stagewise(X, Y, F(1, 4), 7),
        cb.forward_stagewise(0.25),
        golden.FS_QUARTER,
        None,
    ),
    "R-FS": (
        ref.regularized_forward_stagewise(X, Y, F(1, 4), F(2), 6),
        cb.regularized_forward_stagewise(0.25, 2.0),
        golden.RFS_QUARTER_2,
        RFS_DELTAS,
    ),
    "PATH": (
        ref.path_forward_stagewise(X, Y, F(1, 4), PATH_DELTAS),
        cb.path_forward_stagewise(0.25, [float(d) for d in PATH_DELTAS]),
        golden.PATH_QUARTER,
        PATH_DELTAS,
    ),
}
every_table = pytest.mark.parametrize("name", TABLES)
every_model_state = pytest.mark.parametrize(
    "model_state", [cb.engine.NaiveState, cb.engine.CovarianceState], ids=["explicit", "gram"]
)


def problem(loss=None, columns=X, target=Y):
    """The golden columns as they are: unit norm, not centred."""
    return cb.Problem(columns.astype(float), target.astype(float), loss, center=False, scale=False)


def compare(row, found, same):
    """Compare every printed entry of a row of a table."""
    for printed, value in zip(row, found, strict=True):
        if printed is not None:
            assert same(printed, value), (row, found)


@every_table
def test_exact_tables(name):
    run, _, table, deltas = TABLES[name]
    for k, row in enumerate(table):
        beta = run.betas[k]
        omega = ref.omega(X, Y, beta, deltas[k]) if deltas else None
        pick = run.picks[k] if k < len(run.picks) else None
        found = (tuple(beta), ref.L_n(X, Y, beta), max(abs(X.T @ (Y - X @ beta))), pick, omega)
        compare(row, found, lambda a, b: a == b)
        assert all(type(x) is F for x in beta)


@every_model_state
@every_table
def test_float_tables(name, model_state):
    _, method, table, deltas = TABLES[name]
    n_steps = len(table)
    run = cb.solve(
        problem(),
        method,
        len(deltas or table),
        model_state=model_state,
        compile=model_state is cb.engine.CovarianceState,
    )
    # The numbers of the tables are below 4; 3/5 and 4/5 are themselves rounded, as if by one more
    # step.
    close = partial(np.allclose, rtol=0, atol=drift(n_steps + 1, 3, 4))
    for state, row in zip(run.replay(range(len(table))), table, strict=True):
        omega = (
            state.certificate(cb.certificates.L1Ball(float(deltas[state.k]))).witness["omega"]
            if deltas
            else None
        )
        found = (
            state.beta,
            state.loss / 3,
            abs(state.corr).max(),
            run.path.learner[state.k],
            omega,
        )
        compare(row, found, lambda a, b: close(np.array(a, dtype=float), b))


def test_exact_lasso():
    assert (exact.least_squares(X, Y) == golden.LEAST_SQUARES).all() and sum(
        abs(golden.LEAST_SQUARES)
    ) == golden.DELTA_MAX
    for delta, (beta, loss) in golden.LASSO.items():
        assert (
            tuple(exact.lasso_ball(X, Y, delta)) == beta and ref.L_n(X, Y, np.array(beta)) == loss
        )
    # linear between knots, another slope in each piece
    for (d0, b0), (d1, b1) in pairwise(golden.LASSO_KNOTS.items()):
        for delta in (d0, (2 * d0 + d1) / 3, d1):
            line = np.array(b0) + (delta - d0) / (d1 - d0) * (np.array(b1) - np.array(b0))
            assert (exact.lasso_ball(X, Y, delta) == line).all()
    assert (exact.lasso_ball(X, Y, F(100)) == golden.LEAST_SQUARES).all()


@every_model_state
def test_gbm_on_the_identity(model_state):
    """Lu and Mazumder: learners and losses, and the bound of Theorem 4.1 on these losses."""
    compile = model_state is cb.engine.CovarianceState
    run = cb.solve(
        problem(None, np.eye(3), golden.GBM_Y),
        cb.methods.gcd(),
        3,
        model_state=model_state,
        compile=compile,
    )
    losses = [state.loss for state in run.replay(range(4))]
    assert list(run.path.learner) == golden.GBM_PICKS and losses == golden.GBM_LOSSES
    assert all(loss <= bound for loss, bound in zip(losses, golden.GBM_BOUNDS, strict=True))
    np.testing.assert_allclose(
        [7 * (2 / 3) ** k for k in range(4)], golden.GBM_BOUNDS, rtol=0, atol=0.5e-3
    )


def test_least_squares_and_spectrum():
    """Printed to ten decimals; ``forward_stepwise`` ends at least squares, whose l1 norm is
    delta_max.
    """
    run = cb.solve(problem(), cb.forward_stepwise(), 3)
    witness = cb.certify(problem(), run.beta).witness
    assert list(run.path.learner) == [0, 2, 1] and witness["rank"] == 3
    # the condition number of X'X is below 8, its solution below 4
    np.testing.assert_allclose(
        run.beta, golden.LEAST_SQUARES.astype(float), rtol=0, atol=8 * drift(3, 3, 4)
    )
    assert abs(run.final.l1 - float(golden.DELTA_MAX)) <= 3 * 8 * drift(3, 3, 4)
    assert abs(witness["lambda_pmin"] - golden.LAMBDA_PMIN) <= 0.5e-10 + 8 * drift(1, 3, 2)
    assert abs(3 / witness["lambda_pmin"] - golden.KAPPA) <= 0.5e-10 + golden.KAPPA**2 * 8 * drift(
        1, 3, 2
    )


@pytest.mark.parametrize("delta", [*golden.LASSO, *golden.LASSO_KNOTS])
def test_lasso_points(delta):
    """The printed solutions are certified as optimal, and coordinate descent with their penalty
    converges to them.
    """
    beta = np.array(golden.LASSO[delta][0] if delta in golden.LASSO else golden.LASSO_KNOTS[delta])
    lam = max(abs(X.T @ (Y - X @ beta)))
    certificate = cb.certify(problem(), beta.astype(float), cb.certificates.L1Ball(float(delta)))
    value = 3 * float(ref.L_n(X, Y, beta))
    # loss, inner product and correlation are sums of three products of numbers below 8, the last
    # one times delta below 8
    rounding = 8 * drift(1, 3, 64)
    assert certificate.lower <= value + rounding and certificate.gap <= rounding
    assert abs(certificate.upper - value) <= rounding
    run = cb.solve(problem(), cb.methods.lasso_cd(float(lam), cb.rules.Greedy()), 500)
    # A full sweep of coordinate descent contracts by a constant: 500 steps reach rounding, which
    # the condition number 8 enlarges.
    np.testing.assert_allclose(run.beta, beta.astype(float), rtol=0, atol=8 * 8 * drift(1, 3, 4))


def test_probabilities_of_the_selected_rank():
    # a product of at most j quotients, each rounded three times
    found = cb.rules.RandomSubset(3).weights(7)
    printed = [float(g) for g in golden.GAMMA_3_7]
    np.testing.assert_allclose(found, printed, rtol=3 * 7 * np.finfo(float).eps, atol=0)
    assert cb.rules.RandomSubset(10).weights(40)[0] == float(golden.GAMMA_10_40_FIRST)
