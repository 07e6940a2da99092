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
from coordboost.screening.columns import ScaledColumns
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
    """Outside the set, with a correlation that is known and as large as the level: just as large is enough."""
    problem = cb.Problem(RNG.standard_normal((20, 30)), RNG.standard_normal(20))
    inner = GramForm(ScaledColumns(problem))
    inner.recruit(np.array([4, 17]))
    inner.size = np.where(np.arange(30) < 10, 0.5, np.linspace(0, 0.49, 30))
    inner.size[[4, 17]], inner.known = 3.0, np.arange(30) != 2
    assert list(inner.waiting(0.5)) == [0, 1, 3, 5, 6, 7, 8, 9] and list(inner.waiting(np.nextafter(0.5, 1))) == []


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


@pytest.mark.parametrize("loss", [cb.Squared(), cb.Logistic()])
def test_losses_of_a_profile_are_those_of_its_models(loss):
    """On the table that it was fitted to, weights and intercepts and all."""
    X, w = RNG.standard_normal((40, 6)) * 3 + 5, RNG.random(40) + 0.5
    y = np.where(RNG.random(40) < 0.3, -1.0, 1.0)
    path = cb.lasso_path(X, y, loss=loss, sample_weight=w, n_alphas=5)
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
