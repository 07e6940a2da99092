"""Exact paths: R lars and certified truth, ties of every kind, any scale, and the same path from any candidates."""

from functools import cache

import numpy as np
import pytest
import scipy.sparse
from designs import as_it_is, columns
from reference_sets import REGRESSION, ReferenceSet, needs_reference_sets
from refusal import case, refused

import coordboost as cb
from coordboost.engine import pool

KINDS = {"lasso": "lars_lasso", "lar": "lars_lar", "stagewise": "lars_fs0"}


@cache
def path_of(name, kind):
    reference = ReferenceSet(name)
    capped = 300 if (name, kind) == ("leukemia", "stagewise") else None
    return cb.exact_path(as_it_is(reference.X, reference.y), kind=kind, max_corners=capped)


def reference_path(name, kind):
    """lam (k,) and coefficients (k, p): certified where R lars is wrong, R lars elsewhere."""
    reference = ReferenceSet(name)
    tag = {"lasso": "true_lasso", "stagewise": "true_fs0"}.get(kind, "") if name.startswith("ties") else ""
    return reference[f"{tag or KINDS[kind]}_lambda"], reference[f"{tag or KINDS[kind]}_beta"]


def interpolated(lam, beta, at):
    """Coefficients of a piecewise linear path at the levels `at`, (len(at), p)."""
    order, used = np.argsort(lam, kind="stable"), np.flatnonzero(beta.any(axis=0))
    return np.column_stack([np.interp(at, lam[order], beta[order, j]) for j in used]), used


@needs_reference_sets
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", REGRESSION)
def test_same_curve_as_the_reference(name, kind):
    """The fits agree at the corners of either path: to 1e-10 |y|, what conditioning leaves of R's 16 digits (diabetes64: 3e-11)."""
    reference, path = ReferenceSet(name), path_of(name, kind)
    lam, beta = reference_path(name, kind)
    size, low = reference.size, path.lam[-1]
    for level, theirs in zip(lam, beta, strict=True):
        if level >= low:
            assert np.linalg.norm(reference.X @ (path.coef_at(lam=level) - theirs)) <= 1e-10 * size
    inside = (path.lam >= lam[-1]) & (path.lam <= lam[0])
    theirs, used = interpolated(lam, beta, path.lam[inside])
    ours = path.beta.toarray()[inside]
    assert np.abs(ours @ reference.X.T - theirs @ reference.X[:, used].T).max() <= 1e-10 * size


@needs_reference_sets
@pytest.mark.parametrize("name", ["prostate", "diabetes10", "leukemia", "lincomb", "dupflip"])
@pytest.mark.parametrize("kind", ["lasso", "lar"])
def test_same_corners_as_lars(name, kind):
    """Where R lars is sound and its corners are distinct, number, level and coefficients of the corners agree."""
    lam, beta = reference_path(name, kind)
    path = path_of(name, kind)
    assert path.complete and path.n_corners == len(lam)
    np.testing.assert_allclose(path.lam, lam, rtol=0, atol=1e-12 * lam[0])
    np.testing.assert_allclose(path.l1, np.abs(beta).sum(axis=1), rtol=1e-9, atol=1e-12)
    if name != "dupflip":
        np.testing.assert_allclose(path.beta.toarray(), beta, rtol=0, atol=1e-9 * np.abs(beta).max())


@needs_reference_sets
@pytest.mark.parametrize("name", ["prostate", "diabetes10", "leukemia"])
def test_events_are_those_of_lars(name):
    reference, path = ReferenceSet(name), path_of(name, "lasso")
    kind = reference["lars_lasso_action_kind"]
    # R names the knot by the step that ends there: its step k is our segment after corner k
    theirs = [(int(j), int(s)) for j, s in zip(reference["lars_lasso_action_var"], kind, strict=True) if s != -2]
    assert sorted((j, s) for corner, j, s in path.events if corner < path.n_corners - 1) == sorted(theirs)


