"""The result of a run: replayed, resumed, saved and loaded, always bit for bit the same.

The steps tested are next to the boundaries of the engine: a chunk of random draws is 4096 steps;
every 65536 steps the state is recomputed, which is tested in compiled code only.
"""

import itertools
from collections import namedtuple

import numba
import numpy as np
import pytest
from refusal import refused

import coordboost as cb
from coordboost import Problem

RNG = np.random.default_rng(5)
M, N = 40, 7
X = RNG.normal(size=(M, N))
Y = 3 * RNG.normal(size=M)
SIGNS = np.where(Y > 0, 1.0, -1.0)
GROUPS = [0, 0, 1, 1, 2, 2, 2]
SEAM = 5000 if numba.config.DISABLE_JIT else 65_536
LONG = SEAM + 500
SEAMS = [0, 1, 16, 17, 4095, 4096, 4097, SEAM - 1, SEAM, SEAM + 1, LONG]


def squared(X=X):
    return Problem(X, Y, groups=GROUPS)


def other(loss):
    return Problem(X, SIGNS, loss, groups=GROUPS, sample_weight=np.linspace(0.5, 1.5, M))


GROWING = np.geomspace(0.5, 6.0, LONG)
MANY = RNG.normal(size=(60, 800))
# too many learners to follow all of them
WIDE = Problem(MANY, MANY[:, :40].sum(axis=1) + RNG.normal(size=60))
CASES = {
    "LS-Boost, Gram": (squared(), cb.ls_boost(0.01), cb.engine.CovarianceState),
    "R-FS, Gram": (
        squared(),
        cb.regularized_forward_stagewise(0.01, 3.0),
        cb.engine.CovarianceState,
    ),
    "PATH": (squared(), cb.path_forward_stagewise(0.01, GROWING), cb.engine.CovarianceState),
    "Frank-Wolfe, search": (
        squared(),
        cb.methods.frank_wolfe(3.0, cb.rules.SegmentSearch(3.0)),
        cb.engine.NaiveState,
    ),
    "RtGCD(2), explicit": (
        squared(),
        cb.rtgcd(2, step=cb.rules.ShrunkenStep(0.01)),
        cb.engine.NaiveState,
    ),
    "Lasso, random": (
        squared(),
        cb.methods.lasso_cd(0.5, cb.rules.RandomSubset(2)),
        cb.engine.CovarianceState,
    ),
    "LS-Boost, wide": (WIDE, cb.ls_boost(0.003), None),
    "R-FS, wide": (WIDE, cb.regularized_forward_stagewise(0.05, 300.0), None),
    "groups, logistic": (
        other(cb.losses.Logistic(0.1)),
        cb.rtgcd(select=cb.rules.Groups(2), step=cb.rules.ShrunkenStep(0.02)),
        cb.engine.NaiveState,
    ),
}
over_cases = pytest.mark.parametrize("name", CASES)


def long_run(name, n_steps=LONG, _cache={}):  # noqa: B006
    """The run of a case, cached."""
    if (name, n_steps) not in _cache:
        problem, method, model_state = CASES[name]
        _cache[name, n_steps] = cb.solve(problem, method, n_steps, rng=3, model_state=model_state)
    return _cache[name, n_steps]


def bits(run):
    return [
        part.tobytes()
        for part in (
            run.path.learner,
            run.path.shrink,
            run.path.theta,
            run.beta,
            run.pred,
            run.coef,
        )
    ]


def same(run, expected):
    return bits(run) == bits(expected) and (run.n_steps, run.n_scans, run.seed) == (
        expected.n_steps,
        expected.n_scans,
        expected.seed,
    )


@over_cases
def test_replay_equals_fresh_runs_at_every_seam(name):
    run = long_run(name)
    assert run.n_steps == len(run.path) == LONG and run.status is cb.engine.Status.COMPLETED
    states = list(run.replay(SEAMS))
    assert [state.k for state in states] == SEAMS
    for state in states:
        fresh = long_run(name, state.k)
        assert state.beta.tobytes() == fresh.beta.tobytes()
        assert (state.loss, state.l1) == (fresh.final.loss, fresh.final.l1)
        assert fresh.path.learner.tobytes() == run.path.learner[: state.k].tobytes()


@over_cases
def test_iterate_yields_the_same_states(name):
    problem, method, model_state = CASES[name]
    states = list(cb.iterate(problem, method, 5000, every=1666, rng=3, model_state=model_state))
    assert [state.k for state in states] == [0, 1666, 3332, 4998, 5000]
    for state, again in zip(
        states, long_run(name).replay(state.k for state in states), strict=True
    ):
        assert state.beta.tobytes() == again.beta.tobytes()


@over_cases
@pytest.mark.parametrize("split", [0, 1, 4095, 4097, SEAM - 1, SEAM + 1])
def test_resume_equals_uninterrupted(name, split):
    assert same(long_run(name, split).resume(LONG - split), long_run(name))


@over_cases
def test_resume_in_many_odd_pieces(name):
    run = long_run(name, 0)
    for n_steps in (1, 2, 13, 0, 4079, 1, 1, SEAM - 4097, 1, 499):
        run = run.resume(n_steps)
    assert same(run, long_run(name))


@pytest.mark.parametrize("split", range(6))
def test_forward_stepwise_resumes(split):
    """Its model state holds a basis as well as predictions; the basis must be rebuilt."""
    whole = cb.solve(squared(), cb.forward_stepwise(), 6)
    parts = cb.solve(squared(), cb.forward_stepwise(), split).resume(6 - split)
    assert bits(parts) == bits(whole)
    assert len(set(whole.path.learner.tolist())) == 6
    for state, again in zip(
        cb.iterate(squared(), cb.forward_stepwise(), 6), whole.replay(range(7)), strict=True
    ):
        assert state.beta.tobytes() == again.beta.tobytes() and len(state.support) == state.k


