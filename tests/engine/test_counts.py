"""Scans of a run are counted once: cutting, saving, loading or stopping a run does not change their
number.
"""

import numpy as np
import pytest

import coordboost as cb

RNG = np.random.default_rng(41)
X = RNG.normal(size=(30, 200))
PROBLEM = cb.Problem(
    X, X[:, :5] @ RNG.normal(size=5) + RNG.normal(size=30), groups=np.arange(200) % 7
)
CASES = {
    "explicit": (cb.ls_boost(0.1), cb.engine.NaiveState),
    "CovarianceState": (cb.ls_boost(0.1), cb.engine.CovarianceState),
    "lookahead": (cb.forward_stagewise(0.05), None),
    "long steps": (cb.ls_boost(1.0), None),
    "subsets": (cb.rtgcd(3), cb.engine.NaiveState),
    "groups": (cb.rtgcd(select=cb.rules.Groups(2)), cb.engine.CovarianceState),
}


def test_a_state_on_the_data_computes_no_gram_columns():
    run = cb.solve(PROBLEM, cb.ls_boost(0.1), 9, model_state=cb.engine.NaiveState)
    assert run.n_gram_columns == 0 and run.resume(3).n_gram_columns == 0 and run.n_scans == 9


@pytest.mark.parametrize("name", CASES)
def test_scans_are_counted_once(name, tmp_path):
    method, model_state = CASES[name]
    options = {"model_state": model_state, "rng": 3}
    whole = cb.solve(PROBLEM, method, 90, **options)
    part = cb.solve(PROBLEM, method, 30, **options)
    part.save(tmp_path / "part.run")
    stopped = cb.solve(
        PROBLEM,
        method,
        90,
        stop=lambda state: state.k >= 59,  # evaluated at steps 57 and 60
        **options,
    )
    short = cb.solve(PROBLEM, method, stopped.n_steps, **options)
    loaded = cb.load(tmp_path / "part.run")
    assert (
        0 < part.n_scans <= whole.n_scans
        and part.n_scans == loaded.n_scans
        and stopped.n_scans == short.n_scans
    )
    for run in (
        part.resume(25).resume(35),
        part.resume(0).resume(60),
        loaded.resume(60),
        stopped.resume(90 - stopped.n_steps),
    ):
        assert run.n_scans == whole.n_scans and run.beta.tobytes() == whole.beta.tobytes()


def test_scans_of_the_naive_state_by_hand():
    """A greedy step scans all learners, a step with a subset three of 200."""
    assert cb.solve(PROBLEM, cb.ls_boost(0.1), 50, model_state=cb.engine.NaiveState).n_scans == 50
    assert cb.solve(PROBLEM, cb.forward_stepwise(), 9).n_scans == 9
    assert cb.solve(
        PROBLEM, cb.rtgcd(3), 50, model_state=cb.engine.NaiveState
    ).n_scans == pytest.approx(50 * 3 / 200, rel=1e-14)
    assert (
        cb.solve(PROBLEM, cb.ls_boost(0.1), 50, model_state=cb.engine.CovarianceState).n_scans == 1
    )


def test_a_rule_counts_the_learners_that_it_scans():
    """All learners of the drawn groups; one learner for a cyclic rule; all learners for
    probabilities from correlations.
    """
    naive = {"model_state": cb.engine.NaiveState, "rng": 3}
    size = np.bincount(np.arange(200) % 7)
    groups = cb.solve(PROBLEM, cb.rtgcd(select=cb.rules.Groups(2)), 70, **naive)
    assert size.min() * 140 / 200 <= groups.n_scans <= size.max() * 140 / 200
    cyclic = cb.rules.Method("cyclic", cb.rules.Cyclic(), cb.rules.LineSearch())
    assert cb.solve(PROBLEM, cyclic, 50, **naive).n_scans == pytest.approx(50 / 200, rel=1e-14)
    assert cb.solve(PROBLEM, cb.sgb(0.1, select=cb.rules.Softmax(1.0)), 9).n_scans == 9
