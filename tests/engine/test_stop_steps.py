"""A run stops at the first tested step that satisfies the rule, the same on every machine."""

import pickle

import numpy as np
import pytest
from refusal import refused

import coordboost as cb
from coordboost import Problem
from coordboost.engine import Status

RNG = np.random.default_rng(4)
X = RNG.normal(size=(40, 6))
Y = RNG.normal(size=40)
SQUARED = Problem(X, Y)
MANY = RNG.normal(size=(60, 800))
WIDE = Problem(MANY, MANY[:, :40].sum(axis=1) + RNG.normal(size=60))
NEAR = Problem(RNG.normal(size=(30, 400)), RNG.normal(size=30))  # the run changes to Gram columns
LABELS = Problem(X, np.where(Y > 0, 1.0, -1.0), cb.losses.Logistic())
CASES = {
    "CovarianceState": (SQUARED, cb.forward_stagewise(1e-3), cb.engine.CovarianceState),
    "explicit": (SQUARED, cb.forward_stagewise(1e-3), cb.engine.NaiveState),
    "random": (SQUARED, cb.rtgcd(2, step=cb.rules.ShrunkenStep(0.01)), None),
    "lookahead": (WIDE, cb.forward_stagewise(1e-2), cb.engine.LookaheadState),
    "shrinking": (WIDE, cb.regularized_forward_stagewise(0.05, 300.0), None),
    "near interpolation": (NEAR, cb.ls_boost(0.1), None),
    "logistic": (LABELS, cb.ls_boost(0.05), cb.engine.NaiveState),
}
over_cases = pytest.mark.parametrize("name", CASES)
STEPS = 3000


def solve(name, stop=(), n_steps=STEPS, **options):
    problem, method, model_state = CASES[name]
    return cb.solve(problem, method, n_steps, rng=3, model_state=model_state, stop=stop, **options)


