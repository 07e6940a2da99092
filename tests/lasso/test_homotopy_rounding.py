"""Exact paths on columns that are dependent up to rounding: they are accurate or end early, and
keep their knots at Ctrl-C.
"""

import signal

import numpy as np
import pytest
from designs import as_it_is, columns
from reference_sets import FOLDER, needs_compiler
from scipy import ndimage
from test_homotopy import KINDS

import coordboost as cb

GAP = 1e-10


def kernels(seed, width=0.1):
    """150 x 60, bumps around 60 centres: singular values fall below 1e-16 of the first."""
    rng = np.random.default_rng(seed)
    at = np.sort(rng.random(150))
    return np.exp(-(((at[:, None] - np.linspace(0, 1, 60)) / width) ** 2)), np.sin(
        8 * at
    ) + rng.standard_normal(150)


def powers(seed):
    """100 x 24, powers of one variable."""
    rng = np.random.default_rng(seed)
    at = rng.random(100)
    return at[:, None] ** np.arange(1, 25), np.sin(8 * at) + rng.standard_normal(100)


def pixels(seed):
    """150 x 144, pictures of 4 x 4 whole pixels enlarged to 12 x 12 by a smooth kernel: rank 16, up
    to rounding.
    """
    rng = np.random.default_rng(seed)
    enlarge = np.exp(-((np.linspace(0, 3, 12)[:, None] - np.arange(4)) ** 2))
    pictures = rng.integers(0, 17, (150, 4, 4)).astype(float)
    return (enlarge @ pictures @ enlarge.T).reshape(150, -1), rng.choice([-1.0, 1.0], 150)


def errors(path):
    """Return for each knot, in extended precision, how far correlations are above lam, or active
    ones off it, times 1 + |beta|_1.
    """
    problem = path.problem
    B = columns(problem).astype(np.longdouble)
    y = problem.y.astype(np.longdouble)
    beta = path.beta.toarray().astype(np.longdouble)
    corr = np.abs((y - beta @ B.T) @ B)
    off = np.maximum(corr.max(axis=1) - path.lam, 0)
    if path.kind != "stagewise":
        off = np.maximum(off, np.where(beta != 0, np.abs(corr - path.lam[:, None]), 0).max(axis=1))
    size = np.linalg.norm(problem.y)
    return off / size * (1 + path.l1 / size)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("design", [kernels, powers, pixels])
def test_every_knot_is_right(design, kind):
    """Correlations are so accurate that the gap of a knot is at most 1e-10; twice that, for the two
    kinds of deviation.
    """
    for seed in range(3):
        path = cb.exact_path(*design(seed), kind=kind)
        assert path.n_knots > 5 and (errors(path) <= 2 * GAP).all()
        assert path.complete == (path.lam[-1] == 0) and path.complete == (
            "complete" in path.message
        )
        assert design is pixels or not path.complete


@pytest.mark.parametrize("design", [kernels, powers, pixels])
def test_gaps_of_the_lasso(design):
    """Certified gaps are as small, plus three times the rounding of the certificate: 8 u sqrt(n) (1
    + |beta|_1) of the loss at 0.

    Three times: in its upper end, in its lower end, and in the largest correlation, by which the
    dual point is scaled.
    """
    for seed in range(3):
        path = cb.exact_path(*design(seed))
        rounding = (
            3
            * 4
            * np.finfo(float).eps
            * np.sqrt(150)
            * (1 + path.l1 / np.linalg.norm(path.problem.y))
        )
        assert (path.gaps <= GAP + rounding).all()
        # least squares up to the rank that LAPACK finds; a certificate uses no rank
        if path.complete:
            B = columns(path.problem)
            y = path.problem.y
            best = y - B @ np.linalg.lstsq(B, y, rcond=None)[0]
            loss = path.problem.value(path.problem.combine(path.beta_at(lam=0)))
            assert loss <= best @ best / 2 + GAP * (y @ y) / 2


def test_least_squares_is_claimed_where_it_is_reached():
    """With copies and sums of columns it is certain; near copies leave doubt where the target
    contains their difference.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 6))
    own = rng.standard_normal(40)
    noise = rng.standard_normal(40)
    exact = np.column_stack([X, X[:, 0], X @ np.ones(6)])
    assert cb.exact_path(exact, noise).complete
    for distance in (1e-9, 1e-12):  # at 1e-12 correlations cannot decide
        near = np.column_stack([X, X[:, 0] + distance * own])
        path = cb.exact_path(near, noise + own)
        assert not path.complete and path.lam[-1] > 0 and "rounding" in path.message
        assert cb.exact_path(near, noise + own, lam_min=1e-3).complete


def test_correlations_within_rounding():
    """The target is orthogonal to the columns up to rounding, so 0 is the least squares
    solution.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 4))
    y = rng.standard_normal(20)
    X -= X.mean(axis=0)
    for _ in range(2):
        y = y - y.mean()
        y -= X @ np.linalg.lstsq(X, y, rcond=None)[0]
    path = cb.exact_path(X, y)
    assert path.n_knots == 1 and path.lam[0] == 0 and (path.beta_at(lam=0) == 0).all()
    assert path.complete and "rounding" in path.message


@needs_compiler
@pytest.mark.skipif(
    not (FOLDER.parent / "data" / "mnist17.npz").is_file(), reason="no images beside the checkout"
)
@pytest.mark.parametrize("n", [500, 1000, 2000])
def test_images(n):
    """Two digits on 16 x 16 pixels, by interpolation: the smallest of 256 singular values is
    1e-16.
    """
    with np.load(FOLDER.parent / "data" / "mnist17.npz") as stored:
        images = stored["X"][:n].reshape(-1, 28, 28).astype(float)
        y = stored["y"][:n].astype(float)
    X = ndimage.zoom(images, (1, 16 / 28, 16 / 28), order=3).reshape(n, -1)
    path = cb.exact_path(X, y)
    assert not path.complete and path.gaps.max() <= 2 * GAP


class Interrupting:
    """A dictionary whose scan number `when` raises SIGINT."""

    def __init__(self, B, when):
        self.B = B
        self.when = when
        self.n_scans = 0
        self.n_samples, self.n_learners = B.shape

    def scan(self, v):
        self.n_scans += 1
        if self.n_scans == self.when:
            signal.raise_signal(signal.SIGINT)
        return v @ self.B

    def column(self, j):
        return self.B[:, j]


@pytest.mark.parametrize("kind", KINDS)
def test_interrupted_path_is_kept(kind):
    """The knots before Ctrl-C are those of the whole path; the handler is put back."""
    rng = np.random.default_rng(3)
    B = rng.standard_normal((50, 400))
    y = rng.standard_normal(50)
    B /= np.linalg.norm(B, axis=0)
    # processes in the background ignore the signal
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.warns(cb.engine.InterruptedWarning, match="the knots passed are kept: "):
            whole, kept = (
                cb.exact_path(
                    as_it_is(Interrupting(B, when), y), kind=kind, max_knots=40, candidates=10
                )
                for when in (0, 9)
            )
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert whole.complete and whole.message == "max_knots was reached"
    assert (
        not kept.complete and kept.message == "the path was interrupted; the knots passed are kept"
    )
    assert 1 < kept.n_knots < whole.n_knots and (kept.lam == whole.lam[: kept.n_knots]).all()
    assert (kept.beta != whole.beta[: kept.n_knots]).nnz == 0
