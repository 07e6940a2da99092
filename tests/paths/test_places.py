"""Points on a path: runs, exact paths and grids have the same methods, in the units of the user."""

import sys
from functools import cache

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from reference_sets import ReferenceSet, needs_reference_sets
from refusal import case, refusals, refused
from sklearn.linear_model import Lasso
from sklearn.preprocessing import StandardScaler

import coordboost as cb

RNG = np.random.default_rng(11)
X = RNG.normal(size=(60, 5)) * [1.0, 10.0, 0.1, 3.0, 1.0] + [0, 5, -2, 0, 1]
Y = X @ [2.0, 0.1, 0.0, -1.0, 0.0] + RNG.normal(size=60) + 7
NEW = X[:9] + 0.5
NEW_Y = Y[:9] - 1
PROBLEM = cb.Problem(X, Y)
EPS = 0.25
each = pytest.mark.parametrize("path", ["run", "exact", "grid"], indirect=True)


@cache
def path_of(name):
    """Computed on first use: otherwise every process that imports the tests would compile."""
    if name == "run":
        return cb.solve(PROBLEM, cb.forward_stagewise(EPS), 300)
    return (
        cb.exact_path(PROBLEM)
        if name == "exact"
        else cb.lasso_path(PROBLEM, n_alphas=40, tol=1e-10)
    )


@pytest.fixture
def path(request):
    return path_of(request.param)


def test_an_exact_path_and_a_grid_are_the_same_lasso():
    exact = path_of("exact")
    grid = path_of("grid")
    for k in (3, 17, 39):
        alpha = grid.alphas[k]
        coef = exact.coef_at(alpha=alpha)
        # strongly convex, gap 1e-10: half the digits
        np.testing.assert_allclose(grid.coefs[:, k], coef, atol=1e-4 * np.abs(coef).max())
        np.testing.assert_array_equal(grid.coef_at(alpha=alpha), grid.coefs[:, k])
        np.testing.assert_allclose(exact.coef_at(lam=alpha * 60), coef, rtol=1e-12)
        l1 = np.abs(exact.beta_at(alpha=alpha)).sum()
        np.testing.assert_allclose(exact.coef_at(l1=l1), coef, rtol=1e-9)
        np.testing.assert_allclose(exact.coef_at(fraction=l1 / exact.l1[-1]), coef, rtol=1e-9)
        np.testing.assert_allclose(grid.coef_at(l1=grid.l1[k]), grid.coefs[:, k], rtol=1e-9)


def test_units_are_those_of_the_user():
    """The end of the path is least squares with an intercept on the raw table."""
    exact = path_of("exact")
    least = np.linalg.lstsq(np.column_stack([X, np.ones(60)]), Y, rcond=None)[0]
    np.testing.assert_allclose(exact.coef_at(alpha=0), least[:-1], rtol=1e-9)
    np.testing.assert_allclose(exact.intercept_at(lam=0), least[-1], rtol=1e-9)
    np.testing.assert_allclose(exact.predict(NEW), NEW @ least[:-1] + least[-1], rtol=1e-9)


def test_a_point_of_a_run_is_the_first_step_that_reaches_it():
    states = list(path_of("run").replay(range(301)))
    l1 = np.array([state.l1 for state in states])
    lam = np.array([np.abs(state.corr).max() for state in states])
    for value in (0.0, EPS / 2, EPS, 5.03, l1[-1]):
        k = path_of("run").step_at(cb.lasso.PathPoint(l1=value))
        assert l1[k] >= value and (k == 0 or l1[k - 1] < value)
        np.testing.assert_array_equal(
            path_of("run").coef_at(l1=value), PROBLEM.raw(states[k].beta)[0]
        )
    for value in (lam[0], 0.5 * lam[0], 0.2 * lam[0]):
        k = path_of("run").step_at(cb.lasso.PathPoint(lam=value))
        assert lam[k] <= value and (k == 0 or lam[k - 1] > value)
    np.testing.assert_array_equal(path_of("run").coef_at(step=20), PROBLEM.raw(states[20].beta)[0])
    np.testing.assert_array_equal(path_of("run").coef_at(fraction=1), path_of("run").coef)
    assert path_of("run").intercept_at(step=300) == path_of("run").intercept


