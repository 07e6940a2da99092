"""What rounding leaves at a corner, on states made by hand: when it is brought back, and when the corner is held to be exact."""

from types import SimpleNamespace

import numpy as np
import pytest

from coordboost.exact.corners import find_ties, free_direction, most_lagging
from coordboost.exact.pool import Pool
from coordboost.exact.rounding import (
    FINE,
    TRACKED,
    corner_gap,
    deviation,
    is_exact,
    measure_active,
    measure_residual,
    refactor,
    refine,
)  # fmt: skip
from coordboost.exact.state import EPS, LAR, LASSO, REAL, STAGEWISE, WHOLE

RNG = np.random.default_rng(4)
M, ACTIVE = 7, np.array([4, 0, 5, 2, 6])
BETA = np.array([0.3, -0.2, -0.5, 0.1, 0.25, 0.0, -0.7])


def corner(gram=True, orthonormal=False, beta=BETA, lam=0.0, off=None, seed=0):
    """Five active learners of seven candidates; their correlations, tracked and true, are lam s_j + off_j. What is unused is nan."""
    rng = np.random.default_rng(seed)
    B, k = np.linalg.qr(rng.standard_normal((20, M)))[0], len(ACTIVE)
    if not orthonormal:
        B = B + 0.3 * B[:, :1]
        B /= np.linalg.norm(B, axis=0)
    products, sign = B.T @ B, np.where(rng.random(M) < 0.5, -1.0, 1.0)
    corr = 0.4 * lam * sign
    corr[ACTIVE] = lam * sign[ACTIVE] + (np.zeros(k) if off is None else off)
    rank, factor, active = np.full(M, -1), np.full((M, M), np.nan), np.full(M, 99)
    rank[ACTIVE], active[:k] = np.arange(k), ACTIVE
    factor[:k, :k] = np.eye(k) if orthonormal else np.linalg.cholesky(products[np.ix_(ACTIVE, ACTIVE)]).T
    products_kept = np.eye(M) if orthonormal else products if gram else np.empty((0, M))
    target = B @ np.linalg.solve(products, corr) + B @ beta
    return SimpleNamespace(
        now=SimpleNamespace(
            kind=LASSO, n_active=k, n_candidates=M, n_tied=k, lam=lam, tolerance=0.0, square=float(target @ target)
        ), rank=rank, active=active, factor=factor, sign=sign, columns=np.ascontiguousarray(B.T), gram=products_kept,
        target=target, beta=beta.copy(), corr=corr, direction=np.ones(M), barred=np.zeros(M),
        work=np.full(M, np.nan), spare=np.full(M, np.nan), scratch=np.full(M, np.nan), resid=np.full(20, np.nan), lost=np.full(20, np.nan),
    )  # fmt: skip


def true_corr(path):
    return path.columns @ (path.target - path.beta @ path.columns)


@pytest.mark.parametrize("gram", [True, False], ids=["gram", "columns"])
def test_refining_leaves_the_level(gram):
    """The coefficients of the active learners move by G_AA^-1 off, and all correlations with them."""
    off = 1e-6 * np.array([3.0, -1.0, 2.0, 0.5, -4.0])
    path = corner(gram, lam=0.7, off=off)
    products = path.columns @ path.columns.T
    refine(path)
    change = np.zeros(M)
    change[ACTIVE] = np.linalg.solve(products[np.ix_(ACTIVE, ACTIVE)], off)
    np.testing.assert_allclose(path.beta - BETA, change, atol=1e-15)
    np.testing.assert_allclose(path.corr[ACTIVE], 0.7 * path.sign[ACTIVE], rtol=1e-15)
    np.testing.assert_allclose(path.corr, true_corr(path), atol=1e-14)


def one_off(size, by, beta=BETA, stretch=1.0):
    """A corner where one active correlation is off by `size` roundings of the coefficients' length, times `by`."""
    length = 1.0 + np.abs(beta[ACTIVE]).sum()
    path = corner(orthonormal=True, beta=beta, off=np.array([0.0, 0.0, -size * EPS * length * by, 0.0, 0.0]))
    path.factor *= stretch
    return path


