"""Folds that share the Gram matrix of the whole are those of their own rows; paths in threads end at Ctrl-C."""

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit

import coordboost as cb
from coordboost._protocol import DICTIONARY
from coordboost.paths.folds import DOUBT, KEPT, Folds
from coordboost.screening.columns import ScaledColumns

RNG = np.random.default_rng(12)
X = RNG.normal(size=(240, 30)) * np.linspace(1, 50, 30) + np.linspace(-30, 1e4, 30)
Y = X @ np.where(np.arange(30) % 7, 0, 0.3) + RNG.normal(size=240) + 100
FIVE = list(KFold(5, shuffle=True, random_state=1).split(X))
SPLITS = {
    "each row once": FIVE,
    "some rows twice": list(RepeatedKFold(n_splits=4, n_repeats=2, random_state=0).split(X)),
    "some rows never": list(ShuffleSplit(3, test_size=0.2, random_state=0).split(X)),
}


def parts_of(problem, folds):
    shared = Folds(problem, folds)
    return [shared.part(k) for k in range(len(folds))]


def assert_is(part, own):
    """Columns of mean 1e4 and spread 50 lose two to three digits of sixteen."""
    n, m = own.n_learners, own.n_samples
    v, beta = RNG.normal(size=m), RNG.integers(-1, 2, n).astype(float)
    np.testing.assert_allclose(part.gather(np.arange(n)), own.gather(np.arange(n)), atol=1e-11)
    np.testing.assert_allclose(part.scan(v), own.scan(v), atol=1e-10)
    np.testing.assert_allclose(part.combine(beta), own.combine(beta), atol=1e-10)
    np.testing.assert_allclose(part.y, own.y, atol=1e-11)
    np.testing.assert_allclose(part.standardization.mean, own.standardization.mean, rtol=1e-12)
    np.testing.assert_allclose(part.standardization.norm, own.standardization.norm, rtol=1e-12)
    assert part.offset == pytest.approx(own.offset, rel=1e-14) and list(part.column_names) == list(own.column_names)
    assert part.weight.tolist() == own.weight.tolist() == [1.0] * m


@pytest.mark.parametrize("splits", SPLITS)
def test_a_fold_is_the_problem_of_its_rows(splits):
    every = np.arange(30)
    for (part, products), (fit, _) in zip(parts_of(cb.Problem(X, Y), SPLITS[splits]), SPLITS[splits], strict=True):
        own = cb.Problem(X[fit], Y[fit])
        assert_is(part, own)
        np.testing.assert_allclose(
            products.cross(every, every[::2]), (own.dictionary.rows @ own.dictionary.rows.T)[:, ::2], atol=1e-11
        )


WIDE = np.hstack([X[:40] + 0.01 * X[k : k + 40] for k in range(0, 200, 5)])
DRAWN = {
    "wide": (WIDE, list(KFold(4).split(WIDE))),
    "halves": (X, list(KFold(2).split(X))),
    "rows drawn twice": (X, [(np.repeat(np.arange(120), 2), np.arange(120, 240))]),
    "long": (np.tile(X, (30, 1)), list(KFold(2, shuffle=True, random_state=0).split(np.tile(X, (30, 1))))),
}


@pytest.fixture
def no_copies(monkeypatch):
    monkeypatch.setattr("coordboost.paths.folds.LITTLE", 0)


@pytest.mark.parametrize("copied", [True, False])
@pytest.mark.parametrize("case", DRAWN)
def test_columns_are_taken_where_a_gram_matrix_does_not_pay(case, copied, request):
    table, folds = DRAWN[case]
    if not copied:
        request.getfixturevalue("no_copies")
    y = np.resize(Y, len(table))
    for (part, products), (fit, _) in zip(parts_of(cb.Problem(table, y), folds), folds, strict=True):
        assert products is None and (DICTIONARY.of(part.dictionary, "rows") is None) == (not copied)
        assert_is(part, cb.Problem(table[fit], y[fit]))


