"""An offset: a known part of every prediction. It equals another target, other rates, or a formula
written out in NumPy.
"""

import numpy as np
import pytest
import scipy.optimize
from refusal import refused
from sklearn.linear_model import PoissonRegressor

import coordboost as cb
from coordboost import Problem
from coordboost.certificates import L1Ball, L1Penalty
from coordboost.losses import (
    Exponential,
    Gamma,
    Huber,
    Logistic,
    Poisson,
    Quantile,
    SmoothZeroOne,
    Squared,
    Tweedie,
    Welsch,
)

RNG = np.random.default_rng(8)
N, P = 40, 5
X = RNG.normal(size=(N, P))
OFFSET = RNG.normal(size=N)
WEIGHT = RNG.uniform(0.5, 2.0, size=N)
Y = X[:, 0] + OFFSET + RNG.normal(size=N)
LABELS = np.where(Y > 0, 1.0, -1.0)
COUNTS = RNG.poisson(np.exp(0.4 * Y)).astype(float)
PAIRS = [
    (Squared(), Y),
    (Huber(0.5), Y),
    (Quantile(0.3), Y),
    (Welsch(), Y),
    (Logistic(), LABELS),
    (Logistic(0.3), LABELS),
    (Exponential(), LABELS),
    (SmoothZeroOne(0.5), LABELS),
    (Poisson(), COUNTS),
    (Gamma(), COUNTS + 0.5),
    (Tweedie(1.5), COUNTS),
]
TARGETS = {repr(loss): y for loss, y in PAIRS}  # losses without fields are equal tuples
LOSSES = pytest.mark.parametrize("loss", [loss for loss, _ in PAIRS], ids=repr)


def problem_of(loss, **more):
    return Problem(X, TARGETS[repr(loss)], loss, offset=OFFSET, sample_weight=WEIGHT, **more)


def total(loss, f):
    """The sum of the losses at f."""
    return WEIGHT @ [loss.value(a, b) for a, b in zip(TARGETS[repr(loss)], f, strict=True)]


@LOSSES
def test_value_and_residual_are_those_of_the_loss_at_the_sum(loss):
    problem = problem_of(loss)
    pred = RNG.normal(size=N)
    at = problem.constant + OFFSET + pred
    y = TARGETS[repr(loss)]
    resid = [w * loss.residual(a, f) for w, a, f in zip(WEIGHT, y, at, strict=True)]
    assert problem.value(pred) == pytest.approx(total(loss, at), rel=1e-12)
    np.testing.assert_allclose(problem.resid(pred), resid, atol=1e-11)


@LOSSES
def test_the_constant_is_the_best_one_given_the_offset(loss):
    problem = problem_of(loss)
    zero = np.zeros(N)
    if loss.convex:
        around = [problem.value(zero + t) for t in (0.0, -1e-3, 1e-3, -1.0, 1.0)]
        assert min(around) >= around[0] - 1e-12 * abs(around[0])
    assert problem_of(loss, center=False).constant == 0


@pytest.mark.parametrize("loss", [Squared(), Huber(0.5), Quantile(0.3)], ids=repr)
def test_a_loss_of_y_minus_f_subtracts_the_offset_from_y(loss):
    """The run equals the run on y - offset, bit for bit."""
    problems = problem_of(loss), Problem(X, Y - OFFSET, loss, sample_weight=WEIGHT)
    run, other = (cb.solve(problem, cb.forward_stagewise(0.1), 20) for problem in problems)
    assert (
        run.beta.tobytes() == other.beta.tobytes()
        and run.problem.constant == other.problem.constant
    )
    np.testing.assert_array_equal(run.predict(X, offset=OFFSET), other.predict(X) + OFFSET)


