"""The Lasso on stored entries: gaps recomputed from the data alone, bounds of correlations that hold, conjugate gradients."""

import numpy as np
import pytest
import scipy.sparse
from designs import seeded
from hypothesis import given, settings
from hypothesis import strategies as st

import coordboost as cb
from coordboost._generic import compiled
from coordboost.lasso import solvers
from coordboost.lasso.conjugate import descend_on_support
from coordboost.lasso.entries import drift, empty, short_rows, with_more
from coordboost.lasso.gaps import enough_level, squared_gap
from coordboost.lasso.sparse import StoredEntries, evaluate
from coordboost.lasso.workingset import WorkingSet
from coordboost.screening.columns import ScaledColumns
from coordboost.screening.sphere import few_entries


@settings(seeded, max_examples=100)
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=12))
def test_few_entries_is_a_bound(move):
    """Of the norm of any q entries; of all of them it is the norm."""
    moved = np.array(move, dtype=float)
    largest = np.sqrt(np.cumsum(np.concatenate([[0.0], np.sort(moved**2)[::-1]])))
    bound = few_entries(moved, len(moved))
    assert (bound >= largest).all() and bound[-1] <= np.linalg.norm(moved) * (1 + 1e-7) + 1e-300


@given(st.tuples(*[st.integers(0, 9)] * 3), st.integers(1, 9), st.integers(0, 60), st.sampled_from([1.0, 1e150]))
def test_what_need_not_be_known_better(parts, lam, wanted, unit):
    """Up to that level the gap is as wanted, just above it no more; also where squares of squares overflow."""
    square, along, l1 = (part * unit * unit for part in parts)
    l1, lam, wanted = l1 / unit, lam * unit, wanted * unit * unit
    if squared_gap(square, along, l1, lam, lam) > wanted:
        return
    level = enough_level(square, along, l1, lam, wanted)
    assert level >= lam
    assert squared_gap(square, along, l1, min(level, 1e9 * lam), lam) <= wanted + 1e-12 * (square + along + lam * l1)
    if level < np.inf and square + along > 0:
        assert squared_gap(square, along, l1, level * (1 + 1e-6), lam) > wanted


def test_what_is_asked_for_ahead_changes_nothing():
    """Compiled correlations of scattered columns are those of plain Python to the last bit, and the instruction is there."""
    problem = sparse_table(60, 40, 3)
    made, index = [], np.arange(1, problem.n_learners, 3)
    stored, ones = short_rows(problem.dictionary), np.ones(problem.n_learners)
    for run in (evaluate, compiled(evaluate)):
        size = np.zeros(problem.n_learners)
        seen = run(stored, np.ones(60), ones, ones, np.abs(stored.shift), index, problem.y, 0.0, size)
        made.append((seen, size.tolist()))
    assert made[0] == made[1] and made[0][0] == np.diff(stored.start)[index].sum()


@pytest.mark.parametrize("shifted", [False, True], ids=["as stored", "centred"])
@pytest.mark.parametrize("one", [np.ones(60), np.linspace(0.1, 3, 60)], ids=["plain", "weighted"])
def test_what_an_evaluated_bound_is(shifted, one):
    """The abs correlation, and for its rounding `doubt` times |r| (norm of the entries + |shift| |one|); the entries read."""
    problem = sparse_table(60, 40, 3, shifted)
    n, stored = problem.n_learners, short_rows(problem.dictionary, one)
    B, scale, resid = one[:, None] * problem.gather(np.arange(n)), np.linspace(0.5, 1.0, n), problem.y / 7
    norm, size, index = np.linspace(1.0, 2.0, n), np.full(n, -1.0), np.array([3, 1, 17])
    seen = evaluate(stored, one, scale, norm, np.abs(stored.shift), index, resid, 0.25, size)
    allowed = 0.25 * np.linalg.norm(resid) * (norm + np.abs(stored.shift) * np.linalg.norm(one))
    expected = scale * np.abs(B.T @ resid) + allowed
    np.testing.assert_allclose(size[index], expected[index], rtol=1e-12)
    assert (np.delete(size, index) == -1.0).all() and seen == np.diff(stored.start)[index].sum()