@pytest.mark.parametrize("case", ["wide", "rows drawn twice"])
def test_a_few_columns_are_looked_at_without_the_others(case, no_copies):
    """By their correlations, their columns, and the largest correlation with each of many residuals; with a part of each, too."""
    table, folds = DRAWN[case]
    (part, _), (fit, _) = Folds(cb.Problem(table, np.resize(Y, len(table))), folds).part(0), folds[0]
    own, some = cb.Problem(table[fit], np.resize(Y, len(table))[fit]), np.array([3, 0, 17])
    v = RNG.normal(size=(6, len(fit)))
    for scale in (None, np.linspace(0.1, 1, own.n_learners)):
        mine, other = ScaledColumns(part, scale), ScaledColumns(own, scale)
        assert mine.apart and mine.rows is None
        np.testing.assert_allclose(mine.scan_few(v[0], some), other.scan(v[0])[some], atol=1e-10)
        np.testing.assert_allclose(mine.levels(v), other.levels(v), rtol=1e-9)
        held = np.empty((2, 3, len(fit)))
        for columns, out in zip((mine, other), held, strict=True):
            columns.gather(some, out)
        np.testing.assert_allclose(*held, atol=1e-11)


@pytest.mark.parametrize("case", ["wide", "rows drawn twice"])
def test_quick_looks_at_a_fold_are_those_at_the_whole(case, no_copies, monkeypatch):
    """Off by less than they say, and no more than a few steps of a byte; the whole is put into bytes once."""
    monkeypatch.setattr("coordboost.screening.coarse.LITTLE", 0)
    table, folds = DRAWN[case]
    whole = cb.Problem(table, np.resize(Y, len(table)))
    for k, (fit, _) in enumerate(folds):
        part, v = Folds(whole, folds).part(k)[0], RNG.normal(size=len(fit))
        assert part.coarse.whole is whole.coarse
        for scale in (None, np.linspace(0.1, 1, part.n_learners)):
            columns = ScaledColumns(part, scale)
            (corr, off), right = columns.roughly(v), columns.scan(v)
            assert (np.abs(corr - right) <= off).all() and 0 < off.max() <= 0.1 * np.linalg.norm(v)
        assert cb.check_piece(part.dictionary)
    monkeypatch.undo()
    assert cb.Problem(table, np.resize(Y, len(table))).coarse is None


@pytest.mark.parametrize("method", [cb.CertifiedLassoCV(tol=1e-6), cb.CertifiedElasticNetCV(tol=1e-6, l1_ratio=0.5)], ids=["lasso", "net"])
def test_folds_without_memory_of_their_own_lead_to_the_same_models(method, no_copies, monkeypatch):
    """What the folds are made of is a way to the optimum, not a part of the answer; and a look at a few learners is no scan."""
    model = method.set_params(cv=DRAWN["wide"][1], n_alphas=8, eps=0.1).fit(WIDE, Y[:40])
    whole = model.path_.problem.dictionary.rows
    assert all(path.problem.dictionary.source.rows is whole for path in model.cross_validation_.paths)
    monkeypatch.undo()
    copied = clone(method).fit(WIDE, Y[:40])
    assert not any(hasattr(path.problem.dictionary, "source") for path in copied.cross_validation_.paths)
    np.testing.assert_allclose(model.cross_validation_.losses, copied.cross_validation_.losses, rtol=1e-4)
    assert model.place_ == copied.place_


def test_a_fold_that_keeps_too_little_is_made_from_its_rows():
    """A row so many standard deviations off, without which .012 or .002 of the square is left; a target that varies in one row alone."""
    for height, made in ((50.0, True), (130.0, False)):
        table = WIDE.copy()
        table[3, -1] = table[:, -1].mean() + height * table[:, -1].std()
        parts = parts_of(cb.Problem(table, Y[:40]), DRAWN["wide"][1])
        assert [part is not None for part in parts] == [made or 3 not in held for _, held in DRAWN["wide"][1]]
    flat = np.where(np.arange(40) == 39, 1.0, 7.0)
    assert [part is None for part in parts_of(cb.Problem(WIDE, flat), DRAWN["wide"][1])] == [False, False, False, True]


def test_entries_are_within_their_doubt_of_the_columns_where_much_is_held_out():
    """Judged in longer numbers; one row has most of what a square may lose."""
    table = RNG.normal(size=(240, 8))
    table[3] = 9.0
    squares = ((table - table.mean(axis=0)) ** 2).sum(axis=0)
    least = []
    for (part, products), (fit, _) in zip(parts_of(cb.Problem(table, Y), FIVE), FIVE, strict=True):
        least.append((part.standardization.norm**2 / squares).min())
        long = part.gather(np.arange(8)).T.astype(np.longdouble)
        off = np.abs(products.gram - long @ long.T).max()
        assert 0 < off <= DOUBT * np.finfo(float).eps * np.sqrt(len(fit))
    assert KEPT < min(least) < KEPT + 0.1
    table[3] = 40.0
    parts = parts_of(cb.Problem(table, Y), FIVE)
    assert [products is None for _, products in parts] == [3 in held for _, held in FIVE]


