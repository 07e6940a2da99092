"""Exact lookahead on real data: each of 20,000 choices equals the naive state's."""

import gzip

import numpy as np
import pytest
from reference_sets import FOLDER

import coordboost as cb

DATA = FOLDER.parent / "data"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.is_dir(), reason="the real data are not here"),
]


def load(name):
    """X and the target, centred and of unit norm for the squared loss."""
    if name == "a9a":
        from sklearn.datasets import load_svmlight_file

        with gzip.open(DATA / "a9a.svm.gz") as handle:
            return load_svmlight_file(handle, n_features=123)
    if name == "prostate":
        stored = np.load(FOLDER / "prostate.npz")
        return stored["X"], stored["y"]
    stored = np.load(DATA / f"{name}.npz")
    return stored["X"], np.where(stored["y"] > 0, 1.0, -1.0)


@pytest.mark.parametrize("name", ["prostate", "leukemia", "colon-cancer", "a9a"])
@pytest.mark.parametrize(
    "method",
    [cb.forward_stagewise(1e-3), cb.ls_boost(0.01), cb.regularized_forward_stagewise(1e-3, 1.0)],
)
def test_squared_loss(name, method):
    X, y = load(name)
    problem = cb.Problem(X, (y - y.mean()) / np.linalg.norm(y - y.mean()))
    run, explicit = (
        cb.solve(problem, method, 20_000, model_state=kind)
        for kind in (cb.engine.LookaheadState, cb.engine.NaiveState)
    )
    assert (run.path.learner == explicit.path.learner).all()


@pytest.mark.parametrize("name", ["leukemia", "colon-cancer", "a9a"])
@pytest.mark.parametrize(
    "method", [cb.forward_stagewise(1e-2), cb.methods.gcd(cb.rules.ShrunkenStep(0.1))]
)
def test_logistic_loss(name, method):
    problem = cb.Problem(*load(name), cb.losses.Logistic(1e-4))
    run, explicit = (
        cb.solve(problem, method, 20_000, model_state=kind)
        for kind in (cb.engine.WorkingSetState, cb.engine.NaiveState)
    )
    assert (run.path.learner == explicit.path.learner).all()
