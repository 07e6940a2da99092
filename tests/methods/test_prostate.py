"""Prostate cancer, eight predictors: every number printed in the specification, from raw data, and
its first claim.

FGM, Section 5.3 (a) and Section 6, claim 1: where the Lasso path is monotone, FS and LS-Boost
follow it for small steps, and R-FS on the way to its radius.
"""

from functools import cache

import golden
import numpy as np
import pytest
from reference_sets import ReferenceSet, needs_compiler, needs_reference_sets

import coordboost as cb

pytestmark = needs_reference_sets
P = golden.PROSTATE


@cache
def problem():
    """lcavol on the raw predictors, centred and scaled by the package."""
    reference = ReferenceSet("prostate")
    return cb.Problem(
        reference["X_raw"],
        reference["y_raw"],
        feature_names=[str(name) for name in reference["feature_names"]],
    )


def assert_printed(found, printed, digits):
    """Equal to the last printed digit; rounding in the package is far smaller."""
    np.testing.assert_allclose(found, printed, rtol=0, atol=0.5001 * 10.0**-digits)


def least_squares():
    return cb.solve(problem(), cb.forward_stepwise(), 8).final


def lasso_path(l1):
    """The Lasso solution of R lars at the l1 norms `l1` (k,), interpolated linearly between its
    knots; (k, 8).
    """
    reference = ReferenceSet("prostate")
    knots = reference["lars_lasso_l1"]
    beta = reference["lars_lasso_beta"]
    return np.column_stack([np.interp(l1, knots, beta[:, j]) for j in range(8)])


def test_before_fitting():
    data = problem()
    spectrum = data.spectrum
    assert tuple(data.feature_names) == P.names and data.n_samples == 97 and spectrum.rank == 8
    assert_printed(np.linalg.norm(data.y), P.norm_y, 6)
    assert_printed(data.value(0 * data.y) / 97, P.L_0, 8)
    assert_printed(data.dictionary.scan(data.y), P.corr_0, 4)
    assert_printed(spectrum.lambda_pmin, P.lambda_pmin, 8)
    # 3.324826006: the eighth printed decimal, 0, is an error
    assert_printed(spectrum.lambda_max, P.lambda_max, 7)
    assert_printed(spectrum.kappa, P.kappa, 6)


def test_least_squares():
    final = least_squares()
    certificate = final.certificate(cb.certificates.Unconstrained())
    assert_printed(np.linalg.norm(final.pred), P.A, 6)
    assert_printed(final.loss / 97, P.L_star, 8)
    assert_printed([certificate.lower / 97, certificate.upper / 97], [P.L_star, P.L_star], 8)
    assert_printed(final.l1, P.delta_max, 7)
    assert_printed(final.beta, P.least_squares, 4)


def test_knots():
    """Coordinate descent at the correlation level of a knot (from R lars) gives the printed
    coefficients and l1 norm.
    """
    levels = ReferenceSet("prostate")["lars_lasso_lambda"][:-1]
    for lam, (l1, beta) in zip(levels, P.knots.items(), strict=True):
        run = cb.solve(problem(), cb.methods.lasso_cd(float(lam)), 40_000)
        assert_printed(run.final.l1, l1, 4)
        assert_printed(run.beta, beta, 3)


@needs_compiler
def test_radii_of_the_knots():
    """R-FS at the radius of a knot ends within eps of the printed coefficients, and its certificate
    contains the loss there.
    """
    eps = 1e-4
    for l1, beta in list(P.knots.items())[1:]:
        run = cb.solve(problem(), cb.regularized_forward_stagewise(eps, l1), int(20 * l1 / eps))
        assert np.abs(run.beta - beta).max() <= 0.5e-3 + 1.5 * eps
        star = problem().value(problem().dictionary.combine(lasso_path([l1])[0]))
        certificate = run.certificate()
        # 2 delta eps on average
        assert certificate.lower <= star <= certificate.upper and certificate.gap <= 4 * l1 * eps


@needs_compiler
def test_order_of_entry():
    run = cb.solve(problem(), cb.forward_stagewise(1e-4), 250_000)
    entered = list(dict.fromkeys(run.path.learner.tolist()))
    assert tuple(P.names[j] for j in entered) == P.entry_order


def deviations(run):
    """max_j |beta_j - lasso_j(||beta||_1)| for every iterate, (n_steps + 1,)."""
    increments = np.zeros((run.n_steps + 1, 8))
    increments[np.arange(run.n_steps) + 1, run.path.learner] = run.path.theta
    betas = getattr(run.method.step, "unit", 1.0) * increments.cumsum(axis=0)
    assert np.abs(betas[-1] - run.beta).max() <= 1e-12 * run.n_steps
    return np.abs(betas - lasso_path(np.abs(betas).sum(axis=1))).max(axis=1)


# method, step, printed deviation, its digits, and the stride of iterates that reproduces it (the
# text does not give one)
FOLLOWERS = [
    (cb.forward_stagewise, 1e-2, 0.0109, 4, 2),
    (cb.forward_stagewise, 1e-3, 0.0012, 4, 20),
    (cb.forward_stagewise, 1e-4, 0.0001, 4, 200),
    (cb.ls_boost, 1e-1, 0.297, 3, 1),
    (cb.ls_boost, 1e-2, 0.0153, 4, 10),
    (cb.ls_boost, 1e-3, 0.0018, 4, 100),
]


@needs_compiler
@pytest.mark.parametrize("method, eps, printed, digits, stride", FOLLOWERS)
def test_profiles_coincide(method, eps, printed, digits, stride):
    """The printed deviation at every stride-th iterate; over all iterates it is at most 1.3 times
    as large, so still of order eps.
    """
    run = cb.solve(
        problem(), method(eps), int((30 if method is cb.forward_stagewise else 300) / eps)
    )
    found = deviations(run)
    assert_printed(found[::stride].max(), printed, digits)
    assert printed - 0.5001 * 10.0**-digits <= found.max() <= 1.3 * printed + 10.0**-digits
    # FS ends within eps of least squares in l1 norm, and LS-Boost converges to it
    assert abs(run.final.l1 - P.delta_max) <= (8 * eps if method is cb.forward_stagewise else 1e-3)


@needs_compiler
@pytest.mark.parametrize(
    "share", [0.99, *(pytest.param(share, marks=pytest.mark.slow) for share in (0.91, 0.81))]
)
def test_regularized_profile(share):
    """R-FS with eps = 1e-4: 0.0001 to the printed digits, at every 10,000th iterate; the run ends
    at its radius.
    """
    eps = 1e-4
    delta = share * P.delta_max
    states = list(
        cb.iterate(problem(), cb.regularized_forward_stagewise(eps, delta), 2_000_000, every=10_000)
    )
    betas = np.array([state.beta for state in states])
    found = np.abs(betas - lasso_path(np.abs(betas).sum(axis=1))).max()
    assert_printed(found, 0.0001, 4)
    assert delta - 8 * eps <= states[-1].l1 <= delta * (1 + 1e-12)