def test_log_exposure_is_rates_with_weights():
    """sum of e^(f + log t) - y (f + log t) equals sum of t (e^f - (y / t) f) plus a constant;
    compared with scikit-learn on the rates.
    """
    t = np.exp(OFFSET)
    problem = Problem(X, COUNTS, Poisson(), offset=OFFSET)
    rates = PoissonRegressor(alpha=0, tol=1e-12, max_iter=10_000).fit(
        X, COUNTS / t, sample_weight=t
    )
    assert problem.constant == pytest.approx(
        Problem(X, COUNTS / t, Poisson(), sample_weight=t).constant, abs=1e-14
    )
    path = cb.lasso_path(problem, alphas=[1e-9], tol=1e-12, refit_intercept=True)
    np.testing.assert_allclose(np.exp(path.predict(X)), rates.predict(X), rtol=1e-6)
    np.testing.assert_allclose(
        np.exp(path.predict(X, offset=OFFSET)), t * rates.predict(X), rtol=1e-6
    )


METHODS = [
    cb.ls_boost(0.1),
    cb.methods.agbm(0.1, 0.1),
    cb.gbm(0.1),
    cb.methods.frank_wolfe_away(2.0),
]
RUNS = [(Logistic(), method) for method in METHODS] + [(Huber(0.5), cb.ls_boost(0.1))]


@pytest.mark.parametrize(("loss", "method"), RUNS, ids=lambda one: getattr(one, "name", repr(one)))
def test_a_run_is_resumed_replayed_saved_and_interpreted(loss, method, tmp_path):
    problem = problem_of(loss)
    run = cb.solve(problem, method, 24)
    again = cb.solve(problem, method, 11).resume(13)
    assert again.beta.tobytes() == run.beta.tobytes()
    run.save(tmp_path / "the.run")
    read = cb.load(tmp_path / "the.run")
    assert (
        read.beta.tobytes() == run.beta.tobytes()
        and read.resume(9).beta.tobytes() == run.resume(9).beta.tobytes()
    )
    assert read.problem.offset.tobytes() == OFFSET.tobytes()
    np.testing.assert_allclose(
        cb.solve(problem, method, 24, compile=False).beta, run.beta, atol=1e-12
    )
    at = problem.constant + OFFSET + run.pred
    np.testing.assert_allclose(run.predict(X, offset=OFFSET), at, atol=1e-12)
    np.testing.assert_allclose(run.predict(X), at - OFFSET, atol=1e-12)
    along = [total(loss, at - run.pred + state.pred) for state in run.replay(range(25))]
    np.testing.assert_allclose(run.losses, along, rtol=1e-12)
    np.testing.assert_allclose(
        -run.score_path(X, TARGETS[repr(loss)], WEIGHT, offset=OFFSET) * WEIGHT.sum(),
        along,
        rtol=1e-12,
    )
    assert run.score(X, TARGETS[repr(loss)], WEIGHT, offset=OFFSET) == pytest.approx(
        -along[-1] / WEIGHT.sum(), rel=1e-12
    )


@pytest.mark.parametrize("loss", [Logistic(), Poisson(), Huber(0.5)], ids=repr)
@pytest.mark.parametrize("target", [L1Penalty(2.0), L1Ball(0.7)], ids=repr)
def test_certificates_hold_the_optimum_of_a_general_solver(loss, target):
    problem = problem_of(loss)
    path = cb.lasso_path(problem, alphas=[2.0 / WEIGHT.sum()])
    beta = problem.unit(path.coefs[:, 0])
    if isinstance(target, L1Ball):
        beta = (
            target.radius
            * problem.scan(problem.resid(np.zeros(N)))
            / np.abs(problem.scan(problem.resid(np.zeros(N)))).sum()
        )
    judged = cb.certify(problem, beta, target, independent=True)
    inside = judged.own
    their = judged.independent
    assert inside.lower <= their.upper + 1e-9 and their.lower <= inside.upper + 1e-9
    assert inside.gap < 0.3 * problem.start_loss
    beta = RNG.normal(size=P)  # the objective of the solver equals the value in NumPy
    at = problem.constant + OFFSET + problem.combine(beta)
    assert problem.value(problem.combine(beta)) == pytest.approx(total(loss, at))


