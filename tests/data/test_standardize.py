"""Standardisation: columns of mean zero and unit norm in the metric of the weights; the way back to
raw coefficients is exact.
"""

import numpy as np
import pytest
import scipy.sparse

import coordboost as cb
from coordboost import Problem
from coordboost._numba import threads

U = np.finfo(float).eps
RNG = np.random.default_rng(11)
M, N = 30, 5
X = RNG.normal(size=(M, N)) * np.array([1.0, 20.0, 0.3, 1e-6, 4e5]) + np.array(
    [0.0, 3.0, -40.0, 1e-6, 1e6]
)
THIN = np.where(RNG.random((M, N)) < 0.3, RNG.normal(size=(M, N)), 0.0)
Y = RNG.normal(size=M) + 5
WEIGHTS = {"plain": None, "weighted": RNG.integers(0, 4, M).astype(float)}

over_weights = pytest.mark.parametrize("weight", WEIGHTS.values(), ids=WEIGHTS)
over_kinds = pytest.mark.parametrize(
    "kind", [np.asarray, scipy.sparse.csc_array], ids=["dense", "sparse"]
)
over_matrices = pytest.mark.parametrize("X", [X, THIN], ids=["offsets", "thin"])
over_options = pytest.mark.parametrize("center, scale", [(True, True), (False, True)])


def columns(problem):
    return problem.dictionary.gather(np.arange(problem.n_learners))


def naive(X, weight, center):
    """Mean, norm and unit columns in the metric of the weights, in longdouble."""
    weight = np.ones(len(X)) if weight is None else weight
    X = X.astype(np.longdouble)
    mean = (weight @ X) / weight.sum() if center else np.zeros(X.shape[1])
    norm = np.sqrt(weight @ (X - mean) ** 2)
    return mean, norm, (X - mean) / norm


def slack(X, weight, center):
    """Rounding of a standardised column: a sum of M terms, times its size before centring over its
    norm afterwards.
    """
    _, norm, unit = naive(X, weight, center)
    return (
        4 * M * U * np.maximum(np.abs(unit).max(axis=0), np.abs(X).max(axis=0) / norm).astype(float)
    )


@over_weights
@over_kinds
@over_matrices
@over_options
def test_columns_equal_naive_numpy(X, kind, weight, center, scale):
    problem = Problem(kind(X), Y, sample_weight=weight, center=center, scale=scale)
    mean, norm, unit = naive(X, weight, center)
    bound = slack(X, weight, center)
    assert (np.abs(columns(problem) - unit) <= bound).all()
    assert (np.abs(problem.standardization.norm / norm - 1) <= bound).all()
    assert (np.abs(problem.standardization.mean - mean) <= bound * norm).all()


@over_weights
@over_kinds
@over_matrices
@over_options
def test_raw_and_unit_are_inverse(X, kind, weight, center, scale):
    """One division and one multiplication give two roundings."""
    problem = Problem(kind(X), Y, sample_weight=weight, center=center, scale=scale)
    beta = RNG.normal(size=N)
    coef = RNG.normal(size=N) / np.abs(X).max(axis=0)
    assert (np.abs(problem.unit(problem.raw(beta)[0]) - beta) <= 2 * U * np.abs(beta)).all()
    assert (np.abs(problem.raw(problem.unit(coef))[0] - coef) <= 2 * U * np.abs(coef)).all()


@over_weights
@over_kinds
@over_matrices
@over_options
def test_predictions_equal_offset_plus_B_beta(X, kind, weight, center, scale):
    """Sums of N + 2 terms, each of the size of coef * X before the means cancel."""
    problem = Problem(kind(X), Y, sample_weight=weight, center=center, scale=scale)
    beta = RNG.normal(size=N)
    bound = 3 * (slack(X, weight, center) @ np.abs(beta) + N * U * abs(problem.constant))
    expected = problem.constant + problem.dictionary.combine(beta)
    assert problem.constant == pytest.approx(
        np.average(Y, weights=weight) if center else 0.0, rel=M * U
    )
    for rows in (kind(X), X, scipy.sparse.csr_array(X)):
        assert np.abs(problem.predict(beta, rows) - expected).max() <= bound
    coef, intercept = problem.raw(beta)
    assert np.abs(X @ coef + intercept - expected).max() <= bound
    assert problem.predict(beta, X[:3]) == pytest.approx(expected[:3], abs=bound)


