"""The phrase book: rows of scikit-learn, LightGBM and mboost give the same number as those
programs, or the page says what differs. Whole numbers in the table: every value is a bin of both.
"""

from pathlib import Path

import numpy as np
import pytest
from sklearn import linear_model
from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import coordboost as cb

PAGE = (Path(__file__).parents[2] / "docs" / "phrase-book.md").read_text(encoding="utf-8")
X, Y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
CLASSES = (Y > 140).astype(int)
WHOLE = X.round()
TREES = {"max_depth": None, "max_leaf_nodes": 31, "min_samples_leaf": 20, "max_features": None}
CENTRED = (X - X.mean()).to_numpy()
NORM = np.linalg.norm(CENTRED, axis=0)
EXACT = {"tol": 1e-10, "max_iter": 100_000}


def grown(n=20, kind=cb.RandomizedGBMRegressor, table=WHOLE, y=Y, **more):
    return kind(n_estimators=n, early_stopping=False, **(TREES | more)).fit(table, y)


def close(ours, theirs, tolerance=1e-6):
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * np.abs(theirs).max())


def test_linear_models_of_scikit_learn():
    theirs = linear_model.Lasso(alpha=1.0, **EXACT).fit(X, Y)
    close(cb.CertifiedLasso(alpha=1.0, tol=1e-10).fit(X, Y).coef_, theirs.coef_)
    theirs = make_pipeline(StandardScaler(), linear_model.Lasso(alpha=1.0, **EXACT)).fit(X, Y)
    ours = cb.CertifiedLasso(alpha=1.0, standardize=True, tol=1e-10).fit(X, Y)
    close(ours.predict(X), theirs.predict(X))
    theirs = linear_model.LassoCV(cv=5, **EXACT).fit(X, Y)
    ours = cb.CertifiedLassoCV(cv=5).fit(X, Y)
    assert ours.alpha_ == pytest.approx(theirs.alpha_, rel=1e-10)
    close(ours.coef_, theirs.coef_, 1e-5)
    theirs = linear_model.ElasticNet(alpha=1.0, l1_ratio=0.5, **EXACT).fit(X, Y)
    close(cb.CertifiedElasticNet(alpha=1.0, l1_ratio=0.5, tol=1e-10).fit(X, Y).coef_, theirs.coef_)


def test_paths_of_scikit_learn():
    target = (Y - Y.mean()).to_numpy()
    alphas, coefs, _ = linear_model.lasso_path(CENTRED, target, **EXACT)
    ours = cb.lasso_path(X, Y, unit_columns=False, tol=1e-10)
    close(ours.alphas, alphas, 1e-10)
    close(ours.coefs, coefs, 1e-5)
    alphas, _, coefs = linear_model.lars_path(CENTRED / NORM, target, method="lasso")
    ours = cb.exact_path(X, Y)
    units = [ours.problem.unit(ours.coef_at(step=k)) for k in range(ours.n_points)]
    close(units, coefs.T, 1e-9)
    close(ours.lam[:-1], len(Y) * alphas[:-1], 1e-9)
    theirs = linear_model.OrthogonalMatchingPursuit(n_nonzero_coefs=5).fit(CENTRED / NORM, target)
    ours = cb.solve(cb.Problem(X, Y), cb.forward_stepwise(), 5)
    close(ours.coef, theirs.coef_ / NORM, 1e-9)


def test_trees_of_scikit_learn():
    theirs = HistGradientBoostingRegressor(max_iter=20).fit(X, Y)
    ours = grown(table=X)
    close(ours.predict(X), theirs.predict(X))
    close(list(ours.staged_predict(X))[9], list(theirs.staged_predict(X))[9])


@pytest.fixture
def lightgbm():
    return pytest.importorskip("lightgbm")


def of(lightgbm, n=20, kind="LGBMRegressor", **more):
    """A model of LightGBM with every value of the table in a bin of its own."""
    return getattr(lightgbm, kind)(n_estimators=n, min_data_in_bin=1, verbose=-1, n_jobs=1, **more)


@pytest.mark.peers
def test_trees_of_lightgbm(lightgbm, tmp_path):
    theirs = of(lightgbm, 100).fit(WHOLE, Y)
    ours = grown(100)
    close(ours.predict(WHOLE), theirs.predict(WHOLE))
    close(list(ours.staged_predict(WHOLE))[9], theirs.predict(WHOLE, num_iteration=10))
    gain = theirs.booster_.feature_importance("gain")
    close(ours.feature_importances_, gain / gain.sum())
    (tmp_path / "model.txt").write_text(ours.lightgbm_text())
    read = lightgbm.Booster(model_file=tmp_path / "model.txt")
    close(read.predict(WHOLE), ours.predict(WHOLE), 1e-10)
    longer = of(lightgbm, 50).fit(WHOLE, Y, init_model=theirs)
    ours.set_params(warm_start=True, n_estimators=150).fit(WHOLE, Y)
    close(ours.predict(WHOLE), longer.predict(WHOLE))


@pytest.mark.peers
def test_contributions_of_lightgbm(lightgbm):
    theirs = of(lightgbm, 1).fit(WHOLE, Y).predict(WHOLE, pred_contrib=True)
    values, base = grown(1).contributions(WHOLE)
    close(values, theirs[:, :-1])
    close(base, theirs[:, -1])


