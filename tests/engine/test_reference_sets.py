"""R mboost, a plain NumPy loop and R glmnet give the same steps and coefficients on the same
float64 columns.
"""

from math import log

import numpy as np
import pytest
from designs import ROUNDOFF, STATES, as_it_is
from reference_sets import REGRESSION, ReferenceSet, needs_compiler, needs_reference_sets

import coordboost as cb

pytestmark = [needs_reference_sets, needs_compiler]
# With all columns of leukemia the Gram matrix would be too large.
SET_STATES = [
    pytest.param(n, v, id=f"{n}-{key}")
    for n in REGRESSION
    for key, v in STATES.items()
    if (n, key) != ("leukemia", "gram")
]


def assert_same_path(reference, run, picks, tag, scale=1.0, size=None):
    """Compare choices, as classes of copies of which the package takes the first, and coefficients
    and fits at the recorded steps.

    The recorded steps end before the first near-tie, 1e-12 of the target, which is more than the
    rounding of a correlation. In each of k steps a correlation is off by at most (n + 5) u size,
    and the share `rate` of it enters the step; steps never amplify errors. So fits are off by k
    rate (n + 5) u size, and each coefficient, a sum of k steps, by k^2 rate (n + 5) u size.
    """
    found = run.path.learner
    n_valid = len(picks)
    assert (reference.col_class[found] == found).all()
    assert (found == reference.col_class[picks]).all()
    rate = run.method.bind(run.problem).step.rate
    unit = rate * (reference.n + 5) * ROUNDOFF * (reference.size if size is None else size)
    at = [k for k in reference[f"{tag}_m"] if k <= n_valid]
    coefficients = reference[f"{tag}_coef"]
    risks = reference[f"{tag}_risk"]
    assert at or n_valid < min(reference[f"{tag}_m"])
    for state, coef, risk in zip(run.replay(map(int, at)), coefficients, risks, strict=False):
        fit = reference.X @ (scale * coef)
        np.testing.assert_allclose(
            state.pred,
            fit,
            rtol=0,
            atol=state.k * unit + 4 * reference.n * ROUNDOFF * np.abs(fit).max(),
        )
        if (reference.col_class == np.arange(reference.p)).all():
            np.testing.assert_allclose(state.beta, scale * coef, rtol=0, atol=state.k**2 * unit)
        yield state, risk


@pytest.mark.parametrize("name, model_state", SET_STATES)
def test_ls_boost_is_mboost(name, model_state):
    reference = ReferenceSet(name)
    problem = as_it_is(reference.X, reference.y)
    for tag, nu in {"nu0p1": 0.1, "nu0p01": 0.01, "nu1": 1.0}.items():
        tag = f"mb_gauss_{tag}"
        if (name, nu) == ("leukemia", 1.0):  # not recorded
            continue
        picks = reference[f"{tag}_xselect"][: int(reference[f"{tag}_n_valid"])]
        run = cb.solve(problem, cb.ls_boost(nu), len(picks), model_state=model_state)
        for state, risk in assert_same_path(reference, run, picks, tag):
            # mboost's risk is the residual sum of squares; the error of a square is twice that of
            # the fit
            allowed = (4 * state.k * nu + 4) * (reference.n + 5) * ROUNDOFF * reference.size**2
            assert abs(2 * state.loss - risk) <= allowed


@pytest.mark.parametrize("tag", ["fs_eps0p01", "fs_eps0p001"])
@pytest.mark.parametrize("name, model_state", SET_STATES)
def test_forward_stagewise_is_the_plain_loop(name, model_state, tag):
    """Coefficients are exact multiples of eps."""
    reference = ReferenceSet(name)
    n_valid = int(reference[f"{tag}_n_valid"])
    eps = float(reference[f"{tag}_eps"])
    picks = reference[f"{tag}_pick"][:n_valid]
    signs = reference[f"{tag}_sign"][:n_valid].astype(float)
    run = cb.solve(
        as_it_is(reference.X, reference.y),
        cb.forward_stagewise(eps),
        n_valid,
        model_state=model_state,
    )
    assert (reference.col_class[picks] == run.path.learner).all()
    assert (run.path.theta[picks == run.path.learner] == signs[picks == run.path.learner]).all()
    counts = np.bincount(run.path.learner, weights=run.path.theta, minlength=reference.p)
    assert (run.beta == eps * counts).all() and n_valid == len(run.path.theta) > 0