@over_weights
@over_options
def test_sparse_equals_dense(weight, center, scale):
    problems = [
        Problem(kind(THIN), Y, sample_weight=weight, center=center, scale=scale)
        for kind in (np.asarray, scipy.sparse.csc_array)
    ]
    bound = slack(THIN, weight, center).max()
    v = RNG.normal(size=M)
    weights = RNG.random(M)
    index = np.array([3, 0, 3])
    dense, sparse = (problem.dictionary for problem in problems)
    assert np.abs(columns(problems[0]) - columns(problems[1])).max() <= bound
    assert np.abs(dense.scan(v) - sparse.scan(v)).max() <= bound * np.abs(v).sum()
    assert (
        np.abs(dense.correlations(v, index) - sparse.correlations(v, index)).max()
        <= bound * np.abs(v).sum()
    )
    assert np.abs(dense.gram(weights) - sparse.gram(weights)).max() <= 4 * bound
    runs = [cb.solve(problem, cb.ls_boost(0.5), 60) for problem in problems]
    assert runs[0].path.learner.tobytes() == runs[1].path.learner.tobytes()
    # 60 contracting steps, each with the rounding of its column
    assert np.abs(runs[0].coef - runs[1].coef).max() <= 60 * bound * np.abs(runs[0].coef).max()


def test_weights_count_copies_of_rows():
    """An integer weight w equals w copies of a sample; the same sums in another order."""
    weight = WEIGHTS["weighted"]
    copies = np.repeat(np.arange(M), weight.astype(int))
    runs = [
        cb.solve(problem, cb.methods.gcd(), 40)
        for problem in (Problem(X, Y, sample_weight=weight), Problem(X[copies], Y[copies]))
    ]
    assert runs[0].path.learner.tobytes() == runs[1].path.learner.tobytes()
    scale = 40 * slack(X, weight, True).max() * np.abs(Y).sum()
    assert np.abs(runs[0].beta - runs[1].beta).max() <= scale
    assert runs[0].final.loss == pytest.approx(runs[1].final.loss, abs=scale * np.abs(Y).max())


def test_names_and_dropped_columns():
    wide = np.column_stack([np.ones(M), X[:, 0], np.zeros(M), X[:, 1], np.full(M, 0.1)])
    with pytest.warns(cb.data.ConstantColumnWarning, match=r"3 constant column\(s\).*: a, c, e\."):
        problem = Problem(wide, Y, feature_names=list("abcde"), groups=["u", "v", "w", "u", "v"])
    assert (problem.feature_names, problem.dropped) == (["b", "d"], ["a", "c", "e"])
    assert problem.groups.tolist() == [1, 0]
    coef, intercept = problem.raw([2.0, -3.0])
    assert coef.shape == (5,) and not coef[[0, 2, 4]].any() and coef[[1, 3]].all()
    assert problem.unit(coef) == pytest.approx([2.0, -3.0], rel=4 * U)
    assert wide @ coef + intercept == pytest.approx(problem.predict([2.0, -3.0], wide), rel=1e-14)


def test_without_centring_a_constant_column_is_a_learner():
    problem = Problem(np.column_stack([np.full(M, 0.1), X[:, 0]]), Y, center=False)
    assert problem.n_learners == 2 and problem.dropped == [] and problem.constant == 0
    assert columns(problem)[:, 0] == pytest.approx(np.full(M, M**-0.5), rel=M * U)


def test_unit_columns_are_not_rescaled():
    unit = naive(X, None, True)[2].astype(float)
    problem = Problem(unit, Y, scale=False)
    assert np.abs(columns(problem) - unit).max() <= 4 * M * U
    assert problem.standardization.norm.tolist() == [1.0] * N


@over_kinds
@pytest.mark.parametrize("offset", [1e4, 1e8])
def test_columns_with_a_huge_mean(kind, offset):
    """At offset 1e8 the data keep 8 digits of the spread. Whole numbers stay exact, so the run must
    agree with the run on the small numbers up to rounding.
    """
    small = RNG.integers(-9, 10, (M, N)).astype(float)
    method = cb.ls_boost(0.5)
    n_steps = 200
    expected = cb.solve(Problem(small, Y), method, n_steps)
    run = cb.solve(Problem(kind(small + offset), Y), method, n_steps)
    bound = 10 * M * U * np.abs(Y).sum()
    assert np.isfinite(run.beta).all()
    assert np.abs(run.beta - expected.beta).max() <= bound
    assert np.abs(run.final.loss - expected.final.loss) <= bound * np.abs(Y).sum()
    certificate = run.certificate()
    assert certificate.lower <= certificate.upper
    assert (
        certificate.lower <= cb.solve(Problem(small, Y), cb.ls_boost(1.0), 5000).final.loss + bound
    )


