"""Parts of the Lasso solvers on numbers made by hand: where sweeps, steps and refusals begin and end."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
from refusal import refused

import coordboost as cb
from coordboost.lasso.active import ExactSolves
from coordboost.lasso.conjugate import conjugate_steps, first_zero
from coordboost.lasso.entries import drift, weighted
from coordboost.lasso.gram import GramForm
from coordboost.lasso.newton import FLOOR, STEPS, STUCK, Newton
from coordboost.lasso.sparse import evaluate, let_grow, measure_columns, sweep_entries
from coordboost.lasso.sweeps import sweep_gram
from coordboost.screening.columns import ScaledColumns
from coordboost.screening.sphere import SLACK
from coordboost.targets import Penalty, magnitude

RNG = np.random.default_rng(3)


def sparse_columns(ridge):
    """Four columns of 30 rows as ``Entries`` with a ridge, and the same as an array."""
    X = scipy.sparse.csc_array(RNG.standard_normal((30, 4)) * (RNG.random((30, 4)) < 0.5))
    root = np.sqrt(RNG.random(30) + 0.1)
    held = weighted(cb.Problem(X, RNG.standard_normal(30)).dictionary, np.zeros(4), root)._replace(ridge=np.full(4, ridge))
    stored = scipy.sparse.csc_array((held.data, held.row, held.start), shape=(30, 4)).toarray()
    return held, held.scale * stored - np.outer(root, held.shift), root


@pytest.mark.parametrize("ridge", [0.0, 0.3])
@pytest.mark.parametrize("enough", [1e-3, 1e-11])
def test_conjugate_gradients_go_to_the_optimum(enough, ridge):
    """At fixed signs, on three of four columns: no gradient is above `enough`, and what is kept beside is right."""
    held, B, root = sparse_columns(ridge)
    support, gamma, lam, y = np.array([3, 0, 2, 99]), np.array([50.0, 7.0, -60.0, 70.0]), 0.5, RNG.standard_normal(30)

    def gradient():
        return (B.T @ (y - B @ gamma) - ridge * gamma - lam * np.sign(gamma))[support[:3]]

    y = y + B @ (0.99 * gamma)  # the optimum is near: nobody reaches 0
    resid, start = y - B @ gamma, np.append(gradient(), 9.0)
    state, aside = drift(resid, root), drift(resid, root)
    conjugate_steps(held, support, 3, resid, state, gamma, enough, start, np.empty(4), np.empty(30), aside)
    assert np.abs(gradient()).max() <= enough * 1.001 + 1e-12 and gamma[1] == 7.0 and np.abs(gamma).min() > 1
    np.testing.assert_allclose(resid - state.off * root, y - B @ gamma, atol=1e-12)
    assert state.total == pytest.approx(root @ (y - B @ gamma), abs=1e-11)


def test_the_first_coefficient_that_reaches_0():
    gamma, support = np.array([2.0, -1.0, 0.0, 3.0]), np.array([3, 1, 2, 0])
    assert first_zero(gamma, support, 4, np.array([-6.0, 4.0, -5.0, 1.0])) == (0.25, 1)
    assert first_zero(gamma, support, 4, np.array([-6.0, 2.0, 5.0, 1.0])) == (0.5, 0)  # the first of two
    assert first_zero(gamma, support, 3, np.array([6.0, -2.0, 5.0, -1.0])) == (1e300, -1)


def test_a_set_without_coefficients_is_solved_exactly():
    """The gap that may be left is shared by the norm; where there is none, nothing is."""
    for over in (1e-9, 0.9, 3.0):
        now, gamma = np.array([1.0 + over, 0.2]), np.zeros(2)
        assert ExactSolves()(np.eye(2), now, gamma, 1.0, 1e-3)
        assert gamma[0] == pytest.approx(over) and gamma[1] == 0


def test_who_waits():
    """Outside the set, with a correlation that is about as large as the level: just as large is enough."""
    problem = cb.Problem(RNG.standard_normal((20, 30)), RNG.standard_normal(20))
    inner = GramForm(ScaledColumns(problem))
    inner.recruit(np.array([4, 17]))
    inner.penalise(inner.trend.lam)
    inner.size, inner.trend.seen = np.ones(30), np.where(np.arange(30) < 10, 0.5, np.linspace(0, 0.49, 30))
    inner.trend.seen[[4, 17]] = 3.0
    assert list(inner.waiting(0.5)) == [0, 1, 2, 3, 5, 6, 7, 8, 9] and list(inner.waiting(np.nextafter(0.5, 1))) == []


def test_between_two_penalties():
    """Coefficients and intercepts are mixed, on the scale of X."""
    X = RNG.standard_normal((40, 6)) * 3 + 5
    path = cb.lasso_path(X, X[:, 0] - X[:, 1] + RNG.standard_normal(40), n_alphas=5)
    for k, share in ((1, 0.25), (3, 0.75)):
        alpha = (1 - share) * path.alphas[k - 1] + share * path.alphas[k]
        mixed = (1 - share) * path.coefs[:, k - 1] + share * path.coefs[:, k]
        np.testing.assert_allclose(path.coef_at(alpha=alpha), mixed, rtol=1e-12)
        intercept = (1 - share) * path.intercepts[k - 1] + share * path.intercepts[k]
        assert path.intercept_at(alpha=alpha) == pytest.approx(intercept, rel=1e-12)


@pytest.mark.parametrize(("loss", "more"), [(cb.Squared(), {}), (cb.Logistic(), {}), (cb.Logistic(), {"refit_intercept": True})])
def test_losses_of_a_profile_are_those_of_its_models(loss, more):
    """On the table that it was fitted to, weights and intercepts and all."""
    X, w = RNG.standard_normal((40, 6)) * 3 + 5, RNG.random(40) + 0.5
    y = np.where(RNG.random(40) < 0.3, -1.0, 1.0)
    path = cb.lasso_path(X, y, loss=loss, sample_weight=w, n_alphas=5, **more)
    numbers, _ = path.profile()
    preds = X @ path.coefs + path.intercepts
    terms = (y[:, None] - preds) ** 2 / 2 if loss == cb.Squared() else np.log1p(np.exp(-y[:, None] * preds))
    assert any(np.allclose(values, w @ terms / total, rtol=1e-10) for values in numbers.values() for total in (1, w.sum()))


@pytest.mark.parametrize("alphas", [[], [1.0, -1e-9], [-1.0]])
def test_penalties_below_0_are_refused(alphas):
    refused(lambda: cb.lasso_path(np.eye(4), np.arange(4.0), alphas=alphas), "alphas must be at least one penalty >= 0, got [")


def test_the_certificate_of_an_exact_path_at_0():
    """That of the smallest penalty which rounding can tell from 0."""
    path = cb.exact_path(cb.Problem(RNG.standard_normal((20, 4)), RNG.standard_normal(20)))
    at_0, near = path.certificate(0), path.certificate(1e-9)
    assert isinstance(at_0.target, Penalty) and 0 < at_0.target.lam < 1e-12 and near.target == Penalty(1e-9)


def test_the_size_of_a_sum_of_losses():
    """Every loss without its sign."""
    loss = SimpleNamespace(value=lambda y, f: y * f)
    y, weight, pred = np.array([1.0, -2.0, 3.0]), np.array([0.5, 2.0, 1.0]), np.array([1.0, 1.0, -2.0])
    assert magnitude(loss, y, weight, 1.0, pred) == 0.5 * 2 + 2 * 4 + 1 * 3


def steps_of(gaps, losses, lengths=(), floor=1e-6, goal=1e-3):
    """What a ``Newton`` does on a working set whose steps have these gaps, losses and lengths, the last for ever."""
    inner, done = object.__new__(Newton), SimpleNamespace(models=[], goals=[], floors=[])
    at = lambda values, k: values[min(k, len(values) - 1)]  # noqa: E731
    inner.corr, inner.gamma, inner.resid, inner.infimum = np.array([0.0, 2.0]), np.array([1.0]), None, 0.0
    inner.held, inner.quadratic, inner.floor = SimpleNamespace(learner=np.array([1]), scan=lambda resid: np.array([2.0])), None, floor
    inner.loss = losses[0]
    inner.gap_of_loss = lambda *point: at(gaps, len(done.goals))

    def model():
        done.models.append(len(done.goals))
        inner.quadratic = SimpleNamespace(minimiser=lambda *point: done.goals.append(point[-1]) or inner.gamma)

    def search(change, now, lam):
        done.floors.append(inner.floor)
        inner.loss = at(losses, len(done.goals))
        return at(lengths or [1.0], len(done.goals) - 1)

    inner._model, inner._search = model, search
    done.reached = inner.fit(0.5, goal)
    done.floors.append(inner.floor)
    return done


def test_newton_ends_where_nothing_gets_better():
    """Progress is a gap smaller by a tenth, or a value smaller by a thousandth of the goal."""
    for gaps, losses, n in (
        ([1.0], [1.0], STUCK),
        ([1.0, 0.95, 0.91], [1.0], STUCK),
        ([1.0, 0.95, 0.89], [1.0], STUCK + 2),
        ([1.0], [1.0, 1.0 - 0.9e-6], STUCK),
        ([1.0], [1.0, 1.0 + 0.5e-6], STUCK),
        ([1.0], [1.0, 1.0 - 1.1e-6], STUCK + 1),
        ([1.0], list(1.0 - 2e-6 * np.arange(STEPS)), STEPS),
    ):
        done = steps_of(gaps, losses)
        assert not done.reached and len(done.goals) == n
    for last, reached in ((1e-3, True), (np.nextafter(1e-3, 1), False)):
        assert steps_of([1.0, last], [1.0]).reached == reached


def test_when_newton_asks_for_a_new_model():
    """At the start, where a step leaves more than a fifth of the gap, and after one that is not whole."""
    gaps = [1.0, 0.2, 0.05, 0.01, 0.0015, 1e-4]
    assert steps_of(gaps, [1.0]).models == [0, 2]
    assert steps_of(gaps, [1.0], [1.0, 1.0, 0.5, 1.0]).models == [0, 2, 3]
    np.testing.assert_allclose(steps_of(gaps, [1.0]).goals, [0.05, 0.01, 0.0025, 0.0005, 0.0002])


def test_the_floor_rises_where_steps_are_too_long():
    """By 100, to 1 at most, where a new model's step is not whole; it falls by 10 where it is; a model that is kept says nothing."""
    np.testing.assert_allclose(steps_of([1.0, 0.2, 1e-4], [1.0], [1.0, 0.5]).floors, [1e-6, 1e-7, 1e-7])
    np.testing.assert_allclose(steps_of([1.0, 0.8, 0.7, 1e-4], [1.0], [0.5], floor=1e-3).floors, [1e-3, 0.1, 1.0, 1.0])
    np.testing.assert_allclose(steps_of([1.0, 1e-4], [1.0], floor=2 * FLOOR).floors, [2 * FLOOR, FLOOR])