def test_a_fold_can_be_run_and_its_estimator_kept():
    (part, _), fit = Folds(cb.Problem(X, Y), FIVE).part(0), FIVE[0][0]
    run, own = (cb.solve(problem, cb.ls_boost(0.1), 6) for problem in (part, cb.Problem(X[fit], Y[fit])))
    assert (run.path.learner == own.path.learner).all()
    np.testing.assert_allclose(run.coef, own.coef, rtol=1e-10)
    np.testing.assert_allclose(run.predict(X), own.predict(X), rtol=1e-10)
    boosted = cb.LSBoostRegressorCV(n_steps=9, cv=FIVE).fit(X, Y)
    assert type(boosted.cross_validation_.paths[0].problem.dictionary) is type(boosted.path_.problem.dictionary)
    model = cb.CertifiedLassoCV(n_alphas=3, cv=FIVE).fit(X, Y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.cross_validation_.paths[0].coefs, model.cross_validation_.paths[0].coefs)
    rows = copy.path_.problem.dictionary.rows
    assert all(path.problem.dictionary.source.rows is rows for path in copy.cross_validation_.paths)  # no copies of the table


@pytest.mark.parametrize(
    "given", [{"sample_weight": np.linspace(1, 2, 240)}, {"loss": cb.Logistic()}], ids=["weights", "another loss"]
)
def test_other_folds_are_made_from_their_rows(given):
    problem = cb.Problem(X, Y.mean() < Y if given.get("loss") else Y, **given)
    assert Folds(problem, FIVE).products is None and not any(parts_of(problem, FIVE))


def test_paths_of_shared_folds_keep_what_their_gaps_say():
    model = cb.CertifiedLassoCV(n_alphas=12, tol=1e-9, cv=FIVE).fit(X, Y)
    ends = []
    for path, (fit, _) in zip(model.cross_validation_.paths, FIVE, strict=True):
        own = cb.Problem(X[fit], Y[fit])
        for k, alpha in enumerate(path.alphas):
            coef, intercept = path.coefs[:, k], path.intercepts[k]
            target, norm = cb.Penalty(alpha * len(fit)), own.standardization.norm
            resid = Y[fit] - X[fit] @ coef - intercept
            corr = np.abs((X[fit] - X[fit].mean(axis=0)).T @ resid).max()
            share = min(1.0, target.lam / corr)
            lower = share * resid @ own.y - share**2 * resid @ resid / 2
            gap = resid @ resid / 2 + target.lam * np.abs(coef).sum() - lower
            ends.append(gap / own.start_loss)
            assert ends[-1] <= path.gaps[k] + 1e-12 <= 1e-9 + 1e-12 and np.isfinite(norm).all()
    assert max(ends) > 1e-12  # there was something to be certified
    alone = cb.cross_validate(
        lambda X, y, w: cb.lasso_path(X, y, model.path_.alphas, tol=1e-9, solver="descent"), X, Y, folds=FIVE
    )
    np.testing.assert_allclose(model.cross_validation_.losses, alone.losses, rtol=1e-4)
    assert model.place_.step == alone.best


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
@pytest.mark.parametrize("run", [cb.cross_validate, cb.stability_selection], ids=["folds", "halves"])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_paths_end_at_ctrl_c(signum, run, n_threads):
    """A path that would take for ever; the signal then acts as it did before, here as a Ctrl-C."""

    def stop(*_):
        raise KeyboardInterrupt

    before = {one: signal.signal(one, stop) for one in (signal.SIGINT, signal.SIGTERM)}
    begun, ended = [], []

    def walk(X, y, weight):
        begun.append(cb.solve(cb.Problem(X, y, sample_weight=weight), cb.ls_boost(0.1), 10))
        ended.append(cb.solve(cb.Problem(X, y, sample_weight=weight), cb.ls_boost(0.1), 10**12))

    try:
        threading.Timer(0.5, os.kill, (os.getpid(), signum)).start()
        began = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            run(walk, X[:, :5], Y, n_threads=n_threads)
        assert time.perf_counter() - began < 5 and ended == []  # no run that was cut short is handed to anybody
        assert len(begun) <= n_threads and signal.getsignal(signum) is stop
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