@pytest.mark.parametrize(("by", "moves"), [(0.999, False), (1.001, True)])
def test_what_rounding_explains_stays(by, moves):
    """Sixteen roundings; sixty-four after a step: with a factor of 2 I a step takes away a quarter."""
    path = one_off(16, by)
    refine(path)
    assert (path.beta != BETA).any() == moves
    path = one_off(64 / 0.75, by, stretch=2.0)
    off = path.corr[5]
    refine(path)
    assert path.corr[5] == pytest.approx((0.75**2 if moves else 0.75) * off, rel=1e-12)


@pytest.mark.parametrize(("by", "anew"), [(0.999, False), (1.001, True)])
def test_a_factor_that_is_no_good_is_made_anew(by, anew):
    path = one_off(4096 / 0.75**2, by, stretch=2.0)
    off = path.corr[5]
    refine(path)
    assert path.corr[5] == pytest.approx(0.75**2 * off, rel=1e-12)
    np.testing.assert_allclose(path.factor[:5, :5], np.eye(5) if anew else 2 * np.eye(5), atol=1e-15)
    assert list(path.active[:5]) == list(ACTIVE) and path.now.n_active == 5


@pytest.mark.parametrize(("by", "measured"), [(0.999, False), (1.001, True)])
def test_large_coefficients_are_measured(by, measured):
    """The rounding of the length's square passes FINE: then the active correlations are taken from the residual, held to 4 roundings."""
    beta = np.where(BETA > 0, 1.0, -1.0) * (np.sqrt(FINE / EPS) * by - 1.0) / 5
    path = corner(orthonormal=True, beta=beta, lam=1.0)
    path.corr[ACTIVE] += 1e-3
    before = path.corr.copy()
    refine(path)
    moved = 0.0 if measured else 1e-3
    np.testing.assert_allclose((path.beta - beta)[ACTIVE], moved, atol=1e-13)
    np.testing.assert_allclose(path.corr[ACTIVE], path.sign[ACTIVE], rtol=1e-13)
    assert (path.corr[[1, 3]] == before[[1, 3]]).all()


@pytest.mark.parametrize("gram", [True, False], ids=["gram", "columns"])
def test_the_factor_anew(gram):
    """In the order of the active learners; one that depends on those before is active no more, and those behind it move up."""
    path = corner(gram)
    right = path.factor[:5, :5].copy()
    path.factor[:] = np.nan
    refactor(path)
    np.testing.assert_allclose(np.triu(path.factor[:5, :5]), right, atol=1e-14)
    path.columns[5] = path.columns[0]
    if gram:
        path.gram[:] = path.columns @ path.columns.T
    path.direction[:] = 1.0
    refactor(path)
    assert path.now.n_active == 4 and list(path.active[:4]) == [4, 0, 2, 6]
    assert list(path.rank) == [1, -1, 2, -1, 0, -1, 3] and list(np.flatnonzero(path.barred)) == [5]
    assert not path.direction[ACTIVE].any()


@pytest.mark.parametrize("gram", [True, False], ids=["gram", "columns"])
@pytest.mark.parametrize(("pivot", "refined"), [(1e-2, False), (0.999e-2, True)])
def test_the_free_direction_is_refined_where_a_pivot_is_small(pivot, refined, gram):
    """By what the products of the candidates leave of the signs: of a factor that is none of theirs much is left."""
    path = corner(gram)
    path.factor[:5, :5] = np.diag([1.0, 3.0, pivot, 2.0, 1.0])
    products, inverse = path.columns[ACTIVE] @ path.columns[ACTIVE].T, np.diag([1.0, 1 / 9, pivot**-2, 1 / 4, 1.0])
    target, sign = np.full(5, np.nan), path.sign[ACTIVE]
    free_direction(path, target)
    first = inverse @ sign
    np.testing.assert_allclose(target, first + inverse @ (sign - products @ first) if refined else first, rtol=1e-12)