@needs_reference_sets
@pytest.mark.parametrize("name", REGRESSION)
def test_every_corner_and_midpoint_is_certified(name):
    """Gap at most 1e-12 of the loss at 0; 1e-11 for the two sets whose Gram matrix has a condition number above 1e5."""
    path = path_of(name, "lasso")
    allowed = {"prostate44": 1e-11, "diabetes64": 4e-11}.get(name, 1e-12)
    assert path.complete and path.lam[-1] == 0 and (path.gaps() <= allowed).all()
    null = path.problem.value(0 * path.problem.y)
    for lam in (path.lam[1:] + path.lam[:-1])[::3] / 2:
        assert path.certificate(lam).gap <= allowed * null


@needs_reference_sets
def test_prostate_as_printed():
    path = path_of("prostate", "lasso")
    printed = [0, 1.5139, 8.9066, 9.4495, 9.8481, 11.6599, 14.7192, 17.1677, 18.4587]
    np.testing.assert_allclose(path.l1, printed, atol=0.51e-4)
    assert tuple(j for _, j, start in path.events if start > 0) == (7, 4, 1, 5, 2, 6, 3, 0)
    # the smallest l1 norm of a least squares solution, found there by linear programming
    assert abs(path_of("prostate44", "lasso").l1[-1] - 954.2820) <= 1e-3


def test_tie_at_the_start():
    """FGM trap T2: correlations (2, 2, 1.4), where a widely used program is not optimal."""
    X = np.array([[1, 0.6, 0], [0, 0.8, 0.6], [0, 0, 0.8]])
    path = cb.exact_path(as_it_is(X, np.array([2.0, 1.0, 1.0])))
    assert (path.gaps() <= 1e-14).all() and path.lam[0] == 2 and path.lam[-1] == 0


def test_golden_lasso():
    """Exact knots of the specification: l1 = 0.8, 322/65, 6.5."""
    X = np.array([[1, 0.6, 0], [0, 0.8, 0.6], [0, 0, 0.8]])
    path = cb.exact_path(as_it_is(X, np.array([3.0, 1.0, 2.0])))
    np.testing.assert_allclose(path.l1, [0, 0.8, 322 / 65, 6.5], rtol=1e-13)
    np.testing.assert_allclose(path.coef_at(l1=1.0), [0.9, 0, 0.1], atol=1e-14)
    np.testing.assert_allclose(path.coef_at(l1=3.0), [1.9, 0, 1.1], atol=1e-14)


def standardised(X, y):
    """Centred unit columns, constant ones left out."""
    X = X - X.mean(axis=0)
    norm = np.linalg.norm(X, axis=0)
    keep = norm > 1e-9
    return as_it_is(X[:, keep] / norm[keep], y - y.mean())


def sign_design(seed):
    """12 x 7, balanced +-1 columns, whole targets."""
    rng = np.random.default_rng(seed)
    signs = np.array([rng.permutation(np.repeat([-1.0, 1.0], 6)) for _ in range(7)]).T
    return standardised(signs, rng.integers(-9, 10, 12).astype(float))


def binary_design(seed):
    """10 x 15, random 0/1 columns."""
    rng = np.random.default_rng(seed)
    return standardised(rng.integers(0, 2, (10, 15)).astype(float), rng.standard_normal(10))


def assert_exact(problem):
    """The Lasso is certified at corners and midpoints, down to least squares; FS_0 and LAR move tied learners, FS_0 as their signs say."""
    path, null = cb.exact_path(problem), max(problem.value(0 * problem.y), 1e-300)
    assert path.complete and path.lam[-1] == 0
    levels = np.concatenate([path.lam[:-1], (path.lam[1:] + path.lam[:-1]) / 2])
    assert all(path.certificate(lam).gap <= 1e-12 * null for lam in levels if lam > 1e-9 * path.lam[0])
    for kind in ("stagewise", "lar"):
        path = cb.exact_path(problem, kind=kind)
        B, top = columns(problem), path.lam[0]
        assert path.complete
        beta = path.beta.toarray()
        corr = (problem.y - beta @ B.T) @ B
        assert np.abs(np.abs(corr).max(axis=1) - path.lam).max() <= 1e-11 * top
        moved = np.diff(beta, axis=0)
        moves = np.abs(moved) > 1e-11 * np.linalg.norm(problem.y)
        assert (np.abs(np.abs(corr[:-1]) - path.lam[:-1, None])[moves] <= 1e-10 * top).all()
        assert kind == "lar" or (moved * corr[:-1])[moves].min(initial=0.0) >= 0


