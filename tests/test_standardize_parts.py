"""The parts of standardisation against naive arithmetic: sizes, means and norms of stored columns, zeros that are stored after all."""

import numpy as np
import pytest
import scipy.sparse
from refusal import refused

import coordboost as cb
from coordboost.data import standardize as parts
from coordboost.exact.homotopy import Homotopy
from coordboost.plots import ProfileDisplay

RNG = np.random.default_rng(8)
FULL = np.array([False, True, False, False, True, False])
DENSE = np.where((RNG.random((9, 6)) < 0.4) | FULL, RNG.normal(size=(9, 6)) * [1, 5, 1, 2, 1, 1] + [0, 90, 0, 3, -7, 0], 0.0)
DENSE[:, 2] = 0.0
WEIGHTS = {"ones": np.ones(9), "weights": np.array([0.5, 2.0, 0.0, 1.0, 1.5, 3.0, 1.0, 0.25, 2.0])}
over_weights = pytest.mark.parametrize("weight", WEIGHTS.values(), ids=WEIGHTS)


def stored():
    """The columns, three of them with zeros that are stored, and which column each entry is of."""
    X = scipy.sparse.csc_array(DENSE)
    return X, np.repeat(np.arange(6), np.diff(X.indptr))


def test_the_largest_entries():
    X, _ = stored()
    assert (parts._largest(X) == np.abs(DENSE).max(axis=0)).all()
    assert (parts._largest(scipy.sparse.csc_array((3, 4))) == np.zeros(4)).all()
    X.data[0] = np.nan
    assert list(np.isnan(parts._largest(X))) == [True, *[False] * 5]


def test_powers_of_two():
    """Between half of the number and the number, and the number itself where it is one."""
    assert list(parts._power_of_two(np.array([1.0, 1.99, 2.0, 0.75, 1e300, 0.0]))) == [1.0, 1.0, 2.0, 0.5, 2.0**996, 0.5]


@over_weights
def test_means_and_squares_of_stored_columns(weight):
    """Of full columns the entries are centred; of others the zeros count, too."""
    X, column = stored()
    mean = parts._centre(X.data, column, weight[X.indices], weight.sum(), FULL)
    right = weight @ DENSE / weight.sum()
    np.testing.assert_allclose(mean, right, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(X.toarray(), np.where(FULL, DENSE - right, DENSE), atol=1e-13)
    shift = np.where(FULL, 0.0, mean)
    square = weight @ (DENSE - right) ** 2
    np.testing.assert_allclose(parts._square(X.data, column, weight, X.indices, shift, FULL), square, rtol=1e-12, atol=1e-15)
    plain = parts._square(X.data, column, weight, X.indices, np.zeros(6), FULL)
    np.testing.assert_allclose(plain, weight @ X.toarray() ** 2, rtol=1e-13)


def test_zeros_are_stored():
    """In the columns asked for, and nothing changes."""
    X, _ = stored()
    whole = parts._with_zeros(X, np.array([True, False, True, False, False, True]))
    assert (whole.toarray() == DENSE).all()
    before = np.diff(X.indptr)
    assert list(np.diff(whole.indptr)) == [9, 9, 9, before[3], 9, 9]


@over_weights
@pytest.mark.parametrize("scale", [True, False])
def test_plain_squares(scale, weight):
    """Only where no weights are, and where nothing is near the ends of the range."""
    out = np.array([[1.0, 2.0, 3.0], [1e-90, 2e90, 0.0]])
    for table, plain in ((out, True), (out * [[1e12], [1.0]], True), (out * [[1.0], [1e11]], False), (out * [[1e-101], [1.0]], False)):
        found = parts._plain_squares(table, weight[:3], scale)
        assert (found is not None) == (plain and (weight == 1).all())
        if found is not None:
            np.testing.assert_allclose(found, (table**2).sum(axis=1), rtol=1e-15)


def test_unit_norm_is_a_matter_of_rounding():
    parts.check_unit(np.array([1.0, 1 + 0.9 * parts.NEAR, 1 - 0.9 * parts.NEAR]))
    for norm in (1 + 1.1 * parts.NEAR, 1 - 1.1 * parts.NEAR, 0.0):
        refused(lambda norm=norm: parts.check_unit(np.array([1.0, norm, 3.0])), "column 1 has norm")


def test_rows_that_count():
    """Those above 2048^2 u^2 of all weight, times their number."""
    least = 5 * (2048 * np.finfo(float).eps) ** 2
    weight = np.array([1.0, 2.0 * least, 0.5 * least, 0.0, least])
    assert list(parts.counted(weight / weight.sum() * 1.0)) == [True, True, False, False, False]


def test_ties_of_an_exact_path():
    """The rounding of the problem's correlations in the unit of the path, or 1e-13 where that is less."""
    for n in (20, 3000):
        problem = cb.Problem(RNG.normal(size=(n, 3)), RNG.normal(size=n) * 100)
        walk = Homotopy(problem, "lasso", 0.0)
        assert (problem.tie / walk.unit > 1e-13) == (n == 3000)
        assert walk.tie == (problem.tie / walk.unit if n == 3000 else 1e-13)


def test_corners_are_shown_where_there_are_some():
    """Of an exact path with few of them, not of a grid."""
    X, y = RNG.normal(size=(20, 3)), RNG.normal(size=20)
    assert ProfileDisplay.from_path(cb.exact_path(X, y)).corners is True
    assert ProfileDisplay.from_path(cb.lasso_path(X, y, n_alphas=5)).corners is False


def test_columns_of_zeros_are_set_aside_where_nothing_is_centred():
    """Stored as nothing, as zeros, or dense."""
    X = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 1.0], [3.0, 0.0, 0.0]])
    stored = scipy.sparse.csc_array((np.append(X[X[:, 0] > 0, 0], [0.0, 2.0, 1.0]), [0, 2, 1, 0, 1], [0, 2, 3, 5]), shape=(3, 3))
    for table in (X, scipy.sparse.csc_array(X), stored):
        with pytest.warns(cb.ConstantColumnWarning):
            problem = cb.Problem(table, np.array([1.0, 2.0, 4.0]), center=False)
        assert problem.standardization.kept.tolist() == [0, 2] and np.isfinite(problem.gather(np.arange(2))).all()