def test_active_correlations_are_measured():
    path = corner(lam=0.3, off=np.full(5, 1e-3))
    right, path.corr = path.corr, np.full(M, 9.0)
    measure_active(path)
    np.testing.assert_allclose(path.corr[ACTIVE], right[ACTIVE], atol=1e-15)
    assert (path.corr[[1, 3]] == 9.0).all()


@pytest.mark.parametrize(("everywhere", "tied", "kind"), [(0, 5, LASSO), (1, 5, LASSO), (0, 6, LAR), (0, 5, LAR), (0, 5, STAGEWISE)])
def test_how_far_a_corner_is_off(everywhere, tied, kind):
    """How far the active learners are above the level and below it, and others where they are asked for; signs against coefficients."""
    wide = everywhere or tied > 5 or kind == STAGEWISE
    for others in ([0.1, -0.2], [0.71, -0.2], [0.3, -0.75]):
        off = np.array([1e-3, -3e-2, 0.0, 2e-2, 0.0])
        path = corner(lam=0.7, off=off)
        path.now.kind, path.now.n_tied, path.corr[[1, 3]] = kind, tied, others
        over, under, length, wrong = deviation(path, bool(everywhere))
        sign, beyond = path.sign[ACTIVE], np.abs(others) - 0.7
        assert over == pytest.approx(max(0.0, (sign * off).max(), beyond.max() if wide else 0.0))
        short = -beyond.min() if wide and kind != STAGEWISE else 0.0  # both others have coefficients
        assert under == pytest.approx(max(0.0, (-sign * off).max(), short))
        assert length == pytest.approx(1 + np.abs(BETA if wide else BETA[ACTIVE]).sum())
        against = np.abs(BETA[ACTIVE])[sign * BETA[ACTIVE] < 0].sum()
        assert wrong == pytest.approx(against if kind == LASSO else 0.0)


def test_a_corner_is_exact_as_tracked_or_as_it_is():
    """What is tracked counts with its roundings; where that is too much, all correlations are computed anew and count as they are."""
    beta = np.abs(BETA) * corner().sign
    beta[[1, 3]] = 0.0
    path = corner(lam=0.7, off=np.full(5, 1e-14), beta=beta)
    moved = path.corr + 1e-12 * path.sign
    moved[1] = 0.1
    path.corr = moved.copy()
    over, under, length, wrong = deviation(path, False)
    path.now.tolerance = corner_gap(path, over + TRACKED * length, under, length, wrong, path.now.square, 0.0)
    assert is_exact(path) and (path.corr == moved).all()
    path.now.tolerance = np.nextafter(path.now.tolerance, 0)
    assert is_exact(path) and (path.corr != moved).any()
    np.testing.assert_allclose(path.corr, true_corr(path), atol=1e-15)
    over, under, length, wrong = deviation(path, True)
    square = measure_residual(path)
    doubt = 4 * EPS * np.sqrt(20 * square)
    gap = corner_gap(path, over + doubt, under, length, wrong, square, 2 * EPS * length)
    for path.now.tolerance, exact in ((gap, True), (np.nextafter(gap, 0), False)):
        path.corr = moved.copy()
        assert is_exact(path) == exact


def test_candidates_that_fit_need_no_room():
    """Exactly as many as there is room for, and one more."""
    asked, added = [], []
    pool = object.__new__(Pool)
    pool.path = SimpleNamespace(found=np.arange(9), columns=np.zeros((8, 3)), now=SimpleNamespace(n_candidates=5))
    pool.source = SimpleNamespace(gather=lambda new, out: added.append((list(new), len(out))))
    pool.grow, pool._add = asked.append, lambda path, new, corr: added.append(list(new))
    for n in (3, 4):
        pool._choose = lambda path, corr, n=n: n
        pool.take(None)
    assert asked == [9] and added == [([0, 1, 2], 3), [0, 1, 2], ([0, 1, 2, 3], 3), [0, 1, 2, 3]]


