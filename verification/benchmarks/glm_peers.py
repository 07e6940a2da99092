"""Contestants for penalised paths with an intercept: the columns are penalised as they are.

Functions of a `Path` and a tolerance; all return coefficients (n_columns, n_alphas).
"""

from dataclasses import dataclass

import numpy as np

import coordboost as cb
from verification.benchmarks import judge
from verification.benchmarks.lasso_peers import Peer, between, is_dense, is_small

LOSSES = {
    "squared": cb.losses.Squared(),
    "logistic": cb.losses.Logistic(),
    "poisson": cb.losses.Poisson(),
}


@dataclass(frozen=True)
class Judged:
    """What every contestant is given.

    X : array in Fortran order, or CSC matrix
    y : (n,)
    alphas : (n_alphas,), decreasing
    """

    X: object
    y: np.ndarray
    alphas: np.ndarray

    def gap(self, coefs):
        """Return the largest relative gap of a contestant over the path."""
        upper, lower = self.bounds(coefs)
        return float((upper - lower).max())


@dataclass(frozen=True)
class Path(Judged):
    """A path of one loss, a key of ``LOSSES``; labels 0 and 1 for the logistic one."""

    loss: str = "squared"
    l1_ratio: float = 1.0

    @classmethod
    def of(cls, X, y, loss="squared", l1_ratio=1.0, ratio=1e-2, n_alphas=100):
        """Return a path from the smallest alpha with an empty model down to `ratio` times it.

        For the squared loss y gets variance 1: python-glmnet divides a part of the penalty of the
        elastic net by the variance.
        """
        y = y / y.std() if loss == "squared" else y
        largest = np.abs(X.T @ (y - y.mean())).max() / len(y) / max(l1_ratio, 1e-3)
        return cls(X, y, np.geomspace(1, ratio, n_alphas) * largest, loss, l1_ratio)

    def bounds(self, coefs):
        """Return the objectives and lower bounds of ``judge``."""
        tall = is_dense(self.X) and len(self.y) > 10 * self.X.shape[1]
        if tall and self.loss == "squared" and self.l1_ratio == 1:
            return judge.bounds_of_gram(self.X, self.y, self.alphas, coefs)
        return judge.bounds(self.X, self.y, self.alphas, coefs, self.loss, self.l1_ratio)


def ours(path, tol):
    """The certified path of this package."""
    y = 2 * path.y - 1 if path.loss == "logistic" else path.y
    grid = cb.lasso_path(
        path.X,
        y,
        path.alphas,
        loss=LOSSES[path.loss],
        l1_ratio=path.l1_ratio,
        unit_columns=False,
        refit_intercept=path.loss != "squared",
        tol=tol,
    )
    return grid.coefs


def adelie(path, tol):
    """Adelie's coordinate descent."""
    import adelie as ad

    glm = {"squared": ad.glm.gaussian, "logistic": ad.glm.binomial, "poisson": ad.glm.poisson}
    X = path.X if is_dense(path.X) else ad.matrix.sparse(path.X, n_threads=1)
    state = ad.grpnet(
        X,
        glm[path.loss](path.y),
        lmda_path=path.alphas,
        alpha=path.l1_ratio,
        tol=tol,
        irls_tol=tol,
        max_iters=10**8,
        early_exit=False,
        adev_tol=1.0,
        progress_bar=False,
        n_threads=1,
    )
    if len(state.lmdas) < len(path.alphas):
        raise ValueError(f"ended after {len(state.lmdas)} of {len(path.alphas)} alphas")
    return state.betas.T


def adelie_gram(path, tol):
    """Adelie on the Gram matrix of the centred columns, which is computed here."""
    import adelie as ad

    n = len(path.y)
    means = path.X.mean(axis=0)
    gram = np.asfortranarray((path.X.T @ path.X) / n - np.outer(means, means))
    corr = (path.X.T @ path.y) / n - path.y.mean() * means
    return ad.gaussian_cov(
        gram,
        corr,
        lmda_path=path.alphas,
        alpha=path.l1_ratio,
        tol=tol,
        max_iters=10**8,
        early_exit=False,
        rdev_tol=0.0,
        progress_bar=False,
        n_threads=1,
    ).betas.T