@each
def test_predictions_are_those_of_the_coefficients(path):
    for place in (
        cb.lasso.PathPoint(step=2),
        cb.lasso.PathPoint(fraction=0.4),
        cb.lasso.PathPoint(alpha=0.2 * PROBLEM.start_size / 60),
    ):
        named = {way: value for way, value in vars(place).items() if value is not None}
        by_hand = NEW @ path.coef_at(**named) + path.intercept_at(**named)
        np.testing.assert_allclose(path.predict(NEW, place), by_hand, rtol=1e-12)
    np.testing.assert_allclose(
        path.predict(NEW),
        path.predict(NEW, cb.lasso.PathPoint(step=len(path.score_path(X, Y)) - 1)),
        rtol=1e-12,
    )


@each
def test_scores_are_minus_mean_losses_at_every_point(path):
    weight = np.arange(1.0, 10)
    scores = path.score_path(NEW, NEW_Y, weight)
    for k in (0, 1, len(scores) // 2, len(scores) - 1):
        loss = (NEW_Y - path.predict(NEW, cb.lasso.PathPoint(step=k))) ** 2 / 2
        np.testing.assert_allclose(-scores[k], np.average(loss, weights=weight), rtol=1e-9)
    np.testing.assert_allclose(
        path.score_path(scipy.sparse.csr_array(NEW), NEW_Y, weight), scores, rtol=1e-12
    )


def test_scores_by_names():
    names = list("abcde")
    run = cb.solve(
        cb.Problem(pd.DataFrame(X, columns=names), Y),
        cb.regularized_forward_stagewise(EPS, 15.0),
        100,
    )
    scores = run.score_path(pd.DataFrame(NEW, columns=names)[["c", "a", "e", "d", "b"]], NEW_Y)
    np.testing.assert_allclose(
        -scores[60],
        np.mean((NEW_Y - run.predict(NEW, cb.lasso.PathPoint(step=60))) ** 2) / 2,
        rtol=1e-9,
    )


def test_scores_of_labels_and_of_refitted_runs():
    y = np.where(Y.mean() < Y, 1, 0)
    run = cb.solve(cb.Problem(X, y, cb.losses.Logistic()), cb.methods.gcd(), 12)
    margin = np.where(y[:9], 1, -1) * run.predict(NEW)
    np.testing.assert_allclose(
        -run.score_path(NEW, y[:9])[-1], np.log1p(np.exp(-margin)).mean(), rtol=1e-12
    )
    steps = cb.solve(PROBLEM, cb.forward_stepwise(), 3)
    np.testing.assert_allclose(
        -steps.score_path(NEW, NEW_Y)[-1],
        np.mean((NEW_Y - steps.predict(NEW)) ** 2) / 2,
        rtol=1e-12,
    )


@each
def test_frames_hold_the_path(path):
    frame = path.to_frame()
    row = frame.iloc[len(frame) // 2]
    place = cb.lasso.PathPoint(step=row["step"])
    coef = path.coef_at(step=row["step"])
    np.testing.assert_allclose([row.get(f"x{j}", 0.0) for j in range(5)], coef, rtol=1e-12)
    np.testing.assert_allclose(
        row["loss"], np.mean((Y - path.predict(X, place)) ** 2) / 2, rtol=1e-9
    )
    np.testing.assert_allclose(row["deviance"], 1 - 2 * row["loss"] / np.var(Y), rtol=1e-9)
    assert (
        row["nonzeros"] == np.count_nonzero(coef)
        and frame["fraction"].iloc[-1] == 1
        and frame["step"].iloc[0] == 0
    )
    resid = Y - path.predict(X, place)
    level = np.abs(PROBLEM.scan(resid)).max() / 60
    np.testing.assert_allclose(row["alpha"], level, rtol=1e-4)  # for a grid, up to its gap


def test_frames_without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="to_frame\\(\\) needs pandas"):
        path_of("run").to_frame()


def test_penalties_beside_scikit_learn():
    """Strong convexity: half as many exact digits as its gap."""
    exact = path_of("exact")
    settings = {"tol": 1e-14, "max_iter": 100_000}
    lam = 0.3 * PROBLEM.start_size
    unit = (X - X.mean(axis=0)) / np.linalg.norm(X - X.mean(axis=0), axis=0)
    alpha = cb.lasso.convert_penalty(lam, "lam", "alpha", PROBLEM)
    theirs = Lasso(alpha=alpha, **settings).fit(unit, Y)
    np.testing.assert_allclose(exact.beta_at(lam=lam), theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(exact.beta_at(alpha=alpha), theirs.coef_, atol=1e-6)
    scaler = StandardScaler().fit(X)
    theirs = Lasso(alpha=cb.lasso.convert_penalty(alpha, "alpha", "glmnet", 60), **settings).fit(
        scaler.transform(X), Y
    )
    np.testing.assert_allclose(exact.coef_at(alpha=alpha), theirs.coef_ / scaler.scale_, atol=1e-6)
    theirs = Lasso(alpha=0.2, **settings).fit(X, Y)
    np.testing.assert_allclose(
        cb.lasso_path(X, Y, [0.2], tol=1e-12, unit_columns=False).coefs[:, 0],
        theirs.coef_,
        atol=1e-6,
    )
    assert (
        cb.lasso.convert_penalty(3.0, "glmnet", "lam", 4) == 6.0
        and cb.lasso.convert_penalty(3.0, "alpha", "lam", 4) == 12.0
    )


@needs_reference_sets
def test_penalties_beside_glmnet_of_r():
    """Unit columns, standardize=FALSE. Its `_gap` is absolute; by strong convexity predictions
    differ by at most sqrt(2 gap).
    """
    reference = ReferenceSet("prostate")
    exact = cb.exact_path(cb.Problem(reference.X, reference.y, center=False, scale=False))
    at = reference["glmnet_idx"]
    rows = zip(
        reference["glmnet_lambda"][at],
        reference["glmnet_t26_beta"],
        reference["glmnet_t26_gap"],
        strict=True,
    )
    for penalty, theirs, gap in rows:
        ours = exact.coef_at(lam=cb.lasso.convert_penalty(penalty, "alpha", "lam", reference.n))
        np.testing.assert_array_equal(ours, exact.coef_at(alpha=penalty))
        assert (
            np.linalg.norm(reference.X @ (ours - theirs))
            <= np.sqrt(2 * max(gap, 0)) + 1e-12 * reference.size
        )


@pytest.mark.peers
def test_penalties_beside_glmnet_in_both_scalings():
    glmnet = pytest.importorskip("glmnet")
    path = path_of("exact")
    alpha = 0.2 * PROBLEM.start_size / 60
    for standardize, ours, penalty in [
        (
            True,
            path.coef_at(alpha=alpha),
            cb.lasso.convert_penalty(alpha, "alpha", "glmnet", PROBLEM),
        ),
        (False, cb.lasso_path(X, Y, [0.2], tol=1e-12, unit_columns=False).coefs[:, 0], 0.2),
    ]:
        model = glmnet.ElasticNet(
            alpha=1,
            lambda_path=[10 * penalty, penalty],
            standardize=standardize,
            n_splits=0,
            tol=1e-14,
        )
        model.fit(X, Y)
        np.testing.assert_allclose(model.coef_path_[:, -1], ours, atol=1e-6)


test_what_is_refused = refusals(
    case(
        "none",
        lambda: path_of("run").coef_at(),
        "exactly one of step, l1, lam, alpha and fraction, got none",
    ),
    case("two", lambda: path_of("run").coef_at(step=1, l1=1), "got step, l1"),
    case(
        "negative", lambda: path_of("run").coef_at(alpha=-1), "alpha must be a finite number >= 0"
    ),
    case(
        "half a step",
        lambda: path_of("run").coef_at(step=1.5),
        "step must be a whole number from 0 to 300",
    ),
    case("too far", lambda: path_of("run").coef_at(l1=1e9), "before 1e+09; make more steps"),
    case("too low", lambda: path_of("run").coef_at(alpha=0), "the run ends at alpha"),
    case("too large a part", lambda: path_of("run").coef_at(fraction=1.5), "at most 1, got 1.5"),
    case("no knot", lambda: path_of("exact").coef_at(step=99), "the path ends at step"),
    case("grid", lambda: cb.lasso_path(X, Y, [0.1]).coef_at(alpha=0.2), "the path begins at alpha"),
    case("at", lambda: path_of("run").predict(X, at=3), "at must be a PathPoint"),
    case(
        "rows",
        lambda: path_of("run").score_path(NEW, Y),
        "y must have one entry per row of X: expected 9",
    ),
    case("unit", lambda: cb.lasso.convert_penalty(1, "lambda", "lam", 3), "source must be"),
    case(
        "of",
        lambda: cb.lasso.convert_penalty(1, "lam", "lam", "ten"),
        "of must be a Problem, or a number",
    ),
)


def test_a_grid_has_certificates_at_its_own_alphas():
    grid = path_of("grid")
    assert grid.certificate_at(cb.lasso.PathPoint(alpha=grid.alphas[3])) == grid.certificate(3)
    assert (
        grid.certificate_at(cb.lasso.PathPoint(alpha=2 * grid.alphas[0]))
        == grid.certificate_at(cb.lasso.PathPoint(step=0))
        == grid.certificate(0)
    )
    refused(
        lambda: grid.certificate_at(
            cb.lasso.PathPoint(alpha=(grid.alphas[3] + grid.alphas[4]) / 2)
        ),
        "at its own alphas only",
    )


def test_an_exact_path_has_certificates_between_its_knots():
    """Three tenths of the way between two knots: the target is the Lasso at the penalty there, and
    the model is optimal for it.
    """
    exact = path_of("exact")
    lam = 0.7 * exact.lam[2] + 0.3 * exact.lam[3]
    for place in (cb.lasso.PathPoint(lam=lam), cb.lasso.PathPoint(step=2.3)):
        certificate = exact.certificate_at(place)
        assert (
            certificate.target.lam == pytest.approx(lam, rel=1e-12)
            and certificate.gap <= 1e-10 * certificate.upper
        )


@pytest.mark.parametrize("seed", range(12))
def test_the_norm_of_the_last_point_is_on_the_path_however_it_was_summed(seed):
    rng = np.random.default_rng(seed)
    problem = cb.Problem(rng.normal(size=(12, 7)), rng.normal(size=12))
    run = cb.solve(problem, cb.ls_boost(0.7), 9, compile=False)
    grid = cb.lasso_path(
        rng.normal(size=(12, 7)), rng.normal(size=12), n_alphas=4, unit_columns=False
    )
    for path, last in ((run, run.beta), (cb.exact_path(problem), None), (grid, grid.coefs[:, -1])):
        last = path.beta_at(fraction=1.0) if last is None else last
        for order in (last, last[::-1], rng.permutation(last)):
            norm = sum(abs(order).tolist())
            for l1 in (norm, np.nextafter(norm, np.inf), float(abs(order).sum())):
                np.testing.assert_allclose(
                    path.coef_at(l1=l1), path.coef_at(fraction=1.0), rtol=1e-9, atol=1e-12
                )
        with pytest.raises(ValueError, match="l1"):
            path.coef_at(l1=norm * (1 + 1e-9))
