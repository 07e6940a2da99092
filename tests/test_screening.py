"""Screening: columns taken a part at a time are all looked at, with weights and scales too; against one NumPy product."""

import numpy as np
import pytest
import scipy.sparse

import coordboost as cb
from coordboost.screening.columns import FEW, ScaledColumns
from coordboost.screening.sphere import LastScans, Trend, few_entries

N_SAMPLES, N_LEARNERS = 12, 2 * FEW + 7
RNG = np.random.default_rng(31)
X, Y = RNG.normal(size=(N_SAMPLES, N_LEARNERS)), RNG.normal(size=N_SAMPLES)
SCALE = RNG.uniform(0.2, 1.0, N_LEARNERS)


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csc_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("weight", [None, RNG.uniform(0.5, 2, N_SAMPLES)], ids=["plain", "weighted"])
@pytest.mark.parametrize("scale", [None, SCALE], ids=["unit", "scaled"])
def test_levels_look_at_every_column(kind, weight, scale):
    """The residuals are columns themselves, those at the ends of the parts among them: one skipped and its level is too small."""
    problem = cb.Problem(kind(X), Y, sample_weight=weight)
    columns = ScaledColumns(problem, scale)
    assert (columns.root is None) == (weight is None)
    all_columns = np.empty((N_LEARNERS, N_SAMPLES))
    columns.gather(np.arange(N_LEARNERS), all_columns)
    w = np.ones(N_SAMPLES) if weight is None else weight
    by_hand = problem.dictionary.gather(np.arange(N_LEARNERS)).T * np.sqrt(w) * (1 if scale is None else scale[:, None])
    np.testing.assert_allclose(all_columns, by_hand, rtol=1e-15)
    resids = np.vstack([sign * all_columns[[0, 1, FEW - 1, FEW, 2 * FEW - 1, 2 * FEW, -1]] for sign in (1, -1)])
    expected = np.abs(resids @ all_columns.T).max(axis=1)
    # sums of so many products of numbers of size one, taken in another order
    np.testing.assert_allclose(columns.levels(resids), expected, rtol=0, atol=4 * N_SAMPLES * np.finfo(float).eps)
    np.testing.assert_allclose([np.abs(columns.scan(resid)).max() for resid in resids], expected, rtol=0, atol=1e-14)


def test_few_entries_is_exact_at_every_level():
    """Squares that fall as the levels do, two of each: between two equal ones no other level cuts where it should."""
    squares = np.repeat([1, 1 / 2, 1 / 4, 1 / 16, 1 / 256, 0], 2)
    np.testing.assert_allclose(few_entries(3 * np.sqrt(squares), 12) ** 2, 9 * np.append(0, np.cumsum(squares)), rtol=1e-7)


def to_span(resid, *scanned):
    """The distance of `resid` from the span of some residuals."""
    A = np.stack(scanned, axis=1)
    return np.linalg.norm(resid - A @ np.linalg.lstsq(A, resid, rcond=None)[0])


def scans_of(*resids, lams):
    """The columns, and what is known after scans of these residuals at these penalties."""
    B = X[:, X.any(axis=0)] / np.linalg.norm(X, axis=0)
    last = LastScans(resids[0], resids[0] @ B)
    for resid, lam in zip(resids[1:], lams, strict=True):
        last.add((resid, resid @ B), lam)
    return B, last


@pytest.mark.parametrize("size", [1.0, 1e140, 1e-140])
@pytest.mark.parametrize("far", [1.0, 1e6])
def test_two_scans_tell_all_but_the_way_to_their_span(size, far):
    """The correlations with any residual, to within its distance from the span of the two that were scanned."""
    first, then, new = size * RNG.normal(size=(3, N_SAMPLES))
    first *= far
    B, last = scans_of(first, then, lams=[0.1 * size])
    for resid in (new, then + 3.0 * (then - first), 0.0 * new, -2.0 * first, then):
        about = last.about(resid)
        assert last.about(-resid).rounding == about.rounding
        assert about.off == pytest.approx(to_span(resid, first, then), rel=1e-9, abs=1e-12 * size * far)
        assert (np.abs(resid @ B - about.corr) <= about.off).all()
        assert (np.abs(resid @ B - about.corr - about.rest @ B) <= about.rounding).all() and about.rounding <= 1e-12 * size * far


def test_which_scans_are_the_last_two():
    """One at the same penalty takes the place of the last, one at a smaller penalty that of the first."""
    r = RNG.normal(size=(4, N_SAMPLES))
    for lams, kept in (([0.3, 0.3], (0, 2)), ([0.3, 0.2], (1, 2)), ([0.3, 0.3, 0.1], (2, 3))):
        B, last = scans_of(*r[: len(lams) + 1], lams=lams)
        assert last.about(r[-1]).off == pytest.approx(to_span(r[-1], *r[list(kept)]), abs=1e-12)
        sizes, fell = np.abs(r @ B), ([0.0, *lams][kept[0]] or np.abs(r[0] @ B).max()) - lams[-1]
        trend = Trend(sizes[0])
        assert not trend.two and not trend.rise().any()
        for size, lam in zip(sizes[1:], lams, strict=False):
            trend.add(size, lam)
        np.testing.assert_allclose(trend.rise(), (sizes[kept[1]] - sizes[kept[0]]) / fell, rtol=1e-10, atol=1e-12)


def test_scans_that_tell_the_same():
    """Of one residual, twice, or of 0: there is no second direction, and nothing goes up."""
    resid, new = RNG.normal(size=(2, N_SAMPLES))
    _, once = scans_of(resid, lams=[])
    assert once.about(new).off == pytest.approx(to_span(new, resid))
    _, again = scans_of(resid, resid * (1 + 1e-15), lams=[0.1])
    assert again.about(new).off == pytest.approx(to_span(new, resid))
    _, nothing = scans_of(0.0 * resid, lams=[])
    about = nothing.about(new)
    assert not about.corr.any() and about.off == pytest.approx(np.linalg.norm(new))
