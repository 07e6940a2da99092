"""Exact paths with more learners than samples, and on scaled columns: candidates between scans, and
the gap at the end.
"""

import signal
import time

import numpy as np
import pytest
from designs import as_it_is, columns
from reference_sets import needs_compiler
from test_homotopy import KINDS
from test_homotopy_rounding import GAP, Interrupting, errors, kernels, powers

import coordboost as cb


@pytest.mark.parametrize("design", [kernels, powers])
@pytest.mark.parametrize("kind", ["lasso", "lar"])
def test_every_knot_is_right_where_columns_are_many(design, kind):
    """Nearly dependent columns and fewer samples than columns."""
    X, y = design(1)
    path = cb.exact_path(X[::8], y[::8], kind=kind)
    assert path.n_knots > 5 and (errors(path) <= 2 * GAP).all()


@pytest.mark.parametrize("shape", [(30, 200), (80, 60)])
def test_factors_of_the_penalty(shape):
    """From the exact path of scaled columns: at every alpha |X_j'r| / n is at most alpha times the
    factor, with equality on the support.
    """
    rng = np.random.default_rng(4)
    X = rng.standard_normal(shape)
    y = rng.standard_normal(shape[0])
    factor = rng.uniform(1.0, 5.0, shape[1])
    path = cb.lasso_path(
        X, y, penalty_factor=factor, solver="homotopy", n_alphas=40, eps=0.05, unit_columns=False
    )
    assert path.message == "complete" and (path.gaps <= 1e-10).all()
    for alpha, coef, intercept in zip(path.alphas, path.coefs.T, path.intercepts, strict=True):
        corr = (X - X.mean(axis=0)).T @ (y - intercept - X @ coef) / len(y)
        assert (np.abs(corr) <= alpha * factor + 1e-11).all()
        np.testing.assert_allclose(
            corr[coef != 0], (alpha * factor * np.sign(coef))[coef != 0], atol=1e-11
        )


def test_the_gap_at_the_end():
    """At lam = 0 it is the excess over the least squares loss, also for coefficients that are half
    of the right ones.
    """
    rng = np.random.default_rng(6)
    path = cb.exact_path(rng.standard_normal((20, 4)), rng.standard_normal(20))
    B = columns(path.problem)
    y = path.problem.y
    half = type(path)(
        path.problem, path.kind, path.lam, path.beta * 0.5, np.zeros((3, 0)), 1, True, ""
    )
    least = y - B @ np.linalg.lstsq(B, y)[0]
    resid = y - B @ half.beta_at(lam=0)
    assert half.gaps[-1] == pytest.approx((resid @ resid - least @ least) / (y @ y), rel=1e-10)


@pytest.mark.parametrize("kind", ["lasso", "stagewise"])
def test_learners_stop_and_start(kind):
    rng = np.random.default_rng(8)
    Z = rng.standard_normal((30, 4))
    X = Z @ rng.standard_normal((4, 60)) + 0.3 * rng.standard_normal((30, 60))
    y = rng.standard_normal(30)
    path = cb.exact_path(X, y, kind=kind, lam_min=0.02)
    moving = set()
    for _, j, way in path.events:
        assert (j in moving) == (way < 0)
        moving ^= {j}
    assert {way for *_, way in path.events} == {1, -1} and len(moving) <= 30


def test_few_candidates_serve_a_wide_table():
    """The knots are those with all learners as candidates, with a scan for about every ten
    knots.
    """
    rng = np.random.default_rng(6)
    X = rng.standard_normal((60, 3000)) + rng.standard_normal((60, 1))
    problem = cb.Problem(X, X[:, :8].sum(axis=1) + rng.standard_normal(60))
    top = np.abs(problem.scan(problem.y)).max()
    path, all_of_them = (
        cb.exact_path(problem, lam_min=0.02 * top, candidates=n) for n in (None, 3000)
    )
    assert path.n_scans <= 40 and all_of_them.n_scans == 1 and path.events == all_of_them.events
    np.testing.assert_allclose(path.lam, all_of_them.lam, rtol=0, atol=1e-10)


