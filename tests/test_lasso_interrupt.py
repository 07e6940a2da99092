"""Ctrl-C in `lasso_path`: the alphas done are kept, with their gaps, and the result says so."""

import signal

import numpy as np
import pytest

import coordboost as cb
from coordboost.exact.homotopy import INTERRUPTED, ROUNDING, Homotopy
from coordboost.lasso import solvers, workingset
from coordboost.screening.columns import ScaledColumns


@pytest.fixture(autouse=True)
def heard():
    """Signals are heard: runners in the background have SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def to(gap, tol=1e-8):
    """What is said of the last gap."""
    return f", the last to a gap of {gap:.2g}" if gap > tol else ""


def table(n=60, p=90):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    return X, X[:, :5] @ np.ones(5) + rng.standard_normal(n)


@pytest.mark.parametrize("loss", [None, cb.Huber(1.0)], ids=["descent", "newton"])
def test_what_is_done_is_kept(monkeypatch, loss):
    X, y = table()
    whole = cb.lasso_path(X, y, n_alphas=20, loss=loss, solver=None if loss else "descent", tol=1e-8)
    solve, calls = workingset.WorkingSet.solve, []

    def interrupted(self, lam, tol, asked):
        calls.append(lam)
        if len(calls) == 8:
            signal.raise_signal(signal.SIGINT)
        return solve(self, lam, tol, asked)

    monkeypatch.setattr(workingset.WorkingSet, "solve", interrupted)
    with pytest.warns(cb.InterruptedWarning, match="lasso_path was interrupted: the first 8 of 20 alphas are there"):
        part = cb.lasso_path(X, y, n_alphas=20, loss=loss, solver=None if loss else "descent", tol=1e-8)
    assert len(calls) == 8 and part.coefs.shape == (90, 8) and part.intercepts.shape == part.gaps.shape == (8,)
    assert part.message == "interrupted: the first 8 of 20 alphas are there" + to(part.gaps[7]) and part.message in repr(part)
    assert whole.message == "complete" and "interrupted" not in repr(whole)
    assert (part.alphas == whole.alphas[:8]).all() and (part.coefs[:, :7] == whole.coefs[:, :7]).all()
    assert (part.gaps[:7] <= 1e-8).all() and part.gaps[7] < 1


@pytest.mark.parametrize("message", [INTERRUPTED, ROUNDING])
def test_an_exact_path_that_ends_early(message, monkeypatch):
    """Interrupted, the penalties down to its last corner are answered, the first one always; ended by rounding, all of them."""

    class Ending(Homotopy):
        def run(self):
            self.most = 6
            walks.append(super().run())
            walks[-1].message = message
            return walks[-1]

    monkeypatch.setattr(solvers, "Homotopy", Ending)
    walks, (X, y) = [], table()
    problem = cb.Problem(X, y)
    top = float(np.abs(ScaledColumns(problem).zero).max())
    for lams in (top * np.geomspace(1, 0.01, 20), top * np.array([1e-3, 1e-4])):
        gammas, gaps, _ = solvers.by_homotopy(problem, ScaledColumns(problem), lams, 1e-8)
        there = (lams >= walks[-1].lam[-1]).sum()
        assert there == 0 if len(lams) == 2 else 0 < there < 20
        assert gammas.shape == (len(gaps), problem.n_learners) and len(gaps) == (max(there, 1) if message == INTERRUPTED else len(lams))
        assert (gaps[: there if message == INTERRUPTED else None] <= 1e-8).all()


@pytest.mark.parametrize("loss", [None, cb.Huber(1.0)], ids=["descent", "newton"])
def test_one_penalty_that_was_cut_short_is_never_complete(monkeypatch, loss):
    """The only alpha is in work: a model is there, its gap is said. An estimator hands out none."""
    X, y = table()
    recruit = workingset.WorkingSet._recruit

    def interrupted(self, level):
        signal.raise_signal(signal.SIGINT)
        return recruit(self, level)

    monkeypatch.setattr(workingset.WorkingSet, "_recruit", interrupted)
    monkeypatch.setattr(workingset, "CROWD", 1)  # one fit is not enough
    with pytest.warns(cb.InterruptedWarning, match="the first 1 of 1 alphas are there, the last to a gap of"):
        part = cb.lasso_path(X, y, [1e-4], loss=loss, tol=1e-12)
    assert part.gaps[0] > 1e-12 and part.message == "interrupted: the first 1 of 1 alphas are there" + to(part.gaps[0], 1e-12)
    model = cb.CertifiedLasso(alpha=1e-4, loss=loss, tol=1e-12)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_cross_validation_hands_out_nothing(monkeypatch, n_jobs):
    X, y = table()
    model, calls = cb.CertifiedLassoCV(n_alphas=5, n_jobs=n_jobs), []
    solve = workingset.WorkingSet.solve

    def interrupted(self, *given):
        calls.append(1)
        if len(calls) == 12:
            signal.raise_signal(signal.SIGINT)
        return solve(self, *given)

    monkeypatch.setattr(workingset.WorkingSet, "solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert not hasattr(model, "coef_")
