"""Linear estimators that choose a point on their path."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LassoCV, LassoLarsIC
from sklearn.model_selection import KFold
from test_linear_estimators import CHOOSING, MANY, X, Y, target

import coordboost as cb

choosing = pytest.mark.parametrize("model", CHOOSING, ids=lambda model: type(model).__name__)


def test_the_penalty_is_that_of_scikit_learns_cross_validation():
    folds = list(KFold(4, shuffle=True, random_state=0).split(X))
    ours = cb.CertifiedLassoCV(cv=folds, n_alphas=50, tol=1e-9).fit(X, Y)
    theirs = LassoCV(cv=folds, alphas=ours.path_.alphas, tol=1e-10, max_iter=100_000).fit(X, Y)
    assert ours.alpha_ == theirs.alpha_
    np.testing.assert_allclose(2 * ours.cross_validation_.losses, theirs.mse_path_.T, rtol=1e-4)
    np.testing.assert_array_equal(ours.coef_, ours.path_.coef_at(alpha=ours.alpha_))
    simple = cb.CertifiedLassoCV(cv=folds, n_alphas=50, rule="one_se", tol=1e-9).fit(X, Y)
    assert simple.alpha_ > ours.alpha_ and np.count_nonzero(simple.coef_) <= np.count_nonzero(
        ours.coef_
    )


@pytest.mark.parametrize(
    "kind",
    [cb.CertifiedLassoCV, cb.CertifiedElasticNetCV, cb.LSBoostRegressorCV],
    ids=lambda kind: kind.__name__,
)
@pytest.mark.parametrize("rule", ["aic", "bic", "cp"])
def test_criteria_estimate_the_noise_with_and_without_an_intercept(kind, rule):
    """RSS / (n - rank - 1) of least squares with an intercept, RSS / (n - rank) without; rows of
    weight 0 do not count.
    """
    rng = np.random.default_rng(4)
    X = rng.normal(size=(9, 5))
    weight = np.r_[np.ones(8), 0.0]
    y = X[:, 0] + rng.normal(size=9)
    for intercept in (True, False):
        columns = np.column_stack([X, np.ones(9)] if intercept else [X])[:8]
        rss = np.square(y[:8] - columns @ np.linalg.lstsq(columns, y[:8])[0]).sum()
        model = kind(rule=rule, fit_intercept=intercept).fit(X, y, weight)
        told = kind(
            rule=rule, fit_intercept=intercept, noise_variance=rss / (8 - columns.shape[1])
        ).fit(X, y, weight)
        np.testing.assert_allclose(model.criterion_, told.criterion_, rtol=1e-9)


def test_criteria():
    variance = 1.3
    for rule, cost in (("aic", 2.0), ("bic", np.log(90)), ("cp", 2.0)):
        model = cb.CertifiedLassoCV(rule=rule, noise_variance=variance, n_alphas=30).fit(X, Y)
        path = model.path_
        squares = ((Y[:, None] - X @ path.coefs - path.intercepts) ** 2).sum(axis=0)
        by_hand = squares / variance + cost * np.count_nonzero(path.coefs, axis=0)
        np.testing.assert_allclose(model.criterion_, by_hand, rtol=1e-9)
        assert model.alpha_ == path.alphas[by_hand.argmin()]
    np.testing.assert_array_equal(
        model.coef_,
        cb.CertifiedLassoCV(rule="aic", noise_variance=variance, n_alphas=30).fit(X, Y).coef_,
    )
    boosted = cb.LSBoostRegressorCV(rule="cp", n_steps=200).fit(X, Y)
    assert 0 < boosted.place_.step < 200
    again = boosted.run_.degrees_of_freedom()
    assert len(boosted.criterion_) == 201 and (np.diff(again) > 0).all()


@choosing
def test_the_number_of_threads_changes_nothing(model):
    one, two = (clone(model).set_params(n_jobs=n).fit(X, target(model)) for n in (1, 2))
    np.testing.assert_array_equal(one.coef_, two.coef_)
    seen, again = (np.ravel(fitted.cross_validation_)[0] for fitted in (one, two))
    np.testing.assert_array_equal(seen.losses, again.losses)


def test_radius_and_steps_are_chosen_together():
    model = cb.RegularizedForwardStagewiseRegressorCV(n_steps=150, n_deltas=3, cv=3).fit(X, Y)
    seen = model.cross_validation_
    assert seen.losses.shape == (3, 3 * 151)
    k, step = divmod(seen.best, 151)
    assert model.place_ == cb.lasso.PathPoint(step=step) and model.run_.method.parameters[
        "delta"
    ] == pytest.approx(
        cb.solve(
            model.run_.problem, cb.forward_stagewise(model.run_.method.parameters["eps"]), 150
        ).final.l1
        * (k + 1)
        / 3
    )
    ratios = cb.CertifiedElasticNetCV(l1_ratio=[0.2, 1.0], **MANY).fit(X, Y)
    assert ratios.path_.l1_ratio in (0.2, 1.0) and ratios.cross_validation_.losses.shape == (3, 10)
    for chosen in (model, ratios):  # three folds, built once for all paths
        assert len({id(path.problem) for path in chosen.cross_validation_.paths}) == 3


def test_attributes_of_other_rules_are_refused():
    with pytest.raises(AttributeError, match="is cross-validation: see cross_validation_"):
        cb.CertifiedLassoCV(**MANY).fit(X, Y).criterion_  # noqa: B018
    with pytest.raises(AttributeError, match="needs no rows held out: see criterion_"):
        cb.CertifiedLassoCV(rule="bic").fit(X, Y).cross_validation_  # noqa: B018


def test_folds_without_a_class_are_refused_with_its_name():
    """A class with a single row is missing from the fold that holds it out: the error names the
    class, before any path is computed.
    """
    X = np.random.default_rng(2).normal(size=(12, 3))
    y = np.array(["a"] * 6 + ["b"] * 5 + ["c"])
    for labels, weight in ((y, None), (np.where(y == "c", "b", y), [1] * 6 + [0] * 5 + [1])):
        name = "c" if weight is None else "b"
        for cv in (3, KFold(3, shuffle=True, random_state=0)):
            with pytest.raises(
                ValueError,
                match=rf"^fold [123] of 3 holds out all 1 row\(s\) of the class '{name}': "
                r"give it two ",
            ):
                cb.CertifiedLassoClassifierCV(cv=cv).fit(X, labels, sample_weight=weight)


@pytest.mark.parametrize("rule", ["aic", "bic"])
def test_a_criterion_finds_the_minimum_of_the_exact_path(rule):
    """It is at a knot, as scikit-learn's ``LassoLarsIC`` finds it, however early the grid ends."""
    X, y = load_diabetes(return_X_y=True)
    for columns in (X, X[:, :3]):
        theirs = LassoLarsIC(criterion=rule).fit(columns, y)
        ours = cb.CertifiedLassoCV(rule=rule, eps=0.5, n_alphas=3).fit(columns, y)
        assert ours.alpha_ == pytest.approx(theirs.alpha_, rel=1e-8, abs=1e-4)
        np.testing.assert_allclose(ours.predict(columns), theirs.predict(columns), rtol=1e-5)
        assert np.count_nonzero(ours.coef_) == np.count_nonzero(theirs.coef_)
        assert ours.certificate_.gap < 1e-6 * ours.path_.problem.start_loss


