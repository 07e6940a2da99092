"""Invariants of every path: grids, norms, supports, identities of the losses, and model states that
do not drift.

FGM = Freund, Grigas, Mazumder, "A New Perspective on Boosting in Linear Regression" (2017).
"""

from itertools import pairwise, product

import numpy as np
import pytest
import scipy.sparse

import coordboost as cb
from coordboost import Problem

U = np.finfo(float).eps / 2  # unit roundoff
RNG = np.random.default_rng(21)
M, N = 25, 8
X = RNG.normal(size=(M, N))
Y = 2 * RNG.normal(size=M)
X[:, 5] = X[:, 2]
MODEL_STATES = pytest.mark.parametrize(
    "model_state", [cb.engine.CovarianceState, cb.engine.NaiveState, cb.engine.LookaheadState]
)
PROBLEMS = pytest.mark.parametrize(
    "problem",
    [
        Problem(X, Y),
        Problem(X[:6], Y[:6]),
        Problem(X, Y, sample_weight=np.linspace(0.1, 2, M)),
        Problem(scipy.sparse.csc_array(X * (X > 0)), Y),
    ],
    ids=["tall", "wide", "weighted", "sparse"],
)
AT = [0, 1, 2, 3, 10, 100, 1000, 20_000]


@MODEL_STATES
@PROBLEMS
@pytest.mark.parametrize("eps", [0.1, 2.0**-6, 1e-3])
def test_forward_stagewise_counts(problem, model_state, eps):
    """Coefficients are whole multiples of eps, bit for bit; |beta|_1 <= k eps; k steps touch at
    most k learners.
    """
    run = cb.solve(problem, cb.forward_stagewise(eps), AT[-1], model_state=model_state)
    assert set(np.unique(run.path.theta)) <= {-1.0, 0.0, 1.0} and not run.path.shrink.any()
    for state in run.replay(AT):
        counts = np.rint(state.beta / eps)
        assert (state.beta == eps * counts).all()
        assert np.abs(counts).sum() <= np.count_nonzero(run.path.theta[: state.k]) <= state.k
        assert len(state.support) <= state.k


@MODEL_STATES
@PROBLEMS
@pytest.mark.parametrize("eps, delta", [(0.1, 2.0), (1e-3, 0.5), (0.5, 0.5), (0.01, 1e6)])
def test_regularised_stagewise_stays_in_its_ball(problem, model_state, eps, delta):
    """|beta^k|_1 <= delta (1 - (1 - eps/delta)^k), FGM Theorem 4.1. After K steps a share (1 -
    eps/delta)^K of a step is left, so at most min(k, delta/eps) steps of three roundings each
    count.
    """
    run = cb.solve(
        problem, cb.regularized_forward_stagewise(eps, delta), AT[-1], model_state=model_state
    )
    for state in run.replay(AT):
        bound = delta * (
            1.0
            if eps == delta and state.k
            else -np.expm1(state.k * np.log1p(-min(eps / delta, 1 - 1e-16)))
        )
        assert state.l1 <= bound * (1 + (4 * min(state.k, delta / eps) + N + 8) * U)
        assert len(state.support) <= state.k
    assert (run.path.shrink == eps / delta).all()


@PROBLEMS
@pytest.mark.parametrize(
    "step", [None, 0.1, cb.rules.SegmentSearch(1.5)], ids=["2/(k+2)", "constant", "search"]
)
def test_frank_wolfe_stays_in_its_ball(problem, step):
    """Models are convex combinations; later steps shrink the rounding errors of earlier ones."""
    run = cb.solve(problem, cb.methods.frank_wolfe(1.5, step), 2000)
    for state in run.replay([0, 1, 2, 3, 10, 100, 2000]):
        assert state.l1 <= 1.5 * (1 + (4 * state.k + N) * U)
        assert len(state.support) <= state.k


