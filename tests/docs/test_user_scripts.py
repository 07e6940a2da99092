"""What users of other programs do first, line by line as the introductions of those programs do it,
in our own words: glmnet's and lars' of R, scikit-learn's, PEPit's. A judge in NumPy, or the other
program where it is installed, looks at every number.
"""

import numpy as np
import pytest
import scipy.sparse
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Lasso, LassoCV
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import coordboost as cb

X, Y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
Z = (X - X.mean()) / X.std(ddof=0)
N = len(Y)
MANY = 100_000


def distance_from_optimum(table, resid, coef, alpha, l1_ratio=1.0, factor=1.0):
    """The largest violation of the optimality conditions of the elastic net at a model: the
    gradient of the mean loss against the penalty, by NumPy alone.
    """
    grad = np.asarray(table.T @ resid) / len(resid) - alpha * (1 - l1_ratio) * coef
    level = alpha * l1_ratio * factor * np.ones(len(coef))
    return np.where(coef == 0, np.maximum(abs(grad) - level, 0), abs(grad - level * np.sign(coef)))


def test_an_r_user_follows_the_introduction_to_glmnet():
    # fit <- glmnet(x, y): a path of 100 penalties that begins where the first column enters
    path = cb.lasso_path(Z, Y, eps=1e-4, unit_columns=False, tol=1e-12)
    assert path.alphas[0] == pytest.approx(abs(Z.T @ (Y - Y.mean())).max() / N, rel=1e-12)
    assert len(path.alphas) == 100 and not path.coefs[:, 0].any()
    # plot(fit); print(fit): Df, %Dev, Lambda
    assert path.plot().coefs.shape == (100, 10)
    table = path.to_frame()
    assert table["nonzeros"].tolist() == np.count_nonzero(path.coefs, axis=0).tolist()
    resid = Y.to_numpy()[:, None] - path.intercepts - Z.to_numpy() @ path.coefs
    explained = 1 - (resid**2).sum(axis=0) / ((Y - Y.mean()) ** 2).sum()
    assert table["deviance"].to_numpy() == pytest.approx(explained, abs=1e-12)
    for k, alpha in enumerate(path.alphas):
        wrong = distance_from_optimum(Z.to_numpy(), resid[:, k], path.coefs[:, k], alpha)
        assert wrong.max() <= 1e-6 * path.alphas[0]
    # coef(fit, s = 0.5): linear between the neighbours of the grid
    after = np.argmax(path.alphas < 0.5)
    share = (path.alphas[after - 1] - 0.5) / (path.alphas[after - 1] - path.alphas[after])
    between = (1 - share) * path.coefs[:, after - 1] + share * path.coefs[:, after]
    assert path.coef_at(alpha=0.5) == pytest.approx(between, rel=1e-10)
    # predict(fit, newx = nx, s = c(0.5, 0.05))
    for alpha in (0.5, 0.05):
        linear = path.intercept_at(alpha=alpha) + Z[:5].to_numpy() @ path.coef_at(alpha=alpha)
        assert path.predict(Z[:5], alpha=alpha) == pytest.approx(linear, rel=1e-12)


def test_an_r_user_chooses_lambda_as_cv_glmnet_does():
    # cvfit <- cv.glmnet(x, y, foldid = foldid)
    foldid = np.arange(N) % 10
    folds = [(np.flatnonzero(foldid != k), np.flatnonzero(foldid == k)) for k in range(10)]
    fit = cb.CertifiedLassoCV(standardize=True, cv=folds, n_alphas=30).fit(X, Y)
    seen = fit.cross_validation_
    # cvfit$cvm, by hand: the grid of all rows, columns scaled within each fold
    squares = np.zeros(30)
    for train, held in folds:
        mean, scale = X.iloc[train].mean(), X.iloc[train].std(ddof=0)
        inside = cb.lasso_path((X.iloc[train] - mean) / scale, Y.iloc[train], fit.path_.alphas,
                               unit_columns=False)  # fmt: skip
        for k in range(30):
            pred = inside.intercepts[k] + ((X.iloc[held] - mean) / scale) @ inside.coefs[:, k]
            squares[k] += ((Y.iloc[held] - pred) ** 2).sum() / N
    assert 2 * seen.mean == pytest.approx(squares, rel=1e-5)
    # cvfit$lambda.min, cvfit$lambda.1se
    assert seen.best == squares.argmin()
    assert seen.one_se == np.argmax(seen.mean <= seen.mean[seen.best] + seen.error[seen.best])
    # coef(cvfit, s = "lambda.min"); predict(cvfit, newx, s = "lambda.min")
    alpha = fit.path_.alphas[seen.best]
    resid = (Y - fit.predict(X)).to_numpy()
    scaled = fit.coef_ * X.std(ddof=0).to_numpy()
    assert distance_from_optimum(Z.to_numpy(), resid, scaled, alpha).max() <= 1e-4 * alpha
    # cv.glmnet(..., type.measure = "mae")
    mae = cb.CertifiedLassoCV(
        standardize=True, cv=folds, n_alphas=30, scoring="neg_mean_absolute_error"
    ).fit(X, Y)
    assert mae.cross_validation_.mean.shape == (30,) and mae.alpha_ > 0


