"""Every method of every kind of dictionary equals its NumPy expression on the explicit matrix."""

import numpy as np
import pytest
import scipy.sparse
from designs import ROUNDOFF, seeded
from hypothesis import given
from hypothesis import strategies as st

import coordboost as cb

VERBS = ("scan", "correlations", "dot", "add", "column", "combine", "gram", "gather")


class Minimal:
    """An oracle with the required methods only."""

    def __init__(self, B):
        self.B, (self.n_samples, self.n_learners) = B, B.shape

    def scan(self, v):
        return v @ self.B

    def column(self, j):
        return self.B[:, j]


class Complete(Minimal):
    """An oracle with optional methods of its own, which record that they were used."""

    def __init__(self, B):
        super().__init__(B)
        self.used = []

    def correlations(self, v, index):
        self.used.append("correlations")
        return v @ self.B[:, index]

    def add(self, j, a, v):
        self.used.append("add")
        v += a * self.B[:, j]


def raw(seed=0, shape=(13, 7)):
    """Return a matrix with half of its entries zero: one column without zeros, one with a single
    entry, scales from 1e-3 to 1e3.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=shape) * (rng.random(shape) < 0.5) * 10.0 ** rng.integers(-3, 4, shape[1])
    X[:, 0], X[:, 1] = rng.normal(5.0, 1.0, shape[0]), 0.0
    X[3, 1] = -2.0
    return X


def unit_columns(X, weight, center):
    """Return columns of weighted mean 0 (if `center`) and weighted norm 1, by definition."""
    X = X - (weight @ X / weight.sum() if center else 0)
    return X / np.sqrt(weight @ X**2)


def problem(convert, center, weighted):
    X = raw()
    rng = np.random.default_rng(1)
    weight = rng.uniform(0.5, 2.0, 13) if weighted else np.ones(13)
    made = cb.Problem(convert(X), rng.normal(size=13), sample_weight=weight, center=center)
    return made.dictionary, unit_columns(X, weight, center)


def oracle(kind):
    B = unit_columns(raw(), np.ones(13), True)
    return cb.Problem(kind(B), np.arange(13.0)).dictionary, B


KINDS = {
    "dense": lambda: problem(np.asarray, True, False),
    "dense, weighted": lambda: problem(np.asarray, True, True),
    "dense, not centred": lambda: problem(np.asarray, False, False),
    "sparse": lambda: problem(scipy.sparse.csc_array, True, False),
    "sparse, weighted": lambda: problem(scipy.sparse.csr_matrix, True, True),
    "sparse, not centred": lambda: problem(scipy.sparse.coo_array, False, False),
    "oracle": lambda: oracle(Minimal),
    "oracle with verbs": lambda: oracle(Complete),
}
every_kind = pytest.mark.parametrize("kind", KINDS)
# A column is centred and scaled in about 20 roundings plus a sum over 13 samples; the raw columns
# have means up to 5 times their spread. The methods add a sum over 13 samples, or 7 learners, of
# vectors with norms as below.
COLUMN = 5 * (20 + 13) * ROUNDOFF


def vector(seed):
    return np.random.default_rng(seed).normal(size=13)


@every_kind
def test_columns(kind):
    D, B = KINDS[kind]()
    assert (D.n_samples, D.n_learners) == B.shape
    assert all(hasattr(D, verb) for verb in VERBS)
    np.testing.assert_allclose(
        np.column_stack([D.column(j) for j in range(7)]), B, rtol=0, atol=COLUMN
    )
    index = np.array([5, 0, 5])
    np.testing.assert_allclose(D.gather(index), B[:, index], rtol=0, atol=COLUMN)
    assert D.gather(index[:0]).shape == (13, 0)


@every_kind
def test_correlations(kind):
    D, B = KINDS[kind]()
    v = vector(2)
    index = np.array([6, 2, 2, 0])
    atol = np.linalg.norm(v) * (np.sqrt(13) * COLUMN + 13 * ROUNDOFF)
    np.testing.assert_allclose(D.scan(v), B.T @ v, rtol=0, atol=atol)
    np.testing.assert_allclose(D.correlations(v, index), B[:, index].T @ v, rtol=0, atol=atol)
    np.testing.assert_allclose([D.dot(j, v) for j in range(7)], B.T @ v, rtol=0, atol=atol)


@every_kind
def test_combinations(kind):
    """``add`` works in place on every sample; ``combine`` takes dense, sparse and zero
    coefficients.
    """
    D, B = KINDS[kind]()
    for beta in (np.arange(7.0) - 3, np.eye(7)[4], np.zeros(7)):
        atol = np.abs(beta).sum() * (COLUMN + 7 * ROUNDOFF)
        np.testing.assert_allclose(D.combine(beta), B @ beta, rtol=0, atol=atol)
        v = vector(3)
        total = v.copy()
        for j in range(7):
            assert D.add(j, beta[j], total) is None
        np.testing.assert_allclose(
            total, v + B @ beta, rtol=0, atol=atol + 14 * ROUNDOFF * np.abs(v).max()
        )


@every_kind
def test_gram(kind):
    D, B = KINDS[kind]()
    weight = np.random.default_rng(4).uniform(0.0, 2.0, 13)
    # a weighted inner product of unit columns is below 2; the sparse form takes differences of
    # numbers up to 5^2 times as large
    np.testing.assert_allclose(
        D.gram(weight), B.T @ (weight[:, None] * B), rtol=0, atol=2 * 25 * np.sqrt(13) * COLUMN
    )


@every_kind
def test_inputs_are_left_alone(kind):
    D, _ = KINDS[kind]()
    v = vector(5)
    beta = np.arange(7.0)
    weight = np.ones(13)
    kept = [a.copy() for a in (v, beta, weight)]
    D.scan(v), D.correlations(v, np.arange(3)), D.dot(0, v), D.combine(beta), D.gram(weight)
    assert all((a == b).all() for a, b in zip(kept, (v, beta, weight), strict=True))


def test_own_verbs_of_an_oracle_are_used():
    source = Complete(unit_columns(raw(), np.ones(13), True))
    run = cb.solve(cb.Problem(source, vector(8)), cb.rtgcd(3), 4, model_state=cb.engine.NaiveState)
    assert {"correlations", "add"} <= set(source.used) and run.final.l1 > 0


def test_an_oracle_without_its_verbs_is_refused():
    with pytest.raises(ValueError, match="lacks n_samples, n_learners"):
        cb.learners.Oracle(type("Half", (), {"scan": None, "column": None})())


@seeded
@given(data=st.data())
def test_whole_sparse_columns_are_exact(data):
    """Entries -1, 0, 1, not centred: scan and combine of the unscaled columns are whole numbers,
    without any rounding.
    """
    X = np.array(
        data.draw(
            st.lists(
                st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=4, max_size=4),
                min_size=1,
                max_size=6,
            )
        )
    )
    v = np.array(
        data.draw(st.lists(st.integers(-99, 99), min_size=len(X), max_size=len(X))), dtype=float
    )
    kept = np.flatnonzero(X.any(axis=0))
    S = scipy.sparse.csc_array(X[:, kept])
    D = cb.learners.Sparse(
        S.data,
        S.indices.astype(np.int64),
        S.indptr.astype(np.int64),
        np.ones(len(kept)),
        np.zeros(len(kept)),
        len(X),
    )
    beta = np.arange(1.0, len(kept) + 1)
    assert (D.scan(v) == X[:, kept].T @ v).all() and (D.combine(beta) == X[:, kept] @ beta).all()
    assert (D.gram(v) == X[:, kept].T @ (v[:, None] * X[:, kept])).all()
