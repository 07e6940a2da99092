"""Linear models of the squared loss on tables of Dask: one pass, and the same as in memory."""

import io
import pickle
import warnings

import numpy as np
import pytest
from refusal import refused

import coordboost as cb

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")

RNG = np.random.default_rng(0)
N, P = 600, 8


def table():
    X = RNG.normal(size=(N, P)) @ RNG.normal(size=(P, P)) + 20 * RNG.normal(size=P)
    X[:, 3] = 7.0  # constant
    X[:, 5] = X[:, 1]  # the same
    X[:, 6] = X[:, 0] + X[:, 2]  # dependent
    y = X[:, :3] @ [1.0, -2.0, 0.5] + 3 * RNG.normal(size=N) + 100
    weight = np.where(RNG.random(N) < 0.1, 0.0, RNG.uniform(0.5, 2, N))
    return X, y, weight, RNG.normal(size=N)


X, Y, WEIGHT, OFFSET = table()
METHODS = [
    cb.forward_stagewise(0.5),
    cb.ls_boost(0.1),
    cb.methods.frank_wolfe(20.0),
    cb.methods.frank_wolfe_away(20.0),
]
quiet = pytest.mark.filterwarnings("ignore::coordboost.data.ConstantColumnWarning")
pytestmark = quiet


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


class Counted:
    """A table of Dask that counts how often its chunks are computed."""

    def __init__(self, X, rows, columns=-1):
        self.n_computed = 0
        lazy = da.from_array(X, chunks=(rows, columns))
        self.n_chunks = lazy.npartitions
        self.table = lazy.map_blocks(self.count, dtype=X.dtype, meta=np.empty((0, 0), X.dtype))

    def count(self, block):
        self.n_computed += 1
        return block

    @property
    def passes(self):
        return self.n_computed / self.n_chunks


def pair(rows=150, columns=3, **options):
    """The problem in memory, and on Dask."""
    lazy = da.from_array(X, chunks=(rows, columns))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("ignore", cb.data.ConstantColumnWarning)
        return (
            cb.Problem(X, Y, sample_weight=WEIGHT, offset=OFFSET, **options),
            cb.Problem(
                lazy,
                da.from_array(Y, chunks=100),
                sample_weight=da.from_array(WEIGHT, chunks=rows),
                offset=OFFSET,
                **options,
            ),
        )


@pytest.mark.parametrize("rows", [600, 150, 77, (0, 1, 400, 0, 199)])
@pytest.mark.parametrize("center", [True, False])
def test_a_problem_is_the_one_in_memory(rows, center):
    chunks = (rows, 3) if isinstance(rows, tuple) else rows
    inside, lazy = pair(rows if isinstance(rows, int) else chunks[0], center=center)
    assert lazy.dropped == inside.dropped
    assert lazy.n_rows == np.count_nonzero(WEIGHT) and "rows" in repr(lazy)
    for name in ("start_loss", "constant", "total_weight", "start_size"):
        assert getattr(lazy, name) == pytest.approx(getattr(inside, name), rel=1e-12)
    for name in ("mean", "norm"):
        np.testing.assert_allclose(
            getattr(lazy.standardization, name), getattr(inside.standardization, name), rtol=1e-11
        )
    np.testing.assert_allclose(
        lazy.dictionary.gram(lazy.weight), inside.dictionary.gram(inside.weight), atol=1e-13
    )


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_runs_make_the_same_choices(method):
    inside, lazy = pair()
    runs = [cb.solve(problem, method, 60, compile=False) for problem in (inside, lazy)]
    np.testing.assert_array_equal(runs[1].path.learner, runs[0].path.learner)
    np.testing.assert_allclose(runs[1].coef, runs[0].coef, rtol=1e-10, atol=1e-12)
    certificates = [run.certificate() for run in runs]
    scale = 1e-8 * inside.start_loss
    if "frank_wolfe" in method.name:
        assert certificates[1].lower == pytest.approx(certificates[0].lower, abs=scale)
    assert certificates[1].upper == pytest.approx(certificates[0].upper, abs=scale)
    # the loss of all rows, in NumPy
    resid = Y - OFFSET - X @ runs[1].coef - runs[1].intercept
    assert certificates[1].upper == pytest.approx(WEIGHT @ resid**2 / 2, rel=1e-10)


def test_the_least_loss_is_bounded_by_dependent_columns_only_if_there_are_none():
    """Sums of products do not tell how columns differ that are the same up to rounding."""
    for columns, n_lost in ((X, 2), (X[:, [0, 1, 2, 4, 7]], 0)):
        problem = cb.Problem(da.from_array(columns, chunks=(150, -1)), Y)
        run = cb.solve(problem, cb.ls_boost(1.0), 2000, compile=False)
        assert problem.reduced.n_lost == n_lost
        least = np.linalg.lstsq(np.column_stack([columns, np.ones(N)]), Y, rcond=None)[1]
        least = least[0] / 2 if len(least) else np.inf
        certificate = run.certificate()
        assert certificate.lower <= least
        assert (certificate.gap < 1e-6 * problem.start_loss) == (n_lost == 0)