@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_a_sweep_minimises_along_each_column(ridge):
    """In the order given, and so many; what it says the objective falls by is that; the same in Gram form."""
    held, B, root = sparse_columns(ridge)
    y, lam = RNG.standard_normal(30), 0.4
    gamma = np.array([0.5, 0.0, -1.0, 0.2])

    def value(gamma):
        return np.sum((y - B @ gamma) ** 2) / 2 + ridge * gamma @ gamma / 2 + lam * np.abs(gamma).sum()

    resid, start, right = y - B @ gamma, value(gamma), gamma.copy()
    state = drift(resid, root)
    fall = sweep_entries(held, np.array([2, 0, 1, 99]), 3, resid, state, gamma, lam)
    for j in (2, 0, 1):
        a = B[:, j] @ (y - B @ right + B[:, j] * right[j])
        right[j] = np.sign(a) * max(abs(a) - lam, 0.0) / (B[:, j] @ B[:, j] + ridge)
    np.testing.assert_allclose(gamma, right, atol=1e-13)
    assert fall == pytest.approx(start - value(gamma), rel=1e-10) and fall > 0.01
    np.testing.assert_allclose(resid - state.off * root, y - B @ gamma, atol=1e-12)
    gram, other = B.T @ B + ridge * np.eye(4), np.array([0.5, 0.0, -1.0, 0.2])
    now = B.T @ y - gram @ other
    assert sweep_gram(gram, now, other, np.array([2, 0, 1, 99]), 3, lam) == pytest.approx(fall, rel=1e-10)
    np.testing.assert_allclose(other, right, atol=1e-13)
    np.testing.assert_allclose(now, B.T @ y - gram @ right, atol=1e-12)


