"""What the Gram form of the Lasso knows of learners outside its working set: exact where it matters, a true bound everywhere else."""

import numpy as np
import pytest
import scipy.sparse

import coordboost as cb
from coordboost.lasso.gram import GramForm
from coordboost.lasso.newton import Newton
from coordboost.lasso.sparse import StoredEntries
from coordboost.lasso.workingset import WorkingSet
from coordboost.screening.columns import ScaledColumns

RNG = np.random.default_rng(5)
X = RNG.standard_normal((60, 900))
Y = X[:, :5] @ np.array([5.0, -4.0, 3.0, 2.0, -2.0]) + 0.5 * RNG.standard_normal(60)
TABLES = {"plain": {}, "weights": {"sample_weight": RNG.random(60) + 0.5}}


@pytest.fixture
def looks(monkeypatch):
    """What is known after each check: the inner solver's penalty, residual, bounds and guesses, and what it cost."""
    seen, look = [], GramForm._look

    def noted(inner, resid, lam):
        before = inner.looks
        now = look(inner, resid, lam)
        seen.append((lam, resid, inner.size.copy(), inner.trend.seen.copy(), inner.block.learner.copy(), now.copy(), inner.looks - before))
        return now

    monkeypatch.setattr(GramForm, "_look", noted)
    return seen


@pytest.mark.parametrize("scale", [None, RNG.random(900) * 0.5 + 0.5], ids=["unit", "scaled"])
@pytest.mark.parametrize("table", TABLES)
def test_bounds_hold_and_what_is_near_the_penalty_is_exact(table, scale, looks):
    columns = ScaledColumns(cb.Problem(X, Y, **TABLES[table]), scale)
    solver = WorkingSet(inner := GramForm(columns))
    lams = np.abs(columns.zero).max() * np.geomspace(1, 0.2, 30)
    assert all(answer.gap <= 1e-4 for answer in solver.path(lams, 1e-4))
    whole = 0
    for lam, resid, size, guess, held, now, cost in looks:
        corr = columns.scan(resid)
        exact, others = size == guess, np.delete(np.arange(900), held)
        np.testing.assert_allclose(now, corr[held], rtol=0, atol=1e-12 * np.abs(columns.zero).max())
        assert (size >= np.abs(corr) * (1 - 1e-12)).all() and (guess >= 0).all() and exact[held].all()
        assert (np.abs(guess - np.abs(corr)) <= (size - guess) * (1 + 1e-12) + 1e-13).all()
        np.testing.assert_allclose(size[exact], np.abs(corr[exact]), rtol=1e-11, atol=1e-14)
        assert (size[others][~exact[others]] <= 0.9 * lam).all()
        assert cost == (900 if exact.all() else exact[others].sum()) and (exact.all() or cost <= 225)
        whole += exact.all()
    assert inner.looks == sum(look[-1] for look in looks)
    assert 1 <= whole <= 19 and len(looks) >= 30


def test_most_scans_are_of_few_learners():
    """One answer at each penalty needs a look at all learners; here a fourth of them costs so much."""
    path = cb.lasso_path(X, Y, n_alphas=50, eps=0.2, tol=1e-4, solver="descent")
    assert (path.gaps <= 1e-4).all() and path.n_scans <= 15


def test_learners_that_are_not_stored_are_scanned_where_a_bound_reaches_the_penalty(looks, monkeypatch):
    """One correlation of theirs may cost as much as all."""
    columns = ScaledColumns(cb.Problem(X, Y))
    solver, columns.apart = WorkingSet(GramForm(columns)), False
    columns.scan_few = None
    for lam in np.abs(columns.zero).max() * np.geomspace(1, 0.2, 30):
        assert solver.solve(lam, 1e-4).gap <= 1e-4
    for lam, _, size, guess, held, _, cost in looks:
        assert cost in (0, 900) and ((size == guess).all() or np.delete(size, held).max() <= lam)
    assert {look[-1] for look in looks} == {0, 900}


@pytest.mark.parametrize("inner", [GramForm, StoredEntries])
def test_a_fit_says_whether_it_reached_its_goal(inner):
    """No goal can be below 0."""
    solver = inner(ScaledColumns(cb.Problem(scipy.sparse.csc_array(np.where(X[:, :30] > 1.2, X[:, :30], 0.0)), Y)))
    lam = 0.1 * solver.level
    solver.penalise(lam)
    solver.recruit(np.flatnonzero(solver.block.place < 0) if inner is GramForm else np.arange(30))
    assert [solver.fit(lam, goal) for goal in (1e-6 * solver.null, -1.0)] == [True, False]


@pytest.mark.parametrize("table", TABLES)
def test_every_inner_solver_knows_the_loss_at_0(table):
    """Gaps are measured by it."""
    problem = cb.Problem(scipy.sparse.csc_array(np.where(X[:, :30] > 1.2, X[:, :30], 0.0)), Y, **TABLES[table])
    columns, right = ScaledColumns(problem), problem.value(np.zeros(60))
    assert [inner(columns).null for inner in (GramForm, StoredEntries)] == pytest.approx([right, right], rel=1e-13)
    newton = Newton(ScaledColumns(problem, weighted=False), None)
    assert newton.null == newton.loss == pytest.approx(right, rel=1e-13)


@pytest.mark.parametrize(
    ("shape", "many", "n"),
    [((20, 10), True, 10), ((20, 11), True, 0), ((20, 10), False, 0), ((90, 20), True, 20), ((90, 21), True, 0)],
)
def test_few_learners_are_in_the_set_from_the_start(shape, many, n, monkeypatch):
    """Where there are twice as many samples, no more than so many learners, and many penalties to come."""
    monkeypatch.setattr("coordboost.lasso.gram.SMALL", 20)
    inner = GramForm(ScaledColumns(cb.Problem(RNG.normal(size=shape), RNG.normal(size=shape[0]))), many)
    assert list(inner.block.learner) == list(range(n)) and len(inner.gamma) == len(inner.now) == n


def test_who_is_expected():
    """At a smaller penalty than that of the last look: who comes as near as a hundredth if all go on as between the last two looks."""
    problem = cb.Problem(RNG.standard_normal((20, 30)), RNG.standard_normal(20))
    inner = GramForm(ScaledColumns(problem))
    top, corr = inner.trend.lam, np.abs(inner.zero)
    after = corr * RNG.uniform(0.5, 1.0, 30)
    inner._see(after + 0.1, after, 0.8 * top)
    inner.penalise(0.7 * top)
    then = after + (after - corr) / 2  # the penalty falls by half of what it fell before
    for level in np.quantile(then, [0.2, 0.5, 0.9]):
        assert list(inner.waiting(level)) == [j for j in range(30) if then[j] >= 0.99 * level]