def test_paths_are_those_in_memory_with_gaps_that_hold():
    inside, lazy = pair()
    path, far = cb.lasso_path(inside, n_alphas=20), cb.lasso_path(lazy, n_alphas=20)
    np.testing.assert_allclose(far.alphas, path.alphas, rtol=1e-12)
    np.testing.assert_allclose(far.coef_path(), path.coef_path(), rtol=1e-6, atol=1e-8)
    total = WEIGHT.sum()
    centred = X - WEIGHT @ X / total
    norm = np.sqrt(WEIGHT @ centred**2)
    norm[3] = 1.0
    for step in (5, 19):
        coef, alpha = far.coef_at(step=step), far.alphas[step]
        resid = (Y - OFFSET) - WEIGHT @ (Y - OFFSET) / total - centred @ coef
        primal = WEIGHT @ resid**2 / 2 + alpha * total * np.abs(coef * norm).sum()
        unit = np.where(np.arange(P) == 3, 0.0, centred / norm)
        size = np.abs(unit.T @ (WEIGHT * resid)).max()
        feasible = resid * min(1.0, alpha * total / size)
        target = (Y - OFFSET) - WEIGHT @ (Y - OFFSET) / total
        dual = WEIGHT @ target**2 / 2 - WEIGHT @ (target - feasible) ** 2 / 2
        assert (primal - dual) / lazy.start_loss <= far.gaps[step] + 1e-12
    knots, others = cb.exact_path(inside), cb.exact_path(lazy)
    np.testing.assert_allclose(others.lam, knots.lam, atol=1e-10 * knots.lam[0])


@pytest.mark.parametrize("mean", [0.0, 3e4])
def test_gaps_at_the_level_of_rounding_hold_for_all_rows(mean):
    """The gaps, in 64 bits of mantissa, of the long table: the error of its moments is in them."""
    rng = np.random.default_rng(3)
    columns = rng.normal(size=(4000, 6)) + mean
    y = columns @ rng.normal(size=6) + 1e-3 * rng.normal(size=4000) + 100 * mean
    path = cb.lasso_path(da.from_array(columns, chunks=(500, -1)), y, n_alphas=10, tol=1e-12)
    exact = columns.astype(np.longdouble)
    exact -= exact.mean(axis=0)
    target = y.astype(np.longdouble)
    target -= target.mean()
    norm = np.sqrt((exact**2).sum(axis=0))
    null = target @ target / 2
    for step, alpha in enumerate(path.alphas.astype(np.longdouble)):
        coef = path.coef_at(step=step).astype(np.longdouble)
        resid = target - exact @ coef
        lam = alpha * len(y)
        primal = resid @ resid / 2 + lam * np.abs(coef * norm).sum()
        feasible = resid * min(1, lam / np.abs(exact.T @ resid / norm).max())
        dual = target @ target / 2 - (target - feasible) @ (target - feasible) / 2
        assert (primal - dual) / null <= path.gaps[step] < 1e-5


def test_passes_are_counted():
    for columns in (-1, 3):
        counted = Counted(X[:, :3], 60, columns)
        path = cb.lasso_path(counted.table, Y, n_alphas=10)
        assert path.problem.reduced.passes == pytest.approx(counted.passes) and counted.passes < 1.2
    counted = Counted(X, 60)
    problem = cb.Problem(counted.table, Y)
    cb.solve(problem, cb.forward_stagewise(0.5), 200, compile=False).certificate()
    assert counted.passes == problem.reduced.passes < 2.2  # one is to see that a column is constant


def test_a_table_with_a_trend_is_read_twice():
    trend = X[:, :3] + np.arange(N)[:, None] * 100
    lazy = cb.Problem(da.from_array(trend, chunks=(60, -1)), Y)
    inside = cb.Problem(trend, Y)
    assert 2 < lazy.reduced.passes < 2.2
    np.testing.assert_allclose(
        lazy.dictionary.gram(lazy.weight), inside.dictionary.gram(inside.weight), atol=1e-13
    )


def test_workers_and_threads_change_no_bit():
    found = []
    for scheduler, workers in (("synchronous", 1), ("threads", 1), ("threads", 3)):
        with dask.config.set(scheduler=scheduler, num_workers=workers):
            found.append(cb.Problem(da.from_array(X, chunks=(50, -1)), Y))
    for problem in found[1:]:
        np.testing.assert_array_equal(problem.dictionary.rows, found[0].dictionary.rows)
        np.testing.assert_array_equal(problem.y, found[0].y)