def test_bounds_of_learners_that_are_not_evaluated():
    """They grow by the smaller of two bounds of a product, and by that with the shift; learners of the working set have none."""
    count, norm, l1 = np.array([1, 2, 2, 0]), np.array([1.0, 2.0, 0.5, 0.0]), np.array([3.0, 1.0, 7.0, 0.0])
    shift, few, size = np.array([0.5, 0.0, 1.0, 0.25]), np.array([0.0, 0.7, 0.9]), np.array([1.0, 0.0, -1.0, 2.0])
    let_grow(count, norm, l1, shift, few, 0.6, 2.0, size)
    more = 1.0 + SLACK
    np.testing.assert_allclose(size, [1.0 + 1.7 * more, 0.6 * more, -1.0, 2.0 + 0.5 * more], rtol=1e-14)


@pytest.mark.parametrize("center", [False, True])
def test_correlations_of_a_few_stored_columns(center):
    """With the rounding that they may have; the others are left; and how many entries that was."""
    X = scipy.sparse.csc_array(RNG.standard_normal((30, 6)) * (RNG.random((30, 6)) < 0.3))
    stored = cb.Problem(X, RNG.standard_normal(30), center=center).dictionary
    one, scale, resid, doubt = RNG.random(30) + 0.5, RNG.random(6) + 0.5, RNG.standard_normal(30), 1e-3
    data = scipy.sparse.csc_array((stored.data, stored.row, stored.start), shape=(30, 6)).toarray()
    norm, l1 = np.empty(6), np.empty(6)
    measure_columns(stored, norm, l1)
    np.testing.assert_allclose(norm, np.linalg.norm(data, axis=0), rtol=1e-14)
    np.testing.assert_allclose(l1, np.abs(data).sum(axis=0), rtol=1e-14)
    shift, size, index = RNG.random(6), np.full(6, -7.0), np.array([1, 4, 5])
    assert evaluate(stored, one, scale, norm, shift, index, resid, doubt, size) == np.diff(stored.start)[index].sum()
    corr = scale * (stored.scale * (resid @ data) - stored.shift * (resid @ one))
    right = np.abs(corr) + doubt * np.linalg.norm(resid) * (norm + shift * np.linalg.norm(one))
    np.testing.assert_allclose(size[index], right[index], rtol=1e-12)
    assert (size[[0, 2, 3]] == -7).all()


@pytest.mark.parametrize(("gone", "new", "anew"), [([], [], 0), ([0], [], 0), ([0, 7], [], 1), ([], [20, 21], 0), ([], [20, 21, 22], 1),
                                                   ([19], [20], 0), ([0], [20, 21], 1)])  # fmt: skip
def test_when_the_factor_is_made_anew(gone, new, anew, monkeypatch):
    """Where learners that came and those that left are more than a tenth of the support: of twenty here."""
    solves, made, factor = ExactSolves(), [], ExactSolves._factor
    monkeypatch.setattr(ExactSolves, "_factor", lambda self, *system: made.append(len(system[1])) or factor(self, *system))
    gram, gamma = np.eye(24), np.where(np.arange(24) < 20, 2.0, 0.0)
    now = np.where(np.arange(24) < 20, 1.0, 0.0)
    assert solves(gram, now, gamma, 1.0, 1e-9) and made == [20]
    gamma[gone], gamma[new] = 0.0, 1.0
    now[gone], now[new] = 0.5, 1.0
    assert solves(gram, now, gamma, 1.0, 1e-9) and len(made) == 1 + anew
