"""Validation scores along paths: scorers of scikit-learn compared with its own loop, bootstrap
splits.
"""

import warnings

import numpy as np
import pytest
from refusal import case, refusals
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.metrics import get_scorer, make_scorer, mean_absolute_error, mean_poisson_deviance
from sklearn.model_selection import GroupKFold, KFold, cross_val_score

import coordboost as cb

RNG = np.random.default_rng(8)
X = RNG.normal(size=(90, 4)) * [1.0, 5.0, 0.2, 1.0]
Y = X @ [1.0, 0.2, 0.0, 0.0] + RNG.normal(size=90) + 3
NAMES = np.where(Y + RNG.normal(size=90) > 3, "yes", "no")
COUNTS = RNG.poisson(np.exp(0.3 * X[:, 0] + 1)).astype(float)
FOLDS = list(KFold(4, shuffle=True, random_state=2).split(X))
ALPHAS = [0.5, 0.1, 0.02]
THREE = np.array(["a", "b", "c"])[np.digitize(Y, [2.5, 4])]


def walk(X, y, weight):
    return cb.solve(cb.Problem(X, y, sample_weight=weight), cb.ls_boost(0.3), 12, compile=False)


@pytest.mark.parametrize(
    "scoring",
    ["neg_mean_absolute_error", "r2", make_scorer(mean_absolute_error, greater_is_better=False)],
)
def test_scores_of_the_lasso_are_those_of_scikit_learns_loop(scoring):
    model = cb.CertifiedLassoCV(alphas=ALPHAS, cv=FOLDS, tol=1e-12, scoring=scoring).fit(X, Y)
    found = model.cross_validation_
    theirs = np.array(
        [
            cross_val_score(Lasso(alpha, tol=1e-12), X, Y, cv=FOLDS, scoring=scoring)
            for alpha in ALPHAS
        ]
    )
    np.testing.assert_allclose(-found.losses.T, theirs, rtol=1e-6)
    assert model.alpha_ == ALPHAS[np.average(theirs, axis=1, weights=found.weights).argmax()]
    np.testing.assert_allclose(
        found.mean, np.average(theirs, axis=1, weights=found.weights), rtol=1e-6
    )


@pytest.mark.parametrize("scoring", ["roc_auc", "accuracy", "neg_log_loss", "balanced_accuracy"])
def test_scores_of_classes_are_those_of_scikit_learns_loop(scoring):
    alphas = [0.3, 0.03, 0.003]
    found = (
        cb.CertifiedLassoClassifierCV(alphas=alphas, cv=FOLDS, tol=1e-10, scoring=scoring)
        .fit(X, NAMES)
        .cross_validation_
    )
    for k, alpha in enumerate(alphas):
        for i, (fit, held) in enumerate(FOLDS):
            lasso = LogisticRegression(
                C=1 / (alpha * len(fit)), l1_ratio=1.0, solver="saga", tol=1e-9, max_iter=20_000
            )
            theirs = get_scorer(scoring)(lasso.fit(X[fit], NAMES[fit]), X[held], NAMES[held])
            np.testing.assert_allclose(-found.losses[i, k], theirs, rtol=1e-4)


def test_counts_are_scored_on_their_own_scale():
    model = cb.CertifiedPoissonRegressorCV(
        alphas=ALPHAS, cv=FOLDS, scoring="neg_mean_poisson_deviance"
    ).fit(X, COUNTS)
    found = model.cross_validation_
    for path, losses, (_, held) in zip(found.paths, found.losses, FOLDS, strict=True):
        means = [np.exp(path.predict(X[held], step=k)) for k in range(3)]
        np.testing.assert_allclose(
            losses, [mean_poisson_deviance(COUNTS[held], mean) for mean in means], rtol=1e-9
        )
    plain = cb.CertifiedPoissonRegressorCV(alphas=ALPHAS, cv=FOLDS).fit(X, COUNTS).cross_validation_
    # the mean loss is half the deviance
    np.testing.assert_allclose(found.losses, 2 * plain.losses, rtol=1e-9)
    assert plain.measure == "mean loss" and found.best == plain.best


