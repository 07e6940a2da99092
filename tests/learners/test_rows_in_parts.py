"""Trees whose rows lie in parts, here and on Dask workers: the same bits as in memory."""

import os
import pickle
import signal
from functools import cache

import numpy as np
import pytest
from reference_sets import needs_compiler
from refusal import refused
from sklearn.base import clone

import coordboost as cb
from coordboost.data.bins_on_parts import TableOnParts
from coordboost.engine.rounds import solve_rounds
from coordboost.learners.parts import LocalParts, Part

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

#: The rows of a block; see ``coordboost.learners.parts``.
BLOCK = 1 << 14
N = 3 * BLOCK + 100
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 6)).astype(np.float32)
X[:, 0] = np.round(3 * X[:, 0])
X[RNG.random(N) < 0.1, 1] = np.nan
X[:, 2] = X[:, 2] > 0
X[:, 3] = np.where(RNG.random(N) < 0.7, 0.0, X[:, 3])
Y = X[:, 4] * X[:, 5] + np.nan_to_num(X[:, 1]) + 0.3 * X[:, 0] + RNG.normal(size=N)
W = RNG.random(N)
PARTITIONS = {
    "one": [N],
    "even": [12_000] * 4 + [N - 48_000],
    "uneven": [7, 1000, 30_000, N - 31_007],
}
KINDS = {
    "squared": (Y, None, {}, None),
    "squared, weights": (Y, None, {}, W),
    "logistic, Newton": ((Y > 0) * 1, cb.losses.Logistic(), {"newton": True}, None),
    "logistic, Newton, weights": ((Y > 0) * 1, cb.losses.Logistic(), {"newton": True}, W),
}
#: Other limits of trees: the leaf with the largest gain is split first, depth 1, sets of columns.
LIMITS = {
    "leaves": {"max_depth": None, "max_leaves": 31},
    "leaves of some depth": {"max_depth": 6, "max_leaves": 9},
    "two leaves": {"max_depth": None, "max_leaves": 2},
    "large leaves": {"max_depth": None, "max_leaves": 31, "min_samples": 4000},
    "depth 1": {"max_depth": 1},
    "sets": {"sets": [[1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 1]]},
}
#: Methods: trees, target and loss, weights, method, number of steps.
LOGISTIC = (Y > 0) * 1, cb.losses.Logistic()
METHODS = {
    "subsample": ({"subsample": 0.5}, (Y,), W, cb.gbm(0.1), 3),
    "subsample, Newton": ({"subsample": 0.3, "newton": True}, LOGISTIC, None, cb.gbm(0.1), 2),
    "a subsample of one row": ({"subsample": 1e-9}, (Y,), None, cb.gbm(0.1), 2),
    "Langevin": ({}, (Y,), None, cb.sglb(0.1), 3),
    "Langevin, weights": (
        {},
        (Y,),
        W,
        cb.sglb(0.1, subsample=0.5, structure=cb.rules.Structure.OWN),
        3,
    ),
    "AGBM": ({}, (Y,), None, cb.agbm(0.5, 0.1), 8),
    "AGBM, gamma by angles": ({}, (Y,), W, cb.agbm(0.5, "auto"), 6),
    "AGBMR": ({}, LOGISTIC, None, cb.agbmr(0.5, 0.1), 6),
    "VAGBM": ({}, (Y,), None, cb.vagbm(1.9, 0.9), 5),
    "RGB": (None, (Y,), None, cb.rgb(0.01), 3),
    "RGB, trees again": (None, (Y,), None, cb.rgb(0.01, n_candidates=3, revisit=True), 4),
}
every_partition = pytest.mark.parametrize("lengths", PARTITIONS.values(), ids=PARTITIONS)


def boosted(table, kind, n_trees=3, **limits):
    y, loss, options, weight = KINDS[kind]
    options = {"max_depth": 5, "min_samples": 20, **options, **limits}
    trees = cb.data.trees(table, **options)
    problem = cb.Problem(trees, y, loss, sample_weight=weight)
    return cb.solve(problem, cb.gbm(0.1), n_trees)


@cache
def in_memory(kind):
    return boosted(X, kind)


def run_by(name, table):
    options, target, weight, method, n_steps = METHODS[name]
    if options is None:
        family = cb.data.tree_families(table, nodes=[1, 2, 8])
    else:
        family = cb.data.trees(table, max_depth=4, min_samples=20, **options)
    return cb.solve(cb.Problem(family, *target, sample_weight=weight), method, n_steps)


