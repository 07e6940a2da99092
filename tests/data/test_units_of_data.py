"""Models do not depend on the units of y, X and the weights: the same model in any unit, or an
error with the reason.
"""

import numpy as np
import pytest
from all_estimators import ESTIMATORS, by_folds, of_trees, quick, target
from sklearn.base import is_classifier

import coordboost as cb

N = 120
RNG = np.random.default_rng(1)
X = RNG.normal(size=(N, 4))
Y = X @ [1.0, 0, -2, 0] + np.where(X[:, 1] > 0, 2.0, 0) + 0.5 * RNG.normal(size=N)
NAMES = np.array(["blue", "red"])[(np.median(Y) < Y).astype(int)]
COUNTS = RNG.poisson(np.exp(0.3 * X[:, 0] + 0.5)).astype(float)
WEIGHT = RNG.integers(1, 4, N).astype(float)
#: Factors and shifts of y; factors of X and of the weights.
TARGETS = ((1e-6, 0.0), (1e6, 1e3), (1e-60, 0.0))
COLUMNS = (1e-6, 1e6)
WEIGHTS = (1e-100, 1e-6, 1e6, 1e99)
#: The two penalties have different units, as in scikit-learn: alpha l1_ratio that of y times X,
#: alpha (1 - l1_ratio) that of X^2.
NETS = (cb.CertifiedElasticNet, cb.CertifiedElasticNetCV)
each = pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
of_numbers = pytest.mark.parametrize(
    "kind",
    [kind for kind in ESTIMATORS if not is_classifier(kind()) and "Poisson" not in kind.__name__],
    ids=lambda kind: kind.__name__,
)


def fitted(kind, settings, unit=1.0, shift=0.0, columns=1.0, weight=None):
    """Predictions for the training rows, in the unit of Y; alpha is given by the user, in the unit
    of y times X.
    """
    known = kind().get_params(deep=False)
    own = {"alpha": kind().alpha * unit * columns} if "alpha" in known else {}
    y = target(kind, unit * Y + shift, NAMES, COUNTS)
    model = quick(kind, **own, **settings).fit(columns * X, y, sample_weight=weight)
    return (
        model.predict_proba(columns * X)
        if is_classifier(model)
        else (model.predict(columns * X) - shift) / unit
    )


def alike(one, other):
    return np.abs(one - other).max() <= 1e-6 * np.ptp(one) + 1e-12 * np.abs(one).max()


def variants(kind):
    """Settings of an estimator under which other defaults matter."""
    known = kind().get_params(deep=False)
    yield {}
    if "early_stopping" in known:
        yield {"early_stopping": True, "n_estimators": 40, "n_iter_no_change": 3}
    if by_folds(kind):
        yield from (
            {"rule": rule}
            for rule in ("one_se", *(("aic", "bic", "cp") if "noise_variance" in known else ()))
        )


def check(kind, settings):
    """Compare the model in all units."""
    plain = fitted(kind, settings)
    weighted = fitted(kind, settings, weight=WEIGHT)
    if not (is_classifier(kind()) or "Poisson" in kind.__name__ or kind in NETS):
        for unit, shift in TARGETS:
            assert alike(plain, fitted(kind, settings, unit, shift)), (unit, shift)
    for columns in () if kind in NETS else COLUMNS:
        assert alike(plain, fitted(kind, settings, columns=columns)), columns
    for by in () if "Langevin" in kind.__name__ else WEIGHTS:
        assert alike(plain, fitted(kind, settings, weight=np.full(N, by))), by
        assert alike(weighted, fitted(kind, settings, weight=by * WEIGHT)), by


@each
def test_defaults(kind):
    check(kind, {})


@pytest.mark.slow
@each
def test_other_settings(kind):
    for settings in list(variants(kind))[1:]:
        check(kind, settings)


@pytest.mark.slow
@of_numbers
def test_other_losses(kind):
    """The user gives the delta of ``Huber``, in the unit of y."""
    if "loss" not in kind().get_params():
        return
    smooth = not of_trees(kind) or "Accelerated" in kind.__name__ or "Langevin" in kind.__name__
    for settings in variants(kind):
        if settings.get("rule") in ("aic", "bic", "cp"):
            continue
        for loss in [
            lambda unit: cb.losses.Huber(0.5 * unit),
            *([] if smooth else [lambda unit: cb.losses.Quantile(0.7)]),
        ]:
            plain = fitted(kind, {**settings, "loss": loss(1.0)})
            for unit, shift in TARGETS[:2]:
                assert alike(plain, fitted(kind, {**settings, "loss": loss(unit)}, unit, shift)), (
                    settings,
                    unit,
                )


@each
@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_weights_far_from_1_are_refused(kind, size):
    """With 1e-300 a tree once came out different, or the fit never ended."""
    y = target(kind, Y, NAMES, COUNTS)
    for weight in (np.full(N, size), size * WEIGHT):
        with pytest.raises(
            ValueError,
            match=r"the largest sample_weight is .*e[+-]300, (more|less) than 1e-?100; rescale the "
            r"weights\.",
        ):
            quick(kind).fit(X, y, sample_weight=weight)
    if of_trees(kind):
        with pytest.raises(ValueError, match="the largest sample_weight_val is"):
            quick(kind).fit(X, y, X_val=X, y_val=y, sample_weight_val=np.full(N, size))