@pytest.mark.parametrize("loss", [Logistic(), Poisson(), Gamma()], ids=repr)
def test_lasso_and_refitted_intercepts(loss):
    """The path with a free intercept is compared with scipy; a refitted run has residuals that sum
    to 0.
    """
    problem = problem_of(loss)
    path = cb.lasso_path(problem, refit_intercept=True, n_alphas=4, eps=0.05, tol=1e-9)
    assert (path.gaps <= 1e-8).all()
    B = problem.gather(np.arange(P))
    lam = path.alphas[-1] * WEIGHT.sum()

    def objective(parts):
        up = parts[:P]
        down = parts[P:-1]
        b = parts[-1]
        at = b + OFFSET + B @ (up - down)
        return total(loss, at) + lam * (up + down).sum()

    found = scipy.optimize.minimize(
        objective, np.zeros(2 * P + 1), bounds=[(0, None)] * 2 * P + [(None, None)], tol=1e-12
    )
    assert path.certificate(3).upper == pytest.approx(found.fun, rel=1e-6)
    scores = path.score_path(X, TARGETS[repr(loss)], WEIGHT, offset=OFFSET)
    np.testing.assert_allclose(-scores * WEIGHT.sum(), path.losses, rtol=1e-9)
    best = cb.solve(problem, cb.gbm(0.1), 10).refit_intercept().final
    assert abs(best.resid.sum()) < 1e-9 * np.abs(best.resid).sum()


@pytest.mark.parametrize(
    ("loss", "y"),
    [(Poisson(), 40 * COUNTS + 20), (Gamma(), (COUNTS + 0.5) / 100)],
    ids=["poisson", "gamma"],
)
def test_certificates_of_losses_below_0(loss, y):
    """Their rounding allowance sums absolute values of the losses: large counts, small amounts.
    Compared with scipy.
    """
    problem = Problem(X, y, loss, offset=OFFSET)
    assert problem.infimum < 0
    path = cb.lasso_path(problem, alphas=[0.01], refit_intercept=True, tol=1e-8)
    B = problem.gather(np.arange(P))
    lam = path.alphas[0] * N

    def objective(parts):
        at = parts[-1] + OFFSET + B @ (parts[:P] - parts[P:-1])
        return (
            np.exp(at) - y * at if isinstance(loss, Poisson) else y * np.exp(-at) + at
        ).sum() + lam * parts[:-1].sum()

    start = np.append(np.zeros(2 * P), problem.constant)
    found = scipy.optimize.minimize(
        objective, start, bounds=[(0, None)] * 2 * P + [(None, None)], tol=1e-14
    )
    certificate = path.certificate(0)
    near = 1e-6 * (objective(start) - found.fun)
    assert (
        certificate.lower <= found.fun + near
        and found.fun - near <= certificate.upper <= found.fun + near
    )


def test_exact_paths_are_those_of_y_minus_offset():
    path, other = (
        cb.exact_path(one)
        for one in (problem_of(Squared()), Problem(X, Y - OFFSET, sample_weight=WEIGHT))
    )
    np.testing.assert_array_equal(path.coef_path(), other.coef_path())
    np.testing.assert_array_equal(path.predict(X, offset=OFFSET), other.predict(X) + OFFSET)


def test_awkward_offsets():
    """Whole numbers, float32, huge numbers; a target equal to offset plus a constant leaves nothing
    to fit.
    """
    whole = np.arange(N) % 3
    assert (
        Problem(X, Y, offset=whole).constant
        == Problem(X, Y, offset=whole.astype(np.float32)).constant
        == np.mean(Y - whole)
    )
    far = Problem(X, COUNTS, Poisson(), offset=OFFSET + 500.0)
    assert far.constant + 500.0 == pytest.approx(
        np.log(COUNTS.sum() / np.exp(OFFSET).sum()), abs=1e-10
    )
    nothing = Problem(X, 1e8 * OFFSET + 0.1, offset=1e8 * OFFSET)
    assert not nothing.y.any() and nothing.constant == pytest.approx(0.1, abs=1e-7)


@pytest.mark.parametrize("bad", [np.zeros(3), np.full(N, np.nan), "far", np.zeros((N, 2)), 1.0])
def test_bad_offsets_are_refused(bad):
    refused(lambda: Problem(X, Y, offset=bad), "offset")
    run = cb.solve(Problem(X, Y), cb.ls_boost(0.1), 3, compile=False)
    refused(lambda: run.predict(X, offset=bad), "offset")
    refused(lambda: run.score_path(X, Y, offset=bad), "offset")