@pytest.mark.parametrize("free", [False, True], ids=["positive", "a free column"])
def test_scales_weights_signs_and_free_columns_have_knots_too(free):
    """No penalty of a fine grid has a smaller criterion."""
    weight = np.random.default_rng(3).uniform(0.5, 2.0, len(Y))
    factors = np.ones(X.shape[1])
    factors[0] = 0.0 if free else 1.0
    options = {"rule": "bic", "noise_variance": 1.0, "standardize": True, "penalty_factor": factors}
    options["positive"] = not free
    at_knots = cb.CertifiedLassoCV(**options).fit(X, Y, weight)
    fine = np.geomspace(1.0, 1e-5, 2000) * at_knots.path_.alphas[0]
    on_grid = cb.CertifiedLassoCV(alphas=fine, **options).fit(X, Y, weight)
    lowest = on_grid.criterion_.min()
    assert lowest - 0.05 < at_knots.criterion_.min() <= lowest
    assert at_knots.certificate_.gap < 1e-6 * at_knots.path_.problem.start_loss


def test_the_end_of_a_grid_is_named_where_the_loss_still_falls():
    X, y = load_diabetes(return_X_y=True)
    for rule, kind in (("best", cb.CertifiedLassoCV), ("bic", cb.CertifiedElasticNetCV)):
        with pytest.warns(UserWarning, match="smallest of the grid.*pass a smaller eps"):
            model = kind(rule=rule, eps=0.5, n_alphas=25).fit(X, y)
        assert model.alpha_ == model.path_.alphas[-1]
