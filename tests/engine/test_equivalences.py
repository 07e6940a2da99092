"""Two ways to the same iterates: methods that are special cases of each other, model states,
storage, weights, symmetries.

Where nothing is rounded, or both ways round alike, the comparison is ``==``.
"""

import numpy as np
import pytest
import scipy.sparse
from designs import (
    GAUSSIAN,
    as_it_is,
    betas,
    columns,
    draws,
    drift,
    gaussian,
    seeded,
    sign_matrices,
    sign_problems,
)
from hypothesis import given
from hypothesis import strategies as st

import coordboost as cb

N = 8
MODEL_STATES = [cb.engine.NaiveState, cb.engine.CovarianceState]
every_model_state = pytest.mark.parametrize("model_state", MODEL_STATES, ids=["explicit", "gram"])
every_kind = pytest.mark.parametrize("kind", GAUSSIAN)
SINGLE = np.arange(20)  # every learner a group of its own
RFS = cb.regularized_forward_stagewise

# n is the number of learners
PAIRS = {
    "RtGCD(n) = greedy": (lambda n: cb.rtgcd(n), lambda n: cb.methods.gcd()),
    "RtGCD(1) = random CD": (lambda n: cb.rtgcd(1), lambda n: cb.methods.rcd()),
    "LS-Boost(1) = GCD": (lambda n: cb.ls_boost(1.0), lambda n: cb.methods.gcd()),
    "R-FS(inf) = FS": (lambda n: RFS(0.3, np.inf), lambda n: cb.forward_stagewise(0.3)),
    "FS, constant sequence = FS": (
        lambda n: cb.forward_stagewise(N * [0.25]),
        lambda n: cb.forward_stagewise(0.25),
    ),
    "PATH, constant = R-FS": (
        lambda n: cb.path_forward_stagewise(0.3, N * [1.7]),
        lambda n: RFS(0.3, 1.7),
    ),
    "Frank-Wolfe, constant = R-FS": (
        lambda n: cb.methods.frank_wolfe(1.7, step=0.25),
        lambda n: RFS(0.25 * 1.7, 1.7),
    ),
    "Lasso CD, lam = 0 = LS-Boost(1)": (
        lambda n: cb.methods.lasso_cd(0.0, cb.rules.Greedy()),
        lambda n: cb.ls_boost(1.0),
    ),
    "Groups of one = subsets": (
        lambda n: cb.rtgcd(select=cb.rules.Groups(max(1, n // 2))),
        lambda n: cb.rtgcd(max(1, n // 2)),
    ),
    "All groups = greedy": (
        lambda n: cb.rtgcd(select=cb.rules.Groups(n)),
        lambda n: cb.methods.gcd(),
    ),
}


def run_pair(problem, name, model_state=None):
    pair = [make(problem.n_learners) for make in PAIRS[name]]
    return [
        cb.solve(problem, method, N, rng=7, model_state=model_state, compile=False)
        for method in pair
    ]


def assert_same_bits(a, b):
    assert (a.path.learner == b.path.learner).all() and (betas(a) == betas(b)).all()


@every_model_state
@pytest.mark.parametrize("name", PAIRS)
@every_kind
def test_same_on_gaussian_columns(kind, name, model_state):
    """Equal bit for bit, except where a scan is compared with dot products, and for Lasso CD, which
    computes beta + corr - beta.
    """
    X, y = gaussian(kind)
    a, b = run_pair(cb.Problem(X, y, groups=SINGLE[: X.shape[1]]), name, model_state)
    (assert_close if "greedy" in name or "Lasso" in name else assert_same_bits)(a, b)
    assert np.abs(a.beta).max() > 0


@pytest.mark.parametrize("name", PAIRS)
@seeded
@given(X=sign_matrices(), y=st.lists(st.integers(-8, 8), min_size=16, max_size=16))
def test_same_on_sign_matrices(name, X, y):
    """Sign matrices have many ties, copies and flipped signs."""
    problem = as_it_is(X, np.array(y[: len(X)], dtype=float), groups=SINGLE[: X.shape[1]])
    a, b = run_pair(problem, name)
    assert (a.path.learner == b.path.learner).all()
    np.testing.assert_array_equal(betas(a), betas(b))


@every_model_state
@seeded
@given(problem=sign_problems())
def test_line_search_is_the_full_step(model_state, problem):
    """LS-Boost(1) = exact greedy coordinate descent; and LS-Boost(eps) is FS with the steps eps *
    max|corr|.
    """
    options = {"model_state": model_state, "compile": False}
    boost, search = (
        cb.solve(problem, method, N, **options)
        for method in (cb.ls_boost(1.0), cb.methods.gcd(step=cb.rules.LineSearch()))
    )
    assert_same_bits(boost, search)
    half = cb.solve(problem, cb.ls_boost(0.5), N, **options)
    sizes = np.abs(half.path.theta)
    if (sizes > 0).all():
        assert_same_bits(half, cb.solve(problem, cb.forward_stagewise(sizes), N, **options))


def methods(scale=1.0):
    """Methods whose steps and radii are in units of y times `scale`."""
    return {
        "LS-Boost": cb.ls_boost(0.5),
        "FS": cb.forward_stagewise(0.25 * scale),
        "R-FS": RFS(0.5 * scale, scale),
        "PATH": cb.path_forward_stagewise(0.5 * scale, N * [scale]),
        "random": cb.rtgcd(1),
        "line search": cb.methods.gcd(step=cb.rules.LineSearch()),
        "Lasso": cb.methods.lasso_cd(0.125 * scale),
        "Frank-Wolfe": cb.methods.frank_wolfe(2.0 * scale),
    }


METHODS = methods()
every_method = pytest.mark.parametrize("name", METHODS)


def assert_close(a, b, factor=1.0):
    """Same learners, coefficients equal up to rounding. A search divides by squared lengths; here
    these stay above 1/4.
    """
    tolerance = 4 * factor * drift(N, a.problem.n_samples, 1 + np.linalg.norm(a.problem.y))
    assert (a.path.learner == b.path.learner).all()
    np.testing.assert_allclose(betas(a), betas(b), rtol=0, atol=tolerance)
    assert np.abs(a.beta).max() > 1e3 * tolerance


def solved(problem, name, **options):
    return cb.solve(problem, METHODS[name], N, compile=False, **options)


def sparse_data(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(14, 6)) * (rng.random((14, 6)) < 0.5)
    return X, rng.normal(size=14), rng.integers(0, 3, 14)


@every_method
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("center", [False, True])
def test_csc_is_dense(name, center, weighted):
    X, y, weight = sparse_data()
    options = {"sample_weight": weight if weighted else None, "center": center}
    pair = [
        cb.Problem(convert(X), y, **options) for convert in (np.asarray, scipy.sparse.csc_array)
    ]
    assert isinstance(pair[1].dictionary, cb.learners.Sparse)
    for model_state in MODEL_STATES:
        runs = [solved(problem, name, model_state=model_state) for problem in pair]
        assert_close(*runs, factor=2.0)  # the shift is one product more
        for run, new in zip(runs, (X, scipy.sparse.csr_array(X)), strict=True):
            np.testing.assert_allclose(
                run.predict(new), run.problem.constant + run.pred, rtol=0, atol=1e-12
            )
    np.testing.assert_allclose(*(problem.raw(np.ones(6))[0] for problem in pair), rtol=1e-14)


@every_method
@pytest.mark.parametrize(
    "loss", [cb.losses.Squared(), cb.losses.Huber(0.5), cb.losses.Logistic(0.5)], ids=repr
)
def test_whole_weights_are_repeated_rows(loss, name):
    """A weight of 0 is a row left out."""
    X, y, weight = sparse_data()
    y = np.where(y > 0, 1, -1) if isinstance(loss, cb.losses.Logistic) else y
    rows = np.repeat(np.arange(14), weight)
    assert 0 < (weight == 0).sum() < 14
    pair = cb.Problem(X, y, loss, sample_weight=weight), cb.Problem(X[rows], y[rows], loss)
    # 1 / sigma is at most 1.4; lengths of searches along unit columns are at most 1 / mu = 2
    runs = [solved(problem, name, model_state=cb.engine.NaiveState) for problem in pair]
    assert_close(*runs, factor=8.0)
    np.testing.assert_allclose(runs[0].predict(X), runs[1].predict(X), rtol=0, atol=1e-12)


def test_a_row_of_weight_zero_cannot_save_a_constant_column():
    X = np.column_stack([[0.1] * 6 + [5.0], np.arange(7.0) ** 2])
    weight = [1, 1, 1, 1, 1, 1, 0]
    with pytest.warns(cb.data.ConstantColumnWarning):
        problem = cb.Problem(X, np.arange(7.0), sample_weight=weight)
    assert problem.dropped == ["x0"]


class Stored:
    """The smallest oracle: a matrix with the two required methods."""

    def __init__(self, X):
        self.X, (self.n_samples, self.n_learners) = X, X.shape

    def scan(self, v):
        return self.X.T @ v

    def column(self, j):
        return self.X[:, j]


@every_model_state
@pytest.mark.parametrize("name", ["LS-Boost", "FS", "R-FS", "random", "line search", "Lasso"])
@seeded
@given(problem=sign_problems())
def test_oracle_is_the_stored_matrix(name, model_state, problem):
    oracle = cb.Problem(Stored(columns(problem)), problem.y, center=False)
    assert_same_bits(
        solved(problem, name, model_state=model_state),
        solved(oracle, name, model_state=model_state),
    )


RESIDUALS = {  # step and radius of subgradient descent
    "FS": (0.25, np.inf),
    "LS-Boost": (lambda k, f: 0.5 * f, np.inf),
    "R-FS": (0.5, 1.0),
    "PATH": (0.5, N * [1.0]),
}


@pytest.mark.parametrize("name", RESIDUALS)
@seeded
@given(problem=sign_problems())
def test_residuals_are_subgradient_descent(name, problem):
    """Propositions 3.2 and 4.1, and the same for PATH."""
    step, delta = RESIDUALS[name]
    walk = cb.theory.subgradient_descent(problem, step, N, delta=delta)
    for iterate, state in zip(walk, solved(problem, name).replay(range(N + 1)), strict=True):
        assert (iterate.resid == problem.y - columns(problem) @ state.beta).all()


@every_method
@every_kind
def test_scale_and_sign(kind, name):
    """y times 4 and steps and radii times 4, columns rescaled by powers of two and flipped: the
    same bits.
    """
    X, y = gaussian(kind)
    flip = (-1.0) ** np.arange(X.shape[1])
    plain = solved(cb.Problem(X, y), name)
    other = cb.solve(
        cb.Problem(X * flip * 2.0 ** np.arange(X.shape[1]), 4 * y),
        methods(4.0)[name],
        N,
        compile=False,
    )
    assert (plain.path.learner == other.path.learner).all()
    np.testing.assert_array_equal(betas(other), 4 * flip * betas(plain))


@pytest.mark.parametrize("name", [name for name in METHODS if name not in ("random", "Lasso")])
@pytest.mark.parametrize("kind", ["tall", "wide", "deficient"])
def test_order_of_the_columns(kind, name):
    """Greedy methods on another order of columns that do not tie."""
    X, y = gaussian(kind)
    order = np.random.default_rng(6).permutation(X.shape[1])
    plain = solved(cb.Problem(X, y), name)
    other = solved(cb.Problem(X[:, order], y), name)
    tolerance = 4 * drift(N, len(y), 1 + np.linalg.norm(y))
    assert (order[other.path.learner] == plain.path.learner).all()
    np.testing.assert_allclose(betas(other), betas(plain)[:, order], rtol=0, atol=tolerance)


def test_draws_are_what_random_cd_visits():
    problem = cb.Problem(*gaussian("wide"))
    run = cb.solve(problem, cb.methods.rcd(), N, rng=3, compile=False)
    assert (run.path.learner == draws(problem, cb.methods.rcd(), N, seed=3)[:, 0]).all() and len(
        set(run.path.learner)
    ) > 1
