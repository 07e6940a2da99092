"""Exact paths against R lars and certified solutions, with ties of every kind."""

from functools import cache

import numpy as np
import pytest
from designs import as_it_is, columns
from reference_sets import REGRESSION, ReferenceSet, needs_reference_sets

import coordboost as cb

KINDS = {"lasso": "lars_lasso", "lar": "lars_lar", "stagewise": "lars_fs0"}


@cache
def path_of(name, kind):
    reference = ReferenceSet(name)
    capped = 300 if (name, kind) == ("leukemia", "stagewise") else None
    return cb.exact_path(as_it_is(reference.X, reference.y), kind=kind, max_knots=capped)


def reference_path(name, kind):
    """Return lam (k,) and coefficients (k, p): certified ones where R lars is wrong, those of R
    lars elsewhere.
    """
    reference = ReferenceSet(name)
    tag = (
        {"lasso": "true_lasso", "stagewise": "true_fs0"}.get(kind, "")
        if name.startswith("ties")
        else ""
    )
    return reference[f"{tag or KINDS[kind]}_lambda"], reference[f"{tag or KINDS[kind]}_beta"]


def interpolated(lam, beta, at):
    """Coefficients of a piecewise linear path at the levels `at`, (len(at), p)."""
    order = np.argsort(lam, kind="stable")
    used = np.flatnonzero(beta.any(axis=0))
    return np.column_stack([np.interp(at, lam[order], beta[order, j]) for j in used]), used


@needs_reference_sets
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", REGRESSION)
def test_same_curve_as_the_reference(name, kind):
    """Fits agree at the knots of both paths to 1e-10 |y|, the accuracy that conditioning leaves of
    R's 16 digits (diabetes64: 3e-11).
    """
    reference = ReferenceSet(name)
    path = path_of(name, kind)
    lam, beta = reference_path(name, kind)
    size = reference.size
    low = path.lam[-1]
    for level, theirs in zip(lam, beta, strict=True):
        if level >= low:
            assert np.linalg.norm(reference.X @ (path.beta_at(lam=level) - theirs)) <= 1e-10 * size
    inside = (path.lam >= lam[-1]) & (path.lam <= lam[0])
    theirs, used = interpolated(lam, beta, path.lam[inside])
    ours = path.beta.toarray()[inside]
    assert np.abs(ours @ reference.X.T - theirs @ reference.X[:, used].T).max() <= 1e-10 * size


@needs_reference_sets
@pytest.mark.parametrize("name", ["prostate", "diabetes10", "leukemia", "lincomb", "dupflip"])
@pytest.mark.parametrize("kind", ["lasso", "lar"])
def test_same_knots_as_lars(name, kind):
    """Where R lars is sound and its knots are distinct, number, level and coefficients of the knots
    agree.
    """
    lam, beta = reference_path(name, kind)
    path = path_of(name, kind)
    assert path.complete and path.n_knots == len(lam)
    np.testing.assert_allclose(path.lam, lam, rtol=0, atol=1e-12 * lam[0])
    np.testing.assert_allclose(path.l1, np.abs(beta).sum(axis=1), rtol=1e-9, atol=1e-12)
    if name != "dupflip":
        np.testing.assert_allclose(
            path.beta.toarray(), beta, rtol=0, atol=1e-9 * np.abs(beta).max()
        )


@needs_reference_sets
@pytest.mark.parametrize("name", ["prostate", "diabetes10", "leukemia"])
def test_events_are_those_of_lars(name):
    reference = ReferenceSet(name)
    path = path_of(name, "lasso")
    kind = reference["lars_lasso_action_kind"]
    # R names the knot by the step that ends there: its step k is our segment after knot k
    theirs = [
        (int(j), int(s))
        for j, s in zip(reference["lars_lasso_action_var"], kind, strict=True)
        if s != -2
    ]
    assert sorted((j, s) for knot, j, s in path.events if knot < path.n_knots - 1) == sorted(theirs)


@needs_reference_sets
@pytest.mark.parametrize("name", REGRESSION)
def test_every_knot_and_midpoint_is_certified(name):
    """Gap at most 1e-12 of the loss at 0; twice that for diabetes64, where sum |beta| is 37 |y| and
    rounding makes up 8e-13 of it.
    """
    path = path_of(name, "lasso")
    allowed = 2e-12 if name == "diabetes64" else 1e-12
    assert path.complete and path.lam[-1] == 0 and (path.gaps <= allowed).all()
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
    assert (path.gaps <= 1e-14).all() and path.lam[0] == 2 and path.lam[-1] == 0


def test_golden_lasso():
    """Exact knots of the specification: l1 = 0.8, 322/65, 6.5."""
    X = np.array([[1, 0.6, 0], [0, 0.8, 0.6], [0, 0, 0.8]])
    path = cb.exact_path(as_it_is(X, np.array([3.0, 1.0, 2.0])))
    np.testing.assert_allclose(path.l1, [0, 0.8, 322 / 65, 6.5], rtol=1e-13)
    np.testing.assert_allclose(path.beta_at(l1=1.0), [0.9, 0, 0.1], atol=1e-14)
    np.testing.assert_allclose(path.beta_at(l1=3.0), [1.9, 0, 1.1], atol=1e-14)


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
    """Check certificates of the Lasso at knots and midpoints; FS_0 and LAR move tied learners only,
    FS_0 along signs of correlations.
    """
    path = cb.exact_path(problem)
    null = max(problem.value(0 * problem.y), 1e-300)
    assert path.complete and path.lam[-1] == 0
    levels = np.concatenate([path.lam[:-1], (path.lam[1:] + path.lam[:-1]) / 2])
    assert all(
        path.certificate(lam).gap <= 1e-12 * null for lam in levels if lam > 1e-9 * path.lam[0]
    )
    for kind in ("stagewise", "lar"):
        path = cb.exact_path(problem, kind=kind)
        B = columns(problem)
        top = path.lam[0]
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


def test_a_learner_that_left_with_no_step_enters_again():
    """FS_0, several ties at once: one learner leaves with direction 0 and must enter again when the
    others have moved.
    """
    assert_exact(sign_design(474))


@pytest.mark.slow
@pytest.mark.parametrize("design", [sign_design, binary_design])
def test_many_discrete_designs(design):
    for seed in range(50, 1550):
        assert_exact(design(seed))
