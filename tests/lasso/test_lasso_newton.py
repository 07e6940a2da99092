"""The Lasso path of the logistic loss: gaps computed by hand, scikit-learn's coefficients, real
data, bad input.
"""

import math

import numpy as np
import pytest
from designs import labelled
from reference_sets import ReferenceSet, needs_compiler, needs_reference_sets
from refusal import case, refusals

import coordboost as cb

#: Tolerance when two answers are compared, relative to the loss at 0.
TIGHT = 1e-10


class ByHand:
    """The mean-loss Lasso with the logistic loss, for centred columns and the best constant, in
    NumPy.
    """

    def __init__(self, X, y, factor=1.0, weight=None):
        self.weight = np.ones(len(y)) if weight is None else weight
        self.X = X - np.average(X, axis=0, weights=self.weight)
        self.y = y
        self.factor = factor
        self.total = self.weight.sum()
        self.offset = math.log(self.weight[y > 0].sum() / self.weight[y < 0].sum())
        self.null = self.loss(0 * X[0])
        self.largest = np.max(np.sqrt(self.weight @ self.X**2) / factor)

    def loss(self, coef):
        return self.weight @ np.logaddexp(0, -self.y * (self.offset + self.X @ coef)) / self.total

    def objective(self, coef, alpha):
        return self.loss(coef) + alpha * np.sum(self.factor * np.abs(coef))

    def gap(self, coef, alpha):
        """The gap, over the loss at 0, from the larger of two bounds for s = min(1, alpha /
        max|c|): L(b) >= s (L + <r, Xw> - c'b), for losses above 0, and L(b) >= L + s (<r, Xw> -
        c'b) - (1 - s)^2 / (2 s) sum_i r_i^2 / h_i, h the curvatures.
        """
        margin = self.y * (self.offset + self.X @ coef)
        resid = self.weight * self.y / (1 + np.exp(margin)) / self.total
        worst = np.max(np.abs(self.X.T @ resid) / self.factor)
        scale = min(1.0, alpha / worst)
        along = resid @ (self.X @ coef)
        by_convexity = scale * (self.loss(coef) + along)
        squares = self.weight @ np.exp(-margin) / self.total
        by_curvature = self.loss(coef) + scale * along - (1 - scale) ** 2 / (2 * scale) * squares
        lower = max(by_convexity, by_curvature, 0.0)
        return (self.objective(coef, alpha) - lower) / self.null

    def rounding(self, coef, alpha):
        """Twice the rounding allowance of the certificate, 4 sqrt(n) u (|r|_1 (R + |beta|_1) + L),
        one for each end.
        """
        resid = self.weight / (1 + np.exp(self.y * (self.offset + self.X @ coef))) / self.total
        size = resid.sum() * 2 * self.objective(coef, alpha) / alpha * self.largest + self.loss(
            coef
        )
        return 8 * np.finfo(float).eps * math.sqrt(len(self.y)) * size / self.null

    def added(self, coef):
        """The rounding allowance in the gap of a path: twice 2 sqrt(n) u (|r|_2 |beta|_1 + L), r
        and L at 0, over the loss at 0.
        """
        resid = np.sqrt(self.weight) / (1 + np.exp(self.y * self.offset)) / self.total
        l1 = np.sqrt(self.weight @ self.X**2) @ np.abs(coef)
        size = np.linalg.norm(resid) * l1 + self.null
        return 4 * np.finfo(float).eps * math.sqrt(len(self.y)) * size / self.null


