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


def table(n=60, p=90):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    return X, X[:, :5] @ np.ones(5) + rng.standard_normal(n)


@pytest.mark.parametrize("loss", [None, cb.Huber(1.0)], ids=["descent", "newton"])
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_what_is_done_is_kept(monkeypatch, loss, name):
    X, y = table()
    whole = cb.lasso_path(X, y, n_alphas=20, loss=loss, solver=None if loss else "descent", tol=1e-8)
    solve, calls = workingset.WorkingSet.solve, []

    def interrupted(self, lam, tol, asked):
        calls.append(lam)
        if len(calls) == 8:
            signal.raise_signal(getattr(signal, name))
        return solve(self, lam, tol, asked)

    monkeypatch.setattr(workingset.WorkingSet, "solve", interrupted)
    part = cb.lasso_path(X, y, n_alphas=20, loss=loss, solver=None if loss else "descent", tol=1e-8)
    assert len(calls) == 8 and part.coefs.shape == (90, 8) and part.intercepts.shape == part.gaps.shape == (8,)
    assert part.message == "interrupted: the first 8 of 20 alphas are there" and part.message in repr(part)
    assert whole.message == "complete" and "interrupted" not in repr(whole)
    assert (part.alphas == whole.alphas[:8]).all() and (part.coefs[:, :7] == whole.coefs[:, :7]).all()
    assert (part.gaps[:7] <= 1e-8).all() and part.gaps[7] < 1


def test_an_exact_path_keeps_its_corners(monkeypatch):
    """Unless it takes a millisecond or two, as this one would."""
    from coordboost.exact import homotopy
    from coordboost.exact.pool import Pool

    monkeypatch.setattr(homotopy, "SHORT", 0)
    X, y = table()
    go_on, calls = Pool.go_on, []

    def interrupted(self):
        calls.append(1)
        signal.raise_signal(signal.SIGINT)
        return go_on(self)

    monkeypatch.setattr(Pool, "go_on", interrupted)
    path = cb.lasso_path(X, y, n_alphas=20, solver="homotopy", tol=1e-8)
    assert 1 <= len(path.alphas) <= 20 and len(path.gaps) == len(path.alphas) == path.coefs.shape[1]
    assert path.message == "complete" or "interrupted" in repr(path)


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
