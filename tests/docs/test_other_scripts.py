"""Ten scripts as users of other packages write them, rewritten with this package: the numbers
agree.

Scripts in R are compared with stored results, the others with the package itself where it is
installed.
"""

import numpy as np
import pytest
from reference_sets import ReferenceSet, needs_reference_sets
from sklearn.datasets import load_breast_cancer, load_diabetes

import coordboost as cb

X, Y = load_diabetes(return_X_y=True, scaled=False)
NEW = X[:7] * 1.01


@needs_reference_sets
def test_lars():
    """fit <- lars(X, y, type = "lasso"); coef(fit); fit$lambda; fit$actions"""
    theirs = ReferenceSet("diabetes10")
    fit = cb.exact_path(cb.Problem(X, Y))
    coefs = np.array([fit.coef_at(step=k) for k in range(fit.n_points)])
    assert coefs == pytest.approx(theirs["lars_lasso_raw_beta"], abs=1e-8)
    assert fit.lam[:-1] == pytest.approx(theirs["lars_lasso_lambda_R"], rel=1e-8)


@needs_reference_sets
def test_lars_forward_stagewise():
    """lars(X, y, type = "forward.stagewise")"""
    theirs = ReferenceSet("prostate")
    fit = cb.exact_path(cb.Problem(theirs["X_raw"], theirs["y_raw"]), kind="stagewise")
    coefs = np.array([fit.problem.unit(fit.coef_at(step=k)) for k in range(fit.n_points)])
    assert coefs == pytest.approx(theirs["lars_fs0_beta"], abs=1e-8)


@needs_reference_sets
def test_glmnet():
    """fit <- glmnet(X, y, lambda = lambda); coef(fit), on columns of norm 1"""
    theirs = ReferenceSet("diabetes10")
    alphas = theirs["glmnet_lambda"]
    path = cb.lasso_path(X, Y, alphas, tol=1e-10)
    coefs = np.array([path.problem.unit(path.coef_at(step=k)) for k in theirs["glmnet_idx"]])
    assert coefs == pytest.approx(theirs["glmnet_t26_beta"], abs=1e-3)
    assert path.gaps.max() <= 1e-10


@needs_reference_sets
def test_mboost():
    """fit <- glmboost(X, y, control = boost_control(mstop = 2000, nu = 0.1)); selected(fit);
    coef(fit, off2int = TRUE)
    """
    theirs = ReferenceSet("prostate")
    fit = cb.solve(cb.Problem(theirs["X_raw"], theirs["y_raw"]), cb.ls_boost(eps=0.1), 2000)
    valid = int(theirs["mb_gauss_nu0p1_n_valid"])
    assert (fit.path.learner[:valid] == theirs["mb_gauss_nu0p1_xselect"][:valid]).all()
    assert fit.coef == pytest.approx(theirs["mb_raw_nu0p1_coef"], abs=1e-8)


@needs_reference_sets
def test_mboost_binomial():
    """glmboost(X, factor(y), family = Binomial(), control = boost_control(mstop = 500, nu = 0.1));
    its fit is half the log-odds
    """
    theirs = ReferenceSet("german")
    label = np.where(theirs["y"] + theirs["y_mean"] > 0, 1, -1)
    problem = cb.Problem(theirs["X"], label, cb.losses.Logistic(), center=False)
    fit = cb.solve(problem, cb.gbm(4 * 0.1 / np.log(2)), 500)
    valid = int(theirs["mb_binom_off0_n_valid"])
    assert (fit.path.learner[:valid] == theirs["mb_binom_off0_xselect"][:valid]).all()
    assert fit.coef == pytest.approx(2 * theirs["mb_binom_off0_coef"][-1], abs=1e-8)


@pytest.mark.peers
def test_lightgbm():
    """LGBMRegressor(n_estimators=50, num_leaves=8, min_data_in_bin=1).fit(X, y).predict(X)

    Whole numbers: every value is a bin of both packages.
    """
    lightgbm = pytest.importorskip("lightgbm")
    table = np.round(X)
    theirs = lightgbm.LGBMRegressor(
        n_estimators=50, num_leaves=8, min_data_in_bin=1, verbose=-1
    ).fit(table, Y)
    ours = cb.RandomizedGBMRegressor(
        n_estimators=50, max_leaf_nodes=8, max_depth=None, max_features=None, learning_rate=0.1
    ).fit(table, Y)
    assert ours.predict(table) == pytest.approx(theirs.predict(table), rel=1e-6)


def test_hist_gradient_boosting():
    """HistGradientBoostingRegressor(max_iter=20, max_leaf_nodes=8, early_stopping=False).fit(X,
    y).predict(new)
    """
    from sklearn.ensemble import HistGradientBoostingRegressor

    theirs = HistGradientBoostingRegressor(max_iter=20, max_leaf_nodes=8, early_stopping=False).fit(
        X, Y
    )
    ours = cb.RandomizedGBMRegressor(
        n_estimators=20, max_leaf_nodes=8, max_depth=None, max_features=None, learning_rate=0.1
    ).fit(X, Y)
    assert ours.predict(NEW) == pytest.approx(theirs.predict(NEW), rel=1e-6)


@pytest.mark.peers
def test_celer():
    """alphas, coefs, gaps = celer_path(X - X.mean(axis=0), y - y.mean(), "lasso", alphas=alphas,
    tol=1e-12)
    """
    celer = pytest.importorskip("celer")
    alphas = np.geomspace(40, 0.4, 20)
    coefs = celer.celer_path(X - X.mean(axis=0), Y - Y.mean(), "lasso", alphas=alphas, tol=1e-12)[1]
    path = cb.lasso_path(X, Y, alphas, unit_columns=False, tol=1e-10)
    assert path.coefs == pytest.approx(coefs, abs=1e-4)


@pytest.mark.peers
def test_copt():
    """minimize_frank_wolfe(f.f_grad, x0, L1Ball(20).lmo, lipschitz=...)"""
    copt = pytest.importorskip("copt")
    problem = cb.Problem(*load_breast_cancer(return_X_y=True))
    B = np.array([problem.dictionary.column(j) for j in range(problem.n_learners)]).T

    def loss(beta):
        resid = B @ beta - problem.y
        return 0.5 * np.sum(resid**2), B.T @ resid

    ball = copt.constraint.L1Ball(20.0)
    lipschitz = np.linalg.norm(B, 2) ** 2
    theirs = copt.minimize_frank_wolfe(
        loss, np.zeros(B.shape[1]), ball.lmo, lipschitz=lipschitz, max_iter=4000
    )
    ours = cb.solve(problem, cb.methods.frank_wolfe_pairwise(20.0), 4000)
    optimum = cb.certify(problem, ours.final.beta, cb.certificates.L1Ball(20.0))
    assert optimum.gap <= 1e-6 * optimum.upper
    assert optimum.lower <= loss(theirs.x)[0] <= 1.01 * optimum.upper  # its steps zigzag


def test_pepit():
    """wc_gradient_descent(L=1, gamma=1, n=2), PEPit's first example: L / (4 n L gamma + 2) = 0.1,
    as learners that fit everything
    """

    def gradient_descent(loss, n_steps):
        x = loss.start
        for _ in range(n_steps):
            x = x - loss.fit(loss.gradient(x))
        return loss(x)

    found = cb.theory.worst_case(gradient_descent, 2, angle=1.0)
    assert found.lower == pytest.approx(0.1, rel=1e-4) and found.lower <= 0.1 <= found.upper * (
        1 + 1e-9
    )