@pytest.mark.parametrize("shape", [(60, 20), (40, 100)])
def test_coefficients_of_scikit_learn(shape):
    """Balanced labels, so that the constant is 0; the two gaps bound the distance of the
    predictions.

    With h the least curvature between the two, P(middle) <= (P(w) + P(v)) / 2 - h |X(w - v)|^2 / (8
    n) and P(middle) is no better than the optimum: |X(w - v)|^2 <= 4 n (gap_w + gap_v) / h.
    """
    from sklearn.linear_model import LogisticRegression

    X, y = labelled(*shape, balanced=True)
    by_hand = ByHand(X, y)
    assert by_hand.offset == 0
    path = cb.lasso_path(
        X, y, loss=cb.losses.Logistic(), tol=TIGHT, n_alphas=8, eps=0.05, unit_columns=False
    )
    assert path.solver == "newton" and (path.gaps <= TIGHT).all() and (path.coefs[:, 0] == 0).all()
    for alpha, coef in zip(path.alphas[1:], path.coefs.T[1:], strict=True):
        peer = LogisticRegression(
            C=1 / (alpha * len(y)),
            l1_ratio=1.0,
            solver="liblinear",
            fit_intercept=False,
            tol=1e-9,
            max_iter=100_000,
            random_state=0,
        )
        theirs = peer.fit(by_hand.X, y).coef_[0]
        ours = by_hand.gap(coef, alpha)
        other = by_hand.gap(theirs, alpha)
        assert ours <= TIGHT * 1.01 and other <= 1e-3
        apart = by_hand.X @ (coef - theirs)
        most = np.maximum(np.abs(by_hand.X @ coef), np.abs(by_hand.X @ theirs)).max()
        least = math.exp(-most) / (1 + math.exp(-most)) ** 2
        assert apart @ apart <= 4 * len(y) * (ours + other) * by_hand.null / least
        assert (
            by_hand.objective(coef, alpha)
            <= by_hand.objective(theirs, alpha) + TIGHT * by_hand.null
        )


@pytest.mark.parametrize("tol", [1e-2, 1e-5, 1e-9])
@pytest.mark.parametrize("shape", [(80, 10), (30, 200)])
def test_the_certified_gap_equals_the_gap_by_hand(tol, shape):
    X, y = labelled(*shape, seed=1)
    by_hand = ByHand(X, y)
    path = cb.lasso_path(X, y, loss=cb.losses.Logistic(), tol=tol, n_alphas=40, unit_columns=False)
    assert (
        path.coefs.shape == (shape[1], 40) and (path.gaps <= tol).all() and (path.gaps >= 0).all()
    )
    for alpha, coef, intercept, gap in zip(
        path.alphas, path.coefs.T, path.intercepts, path.gaps, strict=True
    ):
        assert (
            abs(by_hand.gap(coef, alpha) + by_hand.added(coef) - gap)
            <= by_hand.rounding(coef, alpha)
            <= 1e-8
        )
        np.testing.assert_allclose(
            intercept + X @ coef, by_hand.offset + by_hand.X @ coef, atol=1e-10
        )
    largest = np.abs(by_hand.X.T @ (y / (1 + np.exp(y * by_hand.offset)))).max() / len(y)
    assert abs(path.alphas[0] - largest) <= 1e-12 * largest


def test_penalty_factors_and_weights():
    X, y = labelled(50, 12, seed=4)
    factor = np.linspace(0.5, 3, 12)
    weight = np.random.default_rng(5).integers(0, 4, 50).astype(float)
    path = cb.lasso_path(
        X,
        y,
        loss=cb.losses.Logistic(),
        penalty_factor=factor,
        sample_weight=weight,
        tol=TIGHT,
        n_alphas=12,
        unit_columns=False,
    )
    by_hand = ByHand(X, y, factor, weight)
    for alpha, coef, gap in zip(path.alphas, path.coefs.T, path.gaps, strict=True):
        assert (
            abs(by_hand.gap(coef, alpha) + by_hand.added(coef) - gap)
            <= by_hand.rounding(coef, alpha)
            and gap <= TIGHT
        )
    times = weight.astype(int)
    rows = np.repeat(X, times, axis=0), np.repeat(y, times), path.alphas
    repeated = cb.lasso_path(
        *rows, loss=cb.losses.Logistic(), penalty_factor=factor, tol=TIGHT, unit_columns=False
    )
    np.testing.assert_allclose(path.coefs, repeated.coefs, atol=1e-4 * np.abs(path.coefs).max())


