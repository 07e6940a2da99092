"""Raw columns answer the same questions in memory, sparse, and on disk; names of columns set aside are formed when they are said."""

import numpy as np
import pytest
import scipy.sparse
from refusal import refused

import coordboost as cb
from coordboost.data import door
from coordboost.data.inmemory import columns_of
from coordboost.data.names import Names
from coordboost.data.standardize import Standardization

RNG = np.random.default_rng(2)
X = np.where(RNG.random((9, 7)) < 0.5, RNG.integers(-9, 10, (9, 7)), 0) * 1.0
COLUMNS = np.array([1, 2, 6])


def stored(X, folder):
    np.save(folder / "X.npy", X)
    return cb.open_columns(folder / "X.npy")


KINDS = {
    "dense": lambda X, _: X, "of columns": lambda X, _: np.asfortranarray(X),
    "sparse": lambda X, _: scipy.sparse.csr_array(X), "stored": stored,
}  # fmt: skip


def dense(X):
    return X.toarray() if scipy.sparse.issparse(X) else X


@pytest.mark.parametrize("kind", KINDS)
def test_parts(kind, tmp_path):
    """Some rows of some columns; what is sparse stays so."""
    out = columns_of(KINDS[kind](X, tmp_path)).part(COLUMNS, slice(2, 5))
    np.testing.assert_array_equal(dense(out), X[2:5][:, COLUMNS])
    assert scipy.sparse.issparse(out) == (kind == "sparse")


@pytest.mark.parametrize("kind", KINDS)
def test_bad_numbers_in_some_columns(kind, tmp_path):
    bad = X.copy()
    bad[4, 2] = np.nan
    refused(lambda: columns_of(KINDS[kind](bad, tmp_path)).part(COLUMNS, slice(None)), "X")


@pytest.mark.parametrize("kind", KINDS)
def test_scores_of_a_grid(kind, tmp_path):
    """On rows that are held in any way: losses of the models one by one, rounding of sums of seven products apart."""
    y = X @ np.arange(7.0) + RNG.normal(size=9)
    path = cb.lasso_path(X, y, n_alphas=12)
    each = [np.sum((y - X @ coef - intercept) ** 2) / 18 for coef, intercept in zip(path.coefs.T, path.intercepts, strict=True)]
    np.testing.assert_allclose(path.score_path(KINDS[kind](X, tmp_path), y), -np.array(each), rtol=1e-12)


def test_columns_that_no_learner_is_made_of():
    none = np.zeros(2)
    assert Standardization(np.array([1, 4]), none, none, 5).aside.tolist() == [0, 2, 3]
    assert Standardization(np.arange(2), none, none, 2).aside.tolist() == []


def test_few_names_are_formed_of_many_columns_set_aside(monkeypatch):
    """A table of words has tens of thousands of them, in every fold."""
    formed = []
    monkeypatch.setattr(door, "Names", lambda name, numbers: Names(lambda j: formed.append(j) or name(j), numbers))
    table = scipy.sparse.random_array((20, 3000), density=1e-3, rng=0, format="csc")
    with pytest.warns(cb.ConstantColumnWarning, match=r"29\d\d constant column\(s\) set aside.*: x0, x1, .*, \.\.\.\.$"):
        problem = cb.Problem(table, np.arange(20.0))
    assert len(formed) == 5 and len(problem.dropped) > 2900
