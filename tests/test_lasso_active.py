"""The Lasso in Gram form by an active set: optimality by its conditions, the factor it keeps, tables where descent stalls."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

import coordboost as cb
from coordboost.lasso import active
from coordboost.lasso.active import ExactSolves, let_in, let_out, nobody
from coordboost.lasso.gram import GramForm
from coordboost.lasso.sweeps import gap_inside
from coordboost.screening.columns import ScaledColumns


def gram_of(n, p, seed, copies=0):
    """Gram matrix and correlations with a target of unit columns, the last `copies` copies, sign flips and sums of others."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n, p)).astype(float)
    for i in range(copies):
        X[:, p - 1 - i] = (X[:, i], -X[:, i], X[:, i] + X[:, i + 1])[i % 3]
    X /= np.maximum(np.linalg.norm(X, axis=0), 1e-300)
    return X.T @ X, X.T @ rng.integers(-9, 10, n).astype(float)


def conditions(gram, start, gamma, lam):
    """How far the point is from the optimum: the largest excess of a correlation, the largest fault of one on the support."""
    now, support = start - gram @ gamma, np.flatnonzero(gamma)
    return np.abs(now).max() - lam, np.abs(now - lam * np.sign(gamma))[support].max(initial=0.0)


@pytest.mark.parametrize("copies", [0, 4])
@pytest.mark.parametrize("warm", [False, True], ids=["from 0", "from anywhere"])
@pytest.mark.parametrize("seed", range(6))
def test_the_optimum_along_a_path(seed, warm, copies):
    """The conditions hold to rounding at every penalty, the correlations kept are those of the coefficients kept."""
    gram, start = gram_of(15, 12, seed, copies)
    gamma = np.random.default_rng(seed).integers(-1, 2, 12).astype(float) if warm else np.zeros(12)
    now, solves = start - gram @ gamma, ExactSolves()
    for lam in np.abs(start).max() * np.geomspace(1, 1e-3, 20):
        assert solves(gram, now, gamma, lam, 1e-13)
        # 12 terms of at most |gamma| each, 2.2e-16 apart, some hundred steps
        assert max(conditions(gram, start, gamma, lam)) <= 1e-11 * (1 + np.abs(gamma).max())
        np.testing.assert_allclose(now, start - gram @ gamma, atol=1e-11 * (1 + np.abs(gamma).max()))


def test_a_new_ridge_makes_a_new_factor():
    """The penalty of the elastic net stands on the diagonal: one solve is enough where the factor is that of the present one."""
    rng = np.random.default_rng(3)
    problem = cb.Problem(rng.normal(size=(30, 6)), rng.normal(size=30))
    net = GramForm(ScaledColumns(problem, ridge=np.full(6, 2.0)))
    net.recruit(np.setdiff1d(np.arange(6), net.block.learner))
    for share, most in ((0.05, 20), (0.049, 1), (0.04, 1)):
        lam = share * np.abs(net.zero).max()
        net.penalise(lam)
        assert net.exact(net.block.gram, net.now, net.gamma, lam, 1e-13, most=most) and (net.gamma != 0).all()


def test_when_to_stop():
    """A correlation may exceed lam by a quarter of goal / (extra + l1 norm), and one of the support be off by as much."""
    for over, moved in ((0.2, False), (0.3, True)):
        now, gamma = np.array([1.0 + over * 1e-3]), np.zeros(1)
        assert ExactSolves()(np.eye(1), now, gamma, 1.0, 1e-3, extra=1.0)
        assert gamma[0] == pytest.approx(over * 1e-3 * moved) and now[0] == pytest.approx(1.0 + over * 1e-3 * (not moved))
        now, gamma = np.array([1.0, 1.0 + over * 1e-3]), np.array([2.0, 0.0])
        assert ExactSolves()(np.eye(2), now, gamma, 1.0, 2e-3)
        assert (gamma[1] > 0) == moved and gamma[0] == 2.0


def test_rounding_is_not_corrected_for_ever(monkeypatch):
    """A goal that no correction reaches: one solve for each learner that joins, two or three corrections after each."""
    done, first = [], active.forward
    monkeypatch.setattr(active, "forward", lambda *system: done.append(1) or first(*system))
    gram, start = gram_of(30, 10, 0)
    now, gamma = start.copy(), np.zeros(10)
    assert not active.optimise(gram, nobody(10), now, gamma, 1e-3 * np.abs(start).max(), 1e-300, 0.0, 1000)
    assert len(done) <= 4 * 10
    assert max(conditions(gram, start, gamma, 1e-3 * np.abs(start).max())) <= 1e-13 * (1 + np.abs(gamma).max())