def test_data_frames_of_dask():
    pd = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(X, columns=list("abcdefgh")).assign(y=Y, w=WEIGHT)
    frame["a"] = frame["a"].astype("Float64")
    lazy = dd.from_pandas(frame, npartitions=4)
    inside = cb.Problem(frame[list("abcdefgh")], Y, sample_weight=WEIGHT)
    for y, weight in ((lazy["y"], lazy["w"]), (Y, da.from_array(WEIGHT, chunks=100))):
        problem = cb.Problem(lazy[list("abcdefgh")], y, sample_weight=weight)
        assert problem.feature_names == inside.feature_names
        assert problem.start_size == pytest.approx(inside.start_size, rel=1e-12)
    words = dd.from_pandas(frame.assign(a="x"), npartitions=2)
    refused(lambda: cb.Problem(words, Y), "X must hold real numbers; encode or drop the columns a")
    refused(
        lambda: cb.Problem(lazy[["a", "b"]], lazy["y"], cb.losses.Huber(1.0)),
        "of Dask, which is lazy: call compute() first",
    )


def test_pickles_and_files_keep_the_number_of_rows(tmp_path):
    run = cb.solve(pair()[1], cb.ls_boost(0.1), 5, compile=False)
    run.save(tmp_path / "run.npz")
    for problem in (
        cb.load(tmp_path / "run.npz").problem,
        pickle.loads(pickle.dumps(run.problem)),
        pickle.load(io.BytesIO(pickle.dumps(run))).problem,
    ):
        assert problem.reduced == run.problem.reduced and problem.n_rows == run.problem.n_rows


def test_criteria_count_the_rows_behind():
    inside, lazy = pair()
    costs = [
        cb.paths.freedom.criterion("bic", p, np.array([5.0]), np.array([2.0]), 1.0)
        for p in (inside, lazy)
    ]
    assert costs[0] == costs[1]


def with_entry(values, at, entry):
    values = np.array(values, dtype=float)
    values[at] = entry
    return values


REFUSED = {
    "NaN in X": (
        lambda: cb.Problem(da.from_array(with_entry(X, (9, 2), np.nan), chunks=100), Y),
        "X holds NaN, infinity or numbers above 1e150 in the column 'x2'",
    ),
    "NaN in y": (
        lambda: cb.Problem(da.from_array(X, chunks=100), da.from_array(with_entry(Y, 9, np.inf))),
        "y, or the offset, holds NaN, infinity or numbers above 1e150",
    ),
    "a negative weight": (
        lambda: cb.Problem(
            da.from_array(X, chunks=100), Y, sample_weight=da.from_array(with_entry(Y, 9, -1))
        ),
        "sample_weight must be finite, not negative, and not all zero",
    ),
    "a column that hardly varies": (
        lambda: cb.Problem(da.from_array(X + 1e12, chunks=100), Y),
        "vary by less than 1e-6 of their mean",
    ),
    "a short y": (
        lambda: cb.Problem(da.from_array(X, chunks=100), da.from_array(Y[:9])),
        "y must have one entry per row of X",
    ),
    "words": (
        lambda: cb.Problem(da.from_array(X.astype(str), chunks=100), Y),
        "X must hold real numbers, got dtype",
    ),
}


@pytest.mark.parametrize("fit, message", REFUSED.values(), ids=REFUSED)
def test_what_is_refused(fit, message):
    refused(fit, message)


def test_a_constant_target():
    run = cb.solve(
        cb.Problem(da.from_array(X, chunks=100), np.full(N, 0.1)), cb.ls_boost(), 3, compile=False
    )
    assert run.intercept == pytest.approx(0.1, rel=1e-14) and not run.coef.any()


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_the_number_of_worker_processes_changes_no_bit(tmp_path):
    distributed = pytest.importorskip("distributed")
    lazy = da.from_array(X, chunks=(50, 3))
    here = cb.Problem(lazy, Y, sample_weight=WEIGHT)
    cv = cb.CertifiedLassoCV(cv=3, n_alphas=5)
    model = cv.fit(lazy, Y).coef_, cv.cross_validation_.losses
    for n_workers in (1, 2, 4):
        options = {
            "n_workers": n_workers,
            "threads_per_worker": 1,
            "dashboard_address": None,
            "local_directory": tmp_path,
        }
        with (
            dask.config.set(scheduler=None),
            distributed.LocalCluster(**options) as cluster,
            distributed.Client(cluster) as client,
        ):
            held = lazy.persist()
            distributed.wait(held)
            there = cb.Problem(held, da.from_array(Y, chunks=80), sample_weight=WEIGHT)
            np.testing.assert_array_equal(there.dictionary.rows, here.dictionary.rows)
            np.testing.assert_array_equal(there.y, here.y)
            far = cb.CertifiedLassoCV(cv=3, n_alphas=5).fit(held, Y)
            np.testing.assert_array_equal(far.coef_, model[0])
            np.testing.assert_array_equal(far.cross_validation_.losses, model[1])
            np.testing.assert_allclose(far.predict(held).compute(), far.predict(X), rtol=1e-14)
            assert len(client.scheduler_info()["workers"]) == n_workers
