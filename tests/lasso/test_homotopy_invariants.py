"""Invariances of the exact paths: scale, candidates, copies, weights; refusals."""

import numpy as np
import pytest
import scipy.sparse
from refusal import case, refusals
from test_homotopy import KINDS

import coordboost as cb


@pytest.mark.parametrize("kind", KINDS)
def test_candidates_do_not_change_the_path(kind):
    """Few candidates between scans give the same path as all learners, up to rounding; scans are
    counted.
    """
    rng = np.random.default_rng(2)
    problem = cb.Problem(rng.standard_normal((40, 300)), rng.standard_normal(40))
    path = cb.exact_path(problem, kind=kind, lam_min=0.1, candidates=300)
    assert path.n_scans <= 1 + path.n_knots / 100
    for few in (1, 7, 60):
        other = cb.exact_path(problem, kind=kind, lam_min=0.1, candidates=few)
        assert other.n_knots == path.n_knots and [e[1:] for e in other.events] == [
            e[1:] for e in path.events
        ]
        np.testing.assert_allclose(other.lam, path.lam, rtol=0, atol=1e-12 * path.lam[0])
        np.testing.assert_allclose(
            other.beta.toarray(), path.beta.toarray(), rtol=0, atol=1e-11 * path.lam[0]
        )
        assert other.n_scans > 1


def test_scans_are_few():
    rng = np.random.default_rng(3)
    problem = cb.Problem(rng.standard_normal((100, 2000)), rng.standard_normal(100))
    path = cb.exact_path(problem, lam_min=0.3)
    assert path.n_scans < path.n_knots / 2 and path.gaps.max() <= 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_copies_flips_and_dependent_columns(kind):
    """The first of equal columns carries the coefficient; the path is that of the columns without
    their copies.
    """
    rng = np.random.default_rng(6)
    X = rng.standard_normal((20, 6))
    y = rng.standard_normal(20)
    doubled = np.column_stack([X, -X[:, 2], X[:, 0], X[:, 3:]])
    path = cb.exact_path(doubled, y, kind=kind)
    single = cb.exact_path(X, y, kind=kind)
    assert path.n_knots == single.n_knots
    np.testing.assert_allclose(path.lam, single.lam, rtol=0, atol=1e-13 * path.lam[0])
    np.testing.assert_allclose(
        path.beta.toarray()[:, :6], single.beta.toarray(), rtol=0, atol=1e-12
    )
    assert path.beta[:, 6:].nnz == 0
    assert cb.exact_path(
        np.column_stack([X, X @ [1, 1, 0, 0, 0, -2.0], X @ np.ones(6)]), y, kind=kind
    ).complete


def test_sparse_and_weights():
    rng = np.random.default_rng(7)
    X = scipy.sparse.random_array((60, 40), density=0.2, rng=rng).tocsc()
    y = rng.standard_normal(60)
    weight = rng.integers(0, 3, 60).astype(float)
    dense = cb.exact_path(X.toarray(), y)
    sparse = cb.exact_path(X, y)
    np.testing.assert_allclose(sparse.beta.toarray(), dense.beta.toarray(), rtol=0, atol=1e-11)
    weighted = cb.exact_path(cb.Problem(X, y, sample_weight=weight))
    repeated = cb.exact_path(
        np.repeat(X.toarray(), weight.astype(int), axis=0), np.repeat(y, weight.astype(int))
    )
    np.testing.assert_allclose(weighted.lam, repeated.lam, rtol=0, atol=1e-12)
    # the coefficients solve normal equations: rounding is magnified by the squared condition
    # number, 128^2 here
    columns = weighted.problem.dictionary.gather(np.arange(40)) * np.sqrt(weight)[:, None]
    allowed = np.finfo(float).eps * np.linalg.cond(columns) ** 2 * abs(weighted.beta).max()
    np.testing.assert_allclose(
        weighted.beta.toarray(), repeated.beta.toarray(), rtol=0, atol=allowed
    )


def test_trivial_paths():
    X = np.random.default_rng(8).standard_normal((10, 3))
    path = cb.exact_path(X, np.full(10, 3.0))
    assert path.n_knots == 1 and (path.beta_at(lam=0) == 0).all() and path.complete
    high = cb.exact_path(X, X[:, 0], lam_min=1e6)
    assert high.n_knots == 1 and (high.beta_at(lam=2e6) == 0).all()
    assert cb.exact_path(X, X[:, 0], max_knots=2).n_knots == 2
    one = cb.exact_path(X[:, :1], X[:, 0])
    np.testing.assert_allclose(one.problem.raw(one.beta_at(lam=0))[0], 1.0, rtol=1e-14)


def demo(**options):
    rng = np.random.default_rng(9)
    return cb.exact_path(rng.standard_normal((10, 3)), rng.standard_normal(10), **options)


test_bad_input = refusals(
    case("kind", lambda: demo(kind="ridge"), "kind must be"),
    case("negative level", lambda: demo(lam_min=-1), "lam_min must be a finite number >= 0"),
    case("no knots", lambda: demo(max_knots=0), "max_knots must be a whole number >= 1"),
    case("no candidates", lambda: demo(candidates=0), "candidates must be a whole number >= 1"),
    case(
        "loss",
        lambda: cb.exact_path(cb.Problem(np.eye(3), [0, 1, 1], cb.losses.Logistic())),
        "squared loss",
    ),
    case(
        "y twice",
        lambda: cb.exact_path(cb.Problem(np.eye(3), [0, 1, 2]), [0, 1, 2]),
        "pass exact_path(problem) alone",
    ),
    case("NaN", lambda: cb.exact_path([[np.nan, 1], [1, 2]], [0, 1]), "NaN"),
    case("both", lambda: demo().beta_at(lam=1, l1=1), "exactly one of"),
    case("neither", lambda: demo().beta_at(), "exactly one of"),
    case("beyond", lambda: demo(lam_min=0.5).beta_at(lam=0.1), "the path ends at lam"),
    case("too long", lambda: demo().beta_at(l1=1e9), "does not reach"),
)
