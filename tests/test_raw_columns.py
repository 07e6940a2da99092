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
COLUMNS, COEFS = np.array([1, 2, 6]), np.array([[1.0, 0, -2], [0, 0, 0], [0, 3, 0], [5, 1, 1]])


def stored(X, folder):
    np.save(folder / "X.npy", X)
    return cb.open_columns(folder / "X.npy")


KINDS = {
    "dense": lambda X, _: X, "of columns": lambda X, _: np.asfortranarray(X),
    "sparse": lambda X, _: scipy.sparse.csr_array(X), "stored": stored,
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_sums_of_some_columns(kind, tmp_path):
    """One for each row of coefficients, the same as one by one, and exact on whole numbers."""
    columns = columns_of(KINDS[kind](X, tmp_path))
    out = columns.combine_each(COLUMNS, scipy.sparse.csr_array(COEFS))
    np.testing.assert_array_equal(out, COEFS @ X[:, COLUMNS].T)
    assert out.flags.c_contiguous
    whole = np.zeros(7)
    whole[COLUMNS] = COEFS[3]
    np.testing.assert_array_equal(out[3], columns.combine(whole))


@pytest.mark.parametrize("kind", KINDS)
def test_bad_numbers_in_some_columns(kind, tmp_path):
    bad = X.copy()
    bad[4, 2] = np.nan
    columns = columns_of(KINDS[kind](bad, tmp_path))
    refused(lambda: columns.combine_each(COLUMNS, scipy.sparse.csr_array(COEFS)), "X")


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_parts(kind, tmp_path):
    """Some rows of some columns."""
    np.testing.assert_array_equal(columns_of(KINDS[kind](X, tmp_path)).part(COLUMNS, slice(2, 5)), X[2:5][:, COLUMNS])


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