def sparse_table(n, p, seed, shifted=False, sample_weight=None):
    rng = np.random.default_rng(seed)
    X = scipy.sparse.random_array((n, p), density=0.08, rng=rng).tocsc()
    y = X @ np.where(np.arange(p) < 8, 3.0, 0.0) + 0.3 * rng.standard_normal(n)
    return cb.Problem(X, y, center=shifted, sample_weight=sample_weight)


@pytest.mark.parametrize("shifted", [False, True], ids=["as stored", "centred"])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold_and_gaps_are_true(seed, shifted, weighted):
    """After each alpha: every bound is at least the abs correlation, every gap that of dense arithmetic."""
    problem = sparse_table(120, 200, seed, shifted, np.linspace(0, 3, 120) ** 2 if weighted else None)
    root = np.sqrt(problem.weight)
    B, y = root[:, None] * problem.gather(np.arange(problem.n_learners)), root * problem.y
    inner = StoredEntries(ScaledColumns(problem))
    solver, top = WorkingSet(inner), np.abs(B.T @ y).max()
    for lam in top * np.geomspace(1, 1e-2, 25):
        learner, value, gap = solver.solve(lam, 1e-7)
        resid = y - B[:, learner] @ value
        corr = np.abs(B.T @ resid)
        outside = inner.size >= 0
        assert gap <= 1e-7 and (inner.size[outside] >= corr[outside] * (1 - 1e-13)).all()
        share = min(1.0, lam / corr.max())
        primal = resid @ resid / 2 + lam * np.abs(value).sum()
        dual = share * (resid @ y) - share**2 * (resid @ resid) / 2
        assert (primal - dual) / (y @ y / 2) <= gap + 1e-12
    assert 0 < inner.n_scans < 25  # far from all columns at every alpha


def test_columns_that_arrive_in_lots():
    """Held columns are those of one lot, whatever room there was; a column without entries among them."""
    whole = sparse_table(60, 40, 3, True).dictionary
    start = whole.start.copy()
    start[6:] -= start[6] - start[5]
    data = np.round(8 * whole.data[: start[-1]])  # whole numbers: no rounding
    stored = whole._replace(data=data, row=whole.row[: start[-1]], start=start)  # column 5 is empty
    order, scale, ridge = np.random.default_rng(0).permutation(40), np.linspace(1, 2, 40), np.linspace(0, 1, 40)
    one = 2.0 ** (np.arange(60) % 8)
    expected, held, m = with_more(empty(stored, one), 0, stored, order, scale, ridge), empty(stored, one), 0
    for lot in np.split(order, [1, 3, 4, 20]):
        held, m = with_more(held, m, stored, lot, scale[m : m + len(lot)], ridge[m : m + len(lot)]), m + len(lot)
    for name, part in held._asdict().items():
        length = len(stored.data) if name in ("data", "row") else 40 + (name == "start")
        assert (part[:length] == getattr(expected, name)[:length]).all(), name
    parts = [slice(*start[j : j + 2]) for j in order]
    assert (expected.total[:40] == [stored.data[part] @ one[stored.row[part]] for part in parts]).all()


