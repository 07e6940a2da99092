"""Losses of users: `value` and `residual` suffice everywhere, or an error says what else is needed;
predictions are on the scale of y.
"""

import math
import re
from collections import namedtuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusal import refused

import coordboost as cb

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
ETA = X[:, 0] - 0.5 * X[:, 1]


class Gamma(cb.losses.Loss):
    """The Gamma loss for targets above 0; f is the logarithm of the mean."""

    def value(self, y, f):
        return y * math.exp(-f) - 1 - math.log(y) + f

    def residual(self, y, f):
        return y * math.exp(-f) - 1


class Soft(cb.losses.Loss):
    """A smooth loss close to abs(y - f)."""

    def value(self, y, f):
        return math.hypot(1, y - f) - 1

    def residual(self, y, f):
        return (y - f) / math.hypot(1, y - f)


class Rough(cb.losses.Loss):
    """abs(y - f)."""

    def value(self, y, f):
        return abs(y - f)

    def residual(self, y, f):
        return float(y > f) - float(y < f)


class Labels(cb.losses.Loss):
    """The logistic loss of labels -1 and 1."""

    def value(self, y, f):
        return max(-y * f, 0.0) + math.log1p(math.exp(-abs(y * f)))

    def residual(self, y, f):
        return y / (1 + math.exp(min(y * f, 600.0)))


OWN = {
    "Gamma": (Gamma(), np.exp(ETA) * RNG.gamma(2, 0.5, 40)),
    "Soft": (Soft(), 100 + 3 * ETA + RNG.standard_t(2, 40)),
    "Rough": (Rough(), ETA + RNG.standard_t(2, 40)),
    "Labels": (Labels(), np.where(ETA + RNG.logistic(size=40) > 0, 1.0, -1.0)),
}
#: Methods that need no more than value and residual.
RUN = {
    "frank_wolfe": cb.methods.frank_wolfe(2.0, cb.rules.SegmentSearch(2.0)),
    "gcd": cb.methods.gcd(cb.rules.LineSearch()),
    "ccd": cb.methods.ccd(cb.rules.LineSearch()),
    "rtgcd": cb.rtgcd(2, step=cb.rules.LineSearch()),
    "gbm": cb.gbm(0.1),
    "forward_stagewise": cb.forward_stagewise(0.1),
    "regularized_forward_stagewise": cb.regularized_forward_stagewise(0.1, 2.0),
    "path_forward_stagewise": cb.path_forward_stagewise(0.1, np.linspace(0.1, 2, 4)),
    "frank_wolfe_away": cb.methods.frank_wolfe_away(2.0),
    "frank_wolfe_pairwise": cb.methods.frank_wolfe_pairwise(2.0),
}
NEED = r"sigma|curvature|squared loss"


def needs(action, loss):
    """Check that the loss is refused in one sentence with its name and what it lacks."""
    words = refused(action, type(loss).__name__)
    assert re.search(NEED, words), words


@pytest.mark.parametrize("name", RUN)
@pytest.mark.parametrize("own", OWN)
def test_a_value_and_a_residual_are_enough(own, name):
    loss, y = OWN[own]
    problem = cb.Problem(X, y, loss)
    run = cb.solve(problem, RUN[name], 4, compile=False)
    assert run.n_steps == 4 and run.final.loss < problem.start_loss
    assert problem.resid(0 * y).sum() == pytest.approx(0, abs=1e-9 if own != "Rough" else 1.5)
    assert run.certificate(cb.certificates.L1Ball(2.0)).upper <= problem.start_loss


@pytest.mark.parametrize("name", cb.methods.METHODS)
@pytest.mark.parametrize("own", OWN)
def test_every_method_runs_or_says_what_it_needs(own, name):
    loss, y = OWN[own]
    maker = cb.methods.METHODS[name]
    problem = cb.Problem(X, y, loss)
    try:
        run = cb.solve(problem, maker(**maker.EXAMPLES[0]), 4, compile=False)
    except ValueError:
        needs(lambda: cb.solve(problem, maker(**maker.EXAMPLES[0]), 4), loss)
    else:
        assert run.n_steps == 4 and np.isfinite(run.final.loss)


def build(name, loss):
    kind = getattr(cb, name)
    few = {
        "n_estimators": 4,
        "min_samples_leaf": 4,
        "n_steps": 6,
        "n_alphas": 3,
        "cv": 3,
        "n_deltas": 2,
        "random_state": 0,
    }
    return kind(
        loss=loss, **{key: value for key, value in few.items() if key in kind().get_params()}
    )


REGRESSORS = [
    "RandomizedGBMRegressor",
    "AcceleratedGBMRegressor",
    "RegularizedGBMRegressor",
    "LangevinGBMRegressor",
    "ForwardStagewiseRegressor",
    "ForwardStagewiseRegressorCV",
    "RegularizedForwardStagewiseRegressor",
    "RegularizedForwardStagewiseRegressorCV",
    "CertifiedLasso",
    "CertifiedLassoCV",
]


