"""The contestants of the Lasso suite: functions of a `Grid` and a setting, which is a tolerance or
a number of steps.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse

import coordboost as cb
from verification.benchmarks import r

TOLERANCES = tuple(10.0**-k for k in range(1, 16))
GRAM_COLUMNS = 2_000  # most columns for contestants that form the whole Gram matrix


@dataclass
class Grid:
    """What every contestant is given: X with unit columns, y of unit norm, decreasing alphas.

    `limit` : most seconds of an R script.
    """

    X: object
    y: np.ndarray
    alphas: np.ndarray
    limit: float = 120.0

    @cached_property
    def desk(self):
        """X and y in files for R scripts."""
        return r.Desk(self.X, self.y, self.limit)

    @property
    def lams(self):
        """The alphas in the sum convention."""
        return self.alphas * len(self.y)


@dataclass(frozen=True)
class Peer:
    """A contestant.

    ladder : settings from loose to tight, or a function of the grid that returns them
    start : position in it where the search starts
    fits : X -> whether the package accepts it
    setting : name of the setting in the ladder, "" where there is none
    """

    name: str
    solve: object
    start: int = 0
    fits: object = lambda X: True
    ladder: object = TOLERANCES
    setting: str = "tol"


def is_dense(X):
    """Return whether X is dense, for peers without sparse input."""
    return not scipy.sparse.issparse(X)


def is_small(X):
    """Return whether X is dense and has few columns, for peers that form the whole Gram matrix."""
    return is_dense(X) and X.shape[1] <= GRAM_COLUMNS


def ours(grid, tol):
    """The certified path of this package."""
    # no peer copies X either
    problem = cb.Problem(grid.X, grid.y, center=False, scale=False, copy=False)
    return cb.lasso_path(problem, alphas=grid.alphas, tol=tol).coefs


def sklearn_path(grid, tol, precompute=False):
    """Coordinate descent of scikit-learn."""
    from sklearn.linear_model import lasso_path

    return lasso_path(
        grid.X, grid.y, alphas=grid.alphas, tol=tol, max_iter=100_000, precompute=precompute
    )[1]


def sklearn_gram(grid, tol):
    """Coordinate descent of scikit-learn on the Gram matrix, which it computes."""
    return sklearn_path(grid, tol, precompute=True)


def between(knots, coefs, lams):
    """Return the coefficients (n_learners, len(lams)) of a piecewise linear path with decreasing
    `knots`, given by columns of `coefs`.
    """
    at = np.clip(lams, knots[-1], knots[0])
    after = np.clip(np.searchsorted(-knots, -at), 1, len(knots) - 1)
    width = knots[after - 1] - knots[after]
    share = np.divide(knots[after - 1] - at, width, out=np.ones(len(at)), where=width > 0)
    return coefs[:, after - 1] * (1 - share) + coefs[:, after] * share


def sklearn_lars(grid, _):
    """The exact path of scikit-learn, with a higher limit of steps: by default it silently stops
    after 500.
    """
    from sklearn.linear_model import lars_path

    most = 10 * min(grid.X.shape)
    knots, _, coefs = lars_path(
        grid.X, grid.y, method="lasso", alpha_min=grid.alphas[-1], max_iter=most
    )
    return between(knots, coefs, grid.alphas)


def celer(grid, tol):
    """Working sets with dual extrapolation."""
    from celer import celer_path

    return celer_path(grid.X, grid.y, "lasso", alphas=grid.alphas, tol=tol, max_iter=100)[1]


def skglm(grid, tol):
    """Working sets with Anderson acceleration."""
    from skglm.datafits import Quadratic
    from skglm.penalties import L1
    from skglm.solvers import AndersonCD

    solver = AndersonCD(tol=tol, fit_intercept=False, max_iter=100, max_epochs=100_000)
    return solver.path(grid.X, grid.y, Quadratic(), L1(1.0), grid.alphas)[1]


def adelie(grid, tol):
    """Adelie's coordinate descent on columns, dense or sparse, with pivoted screening."""
    import adelie as ad

    X = grid.X if is_dense(grid.X) else ad.matrix.sparse(grid.X, n_threads=1)
    glm = ad.glm.gaussian(grid.y)
    whole = {"early_exit": False, "adev_tol": 1.0, "progress_bar": False}
    return ad.grpnet(
        X,
        glm,
        lmda_path=grid.alphas,
        intercept=False,
        tol=tol,
        max_iters=10**8,
        n_threads=1,
        **whole,
    ).betas.T


def adelie_gram(grid, tol):
    """Adelie on the Gram matrix.

    In its convention of sums the tolerance is relative to the null loss.
    """
    import adelie as ad

    A = np.asfortranarray(grid.X.T @ grid.X)
    v = grid.X.T @ grid.y
    whole = {"early_exit": False, "rdev_tol": 0.0, "progress_bar": False}
    return ad.gaussian_cov(
        A, v, lmda_path=grid.lams, tol=tol, max_iters=10**8, n_threads=1, **whole
    ).betas.T


def python_glmnet(grid, tol):
    """The Fortran code of R's glmnet."""
    from glmnet import ElasticNet

    whole = {"standardize": False, "fit_intercept": False, "n_splits": 0, "max_iter": 10**7}
    return (
        ElasticNet(alpha=1, lambda_path=grid.alphas, tol=tol, **whole)
        .fit(grid.X, grid.y)
        .coef_path_
    )


def r_glmnet(grid, tol, naive=True):
    """R's glmnet with naive updates (of the residual)."""
    done = grid.desk.run(
        "glmnet", r.GLMNET, "coefs", "alphas", tol=tol, alphas=grid.alphas, naive=naive
    )
    if len(done.result["alphas"]) < len(grid.alphas):
        raise ValueError(f"ended after {len(done.result['alphas'])} of {len(grid.alphas)} alphas")
    return done._replace(result=done.result["coefs"].reshape(len(grid.alphas), -1).T)


def r_glmnet_gram(grid, tol):
    """R's glmnet with covariance updates (inner products of columns)."""
    return r_glmnet(grid, tol, naive=False)


def r_lars(grid, steps):
    """R's lars, stopped after `steps` steps; the interpolation at the alphas is not timed."""
    done = grid.desk.run("lars", r.LARS, "knots", "coefs", stagewise=False, max_steps=steps)
    knots = done.result["knots"]
    return done._replace(
        result=between(knots, done.result["coefs"].reshape(len(knots), -1).T, grid.lams)
    )


def lars_steps(grid):
    """Return numbers of steps for R's lars, which cannot stop at an alpha: the knots of our path
    down to the smallest alpha, then more.
    """
    problem = cb.Problem(grid.X, grid.y, center=False, scale=False)
    knots = cb.exact_path(problem, lam_min=grid.lams[-1]).n_knots
    return (knots, math.ceil(1.1 * knots), 2 * knots, 10 * min(grid.X.shape))


PEERS = (
    Peer("scikit-learn lars_path", sklearn_lars, 0, is_dense, (0.0,), ""),
    Peer("scikit-learn lasso_path", sklearn_path, 2),
    Peer("scikit-learn lasso_path, Gram", sklearn_gram, 2, is_small),
    Peer("celer", celer, 2),
    Peer("skglm", skglm, 2),
    Peer("adelie", adelie, 5),
    Peer("adelie gaussian_cov", adelie_gram, 5, is_small),
    Peer("python-glmnet", python_glmnet, 5),
    Peer("R glmnet", r_glmnet, 5),
    Peer("R glmnet, covariance", r_glmnet_gram, 5, is_small),
    Peer("R lars", r_lars, 0, is_dense, lars_steps, "max.steps"),
)
