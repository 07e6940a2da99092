"""The ends of a Lasso path: the grid that nobody asked for, as the documentation says it; and no penalty at all."""

import inspect
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
from test_lasso_path import table

import coordboost as cb
from coordboost.lasso import solvers
from coordboost.lasso.solvers import by_homotopy, choose
from coordboost.screening.columns import ScaledColumns


def test_the_default_grid():
    """100 alphas, evenly on a log scale, from the smallest that gives 0 down to 1e-3 of it."""
    X, y = np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0], [0.0, -1.0]]), np.array([1.0, 2.0, 0.0, -1.0])
    path = cb.lasso_path(X, y)
    top = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / len(y)
    np.testing.assert_allclose(path.alphas, np.geomspace(top, 1e-3 * top, 100), rtol=1e-12)
    assert (path.coefs[:, 0] == 0).all() and inspect.signature(cb.lasso_path).parameters["tol"].default == 1e-6


@pytest.mark.parametrize("solver", ["homotopy", "descent"])
def test_the_gap_without_a_penalty(solver):
    """In rounded numbers no correlation is 0: the dual point is 0 then, and the gap the loss that is left."""
    X, y = table(40, 6)
    path = cb.lasso_path(X, y, alphas=[0.0], solver=solver)
    resid = y - path.intercepts[0] - X @ path.coefs[:, 0]
    assert path.gaps[0] == pytest.approx(resid @ resid / np.sum((y - y.mean()) ** 2), rel=1e-10)


@pytest.mark.parametrize(
    "n, p, n_alphas, last, tol, solver",
    [
        (200, 20_000, 100, 1e-3, 1e-3, "homotopy"),
        (201, 20_000, 100, 1e-3, 1e-3, "descent"),
        (450, 5_000, 11, 1e-3, 1e-5, "homotopy"),
        (451, 5_000, 11, 1e-3, 1e-5, "descent"),
        (100, 5_000, 10, 1e-3, 1e-6, "descent"),
        (100, 5_000, 10, 0.0, 1e-6, "homotopy"),
        (5_000, 200, 100, 1e-3, 1e-6, "homotopy"),
        (5_000, 201, 100, 1e-3, 1e-6, "descent"),
        (200, 200, 100, 1e-3, 1e-3, "descent"),
    ],
)
def test_the_solver_that_nobody_asked_for(n, p, n_alphas, last, tol, solver):
    """The exact path for many penalties on a small table; what small is depends on the tolerance."""
    dictionary = cb.Problem(*table(8, 3)).dictionary
    problem = SimpleNamespace(n_samples=n, n_learners=p, loss=cb.Squared(), dictionary=dictionary)
    assert choose(problem, np.linspace(1.0, last, n_alphas), tol) == solver


def test_of_two_answers_to_a_penalty_the_better_is_kept(monkeypatch):
    """No exact path reaches a gap of 0: working sets are asked for every penalty but 0, and may have better answers to some."""
    problem = cb.Problem(*table(20, 6))
    columns = ScaledColumns(problem)
    lams = np.abs(columns.zero).max() * np.array([0.9, 0.5, 0.3, 0.2, 0.0])
    asked, better = [], np.array([False, True, False, True])

    def answers(*question):
        asked.append(question)
        found = np.where(better, 0.0, 1.0)[:3]  # cut short before the last of them
        return scipy.sparse.csr_array(np.outer([7.0, 8.0, 9.0], np.ones(6))), found, 11

    plain, gaps, n_scans = by_homotopy(problem, columns, lams, 1e-6)
    assert (gaps[:4] <= 1e-6).all() and gaps[4] > 1e-6  # no penalty, no dual point but 0
    monkeypatch.setattr(solvers, "_gaps", lambda points, whole: np.full(len(points), 0.5))
    monkeypatch.setattr(solvers, "by_descent", answers)
    gammas, gaps, more = by_homotopy(problem, columns, lams, 0.25)
    ((first, second, wanted, tol),) = asked
    assert first is problem and second is columns and list(wanted) == list(lams[:4]) and tol == 0.25
    assert list(gaps) == [0.5, 0.0, 0.5, 0.5, 0.5] and more > n_scans
    np.testing.assert_array_equal(gammas.toarray(), np.vstack([plain.toarray()[:1], np.full((1, 6), 8.0), plain.toarray()[2:]]))


@pytest.mark.parametrize("shape", [(60, 20), (20, 60)])
@pytest.mark.parametrize(("solver", "loss"), [("descent", cb.Squared()), ("newton", cb.Logistic())])
def test_scans_are_counted(shape, solver, loss, monkeypatch):
    """Every scan of all learners, the first one included, and those of a few by their number; where all are in the working set from the
    start there is no other."""
    scans, seen, every, few = [], [], ScaledColumns.scan, ScaledColumns.scan_few
    monkeypatch.setattr(ScaledColumns, "scan", lambda *question: scans.append(1) or every(*question))
    monkeypatch.setattr(ScaledColumns, "scan_few", lambda *question: seen.extend(question[2]) or few(*question))
    X, y = table(*shape)
    path = cb.lasso_path(X, np.sign(y - y.mean()), n_alphas=12, solver=solver, loss=loss)
    assert path.n_scans == len(scans) + int(np.ceil(len(seen) / shape[1]))
    assert (len(scans) == 1) == (solver == "descent" and shape == (60, 20))


def test_an_exact_path_on_few_learners_has_one_scan():
    """At 0: all of them are candidates then, and followed."""
    assert cb.exact_path(cb.Problem(*table(60, 20))).n_scans == 1