@over_kinds
@over_weights
@pytest.mark.parametrize("mean", [1e6, 1e10, 1e14])
@pytest.mark.parametrize("zeros", [0, 3], ids=["full", "zeros of no weight"])
def test_stored_columns_with_a_huge_mean_are_centred(kind, weight, mean, zeros):
    """The sum of a unit column is at most the rounding of M products, whatever its mean; centring
    it only once left 5e-6.

    The zeros are in rows of weight 0, so that only the mean is large there.
    """
    weight = np.ones(M) if weight is None else weight + 1
    weight[:zeros] = 0.0
    huge = RNG.integers(-9, 10, (M, N)) + mean
    huge[:zeros] = 0.0
    problem = Problem(kind(huge), Y, sample_weight=weight)
    B = columns(problem)
    assert np.abs(weight @ B).max() <= 4 * U * (weight @ np.abs(B)).max()
    assert np.abs(weight @ B**2 - 1).max() <= 4 * M * U
    exact = huge[zeros:] - mean
    alphas = cb.lasso_path(exact, Y[zeros:], sample_weight=weight[zeros:]).alphas
    np.testing.assert_allclose(
        cb.lasso_path(kind(huge), Y, sample_weight=weight).alphas, alphas, rtol=100 * M * U
    )


@over_kinds
@pytest.mark.parametrize("faint", [1e-22, 1e-24, 1e-30, 1e-60, 0.0])
@pytest.mark.parametrize("value", [0.0, 3.3])
def test_columns_that_vary_only_in_rows_of_tiny_weight_are_dropped(kind, faint, value, tmp_path):
    """They once led to gaps of 0.99 and paths of one knot: the first penalty was below the rounding
    of the correlations.
    """
    weight = np.where(np.arange(M) < 3, faint, 1.0)
    mixed = np.where((np.arange(M) < 3)[:, None] | (np.arange(N) != 1), X, value)
    # a valid column, larger where the weight is small
    mixed[:, 3] = RNG.normal(size=M) * np.where(np.arange(M) < 3, 1e9, 1.0)
    for source in (kind(mixed), stored(tmp_path, mixed)):
        with pytest.warns(cb.data.ConstantColumnWarning, match=r"1 constant column\(s\).*: x1\."):
            problem = Problem(source, Y, sample_weight=weight)
        assert problem.n_learners == N - 1
    path = cb.exact_path(problem)
    assert path.complete and len(path.lam) >= N
    with pytest.warns(cb.data.ConstantColumnWarning):
        assert cb.lasso_path(kind(mixed), Y, sample_weight=weight, tol=1e-8).gaps.max() <= 1e-8
    only = np.where((np.arange(M) < 3)[:, None], X, value)
    with pytest.warns(cb.data.ConstantColumnWarning, match="no column of X varies"):
        assert cb.lasso_path(kind(only), Y, sample_weight=weight, n_alphas=2).gaps.max() <= 1e-8


def stored(folder, array):
    np.save(folder / "x.npy", array)
    return cb.data.open_columns(folder / "x.npy")


@over_kinds
def test_rows_of_tiny_weight_count(kind):
    """Weights of 1e-18 can carry a column: its correlation, 1e-9, is exact up to the rounding of
    the sum, M U |Y|, which is 1e-5 of it.
    """
    weight = np.where(np.arange(M) < 3, 1e-18, 1.0)
    only = np.where((np.arange(M) < 3)[:, None], THIN + 1, 0.0)
    problem = Problem(kind(only), Y, sample_weight=weight)
    expected = naive(only, weight, True)[2].T @ (weight * (Y - np.average(Y, weights=weight)))
    np.testing.assert_allclose(
        problem.scan(problem.resid(np.zeros(M))), expected.astype(float), rtol=1e-5
    )
    assert cb.lasso_path(kind(only), Y, sample_weight=weight, tol=1e-8).gaps.max() <= 1e-8


