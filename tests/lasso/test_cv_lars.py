"""The lines for R's ``cv.lars`` in ``docs/phrase-book.md`` against its source in NumPy, on the
knots of scikit-learn's ``lars_path``.

R is not needed; results of its ``lars`` are compared in ``test_reference_sets.py``.
"""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import lars_path

import coordboost as cb

# folds of equal size: cv.lars weights folds equally
X, Y = (part[:440] for part in load_diabetes(return_X_y=True, scaled=False))
FOLD = np.random.default_rng(1).permutation(np.arange(440) % 10)
FOLDS = [(np.flatnonzero(k != FOLD), np.flatnonzero(k == FOLD)) for k in range(10)]


def predicted(fit, held, index, mode):
    """``predict(lars(X[fit], y[fit]), X[held], s = index, mode = mode)$fit``, (n_held,
    len(index)).
    """
    mean = X[fit].mean(axis=0)
    centre = Y[fit].mean()
    norm = np.sqrt(((X[fit] - mean) ** 2).sum(axis=0))
    beta = lars_path((X[fit] - mean) / norm, Y[fit] - centre, method="lasso")[2]
    l1 = np.abs(beta).sum(axis=0)
    at, s = (l1 / l1[-1], index) if mode == "fraction" else (np.arange(1, len(l1) + 1), index)
    return centre + (X[held] - mean) / norm @ np.array([np.interp(s, at, row) for row in beta])


def cv_lars(index, mode):
    """``residmat``, then its means and ``sqrt(apply(residmat, 1, var) / K)``."""
    residmat = np.array(
        [
            ((Y[held][:, None] - predicted(fit, held, index, mode)) ** 2).mean(axis=0)
            for fit, held in FOLDS
        ]
    )
    return residmat.mean(axis=0), np.sqrt(residmat.var(axis=0, ddof=1) / len(FOLDS))


@pytest.mark.parametrize(
    ("mode", "index"),
    [("fraction", np.linspace(0, 1, 100)), ("step", np.arange(1, 11))],
    ids=["fraction", "step"],
)
def test_cv_lars_line_by_line(mode, index):
    cv, error = cv_lars(index, mode)
    at = [
        cb.lasso.PathPoint(fraction=s) if mode == "fraction" else cb.lasso.PathPoint(step=s - 1)
        for s in index
    ]
    seen = cb.cross_validate(
        lambda X, y, weight: cb.exact_path(cb.Problem(X, y, sample_weight=weight)),
        X,
        Y,
        folds=FOLDS,
        at=at,
    )
    np.testing.assert_allclose(2 * seen.mean, cv, rtol=1e-10)
    np.testing.assert_allclose(2 * seen.error, error, rtol=1e-8)
    least = int(np.argmin(cv))
    assert seen.best == least > 0
    assert index[seen.one_se] == index[cv <= cv[least] + error[least]].min() < index[least]
