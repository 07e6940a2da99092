"""Line searches with lookahead: step lengths, as well as choices, equal those of a plain NumPy
loop.
"""

import numpy as np
import pytest

import coordboost as cb

N_SAMPLES, N_LEARNERS, N_STEPS = 40, 400, 60
RNG = np.random.default_rng(17)
X = RNG.normal(size=(N_SAMPLES, N_LEARNERS))
Y = X[:, :8] @ RNG.normal(size=8) + RNG.normal(size=N_SAMPLES)


def frank_wolfe(B, y, radius):
    """Shrinkages and moves of Frank-Wolfe on the l1 ball, gamma in [0, 1] by line search; (N_STEPS,
    2).
    """
    pred = 0 * y
    moves = []
    for _ in range(N_STEPS):
        corr = B.T @ (y - pred)
        j = np.argmax(np.abs(corr))
        way = radius * np.sign(corr[j]) * B[:, j] - pred
        gamma = np.clip(way @ (y - pred) / (way @ way), 0, 1)
        pred = pred + gamma * way
        moves.append((gamma, gamma * np.sign(corr[j])))
    return np.array(moves)


def greedy(B, y, _):
    """Moves of greedy coordinate descent by line search, without shrinkage; (N_STEPS, 2)."""
    resid = y.copy()
    moves = []
    for _ in range(N_STEPS):
        corr = B.T @ resid
        j = np.argmax(np.abs(corr))
        resid -= corr[j] * B[:, j]
        moves.append((0.0, corr[j]))
    return np.array(moves)


@pytest.mark.parametrize(
    ("road", "share"), [(frank_wolfe, 0.3), (frank_wolfe, 1.0), (frank_wolfe, 20.0), (greedy, 1.0)]
)
def test_step_lengths(road, share):
    """A ball whose boundary is reached at once, one of the size of the solution, and one so large
    that steps are short.
    """
    problem = cb.Problem(X, Y)
    B = problem.dictionary.gather(np.arange(N_LEARNERS))
    radius = share * float(np.linalg.norm(problem.y))
    method = (
        cb.methods.frank_wolfe(radius, cb.rules.SegmentSearch(radius))
        if road is frank_wolfe
        else cb.methods.gcd(cb.rules.LineSearch())
    )
    run = cb.solve(problem, method, N_STEPS, model_state=cb.engine.LookaheadState)
    expected = road(B, problem.y, radius)
    # a step length is a quotient of inner products; each earlier step adds its rounding to the
    # prediction
    slack = (
        N_STEPS**2 * (N_SAMPLES + 5) * np.finfo(float).eps * (1 if road is frank_wolfe else radius)
    )
    found = np.column_stack([run.path.shrink, run.path.theta])
    np.testing.assert_allclose(found, expected, rtol=0, atol=slack)