@MODEL_STATES
@PROBLEMS
@pytest.mark.parametrize("eps", [0.05, 0.5, 1.0, 1.7])
def test_ls_boost_loss_identity(problem, model_state, eps):
    """FGM (25) and (26), an equality: L(beta^{k+1}) = L(beta^k) - eps (2 - eps) C_k^2 / 2, in sums;
    and (1), |r^{k+1} - r^k| = eps C_k.

    Each loss has M terms of a residual that took k + N roundings of numbers of the size of y: (M +
    k + N) * 8 U * |y|^2.
    """
    states = list(cb.iterate(problem, cb.ls_boost(eps), 60, model_state=model_state))
    root = np.sqrt(problem.weight)
    size = float(problem.weight @ problem.y**2)
    for state, after in pairwise(states):
        corr = np.abs(state.corr).max()
        slack = 8 * U * (M + state.k + N) * size
        assert abs(after.loss - (state.loss - eps * (2 - eps) * corr**2 / 2)) <= slack
        assert abs(np.linalg.norm(root * (after.pred - state.pred)) - eps * corr) <= 8 * U * (
            M + state.k + N
        ) * np.sqrt(size)
        assert after.loss <= state.loss + slack


@PROBLEMS
@pytest.mark.parametrize(
    "loss, method",
    [
        *product(
            (cb.losses.Huber(0.5), cb.losses.Logistic(), cb.losses.Logistic(0.2)),
            (cb.methods.gcd(), cb.methods.rcd(), cb.methods.ccd(), cb.rtgcd(3)),
        ),
        *(
            (loss, cb.methods.gcd(cb.rules.LineSearch()))
            for loss in (cb.losses.Huber(0.5), cb.losses.Logistic(), cb.losses.Exponential())
        ),
    ],
)
def test_descent_methods_descend(problem, method, loss):
    """A step 1/sigma decreases the loss by corr^2 / (2 sigma) at least (Lu and Mazumder, the proof
    of Theorem 4.1); a search too.
    """
    data = problem.y if isinstance(loss, cb.losses.Huber) else problem.y > 0
    problem = Problem(X[: len(data)], data, loss, sample_weight=problem.weight)
    sigma = loss.sigma or np.inf
    states = list(cb.iterate(problem, method, 25, rng=2, compile=False))
    path = cb.solve(problem, method, 25, rng=2, compile=False).path
    for state, after in pairwise(states):
        gain = state.corr[path.learner[state.k]] ** 2 / (2 * sigma)
        assert after.loss <= state.loss - gain + 16 * U * M * states[0].loss


@PROBLEMS
@pytest.mark.parametrize(
    "model_state", [cb.engine.CovarianceState, cb.engine.NaiveState, cb.engine.LookaheadState]
)
@pytest.mark.parametrize(
    "method",
    [cb.ls_boost(1e-4), cb.regularized_forward_stagewise(1e-3, 2.0)],
    ids=lambda method: method.name,
)
def test_the_state_does_not_drift(problem, model_state, method):
    """After 200,000 steps the learner and the step length agree with correlations recomputed from
    the coefficients.

    A step adds to each entry two roundings relative to entries of at most `size`; the state is
    renewed every 65,536 steps, so at most 4 * 65,536 * U * size have piled up in it, and as much in
    beta, whose errors reach the state through N columns of entries at most 1; plus the M terms of
    the recomputation. A missed step of 1e-4 would be a thousand times as much.
    """
    run = cb.solve(problem, method, 200_000, model_state=model_state)
    size = max(np.abs(problem.y).max(), np.abs(run.beta).max(), problem.start_size)
    slack = (4 * 65_536 * (1 + N) + 4 * M) * U * size
    for state in run.replay([131_070, 199_999]):
        j = run.path.learner[state.k]
        theta = run.path.theta[state.k]
        assert abs(state.corr[j]) >= np.abs(state.corr).max() - 2 * slack
        if method.name == "ls_boost":
            assert abs(theta - 1e-4 * state.corr[j]) <= 1e-4 * slack