def test_weights_are_passed_to_the_scorer():
    weight = RNG.integers(1, 4, 90).astype(float)
    found = cb.cross_validate(
        walk, X, Y, folds=FOLDS, sample_weight=weight, scoring="neg_mean_absolute_error"
    )
    for losses, (fit, held) in zip(found.losses, FOLDS, strict=True):
        run = walk(X[fit], Y[fit], weight[fit])
        for k in (0, 5, 12):
            off = np.abs(Y[held] - run.predict(X[held], step=k))
            np.testing.assert_allclose(losses[k], np.average(off, weights=weight[held]), rtol=1e-9)


@pytest.mark.parametrize(
    "made",
    [
        lambda: walk(X, Y, None),
        lambda: cb.solve(
            cb.Problem(X, COUNTS, cb.losses.Poisson()), cb.forward_stagewise(0.5), 6, compile=False
        ).refit_intercept(),
        lambda: cb.solve(cb.Problem(X, Y), cb.methods.agbm(0.5, 0.3), 6, compile=False),
        lambda: cb.solve(
            cb.Problem(cb.data.trees(X, max_depth=2), Y), cb.gbm(0.5), 4, compile=False
        ),
        lambda: cb.exact_path(X, Y),
        lambda: cb.lasso_path(X, Y, ALPHAS),
        lambda: cb.solve(cb.Problem(cb.data.stumps(X), Y), cb.gbm(0.5), 4, compile=False),
        lambda: cb.solve(
            cb.Problem(cb.data.tree_families(X), Y), cb.methods.rgb(1.0), 4, compile=False
        ),
    ],
    ids=["run", "refitted", "accelerated", "trees", "exact", "grid", "stumps", "families"],
)
def test_staged_predictions_are_those_of_each_point(made):
    """All arrays are kept: none may be overwritten by later ones."""
    path = made()
    staged = list(path.staged_predict(X[:7]))
    assert len(staged) == path.n_points
    for k, pred in enumerate(staged):
        np.testing.assert_allclose(pred, path.predict(X[:7], step=k), rtol=1e-9, atol=1e-12)


def test_the_largest_score_is_chosen_and_reported():
    found = cb.cross_validate(walk, X, Y, folds=FOLDS, scoring="r2")
    assert (
        found.best == found.mean.argmax()
        and found.mean[found.one_se] >= found.mean.max() - found.error[found.best]
    )
    assert (
        f"best {found.best} (r2 {found.mean.max():.6g})" in repr(found)
        and " r2 " in found.summary().splitlines()[0]
    )
    own = cb.cross_validate(walk, X, Y, folds=FOLDS, scoring=absolute)
    theirs = cb.cross_validate(walk, X, Y, folds=FOLDS, scoring="neg_mean_absolute_error")
    assert own.measure == "absolute" and (own.losses == theirs.losses).all()


def absolute(model, X, y):
    return -np.abs(y - model.predict(X)).mean()


def test_each_of_three_classes_is_scored_against_the_rest():
    model = cb.ForwardStagewiseClassifierCV(n_steps=10, cv=FOLDS, scoring="roc_auc").fit(X, THREE)
    for name, found in zip("abc", model.cross_validation_, strict=True):
        alone = (
            cb.ForwardStagewiseClassifierCV(n_steps=10, cv=FOLDS, scoring="roc_auc")
            .fit(X, name == THREE)
            .cross_validation_
        )
        np.testing.assert_allclose(found.losses, alone.losses)


