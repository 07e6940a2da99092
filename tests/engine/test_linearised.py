"""Gram columns in the metric of second derivatives: greedy runs with few scans for any loss."""

import numpy as np
import pytest

import coordboost as cb

RNG = np.random.default_rng(11)
N, P = 90, 500
X = RNG.normal(size=(N, P)) + 0.5 * RNG.normal(size=(N, 1))
SIGNAL = X[:, :8] @ np.linspace(2.0, 0.5, 8) / 3
NOISY = SIGNAL + RNG.standard_t(2, size=N)
WEIGHT = RNG.uniform(0.2, 3.0, N)
WEIGHT[::13] = 0.0
LABELS = np.where(NOISY > 0, 1.0, -1.0)
COUNTS = RNG.poisson(np.exp(0.5 * SIGNAL)).astype(float)
OFFSET = 0.3 * RNG.normal(size=N)
#: name: loss, targets, method, whether there are weights and offsets
CASES = {
    "Huber, weighted": (cb.losses.Huber(0.7), NOISY, cb.forward_stagewise(0.05), True),
    "Huber, gradients": (cb.losses.Huber(1.0), NOISY, cb.gbm(0.1), True),
    "Huber, bounded": (
        cb.losses.Huber(1.0),
        NOISY,
        cb.regularized_forward_stagewise(0.1, 40.0),
        True,
    ),
    "Huber, searches": (
        cb.losses.Huber(1.0),
        NOISY,
        cb.methods.gcd(cb.rules.LineSearch()),
        False,
    ),
    "logistic": (cb.losses.Logistic(), LABELS, cb.forward_stagewise(0.2), True),
    "Poisson": (cb.losses.Poisson(), COUNTS, cb.forward_stagewise(0.04), True),
    "exponential": (cb.losses.Exponential(), LABELS, cb.forward_stagewise(0.1), False),
}


def problem_of(loss, y, weighted):
    options = {"sample_weight": WEIGHT, "offset": OFFSET} if weighted else {}
    return cb.Problem(X, y, loss, **options)


@pytest.mark.parametrize("name", CASES)
def test_the_steps_are_those_of_a_scan_in_every_step(name):
    loss, y, method, weighted = CASES[name]
    problem = problem_of(loss, y, weighted)
    compiled = name == "Huber, weighted"
    runs = [
        cb.solve(problem, method, 600 if compiled else 250, model_state=state, compile=compiled)
        for state in (cb.engine.WorkingSetState, cb.engine.NaiveState)
    ]
    np.testing.assert_array_equal(runs[0].path.learner, runs[1].path.learner)
    np.testing.assert_allclose(runs[0].beta, runs[1].beta, rtol=0, atol=1e-9)
    assert runs[0].n_gram_columns > 0, "candidates were enough"
    assert runs[0].n_scans < 0.8 * runs[1].n_scans


def test_scans_grow_slower_than_steps():
    """On candidates alone, 9 of 10 of these steps need a scan."""
    problem = cb.Problem(X, NOISY, cb.losses.Huber(1.0))
    scans = [cb.solve(problem, cb.forward_stagewise(0.02), n).n_scans for n in (1_000, 6_000)]
    assert scans[1] < 5.0 * scans[0] < 250


def test_cut_and_resumed_runs_are_the_same(tmp_path):
    problem = problem_of(*CASES["Huber, weighted"][:2], True)
    method = CASES["Huber, weighted"][2]
    whole = cb.solve(problem, method, 700)
    for cut in (150, 333, 420):
        first = cb.solve(problem, method, cut)
        first.save(tmp_path / "run")
        for again in (first.resume(700 - cut), cb.load(tmp_path / "run").resume(700 - cut)):
            assert again.beta.tobytes() == whole.beta.tobytes()
            assert (again.path.learner == whole.path.learner).all()
            assert again.counts == whole.counts


def test_a_plain_python_run_makes_the_same_steps():
    problem = problem_of(*CASES["Huber, weighted"][:2], True)
    runs = [
        cb.solve(
            problem,
            CASES["Huber, weighted"][2],
            400,
            model_state=cb.engine.WorkingSetState,
            compile=compile,
        )
        for compile in (True, False)
    ]
    assert runs[0].n_gram_columns > 0
    np.testing.assert_array_equal(runs[0].path.learner, runs[1].path.learner)
    np.testing.assert_allclose(runs[0].beta, runs[1].beta, rtol=0, atol=1e-12)
