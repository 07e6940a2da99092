"""The quadratic model of a loss on a working set: both forms end at its minimiser, whatever the columns are shifted by."""

import numpy as np
import pytest
import scipy.sparse

import coordboost as cb
from coordboost._numba import compiled
from coordboost.lasso import conjugate, newton
from coordboost.lasso.entries import drift, gap_sums, measure, weighted
from coordboost.lasso.free import CentredPart
from coordboost.lasso.part import Part
from coordboost.lasso.quadratic import EntriesModel, GramModel
from coordboost.screening.columns import ScaledColumns

KINDS = ["as stored", "centred", "beside an intercept"]


def sparse_problem(kind, n=60, p=25, loss=None, density=0.15):
    rng = np.random.default_rng(4)
    X = scipy.sparse.csc_array(rng.standard_normal((n, p)) * (rng.random((n, p)) < density))
    y = np.where(X[:, :5] @ rng.standard_normal(5) + 0.1 * rng.standard_normal(n) > 0, 1.0, -1.0)
    return cb.Problem(X, y, cb.Logistic() if loss is None else loss, center=kind != KINDS[0])


def part_of(problem, kind, index):
    part = Part(ScaledColumns(problem, np.linspace(0.5, 2.0, problem.n_learners), weighted=False))
    held = CentredPart(part) if kind == KINDS[2] else part
    held.add(index)
    return held


@pytest.mark.parametrize("kind", KINDS)
def test_entries_with_scaled_rows(kind):
    """Norms, products with the scale, and which columns they are: those of dense arithmetic."""
    problem, rng = sparse_problem(kind), np.random.default_rng(0)
    held = part_of(problem, kind, np.array([7, 3, 0, 12]))
    curved = rng.random(60) + 0.01
    root, found = np.sqrt(curved), held.entries(curved)
    B = np.stack([held.combine(e) if kind == KINDS[2] else held.dictionary.combine(e) for e in np.eye(4)], axis=1)
    np.testing.assert_allclose(found.square, np.einsum("i,ij,ij->j", curved, B, B), rtol=1e-12)
    stored = scipy.sparse.csc_array((found.data, found.row, found.start), shape=(60, 4)).toarray()
    np.testing.assert_allclose(found.scale * stored - np.outer(root, found.shift), root[:, None] * B, atol=1e-14)
    np.testing.assert_allclose(found.total, stored.T @ root, atol=1e-13)
    if kind == KINDS[2]:
        np.testing.assert_allclose(curved @ B, 0.0, atol=1e-13)


def test_a_residual_less_a_multiple_of_the_scale():
    """What it is kept as does not matter: sums, and the residual formed anew."""
    problem, rng = sparse_problem("centred"), np.random.default_rng(0)
    root, y, gamma = np.sqrt(rng.random(60) + 0.1), rng.standard_normal(60), np.array([0.5, 0.0, -2.0])
    held = part_of(problem, "centred", np.array([7, 3, 0])).entries(root**2)
    stored = scipy.sparse.csc_array((held.data, held.row, held.start), shape=(60, 3)).toarray()
    A, kept = held.scale * stored - np.outer(root, held.shift), np.empty(60)
    rest, state = y - A @ gamma, drift(np.ones(60), root)
    compiled(measure, ())(held, gamma, y, kept, state)
    np.testing.assert_allclose(kept, rest, atol=1e-13)
    assert state.off == 0 and state.total == pytest.approx(root @ rest) and state.mass == pytest.approx(root @ root)
    state.off, kept = 0.3, rest + 0.3 * root
    expected = rest @ rest, rest @ (y - rest), 2.5, np.abs(A.T @ rest).max()
    np.testing.assert_allclose(compiled(gap_sums, ())(held, gamma, y, kept, state), expected, rtol=1e-12)


def test_a_column_that_the_metric_does_not_see_keeps_a_positive_square():
    column = scipy.sparse.csc_array(np.ones((5, 1)))
    dictionary = cb.Problem(
        scipy.sparse.csc_array([[1.0], [2.0], [0.0], [1.0], [1.0]]), [1.0, 2, 3, 4, 5], center=False
    ).dictionary
    ones = dictionary._replace(data=column.data, row=column.indices, start=column.indptr, scale=np.ones(1), shift=np.zeros(1))
    assert 0 < weighted(ones, 1.0, np.sqrt([0.1, 0.7, 0.3, 0.9, 0.2])).square[0] < 1e-14


@pytest.mark.parametrize("model", [GramModel, EntriesModel])
@pytest.mark.parametrize("loss", [1.0, 1e3, 1e6])
def test_the_goal_is_a_gap_of_the_loss(loss, model):
    """A loss far above its infimum has a large gap where one correlation is a little above lam; the square itself is small there."""
    problem, goal = sparse_problem("centred"), 1e-4
    held = part_of(problem, "centred", np.arange(13))
    quadratic, resid = model().made(held, np.full(60, 0.25)), problem.resid(np.zeros(60))
    now = held.scan(resid)
    lam = 0.05 * np.abs(now).max()
    found = quadratic.minimiser(np.zeros(13), now, resid, lam, loss, 0.0, goal)
    there = now - 0.25 * held.scan(held.dictionary.combine(found))
    share, along = min(1.0, lam / np.abs(there).max()), found @ there
    assert lam * np.abs(found).sum() - along + (1 - share) * (loss + along) <= goal * (1 + 1e-9)