@pytest.mark.parametrize("unit", [1e-140, 1e-100, 1e100, 1e140])
@pytest.mark.parametrize(
    "kind", [cb.RandomizedGBMRegressor, cb.AcceleratedGBMRegressor, cb.RegularizedGBMRegressor]
)
def test_trees_of_tiny_targets(kind, unit):
    """Where the square of the scale of the targets overflows, no tree once split."""
    assert alike(fitted(kind, {}), fitted(kind, {}, unit))
    small = 1e-90 if unit < 1 else 1.0
    assert alike(fitted(kind, {}), fitted(kind, {}, max(unit, 1e-100), weight=np.full(N, small)))


def test_the_default_penalty_is_that_of_the_loss():
    """.01 if y has variance 1, and for classes; a given penalty is used as it is."""
    y = (Y - Y.mean()) / Y.std()
    for unit in (1e-3, 1.0, 1e3):
        model = quick(cb.RegularizedGBMRegressor).fit(X, unit * y)
        assert model.penalty_ == pytest.approx(0.01 * unit**2)
    for penalty in (0.0, 0.3):
        assert (
            quick(cb.RegularizedGBMRegressor, penalty=penalty).fit(X, 1e3 * y).penalty_ == penalty
        )
    assert quick(cb.RegularizedGBMClassifier).fit(X, NAMES).penalty_ == 0.01


@pytest.mark.parametrize(
    "loss", [lambda unit: None, lambda unit: cb.losses.Huber(0.5 * unit)], ids=["squared", "huber"]
)
def test_the_default_temperature_is_in_the_unit_of_the_target(loss):
    one, other = (
        quick(cb.LangevinGBMRegressor, loss=loss(unit)).fit(X, unit * Y) for unit in (1.0, 1e-4)
    )
    assert other.beta_ == pytest.approx(
        1e8 * one.beta_, rel=1e-6
    ) and other.gamma_ == pytest.approx(one.gamma_, rel=1e-6)
    level = {"observation": one.noise_variance_ is not None}
    assert np.allclose(
        one.predict_interval(X, **level) * 1e-4,
        other.predict_interval(X, **level),
        rtol=1e-5,
        atol=1e-9,
    )
    assert quick(cb.LangevinGBMRegressor, beta=3.0).fit(X, 1e-4 * Y).beta_ == 3.0


@pytest.mark.parametrize("kind", [cb.LangevinGBMRegressor, cb.LangevinGBMClassifier])
def test_weights_are_observations_in_a_posterior(kind):
    y = target(kind, Y, NAMES, COUNTS)
    one, other = (quick(kind).fit(X, y, sample_weight=np.full(N, by)) for by in (1.0, 4.0))
    scale = other.noise_variance_ / one.noise_variance_ if one.noise_variance_ else 1.0
    assert other.beta_ * scale == pytest.approx(4 * one.beta_)
    with pytest.raises(
        ValueError,
        match=r"^the sum of sample_weight is 0\.012, but weights count observations here: "
        r"scale them",
    ):
        quick(kind).fit(X, y, sample_weight=np.full(N, 1e-4))


METHODS = {
    "ls_boost": lambda unit: cb.ls_boost(),
    "forward_stagewise": lambda unit: cb.forward_stagewise(0.1 * unit),
    "regularized_forward_stagewise": lambda unit: cb.regularized_forward_stagewise(
        0.1 * unit, 9 * unit
    ),
    "path_forward_stagewise": lambda unit: cb.path_forward_stagewise(0.1 * unit, [9 * unit] * 50),
    "frank_wolfe": lambda unit: cb.methods.frank_wolfe(9 * unit),
    "frank_wolfe_away": lambda unit: cb.methods.frank_wolfe_away(9 * unit),
    "frank_wolfe_pairwise": lambda unit: cb.methods.frank_wolfe_pairwise(9 * unit),
    "gcd": lambda unit: cb.methods.gcd(),
    "rcd": lambda unit: cb.methods.rcd(),
    "ccd": lambda unit: cb.methods.ccd(),
    "rtgcd": lambda unit: cb.rtgcd(2),
    "lasso_cd": lambda unit: cb.methods.lasso_cd(0.5 * unit),
    "forward_stepwise": lambda unit: cb.forward_stepwise(),
    "agbm": lambda unit: cb.agbm(0.3, 0.1),
    "gbm": lambda unit: cb.gbm(),
    "agbm, auto": lambda unit: cb.agbm(0.3, "auto"),
    "agbmr": lambda unit: cb.agbmr(0.3, 0.1),
    "sgb": lambda unit: cb.sgb(subsample=0.5),
    "vagbm": lambda unit: cb.vagbm(0.3, guard=True),
    "sglb": lambda unit: cb.sglb(beta=1e4 / unit**2),
    "rgb": lambda unit: cb.rgb(0.01 * unit**2),
}


@pytest.mark.parametrize("name", METHODS)
def test_every_method(name):
    """Step lengths and radii are given by the user, in the unit of y, for coefficients of unit
    columns.
    """

    def run(unit=1.0, shift=0.0, columns=1.0, by=1.0):
        problem = cb.Problem(columns * X, unit * Y + shift, sample_weight=by * WEIGHT)
        n_steps = 4 if name == "forward_stepwise" else 50
        length = unit if name in ("lasso_cd", "rgb", "sglb") else unit * np.sqrt(by)
        found = cb.solve(problem, METHODS[name](length), n_steps, compile=False)
        return (found.predict(columns * X) - shift) / unit

    plain = run()
    changes = [{"unit": unit, "shift": shift} for unit, shift in TARGETS] + [
        {"columns": by} for by in COLUMNS
    ]
    changes += [] if name in ("lasso_cd", "sglb") else [{"by": by} for by in (1e-90, 1e-6, 1e90)]
    for change in changes if name != "rgb" else [{"unit": 1e-6}, {"by": 1e-6}]:
        assert alike(plain, run(**change)), change