@pytest.mark.parametrize("design", [sign_design, binary_design])
def test_discrete_designs(design):
    for seed in range(50):
        assert_exact(design(seed))


@pytest.mark.slow
@pytest.mark.parametrize("design", [sign_design, binary_design])
def test_many_discrete_designs(design):
    for seed in range(50, 1550):
        assert_exact(design(seed))


@pytest.mark.parametrize("power", [-9, -3, 3, 9])
def test_scale_of_the_target(power):
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((30, 50)), rng.standard_normal(30)
    path, scaled = cb.exact_path(X, y), cb.exact_path(X, y * 10.0**power)
    assert scaled.complete and scaled.n_corners == path.n_corners
    np.testing.assert_allclose(scaled.lam, path.lam * 10.0**power, rtol=1e-9, atol=1e-12 * scaled.lam[0])
    assert (scaled.gaps() <= 1e-12).all()


@pytest.mark.parametrize("kind", KINDS)
def test_candidates_do_not_change_the_path(kind):
    """Looking at few candidates between scans gives the path that looking at all learners gives, to rounding; scans are counted."""
    rng = np.random.default_rng(2)
    problem = cb.Problem(rng.standard_normal((40, 300)), rng.standard_normal(40))
    path = cb.exact_path(problem, kind=kind, lam_min=0.1, candidates=300)
    assert path.n_scans <= 1 + path.n_corners / 100
    for few in (1, 7, 60):
        other = cb.exact_path(problem, kind=kind, lam_min=0.1, candidates=few)
        assert other.n_corners == path.n_corners and [e[1:] for e in other.events] == [e[1:] for e in path.events]
        np.testing.assert_allclose(other.lam, path.lam, rtol=0, atol=1e-12 * path.lam[0])
        np.testing.assert_allclose(other.beta.toarray(), path.beta.toarray(), rtol=0, atol=1e-11 * path.lam[0])
        assert other.n_scans > 1


def test_scans_are_few():
    rng = np.random.default_rng(3)
    problem = cb.Problem(rng.standard_normal((100, 2000)), rng.standard_normal(100))
    path = cb.exact_path(problem, lam_min=0.3)
    assert path.n_scans < path.n_corners / 2 and path.gaps().max() <= 1e-12


def test_interpreted_is_compiled(monkeypatch):
    """The kernels in plain Python give the same corners; sums are taken in another order there, so to rounding."""
    rng = np.random.default_rng(4)
    problem = cb.Problem(rng.integers(0, 2, (12, 9)).astype(float), rng.standard_normal(12))
    paths = [cb.exact_path(problem, kind=kind) for kind in KINDS]
    monkeypatch.setattr(pool, "compiled", lambda function, pieces: function)
    for kind, path in zip(KINDS, paths, strict=True):
        plain = cb.exact_path(problem, kind=kind)
        np.testing.assert_allclose(plain.lam, path.lam, rtol=0, atol=1e-13 * path.lam[0])
        np.testing.assert_allclose(plain.beta.toarray(), path.beta.toarray(), rtol=0, atol=1e-11)


def test_same_bits_twice():
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((50, 400)), rng.standard_normal(50)
    one, two = cb.exact_path(X, y), cb.exact_path(X, y)
    assert (one.lam == two.lam).all() and (one.beta != two.beta).nnz == 0 and one.events == two.events