def test_what_is_known_of_a_point_is_asked_again_where_it_changes():
    """New learners and another ridge change the gap at the same coefficients: it is that of dense arithmetic each time."""
    problem = sparse_table(60, 40, 3)
    source = ScaledColumns(problem, ridge=np.full(40, 0.5))
    inner, y, B = StoredEntries(source), problem.y, problem.dictionary.gather(np.arange(40))
    for lam, level in ((0.5, 0.6), (0.4, 0.3), (0.2, 0.1), (0.1, 9.0)):
        lam, level = lam * inner.level, level * inner.level
        inner.penalise(lam)
        inner.recruit(inner.waiting(level))
        inner.fit(lam, 1e-12)
        checked = inner.check(lam, 0.0)
        for other in (lam, 0.9 * lam):
            inner.penalise(other)
            inner.recruit(inner.waiting(0.9 * level))
            gamma = np.zeros(40)
            gamma[inner.learner] = inner.gamma
            resid, pull = y - B @ gamma, 0.5 * other * gamma
            square, along = resid @ resid + pull @ gamma, resid @ (y - resid) - pull @ gamma
            gap = inner.gap(other, np.inf)
            worst = max(np.abs(B.T @ resid - pull)[inner.learner].max(initial=0.0), float(inner.size.max()))
            np.testing.assert_allclose(
                gap, squared_gap(square, along, np.abs(gamma).sum(), worst, other), rtol=1e-9, atol=1e-12
            )
        assert checked >= 0


@pytest.mark.parametrize("shifted", [False, True], ids=["as stored", "centred"])
def test_conjugate_gradients_on_the_support(shifted):
    """To the minimiser for fixed signs, which solves B_S'B_S gamma = B_S'y - lam s; the residual kept is that of gamma."""
    problem = sparse_table(100, 30, 5, shifted)
    index, lam = np.arange(8), 1e-3
    held = with_more(empty(problem.dictionary, np.ones(100)), 0, problem.dictionary, index, np.ones(8), np.zeros(8))
    B, y = problem.dictionary.gather(index), problem.y
    exact = np.linalg.solve(B.T @ B, B.T @ y - lam * np.ones(8))
    assert (exact > 0).all()
    gamma, resid = exact + 0.01, y - B @ (exact + 0.01)
    state, aside, room = drift(resid), drift(np.zeros(100)), (np.empty(8), np.empty(8), np.empty(100))
    descend_on_support(held, index.copy(), 8, resid, state, gamma, lam, 1e-12, *room, aside)
    np.testing.assert_allclose(gamma, exact, atol=1e-9)
    np.testing.assert_allclose(resid - state.off, y - B @ gamma, atol=1e-12)
    assert abs(state.total - (resid - state.off).sum()) <= 1e-10


def test_who_is_at_zero_has_no_sign():
    """Learners of the support that sweeps have brought to 0 stay there; the others go to their minimiser."""
    problem = sparse_table(100, 30, 5)
    index, lam = np.arange(8), 1e-3
    ridge, left = np.linspace(0, 1, 8), np.array([1, 2, 5, 7])
    held = with_more(empty(problem.dictionary, np.ones(100)), 0, problem.dictionary, index, np.ones(8), ridge)
    B, y = problem.dictionary.gather(left), problem.y
    exact = np.linalg.solve(B.T @ B + np.diag(ridge[left]), B.T @ y - lam)
    gamma = np.zeros(8)
    gamma[left] = exact + 0.01
    resid = y - B @ gamma[left]
    assert (exact > 0).all()
    state, aside, room = drift(resid), drift(np.zeros(100)), (np.empty(8), np.empty(8), np.empty(100))
    descend_on_support(held, index.copy(), 8, resid, state, gamma, lam, 1e-12, *room, aside)
    np.testing.assert_allclose(gamma[left], exact, atol=1e-9)
    assert (np.delete(gamma, left) == 0).all()


def one_direction(n, p, shared):
    """Columns that share most of their variation: sweeps alone are slow."""
    rng = np.random.default_rng(17)
    X = rng.standard_normal((n, p)) + shared * rng.standard_normal((n, 1))
    return scipy.sparse.csc_array(X), X[:, :5] @ rng.standard_normal(5)


