"""Parts of the Lasso solvers checked by hand: interpolation, profiles, refused penalties, the
certificate at penalty 0.
"""

import numpy as np
import pytest
from refusal import refused

import coordboost as cb

RNG = np.random.default_rng(3)


def test_between_two_penalties():
    """Coefficients and intercepts are interpolated linearly in alpha, on the scale of X."""
    X = RNG.standard_normal((40, 6)) * 3 + 5
    path = cb.lasso_path(X, X[:, 0] - X[:, 1] + RNG.standard_normal(40), n_alphas=5)
    for k, share in ((1, 0.25), (3, 0.75)):
        alpha = (1 - share) * path.alphas[k - 1] + share * path.alphas[k]
        mixed = (1 - share) * path.coefs[:, k - 1] + share * path.coefs[:, k]
        np.testing.assert_allclose(path.coef_at(alpha=alpha), mixed, rtol=1e-12)
        intercept = (1 - share) * path.intercepts[k - 1] + share * path.intercepts[k]
        assert path.intercept_at(alpha=alpha) == pytest.approx(intercept, rel=1e-12)


@pytest.mark.parametrize(
    ("loss", "more"),
    [
        (cb.losses.Squared(), {}),
        (cb.losses.Logistic(), {}),
        (cb.losses.Logistic(), {"refit_intercept": True}),
    ],
)
def test_the_losses_of_a_profile_are_the_losses_of_its_models(loss, more):
    """On the training table, with weights and intercepts."""
    X = RNG.standard_normal((40, 6)) * 3 + 5
    w = RNG.random(40) + 0.5
    y = np.where(RNG.random(40) < 0.3, -1.0, 1.0)
    path = cb.lasso_path(X, y, loss=loss, sample_weight=w, n_alphas=5, **more)
    numbers, _ = path.profile()
    preds = X @ path.coefs + path.intercepts
    terms = (
        (y[:, None] - preds) ** 2 / 2
        if loss == cb.losses.Squared()
        else np.log1p(np.exp(-y[:, None] * preds))
    )
    assert any(
        np.allclose(values, w @ terms / total, rtol=1e-10)
        for values in numbers.values()
        for total in (1, w.sum())
    )


@pytest.mark.parametrize("alphas", [[], [1.0, -1e-9], [-1.0]])
def test_penalties_below_0_are_refused(alphas):
    refused(
        lambda: cb.lasso_path(np.eye(4), np.arange(4.0), alphas=alphas),
        "alphas must be at least one penalty >= 0, got [",
    )


def test_the_certificate_of_an_exact_path_at_0():
    """The certificate is for the smallest penalty that rounding can distinguish from 0."""
    path = cb.exact_path(cb.Problem(RNG.standard_normal((20, 4)), RNG.standard_normal(20)))
    at_0 = path.certificate(0)
    near = path.certificate(1e-9)
    assert (
        isinstance(at_0.target, cb.certificates.L1Penalty)
        and 0 < at_0.target.lam < 1e-12
        and near.target == cb.certificates.L1Penalty(1e-9)
    )
