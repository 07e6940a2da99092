"""The Lasso chosen by cross-validation: five folds, 100 alphas.

All packages get the same folds and alphas, but for python-glmnet's folds.

The judge reports the chosen alpha, and the certified gap of the model there, computed from the data
alone.
"""

import warnings
from functools import partial

import numpy as np
import scipy.sparse
from sklearn.linear_model import LassoCV
from sklearn.model_selection import KFold

import coordboost as cb
from verification.benchmarks.harness import Contestant, compete, ratios
from verification.benchmarks.lasso import designs, grid_of, worst_gap
from verification.benchmarks.r import Desk

FOLDS = 5
TARGETS = (1e-3, 1e-6)


def folds_of(X):
    """Return (training rows, validation rows) of each fold."""
    return list(KFold(FOLDS, shuffle=True, random_state=0).split(X))


def ours(grid, tol):
    """Return the alpha chosen by ``CertifiedLassoCV``, and the coefficients there."""
    model = cb.CertifiedLassoCV(alphas=grid.alphas, cv=folds_of(grid.X), tol=tol).fit(
        grid.X, grid.y
    )
    return model.alpha_, model.coef_


def scikit_learn(grid, tol):
    """``LassoCV``; its tol is relative to ||y||^2, ours to ||y||^2 / 2."""
    model = LassoCV(alphas=grid.alphas, cv=folds_of(grid.X), tol=tol / 2, max_iter=50_000).fit(
        grid.X, grid.y
    )
    return model.alpha_, model.coef_


def celer(grid, tol):
    """``celer_path`` on each centred fold, as celer's ``LassoCV`` does.

    That class itself fails with scikit-learn 1.9.
    """
    from celer import celer_path

    path = partial(celer_path, pb="lasso", alphas=grid.alphas, tol=tol / 2, max_iter=100)
    losses = np.zeros(len(grid.alphas))
    for fit, held in folds_of(grid.X):
        X = grid.X[fit]
        y = grid.y[fit]
        mean = y.mean()
        centre = X.mean(axis=0)
        coefs = path(np.asfortranarray(X - centre), y - mean)[1]
        losses += ((grid.y[held][:, None] - (grid.X[held] - centre) @ coefs - mean) ** 2).sum(
            axis=0
        )
    k = int(np.argmin(losses))
    return grid.alphas[k], path(grid.X, grid.y)[1][:, k]


def glmnet(grid, tol):
    """``ElasticNet`` of python-glmnet with its own folds.

    Its tolerance bounds changes of coefficients, not the gap.
    """
    from glmnet import ElasticNet

    model = ElasticNet(
        alpha=1,
        lambda_path=grid.alphas,
        standardize=False,
        n_splits=FOLDS,
        cut_point=0,
        tol=tol * 1e-2,
        max_iter=10_000_000,
        scoring="mean_squared_error",
        random_state=0,
    )
    model.fit(grid.X, grid.y)
    return model.lambda_best_[0], np.ravel(model.coef_)


# by default fdev and devmax end a path early; all lambdas are needed here
CV_GLMNET = """
glmnet.control(fdev = 0, devmax = 1)
work <- function() cv.glmnet(X, y, lambda = alphas, foldid = fold, standardize = FALSE,
                             thresh = tol, maxit = 1e8)
answer <- function(cv) list(alpha = cv$lambda.min,
                            coef = as.numeric(coef(cv, s = "lambda.min"))[-1])
"""


def cv_glmnet(grid, desk, tol):
    """R's ``cv.glmnet`` on the same folds, timed by R.

    Its tolerance bounds steps, not the gap: 1e-7, its default, for tol = 1e-3.
    """
    fold = np.zeros(len(grid.y))
    for k, (_, held) in enumerate(folds_of(grid.X), 1):
        fold[held] = k
    return desk.run(
        "glmnet", CV_GLMNET, "alpha", "coef", alphas=grid.alphas, fold=fold, tol=tol * 1e-4
    )


PEERS = {"scikit-learn LassoCV": scikit_learn, "celer": celer, "python-glmnet": glmnet}
#: The only package that accepts sparse tables and ends within minutes: scikit-learn needs 25 s for
#: one fit on rcv1.
SPARSE = {"python-glmnet": glmnet}


def judged(grid, result):
    """Return the chosen alpha, and the gap of the model there."""
    alpha, coef = (
        (float(result["alpha"][0]), result["coef"]) if isinstance(result, dict) else result
    )
    return {
        "alpha": float(alpha),
        "gap": worst_gap(grid.X, grid.y, np.array([alpha]), coef[:, None], intercept=True),
    }


def tables(quick=False, only=(), limit=120.0):
    """Yield the tables, smallest first."""
    warnings.simplefilter("ignore")
    for name, (X, y) in designs(quick, only):
        sparse = scipy.sparse.issparse(X)
        peers = dict(SPARSE if sparse else PEERS)
        for eps in (1e-2, 1e-3):
            grid = grid_of(X, y, eps, limit=limit)
            if not sparse:
                peers["cv.glmnet (R)"] = partial(cv_glmnet, desk=Desk(grid.X, grid.y, limit))
            for target in TARGETS:
                contestants = [Contestant("coordboost", partial(ours, grid, target))]
                contestants += [
                    Contestant(peer, partial(run, grid, tol=target)) for peer, run in peers.items()
                ]
                rows = compete(contestants, partial(judged, grid))
                summary = ratios(
                    rows, "coordboost", fair=lambda row, target=target: row["gap"] <= target
                )
                yield {
                    "name": name,
                    "unit": "path",
                    "eps": eps,
                    "target": target,
                    "shape": list(grid.X.shape),
                    **summary,
                    "rows": rows,
                }
