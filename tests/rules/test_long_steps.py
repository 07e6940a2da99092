"""A warning when steps of forward stagewise are longer than any possible gain, and only then; other
early ends give no such advice.
"""

import json
import signal
import warnings

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import coordboost as cb
from coordboost.reporting.cli import main

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 5))
Y = 3 * X[:, 0] - X[:, 1] + RNG.normal(size=60)


def told(problem, method, n_steps=3):
    """The warnings of a run."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cb.solve(problem, method, n_steps, compile=False)
    return [
        str(warning.message) for warning in caught if warning.category is cb.engine.LongStepWarning
    ]


def test_a_too_long_eps_is_warned_of():
    problem = cb.Problem(X, Y)
    (words,) = told(problem, cb.forward_stagewise(1e6))
    best = problem.start_size
    assert words == (
        "eps = 1e+06 is too long: no step of that length lowers the loss, as the best first step "
        f"has at most length {best:.3g}; the path oscillates. Try eps={best / 100:.1g}."
    )
    losses = [state.loss for state in cb.iterate(problem, cb.forward_stagewise(1e6), 10)]
    assert min(losses[1:]) >= losses[0] * (1 - 1e-12)
    with pytest.warns(cb.engine.LongStepWarning, match="no step of that length") as said:
        cb.ForwardStagewiseRegressor(eps=1e6, n_steps=5).fit(X, Y)
    assert len(said) == 1


MADE = {
    "FS": cb.forward_stagewise,
    "R-FS": lambda eps: cb.regularized_forward_stagewise(eps, 4 * eps),
    "PATH-R-FS": lambda eps: cb.path_forward_stagewise(eps, np.linspace(eps, 9 * eps, 10)),
}
LOSSES = {
    "squared": cb.losses.Squared(),
    "Huber": cb.losses.Huber(1.0),
    "logistic": cb.losses.Logistic(),
    "exponential": cb.losses.Exponential(),
    "Poisson": cb.losses.Poisson(),
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", MADE)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 999), power=st.floats(-3, 4))
def test_the_warning_comes_exactly_when_the_first_step_raises_the_loss(name, loss, seed, power):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 3))
    y = rng.normal(size=20)
    y = (
        np.where(np.arange(20) % 2, 1.0, -1.0)
        if loss in ("logistic", "exponential")
        else np.round(np.exp(y))
        if loss == "Poisson"
        else y
    )
    problem = cb.Problem(X, y, LOSSES[loss])
    eps = float(problem.start_size * 10.0**power)
    first = problem.combine(
        np.eye(3)[np.argmax(np.abs(problem.scan(problem.resid(0.0 * problem.y))))]
    )
    with np.errstate(over="ignore"):
        after = min(problem.value(sign * eps * first) for sign in (-1, 1))
        said = told(problem, MADE[name](eps))
    if abs(after - problem.start_loss) > 1e-6 * abs(problem.start_loss):
        assert bool(said) == (after > problem.start_loss)
    assert not said or ("no step of that length" in said[0]) == (loss == "squared")


def test_other_methods_and_short_runs_do_not_warn():
    problem = cb.Problem(X, Y)
    falling = cb.forward_stagewise(1e6 / (1.0 + np.arange(10)))
    for method in (
        falling,
        cb.ls_boost(1.9),
        cb.methods.frank_wolfe(1e6, step=0.5),
        cb.methods.gcd(),
        cb.forward_stepwise(),
    ):
        assert told(problem, method) == []
    assert told(problem, cb.forward_stagewise(1e6), 0) == []


def test_the_command_line_warns_once(tmp_path, monkeypatch):
    """By one hint, which names the eps; the exit code says that the constant model is better."""
    monkeypatch.chdir(tmp_path)
    np.savetxt("t.csv", np.column_stack([X, Y]), delimiter=",", header="a,b,c,d,e,y", comments="")
    result = CliRunner().invoke(
        main,
        ["fit", "t.csv", "--method", "forward_stagewise", "--eps", "1e6", "--steps", "5", "--json"],
    )
    assert result.exit_code == 1 and result.stderr == ""
    (hint,) = json.loads(result.stdout)["text"]
    assert hint.startswith("eps = 1e+06 is too long: no step") and hint.endswith("Try --eps 0.2.")


@pytest.mark.parametrize(
    "cls", [cb.RandomizedGBMRegressor, cb.AcceleratedGBMRegressor, cb.RegularizedGBMRegressor]
)
def test_an_interrupted_fit_does_not_advise_a_smaller_learning_rate(cls, monkeypatch):
    """An interrupted fit raises KeyboardInterrupt, without a warning."""
    monkeypatch.setattr(
        "coordboost.estimators.monitoring.EarlyStopping.__call__",
        lambda *_: signal.raise_signal(signal.SIGINT),
    )
    # a background job starts with SIGINT ignored
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            # warnings are errors
            cls(n_estimators=50, min_samples_leaf=2, early_stopping=True).fit(X, Y)
    finally:
        signal.signal(signal.SIGINT, before)
