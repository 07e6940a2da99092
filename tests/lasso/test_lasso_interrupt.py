"""Ctrl-C in `lasso_path`: finished alphas are kept with their gaps, and the result reports the
interruption.
"""

import signal

import numpy as np
import pytest
from designs import as_it_is

import coordboost as cb


@pytest.fixture(autouse=True)
def heard():
    """Enable SIGINT: test runners in the background ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Interrupting:
    """A dictionary that raises SIGINT at the first scan of a vector shorter than `below` times the
    longest one.
    """

    def __init__(self, B, below):
        self.B = B
        self.below = below
        self.longest = 0.0
        self.n_samples, self.n_learners = B.shape

    def scan(self, v):
        length = float(np.linalg.norm(v))
        self.longest = max(self.longest, length)
        if length < self.below * self.longest:
            self.below = 0.0
            signal.raise_signal(signal.SIGINT)
        return v @ self.B

    def column(self, j):
        return self.B[:, j]


def problem(below, loss, n=60, p=90):
    rng = np.random.default_rng(0)
    B = rng.standard_normal((n, p))
    B /= np.linalg.norm(B, axis=0)
    columns = Interrupting(B, 0.0)
    made = as_it_is(columns, B[:, :5] @ np.ones(5) + 0.2 * rng.standard_normal(n), loss)
    # scans made while the problem was built do not count
    columns.below, columns.longest = (below, 0.0)
    return made


SOLVERS = [
    (cb.losses.Squared(), "cd"),
    (cb.losses.Squared(), "homotopy"),
    (cb.losses.Huber(1.0), "newton"),
]


@pytest.mark.parametrize(("loss", "solver"), SOLVERS, ids=["cd", "homotopy", "newton"])
def test_finished_alphas_are_kept(loss, solver):
    p = 400 if solver == "homotopy" else 90
    whole = cb.lasso_path(problem(0, loss, p=p), n_alphas=20, solver=solver, tol=1e-8)
    with pytest.warns(
        cb.engine.InterruptedWarning, match="lasso_path was interrupted after .* of 20 alphas"
    ):
        part = cb.lasso_path(problem(0.6, loss, p=p), n_alphas=20, solver=solver, tol=1e-8)
    n = len(part.alphas)
    assert (
        1 <= n < 20
        and part.coefs.shape == (p, n)
        and part.intercepts.shape == part.gaps.shape == (n,)
    )
    last = f", the last to a gap of {part.gaps[-1]:.2g}" if part.gaps[-1] > 1e-8 else ""
    assert part.message == f"interrupted after {n} of 20 alphas{last}" and part.message in repr(
        part
    )
    assert whole.message == "complete" and "interrupted" not in repr(whole)
    assert (
        (part.alphas == whole.alphas[:n]).all()
        and (part.gaps[:-1] <= 1e-8).all()
        and part.gaps[-1] < 1
    )
    np.testing.assert_allclose(part.coefs[:, :-1], whole.coefs[:, : n - 1], atol=1e-3)


@pytest.mark.parametrize(("loss", "solver"), [SOLVERS[0], SOLVERS[2]], ids=["cd", "newton"])
def test_an_interrupted_penalty_is_not_reported_as_complete(loss, solver):
    """The interrupted alpha is the only one: its model is returned, with its gap."""
    with pytest.warns(
        cb.engine.InterruptedWarning, match="interrupted after 1 of 1 alphas, the last to a gap of"
    ):
        part = cb.lasso_path(problem(0.9, loss), alphas=[1e-5], tol=1e-12, solver=solver)
    assert part.gaps[0] > 1e-12 and part.message.startswith(
        "interrupted after 1 of 1 alphas, the last to a gap of"
    )


class Signalling(cb.losses.Loss):
    """The squared loss in plain Python, which raises SIGINT at the `after`-th call of
    `residual`.
    """

    sigma, mu, infimum = 1.0, 1.0, 0.0

    def __init__(self, after):
        self.after, self.asked = after, 0

    def value(self, y, f):
        return (y - f) ** 2 / 2

    def residual(self, y, f):
        self.asked += 1
        if self.asked == self.after:
            signal.raise_signal(signal.SIGINT)
        return y - f

    def curvature(self, y, f):
        return 1.0


@pytest.mark.parametrize("kind", [cb.CertifiedLasso, cb.CertifiedLassoCV])
def test_an_interrupted_estimator_has_no_model(kind):
    """Wherever Ctrl-C comes during the fit."""
    X = np.random.default_rng(0).standard_normal((30, 6))
    settings = {"n_alphas": 3, "cv": 2} if kind is cb.CertifiedLassoCV else {}
    whole = Signalling(0)
    kind(loss=whole, **settings).fit(X, X[:, 0])
    for part in (0.1, 0.5, 0.9):
        model = kind(loss=Signalling(int(part * whole.asked)), **settings)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, X[:, 0])
        assert not hasattr(model, "coef_")
