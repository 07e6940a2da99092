"""The relaxed Lasso: unpenalised fits on the active columns, compared with NumPy and scikit-learn,
and their mixture with the Lasso.
"""

import numpy as np
import pytest
from refusal import case, refusals
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, PoissonRegressor
from sklearn.model_selection import KFold

import coordboost as cb

RNG = np.random.default_rng(15)
X = RNG.normal(size=(80, 7)) * [1.0, 5.0, 0.2, 1.0, 1.0, 30.0, 1.0] + 2
Y = X @ [1.0, 0.2, 4.0, 0.0, -0.5, 0.0, 0.0] + 2 * RNG.normal(size=80)
LABELS = np.where(np.median(Y) + 3 * RNG.normal(size=80) < Y, 1.0, -1.0)
COUNTS = RNG.poisson(np.exp(0.2 * X[:, 0] + 0.5)).astype(float)
WEIGHT = RNG.integers(0, 4, 80).astype(float)
FOLDS = list(KFold(4, shuffle=True, random_state=1).split(X))


def fitted(model, active):
    """Coefficients and intercept of a scikit-learn model on some columns, in all columns."""
    coef = np.zeros(X.shape[1])
    coef[active] = model.coef_
    return coef, float(np.ravel(model.intercept_)[0])


@pytest.mark.parametrize("unit_columns", [True, False])
@pytest.mark.parametrize("net", [1.0, 0.5])
def test_least_squares_on_the_active_columns(net, unit_columns):
    path = cb.lasso_path(
        X, Y, n_alphas=12, l1_ratio=net, sample_weight=WEIGHT, unit_columns=unit_columns, tol=1e-9
    )
    plain = path.relaxed()
    half = path.relaxed(0.25)
    for k in range(1, 12):
        active = np.flatnonzero(path.coefs[:, k])
        root = np.sqrt(WEIGHT)
        solution = np.linalg.lstsq(
            root[:, None] * np.column_stack([X[:, active], np.ones(80)]), root * Y
        )[0]
        np.testing.assert_allclose(plain.coefs[active, k], solution[:-1], rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(plain.intercepts[k], solution[-1], rtol=1e-9)
        np.testing.assert_allclose(
            half.coefs[active, k],
            0.25 * path.coefs[active, k] + 0.75 * solution[:-1],
            rtol=1e-9,
            atol=1e-11,
        )
        np.testing.assert_allclose(
            half.intercepts[k], 0.25 * path.intercepts[k] + 0.75 * solution[-1], rtol=1e-9
        )
    assert ((plain.coefs == 0) == (path.coefs == 0)).all() and path.relaxed(1) is path
    np.testing.assert_allclose(
        half.relaxed(0.5).coefs, path.relaxed(0.125).coefs, rtol=1e-9, atol=1e-12
    )


@pytest.mark.filterwarnings("ignore:Setting penalty=None")  # scikit-learn 1.8
@pytest.mark.parametrize(
    ("loss", "y", "theirs"),
    [
        (
            cb.losses.Logistic(),
            LABELS,
            LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-12, max_iter=1000),
        ),
        (
            cb.losses.Poisson(),
            COUNTS,
            PoissonRegressor(alpha=0, solver="newton-cholesky", tol=1e-12, max_iter=1000),
        ),
    ],
    ids=["logistic", "poisson"],
)
def test_other_losses_refit_with_that_loss(loss, y, theirs):
    path = cb.lasso_path(X, y, n_alphas=6, eps=0.05, loss=loss, refit_intercept=True)
    plain = path.relaxed()
    for k in range(1, 6):
        active = np.flatnonzero(path.coefs[:, k])
        coef, intercept = fitted(theirs.fit(X[:, active], y), active)
        np.testing.assert_allclose(plain.coefs[:, k], coef.ravel(), rtol=1e-6, atol=1e-8)
        assert plain.intercepts[k] == pytest.approx(intercept, rel=1e-6)