def test_a_score_without_meaning_at_some_points_is_never_the_best():
    """F1 of a constant model that predicts a single class; it must not warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UndefinedMetricWarning)
        found = (
            cb.ForwardStagewiseClassifierCV(n_steps=20, cv=FOLDS, scoring="f1_macro")
            .fit(X, NAMES)
            .cross_validation_
        )
    assert found.best > 0 and np.isfinite(found.mean).all()


def test_bootstrap_samples_are_counts_and_the_rows_left_out():
    splitter = cb.model_selection.Bootstrap(30, random_state=4)
    folds = list(splitter.split(X))
    for fit, held in folds:
        assert (
            len(fit) == 90
            and sorted({*fit}) == np.setdiff1d(np.arange(90), held).tolist()
            and len(held)
        )
    assert abs(np.mean([len(held) for _, held in folds]) / 90 - (1 - 1 / 90) ** 90) < 0.02
    again = list(splitter.split(X))
    assert (
        all((a[0] == b[0]).all() for a, b in zip(folds, again, strict=True))
        and splitter.get_n_splits() == 30
    )
    # samples that leave no row out are not used
    assert len(list(cb.model_selection.Bootstrap(9).split(X[:2]))) == 9
    found = cb.cross_validate(walk, X, Y, folds=splitter)
    for losses, (fit, held) in zip(found.losses, folds, strict=True):
        rows, times = np.unique(fit, return_counts=True)
        run = walk(X[rows], Y[rows], times.astype(float))
        np.testing.assert_allclose(losses, -run.score_path(X[held], Y[held]), rtol=1e-9)
    model = cb.LSBoostRegressorCV(eps=0.3, n_steps=12, cv=splitter).fit(X, Y)
    np.testing.assert_allclose(model.cross_validation_.losses, found.losses, rtol=1e-9)
    assert found.error[3] == pytest.approx(
        np.sqrt(np.average((found.losses[:, 3] - found.mean[3]) ** 2, weights=found.weights) / 29)
    )


ONE_CLASS = [(np.arange(90), np.flatnonzero(NAMES == "yes"))]


test_what_is_refused = refusals(
    case(
        "word",
        lambda: cb.cross_validate(walk, X, Y, scoring="mae"),
        "'mae' is not a valid scoring value",
    ),
    case(
        "number",
        lambda: cb.cross_validate(walk, X, Y, scoring=3),
        "scoring must be None, the name of a scorer",
    ),
    case(
        "a metric",
        lambda: cb.CertifiedLassoCV(scoring=mean_absolute_error).fit(X, Y),
        "make_scorer",
    ),
    case(
        "no weights",
        lambda: cb.cross_validate(walk, X, Y, sample_weight=1 + X[:, 0] ** 2, scoring=absolute),
        "sample_weight",
    ),
    case(
        "rule",
        lambda: cb.CertifiedLassoCV(rule="bic", scoring="r2").fit(X, Y),
        "scoring is for rows held out, which rule='bic'",
    ),
    case(
        "groups",
        lambda: cb.CertifiedLassoCV(cv=3).fit(X, Y, groups=COUNTS),
        "groups need a splitter that keeps them together",
    ),
    case(
        "one row",
        lambda: list(cb.model_selection.Bootstrap().split(X[:1])),
        "a bootstrap sample that leaves rows out",
    ),
    case(
        "no samples",
        lambda: list(cb.model_selection.Bootstrap(0).split(X)),
        "n_splits must be a whole number >= 1",
    ),
    case(
        "one class",
        lambda: cb.CertifiedLassoClassifierCV(alphas=ALPHAS, cv=ONE_CLASS, scoring="roc_auc").fit(
            X, NAMES
        ),
        "fold 1 of 1: scoring=roc_auc is not defined on the rows held out",
    ),
)


def test_groups_are_kept_together():
    groups = np.arange(90) // 7
    model = cb.CertifiedLassoCV(alphas=ALPHAS, cv=GroupKFold(3), scoring="r2").fit(
        X, Y, groups=groups
    )
    theirs = [
        cross_val_score(Lasso(a, tol=1e-12), X, Y, cv=GroupKFold(3), groups=groups, scoring="r2")
        for a in ALPHAS
    ]
    np.testing.assert_allclose(-model.cross_validation_.losses.T, theirs, rtol=1e-4)
