"""Ridge, elastic nets, coefficient limits and unpenalised columns: certificates hold, models agree
with cvxpy and scikit-learn.
"""

import contextlib
import warnings

import numpy as np
import pytest
import scipy.sparse
from sklearn import linear_model
from sklearn.datasets import load_diabetes

import coordboost as cb

TERMS = {
    "Squared": (cb.losses.Squared(), lambda cp, y, f: cp.square(y - f) / 2),
    "Logistic": (cb.losses.Logistic(), lambda cp, y, f: cp.logistic(-cp.multiply(y, f))),
    "Huber": (cb.losses.Huber(0.5), lambda cp, y, f: cp.huber(y - f, 0.5) / 2),
    "Poisson": (cb.losses.Poisson(), lambda cp, y, f: cp.exp(f) - cp.multiply(y, f)),
}


class Case:
    """A small random problem, for the package and for cvxpy."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.n = int(rng.integers(4, 16))
        self.p = int(rng.integers(1, 9))
        self.X = rng.normal(size=(self.n, self.p)) * rng.choice([0.3, 1, 4], self.p) + rng.choice(
            [0, 1], self.p
        )
        if rng.random() < 0.3:
            self.X[rng.random((self.n, self.p)) < 0.6] = 0.0
        if rng.random() < 0.2:
            self.X[:, -1] = self.X[:, 0]
        f = self.X @ (rng.normal(size=self.p) * (rng.random(self.p) < 0.6)) + rng.normal(
            size=self.n
        )
        self.name = str(rng.choice(list(TERMS), p=[0.55, 0.2, 0.1, 0.15]))
        self.y = f
        if self.name == "Logistic":
            self.y = np.where(f > np.median(f), 1.0, -1.0)
            self.y[:2] = 1, -1
        if self.name == "Poisson":
            self.y = rng.poisson(np.exp(np.clip(f, -2, 2))).astype(float)
            self.y[0] += 1
        self.weight = None if rng.random() < 0.6 else rng.uniform(0.2, 3, self.n)
        self.l1_ratio = float(rng.choice([0, 0.01, 0.4, 1]))
        self.factor = None if rng.random() < 0.6 else rng.uniform(0.2, 3, self.p)
        self.fit_intercept = rng.random() < 0.7
        self.lower, self.upper = (
            None if rng.random() < 0.5 else sign * rng.choice([0, 0.05, 0.5, np.inf], self.p)
            for sign in (-1, 1)
        )
        if self.name == "Squared" and self.lower is self.upper is None and rng.random() < 0.5:
            self.factor = np.where(
                rng.random(self.p) < 0.3,
                0.0,
                np.ones(self.p) if self.factor is None else self.factor,
            )
        self.given = scipy.sparse.csc_array(self.X) if rng.random() < 0.3 else self.X
        self.tol = float(rng.choice([1e-8, 1e-4]))
        self.eps = float(rng.choice([0.2, 0.02]))

    def path(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cb.data.ConstantColumnWarning)
            return cb.lasso_path(
                self.given,
                self.y,
                n_alphas=2,
                eps=self.eps,
                tol=self.tol,
                loss=TERMS[self.name][0],
                l1_ratio=self.l1_ratio,
                penalty_factor=self.factor,
                sample_weight=self.weight,
                lower_limits=self.lower,
                upper_limits=self.upper,
                unit_columns=False,
                fit_intercept=self.fit_intercept,
                refit_intercept=self.fit_intercept,
            )

    def optimum(self, alpha, coef, intercept):
        """Return the optimum found by cvxpy, or slightly more, and the value of a model, both on
        the columns of X, summed over samples.
        """
        import cvxpy as cp

        weight = np.ones(self.n) if self.weight is None else self.weight
        factor = np.ones(self.p) if self.factor is None else self.factor
        w = cp.Variable(self.p)
        b = cp.Variable() if self.fit_intercept else 0.0
        loss = weight @ TERMS[self.name][1](cp, self.y, self.X @ w + b)
        l1 = factor @ cp.abs(w)
        square = factor @ cp.square(w) / 2
        lam = alpha * weight.sum()
        unit = max(1.0, lam)  # general solvers prefer numbers of moderate size
        model = loss / unit + lam / unit * (self.l1_ratio * l1 + (1 - self.l1_ratio) * square)
        some = [
            np.flatnonzero(np.isfinite(end)) if end is not None else []
            for end in (self.lower, self.upper)
        ]
        limits = [w[some[0]] >= self.lower[some[0]]] if len(some[0]) else []
        limits += [w[some[1]] <= self.upper[some[1]]] if len(some[1]) else []
        tight = {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11}
        whole = cp.Problem(cp.Minimize(model), limits)
        values = [np.inf]
        # where many coefficients are at their limits it fails or stops early
        for options in (tight, {}):
            with warnings.catch_warnings(), contextlib.suppress(cp.error.SolverError):
                warnings.simplefilter("ignore")
                values.append(whole.solve(solver=cp.CLARABEL, **options))
        w.value = coef
        if self.fit_intercept:
            b.value = intercept
        return unit * float(min(values)), unit * float(model.value)

    def check(self):
        path = self.path()
        assert path.message == "complete" and (path.gaps <= self.tol * (1 + 1e-12)).all()
        for k, alpha in enumerate(path.alphas):
            w = path.coefs[:, k]
            room = 1e-12 * np.abs(path.coefs[:, k])
            assert self.lower is None or (w >= self.lower - room).all()
            assert self.upper is None or (w <= self.upper + room).all()
            one, (best, own) = path.certificate(k), self.optimum(alpha, w, path.intercepts[k])
            assert one.lower <= best + 1e-9 * (1 + abs(best)) and abs(one.upper - own) <= 1e-9 * (
                1 + abs(own)
            )
            assert one.gap <= (1.01 * self.tol + 1e-10) * path.problem.start_excess


@pytest.mark.parametrize("seed", range(50))
def test_certificates_hold(seed):
    Case(seed).check()


@pytest.mark.slow
@pytest.mark.parametrize("first", range(50, 2000, 50))
def test_certificates_hold_in_many_problems(first):
    for seed in range(first, first + 50):
        Case(seed).check()


RNG = np.random.default_rng(2)
X = RNG.normal(size=(60, 8)) + 1.0
Y = X @ [1, -2, 0, 0, 3, 0, 0.5, 0] + RNG.normal(size=60)
SIGNS = np.where(np.median(Y) < Y, 1.0, -1.0)
WIDE = RNG.normal(size=(15, 40))
PLAIN = {"unit_columns": False, "n_alphas": 4, "eps": 1e-3, "tol": 1e-11}


@pytest.mark.parametrize("solver", ["eigen", "cd"])
@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csc_array])
@pytest.mark.parametrize("wide", [False, True])
def test_ridge_of_scikit_learn(solver, make, wide):
    A, y = (WIDE, Y[:15]) if wide else (X, Y)
    path = cb.lasso_path(make(A), y, l1_ratio=0, solver=solver, **PLAIN)
    for alpha, coef, intercept in zip(path.alphas, path.coefs.T, path.intercepts, strict=True):
        theirs = linear_model.Ridge(alpha=alpha * len(y), tol=1e-12).fit(A, y)
        np.testing.assert_allclose(coef, theirs.coef_, atol=2e-5)
        np.testing.assert_allclose(intercept, theirs.intercept_, atol=2e-4)


def test_positive_elastic_nets_of_scikit_learn():
    path = cb.lasso_path(X, Y, l1_ratio=0.5, positive=True, **PLAIN)
    for alpha, coef in zip(path.alphas, path.coefs.T, strict=True):
        theirs = linear_model.ElasticNet(
            alpha=alpha, l1_ratio=0.5, positive=True, tol=1e-12, max_iter=100_000
        ).fit(X, Y)
        np.testing.assert_allclose(coef, theirs.coef_, atol=1e-6)
    assert (path.coefs == cb.lasso_path(X, Y, l1_ratio=0.5, lower_limits=0, **PLAIN).coefs).all()


@pytest.mark.parametrize("l1_ratio", [0.0, 0.3])
def test_logistic_elastic_nets_of_scikit_learn(l1_ratio):
    how = {
        "loss": cb.losses.Logistic(),
        "refit_intercept": True,
        "unit_columns": False,
        "tol": 1e-9,
    }
    path = cb.lasso_path(X, SIGNS, [0.1, 0.02], l1_ratio=l1_ratio, **how)
    for alpha, coef in zip(path.alphas, path.coefs.T, strict=True):
        theirs = linear_model.LogisticRegression(
            C=1 / (alpha * 60), l1_ratio=l1_ratio, solver="saga", tol=1e-9, max_iter=50_000
        )
        np.testing.assert_allclose(coef, theirs.fit(X, SIGNS).coef_[0], atol=1e-4)


SPARED = np.where(np.arange(8) % 3 == 0, 0.0, 2.0)


@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csc_array])
@pytest.mark.parametrize("l1_ratio", [1, 0.5, 0])
def test_columns_without_a_penalty_are_least_squares_beside_the_others(make, l1_ratio):
    path = cb.lasso_path(make(X), Y, l1_ratio=l1_ratio, penalty_factor=SPARED, **PLAIN)
    free = np.column_stack([np.ones(60), X[:, SPARED == 0]])
    left = np.eye(60) - free @ np.linalg.pinv(free)
    for k, alpha in enumerate(path.alphas):
        how = {"alpha": 2 * alpha, "fit_intercept": False, "tol": 1e-12, "max_iter": 100_000}
        ridge = linear_model.Ridge(**how | {"alpha": 2 * alpha * 60})
        theirs = linear_model.ElasticNet(l1_ratio=l1_ratio, **how) if l1_ratio else ridge
        others = theirs.fit(left @ X[:, SPARED > 0], left @ Y).coef_
        np.testing.assert_allclose(path.coefs[SPARED > 0, k], others, atol=2e-5)
        resid = Y - path.intercepts[k] - X @ path.coefs[:, k]
        np.testing.assert_allclose(free.T @ resid, 0, atol=1e-9)
        assert path.certificate(k).gap <= 1e-10 * path.problem.start_excess
    assert (path.factors[0, SPARED == 0] == 0).all() and (
        not l1_ratio or SPARED[path.order_of_entry()[0]] == 0
    )


def test_all_columns_without_a_penalty_are_least_squares():
    path = cb.lasso_path(X, Y, [1.0, 0.1], penalty_factor=np.zeros(8))
    for coef in path.coefs.T:
        np.testing.assert_allclose(coef, linear_model.LinearRegression().fit(X, Y).coef_)
    assert path.certificate().gap <= 1e-10 * path.problem.start_excess


def test_penalty_factors_that_are_refused():
    with pytest.raises(ValueError, match="penalty_factor must be at least 0, got -1"):
        cb.lasso_path(X, Y, penalty_factor=-np.ones(8))
    for loss in (None, cb.losses.Huber(1.0)):
        with pytest.raises(
            ValueError, match="penalty_factor may be 0 only in columns without limits"
        ):
            cb.lasso_path(X, Y, penalty_factor=SPARED, positive=True, loss=loss)
    with pytest.raises(
        ValueError,
        match="penalty_factor must be positive for all columns of multinomial regression",
    ):
        cb.lasso.multinomial_path(X, SIGNS, penalty_factor=SPARED)


@pytest.mark.filterwarnings("ignore:Setting penalty=None")  # scikit-learn 1.8
def test_a_tiny_factor_is_nearly_no_penalty():
    free = SPARED == 0
    options = {
        "loss": cb.losses.Logistic(),
        "refit_intercept": True,
        "unit_columns": False,
        "tol": 1e-8,
    }
    path = cb.lasso_path(X, SIGNS, [1.0], penalty_factor=np.where(free, 1e-6, 1.0), **options)
    alone = linear_model.LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(
        X[:, free], SIGNS
    )
    assert (path.coefs[~free] == 0).all() and path.message == "complete"
    # a penalty of 1e-6 moves a coefficient by 1e-6 over the curvature (at most 1/4, columns of
    # variance 1): 1/20 is allowed for
    np.testing.assert_allclose(path.coefs[free, 0], alone.coef_[0], rtol=0, atol=2e-5)


def test_estimators_take_unpenalised_columns():
    one = cb.CertifiedLassoCV(penalty_factor=SPARED, standardize=True, n_alphas=8, cv=3).fit(X, Y)
    assert (
        one.coef_[SPARED == 0] != 0
    ).all() and one.certificate_.gap <= 1.1e-6 * one.path_.problem.start_excess
    again = cb.CertifiedLassoCV(penalty_factor=SPARED, standardize=True, n_alphas=8, cv=3).fit(
        scipy.sparse.csc_array(X), Y
    )
    np.testing.assert_allclose(
        one.cross_validation_.losses, again.cross_validation_.losses, rtol=1e-4
    )


def test_the_homotopy_refuses_other_penalties():
    with pytest.raises(
        ValueError,
        match=r"solver must be None or 'cd' for Squared\(\) and l1_ratio = 0.5 with limits, got "
        r"'homotopy'",
    ):
        cb.lasso_path(X, Y, l1_ratio=0.5, positive=True, solver="homotopy")
    with pytest.raises(
        ValueError,
        match=r"solver must be None, 'eigen' or 'cd' for Squared\(\) and l1_ratio = 0, got "
        r"'homotopy'",
    ):
        cb.lasso_path(X, Y, l1_ratio=0, solver="homotopy")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"lower_limits": 0.1},
            "lower_limits must be a number or one for each of the 8 columns of X, at most "
            "0, got 0.1",
        ),
        (
            {"upper_limits": [1.0, 2]},
            "upper_limits must be a number or one for each of the 8 columns of X, at least 0",
        ),
        ({"upper_limits": "no"}, "upper_limits"),
        ({"upper_limits": np.nan}, "upper_limits must be a number"),
        ({"positive": 3}, "positive must be True or False"),
    ],
)
def test_bad_limits(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        cb.lasso_path(X, Y, **given)


def test_limits_are_those_of_the_columns_of_x():
    path = cb.lasso_path(
        X * 100,
        Y,
        lower_limits=-0.001,
        upper_limits=np.append(np.inf, np.full(7, 0.002)),
        n_alphas=20,
    )
    assert (
        path.coefs.min() == pytest.approx(-0.001)
        and path.coefs[1:].max() == pytest.approx(0.002)
        and path.coefs[0].max() > 0.002
    )
    assert (path.gaps <= 1e-6).all() and path.certificate(independent=True).agree


def test_a_wide_ridge_of_another_loss():
    y = np.where(WIDE[:, 0] > 0, 1.0, -1.0)
    path = cb.lasso_path(
        WIDE,
        y,
        l1_ratio=0,
        loss=cb.losses.Logistic(),
        refit_intercept=True,
        **PLAIN | {"eps": 1e-2, "tol": 1e-9},
    )
    for k, alpha in enumerate(path.alphas):
        theirs = linear_model.LogisticRegression(C=1 / (alpha * 15), tol=1e-10, max_iter=5000).fit(
            WIDE, y
        )
        np.testing.assert_allclose(path.coefs[:, k], theirs.coef_[0], atol=1e-4)
        assert path.certificate(k).gap <= 2e-9 * path.problem.start_excess


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_the_default_grid_of_ridge_goes_from_no_model_to_least_squares(unit):
    """In any unit of y, and in any unit of the columns where these are penalised in their own
    units.
    """
    for options in ({}, {"unit_columns": False}):
        path = cb.lasso_path(unit * X, unit * Y, l1_ratio=0, n_alphas=20, **options)
        least = 1 - np.linalg.lstsq(np.column_stack([X, np.ones(60)]), Y)[1][0] / np.sum(
            (Y - Y.mean()) ** 2
        )
        shares = 1 - path.losses / path.problem.start_loss
        assert shares[0] < 0.01 and 0.99 * least < shares[-1] < least + 1e-12


def test_ridge_needs_a_penalty():
    assert cb.lasso_path(X, Y, l1_ratio=0, n_alphas=3).solver == "eigen"
    with pytest.raises(ValueError, match=r"alphas must be > 0 for ridge"):
        cb.lasso_path(X, Y, [1.0, 0.0], l1_ratio=0)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize(
    "weight", [None, np.random.default_rng(2).uniform(0.2, 2, 442)], ids=["", "weights"]
)
def test_standardize_is_the_penalty_of_standardised_columns(l1_ratio, weight):
    """Also for the squared part of the elastic net: scikit-learn's ``ElasticNet`` on columns of
    standard deviation 1.
    """
    X, y = load_diabetes(return_X_y=True, scaled=False)
    mean = np.average(X, axis=0, weights=weight)
    deviation = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weight))
    factor = np.linspace(0.5, 2, 10)
    for given in (None, factor):
        model = cb.CertifiedElasticNet(
            alpha=1.0, l1_ratio=l1_ratio, standardize=True, penalty_factor=given, tol=1e-12
        ).fit(X, y, weight)
        Z = (X - mean) / deviation
        own = np.ones(10) if given is None else given
        w = model.coef_ * deviation
        resid = y - model.predict(X)
        share = np.full(442, 1 / 442) if weight is None else weight / weight.sum()
        # optimal: alpha l1_ratio f_j sign(w_j), or no larger where w_j = 0
        slope = Z.T @ (share * resid) - (1 - l1_ratio) * own * w
        assert np.abs(slope[w != 0] - l1_ratio * own[w != 0] * np.sign(w[w != 0])).max() < 1e-6
        assert (np.abs(slope[w == 0]) <= l1_ratio * own[w == 0] + 1e-6).all()


def test_factors_of_absolute_values_and_of_squares():
    X, y = load_diabetes(return_X_y=True, scaled=False)
    both = np.array([np.linspace(0.5, 2, 10), np.linspace(3, 1, 10)])
    path = cb.lasso_path(
        X, y, [0.5], l1_ratio=0.5, penalty_factor=both, unit_columns=False, tol=1e-12
    )
    w = path.coef_at(step=0)
    resid = y - path.predict(X, step=0)
    slope = (X - X.mean(axis=0)).T @ resid / 442 - 0.25 * both[1] * w
    assert np.abs(slope[w != 0] - 0.25 * both[0, w != 0] * np.sign(w[w != 0])).max() < 1e-6
    assert path.factors == pytest.approx(both, rel=1e-14)
    with pytest.raises(ValueError, match="0 in both rows or in none"):
        cb.lasso_path(X, y, penalty_factor=both * [[0.0] + [1.0] * 9, [1.0] * 10])