@pytest.mark.parametrize(("least", "room"), [((), 16), ((16,), 16), ((17,), 17)])
def test_room_is_doubled_at_least(least, room):
    """What the candidates have is kept, at the beginning of the new arrays; other arrays are made anew."""
    asked, names, pool = [], (*WHOLE, *REAL), object.__new__(Pool)
    old = {name: np.full(8, float(i)) for i, name in enumerate(names)} | {"active": np.arange(4), "factor": np.full((4, 4), 7.0)}
    new = {name: np.full(room, -1.0) for name in names} | {"active": np.full(9, -1), "factor": np.full((9, 9), -1.0)}
    pool.path = SimpleNamespace(columns=np.zeros((8, 3)), _replace=lambda **new: SimpleNamespace(**new), **old)
    pool.held, pool._room = SimpleNamespace(reserve=asked.append), lambda: {"columns": 0, **new}
    pool.grow(*least)
    assert asked == [room] and pool.path.columns == 0
    for name, before in old.items():
        now = getattr(pool.path, name)
        inside = tuple(map(slice, before.shape))
        assert (now[inside] == before).all() and (now == -1).sum() == now.size - before.size


@pytest.mark.parametrize(
    ("before", "new"), [((0, 1, 0, 1, 1, 1), 0), ((1, 1, 0, 1, 1, 1), -1), ((0, 0, 0, 1, 1, 1), -1), ((1, 1, 1, 0, 0, 1), 3)]
)
def test_who_is_tied(before, new):
    """Within a tie of the level, or active; others take the sign of their correlation; who is new, where that is one alone."""
    now = SimpleNamespace(lam=1.0, tie=0.01, n_candidates=6, n_tied=9)
    path = SimpleNamespace(
        now=now, tied=np.array(before), corr=np.array([1.0, 0.99, 0.9899, -0.995, 0.2, -1.2]), barred=np.ones(6),
        rank=np.array([-1, -1, -1, -1, 0, -1]), sign=np.full(6, 7.0),
    )  # fmt: skip
    assert find_ties(path) == new and now.n_tied == 5 and not path.barred.any()
    assert list(path.tied) == [1, 1, 0, 1, 1, 1] and list(path.sign) == [1, 1, 7, -1, 7, -1]


@pytest.mark.parametrize("gram", [True, False], ids=["gram", "columns"])
def test_who_lags_most(gram):
    """Of the tied learners that are neither active nor barred the one that the level leaves behind most, the lowest of equals."""
    seen = set()
    for seed in range(30):
        path = corner(gram, seed=seed)
        path.now.n_tied, path.tied, path.learner = 7, np.ones(M), np.array([5, 3, 0, 2, 9, 1, 7])
        path.direction, path.columns[[1, 3]] = RNG.normal(size=M), RNG.normal(size=(2, 20))
        if gram:
            path.gram[:] = path.columns @ path.columns.T
        lag = 1 - path.sign * (path.columns @ (path.direction[ACTIVE] @ path.columns[ACTIVE]))
        found = most_lagging(path)
        assert found == (max((1, 3), key=lag.__getitem__) if max(lag[[1, 3]]) > 0 else -1)
        seen.add(found)
        for name, value in (("tied", 0), ("barred", 1)):
            getattr(path, name)[1] = value
            assert most_lagging(path) == (3 if lag[3] > 0 else -1)
            getattr(path, name)[1] = 1 - value
        path.columns[1], path.sign[1] = path.columns[3], path.sign[3]
        if gram:
            path.gram[:] = path.columns @ path.columns.T
        assert most_lagging(path) == (3 if lag[3] > 0 else -1)
        path.learner[[1, 3]] = 2, 3
        assert most_lagging(path) == (1 if lag[3] > 0 else -1)
        path.now.n_tied = 5
        assert most_lagging(path) == -1
    assert seen == {1, 3, -1}