def glmnet(path, tol):
    """The Fortran code of R's glmnet, in python-glmnet."""
    from glmnet import ElasticNet, LogitNet

    model = (LogitNet if path.loss == "logistic" else ElasticNet)(
        alpha=path.l1_ratio,
        lambda_path=path.alphas,
        standardize=False,
        n_splits=0,
        tol=tol,
        max_iter=10**7,
    )
    coefs = model.fit(path.X, path.y).coef_path_
    coefs = coefs.reshape(-1, coefs.shape[-1])
    if coefs.shape[1] < len(path.alphas):
        raise ValueError(f"ended after {coefs.shape[1]} of {len(path.alphas)} alphas")
    return coefs


def sklearn_path(path, tol, precompute=False):
    """Coordinate descent of scikit-learn on centred columns."""
    from sklearn.linear_model import enet_path

    X = np.asfortranarray(path.X - path.X.mean(axis=0))
    return enet_path(
        X,
        path.y - path.y.mean(),
        alphas=path.alphas,
        l1_ratio=path.l1_ratio,
        tol=tol,
        max_iter=100_000,
        precompute=precompute,
    )[1]


def sklearn_gram(path, tol):
    """The same on the Gram matrix."""
    return sklearn_path(path, tol, precompute=True)


def sklearn_lars(path, _):
    """The exact path of scikit-learn."""
    from sklearn.linear_model import lars_path

    X = path.X - path.X.mean(axis=0)
    knots, _, coefs = lars_path(
        X,
        path.y - path.y.mean(),
        method="lasso",
        alpha_min=path.alphas[-1],
        max_iter=10 * min(X.shape),
    )
    return between(knots, coefs, path.alphas)


def eigenvectors(path, _):
    """Ridge in a few lines of NumPy, from the eigenvectors of the smaller Gram matrix."""
    X = path.X - path.X.mean(axis=0)
    y = path.y - path.y.mean()
    lam = len(y) * path.alphas
    tall = X.shape[0] > X.shape[1]
    values, vectors = np.linalg.eigh(X.T @ X if tall else X @ X.T)
    target = X.T @ y if tall else y
    models = vectors @ ((vectors.T @ target)[:, None] / (values[:, None] + lam))
    return models if tall else X.T @ models


ADELIE = Peer("adelie", adelie, 4)
GRAM = Peer("adelie gaussian_cov", adelie_gram, 4, is_small)
GLMNET = Peer("python-glmnet", glmnet, 4)
ENET = Peer("scikit-learn enet_path", sklearn_path, 2, is_dense)
ENET_GRAM = Peer("scikit-learn enet_path, Gram", sklearn_gram, 2, is_small)
LARS = Peer("scikit-learn lars_path", sklearn_lars, 0, is_dense, (0.0,), "")
EIGH = Peer("numpy.linalg.eigh", eigenvectors, 0, is_dense, (0.0,), "")


@dataclass(frozen=True)
class Classes(Judged):
    """A path of the multinomial loss; labels 0, 1, ..."""

    @classmethod
    def of(cls, X, y, ratio=1e-2, n_alphas=100):
        """Return a path from the smallest alpha with an empty model down to `ratio` times it."""
        Y = np.eye(y.max() + 1)[y]
        largest = np.abs(X.T @ (Y - Y.mean(axis=0))).max() / len(y)
        return cls(X, y, np.geomspace(1, ratio, n_alphas) * largest)

    def bounds(self, coefs):
        """Return the objectives and lower bounds; coefs : (n_alphas, n_classes, n_columns)."""
        return judge.bounds_of_classes(self.X, self.y, self.alphas, coefs)


def our_classes(path, tol):
    """The certified path of this package; adelie puts the classes of a column into one group, which
    is another penalty.
    """
    grid = cb.lasso.multinomial_path(path.X, path.y, path.alphas, tol=tol, unit_columns=False)
    return grid.models.toarray().reshape(len(path.alphas), -1, path.X.shape[1])


def glmnet_classes(path, tol):
    """The Fortran code of R's glmnet, in python-glmnet."""
    from glmnet import LogitNet

    model = LogitNet(
        lambda_path=path.alphas, standardize=False, n_splits=0, tol=tol, max_iter=10**7
    ).fit(path.X, path.y)
    return np.moveaxis(model.coef_path_, -1, 0)


GLMNET_CLASSES = Peer("python-glmnet", glmnet_classes, 4)
