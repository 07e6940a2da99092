"""Compiled and interpreted runs: the same learners, coefficients equal up to rounding. Other tests
check interpreted runs.
"""

import cProfile
import pstats

import numpy as np
import pytest
import scipy.sparse
from designs import drift

import coordboost as cb

N_SAMPLES = 8
N_LEARNERS = 6
N_STEPS = 6
RADIUS = 2.0
GROUPS = [0, 1, 0, 2, 1, 0]
FULL = cb.rules.Greedy()
SUBSET = cb.rules.RandomSubset(3)
GROUPED = cb.rules.Groups(2)
CYCLIC = cb.rules.Cyclic()
#: Each step with a selection and a model state: every selection and every search is compiled with
#: the naive and the covariance state.
STEPS = {
    "proportional": (cb.rules.ShrunkenStep(0.5), GROUPED, cb.engine.NaiveState),
    "line search": (cb.rules.LineSearch(), CYCLIC, cb.engine.NaiveState),
    "line search, Gram": (cb.rules.LineSearch(), SUBSET, cb.engine.CovarianceState),
    "sign": (cb.rules.FixedStep(0.25), FULL, cb.engine.CovarianceState),
    "sign, shrunk": (cb.rules.FixedStep(0.25, RADIUS), SUBSET, cb.engine.CovarianceState),
    "sign sequence": (
        cb.rules.StepSequence(np.ldexp(1.0, -np.arange(N_STEPS))),
        GROUPED,
        cb.engine.CovarianceState,
    ),
    "path": (
        cb.rules.PathStep(0.25, np.linspace(1.0, RADIUS, N_STEPS)),
        CYCLIC,
        cb.engine.CovarianceState,
    ),
    "open loop": (cb.rules.DiminishingStep(RADIUS), FULL, cb.engine.NaiveState),
    "ball search": (cb.rules.SegmentSearch(RADIUS), SUBSET, cb.engine.NaiveState),
    "ball search, Gram": (cb.rules.SegmentSearch(RADIUS), CYCLIC, cb.engine.CovarianceState),
    "soft threshold": (cb.rules.SoftThreshold(0.0625, 1.0), GROUPED, cb.engine.NaiveState),
    "lookahead": (cb.rules.SegmentSearch(RADIUS), FULL, cb.engine.LookaheadState),
    "gathered": (cb.rules.ShrunkenStep(0.5), FULL, cb.engine.WorkingSetState),
}


def data(loss=None, convert=np.asarray, labels=False):
    """Return a problem; with `labels`, four rows come with both labels, so that the optimum is
    finite.
    """
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N_SAMPLES, N_LEARNERS))
    y = rng.normal(size=N_SAMPLES)
    if labels:
        X = np.vstack([X, X[:4]])
        y = np.where(np.append(y, -y[:4]) > 0, 1, -1)
    return cb.Problem(convert(X * (X > 0)), y, loss, groups=GROUPS)


def check(problem, step, select, model_state, slack=1.0):
    """Compare a compiled and an interpreted run; their numbers stay below RADIUS (1 + |y|), in a
    search below its square.
    """
    method = cb.rules.Method("test", select, step)
    one, other = (
        cb.solve(problem, method, N_STEPS, model_state=model_state, compile=way)
        for way in (True, False)
    )
    size = (RADIUS * (1 + np.linalg.norm(problem.y))) ** (
        2 if isinstance(step, cb.rules.SegmentSearch) else 1
    )
    tolerance = slack * drift(N_STEPS, problem.n_samples, size)
    assert (one.path.learner == other.path.learner).all() and np.abs(
        one.beta
    ).max() > 1e3 * tolerance
    for a, b in zip(one.replay(range(N_STEPS + 1)), other.replay(range(N_STEPS + 1)), strict=True):
        np.testing.assert_allclose(a.beta, b.beta, rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", STEPS)
def test_every_step(name):
    check(data(), *STEPS[name])


@pytest.mark.slow
@pytest.mark.parametrize("model_state", [cb.engine.NaiveState, cb.engine.CovarianceState])
@pytest.mark.parametrize("select", [FULL, SUBSET, GROUPED, CYCLIC])
@pytest.mark.parametrize("name", STEPS)
def test_every_combination(name, select, model_state):
    check(data(), STEPS[name][0], select, model_state)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["line search", "sign, shrunk"])
def test_sparse_columns(name):
    """Centred implicitly; the shift and the scale add two roundings to each number."""
    check(data(convert=scipy.sparse.csc_array), *STEPS[name][:2], cb.engine.NaiveState, slack=2.0)


# A library function is off by one ulp; the search stops within 4 ulp of a root of the derivative,
# whose rounding it divides by the curvature, above exp(-5) / 4 > 1 / 1000 at predictions below 5.
@pytest.mark.parametrize(
    "loss",
    [
        cb.losses.Huber(0.5),
        cb.losses.Exponential(),
        pytest.param(cb.losses.Logistic(), marks=pytest.mark.slow),
        pytest.param(cb.losses.Logistic(0.125), marks=pytest.mark.slow),
    ],
    ids=repr,
)
def test_other_losses(loss):
    check(
        data(loss, labels=not isinstance(loss, cb.losses.Huber)),
        cb.rules.LineSearch(),
        FULL,
        cb.engine.NaiveState,
        slack=1e3,
    )


def test_profiles_name_the_verbs():
    problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    profile = cProfile.Profile()
    profile.runcall(cb.solve, problem, cb.ls_boost(0.5), 3, compile=False)
    names = {name for file, _, name in pstats.Stats(profile).stats if "dispatch" in file}
    assert {"pick", "move", "push", "accumulate"} <= names