@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.parametrize("own", ["Gamma", "Soft", "Rough"])
def test_every_estimator_fits_or_says_what_it_needs(own, name):
    loss, y = OWN[own]
    model = build(name, loss)
    if re.match("Accelerated|Langevin|Certified", name):
        needs(lambda: model.fit(X, y), loss)
    else:
        found = model.fit(X, y).predict(X)
        assert (
            np.isfinite(found).all()
            and sum(map(loss.value, y, found))
            < sum(map(loss.value, y, np.full(40, np.mean(y)))) * 2
        )
    if "Lasso" in name:  # with these declarations the estimator fits
        with_more = type(
            own,
            (type(loss),),
            {
                "infimum": 0.0,
                "curvature": lambda self, y, f: (
                    self.residual(y, f - 0.5) - self.residual(y, f + 0.5)
                ),
            },
        )
        if own == "Gamma":
            assert build(name, with_more()).set_params(tol=1e-3).fit(X, y).certificate_.gap >= 0


@pytest.mark.parametrize("own", OWN)
def test_paths_scores_and_cross_validation(own):
    loss, y = OWN[own]

    def walk(X, y, weight):
        return cb.solve(cb.Problem(X, y, loss), cb.forward_stagewise(0.1), 5, compile=False)

    found = cb.cross_validate(walk, X, y, folds=3)
    assert (
        np.isfinite(found.mean).all()
        and np.isfinite(walk(X, y, None).refit_intercept().score_path(X, y)).all()
    )
    refused(lambda: cb.exact_path(cb.Problem(X, y, loss)), "squared loss")


@settings(max_examples=40, deadline=None)
@given(
    shift=st.floats(-1e9, 1e9),
    unit=st.floats(1e-3, 1e6),
    n=st.integers(2, 12),
    seed=st.integers(0, 99),
)
def test_the_best_constant_of_any_targets(shift, unit, n, seed):
    """A loss that declares nothing, targets of any size: the constant lies between them, and no
    nearby one is better.
    """
    y = shift + unit * np.random.default_rng(seed).normal(size=n)
    problem = cb.Problem(np.random.default_rng(1).normal(size=(n, 2)), y, Soft())
    assert y.min() <= problem.constant <= y.max()
    total = [
        sum(Soft().value(target, problem.constant + t) for target in y)
        for t in (0.0, -1e-3 * unit, 1e-3 * unit)
    ]
    assert total[0] <= min(total) * (1 + 1e-12)
    shifted = cb.Problem(np.random.default_rng(1).normal(size=(n, 2)), y, Soft(), center=False)
    run = cb.solve(shifted, cb.forward_stagewise(1e-9), 1, compile=False).refit_intercept()
    assert sum(Soft().value(target, run.intercept_at(step=0)) for target in y) == pytest.approx(
        total[0], rel=1e-9
    )


class GammaMean(Gamma):
    """Gamma with an inverse link for a single number."""

    def inverse_link(self, f):
        return math.exp(f)


class GammaArray(Gamma):
    """Gamma with an inverse link for arrays."""

    def inverse_link(self, f):
        return np.exp(f)


class GammaBoth(GammaArray):
    """If `mean` and `inverse_link` are both declared, `predict` uses `inverse_link`."""

    def mean(self, f):
        raise AssertionError


@pytest.mark.parametrize(
    "name", [name for name in REGRESSORS if not re.match("Accelerated|Langevin|Certified", name)]
)
def test_predictions_are_on_the_scale_of_y(name):
    y = OWN["Gamma"][1]
    log = build(name, Gamma()).fit(X, y)
    for loss in (GammaMean(), GammaArray(), GammaBoth()):
        model = build(name, loss).fit(X, y)
        np.testing.assert_allclose(model.predict(X), np.exp(log.predict(X)), rtol=1e-12)
        np.testing.assert_allclose(model.predict(X[:1]), model.predict(X)[:1], rtol=1e-12)
        assert model.score(X, y) > log.score(X, y)
        if hasattr(model, "staged_predict"):
            np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))


class WithChances(Labels):
    """The logistic loss with class probabilities."""

    two_class, sigma = True, 0.25

    def inverse_link(self, f):
        return 1 / (1 + math.exp(-f))


