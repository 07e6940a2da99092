"""The Lasso on a grid: coefficients of scikit-learn and glmnet within the certified gap, both
solvers, bad input.
"""

import numpy as np
import pytest
import scipy.sparse
from designs import as_it_is
from reference_sets import REGRESSION, ReferenceSet, needs_reference_sets
from refusal import case, refusals

import coordboost as cb

both_solvers = pytest.mark.parametrize("solver", ["homotopy", "cd"])


def table(n=60, p=20, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) * rng.uniform(0.1, 5, p) + rng.uniform(-3, 3, p)
    return X, 3 + X[:, : min(p, 5)] @ np.ones(min(p, 5)) + rng.standard_normal(n)


def gap_by_hand(X, y, coef, alpha, factor=1.0):
    """Duality gap of the mean-loss Lasso on centred data, over the loss at 0: an independent
    implementation.
    """
    X = X - X.mean(axis=0)
    y = y - y.mean()
    resid = y - X @ coef
    n = len(y)
    worst = np.max(np.abs(X.T @ resid) / factor) / n
    share = min(1.0, alpha / worst) if worst > 0 else 1.0
    primal = resid @ resid / (2 * n) + alpha * np.sum(factor * np.abs(coef))
    dual = (share * (resid @ y) - share**2 * (resid @ resid) / 2) / n
    return (primal - dual) / (y @ y / (2 * n))


@both_solvers
@pytest.mark.parametrize("shape", [(60, 20), (30, 100)])
def test_coefficients_of_scikit_learn(solver, shape):
    """Same grid, coefficients equal within what two gaps of 1e-12 allow; the certified gap equals
    the gap by hand.
    """
    from sklearn.linear_model import lasso_path

    X, y = table(*shape)
    path = cb.lasso_path(X, y, tol=1e-12, solver=solver, n_alphas=30, eps=1e-2, unit_columns=False)
    alphas, coefs, _ = lasso_path(
        X - X.mean(axis=0), y - y.mean(), alphas=path.alphas, tol=1e-12, max_iter=100_000
    )
    assert (
        path.solver == solver and (path.alphas == alphas).all() and (np.diff(path.alphas) < 0).all()
    )
    for i, alpha in enumerate(alphas):
        by_hand = gap_by_hand(X, y, path.coefs[:, i], alpha)
        assert abs(path.gaps[i] - by_hand) <= 1e-13 and path.gaps[i] <= 1e-12
        # mean loss: |X(w - v)|^2 / (2n) <= gap_w + gap_v, relative to the loss at 0
        apart = (X - X.mean(axis=0)) @ (path.coefs[:, i] - coefs[:, i])
        allowed = by_hand + gap_by_hand(X, y, coefs[:, i], alpha) + 1e-13
        assert apart @ apart <= 4 * allowed * np.sum((y - y.mean()) ** 2)
        prediction = X @ path.coefs[:, i] + path.intercepts[i]
        assert abs(prediction.mean() - y.mean()) <= 1e-12
    assert (path.coefs[:, 0] == 0).all() or np.abs(path.coefs[:, 0]).max() <= 1e-12


@both_solvers
@pytest.mark.parametrize("tol", [1e-2, 1e-5, 1e-9])
def test_certified_gap_is_reached(solver, tol):
    X, y = table(40, 200, seed=1)
    path = cb.lasso_path(X, y, tol=tol, solver=solver)
    assert path.coefs.shape == (200, 100) and (path.gaps <= tol).all() and (path.gaps >= 0).all()


@needs_reference_sets
@both_solvers
@pytest.mark.parametrize("name", REGRESSION)
def test_intervals_meet_those_of_glmnet(name, solver):
    """R glmnet at thresh 1e-26 gives an interval around the same optimum; both intervals are
    narrow.
    """
    reference = ReferenceSet(name)
    problem = as_it_is(reference.X, reference.y)
    lams = reference["glmnet_lambda_ss"][reference["glmnet_idx"]]
    path = cb.lasso_path(problem, alphas=lams / reference.n, tol=1e-9, solver=solver)
    assert (path.gaps <= 1e-9).all()
    for lam, coef, theirs in zip(lams, path.coefs.T, reference["glmnet_t26_beta"], strict=True):
        ours = cb.certify(problem, coef, cb.certificates.L1Penalty(lam))
        other = cb.certify(problem, theirs, cb.certificates.L1Penalty(lam))
        assert ours.lower <= other.upper and other.lower <= ours.upper
        assert ours.gap <= 1.1e-9 * reference.size**2 / 2


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csc_array], ids=["dense", "sparse"])
@both_solvers
def test_penalty_factors_and_weights(solver, kind):
    X, y = table(40, 12, seed=4)
    factor = np.linspace(0.5, 3, 12)
    weight = np.random.default_rng(5).integers(1, 4, 40)
    path = cb.lasso_path(
        kind(X), y, solver=solver, penalty_factor=factor, tol=1e-10, n_alphas=15, unit_columns=False
    )
    for alpha, coef, gap in zip(path.alphas, path.coefs.T, path.gaps, strict=True):
        # the allowance for rounding in the gap is 1.007e-13
        assert abs(gap_by_hand(X, y, coef, alpha, factor) - gap) <= 1.01e-13 and gap <= 1e-10
    weighted = cb.lasso_path(
        kind(X),
        y,
        solver=solver,
        sample_weight=weight.astype(float),
        tol=1e-12,
        n_alphas=15,
        unit_columns=False,
    )
    repeated = cb.lasso_path(
        np.repeat(X, weight, axis=0),
        np.repeat(y, weight),
        alphas=weighted.alphas,
        solver=solver,
        tol=1e-12,
        unit_columns=False,
    )
    np.testing.assert_allclose(weighted.coefs, repeated.coefs, atol=1e-4)


