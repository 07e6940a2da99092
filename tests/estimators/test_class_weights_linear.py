"""Class weights of linear classifiers: those of the rows times them, and as in scikit-learn."""

import warnings

import numpy as np
import pytest
from refusal import refused
from sklearn.linear_model import LogisticRegression

import coordboost as cb

RNG = np.random.default_rng(11)
N = 90
X = RNG.normal(size=(N, 4))
F = X @ [1.0, -1.0, 0.5, 0.0] + RNG.normal(size=N)
TWO = np.where(F > 0.8, "rare", "usual")
THREE = np.array(["a", "b", "c"])[np.digitize(F, [-1.0, 1.5])]
WEIGHT = RNG.uniform(0.3, 3, N)
CV = {"cv": 3, "n_alphas": 5, "eps": 0.05}
MODELS = [
    cb.CertifiedLassoClassifier(alpha=0.02, tol=1e-9),
    cb.CertifiedLassoClassifier(alpha=0.02, multinomial=True),
    cb.CertifiedLassoClassifierCV(**CV),
    cb.CertifiedLassoClassifierCV(scoring="balanced_accuracy", **CV),
    cb.ForwardStagewiseClassifier(n_steps=50),
    cb.ForwardStagewiseClassifierCV(n_steps=50, cv=3),
]
each = pytest.mark.parametrize("model", MODELS, ids=repr)


def quietly(fit, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit(*args)


@each
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_they_multiply_the_weights_of_rows(model, y):
    names = np.unique(y).tolist()
    given = dict(zip(names, [2.0, 0.5, 1.5], strict=False))
    balanced = {name: WEIGHT.sum() / (len(names) * WEIGHT[y == name].sum()) for name in names}
    for class_weight, by_class in ((given, given), ("balanced", balanced), ({names[0]: 3.0}, None)):
        by_class = by_class or {name: class_weight.get(name, 1.0) for name in names}
        params = model.get_params()
        ours = type(model)(**params | {"class_weight": class_weight})
        quietly(ours.fit, X, y, WEIGHT)
        by_hand = type(model)(**params)
        quietly(by_hand.fit, X, y, WEIGHT * np.array([by_class[name] for name in y]))
        np.testing.assert_allclose(ours.coef_, by_hand.coef_, rtol=1e-7, atol=1e-10)
        np.testing.assert_allclose(ours.intercept_, by_hand.intercept_, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("class_weight", ["balanced", {"rare": 3.0}])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weights"])
def test_as_in_scikit_learn(class_weight, weight):
    model = cb.CertifiedLassoClassifier(alpha=0.02, tol=1e-11, class_weight=class_weight)
    model.fit(X, TWO, weight)
    total = model.path_.problem.total_weight
    theirs = LogisticRegression(
        l1_ratio=1,
        C=1 / (0.02 * total),
        solver="saga",
        tol=1e-10,
        max_iter=100_000,
        class_weight=class_weight,
    ).fit(X, TWO, weight)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(model.intercept_, theirs.intercept_, atol=1e-4)


def test_a_row_twice_is_a_row_of_weight_two():
    """Balanced weights are of sums of weights, not of numbers of rows."""
    twice = RNG.integers(1, 3, N)
    model = cb.CertifiedLassoClassifier(alpha=0.02, tol=1e-10, class_weight="balanced")
    weighted = model.fit(X, TWO, twice).coef_
    repeated = model.fit(np.repeat(X, twice, axis=0), np.repeat(TWO, twice)).coef_
    np.testing.assert_allclose(weighted, repeated, atol=1e-4)


@each
def test_bad_class_weights_are_refused(model):
    for bad in ("auto", [1], {"rare": -1.0}, {"rare": np.nan}, {"zz": 1}):
        changed = type(model)(**model.get_params() | {"class_weight": bad})
        refused(lambda changed=changed: changed.fit(X, TWO), "class_weight")