@pytest.mark.parametrize("classes", [["no", "yes"], ["a", "b", "c"]])
@pytest.mark.parametrize("name", ["RandomizedGBMClassifier", "ForwardStagewiseClassifier"])
def test_an_own_loss_of_classes_has_probabilities(name, classes):
    y = np.array(classes)[
        np.digitize(ETA, np.quantile(ETA, np.linspace(0, 1, len(classes) + 1)[1:-1]))
    ]
    own, ours = (build(name, loss).fit(X, y) for loss in (WithChances(), cb.losses.Logistic()))
    np.testing.assert_allclose(own.predict_proba(X).sum(axis=1), 1, rtol=1e-12)
    assert (own.predict(X) == y).mean() > 0.5
    if name.startswith("Forward"):
        np.testing.assert_allclose(own.predict_proba(X), ours.predict_proba(X), rtol=1e-6)
    refused(lambda: build(name, Labels()).fit(X, y), "declare two_class = True and inverse_link(f)")


class Share(cb.losses.Loss):
    """A loss for targets between 0 and 1."""

    def value(self, y, f):
        return (
            max(f, 0.0)
            + math.log1p(math.exp(-abs(f)))
            - y * f
            + y * math.log(y)
            + (1 - y) * math.log(1 - y)
        )

    def residual(self, y, f):
        return y - 1 / (1 + math.exp(-f))


@pytest.mark.parametrize(
    ("loss", "what", "y"),
    [(Gamma(), "above 0", [0.5, 2.0]), (Share(), "between 0 and 1", [0.1, 0.9])],
)
def test_check_piece_asks_for_targets(loss, what, y):
    report = cb.testing.check_piece(loss, raises=False)
    (words,) = report.sentences
    assert (
        f"hold at targets {what}; pass targets that the loss takes, y=[" in words
        and "domain" not in words
    )
    with pytest.raises(ValueError, match="y="):
        cb.testing.check_piece(loss)
    assert cb.testing.check_piece(loss, y=y)


def test_failures_at_valid_targets_are_reported():
    class Wrong(Gamma):
        def residual(self, y, f):
            return y * math.exp(-f) - 2

    class Off(Gamma):
        def inverse_link(self, f):
            return 1.01 * math.exp(f)

    for loss, law in (
        (Wrong(), "residual is minus the derivative"),
        (Off(), "inverse link leaves no residual"),
    ):
        found = cb.testing.check_piece(loss, raises=False)
        assert [one.name for one in found.failed] == [
            "test targets suit the loss",
            law,
        ] and "math domain" not in str(found)
        assert [
            one.name for one in cb.testing.check_piece(loss, y=[0.5, 2.0], raises=False).failed
        ] == [law]


class Compiled(namedtuple("Compiled", ""), cb.losses.Loss):
    """The Gamma loss as a piece: its compiled logarithm of a negative number gives NaN, without an
    error.
    """

    def value(self, y, f):
        return y * math.exp(-f) - 1 - math.log(y) + f

    def residual(self, y, f):
        return y * math.exp(-f) - 1


@pytest.mark.parametrize("loss", [Gamma(), Compiled()], ids=["plain", "compiled"])
def test_a_target_outside_the_domain_of_a_loss_is_named(loss):
    y = OWN["Gamma"][1].copy()
    y[3] = -2.5
    for action in (
        lambda: cb.Problem(X, y, loss),
        lambda: cb.RandomizedGBMRegressor(loss=loss).fit(X, y),
    ):
        refused(
            action, f"{type(loss).__name__} does not accept the target -2.5: value(-2.5, 0.0) is "
        )
    weight = np.ones(40)
    weight[3] = 0
    assert np.isfinite(
        cb.RandomizedGBMRegressor(loss=loss, n_estimators=1).fit(X, y, weight).predict(X)
    ).all()


class Weighted(namedtuple("Weighted", "heavy"), cb.losses.Loss):
    """The logistic loss with heavy rows of label 1, written for labels -1 and 1 alone."""

    two_class = True

    def value(self, y, f):
        weight = self.heavy if y > 0 else 1.0
        return weight * (max(-y * f, 0.0) + math.log1p(math.exp(-abs(f))))

    def residual(self, y, f):
        weight = self.heavy if y > 0 else 1.0
        return weight * y * (1 / (1 + math.exp(y * f)) if y * f < 700 else 0.0)


def test_a_loss_of_two_classes_is_tried_at_its_labels():
    assert cb.testing.check_piece(Weighted(3.0))


class Bent(namedtuple("Bent", ""), cb.losses.Loss):
    """Above a straight line by less than six digits show."""

    def value(self, y, f):
        return 84.0 + (y - f) ** 2 / 2 + 1e-7 * math.cos(100 * f)

    def residual(self, y, f):
        return y - f + 1e-5 * math.sin(100 * f)


def test_numbers_that_differ_are_printed_so():
    report = cb.testing.check_piece(Bent(), raises=False)
    for sentence in report.sentences:
        found = re.search(r"the value is (\S+) at .* above the straight line, (\S+);", sentence)
        assert found is None or float(found[1]) > float(found[2])
