"""Paths of cross-validation are those of the rows of each fold alone; they end at Ctrl-C."""

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit

import coordboost as cb

RNG = np.random.default_rng(12)
X = RNG.normal(size=(240, 30)) * np.linspace(1, 50, 30) + np.linspace(-30, 1e4, 30)
Y = X @ np.where(np.arange(30) % 7, 0, 0.3) + RNG.normal(size=240) + 100
FIVE = list(KFold(5, shuffle=True, random_state=1).split(X))
SPLITS = {
    "each row once": FIVE,
    "some rows twice": list(RepeatedKFold(n_splits=4, n_repeats=2, random_state=0).split(X)),
    "some rows never": list(ShuffleSplit(3, test_size=0.2, random_state=0).split(X)),
}


@pytest.mark.parametrize("splits", SPLITS)
def test_paths_of_folds_have_the_gaps_that_they_report(splits):
    """Folds share work, not results: gaps are recomputed on the rows of each fold, and losses are
    those of paths on these rows alone.
    """
    folds = SPLITS[splits]
    model = cb.CertifiedLassoCV(n_alphas=12, tol=1e-9, cv=folds).fit(X, Y)
    for path, (fit, _) in zip(model.cross_validation_.paths, folds, strict=True):
        start = np.sum((Y[fit] - Y[fit].mean()) ** 2) / 2
        for k, alpha in enumerate(path.alphas):
            coef = path.coefs[:, k]
            lam = alpha * len(fit)
            resid = Y[fit] - X[fit] @ coef - path.intercepts[k]
            share = min(1.0, lam / np.abs((X[fit] - X[fit].mean(axis=0)).T @ resid).max())
            lower = share * resid @ (Y[fit] - Y[fit].mean()) - share**2 * resid @ resid / 2
            gap = (resid @ resid / 2 + lam * np.abs(coef).sum() - lower) / start
            assert gap <= path.gaps[k] + 1e-12 <= 1e-9 + 1e-12
    alone = cb.cross_validate(
        lambda X, y, w: cb.lasso_path(
            X, y, model.path_.alphas, tol=1e-9, solver="cd", unit_columns=False
        ),
        X,
        Y,
        folds=folds,
    )
    np.testing.assert_allclose(model.cross_validation_.losses, alone.losses, rtol=1e-4)
    assert model.place_.step == alone.best


def test_an_estimator_and_its_folds_can_be_kept():
    model = cb.CertifiedLassoCV(n_alphas=3, cv=FIVE).fit(X, Y)
    plain = pickle.dumps(model)
    copy = pickle.loads(plain)
    np.testing.assert_array_equal(
        copy.cross_validation_.paths[0].coefs, model.cross_validation_.paths[0].coefs
    )
    assert len(plain) < 3 * X.nbytes  # no copy of the table for each fold


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
@pytest.mark.parametrize(
    "run", [cb.cross_validate, cb.model_selection.stability_selection], ids=["folds", "halves"]
)
@pytest.mark.parametrize("n_threads", [1, 2])
def test_paths_end_at_ctrl_c(signum, run, n_threads):
    """A path that never ends is interrupted; then the signal goes to its previous handler, which
    here raises KeyboardInterrupt.
    """

    def stop(*_):
        raise KeyboardInterrupt

    before = {signum: signal.signal(signum, stop) for signum in (signal.SIGINT, signal.SIGTERM)}
    begun = []
    ended = []

    def walk(X, y, weight):
        begun.append(cb.solve(cb.Problem(X, y, sample_weight=weight), cb.ls_boost(0.1), 10))
        ended.append(cb.solve(cb.Problem(X, y, sample_weight=weight), cb.ls_boost(0.1), 10**12))

    try:
        threading.Timer(0.5, os.kill, (os.getpid(), signum)).start()
        began = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            run(walk, X[:, :5], Y, n_threads=n_threads)
        assert time.perf_counter() - began < 5 and ended == []  # no interrupted run is returned
        assert len(begun) <= n_threads and signal.getsignal(signum) is stop
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