@pytest.mark.peers
def test_groups_of_features_of_lightgbm(lightgbm):
    """Columns in no group are left out there, and are a further group here."""
    ours = grown(interaction_cst=[[0, 1], [2]]).predict(WHOLE)
    rest = [3, 4, 5, 6, 7, 8, 9]
    theirs = of(lightgbm, interaction_constraints=[[0, 1], [2], rest]).fit(WHOLE, Y)
    close(ours, theirs.predict(WHOLE))
    without = of(lightgbm, interaction_constraints=[[0, 1], [2]]).fit(WHOLE, Y)
    assert not without.feature_importances_[rest].any()
    assert "columns in no group are left out there" in PAGE


@pytest.mark.peers
def test_regularised_first_trees_of_lightgbm(lightgbm):
    close(
        grown(1, l2_regularization=1.0).predict(WHOLE),
        of(lightgbm, 1, reg_lambda=1.0).fit(WHOLE, Y).predict(WHOLE),
    )
    close(
        grown(1, min_gain=1000.0).predict(WHOLE),
        of(lightgbm, 1, min_split_gain=1000.0).fit(WHOLE, Y).predict(WHOLE),
    )


def best_cut(rows, resid, l2):
    """The gain of the best cut of some rows with 20 on each side, its feature and its place."""
    best = (0.0, -1, 0.0)
    whole = resid[rows].sum() ** 2 / (len(rows) + l2)
    for j, name in enumerate(WHOLE):
        order = rows[np.argsort(WHOLE[name].to_numpy()[rows], kind="stable")]
        values = WHOLE[name].to_numpy()[order]
        total = np.cumsum(resid[order])
        for n_left in range(20, len(rows) - 19):
            if values[n_left - 1] < values[n_left]:
                left, right = total[n_left - 1], total[-1] - total[n_left - 1]
                score = left**2 / (n_left + l2) + right**2 / (len(rows) - n_left + l2)
                if score - whole > best[0]:
                    best = (score - whole, j, values[n_left - 1])
    return best


@pytest.mark.parametrize(("l2", "min_gain"), [(1.0, 0.0), (0.0, 1000.0)])
def test_regularised_trees_are_those_of_a_plain_loop(l2, min_gain):
    resid = (Y - Y.mean()).to_numpy()
    for _ in range(3):
        leaves = [np.arange(len(Y))]
        cuts = [best_cut(leaves[0], resid, l2)]
        while len(leaves) < 8 and max(cuts)[0] > min_gain:
            k = max(range(len(cuts)), key=lambda k: cuts[k][0])
            _, j, place = cuts[k]
            left = WHOLE.iloc[leaves[k], j].to_numpy() <= place
            leaves[k : k + 1] = [leaves[k][left], leaves[k][~left]]
            cuts[k : k + 1] = [best_cut(rows, resid, l2) for rows in leaves[k : k + 2]]
        step = np.zeros(len(Y))
        for rows in leaves:
            step[rows] = resid[rows].sum() / (len(rows) + l2)
        resid = resid - 0.1 * step
    model = grown(3, max_leaf_nodes=8, l2_regularization=l2, min_gain=min_gain)
    close(model.predict(WHOLE), Y - resid)


def test_newton_leaves_are_damped():
    """So classifiers differ from those of scikit-learn and LightGBM: the same first cuts, shorter
    steps. The page says so.
    """
    ours = grown(1, cb.RandomizedGBMClassifier, X, CLASSES, newton=True, max_leaf_nodes=2)
    theirs = HistGradientBoostingClassifier(max_iter=1, max_leaf_nodes=2).fit(X, CLASSES)
    prior = np.log(CLASSES.mean() / (1 - CLASSES.mean()))
    ratio = (ours.decision_function(X) - prior) / (theirs.decision_function(X) - prior)
    assert ratio.min() > 0.4 and ratio.max() < 1
    assert "leaves are damped" in PAGE


def test_mboost_by_its_algorithm():
    """glmboost(center = TRUE, nu = 0.1): the column whose least squares fit lowers the sum of
    squares most, and a tenth of that fit.
    """
    resid = (Y - Y.mean()).to_numpy(copy=True)
    coef = np.zeros(10)
    chosen, risks, at_50 = [], [(resid**2).sum()], None
    for step in range(1, 501):
        slopes = CENTRED.T @ resid / NORM**2
        j = int(np.argmax(abs(slopes) * NORM))
        coef[j] += 0.1 * slopes[j]
        resid -= 0.1 * slopes[j] * CENTRED[:, j]
        chosen.append(j)
        risks.append((resid**2).sum())
        at_50 = coef.copy() if step == 50 else at_50
    fit = cb.solve(cb.Problem(X, Y), cb.ls_boost(eps=0.1), 300).resume(200)
    assert fit.path.learner.tolist() == chosen
    close(fit.coef, coef, 1e-9)
    close(fit.coef_at(step=50), at_50, 1e-9)
    close(2 * fit.losses, risks, 1e-9)
    close(fit.intercept, Y.mean() - X.mean() @ coef, 1e-9)
    close(fit.predict(X[:5]), Y[:5] - resid[:5], 1e-9)