def assert_same(run, other):
    assert np.array_equal(run.path.theta, other.path.theta)
    for own, its in zip(run.problem.dictionary.trees, other.problem.dictionary.trees, strict=True):
        np.testing.assert_array_equal(own, its)
    assert run.final.loss == other.final.loss
    np.testing.assert_array_equal(run.predict(X[:500]), other.predict(X[:500]))


def in_parts(lengths):
    """The table in parts of this process, one for each partition, whose borders move to blocks."""
    return TableOnParts(LocalParts.of(np.split(X, np.cumsum(lengths)[:-1])))


@pytest.fixture(scope="module")
def client():
    with distributed.Client(
        processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as client:
        yield client


@needs_compiler
@every_partition
@pytest.mark.parametrize("kind", KINDS)
def test_parts_of_this_process_grow_the_trees_of_memory(kind, lengths):
    assert_same(boosted(in_parts(lengths), kind), in_memory(kind))


@needs_compiler
@pytest.mark.parametrize("name", METHODS)
def test_every_method_grows_the_trees_of_memory(name):
    here = run_by(name, X)
    there = run_by(name, in_parts(PARTITIONS["uneven"]))
    assert_same(there, here)
    assert_same(there.resume(2), here.resume(2))


@needs_compiler
def test_two_runs_on_the_same_parts_do_not_meet():
    table = in_parts(PARTITIONS["uneven"])
    problem = cb.Problem(cb.data.trees(table, max_depth=4, min_samples=20), Y)
    runs = [cb.iterate(problem, method, 4) for method in (cb.gbm(0.1), cb.agbm(0.5, 0.1))]
    last = [states[-1] for states in zip(*zip(*runs, strict=True), strict=True)]
    here = cb.Problem(cb.data.trees(X, max_depth=4, min_samples=20), Y)
    for state, method in zip(last, (cb.gbm(0.1), cb.agbm(0.5, 0.1)), strict=True):
        assert state.loss == cb.solve(here, method, 4).final.loss


class Forgetful(LocalParts):
    """Parts of this process; once they have codes, one is lost before every third message."""

    def __init__(self, parts, n_samples):
        super().__init__([self.made_again(part) for part in parts], n_samples)

    def made_again(self, part, table=None):
        pieces = zip(*(table or part.table), strict=True)
        return Part(*pieces, part.blocks, part.n_rows)

    def answers(self, message):
        if self.log and self.n_seen % 3 == 2:
            k = self.n_seen % len(self.parts)
            new = self.made_again(self.parts[k], self.tables[k])
            for earlier in self.earlier():
                new._run(self.for_part(k, earlier))
            new.n_seen = self.n_seen
            self.parts[k] = new
        yield from super().answers(message)


@needs_compiler
@pytest.mark.parametrize("name", ["subsample", "Langevin", "AGBM", "RGB, trees again", "classes"])
def test_a_part_that_is_made_again_changes_no_bit(name):
    table = TableOnParts(Forgetful(in_parts(PARTITIONS["uneven"]).parts.parts, N))
    if name == "classes":
        runs = zip(of_classes(table), of_classes(X), strict=True)
        assert all(np.array_equal(run.path.theta, other.path.theta) for run, other in runs)
    else:
        assert_same(run_by(name, table), run_by(name, X))


def of_classes(table):
    """The runs of three classes in one model."""
    y = np.digitize(Y, [-1, 1])
    family = cb.data.trees(table, max_depth=4, min_samples=20, newton=True)
    problems = [cb.Problem(family, (y == k) * 2 - 1, cb.losses.Logistic()) for k in range(3)]
    return solve_rounds(problems, cb.gbm(0.9), 3)


@needs_compiler
@pytest.mark.parametrize("kind", ["squared", "logistic, Newton, weights"])
@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
def test_leaves_split_on_a_guess_change_no_tree(limits, kind):
    run = boosted(in_parts(PARTITIONS["uneven"]), kind, **limits)
    assert_same(run, boosted(X, kind, **limits))
    parts = run.problem.dictionary.parts
    n_trips = parts.n_trips
    run.resume(3)
    assert parts.n_trips - n_trips < 3 * 13  # for 31 leaves not 30 a tree


@needs_compiler
def test_a_run_says_what_travelled_for_a_tree():
    run = boosted(in_parts(PARTITIONS["even"]), "squared", 1)
    # one trip for each of five levels, and the first tree has no scale to guess
    assert "; a tree took 6.0 round trips, " in repr(run)
    assert "round trips" not in repr(in_memory("squared"))


@needs_compiler
@every_partition
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bins_by_counting_are_those_by_sorting(lengths, dtype):
    cuts = cb.data.trees(in_parts(lengths)).binning.cuts
    np.testing.assert_array_equal(cuts, cb.data.trees(X).binning.cuts)


@needs_compiler
@pytest.mark.parametrize("kind", ["squared", "logistic, Newton, weights"])
def test_workers_of_dask_grow_the_trees_of_memory(kind, client):
    lazy = client.persist(da.from_array(X, chunks=(tuple(PARTITIONS["uneven"]), (6,))))
    run = boosted(lazy, kind)
    assert len(run.problem.dictionary.parts.blocks) == 2
    assert_same(run, in_memory(kind))
    resumed = run.resume(2)
    np.testing.assert_array_equal(resumed.path.theta, in_memory(kind).resume(2).path.theta)


@cache
def frame():
    """A table with a category, and with text of more levels than a column has bins."""
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(X, columns=list("abcdef"))
    table["town"] = pd.Categorical(RNG.choice(["Oslo", "Rome", "Bonn"], N, p=[0.6, 0.3, 0.1]))
    words = np.array([f"w{i}" for i in range(300)], dtype=object)
    table["word"] = words[RNG.integers(0, 300, N)]
    table.loc[::7, "word"] = None
    return table


ESTIMATORS = {
    "regressor": (cb.RandomizedGBMRegressor, Y, {}),
    "classifier": (cb.RandomizedGBMClassifier, Y > 0, {}),
    "classes": (cb.RandomizedGBMClassifier, np.digitize(Y, [-1, 1]), {"multinomial": False}),
    "joint classes": (cb.RandomizedGBMClassifier, np.digitize(Y, [-1, 1]), {"subsample": 0.7}),
    "momentum": (cb.AcceleratedGBMRegressor, Y, {}),
    "families": (cb.RegularizedGBMRegressor, Y, {}),
    "counts": (
        cb.RandomizedGBMRegressor,
        np.abs(np.round(Y)),
        {"loss": cb.losses.Poisson(), "monotonic_cst": {"a": 1}},
    ),
}


@needs_compiler
@pytest.mark.filterwarnings("ignore:y is a Dask array")
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_estimators_leave_rows_of_dask_where_they_are(kind, client):
    dd = pytest.importorskip("dask.dataframe")
    estimator, y, options = ESTIMATORS[kind]
    model = estimator(n_estimators=3, random_state=0, min_samples_category=50, **options)
    lazy = dd.from_pandas(frame(), npartitions=5)
    on_workers = clone(model).fit(lazy, da.from_array(y, chunks=10_000))
    here = model.fit(frame(), y)
    for run, other in zip(on_workers.runs_, here.runs_, strict=True):
        np.testing.assert_array_equal(run.path.theta, other.path.theta)
    some = frame()[:500]
    np.testing.assert_array_equal(on_workers.predict(some), here.predict(some))
    read = pickle.loads(pickle.dumps(on_workers))
    np.testing.assert_array_equal(read.predict(some), here.predict(some))


THREE = np.digitize(Y, [-1, 1])
#: Fits that look at their losses: estimator, target, weights, options.
WATCHED = {
    "early stopping": (
        cb.RandomizedGBMClassifier,
        Y > 0,
        W * (W > 0.2),
        {"early_stopping": True, "verbose": 3, "n_estimators": 9, "n_iter_no_change": 3},
    ),
    "early stopping of classes": (cb.RandomizedGBMClassifier, THREE, W, {"early_stopping": True}),
    "early stopping with momentum": (
        cb.AcceleratedGBMRegressor,
        Y,
        None,
        {"early_stopping": True, "verbose": 2},
    ),
    "weights of 0": (cb.RandomizedGBMRegressor, Y, (Y > 0) * 1.0, {"verbose": 1}),
    "Langevin": (cb.LangevinGBMRegressor, Y, None, {"min_samples_leaf": 20}),
}


@needs_compiler
@pytest.mark.filterwarnings("ignore:y is a Dask array")
@pytest.mark.parametrize("kind", WATCHED)
def test_fits_on_dask_are_watched_and_continued_as_in_memory(kind, client, capsys):
    estimator, y, weight, options = WATCHED[kind]
    lazy = client.persist(da.from_array(X, chunks=(tuple(PARTITIONS["uneven"]), (6,))))
    model = estimator(**{"n_estimators": 4, "random_state": 0, **options})
    told = []
    fits = []
    for table in (X, lazy):
        fit = clone(model).fit(table, y, weight)
        curves = [
            fit.train_score_,
            *getattr(fit, "evals_result_", {}).get("validation", {}).values(),
        ]
        fit.set_params(warm_start=True, n_estimators=fit.n_estimators + 2).fit(table, y, weight)
        lines = capsys.readouterr().out.splitlines()
        told.append([line.rpartition(",")[0] for line in lines])  # without the seconds
        fits.append((fit, curves))
    (here, curves), (there, others) = fits
    assert told[0] == told[1]
    assert here.n_iter_ == there.n_iter_
    for curve, other in zip(curves, others, strict=True):
        np.testing.assert_array_equal(curve, other)
    for run, other in zip(here.runs_, there.runs_, strict=True):
        np.testing.assert_array_equal(run.path.theta, other.path.theta)


@needs_compiler
def test_rows_to_validate_on_may_lie_on_the_workers(client):
    lazy = client.persist(da.from_array(X, chunks=(20_000, 6)))
    some = slice(20_000)
    sets = [(X[some], Y[some]), (lazy[some], Y[some])]
    model = cb.RandomizedGBMRegressor(n_estimators=3, random_state=0)
    losses = clone(model).fit(lazy, Y, eval_set=sets).evals_result_
    here = model.fit(X, Y, eval_set=sets[:1]).evals_result_["validation"]["loss"]
    for found in losses.values():
        np.testing.assert_array_equal(found["loss"], here)


@needs_compiler
def test_the_losses_after_each_step_are_those_in_memory(client):
    lazy = client.persist(da.from_array(X, chunks=(20_000, 6)))
    np.testing.assert_array_equal(boosted(lazy, "squared").losses, in_memory("squared").losses)


@needs_compiler
def test_another_table_is_not_taken_for_the_one_before(client):
    lazy = client.persist(da.from_array(X, chunks=(20_000, 6)))
    model = cb.RandomizedGBMRegressor(n_estimators=2, warm_start=True).fit(lazy, Y)
    model.n_estimators = 3
    assert "have changed" in refused(lambda: model.fit(lazy[::-1], Y), "")


#: sentence -> what is refused: function of a table of Dask
REFUSED = {
    "cannot be searched where the rows": lambda lazy: cb.solve(
        cb.Problem(cb.data.trees(lazy), Y),
        cb.rules.Method("leaves", cb.rules.Greedy(), cb.rules.LeafSearch(0.1)),
        2,
    ),
    "merges equal rows": lambda lazy: cb.LangevinGBMRegressor(
        min_samples_leaf=1, noise_variance=1.0
    ).fit(lazy, Y),
    "save it without them": lambda lazy: boosted(lazy, "squared", 1).save("run.npz"),
    "file must be None": lambda lazy: cb.data.trees(lazy, file="codes.npy"),
}


@needs_compiler
@pytest.mark.parametrize("sentence", REFUSED)
def test_what_needs_the_rows_here_is_refused_in_one_sentence(
    sentence, client, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    lazy = client.persist(da.from_array(X, chunks=(20_000, 6)))
    assert sentence in refused(lambda: REFUSED[sentence](lazy), "")


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("n_workers", [1, 2, 4])
def test_any_number_of_worker_processes_grows_the_trees_of_memory(n_workers):
    dd = pytest.importorskip("dask.dataframe")
    model = cb.RandomizedGBMClassifier(n_estimators=3, random_state=0)
    here = model.fit(frame(), Y > 0, W)
    with distributed.Client(
        n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", direct_to_workers=True
    ) as client:
        for lengths in PARTITIONS.values():
            lazy = client.persist(da.from_array(X, chunks=(tuple(lengths), (6,))))
            assert_same(boosted(lazy, "squared"), in_memory("squared"))
            for name in METHODS:
                assert_same(run_by(name, lazy), run_by(name, X))
        lazy = dd.from_pandas(frame(), npartitions=5)
        there = clone(model).fit(lazy, Y > 0, W)
        np.testing.assert_array_equal(
            there.predict_proba(frame()[:500]), here.predict_proba(frame()[:500])
        )


@pytest.mark.slow
@needs_compiler
def test_a_lost_worker_changes_no_bit():
    with distributed.Client(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", direct_to_workers=True
    ) as client:
        lazy = client.persist(da.from_array(X, chunks=(tuple(PARTITIONS["even"]), (6,))))
        run = boosted(lazy, "squared")
        assert_same(run, in_memory("squared"))
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        resumed = run.resume(3)
        assert run.problem.dictionary.parts.n_restored >= 1
        assert_same(resumed, in_memory("squared").resume(3))