@over_kinds
@pytest.mark.parametrize("power", [0, 600, -600])
def test_columns_below_zero(kind, power):
    """No entry is above 0 and the squares leave the range of float64: the columns equal those of
    opposite sign, bit for bit.
    """
    above = np.where(THIN != 0, np.abs(THIN) + 1, 0.0) * 2.0**power
    one, other = (Problem(kind(sign * above), Y) for sign in (1.0, -1.0))
    assert (columns(one) == -columns(other)).all() and np.isfinite(columns(one)).all()
    assert (one.standardization.norm == other.standardization.norm).all()


def test_the_column_without_unit_norm_is_named():
    X = np.array([[0.6, 1.0, 0.0], [0.8, 0.0, 1.5]])
    for table in (X, scipy.sparse.csc_array(X)):
        with pytest.raises(ValueError, match=r"column 2 has norm 1\.5"):
            cb.Problem(table, [1.0, 2.0], center=False, scale=False)


def test_columns_of_zeros_are_dropped_without_centring():
    """Not stored, stored as zeros, or dense."""
    X = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 1.0], [3.0, 0.0, 0.0]])
    stored = scipy.sparse.csc_array(
        (np.append(X[X[:, 0] > 0, 0], [0.0, 2.0, 1.0]), [0, 2, 1, 0, 1], [0, 2, 3, 5]), shape=(3, 3)
    )
    for table in (X, scipy.sparse.csc_array(X), stored):
        with pytest.warns(cb.data.ConstantColumnWarning):
            problem = cb.Problem(table, np.array([1.0, 2.0, 4.0]), center=False)
        assert (
            problem.standardization.kept.tolist() == [0, 2]
            and np.isfinite(problem.gather(np.arange(2))).all()
        )


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("center", [True, False])
def test_threads_standardise_as_one_does(order, center):
    """A wide table, which threads share, column for column as tables too small for threads."""
    wide = np.array(RNG.normal(3, 1, size=(1_000, 2_600)), order=order)
    y = wide[:, 7] + wide[:, 2_500]
    rows = Problem(wide, y, center=center).dictionary.rows
    for first in range(0, 2_600, 650):
        part = np.array(wide[:, first : first + 650], order=order)
        alone = Problem(part, y, center=center).dictionary.rows
        np.testing.assert_array_equal(rows[first : first + 650], alone)
    wide[3, 2_599] = np.nan
    with pytest.raises(ValueError, match="column 2599"):
        Problem(wide, y, center=center)


def test_any_number_of_threads_gives_the_same_columns(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(4), raising=False)
    for name in threads.LIMITS:
        monkeypatch.delenv(name, raising=False)
    wide = RNG.normal(3, 1, size=(1_000, 2_600))
    weight = RNG.uniform(0.5, 2.0, size=1_000)
    for options in ({"sample_weight": weight}, {"center": False}):
        found = []
        for n_threads in (1, 2, 4):
            threads._pool_of.cache_clear()
            with threads.at_most(n_threads):
                assert threads.pool().n_threads == n_threads
                problem = Problem(wide, wide[:, 7], **options)
            found.append((problem.dictionary.rows, *problem.standardization[1:3]))
        for same in found[1:]:
            for mine, first in zip(same, found[0], strict=True):
                np.testing.assert_array_equal(mine, first)
    threads._pool_of.cache_clear()


def test_equal_columns_of_many_rows_stay_equal():
    """Two columns of 200,000 rows are standardised together; the third equals the first."""
    first = RNG.normal(size=200_000)
    problem = Problem(np.column_stack([first, RNG.normal(size=200_000), first]), first)
    np.testing.assert_array_equal(problem.dictionary.rows[0], problem.dictionary.rows[2])


@over_weights
@over_options
def test_the_order_of_memory_changes_no_bit_and_X_is_not_written_to(weight, center, scale):
    given = X.copy()
    found = []
    for order in "CF":
        raw = np.array(given, order=order)
        problem = Problem(raw, Y, sample_weight=weight, center=center, scale=scale)
        np.testing.assert_array_equal(raw, given)
        found.append(columns(problem).tobytes() + problem.standardization.mean.tobytes())
    assert found[0] == found[1]


def test_the_residual_at_the_start_is_that_of_the_constant_model():
    problem = Problem(X, Y, sample_weight=WEIGHTS["weighted"])
    assert problem.start_resid.tobytes() == problem.resid(np.zeros(M)).tobytes()
    assert problem.start_resid is problem.start_resid