def test_an_r_user_sets_the_options_of_glmnet():
    table = Z.to_numpy()
    # glmnet(x, y, alpha = 0.2, weights = c(rep(1, 221), rep(2, 221)), nlambda = 20)
    weight = np.repeat([1.0, 2.0], N // 2)
    copies = np.concatenate([np.arange(N), np.arange(N // 2, N)])
    alphas = np.geomspace(40, 0.4, 20)
    common = {"l1_ratio": 0.2, "unit_columns": False, "tol": 1e-10}
    weighted = cb.lasso_path(table, Y, alphas, sample_weight=weight, **common)
    copied = cb.lasso_path(table[copies], Y.to_numpy()[copies], alphas, **common)
    assert weighted.coefs == pytest.approx(copied.coefs, abs=1e-5)
    # penalty.factor = c(0, 1, ...): never penalised; exclude = 2; lower.limits = 0
    factor = np.r_[0.0, np.inf, np.ones(8)]
    free = cb.lasso_path(table, Y, alphas, penalty_factor=factor, unit_columns=False, tol=1e-10)
    assert free.coefs[0].all() and not free.coefs[1].any()
    resid = Y.to_numpy() - free.intercepts[5] - table @ free.coefs[:, 5]
    kept = np.r_[0, 2:10]
    wrong = distance_from_optimum(
        table[:, kept], resid, free.coefs[kept, 5], alphas[5], factor=np.r_[0.0, np.ones(8)]
    )
    assert wrong.max() <= 1e-4 * alphas[5]
    limited = cb.lasso_path(table, Y, alphas, lower_limits=0, unit_columns=False)
    assert limited.coefs.min() == 0
    # sparse matrices: the same path
    counts = np.where(abs(table) > 1, np.round(table), 0)
    dense = cb.lasso_path(counts, Y, alphas, unit_columns=False, tol=1e-10)
    sparse = cb.lasso_path(scipy.sparse.csc_array(counts), Y, alphas, unit_columns=False, tol=1e-10)
    assert sparse.coefs == pytest.approx(dense.coefs, abs=1e-5)
    # relax = TRUE, gamma = 0: least squares on the columns in use
    relaxed = dense.relaxed(0.0)
    used = np.flatnonzero(dense.coefs[:, 9])
    design = np.column_stack([np.ones(N), counts[:, used]])
    assert relaxed.coefs[used, 9] == pytest.approx(
        np.linalg.lstsq(design, Y.to_numpy(), rcond=None)[0][1:], rel=1e-6
    )
    # family = "binomial": the gradient of the mean log loss
    classes = (Y > 140).to_numpy()
    fit = cb.CertifiedLassoClassifier(alpha=0.02, standardize=True, tol=1e-10).fit(X, classes)
    resid = classes - fit.predict_proba(X)[:, 1]
    scaled = np.ravel(fit.coef_) * X.std(ddof=0).to_numpy()
    assert distance_from_optimum(table, resid, scaled, 0.02).max() <= 1e-5
    assert abs(resid.sum()) <= 1e-4 * N


def test_an_r_user_follows_the_example_of_lars():
    # object <- lars(x, y); object: the sequence of moves
    problem = cb.Problem(X, Y)
    fit = cb.exact_path(problem)
    moves = [(X.columns[j], sign) for _, j, sign in fit.events]
    assert moves[:4] == [("bmi", 1), ("s5", 1), ("bp", 1), ("s3", 1)]
    assert ("s3", -1) in moves and len(fit.lam) == 13
    # plot(object); coef(object) at the last knot is least squares
    assert fit.plot(against="fraction").coefs.shape == (13, 10)
    design = np.column_stack([np.ones(N), X])
    full = np.linalg.lstsq(design, Y, rcond=None)[0]
    assert fit.coef_at(step=12) == pytest.approx(full[1:], rel=1e-6)
    # at each knot the columns in use have the same correlation with the residual
    units = Z.to_numpy() / np.sqrt(N)
    for k in range(1, 12):
        corr = units.T @ (Y - fit.predict(X, step=k)).to_numpy()
        used = fit.coef_at(step=k) != 0
        assert abs(corr[used]) == pytest.approx(fit.lam[k], rel=1e-8)
        assert abs(corr).max() <= fit.lam[k] * (1 + 1e-8)
    # predict.lars(object, x, s = 0.375, mode = "fraction", type = "coef")
    norms = fit.l1 / fit.l1[-1]
    after = np.argmax(norms >= 0.375)
    share = (0.375 - norms[after - 1]) / (norms[after] - norms[after - 1])
    ends = [fit.coef_at(step=k) for k in (after - 1, after)]
    assert fit.coef_at(fraction=0.375) == pytest.approx(
        (1 - share) * ends[0] + share * ends[1], rel=1e-9
    )
    # summary(object): Df, Rss, Cp
    lar = cb.exact_path(problem, kind="lar")
    assert lar.degrees_of_freedom() == pytest.approx(np.arange(11), abs=1e-9)
    rss = np.array([((Y - lar.predict(X, step=k)) ** 2).sum() for k in range(11)])
    assert 2 * lar.losses == pytest.approx(rss, rel=1e-10) and (np.diff(rss) < 0).all()
    # cv.lars(x, y, K = 5, index = seq(0, 1, length = 10))
    at = [cb.lasso.PathPoint(fraction=part) for part in np.linspace(0, 1, 10)]
    seen = cb.cross_validate(
        lambda X, y, w: cb.exact_path(cb.Problem(X, y, sample_weight=w)), X, Y, folds=5, at=at
    )
    assert 0 < seen.best < 10 and seen.mean[0] > seen.mean[seen.best]


def test_a_scikit_learn_user_swaps_an_estimator():
    folds = KFold(5, shuffle=True, random_state=0)
    # cross_val_score of a pipeline
    theirs = make_pipeline(StandardScaler(), Lasso(alpha=1.0, tol=1e-10, max_iter=MANY))
    ours = make_pipeline(StandardScaler(), cb.CertifiedLasso(alpha=1.0, tol=1e-10))
    assert cross_val_score(ours, X, Y, cv=folds) == pytest.approx(
        cross_val_score(theirs, X, Y, cv=folds), rel=1e-6
    )
    # GridSearchCV
    grid = {"alpha": [0.1, 1.0, 10.0]}
    found = [
        GridSearchCV(model, grid, cv=folds).fit(X, Y)
        for model in (cb.CertifiedLasso(tol=1e-10), Lasso(tol=1e-10, max_iter=MANY))
    ]
    assert found[0].best_params_ == found[1].best_params_
    assert found[0].best_score_ == pytest.approx(found[1].best_score_, rel=1e-6)
    # LassoCV, on its own grid
    chosen = LassoCV(alphas=np.geomspace(40, 0.1, 20), cv=folds, tol=1e-8, max_iter=MANY).fit(X, Y)
    same = cb.CertifiedLassoCV(alphas=np.geomspace(40, 0.1, 20), cv=folds).fit(X, Y)
    assert same.alpha_ == pytest.approx(chosen.alpha_, rel=1e-12)
    assert same.coef_ == pytest.approx(chosen.coef_, abs=1e-3)
    assert same.certificate_.gap >= 0
    # a ColumnTransformer before it, on a frame with a column of text
    frame = X.assign(sex=np.where(X["sex"] == 1, "woman", "man"))
    encoded = make_column_transformer(
        (OneHotEncoder(drop="if_binary"), ["sex"]), remainder=StandardScaler()
    )
    both = [
        make_pipeline(encoded, model).fit(frame, Y).predict(frame[:9])
        for model in (
            cb.CertifiedLasso(alpha=0.5, tol=1e-10),
            Lasso(alpha=0.5, tol=1e-10, max_iter=MANY),
        )
    ]
    assert both[0] == pytest.approx(both[1], rel=1e-5)


def gradient_descent(step):
    """The method of PEPit's tutorial, with the step length `step` / L."""

    def method(loss, n_steps):
        x = loss.start
        for _ in range(n_steps):
            x = x - step * loss.fit(loss.gradient(x))
        return loss(x)

    return method


def test_a_pepit_user_follows_the_tutorial():
    """Smooth convex losses, a start at distance 1, n steps, the value at the end; the worst case is
    compared with the formula; then the step is changed.
    """
    for n_steps in (1, 3):
        found = cb.theory.worst_case(gradient_descent(1.0), n_steps, angle=1.0)
        formula = 1 / (4 * n_steps + 2)
        assert found.lower <= formula * (1 + 1e-9) and formula <= found.upper * (1 + 1e-9)
        assert found.lower == pytest.approx(formula, rel=1e-4)
    # shorter and longer steps: max(1 / (4 n h + 2), (1 - h)^(2 n) / 2)
    for step in (0.5, 1.7):
        found = cb.theory.worst_case(gradient_descent(step), 1, angle=1.0)
        formula = max(1 / (4 * step + 2), (1 - step) ** 2 / 2)
        assert found.lower == pytest.approx(formula, rel=1e-4)
        assert found.upper >= formula * (1 - 1e-9)