def test_conjugate_gradients_end_at_rounding(monkeypatch):
    """Eight coefficients need eight steps, which one run makes; another shows that the rest does not fall. Who leaves is a new start."""
    done, first = [], conjugate.conjugate_steps
    monkeypatch.setattr(conjugate, "conjugate_steps", lambda *given: done.append(1) or first(*given))
    problem, root = sparse_problem("centred"), np.full(60, 0.5)
    held = part_of(problem, "centred", np.arange(8)).entries(root**2)
    gamma, rest = np.full(8, 5.0), root * np.linspace(-1.0, 1.0, 60)
    room = np.empty(8), np.empty(8), np.empty(60), drift(rest, root)
    conjugate.descend_on_support(held, np.arange(8), 8, rest, drift(rest, root), gamma, 1e-3, 1e-300, *room)
    assert len(done) <= 8 + 3


def test_a_goal_below_rounding():
    """It is not what the square is brought to: four units of its value at 0 are."""
    problem, done = sparse_problem("centred"), []
    held = part_of(problem, "centred", np.arange(13))
    model, resid = EntriesModel().made(held, np.full(60, 0.25)), problem.resid(np.zeros(60))
    now, first = held.scan(resid), model.descend
    model.descend = lambda *given: done.append(1) or first(*given)
    lam = 0.01 * np.abs(now).max()
    found = model.minimiser(np.zeros(13), now, resid, lam, problem.value(np.zeros(60)), 0.0, 1e-300)
    there = now - 0.25 * held.scan(held.dictionary.combine(found))
    assert len(done) <= 5 and np.abs(there).max() <= lam * (1 + 1e-12)


@pytest.mark.parametrize("model", [GramModel, EntriesModel])
@pytest.mark.parametrize("kind", KINDS)
def test_the_minimiser_of_the_model(kind, model):
    """Its correlations are lam in absolute value where a coefficient is not 0, and below elsewhere."""
    problem, rng = sparse_problem(kind), np.random.default_rng(1)
    held = part_of(problem, kind, np.arange(0, 25, 2))
    curved, gamma = 0.25 * rng.random(60) + 0.01, np.where(rng.random(13) < 0.4, rng.standard_normal(13), 0.0)
    quadratic = model().made(held, curved)
    combine = held.combine if kind == KINDS[2] else held.dictionary.combine
    resid = problem.resid(combine(gamma))
    if kind == KINDS[2]:
        resid -= resid.mean()
    now = held.scan(resid)
    lam = 0.3 * np.abs(now).max()
    found = quadratic.minimiser(gamma, now, resid, lam, problem.value(combine(gamma)), 0.0, 1e-11)
    B = np.stack([combine(e) for e in np.eye(13)], axis=1)
    there = now - B.T @ (curved * (B @ (found - gamma)))
    assert 2 < np.count_nonzero(found) < 13
    np.testing.assert_allclose(there[found != 0], lam * np.sign(found[found != 0]), rtol=1e-4)
    assert np.abs(there).max() <= lam * (1 + 1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", [cb.Logistic(), cb.Huber(0.5)], ids=["logistic", "huber"])
def test_paths_are_the_same_on_stored_entries(kind, loss, monkeypatch):
    """Both certified, and near to each other."""
    problem = sparse_problem(kind, loss=loss, density=0.1)
    asked = {"refit_intercept": kind == KINDS[2], "n_alphas": 8, "eps": 0.05, "tol": 1e-9}
    expected, made, kept = cb.lasso_path(problem, **asked), [], EntriesModel.made
    monkeypatch.setattr(newton, "LARGE", 2)
    monkeypatch.setattr(EntriesModel, "made", lambda self, *given: (made.append(1), kept(self, *given))[1])
    found = cb.lasso_path(problem, **asked)
    assert made and (found.gaps <= 1e-9).all() and (expected.gaps <= 1e-9).all()
    np.testing.assert_allclose(found.coefs, expected.coefs, atol=1e-3 * np.abs(expected.coefs).max())


@pytest.mark.parametrize(("density", "used"), [(0.1, EntriesModel), (1.0, GramModel)])
def test_columns_of_many_entries_are_a_gram_matrix(density, used, monkeypatch):
    """Also where they have fewer entries than the working set has columns."""
    made = []
    for kind in (EntriesModel, GramModel):
        kept = kind.made
        monkeypatch.setattr(kind, "made", lambda self, *given, kept=kept: (made.append(type(self)), kept(self, *given))[1])
    monkeypatch.setattr(newton, "LARGE", 10)
    path = cb.lasso_path(sparse_problem(KINDS[1], 40, 80, density=density), n_alphas=2, eps=0.01)
    assert made[-1] is used and (path.gaps <= 1e-6).all()
