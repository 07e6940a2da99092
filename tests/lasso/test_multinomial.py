"""The multinomial Lasso: intervals around the values of scikit-learn and cvxpy, and the same model
from every form of the data.
"""

import warnings
from decimal import Decimal, localcontext

import numpy as np
import pytest
import scipy.sparse
from scipy.special import logsumexp, softmax
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

import coordboost as cb

PATH = cb.lasso.multinomial_path
RNG = np.random.default_rng(5)
IRIS, SPECIES = load_iris(return_X_y=True)
WEIGHT = RNG.uniform(0.2, 2, len(SPECIES))
WIDE = RNG.normal(size=(40, 90))
LETTERS = np.array(list("pqrs"))[(WIDE[:, :4] + 0.5 * RNG.gumbel(size=(40, 4))).argmax(axis=1)]


def objective(X, y, coef, intercept, alpha, weight=None, factor=1.0):
    """The objective as a sum over samples, penalty included."""
    weight = np.ones(len(y)) if weight is None else weight
    f = X @ coef.T + intercept
    number = np.unique(y, return_inverse=True)[1]
    return (
        weight @ (logsumexp(f, axis=1) - f[np.arange(len(y)), number])
        + alpha * weight.sum() * np.abs(coef * factor).sum()
    )


def by_saga(X, y, alpha, fit_intercept=True, weight=None):
    total = len(y) if weight is None else weight.sum()
    model = LogisticRegression(
        penalty="l1",
        solver="saga",
        C=1 / (alpha * total),
        tol=1e-8,
        max_iter=50_000,
        fit_intercept=fit_intercept,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # penalty="l1" is l1_ratio=1 in later versions
        return model.fit(X, y, weight)


@pytest.mark.parametrize("alpha", [0.2, 0.02])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weights"])
@pytest.mark.parametrize("free", [True, False], ids=["intercept", "no intercept"])
def test_the_interval_holds_the_value_of_scikit_learn(alpha, weight, free):
    X = (IRIS - IRIS.mean(axis=0)) / IRIS.std(axis=0)
    path = PATH(
        X, SPECIES, [alpha], unit_columns=False, sample_weight=weight, fit_intercept=free, tol=1e-8
    )
    (lower, upper), saga = path.bounds[0], by_saga(X, SPECIES, alpha, free, weight)
    theirs = objective(X, SPECIES, saga.coef_, saga.intercept_, alpha, weight)
    assert lower <= theirs <= upper * (1 + 1e-5)
    assert upper == pytest.approx(
        objective(X, SPECIES, path.coef_at(step=0), path.intercept_at(step=0), alpha, weight),
        rel=1e-12,
    )
    assert path.gaps[0] <= 1e-8 and path.message == "complete"
    assert np.abs(path.intercept_at(step=0).sum()) < 1e-12 and (
        free or not path.intercept_at(step=0).any()
    )
    assert path.predict_proba(X) == pytest.approx(saga.predict_proba(X), abs=2e-3)


@pytest.mark.parametrize("factor", [None, np.linspace(0.5, 3, 13)], ids=["", "factors"])
def test_the_interval_holds_the_value_of_cvxpy(factor):
    import cvxpy as cp

    X, y = load_wine(return_X_y=True)
    path = PATH(X, y, [0.01], penalty_factor=factor, tol=1e-7)  # on unit columns
    norm = np.linalg.norm(X - X.mean(axis=0), axis=0)
    Z = (X - X.mean(axis=0)) / norm
    hit = y[:, None] == np.arange(3)
    W = cp.Variable((13, 3))
    b = cp.Variable(3)
    f = Z @ W + np.ones((len(y), 1)) @ cp.reshape(b, (1, 3), order="C")
    penalty = cp.sum(
        cp.multiply(np.tile(np.ones(13) if factor is None else factor, (3, 1)).T, cp.abs(W))
    )
    problem = cp.Problem(
        cp.Minimize(
            cp.sum(cp.log_sum_exp(f, axis=1))
            - cp.sum(cp.multiply(hit, f))
            + 0.01 * len(y) * penalty
        )
    )
    problem.solve(solver="CLARABEL")
    lower, upper = path.bounds[0]
    assert lower - 1e-5 <= problem.value <= upper + 1e-5 and upper - lower <= 1e-7 * 200


def test_the_lower_end_is_the_entropy_of_a_recomputed_dual_point():
    alpha = 0.05
    path = PATH(WIDE, LETTERS, [alpha], unit_columns=False)
    hit = LETTERS[:, None] == path.classes
    away = hit - softmax(WIDE @ path.coef_at(step=0).T + path.intercept_at(step=0), axis=1)
    away -= away.mean(axis=0)
    dual = hit - min(1, alpha * len(WIDE) / np.abs(WIDE.T @ away).max()) * away
    assert (
        dual.min() >= 0
        and np.allclose(dual.sum(axis=1), 1)
        and np.allclose(dual.sum(axis=0), hit.sum(axis=0))
    )
    assert path.bounds[0, 0] == pytest.approx(
        -(dual * np.log(np.where(dual > 0, dual, 1))).sum(), rel=1e-9
    )
    assert path.classes.tolist() == ["p", "q", "r", "s"]
    assert (path.predict(WIDE) == path.classes[path.predict_proba(WIDE).argmax(axis=1)]).all()


def test_two_classes_are_the_logistic_lasso():
    y = SPECIES[50:]
    alpha = 0.05
    path = PATH(IRIS[50:], y, [alpha], tol=1e-9)
    other = cb.lasso_path(
        IRIS[50:], y == 2, [alpha], loss=cb.losses.Logistic(), tol=1e-9, refit_intercept=True
    )
    (one, two), b = path.coef_at(step=0), path.intercept_at(step=0)
    assert two - one == pytest.approx(other.coefs[:, 0], abs=1e-3)
    assert b[1] - b[0] == pytest.approx(other.intercepts[0], abs=1e-2)


def test_the_default_grid_begins_where_all_coefficients_are_0():
    path = PATH(IRIS, SPECIES, n_alphas=8, eps=0.01)
    assert not path.coef_at(step=0).any() and path.coef_at(step=1).any() and path.n_points == 8
    assert (
        path.alphas[-1] == pytest.approx(0.01 * path.alphas[0])
        and (path.gaps <= 1e-6).all()
        and (np.diff(path.bounds[:, 1]) < 0).all()
    )
    top = PATH(IRIS, SPECIES, path.alphas[0] * np.array([1.001, 0.98]))
    assert not top.coef_at(step=0).any() and top.coef_at(step=1).any()
    assert "MultinomialPath(8 alphas, 3 classes" in repr(path)


def test_sparse_tables_and_other_types_are_the_same_problem():
    X = (
        np.where(RNG.uniform(size=WIDE.shape) < 0.7, 0.0, np.round(WIDE, 2))
        .astype(np.float32)
        .astype(float)
    )
    dense = PATH(X, LETTERS, [0.02], tol=1e-8)
    for other in (scipy.sparse.csc_array(X), X.astype(np.float32)):
        path = PATH(other, LETTERS.tolist(), [0.02], tol=1e-8)
        assert path.bounds == pytest.approx(dense.bounds, rel=1e-7) and path.coef_at(
            step=0
        ) == pytest.approx(dense.coef_at(step=0), abs=1e-2)
        assert path.predict_proba(other) == pytest.approx(dense.predict_proba(X), abs=1e-3)
    again = PATH(X, LETTERS, [0.02], tol=1e-8)
    assert np.array_equal(again.coef_at(step=0), dense.coef_at(step=0)) and np.array_equal(
        again.bounds, dense.bounds
    )


def test_weights_are_copies_of_rows():
    counts = RNG.integers(0, 3, len(SPECIES))
    weighted = PATH(IRIS, SPECIES, [0.002], sample_weight=counts, tol=1e-9)
    copied = PATH(np.repeat(IRIS, counts, axis=0), np.repeat(SPECIES, counts), [0.002], tol=1e-9)
    assert weighted.bounds == pytest.approx(copied.bounds, rel=1e-8)
    assert weighted.coef_at(step=0) == pytest.approx(copied.coef_at(step=0), abs=1e-3)


def test_a_tolerance_out_of_reach_is_reported_and_the_interval_holds():
    path = PATH(WIDE, LETTERS, [0.02], tol=1e-300)
    assert path.message.startswith("not reached") and 0 <= path.gaps[0] < 1e-12


def test_columns_that_do_not_vary_have_coefficient_0():
    with pytest.warns(cb.data.validation.ConstantColumnWarning):
        path = PATH(np.column_stack([IRIS, np.ones(150)]), SPECIES, [0.001])
    assert path.coef_at(step=0).shape == (3, 5) and not path.coef_at(step=0)[:, 4].any()


def test_the_estimator_has_one_path_and_one_certificate():
    model = cb.CertifiedLassoClassifier(alpha=0.02, multinomial=True).fit(IRIS, SPECIES)
    saga = by_saga(IRIS, SPECIES, 0.02)
    theirs = objective(IRIS, SPECIES, saga.coef_, saga.intercept_, 0.02)
    assert model.certificate_.lower <= theirs and model.certificate_.gap < 1e-6 * 165
    assert model.certificate_.upper == pytest.approx(
        objective(IRIS, SPECIES, model.coef_, model.intercept_, 0.02)
    )
    assert model.predict_proba(IRIS) == pytest.approx(model.path_.predict_proba(IRIS), abs=1e-12)
    assert (
        model.coef_.shape == (3, 4) and len(model.paths_) == 1 and model.score(IRIS, SPECIES) > 0.95
    )
    other = cb.CertifiedLassoClassifier(alpha=0.02).fit(IRIS, SPECIES)
    assert len(other.paths_) == 3 and not np.allclose(other.coef_, model.coef_)


def test_standardized_the_estimator_is_that_of_standardized_columns():
    scaled = (IRIS - IRIS.mean(axis=0)) / IRIS.std(axis=0)
    model, other = (
        cb.CertifiedLassoClassifier(alpha=0.05, multinomial=True, standardize=flag, tol=1e-9).fit(
            X, SPECIES
        )
        for flag, X in ((True, IRIS), (False, scaled))
    )
    assert model.coef_ * IRIS.std(axis=0) == pytest.approx(other.coef_, abs=1e-3)
    assert model.certificate_.upper == pytest.approx(other.certificate_.upper, rel=1e-8)


def test_with_two_classes_the_estimator_is_the_logistic_one():
    one, other = (
        cb.CertifiedLassoClassifier(multinomial=flag).fit(IRIS[50:], SPECIES[50:])
        for flag in (True, False)
    )
    assert np.array_equal(one.coef_, other.coef_)


def test_a_missed_tolerance_is_a_warning():
    with pytest.warns(ConvergenceWarning, match="the gap at alpha"):
        cb.CertifiedLassoClassifier(alpha=0.02, multinomial=True, tol=1e-300).fit(IRIS, SPECIES)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: PATH(IRIS, np.zeros(150), [0.1]), "two or more"),
        (lambda: PATH(IRIS, SPECIES, [0.0]), "above 0"),
        (lambda: PATH(IRIS, SPECIES[:149], [0.1]), "149"),
        (lambda: PATH(IRIS, [[1]] * 150, [0.1]), "y must be a sequence of labels"),
        (lambda: PATH(IRIS, [None] * 150, [0.1]), "y must be"),
        (lambda: PATH(IRIS, np.where(SPECIES, np.nan, 1.0), [0.1]), "y must be"),
        (lambda: PATH(IRIS, SPECIES, [0.1], sample_weight=SPECIES), "no row of the class 0"),
        (lambda: PATH(IRIS, SPECIES, [0.1], tol=0), "tol"),
        (lambda: PATH(IRIS, SPECIES, [0.1], fit_intercept="no"), "fit_intercept"),
        (lambda: cb.CertifiedLassoClassifier(multinomial=1.5).fit(IRIS, SPECIES), "multinomial"),
        (
            lambda: cb.CertifiedLassoClassifier(multinomial=True, loss=cb.losses.Exponential()).fit(
                IRIS, SPECIES
            ),
            "is for Logistic",
        ),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_certificates_are_asked_for_by_step():
    path = cb.lasso.multinomial_path(np.eye(6), [0, 1, 2, 0, 1, 2], alphas=[0.1, 0.05])
    assert (
        path.certificate_at(cb.lasso.PathPoint(step=1)).lower
        < path.certificate_at(cb.lasso.PathPoint(step=0)).lower
    )
    l1 = float(path.l1.mean())
    with pytest.raises(ValueError, match="a grid has certificates at its own alphas only"):
        path.certificate_at(cb.lasso.PathPoint(l1=l1))


