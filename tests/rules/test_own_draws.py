"""Selection rules with their own random draws: of features on trees, of groups and learners on
columns.
"""

import numpy as np
import pytest

import coordboost as cb

RNG = np.random.default_rng(4)
X = RNG.normal(size=(200, 5))
Y = X[:, 0] * X[:, 4] + X[:, 2] + 0.1 * RNG.normal(size=200)
LAW = {(0, 4): 0.7, (1, 2): 0.2, (3, 4): 0.1}
TREES = cb.Problem(cb.data.trees(X, min_samples=5), Y)


class Pairs(cb.rules.Groups):
    """Pairs of features with given probabilities."""

    def draw(self, rng, n_rows, n_learners):
        return np.array([*LAW])[rng.choice(len(LAW), size=n_rows, p=[*LAW.values()])]


class Favourite(cb.rules.RandomSubset):
    """Always draw the last learner."""

    def draw(self, rng, n_rows, n_learners):
        return np.full((n_rows, 1), n_learners - 1)


def test_features_of_trees_are_those_that_were_drawn(tmp_path):
    method = cb.rules.Method("pairs", Pairs(2), cb.rules.FittedStep(0.1))
    run = cb.solve(TREES, method, 400, rng=3)
    used = [set(feature[feature >= 0].tolist()) for feature in run.problem.dictionary.trees.feature]
    assert all(any(one <= set(pair) for pair in LAW) for one in used)
    assert abs(sum(2 in one or 1 in one for one in used) - 80) < 5 * 8
    halves = cb.solve(TREES, method, 150, rng=3).resume(250)
    assert halves.beta.tobytes() == run.beta.tobytes()
    run.save(tmp_path / "the.run")
    assert (
        cb.load(tmp_path / "the.run", method=method).resume(5).beta.tobytes()
        == run.resume(5).beta.tobytes()
    )


def test_an_overridden_draw_is_used():
    """Also on columns, for groups and for learners."""
    problem = cb.Problem(X, Y, groups=[0, 0, 1, 1, 2])
    last = cb.solve(problem, cb.rules.Method("last", Favourite(1), cb.rules.ShrunkenStep(0.5)), 9)
    assert (last.path.learner == 4).all()


@pytest.mark.parametrize("t", [1, 2, 5])
def test_rtgcd_on_trees_draws_features(t):
    run, other = (
        cb.solve(TREES, method, 30, rng=1)
        for method in (cb.rtgcd(t), cb.rtgcd(select=cb.rules.Groups(t)))
    )
    assert (
        run.beta.tobytes()
        == other.beta.tobytes()
        == cb.solve(TREES, cb.rtgcd(t), 10, rng=1).resume(20).beta.tobytes()
    )
    assert (
        max(
            len(set(feature[feature >= 0].tolist()))
            for feature in run.problem.dictionary.trees.feature
        )
        <= t
    )
    with pytest.raises(ValueError, match="6"):
        cb.solve(TREES, cb.rtgcd(6), 1)