def elastic_gap_by_hand(X, y, coef, alpha, l1_ratio, factor=1.0):
    """The gap of a Lasso with one more row for each column: (n alpha (1 - l1_ratio) factor)^(1/2)
    on a diagonal.
    """
    n, p = X.shape
    X = X - X.mean(axis=0)
    y = y - y.mean()
    rows = np.diag(np.sqrt(n * alpha * (1 - l1_ratio) * np.broadcast_to(factor, p)))
    X = np.vstack([X, rows])
    y = np.concatenate([y, np.zeros(p)])
    resid = y - X @ coef
    lam = n * alpha * l1_ratio
    share = min(1.0, lam / np.max(np.abs(X.T @ resid) / factor))
    primal = resid @ resid / 2 + lam * np.sum(factor * np.abs(coef))
    return (primal - share * (resid @ y) + share**2 * (resid @ resid) / 2) / (y @ y / 2)


@pytest.mark.parametrize("l1_ratio", [0.2, 0.95])
@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csc_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("shape", [(60, 20), (30, 100)])
def test_elastic_net_of_scikit_learn(shape, kind, l1_ratio):
    """Same grid, same coefficients: the ridge makes the objective strongly convex, so gaps bound
    their distance.
    """
    from sklearn.linear_model import enet_path

    X, y = table(*shape)
    X[np.random.default_rng(1).random(shape) < 0.6] = 0
    path = cb.lasso_path(kind(X), y, l1_ratio=l1_ratio, tol=1e-12, n_alphas=20, unit_columns=False)
    centred = X - X.mean(axis=0)
    target = y - y.mean()
    alphas, coefs, _ = enet_path(
        centred, target, l1_ratio=l1_ratio, alphas=path.alphas, tol=1e-13, max_iter=200_000
    )
    top = np.abs(centred.T @ target).max() / len(y) / l1_ratio
    np.testing.assert_allclose(path.alphas, np.geomspace(top, top * 1e-3, 20), rtol=1e-12)
    for alpha, ours, theirs, gap in zip(alphas, path.coefs.T, coefs.T, path.gaps, strict=True):
        by_hand = elastic_gap_by_hand(X, y, ours, alpha, l1_ratio)
        assert abs(gap - by_hand) <= 1e-13 and gap <= 1e-12
        # n alpha (1 - l1_ratio) |w - v|^2 / 2 <= gap_w + gap_v
        allowed = (
            (by_hand + elastic_gap_by_hand(X, y, theirs, alpha, l1_ratio) + 1e-13)
            * (target @ target)
            / 2
        )
        apart = ours - theirs
        assert len(y) * alpha * (1 - l1_ratio) * (apart @ apart) / 2 <= 2 * allowed


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csc_array], ids=["dense", "sparse"])
def test_elastic_net_with_factors_and_a_problem(kind):
    X, y = table(30, 40, seed=9)
    factor = np.linspace(0.5, 2, 40)
    path = cb.lasso_path(
        kind(X), y, l1_ratio=0.5, penalty_factor=factor, tol=1e-10, n_alphas=8, unit_columns=False
    )
    for alpha, coef in zip(path.alphas, path.coefs.T, strict=True):
        assert elastic_gap_by_hand(X, y, coef, alpha, 0.5, factor) <= 1.01e-10
    assert (path.coefs[:, 0] == 0).all() and (path.coefs[:, 1] != 0).any()
    problem = cb.Problem(kind(X), y)
    unit = cb.lasso_path(problem, l1_ratio=0.5, tol=1e-10, n_alphas=8)
    columns = problem.dictionary.gather(np.arange(40))
    for alpha, coef in zip(unit.alphas, unit.coefs.T, strict=True):
        assert elastic_gap_by_hand(columns, problem.y, problem.unit(coef), alpha, 0.5) <= 1.01e-10