@pytest.mark.parametrize("center", [True, False])
def test_without_an_intercept_the_model_of_a_problem_has_the_certified_objective(center):
    problem = cb.Problem(IRIS, np.arange(150.0), center=center)
    alpha = 0.002
    path = PATH(problem, SPECIES, [alpha], fit_intercept=False)
    proba = path.predict_proba(IRIS)
    number = SPECIES.astype(int)
    penalty = alpha * 150 * sum(np.abs(problem.unit(coef)).sum() for coef in path.coef_at(step=0))
    assert path.bounds[0, 1] == pytest.approx(
        -np.log(proba[np.arange(150), number]).sum() + penalty, rel=1e-12
    )
    assert path.intercept_at(step=0).any() == center


def test_both_ends_leave_room_for_rounding():
    """The optimum of a single coefficient without intercepts, computed to 50 digits, lies in the
    interval.
    """
    x = [1, -1, 2, 0.5]
    y = [0, 1, 0, 1]
    alpha = 0.05
    path = PATH(
        np.array(x)[:, None],
        np.array(y),
        [alpha],
        unit_columns=False,
        fit_intercept=False,
        tol=1e-16,
    )
    with localcontext() as context:  # the two classes have coefficients w and -w
        context.prec = 50
        signed = [Decimal(one) * (1 - 2 * label) for one, label in zip(x, y, strict=True)]
        low = Decimal(0)
        high = Decimal(10)
        cost = 8 * Decimal(alpha)
        for _ in range(150):
            w = (low + high) / 2
            slope = cost - sum(2 * s / (1 + (2 * s * w).exp()) for s in signed)
            low, high = (w, high) if slope < 0 else (low, w)
        best = cost * w + sum((1 + (-2 * s * w).exp()).ln() for s in signed)
        lower, upper = map(Decimal, path.bounds[0].tolist())
        assert 0 < w < 10 and lower <= best <= upper and upper - lower < upper * Decimal("1e-13")


def test_a_target_of_fractions_is_no_label():
    with pytest.raises(
        ValueError, match=r"y must hold labels of classes, got numbers with fractions"
    ):
        cb.lasso.multinomial_path(np.eye(4), [0.5, 1.5, 2.0, 3.0])