def steps_of_tests(n_steps, share):
    """The step numbers at which a rule is tested: they grow by 1 / share; and the last step."""
    steps = [0]
    while steps[-1] < n_steps:
        steps.append(steps[-1] + max(1, steps[-1] // share))
    return [*steps[:-1], n_steps]


def first(name, rule, share, _cache={}):  # noqa: B006
    """The naive answer: test the states in turn; None if none of them satisfies the rule."""
    if name not in _cache:
        _cache[name] = solve(name)
    states = _cache[name].replay(steps_of_tests(STEPS, share))
    return next((state.k for state in states if rule(state)), None)


def same(run, other):
    parts = [
        (r.path.learner.tobytes(), r.path.theta.tobytes(), r.beta.tobytes(), r.n_scans)
        for r in (run, other)
    ]
    return parts[0] == parts[1]


RULES = {
    "0 steps": lambda state: state.k >= 0,
    "1 step": lambda state: state.k >= 1,
    "17 steps": lambda state: state.k >= 17,
    "100 steps": lambda state: state.k >= 100,
    "2999 steps": lambda state: state.k >= 2999,
    "3000 steps": lambda state: state.k >= 3000,
    "never": lambda state: state.k > 3000,
    "loss": lambda state: state.loss <= 0.97 * state.problem.start_loss,
    "gap": cb.engine.GapBelow(0.02, cb.certificates.L1Ball(1.0)),
}


@over_cases
@pytest.mark.parametrize("rule", RULES)
def test_the_first_step_that_satisfies_a_rule(name, rule):
    """The run equals a run of that length, and resumes as if it had never stopped."""
    run = solve(name, RULES[rule])
    expected = first(name, RULES[rule], 4 if rule == "gap" else 16)
    assert run.n_steps == (STEPS if expected is None else expected)
    assert run.status is (Status.COMPLETED if expected is None else Status.STOPPED)
    assert same(run, solve(name, n_steps=run.n_steps))
    assert same(run.resume(50), solve(name, n_steps=run.n_steps + 50))


def test_two_long_runs_stop_at_a_step_of_the_grid():
    run = cb.solve(SQUARED, cb.ls_boost(0.1), 300_000, stop=lambda state: state.k >= 100)
    assert run.n_steps == 103 and run.message == "<lambda> ended the run at step 103"
    states = cb.solve(SQUARED, cb.ls_boost(0.1), 1000).replay(steps_of_tests(1000, 4))
    expected = next(state.k for state in states if cb.engine.GapBelow(1e-3)(state))
    run = cb.solve(SQUARED, cb.ls_boost(0.1), 300_000, stop=cb.engine.GapBelow(1e-3))
    assert run.n_steps == expected < 200
    assert (
        run.message
        == f"GapBelow ended the run at step {expected}: the certified gap is at most 0.001 of the "
        "loss at zero"
    )


@over_cases
@pytest.mark.parametrize("rule", ["loss", "gap"])
def test_the_step_does_not_depend_on_blocks_or_compilation(name, rule):
    expected = solve(name, RULES[rule])
    if name in (
        "CovarianceState",
        "explicit",
        "logistic",
    ):  # the same model state when interpreted, and fast
        assert solve(name, RULES[rule], compile=False).n_steps == expected.n_steps
    assert same(solve(name, RULES[rule], watch=lambda state: None), expected)


@over_cases
def test_the_step_does_not_depend_on_where_the_run_was_cut(name):
    """The run is resumed in pieces, each with the rule, or has another number of steps."""
    expected = solve(name, RULES["loss"])
    run = solve(name, RULES["loss"], n_steps=expected.n_steps // 3)
    run = run.resume(1, stop=RULES["loss"]).resume(STEPS, stop=RULES["loss"])
    assert same(run, expected)
    assert same(run.resume(10, stop=RULES["loss"]), expected)  # the rule is already true
    assert same(solve(name, RULES["loss"], n_steps=10 * STEPS), expected)


@pytest.mark.parametrize(
    "method",
    [cb.agbm(0.5, 0.1), cb.vagbm(0.5), cb.forward_stepwise()],
    ids=lambda method: method.name,
)
@pytest.mark.parametrize("at", [0, 1, 4])
def test_other_coefficient_rules_also_return_to_the_step(method, at):
    run = cb.solve(SQUARED, method, 6, stop=lambda state: state.k >= at, compile=False)
    assert run.n_steps == at and same(run, cb.solve(SQUARED, method, at, compile=False))
    assert same(run.resume(6 - at), cb.solve(SQUARED, method, 6, compile=False))


class Odd:
    """True at odd steps from `start` on; called at multiples of `every`."""

    def __init__(self, start, every):
        self.start, self.every = start, every

    def __call__(self, state):
        return state.k >= self.start and state.k % 2 == 1


@pytest.mark.parametrize("start", [0, 1, 5, 900])
@pytest.mark.parametrize("every", [1, 3, 7, 50])
@pytest.mark.parametrize("begin", [0, 4])
def test_every_calls_a_rule_at_its_multiples_only(start, every, begin):
    asked = []

    class Watched(Odd):
        def __call__(self, state):
            asked.append(state.k)
            return super().__call__(state)

    run = cb.solve(SQUARED, cb.ls_boost(0.01), begin).resume(1000, stop=Watched(start, every))
    multiples = [k for k in range(begin, begin + 1001) if k % every == 0]
    expected = next((k for k in multiples if k >= start and k % 2), begin + 1000)
    assert run.n_steps == expected and asked == [k for k in multiples if k <= expected]


def test_every_in_the_rules_of_the_package():
    rule = cb.engine.GapBelow(1e-3, every=30)
    run = cb.solve(SQUARED, cb.ls_boost(0.1), 10_000, stop=rule)
    states = cb.solve(SQUARED, cb.ls_boost(0.1), 10_000).replay(range(0, 10_000, 30))
    assert run.n_steps == next(state.k for state in states if rule(state))
    assert (
        cb.solve(
            SQUARED, cb.ls_boost(0.5), 10_000, stop=cb.engine.NoProgress(1e-3, every=64)
        ).n_steps
        % 64
        == 0
    )
    refused(
        lambda: cb.solve(SQUARED, cb.ls_boost(), 10, stop=cb.engine.GapBelow(1e-3, every=0)),
        "every must be",
    )


@pytest.mark.parametrize("name", ["CovarianceState", "explicit", "lookahead"])
def test_a_rule_that_comes_and_goes_stops_at_the_first_test_at_which_it_holds(name):
    def rule(state):
        return state.k > 200 and (state.k // 40) % 2 == 1

    run = solve(name, rule)
    assert run.n_steps == first(name, rule, 16)
    assert same(run, solve(name, rule, watch=lambda state: None))


@over_cases
@pytest.mark.parametrize("cut", [1, 100, 1234])
def test_a_resumed_run_is_tested_at_the_same_steps(name, cut):
    asked = []
    whole = solve(name, lambda state: asked.append(state.k))
    assert asked == steps_of_tests(STEPS, 16)
    asked.clear()
    run = solve(name, n_steps=cut).resume(STEPS - cut, stop=lambda state: asked.append(state.k))
    assert asked == [k for k in steps_of_tests(STEPS, 16) if k >= cut] and same(run, whole)


@pytest.mark.parametrize("order", [1, -1])
def test_of_several_rules_the_earliest_step_counts(order):
    def by(n):
        def rule(state):
            return state.k >= n

        rule.__name__ = f"by_{n}"
        return rule

    rules = [
        by(700),
        cb.engine.GapBelow(0.0),
        by(40),
        cb.engine.TimeLimit(100.0),
        Odd(41, 1),
        by(41),
    ][::order]
    run = cb.solve(SQUARED, cb.ls_boost(1e-4), 100_000, stop=rules)
    assert run.n_steps == 40 and run.message == "by_40 ended the run at step 40"
    run = cb.solve(SQUARED, cb.ls_boost(1e-4), 100_000, stop=[by(41), Odd(41, 1)][::order])
    assert run.n_steps == 41 and run.message == "Odd ended the run at step 41"


@pytest.mark.parametrize("name", ["explicit", "lookahead"])
def test_when_a_rule_is_evaluated(name):
    """After each of the first 32 steps, then at intervals of a sixteenth of the step number; a rule
    that scans after each of the first 8 steps, then at intervals of a fourth.
    """

    class Scanning:
        scans = True

        def __call__(self, state):
            asked.append(state.k)

    asked = []
    solve(name, lambda state: asked.append(state.k), n_steps=300)
    assert asked[:35] == [*range(33), 34, 36] and asked == steps_of_tests(300, 16)
    asked.clear()
    solve(name, Scanning(), n_steps=300)
    assert asked[:12] == [*range(9), 10, 12, 15] and asked == steps_of_tests(300, 4)


def test_a_rule_with_every_is_not_tested_at_another_last_step():
    rule = Odd(0, 4)
    assert cb.solve(SQUARED, cb.ls_boost(0.1), 7, stop=rule).status is Status.COMPLETED


def test_watch_sees_only_steps_that_are_kept():
    seen = []
    run = cb.solve(
        SQUARED,
        cb.ls_boost(1e-4),
        10**6,
        stop=lambda s: s.k >= 5000,
        watch=lambda s: seen.append(s.k),
    )
    assert run.n_steps == seen[-1] and seen == sorted(set(seen))
    assert 5000 <= run.n_steps <= 5000 + 5000 // 16


def test_a_run_holds_no_state_of_the_engine():
    """The Gram matrix of 500 learners takes 2 MB; a run adds only its path to its problem."""
    problem = Problem(RNG.normal(size=(50, 500)), RNG.normal(size=50))
    run = cb.solve(problem, cb.ls_boost(), 100, model_state=cb.engine.CovarianceState)
    assert len(pickle.dumps(run)) < len(pickle.dumps(problem)) + 100 * 3 * 8 + 500 * 8 + 5000
    back = pickle.loads(pickle.dumps(run))
    assert same(back, run) and same(back.resume(10), run.resume(10))
