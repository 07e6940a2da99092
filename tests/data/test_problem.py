"""A Problem at its start, and columns declared to have unit norm, which are not rescaled; compared
with plain NumPy.
"""

import numpy as np
import pytest
import scipy.sparse

import coordboost as cb

U = np.finfo(float).eps
RNG = np.random.default_rng(21)
M, N = 30, 6
X = RNG.normal(size=(M, N)) + 1.0
Y = RNG.normal(size=M)
WEIGHT = RNG.integers(0, 4, M).astype(float)


def columns(problem):
    return problem.dictionary.gather(np.arange(problem.n_learners))


@pytest.mark.parametrize(
    "loss",
    [cb.losses.Squared(), cb.losses.Huber(0.5), cb.losses.Logistic()],
    ids=["squared", "Huber", "logistic"],
)
def test_the_largest_correlation_at_the_start(loss):
    """Sums of M products of numbers below 4 in size; the largest correlation may be negative or
    positive.
    """
    target = np.where(Y > 0, 1.0, -1.0) if isinstance(loss, cb.losses.Logistic) else Y
    for sign in (1.0, -1.0):
        problem = cb.Problem(X, sign * target, loss, sample_weight=WEIGHT)
        by_hand = columns(problem).T @ problem.resid(np.zeros(M))
        assert problem.start_size == pytest.approx(
            max(by_hand.max(), -by_hand.min()), rel=4 * M * U
        )
        assert problem.start_loss == problem.value(np.zeros(M))


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_sparse_columns_as_they_are_but_centred(weight):
    """scale=False with centring: columns of unit norm about nonzero means; scans, sums and
    coefficients agree with dense columns.
    """
    w = np.ones(M) if weight is None else weight
    thin = np.where(RNG.random((M, N)) < 0.4, X, 0.0)
    thin /= np.sqrt(w @ (thin - w @ thin / w.sum()) ** 2)
    dense, sparse = (
        cb.Problem(kind(thin), Y, center=True, scale=False, sample_weight=weight)
        for kind in (np.asarray, scipy.sparse.csc_array)
    )
    v = RNG.normal(size=M)
    beta = RNG.normal(size=N)
    unit = thin - w @ thin / w.sum()
    # sums of M products below 10 in size
    close = {"rtol": 0, "atol": 40 * M * U}
    np.testing.assert_allclose(sparse.scan(v), unit.T @ v, **close)
    np.testing.assert_allclose(sparse.combine(beta), unit @ beta, **close)
    np.testing.assert_allclose(columns(sparse), unit, **close)
    for problem in (dense, sparse):
        coef, intercept = problem.raw(beta)
        # norms are 1 only up to the tolerance of the check
        np.testing.assert_allclose(coef, beta, rtol=1e-8)
        np.testing.assert_allclose(thin @ coef + intercept, problem.constant + unit @ beta, **close)
        np.testing.assert_allclose(
            problem.predict(beta, thin), problem.constant + unit @ beta, **close
        )
