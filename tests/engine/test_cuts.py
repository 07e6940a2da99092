"""A run that was cut and resumed, or went back to an earlier step, is the run that never stopped:
steps, counts and model states.

Two runs are the same if their files are, but for the time that they took: the header has the
counts, the last step at which the model state was built, and all that it was built from.
"""

import numpy as np
import pytest
import snapshots
from run_files import header_of, taken_apart

import coordboost as cb

N_STEPS, MORE = 60, 20


def table(n_samples, n_columns, loss, seed=2):
    """A problem whose target is made by a few of the columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_columns))
    y = X[:, :5].sum(axis=1) + rng.normal(size=n_samples)
    return cb.Problem(X, y, snapshots.LOSSES[loss][0], groups=[j % 4 for j in range(n_columns)])


METHODS = {name: method for name, method in snapshots.METHODS.items() if name != "rgb"} | {
    "forward_stagewise, sequence": cb.forward_stagewise(1 / np.arange(2, N_STEPS + MORE + 2)),
    "rtgcd, weighted": cb.rtgcd(select=cb.rules.Weighted(np.arange(1.0, 51.0))),
    "path_forward_stagewise": cb.path_forward_stagewise(
        0.12, np.linspace(0.4, 3.0, N_STEPS + MORE)
    ),
}
#: Methods on many columns, for which a run takes several model states, and their numbers of steps.
GREEDY = {
    "forward_stagewise": (cb.forward_stagewise(0.01), 700),
    "forward_stagewise, longer steps": (cb.forward_stagewise(0.02), 400),
    "ls_boost, longer steps": (cb.ls_boost(0.1), 200),
    "regularized_forward_stagewise": (cb.regularized_forward_stagewise(0.01, 30.0), 500),
}
STATES = {"chosen": None, **snapshots.STATES}


def contents(run, file, data=False):
    """What a run file holds, without the time."""
    run.save(file, data=data)
    members = taken_apart(file.read_bytes())
    return {
        key: value for key, value in header_of(members).items() if key not in ("seconds", "digest")
    }, members | {"header.npy": b""}


class LateStop:
    """A stop rule that holds from step k on, and is tested at every step."""

    every = 1

    def __init__(self, k):
        self.k = k

    def __call__(self, state):
        return state.k >= self.k


def unlike(problem, method, cuts, n_steps, file, **options):
    """Yield the cuts after which a run of `n_steps` is not the run that was not cut; also some more
    steps after it are compared.
    """
    whole = cb.solve(problem, method, n_steps, **options)
    wanted = contents(whole, file)
    later = contents(whole.resume(MORE), file)
    for i, cut in enumerate(cuts):
        begun = cb.solve(problem, method, cut, **options)
        kind = "in memory"
        if i % 2:
            begun.save(file, data=False)
            begun = cb.load(file, problem, method)
            kind = "from a file"
        again = begun.resume(n_steps - cut)
        if contents(again, file) != wanted or contents(again.resume(MORE), file) != later:
            yield f"cut at {cut}, {kind}"
    back = cb.solve(problem, method, n_steps + MORE, stop=LateStop(n_steps - 3), **options).resume(
        3
    )
    if back.n_steps != n_steps or contents(back, file)[0]["anchor"] != wanted[0]["anchor"]:
        yield "resumed from a step where a rule stopped it"


def fits(problem, method, model_state):
    """Whether a method runs on a model state."""
    try:
        cb.solve(problem, method, 1, model_state=model_state, rng=3)
    except ValueError as error:
        assert any(word in str(error) for word in ("model_state", "needs a smooth", "loss")), error
        return False
    return True


@pytest.mark.usefixtures("in_python")
@pytest.mark.parametrize("loss", ["squared", "huber"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_on_every_model_state(method, loss, tmp_path):
    n_steps = 8 if method == "forward_stepwise" else N_STEPS
    problem = table(20, 50, loss)
    states = {
        name: state for name, state in STATES.items() if fits(problem, METHODS[method], state)
    }
    for name, state in states.items():
        cuts = (1, n_steps // 3)
        assert (
            list(
                unlike(
                    problem,
                    METHODS[method],
                    cuts,
                    n_steps,
                    tmp_path / "run",
                    model_state=state,
                    rng=3,
                )
            )
            == []
        ), name


@pytest.mark.usefixtures("in_python")
@pytest.mark.parametrize("loss", ["squared", "huber"])
@pytest.mark.parametrize("method", GREEDY)
def test_runs_of_several_model_states(method, loss, tmp_path):
    method, n_steps = GREEDY[method]
    n_steps = n_steps if loss == "squared" else n_steps // 7
    assert (
        list(
            unlike(
                table(80, 1000, loss),
                method,
                (0, n_steps // 6, n_steps // 2, n_steps - 1),
                n_steps,
                tmp_path / "run",
            )
        )
        == []
    )


@pytest.mark.parametrize("method", snapshots.TREE_METHODS)
def test_runs_over_trees(method, tmp_path):
    problem = cb.Problem(cb.data.trees(np.nan_to_num(snapshots.T), max_depth=2), snapshots.GROWN_Y)
    whole = cb.solve(problem, snapshots.TREE_METHODS[method], 9, rng=3)
    for cut in (0, 1, 5, 8):
        part = cb.solve(problem, snapshots.TREE_METHODS[method], cut, rng=3)
        part.save(tmp_path / "run")
        for begun in (part, cb.load(tmp_path / "run")):
            again = begun.resume(9 - cut)
            same = contents(again, tmp_path / "run", data=True) == contents(
                whole, tmp_path / "run", data=True
            )
            assert same and again.n_scans == whole.n_scans, cut