@pytest.mark.parametrize("kind", KINDS)
def test_copies_flips_and_dependent_columns(kind):
    """The first of equal columns carries the coefficient; the path is that of the columns without their copies."""
    rng = np.random.default_rng(6)
    X, y = rng.standard_normal((20, 6)), rng.standard_normal(20)
    doubled = np.column_stack([X, -X[:, 2], X[:, 0], X[:, 3:]])
    path, single = cb.exact_path(doubled, y, kind=kind), cb.exact_path(X, y, kind=kind)
    assert path.n_corners == single.n_corners
    np.testing.assert_allclose(path.lam, single.lam, rtol=0, atol=1e-13 * path.lam[0])
    np.testing.assert_allclose(path.beta.toarray()[:, :6], single.beta.toarray(), rtol=0, atol=1e-12)
    assert path.beta[:, 6:].nnz == 0
    assert cb.exact_path(np.column_stack([X, X @ [1, 1, 0, 0, 0, -2.0], X @ np.ones(6)]), y, kind=kind).complete


def test_sparse_and_weights():
    rng = np.random.default_rng(7)
    X = scipy.sparse.random_array((60, 40), density=0.2, rng=rng).tocsc()
    y, weight = rng.standard_normal(60), rng.integers(0, 3, 60).astype(float)
    dense, sparse = cb.exact_path(X.toarray(), y), cb.exact_path(X, y)
    np.testing.assert_allclose(sparse.beta.toarray(), dense.beta.toarray(), rtol=0, atol=1e-11)
    weighted = cb.exact_path(cb.Problem(X, y, sample_weight=weight))
    repeated = cb.exact_path(np.repeat(X.toarray(), weight.astype(int), axis=0), np.repeat(y, weight.astype(int)))
    np.testing.assert_allclose(weighted.lam, repeated.lam, rtol=0, atol=1e-12)
    np.testing.assert_allclose(weighted.beta.toarray(), repeated.beta.toarray(), rtol=0, atol=1e-11)


def test_nothing_to_do():
    X = np.random.default_rng(8).standard_normal((10, 3))
    path = cb.exact_path(X, np.full(10, 3.0))
    assert path.n_corners == 1 and (path.coef_at(lam=0) == 0).all() and path.complete
    high = cb.exact_path(X, X[:, 0], lam_min=1e6)
    assert high.n_corners == 1 and (high.coef_at(lam=2e6) == 0).all()
    assert cb.exact_path(X, X[:, 0], max_corners=2).n_corners == 2
    one = cb.exact_path(X[:, :1], X[:, 0])
    np.testing.assert_allclose(one.problem.raw(one.coef_at(lam=0))[0], 1.0, rtol=1e-14)


def demo(**options):
    rng = np.random.default_rng(9)
    return cb.exact_path(rng.standard_normal((10, 3)), rng.standard_normal(10), **options)


@pytest.mark.parametrize(
    ("action", "fragment"),
    [
        case("kind", lambda: demo(kind="ridge"), "kind must be"),
        case("negative level", lambda: demo(lam_min=-1), "lam_min must be a finite number >= 0"),
        case("no corners", lambda: demo(max_corners=0), "max_corners must be a whole number >= 1"),
        case("no candidates", lambda: demo(candidates=0), "candidates must be a whole number >= 1"),
        case("loss", lambda: cb.exact_path(cb.Problem(np.eye(3), [0, 1, 1], cb.Logistic())), "squared loss"),
        case("y twice", lambda: cb.exact_path(cb.Problem(np.eye(3), [0, 1, 2]), [0, 1, 2]), "pass exact_path(problem) alone"),
        case("NaN", lambda: cb.exact_path([[np.nan, 1], [1, 2]], [0, 1]), "NaN"),
        case("both", lambda: demo().coef_at(lam=1, l1=1), "either lam or l1"),
        case("neither", lambda: demo().coef_at(), "either lam or l1"),
        case("beyond", lambda: demo(lam_min=0.5).coef_at(lam=0.1), "the path ends at lam"),
        case("too long", lambda: demo().coef_at(l1=1e9), "does not reach"),
    ],
)
def test_bad_input(action, fragment):
    refused(action, fragment)