@pytest.mark.parametrize("free", [True, False])
def test_with_vanishing_curvatures_clipped_residuals_are_orthogonal(free):
    """Huber's loss with most residuals in its linear part; also with the intercept of the constant
    model.
    """
    path = cb.lasso_path(X, Y, n_alphas=6, loss=cb.losses.Huber(0.3), refit_intercept=free)
    plain = path.relaxed()
    for coef, intercept in zip(plain.coefs.T, plain.intercepts, strict=True):
        bent = np.clip(Y - X @ coef - intercept, -0.3, 0.3)
        centred = X - X.mean(axis=0)
        assert (
            np.abs(centred[:, coef != 0].T @ bent).max(initial=0)
            < 1e-7 * np.abs(centred).max() * 80
        )
        assert not free or abs(bent.sum()) < 1e-7 * 80
    if not free:
        np.testing.assert_allclose(
            plain.intercepts + X.mean(axis=0) @ plain.coefs,
            path.problem.raw(np.zeros(7))[1],
            rtol=1e-9,
        )


def test_gaps_are_of_the_objective_of_the_lasso():
    path = cb.lasso_path(X, Y, n_alphas=8, unit_columns=False, tol=1e-10)
    plain = path.relaxed(0.5)
    start = np.sum((Y - Y.mean()) ** 2) / 2

    def value(one, k):
        return (
            np.sum((Y - one.predict(X, step=k)) ** 2) / 2
            + 80 * path.alphas[k] * np.abs(one.coefs[:, k]).sum()
        )

    for k in range(8):
        assert plain.gaps[k] == pytest.approx((value(plain, k) - value(path, k)) / start, abs=2e-10)
        assert plain.certificate(k).lower <= value(path, k) and plain.certificate(
            k
        ).upper == pytest.approx(value(plain, k))
    assert "relaxed, gamma = 0.5" in repr(plain) and "relaxed" not in repr(path)


def test_the_mix_is_chosen_on_rows_held_out():
    alphas = [1.0, 0.3, 0.1]
    gammas = [0.0, 0.5, 1.0]
    model = cb.CertifiedLassoCV(alphas=alphas, cv=FOLDS, gamma=gammas[::-1], tol=1e-12).fit(X, Y)
    losses = np.zeros((4, 3, 3))
    for i, (fit, held) in enumerate(FOLDS):
        for k, alpha in enumerate(alphas):
            lasso = Lasso(alpha, tol=1e-13, max_iter=100_000).fit(X[fit], Y[fit])
            active = np.flatnonzero(lasso.coef_)
            plain = LinearRegression().fit(X[fit][:, active], Y[fit])
            for g, gamma in enumerate(gammas):
                pred = gamma * lasso.predict(X[held]) + (1 - gamma) * plain.predict(
                    X[held][:, active]
                )
                losses[i, g, k] = np.mean((Y[held] - pred) ** 2) / 2
    found = model.cross_validation_
    np.testing.assert_allclose(found.losses, losses.reshape(4, 9), rtol=1e-6)
    g, k = divmod(found.best, 3)
    assert model.path_.gamma == gammas[g] and model.alpha_ == alphas[k]
    np.testing.assert_allclose(model.predict(X[:5]), model.path_.predict(X[:5], step=k))


@pytest.mark.parametrize(
    ("kind", "y"),
    [
        (cb.CertifiedLassoClassifierCV, LABELS),
        (cb.CertifiedPoissonRegressorCV, COUNTS),
        (cb.CertifiedElasticNetCV, Y),
    ],
)
def test_every_estimator_with_a_grid_relaxes(kind, y):
    whole = kind(n_alphas=4, cv=FOLDS, gamma=[0, 1]).fit(X, y)
    alone = [
        kind(n_alphas=4, cv=FOLDS, gamma=gamma).fit(X, y).cross_validation_.losses
        for gamma in (0, 1)
    ]
    np.testing.assert_allclose(whole.cross_validation_.losses, np.hstack(alone))
    plain = kind(n_alphas=4, cv=FOLDS).fit(X, y).cross_validation_.losses
    assert (plain == alone[1]).all() and (plain[:, 1:] != alone[0][:, 1:]).all()


