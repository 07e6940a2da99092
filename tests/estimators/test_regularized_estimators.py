"""The estimators of regularised boosting: scikit-learn's checks, the underlying run, and refused
arguments.
"""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import coordboost as cb

RNG = np.random.default_rng(5)
X = RNG.normal(size=(120, 4)).round(1)
Y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * RNG.normal(size=120)
QUICK = {"n_estimators": 6, "learning_rate": 0.5, "nodes": (1, 3), "min_samples_leaf": 1}


@parametrize_with_checks(
    [cb.RegularizedGBMRegressor(**QUICK), cb.RegularizedGBMClassifier(**QUICK)]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_the_model_is_the_run():
    model = cb.RegularizedGBMRegressor(
        n_estimators=10, penalty=0.03, random_state=1, min_samples_leaf=3
    ).fit(X, Y)
    problem = cb.Problem(
        cb.data.tree_families(X, nodes=model.nodes, bounds=(1.0,), min_samples=3), Y
    )
    run = cb.solve(problem, cb.rgb(0.03, None, cb.rules.ShrunkenStep(0.1)), 10)
    assert (model.predict(X) == run.predict(X)).all() and str(model.family_summary_) == str(
        cb.engine.family_summary(run)
    )
    assert (
        next(run.replay([10])).beta == model.run_.beta
    ).all() and model.family_summary_.steps.sum() == 10


def test_a_larger_penalty_makes_smaller_trees():
    splits = [
        cb.RegularizedGBMRegressor(penalty=penalty, n_estimators=20).fit(X, Y).family_summary_
        for penalty in (0.0, 0.02, 1.0)
    ]
    sizes = [account.steps @ account.nodes for account in splits]
    assert sizes[0] > sizes[1] > sizes[2] == 20


@pytest.mark.parametrize(
    "settings, says",
    [
        ({"penalty": -1.0}, "penalty must be"),
        ({"power": 3}, "power must be 2"),
        ({"nodes": ()}, "must not be empty"),
        ({"n_candidates": 0}, "n_candidates must be"),
    ],
)
def test_bad_parameters_are_refused(settings, says):
    with pytest.raises(ValueError, match=says):
        cb.RegularizedGBMRegressor(**settings).fit(X, Y)


@pytest.mark.parametrize("name", ["max_depth", "max_leaf_nodes"])
def test_the_number_of_splits_limits_trees(name):
    with pytest.raises(TypeError, match=f"no parameter '{name}': nodes does that here"):
        cb.RegularizedGBMRegressor(**{name: 3})
