"""The Lasso path of 100 alphas at a certified gap: seconds of each peer at the loosest tolerance that reaches the target.

The ruler is one for all: the duality gap of the returned coefficients, computed here from the data alone, relative to the null loss,
largest over the path.
"""

import warnings

import numpy as np
import scipy.sparse

import coordboost as cb
from verification.benchmarks.data import ar1, npz, svmlight
from verification.benchmarks.harness import Contestant, compete, ratios

N_ALPHAS = 100
TOLERANCES = [10.0**-k for k in range(2, 15)]


def standardised(X, y):
    """Unit columns, centred where X is dense; y of unit norm: what every contestant is given."""
    X = scipy.sparse.csc_array(X) if scipy.sparse.issparse(X) else X - X.mean(axis=0)
    norms = np.sqrt(X.multiply(X).sum(axis=0)) if scipy.sparse.issparse(X) else np.linalg.norm(X, axis=0)
    kept = np.flatnonzero(norms > 0)
    X = X[:, kept] * (1 / norms[kept])[None, :]
    X = scipy.sparse.csc_matrix(X) if scipy.sparse.issparse(X) else np.asfortranarray(X)
    return X, y / np.linalg.norm(y)


def worst_gap(X, y, alphas, coefs):
    """Largest duality gap over the path, relative to ||y||^2 / 2."""
    resid = y[:, None] - X @ coefs
    corr = np.abs(X.T @ resid).max(axis=0)
    lam = alphas * len(y)
    scale = np.minimum(1.0, lam / np.maximum(corr, 1e-300))
    primal = (resid**2).sum(axis=0) / 2 + lam * np.abs(coefs).sum(axis=0)
    dual = scale * (y @ resid) - scale**2 * (resid**2).sum(axis=0) / 2
    return float((primal - dual).max() / (y @ y / 2))


def ours(X, y, alphas, tol):
    """The certified path of this package."""
    problem = cb.Problem(X, y, center=False, scale=False)
    return cb.lasso_path(problem, alphas=alphas, tol=tol).coefs


def sklearn_path(X, y, alphas, tol):
    """Coordinate descent of scikit-learn."""
    from sklearn.linear_model import lasso_path

    return lasso_path(X, y, alphas=alphas, tol=tol, max_iter=100_000)[1]


def sklearn_lars(X, y, alphas, tol):
    """The exact path of scikit-learn; it has no tolerance."""
    from sklearn.linear_model import lars_path

    knots, _, coefs = lars_path(X, y, method="lasso", alpha_min=alphas[-1])
    at = np.clip(alphas, knots[-1], knots[0])
    return np.array([np.interp(-at, -knots, row) for row in coefs])


def celer(X, y, alphas, tol):
    """Working sets with dual extrapolation."""
    from celer import celer_path

    return celer_path(X, y, "lasso", alphas=alphas, tol=tol, max_iter=100)[1]


def skglm(X, y, alphas, tol):
    """Working sets with Anderson acceleration."""
    from skglm.datafits import Quadratic
    from skglm.penalties import L1
    from skglm.solvers import AndersonCD

    solver = AndersonCD(tol=tol, fit_intercept=False, max_iter=100, max_epochs=100_000)
    return solver.path(X, y, Quadratic(), L1(1.0), alphas)[1]


def glmnet(X, y, alphas, tol):
    """The Fortran code of R's glmnet."""
    from glmnet import ElasticNet

    model = ElasticNet(alpha=1, lambda_path=alphas, standardize=False, fit_intercept=False, n_splits=0, tol=tol, max_iter=10**7)
    return model.fit(X, y).coef_path_


PEERS = {"scikit-learn lasso_path": sklearn_path, "celer": celer, "skglm": skglm, "python-glmnet": glmnet}


def loosest(solve, X, y, alphas, target):
    """The first tolerance at which the path's gap is within the target; None where none is."""
    for tol in TOLERANCES:
        if worst_gap(X, y, alphas, solve(X, y, alphas, tol)) <= target:
            return tol
    return None


def path(name, X, y, eps, target, rounds=5):
    """One table: the path down to eps of the largest alpha at the certified relative gap `target`."""
    X, y = standardised(X, y)
    alphas = np.geomspace(1.0, eps, N_ALPHAS) * np.abs(X.T @ y).max() / len(y)
    contestants = [Contestant("coordboost", lambda: ours(X, y, alphas, target))]
    if not scipy.sparse.issparse(X):
        contestants.append(Contestant("scikit-learn lars_path", lambda: sklearn_lars(X, y, alphas, 0.0)))
    for peer, solve in PEERS.items():
        try:
            tol = loosest(solve, X, y, alphas, target)
        except Exception as error:  # not installed, or fails on this problem: a row that says so
            contestants.append(Contestant(peer, lambda error=error: _fail(error)))
            continue
        if tol is None:
            contestants.append(Contestant(peer, lambda: _fail(RuntimeError("does not reach the target at any tolerance"))))
        else:
            contestants.append(Contestant(peer, lambda solve=solve, tol=tol: solve(X, y, alphas, tol), note=f"tol {tol:g}"))
    table = compete(contestants, lambda coefs: {"gap": worst_gap(X, y, alphas, coefs)}, rounds)
    summary = ratios(table, "coordboost", fair=lambda row: row["gap"] <= target)
    return {"name": name, "eps": eps, "target": target, "shape": list(X.shape), **summary, "rows": table}


def _fail(error):
    raise error


def designs(quick):
    """Name, X, y of every design at hand."""
    found = {"leukemia": npz("leukemia"), "colon-cancer": npz("colon-cancer")}
    if not quick:
        found["tall 10,000 x 500"] = ar1(10_000, 500, snr=5.0)
        found["wide 1,000 x 10,000"] = ar1(1_000, 10_000, snr=5.0)
        found["rcv1_small, sparse"] = svmlight("rcv1_small", 47_236)
    return {name: data for name, data in found.items() if data is not None}


def tables(quick=False):
    """Yield the tables, smallest first."""
    warnings.simplefilter("ignore")  # peers warn of tolerances that are out of reach; the gap column tells
    for name, (X, y) in designs(quick).items():
        for eps in (1e-2, 1e-3):
            for target in (1e-3, 1e-6):
                yield path(name, X, y, eps, target)