FAR = {
    "logistic": (cb.losses.Logistic(), lambda y: np.where(y > 0, 1.0, -1.0)),
    "poisson": (cb.losses.Poisson(), lambda y: np.floor(np.exp(np.clip(y, -2, 2)))),
    "gamma": (cb.losses.Gamma(), np.exp),
    "huber": (cb.losses.Huber(0.1), lambda y: y),
}


@pytest.mark.parametrize("size", [10.0, 1e3, 1e6])
@pytest.mark.parametrize("name", FAR)
def test_one_value_far_out_does_not_keep_the_fit_from_its_optimum(name, size):
    """Such a row has no curvature left; the loss along every column must not fall any more."""
    loss, target = FAR[name]
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    y = target(x[:, 0] + rng.normal(size=60))
    x[0] = [size, 0.0]
    if name in ("logistic", "huber"):
        y[0] = np.abs(y).max()
    path = cb.lasso_path(x, y, [1e-4], loss=loss, refit_intercept=True)
    plain = path.relaxed()
    assert plain.message == "complete" and (path.coefs != 0).all()
    best = plain.losses[0]
    pred = x @ plain.coefs[:, 0] + plain.intercepts[0]
    for move in (np.ones(60), *(x - x.mean(axis=0)).T):
        for step in np.append(np.geomspace(1e-8, 0.1, 12), -np.geomspace(1e-8, 0.1, 12)):
            value = sum(
                map(
                    loss.value,
                    path.problem.y + bool(loss.location) * path.problem.constant,
                    pred + step * move,
                )
            )
            assert value >= best - 1e-10 * path.problem.start_excess


def test_a_fit_that_is_ended_by_its_limit_of_steps_is_said(monkeypatch):
    monkeypatch.setattr("coordboost.lasso.relaxed.MOST", 1)
    path = cb.lasso_path(X, LABELS, [0.5, 0.01], loss=cb.losses.Logistic(), refit_intercept=True)
    plain = path.relaxed()
    said = "not reached: the limit of steps ended the fit without a penalty at 2 of 2 alphas"
    assert plain.message == said and said in repr(plain) and path.message == "complete"
    with pytest.warns(
        ConvergenceWarning, match="was ended by its limit of steps before its optimum"
    ):
        cb.CertifiedLassoClassifierCV(alphas=[0.01], gamma=0, cv=FOLDS).fit(X, LABELS)


def test_separable_classes_get_large_coefficients():
    path = cb.lasso_path(
        X, np.where(X[:, 0] > 2, 1, -1), n_alphas=4, loss=cb.losses.Logistic(), refit_intercept=True
    )
    plain = path.relaxed()
    assert np.isfinite(plain.coefs).all() and plain.losses[-1] < 1e-3 * path.losses[0]


test_what_is_refused = refusals(
    case(
        "above 1",
        lambda: cb.lasso_path(X, Y, [0.1]).relaxed(2),
        "gamma must be from 0, the fit without a penalty, to 1",
    ),
    case(
        "one of several",
        lambda: cb.CertifiedLassoCV(gamma=[0, -1]).fit(X, Y),
        "gamma must be from 0",
    ),
    case(
        "none",
        lambda: cb.CertifiedLassoCV(gamma=[]).fit(X, Y),
        "gamma must be a number from 0 to 1, or a sequence of such numbers",
    ),
    case("words", lambda: cb.CertifiedLassoCV(gamma="half").fit(X, Y), "gamma"),
    case(
        "criterion",
        lambda: cb.CertifiedLassoCV(gamma=0, rule="bic").fit(X, Y),
        "degrees of freedom are not known for the relaxed",
    ),
)
