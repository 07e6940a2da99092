"""Exact paths with near copies among the columns: every knot has a certified gap, and paths go as
far as rounding permits.
"""

from itertools import product

import numpy as np
import pytest
from designs import columns
from reference_homotopy import Judge, reach
from test_homotopy import KINDS

import coordboost as cb

GAP = 1e-10
SIZES = [1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13]


def combinations(seed, distance):
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(50, 6))
    X = np.c_[B, B @ rng.normal(size=(6, 6)) + distance * rng.normal(size=(50, 6))]
    return X, B[:, 0] + 0.1 * rng.normal(size=50)


def singles():
    """30 x 10 columns; these, and beside them their single-precision copies; a target."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 10))
    return X, np.c_[X, X.astype(np.float32)], X[:, 0] - X[:, 1] + rng.normal(size=30)


def assert_promise(path):
    """Check every knot without rounding; other tests compare the end at lam = 0 with least
    squares.
    """
    judge = Judge(columns(path.problem), path.problem.y)
    for lam, beta in zip(path.lam, path.beta.toarray(), strict=True):
        assert lam == 0 or judge.off(path.kind, lam, beta) <= GAP
    if path.kind == "lasso":
        assert path.gaps.max() <= GAP
    assert (
        path.complete == (path.lam[-1] == 0)
        and ("complete" if path.complete else "rounding") in path.message
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("distance", [1e-8, 1e-9, 1e-10])
def test_no_knot_is_beyond_the_promise(distance, kind):
    """Gaps of 7e-3 were once returned. The path ends where the coefficients of the small
    differences begin to grow.
    """
    path = cb.exact_path(*combinations(12, distance), kind=kind)
    assert_promise(path)
    assert not path.complete and path.lam[-1] <= 1e-9 * path.lam[0]


def test_columns_and_their_single_precision_copies():
    """The path once ended at .825 of the top. Copies gain at most their difference, 2^-24, times
    |beta|_1 and the residual.
    """
    X, both, y = singles()
    path = cb.exact_path(both, y)
    alone = cb.exact_path(X, y)
    assert_promise(path)
    assert path.lam[-1] <= 1e-8 * path.lam[0]
    loss = path.problem.start_loss
    for part in (0.5, 0.1, 1e-2, 1e-4, 1e-6):
        lam = part * path.lam[0]
        betas = [walk.beta_at(lam=part * path.lam[0]) for walk in (path, alone)]
        values = [
            walk.problem.value(walk.problem.combine(beta))
            for walk, beta in zip((path, alone), betas, strict=True)
        ]
        one, two = (
            value + lam * np.abs(beta).sum() for value, beta in zip(values, betas, strict=True)
        )
        gain = 2.0**-24 * np.sqrt(30) * np.abs(betas[1]).sum() * np.sqrt(2 * values[1])
        assert -GAP * loss <= two - one <= gain + GAP * loss
    grid = cb.lasso_path(path.problem, alphas=np.array([1e-2, 1e-6]) * path.lam[0] / 30, tol=1e-9)
    for k, lam in enumerate((1e-2 * path.lam[0], 1e-6 * path.lam[0])):
        assert path.certificate(lam).upper <= grid.certificate(k).upper + 2e-9 * loss


@pytest.mark.parametrize("kind", KINDS)
def test_a_target_that_no_column_explains(kind):
    """Correlations that are 0 up to rounding count as 0: a complete path of zeros."""
    D = np.array(list(product([-1.0, 1.0], repeat=3)))
    for y in (
        0.1 * D[:, 0] * D[:, 1] + 0.3,
        D.prod(axis=1) / 3,
        1e9 + 0.1 * D[:, 0] * D[:, 1],
        1e-9 * D[:, 0] * D[:, 1],
    ):
        path = cb.exact_path(D, y, kind=kind)
        assert path.complete and list(path.lam) == [0.0] and "complete" in path.message
        assert (path.coef_at(lam=0) == 0).all() and (path.gaps <= GAP).all()
        assert cb.exact_path(D, y, kind=kind, lam_min=0.1).complete


def test_a_target_along_the_difference_of_a_near_copy():
    """All correlations are of the size of rounding, but the least-squares fit is not 0: the path
    must not be called complete.
    """
    rng = np.random.default_rng(0)
    X = np.linalg.qr(np.c_[np.ones(20), rng.normal(size=(20, 4))])[0][:, 1:]
    path = cb.exact_path(np.c_[X[:, :3], X[:, 0] + 1e-13 * X[:, 3]], X[:, 3])
    assert not path.complete and "rounding" in path.message


def copies(name, seed, distance):
    """Ten rows, small enough for exact arithmetic: X (10, 6) with near copies, and y."""
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(10, 3))
    own = rng.normal(size=(10, 3))
    noise = rng.normal(size=10)
    near = {
        "twins": B + distance * own,
        "mirror images": -3 * (B + distance * own),
        "combinations": B @ rng.normal(size=(3, 3)) + distance * own,
        "many of one": B[:, [0]] + distance * own,
        "copies of copies": np.c_[
            B[:, :1] + distance * own[:, :1], B[:, :1] + distance / 100 * own[:, 1:]
        ],
    }[name]
    return np.c_[B, near], B[:, 0] - B[:, 1] + 0.3 * noise


NAMES = ["twins", "mirror images", "combinations", "many of one", "copies of copies"]


def assert_as_far_as_rounding_lets_it(X, y, kind):
    """The path must reach ten times the level where 16 digits end, or 1e-8 of the top, which leaves
    1e-13 of it to rounding.
    """
    path = cb.exact_path(X, y, kind=kind)
    assert_promise(path)
    last = path.lam[-1] / path.lam[0]
    assert last <= 1e-8 or last <= 10 * reach(columns(path.problem), path.problem.y, kind, GAP)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_near_copies_of_all_sizes(name, kind):
    for seed, distance in enumerate(SIZES):
        assert_as_far_as_rounding_lets_it(*copies(name, seed, distance), kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("distance", [1e-7, 1e-10, 1e-13])
def test_near_copies_in_wide_tables(distance, kind):
    """More columns than rows: correlations are updated by products of columns, and the end is
    interpolated.
    """
    for seed in range(3):
        rng = np.random.default_rng(seed)
        C = rng.normal(size=(6, 5))
        assert_as_far_as_rounding_lets_it(
            np.c_[C, C + distance * rng.normal(size=(6, 5))], rng.normal(size=6), kind
        )


@pytest.mark.parametrize("kind", KINDS)
def test_whole_numbers_with_copies_and_sums(kind):
    """Copies, negatives and sums of whole numbers are exact: the path is complete for any
    target.
    """
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.integers(-2, 3, size=(12, 4)).astype(float)
        X = np.c_[X, X[:, 0], -X[:, 1], X[:, 0] + X[:, 1], X @ [1, -1, 2, 0]]
        y = [rng.integers(-3, 4, size=12), X[:, 0] + X[:, 2], np.eye(12)[seed % 12] * 0.1][seed % 3]
        path = cb.exact_path(X, y, kind=kind)
        assert path.complete and path.lam[-1] == 0
        assert_promise(path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_many_near_copies(name, kind):
    """Every knot is certified; how far paths go is checked for the kinds whose coefficients stay
    moderate, not for LAR.
    """
    for seed in range(8, 48):
        for distance in SIZES:
            if kind == "lar":
                assert_promise(cb.exact_path(*copies(name, seed, distance), kind=kind))
            else:
                assert_as_far_as_rounding_lets_it(*copies(name, seed, distance), kind)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("net", [1.0, 0.5])
@pytest.mark.parametrize("distance", 10.0 ** -np.arange(8, 17))
def test_near_copies_of_columns_without_a_penalty_never_raise_the_loss(distance, net):
    """Without their penalised coefficients, models are least squares on the column of factor 0."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(12, 3))
        X[:, 1] = X[:, 0] * (1 + distance * rng.normal(size=12))
        y = 0.3 * X[:, 0] + rng.normal(size=12) * (0.1 if seed % 2 else 1.0)
        for factors in ([0, 1, 1], [0, 1e-6, 1], [0, 0, 1e-6], [0, 1e-6, 0]):
            path = cb.lasso_path(
                X, y, n_alphas=4, penalty_factor=factors, l1_ratio=net, unit_columns=seed % 4 < 2
            )
            assert (path.losses <= path.problem.start_loss * (1 + 1e-9)).all() and np.isfinite(
                path.gaps
            ).all()
            assert path.message == "complete" or path.message.startswith("not reached")