def test_a_complete_path_needs_fewer_scans_than_knots():
    """With more columns than samples the residual reaches 0, and all correlations with it; this
    takes no scan for every learner.
    """
    rng = np.random.default_rng(7)
    problem = cb.Problem(rng.standard_normal((40, 2000)), rng.standard_normal(40))
    path = cb.exact_path(problem)
    assert (
        path.complete
        and path.lam[-1] == 0
        and path.gaps.max() <= 1e-12
        and path.n_scans < path.n_knots
    )


def three_rows(p, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((3, p)), rng.standard_normal(3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("center", [True, False])
def test_a_path_ends_where_the_rank_is_used_up(kind, center):
    """Once as many columns move as there are independent ones, all correlations reach 0 together:
    no knots among rounding errors.
    """
    for seed in range(3):
        X, y = three_rows(20_000, seed)
        path = cb.exact_path(X, y, kind=kind, fit_intercept=center)
        assert path.complete and path.lam[-1] == 0 and path.lam[-2] > 1e-3 and path.n_knots <= 12
        assert path.gaps[-1] <= 1e-20 and (path.kind != "lasso" or path.gaps.max() <= 1e-12)


def cpu_of_path(X, y, kind):
    start = time.process_time()
    cb.exact_path(X, y, kind=kind)
    return time.process_time() - start


@needs_compiler
@pytest.mark.parametrize("kind", KINDS)
def test_time_grows_with_columns_and_not_with_their_square(kind):
    """100,000 columns: in general position, of rank 3 in 20 rows, and with all of them tied. Each
    took minutes where it was quadratic.
    """
    rng = np.random.default_rng(0)
    X, y = three_rows(100_000)
    cb.exact_path(X[:, :20_000], y, kind=kind)  # compiled here
    assert cpu_of_path(X, y, kind) < 2
    assert cpu_of_path(rng.standard_normal((20, 3)) @ X, rng.standard_normal(20), kind) < 5
    signs = np.vstack(
        [np.ones(100_000), -np.ones(100_000), rng.choice([-1.0, 1.0], size=(2, 100_000))]
    )
    assert cpu_of_path(signs, np.append(y, 1.0), kind) < 2


@pytest.mark.parametrize("kind", KINDS)
def test_all_columns_tied(kind):
    """Signed copies of orthogonal columns that all enter at once: one segment to the end."""
    B = np.tile(np.eye(4), (1, 5_000)) * np.random.default_rng(1).choice([-1.0, 1.0], 20_000)
    path = cb.exact_path(B, np.ones(4), kind=kind, fit_intercept=False)
    assert (
        path.n_knots == 2
        and path.complete
        and sorted(np.flatnonzero(path.beta.toarray()[-1])) == [0, 1, 2, 3]
    )


@pytest.mark.parametrize("kind", KINDS)
def test_knots_of_few_rows_are_kept(kind):
    """Ctrl-C in a path on three rows and 20,000 columns keeps the knots before it."""
    B, y = three_rows(20_000, 1)
    B /= np.linalg.norm(B, axis=0)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        whole = cb.exact_path(as_it_is(Interrupting(B, 0), y), kind=kind)
        with pytest.warns(cb.engine.InterruptedWarning, match="the knots passed are kept: "):
            kept = cb.exact_path(as_it_is(Interrupting(B, 6), y), kind=kind)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (
        whole.complete
        and 1 <= kept.n_knots < whole.n_knots
        and (kept.lam == whole.lam[: kept.n_knots]).all()
    )


def test_a_wide_table_of_few_columns_needs_few_scans():
    """All its columns are followed at once, however near to square it is."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 150))
    path = cb.exact_path(X, X[:, :5].sum(axis=1) + rng.standard_normal(120))
    assert path.complete and path.n_knots > 120 and path.n_scans <= 1 + path.n_knots // 100