@over_cases
def test_a_loaded_run_is_the_saved_one(name, tmp_path):
    run = long_run(name, 4097)
    run.save(tmp_path / "with")
    run.save(tmp_path / "without", data=False)
    for loaded in (cb.load(tmp_path / "with"), cb.load(tmp_path / "without", run.problem)):
        assert same(loaded, run)
        assert (loaded.status, loaded.message, loaded.seconds) == (
            run.status,
            run.message,
            run.seconds,
        )
        assert loaded.model_state is run.model_state
        assert (
            repr(loaded.method.target) == repr(run.method.target)
            and loaded.method.name == run.method.name
        )
        assert (
            loaded.final.loss == run.final.loss
            and loaded.final.certificate() == run.final.certificate()
        )
        assert [s.beta.tobytes() for s in loaded.replay([5, 4096])] == [
            s.beta.tobytes() for s in run.replay([5, 4096])
        ]
        assert same(loaded.resume(1000), run.resume(1000))
    assert (tmp_path / "without").stat().st_size < (tmp_path / "with").stat().st_size


def test_a_loaded_problem_is_complete(tmp_path):
    wide = np.column_stack([X, np.ones(M)])
    with pytest.warns(cb.data.ConstantColumnWarning):
        problem = Problem(
            wide,
            Y,
            cb.losses.Huber(0.5),
            feature_names=list("abcdefgh"),
            sample_weight=np.linspace(0, 1, M),
        )
    run = cb.solve(problem, cb.methods.gcd(), 30)
    run.save(tmp_path / "run")
    back = cb.load(tmp_path / "run")
    assert (
        back.problem.loss == problem.loss
        and back.problem.feature_names == list("abcdefg")
        and back.problem.dropped == ["h"]
    )
    assert (
        back.predict(wide).tobytes() == run.predict(wide).tobytes()
        and back.coef.tobytes() == run.coef.tobytes()
    )
    assert cb.certify(back.problem, back.beta, cb.certificates.L1Penalty(1.0)) == cb.certify(
        problem, run.beta, cb.certificates.L1Penalty(1.0)
    )


class Halving(namedtuple("Halving", ""), cb.rules.StepRule):
    """A user's step rule: theta = corr / 2."""

    def move(self, k, state, j, corr, beta_j):
        return 0, corr / 2


class Cubed(namedtuple("Cubed", ""), cb.losses.Loss):
    """A user's loss: abs(y - f)^3 / 3."""

    def value(self, y, f):
        return abs(y - f) ** 3 / 3

    def residual(self, y, f):
        return (y - f) * abs(y - f)


@pytest.mark.parametrize("name", ["my own", "ls_boost", "gcd"])
def test_a_method_of_the_users_own_must_be_given_again(name, tmp_path):
    """Also under the name of a method of the package."""
    method = cb.rules.Method(name, cb.rules.Greedy(), Halving())
    run = cb.solve(squared(), method, 50)
    assert run.beta.tobytes() == cb.solve(squared(), cb.ls_boost(0.5), 50).beta.tobytes()
    run.save(tmp_path / "run")
    refused(lambda: cb.load(tmp_path / "run"), "pass it: load(file, method=...)")
    loaded = cb.load(tmp_path / "run", method=method)
    assert same(loaded, run) and same(loaded.resume(50), run.resume(50))


def test_a_loss_of_the_users_own_is_not_saved(tmp_path):
    problem = Problem(X, Y, Cubed(), center=False)
    run = cb.solve(problem, cb.methods.gcd(cb.rules.LineSearch()), 30, compile=False)
    sentence = refused(lambda: run.save(tmp_path / "run"), "a Cubed, is not part of coordboost")
    assert (
        "the loss of this run" in sentence
        and "save(file, data=False)" in sentence
        and "load(file, problem)" in sentence
    )
    run.save(tmp_path / "run", data=False)
    assert same(cb.load(tmp_path / "run", problem), run)


def test_a_run_refuses_other_data_of_the_same_shape(tmp_path):
    """The recorded steps give the saved coefficients on any data, so the data themselves must be
    compared.
    """
    cb.solve(squared(), cb.ls_boost(), 30).save(tmp_path / "run", data=False)
    refused(lambda: cb.load(tmp_path / "run", Problem(X, -Y)), "problem")


def test_a_run_without_steps(tmp_path):
    run = cb.solve(squared(), cb.methods.rcd(), 0)
    assert (run.n_steps, run.status) == (0, cb.engine.Status.COMPLETED)
    assert not run.beta.any() and run.final.loss == pytest.approx(np.sum((Y - Y.mean()) ** 2) / 2)
    run.save(tmp_path / "run")
    assert same(cb.load(tmp_path / "run").resume(9), cb.solve(squared(), cb.methods.rcd(), 9))


def test_a_path_equals_itself_only():
    """Comparing its arrays entry by entry would have no single truth value."""
    one, other = (cb.solve(squared(), cb.methods.rcd(), 3, rng=0).path for _ in range(2))
    assert one == one and one != other and len({one, other}) == 2


def test_results_are_copies():
    """Writing into returned arrays changes no other result."""
    run = cb.solve(squared(), cb.ls_boost(), 20)
    expected = bits(run)
    for state in itertools.islice(cb.iterate(squared(), cb.ls_boost(), 20), 5):
        state.beta[:] = 7
    for part in (run.beta.copy(), run.coef, next(run.replay([3])).beta):
        part[:] = 7
    assert bits(run) == expected and bits(cb.solve(squared(), cb.ls_boost(), 20)) == expected
    assert np.array_equal(run.resume(1).path.theta[:20], run.path.theta)