@both_solvers
def test_a_problem_penalises_its_unit_columns(solver):
    X, y = table(40, 8, seed=6)
    problem = cb.Problem(X, y)
    path = cb.lasso_path(problem, solver=solver, tol=1e-11, n_alphas=10)
    for alpha, coef in zip(path.alphas, path.coefs.T, strict=True):
        assert (
            cb.certify(problem, problem.unit(coef), cb.certificates.L1Penalty(40 * alpha)).gap
            <= 2e-11 * (problem.y @ problem.y) / 2
        )


def test_edges():
    X, y = table(20, 5, seed=8)
    with pytest.warns(cb.data.ConstantColumnWarning):
        path = cb.lasso_path(np.column_stack([np.ones(20), X]), y, n_alphas=5)
    assert (path.coefs[0] == 0).all() and path.coefs.shape == (6, 5)
    flat = cb.lasso_path(X, np.ones(20), alphas=[1.0, 0.5])
    assert (flat.coefs == 0).all() and (flat.gaps == 0).all() and (flat.intercepts == 1).all()
    assert (cb.lasso_path(X, y, alphas=[0.1, 3, 2]).alphas == [3, 2, 0.1]).all()
    least_squares = cb.lasso_path(X, y, alphas=[0.0])
    centred = X - X.mean(axis=0)
    np.testing.assert_allclose(
        least_squares.coefs[:, 0], np.linalg.lstsq(centred, y - y.mean(), rcond=None)[0], rtol=1e-9
    )
    assert "100 alphas" in repr(cb.lasso_path(X, y))


def demo(**options):
    X, y = table(10, 3)
    return cb.lasso_path(X, y, **options)


test_bad_input = refusals(
    case("solver", lambda: demo(solver="magic"), "solver must be None, 'homotopy' or 'cd'"),
    case("tol", lambda: demo(tol=0), "tol must be a positive finite number"),
    case("eps", lambda: demo(eps=1.0), "eps must be between 0 and 1"),
    case("n_alphas", lambda: demo(n_alphas=0), "n_alphas must be a whole number >= 1"),
    case("alphas", lambda: demo(alphas=[-1.0]), "alphas must be at least one penalty >= 0"),
    case("no alphas", lambda: demo(alphas=[]), "alphas must be at least one penalty >= 0"),
    case(
        "NaN alphas",
        lambda: demo(alphas=[np.nan]),
        "alphas must be finite numbers, got NaN or infinity (first at index 0",
    ),
    case("ratio", lambda: demo(l1_ratio=-0.1), "l1_ratio must be at least 0 and at most 1"),
    case("tiny ratio", lambda: demo(l1_ratio=5e-324), "l1_ratio must be 0 or at least 1e-100"),
    case(
        "net",
        lambda: demo(l1_ratio=0.5, solver="homotopy"),
        "solver must be None or 'cd' for Squared() and l1_ratio = 0.5",
    ),
    case("factor", lambda: demo(penalty_factor=[1, -1, 1]), "penalty_factor must be at least 0"),
    case(
        "factors",
        lambda: demo(penalty_factor=[1, 1]),
        "penalty_factor must have one entry per column of X",
    ),
    case(
        "y twice",
        lambda: cb.lasso_path(cb.Problem(np.eye(3), [0, 1, 2]), [0, 1, 2]),
        "part of the Problem",
    ),
    case(
        "loss",
        lambda: demo(loss=cb.losses.Huber(), solver="cd"),
        "solver must be None or 'newton' for Huber(d=1.0)",
    ),
    case("no y", lambda: cb.lasso_path(np.eye(3)), "y"),
)


def test_the_homotopy_scans_at_penalties_where_rounding_matters():
    """Bounds at the knots suffice for a tolerance of 1e-6. For 1e-12 their rounding allowance is
    too large.
    """
    X, y = table(30, 100)
    rough, fine = (
        cb.lasso_path(X, y, tol=tol, solver="homotopy", n_alphas=30, eps=1e-2)
        for tol in (1e-6, 1e-12)
    )
    assert rough.n_scans + 20 <= fine.n_scans
    assert (rough.coefs == fine.coefs).all() and rough.gaps.max() <= 1e-12
    # a gap includes a rounding allowance: 4 u sqrt(n) times (l1 norm over the norm of the target,
    # plus 1 for the sum of the losses)
    length = np.abs(fine.problem.unit(fine.coefs[:, -1])).sum() / np.linalg.norm(y - y.mean())
    assert fine.gaps.max() <= 1e-14 + 8 * np.finfo(float).eps * np.sqrt(30) * (length + 1)