@pytest.mark.parametrize("tol", [1e-2, 1e-3, 1e-6])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_no_tolerance_is_missed_where_sweeps_are_slow(tol, weighted):
    """Conjugate gradients help for coarse tolerances, too, beside the ridge of an elastic net."""
    X, y = one_direction(80, 120, 10)
    problem = cb.Problem(X, y, sample_weight=np.linspace(0, 1, 80) if weighted else None)
    columns = ScaledColumns(problem, ridge=np.full(120, 9.0))
    solver, top = WorkingSet(StoredEntries(columns)), np.abs(columns.zero).max()
    for lam in top * np.geomspace(1, 1e-5, 8):
        assert solver.solve(lam, tol).gap <= tol


@pytest.mark.parametrize("kind", ["StoredEntries", "GramForm"])
def test_few_entries_are_read_as_they_are_stored(kind, monkeypatch):
    """Columns of which most entries are stored are taken as dense ones."""
    used = []
    for name in ("StoredEntries", "GramForm"):
        make = getattr(solvers, name)
        monkeypatch.setattr(
            solvers, name, lambda *given, name=name, make=make, **how: (used.append(name), make(*given, **how))[1]
        )
    many, row, column = {"StoredEntries": 15, "GramForm": 16}[kind], np.arange(100)[:, None], np.arange(40)
    X = np.where((row + 7 * column) % 100 < many, 1.0 + row % 13, 0.0)
    path = cb.lasso_path(scipy.sparse.csc_array(X), X[:, 3] + np.arange(100) % 7, n_alphas=4)
    assert used == [kind] and (path.gaps <= 1e-6).all()


def test_who_reaches_zero_leaves():
    """A start whose signs are wrong ends at a face: no coefficient has crossed 0, and the objective is lower."""
    problem = sparse_table(100, 30, 6)
    index, lam = np.arange(12), 0.02
    held = with_more(empty(problem.dictionary, np.ones(100)), 0, problem.dictionary, index, np.ones(12), np.zeros(12))
    B, y = problem.dictionary.gather(index), problem.y
    gamma = np.where(index % 2 == 0, 0.5, -0.5) * 1.0
    before, signs, resid = 0.5 * np.sum((y - B @ gamma) ** 2) + lam * 6, np.sign(gamma), y - B @ gamma
    state, aside, room = drift(resid), drift(np.zeros(100)), (np.empty(12), np.empty(12), np.empty(100))
    descend_on_support(held, index.copy(), 12, resid, state, gamma, lam, 1e-12, *room, aside)
    assert ((gamma * signs >= 0).all()) and (gamma == 0).any()
    assert 0.5 * np.sum((y - B @ gamma) ** 2) + lam * np.abs(gamma).sum() < before
    left = np.flatnonzero(gamma)
    np.testing.assert_allclose(B[:, left].T @ (y - B @ gamma), lam * signs[left], atol=1e-8)


def test_the_norms_of_columns_are_those_of_the_penalties():
    """Norm and sum of the sizes of the entries, with weights and penalty factors; half as long where the penalty is twice as large."""
    problem, scale = sparse_table(60, 40, 3, sample_weight=np.linspace(0.5, 3, 60)), np.linspace(0.2, 1.0, 40)
    inner = StoredEntries(ScaledColumns(problem, scale))
    B = np.sqrt(problem.weight)[:, None] * problem.gather(np.arange(40)) * scale
    np.testing.assert_allclose(inner.norm, np.linalg.norm(B, axis=0), rtol=1e-12)
    np.testing.assert_allclose(inner.l1, np.abs(B).sum(axis=0), rtol=1e-12)
    # sums of products of n rounded numbers are off by 4 u sqrt(n) times the norms
    y, rounding = np.sqrt(problem.weight) * problem.y, 2 * np.finfo(float).eps * np.sqrt(60)
    room = inner.size - np.abs(B.T @ y)
    np.testing.assert_allclose(room, rounding * np.linalg.norm(y) * inner.norm, atol=1e-15 * np.linalg.norm(y))
