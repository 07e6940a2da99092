"""Cross-validation of several grids, one for each gamma or l1_ratio: table and picture."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_diabetes

import coordboost as cb

X, Y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
SMALL = {"standardize": True, "n_alphas": 12, "eps": 0.01}
MODELS = {
    "gamma": (cb.CertifiedLassoCV, {"gamma": [1.0, 0.5, 0.0]}),
    "l1_ratio": (cb.CertifiedElasticNetCV, {"l1_ratio": [0.1, 0.6, 1.0]}),
    "gamma, l1_ratio": (cb.CertifiedElasticNetCV, {"l1_ratio": [0.5, 1.0], "gamma": [0, 1]}),
}
each = pytest.mark.parametrize("name", MODELS)


@pytest.fixture(scope="module")
def fitted():
    return {name: kind(**SMALL, **given).fit(X, Y) for name, (kind, given) in MODELS.items()}


@each
def test_the_summary_names_the_choices(name, fitted):
    model = fitted[name]
    seen = model.cross_validation_
    text = seen.summary(model.path_)
    header, best, one_se = (line.split() for line in text.replace("mean loss", "loss").split("\n"))
    assert header[:2] == ["point", "alpha"]
    told = dict(zip(header, best[1:], strict=False))
    assert float(told["alpha"]) == pytest.approx(model.alpha_, rel=1e-3)
    assert int(told["point"]) == model.place_.step
    for setting in name.split(", "):
        assert float(told[setting]) == pytest.approx(getattr(model.path_, setting))
    assert len(one_se) == len(best)
    assert best[-1] == str(np.count_nonzero(model.coef_))


@each
def test_a_curve_for_each_grid(name, fitted):
    model = fitted[name]
    seen = model.cross_validation_
    display = cb.plots.CrossValidationDisplay.from_estimator(model, ax=Figure().subplots())
    grids = seen.grids
    assert len(display.lines_) == len(grids) == seen.losses.shape[1] // 12
    for line, grid in zip(display.lines_, grids, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), grid.alphas)
        np.testing.assert_array_equal(line.get_ydata(), seen.mean[grid.points])
        assert grid.words in line.get_label()
    at = next(grid for grid in grids if seen.best < grid.points.stop)
    labels = [line.get_label().partition("\n")[0] for line in display.ax_.lines]
    assert labels[-1] == f"best: {model.alpha_:.3g} ({at.words})"
    assert display.ax_.xaxis_inverted() and display.ax_.get_xscale() == "log"


def test_one_grid_is_one_curve():
    model = cb.CertifiedLassoCV(**SMALL).fit(X, Y)
    assert model.cross_validation_.grids == []
    display = cb.plots.CrossValidationDisplay.from_estimator(model, ax=Figure().subplots())
    assert len(display.lines_) == 1 and display.top_ is not None
    picture = cb.plots.ProfileDisplay.from_estimator(model, against="alpha", ax=Figure().subplots())
    marks = [line for line in picture.ax_.lines if set(line.get_xdata()) == {model.alpha_}]
    assert len(marks) == 1