def test_separable_labels_have_an_optimum_for_every_penalty():
    rng = np.random.default_rng(6)
    X = rng.standard_normal((20, 60))
    y = np.sign(X[:, 0])
    path = cb.lasso_path(X, y, loss=cb.losses.Logistic(), tol=1e-9, eps=1e-5, n_alphas=60)
    assert (path.gaps <= 1e-9).all() and np.isfinite(path.coefs).all()
    assert (np.sign(path.intercepts[-1] + X @ path.coefs[:, -1]) == y).all()


@pytest.mark.parametrize("power", [-8, 8])
def test_scales(power):
    """Scaling the columns scales coefficients and alpha; scaling the target, too, where the loss
    has a scale.
    """
    X, y = labelled(40, 15, seed=8)
    options = {"tol": TIGHT, "n_alphas": 10, "eps": 0.05, "unit_columns": False}
    plain, scaled = (
        cb.lasso_path(X * unit, y, loss=cb.losses.Logistic(), **options)
        for unit in (1.0, 10.0**power)
    )
    np.testing.assert_allclose(scaled.alphas, plain.alphas * 10.0**power, rtol=1e-12)
    np.testing.assert_allclose(
        scaled.coefs * 10.0**power, plain.coefs, atol=1e-4 * np.abs(plain.coefs).max()
    )
    target = X[:, 0] + y
    plain, scaled = (
        cb.lasso_path(X, target * unit, loss=cb.losses.Huber(unit), **options)
        for unit in (1.0, 10.0**power)
    )
    np.testing.assert_allclose(
        scaled.coefs / 10.0**power, plain.coefs, atol=1e-4 * np.abs(plain.coefs).max()
    )
    assert (scaled.gaps <= TIGHT).all()


@needs_compiler
@needs_reference_sets
def test_more_genes_than_patients():
    data = ReferenceSet("leukemia")
    path = cb.lasso_path(
        data.X, data.y > data.y.mean(), loss=cb.losses.Logistic(), tol=1e-7, eps=1e-3
    )
    assert (path.gaps <= 1e-7).all() and np.count_nonzero(path.coefs[:, -1]) < data.n


def test_edges():
    X, y = labelled(20, 5, seed=12)
    with pytest.warns(cb.data.ConstantColumnWarning):
        path = cb.lasso_path(
            np.column_stack([np.ones(20), X]), y, loss=cb.losses.Logistic(), n_alphas=5
        )
    assert (path.coefs[0] == 0).all() and path.coefs.shape == (6, 5)
    flat = cb.lasso_path(X, np.ones(20), loss=cb.losses.Huber(1.0), n_alphas=3)
    assert (flat.coefs == 0).all() and (flat.gaps == 0).all() and (flat.intercepts == 1).all()
    above = cb.lasso_path(X, y, [1e9, 1e12], loss=cb.losses.Logistic())
    assert (
        (above.coefs == 0).all()
        and (above.gaps <= 1e-12).all()
        and (above.alphas == [1e12, 1e9]).all()
    )


def demo(**options):
    X, y = labelled(10, 3)
    return cb.lasso_path(X, y, **{"loss": cb.losses.Logistic(), **options})


test_bad_input = refusals(
    case(
        "homotopy",
        lambda: demo(solver="homotopy"),
        "solver must be None or 'newton' for Logistic(d=0.0), got 'homotopy'",
    ),
    case("cd", lambda: demo(solver="cd"), "solver must be None or 'newton'"),
    case(
        "newton",
        lambda: demo(loss=None, solver="newton"),
        "solver must be None, 'homotopy' or 'cd'",
    ),
    case("no penalty", lambda: demo(alphas=[1.0, 0.0]), "alphas must be > 0 for Logistic(d=0.0)"),
    case(
        "labels",
        lambda: cb.lasso_path(np.eye(3), [0, 1, 2], loss=cb.losses.Logistic()),
        "labels -1 and +1",
    ),
    case(
        "one class",
        lambda: cb.lasso_path(np.eye(3), [1, 1, 1], loss=cb.losses.Logistic()),
        "one class only",
    ),
    case(
        "loss twice",
        lambda: cb.lasso_path(cb.Problem(np.eye(3), [0, 1, 2]), loss=cb.losses.Huber()),
        "part of the Problem",
    ),
    case("no loss", lambda: demo(loss="logistic"), "a loss object such as"),
)