def test_when_the_gram_matrix_may_tell():
    """Only where its rounding, 2 u sqrt(n) (|gamma|_1 + |y|)^2, is a twentieth of the gap asked for at most: else the columns are read."""
    X = np.random.default_rng(1).standard_normal((40, 5))
    problem = cb.Problem(X, X @ np.ones(5))
    inner = GramForm(ScaledColumns(problem))
    lam = 0.1 * inner.level
    assert inner.fit(lam, 1e-9)
    size = np.abs(inner.model()[1]).sum() + np.linalg.norm(problem.y)
    rounding = 2 * np.finfo(float).eps * np.sqrt(40) * size**2
    gap = inner.check(lam, 0.0)
    inner.start = inner.start + 0.01  # what the Gram matrix would tell is wrong now
    for part, told in ((0.051, False), (0.049, True)):
        assert (abs(inner.check(lam, rounding / part) - gap) > 1e-6) == told


def test_the_factor_is_that_of_the_members():
    """In, out, in again in any order: U'U is the Gram matrix of the members, in their order."""
    gram, _ = gram_of(30, 10, 3)
    inside, rng = nobody(10), np.random.default_rng(0)
    for j in rng.integers(0, 10, 200):
        let_out(inside, j) if inside.place[j] >= 0 else let_in(gram, inside, j)
        k = inside.size[0]
        member, upper = inside.member[:k], np.triu(inside.factor[:k, :k])
        assert (inside.place[member] == np.arange(k)).all() and (inside.place >= 0).sum() == k
        np.testing.assert_allclose(upper.T @ upper, gram[np.ix_(member, member)], atol=1e-13)


def test_a_dependent_column_does_not_join():
    gram, _ = gram_of(30, 8, 1, copies=3)
    inside = nobody(8)
    assert all(let_in(gram, inside, j) for j in range(5))
    for j in (5, 6, 7):
        assert not let_in(gram, inside, j)
        np.testing.assert_allclose(gram[:5, :5] @ inside.way[:5], gram[j, :5], atol=1e-12)


@pytest.mark.parametrize("solver", [None, "descent"])
@pytest.mark.parametrize("n_samples", [300, 700])
def test_neighbouring_pixels(n_samples, solver):
    """Smooth images, 256 pixels: far down the path sweeps crawl, and the gap of 1e-8 is still reached."""
    rng = np.random.default_rng(0)
    images = gaussian_filter(rng.standard_normal((n_samples, 16, 16)), (0, 1.2, 1.2)).reshape(n_samples, -1)
    y = np.sign(images @ rng.standard_normal(256) + 0.1 * rng.standard_normal(n_samples))
    path = cb.lasso_path(images, y, eps=1e-6, tol=1e-8, solver=solver, n_alphas=30)
    assert (path.gaps <= 1e-8).all()
    centred, target = images - images.mean(axis=0), y - y.mean()
    for alpha, coef in zip(path.alphas, path.coefs.T, strict=True):
        resid = target - centred @ coef
        share = min(1.0, alpha * n_samples / np.abs(centred.T @ resid).max())
        primal = resid @ resid / 2 + alpha * n_samples * np.abs(coef).sum()
        dual = share * (resid @ target) - share**2 * (resid @ resid) / 2
        assert primal - dual <= 1.01e-8 * (target @ target) / 2


def test_the_gap_of_a_working_set_is_that_of_its_columns():
    """From Gram form alone."""
    X, y = np.array([[1.0, 0.5, 0.0], [0.0, 1.0, -1.0], [2.0, 0.0, 1.0]]), np.array([3.0, -1.0, 2.0])
    gamma, lam = np.array([1.0, 0.0, -0.25]), 2.5
    resid = y - X @ gamma
    start, now = X.T @ y, X.T @ resid
    share = min(1.0, lam / np.abs(now).max())
    primal, dual = resid @ resid / 2 + lam * np.abs(gamma).sum(), share * (resid @ y) - share**2 * (resid @ resid) / 2
    assert gap_inside(start, now, gamma, lam, y @ y) == pytest.approx(primal - dual, rel=1e-13)
