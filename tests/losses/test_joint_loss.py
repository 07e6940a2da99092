"""A loss that is one function of all predictions, not a sum over samples: it runs in model states
that work on the samples themselves.
"""

from collections import namedtuple

import numpy as np
import pytest
import reference as ref

import coordboost as cb


class Quadratic(cb.losses.Loss):
    """f' A f / 2 - y' f with a matrix A of norm 1."""

    value = residual = None
    sigma = 1.0

    def __init__(self, A):
        self.A = A

    def refresh_residual(self, y, weight, base, pred, resid):
        """The residual at base + pred, in place."""
        resid[:] = y - self.A @ (base + pred)

    def sum_of_losses(self, y, weight, base, pred):
        """The loss at base + pred."""
        f = base + pred
        return f @ self.A @ f / 2 - y @ f


def parts(seed=0):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(6, 6))
    A = A @ A.T / np.linalg.norm(A @ A.T, 2)
    X = rng.normal(size=(6, 9))
    return A, X / np.linalg.norm(X, axis=0), rng.normal(size=6)


@pytest.mark.parametrize("model_state", [None, cb.engine.NaiveState])
def test_greedy_coordinate_descent_equals_the_naive_loop(model_state):
    A, X, y = parts()
    problem = cb.Problem(X, y, Quadratic(A), center=False, scale=False)
    run = cb.solve(problem, cb.methods.gcd(), 30, model_state=model_state)
    loss = ref.Loss(lambda y, f: f @ A @ f / 2 - y @ f, lambda y, f: y - A @ f, 1)
    naive = ref.coordinate_descent(X, y, 30, loss)
    assert run.path.learner.tolist() == naive.picks
    assert np.abs(run.beta - naive.betas[-1]).max() < 1e-12  # 30 steps that never amplify rounding
    assert run.final.loss == pytest.approx(loss.value(y, X @ run.beta), rel=1e-13)
    along = [loss.value(y, X @ beta) / 6 for beta in naive.betas]
    np.testing.assert_allclose(-run.score_path(X, y), along, rtol=1e-12)


class Written(namedtuple("Written", "A"), cb.losses.Loss):
    """The same loss written as loops, so that it can be compiled."""

    value = residual = None
    sigma = 1.0

    def refresh_residual(self, y, weight, base, pred, resid):
        for i in range(len(y)):
            resid[i] = y[i]
            for k in range(len(y)):
                resid[i] -= self.A[i, k] * (base + pred[k])

    def sum_of_losses(self, y, weight, base, pred):
        out = 0.0
        for i in range(len(y)):
            out -= y[i] * (base + pred[i])
            for k in range(len(y)):
                out += (base + pred[i]) * self.A[i, k] * (base + pred[k]) / 2
        return out


def test_a_joint_loss_can_be_compiled():
    A, X, y = parts()
    one, two = (
        cb.solve(cb.Problem(X, y, loss(A), center=False, scale=False), cb.methods.gcd(), 30)
        for loss in (Written, Quadratic)
    )
    assert one.path.learner.tolist() == two.path.learner.tolist()
    assert np.abs(one.beta - two.beta).max() < 1e-12  # 30 steps that never amplify rounding


def test_accelerated_boosting_takes_a_joint_loss():
    A, X, y = parts()
    problem = cb.Problem(X, y, Quadratic(A), center=False, scale=False)
    run = cb.solve(problem, cb.agbm(1.0, 0.1, guard=False), 2)
    j = ref.best(X.T @ y)
    assert run.path.learner.tolist() == [j, j] and run.final.loss == pytest.approx(
        problem.value(X[:, j] * (X[:, j] @ y))
    )