@pytest.mark.parametrize(
    "model_state", [cb.engine.NaiveState, cb.engine.WorkingSetState], ids=["explicit", "gathered"]
)
@pytest.mark.parametrize("offset", ["off0", "offdef"])
@pytest.mark.parametrize("name", ["german", "leukemia"])
def test_logistic_is_mboost_binomial(name, offset, model_state):
    """mboost fits half the log-odds to the gradient over log 2: in log-odds a step is 4 nu / log 2
    times the correlation.

    Its offset 0 is ``center=False``; its default offset is half of our constant (``center=True``
    centres columns that are centred).
    """
    reference = ReferenceSet(name)
    tag = f"mb_binom_{offset}"
    labels = np.where(reference.y > 0, 1.0, -1.0)
    problem = cb.Problem(
        reference.X, labels, cb.losses.Logistic(), center=offset == "offdef", scale=False
    )
    # the class shares have log-odds below 1 in size: the logarithm is off by a few roundoffs
    assert abs(problem.constant - 2 * float(reference[f"{tag}_offset"])) <= 8 * ROUNDOFF
    picks = reference[f"{tag}_xselect"][: int(reference[f"{tag}_n_valid"])]
    run = cb.solve(
        problem,
        cb.methods.gcd(step=cb.rules.ShrunkenStep(4 * 0.1 / log(2))),
        len(picks),
        model_state=model_state,
    )
    sizes = float(np.sqrt(reference.n))
    for state, risk in assert_same_path(reference, run, picks, tag, scale=2.0, size=sizes):
        # the risk is in nats; its derivative with respect to each fit is at most 1
        allowed = reference.n * (state.k + 4) * (reference.n + 5) * ROUNDOFF * sizes
        assert abs(state.loss - risk) <= allowed


@pytest.mark.parametrize("name", REGRESSION)
def test_lasso_is_glmnet(name):
    """Both answers give intervals around the same optimum, so the intervals overlap; and they are
    narrow.

    Cyclic coordinate descent; for wide tables greedy, at the larger half of the penalties, where
    cyclic sweeps would be too slow.
    """
    reference = ReferenceSet(name)
    problem = as_it_is(reference.X, reference.y)
    null = reference.size**2 / 2
    wide = reference.p > 1000
    for i, k in list(enumerate(reference["glmnet_idx"]))[: 5 if wide else 10]:
        lam = float(reference["glmnet_lambda_ss"][k])
        theirs = cb.certify(
            problem, reference["glmnet_t26_beta"][i], cb.certificates.L1Penalty(lam)
        )
        method = cb.methods.lasso_cd(lam, cb.rules.Greedy() if wide else cb.rules.Cyclic())
        ours = cb.solve(
            problem, method, 20_000 if wide else 2_000_000, stop=cb.engine.GapBelow(1e-9)
        ).certificate()
        assert ours.lower <= theirs.upper and theirs.lower <= ours.upper
        assert 0 <= theirs.gap <= 1e-9 * null and 0 <= ours.gap <= 1e-8 * null


@pytest.mark.parametrize("name", ["prostate", "diabetes10"])
def test_raw_coefficients(name):
    """From raw columns to raw coefficients and intercept, compared with R mboost and R lars on the
    same raw data.
    """
    reference = ReferenceSet(name)
    problem = cb.Problem(reference["X_raw"], reference["y_raw"])
    np.testing.assert_allclose(
        problem.standardization.mean, reference["x_mean"], rtol=1e-13, atol=0
    )
    np.testing.assert_allclose(
        problem.standardization.norm, reference["x_norm"], rtol=1e-13, atol=0
    )
    run = cb.solve(problem, cb.ls_boost(0.1), 2000)
    assert (run.path.learner == reference["mb_gauss_nu0p1_xselect"]).all()
    # Errors as for unit columns, divided by their norms; the intercept sums up means times
    # coefficients.
    unit = 0.1 * 2000**2 * (reference.n + 5) * ROUNDOFF * reference.size
    np.testing.assert_allclose(
        run.coef * reference["x_norm"],
        reference["mb_raw_nu0p1_coef"] * reference["x_norm"],
        rtol=0,
        atol=unit,
    )
    intercept = (
        float(reference["mb_raw_nu0p1_offset"])
        - reference["x_mean"] @ reference["mb_raw_nu0p1_coef"]
    )
    assert (
        abs(run.intercept - intercept)
        <= unit * np.abs(reference["x_mean"] / reference["x_norm"]).sum()
    )
    for beta, raw in zip(
        reference["lars_lasso_beta"], reference["lars_lasso_raw_beta"], strict=True
    ):
        np.testing.assert_allclose(
            problem.raw(beta)[0], raw, rtol=1e-9, atol=1e-10 * np.abs(raw).max()
        )
