"""Displays draw the computed numbers on the given axes, and their labels do not overlap."""

import itertools
from functools import cached_property

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from refusal import case, refusals

import coordboost as cb

plt.switch_backend("Agg")
RNG = np.random.default_rng(6)
X = RNG.normal(size=(60, 9))
Y = X @ np.linspace(2, -2, 9) + RNG.normal(size=60)
PROBLEM = cb.Problem(X, Y, feature_names=[f"column number {j}" for j in range(9)])
P = cb.plots


class Made:
    """Results to draw, made on first use: every test process imports this module, and would compile
    for them.
    """

    run = cached_property(lambda self: cb.solve(PROBLEM, cb.forward_stagewise(0.25), 300))
    exact = cached_property(lambda self: cb.exact_path(PROBLEM))
    grid = cached_property(lambda self: cb.lasso_path(PROBLEM, n_alphas=20))
    seen = cached_property(
        lambda self: cb.cross_validate(
            lambda X, y, w: cb.lasso_path(X, y, self.grid.alphas), X, Y, folds=3
        )
    )
    stable = cached_property(
        lambda self: cb.model_selection.stability_selection(
            lambda X, y, w: cb.exact_path(X, y), X, Y, n_pairs=3
        )
    )
    check = cached_property(lambda self: cb.theory.check(self.run)[0])


MADE = Made()
DRAWN = {
    "profile": lambda ax: P.ProfileDisplay.from_run(MADE.run, ax=ax),
    "knots": lambda ax: MADE.exact.plot(ax=ax),
    "alpha": lambda ax: P.ProfileDisplay.from_path(MADE.grid, against="alpha", ax=ax),
    "error": lambda ax: P.ErrorDisplay.from_path(MADE.run, X, Y, X[:20], Y[:20] + 1, ax=ax),
    "validation": lambda ax: P.CrossValidationDisplay.from_cross_validation(
        MADE.seen, MADE.grid.alphas, log=True, ax=ax
    ),
    "selection": lambda ax: P.SelectionDisplay.from_run(MADE.run, ax=ax),
    "stability": lambda ax: P.StabilityDisplay.from_stability(MADE.stable, 6, threshold=0.8, ax=ax),
    "gap": lambda ax: P.GapDisplay.from_run(MADE.run, target=cb.certificates.L1Ball(10.0), ax=ax),
    "scans": lambda ax: P.GapDisplay.from_run(
        MADE.run, against="scans", target=cb.certificates.L1Ball(10.0), ax=ax
    ),
    "gaps": lambda ax: P.GapDisplay.from_path(MADE.grid, ax=ax),
    "bound": lambda ax: P.BoundDisplay.from_check(MADE.check, ax=ax),
}


def overlaps(ax):
    """Return pairs of labels that overlap."""
    ax.figure.draw_without_rendering()
    # labels without their leader lines
    boxes = [(text.get_text(), Text.get_window_extent(text)) for text in ax.texts]
    return [
        (a, b)
        for (a, one), (b, other) in itertools.combinations(boxes, 2)
        if one.shrunk(1, 0.7).overlaps(other.shrunk(1, 0.7))
    ]


def right_of(ax):
    """Return where the next panel begins, or the figure ends, in pixels."""
    others = [
        one.get_tightbbox().x0
        for one in ax.figure.axes
        if one.get_window_extent().x0 > ax.get_window_extent().x1
    ]
    return min([ax.figure.bbox.x1, *others])


@pytest.mark.parametrize(
    "name, panels, layout",
    [
        *((name, 1, "constrained") for name in DRAWN),
        ("profile", 2, "constrained"),
        ("profile", 2, "tight"),
        ("alpha", 2, None),
    ],
)
def test_labels_are_beside_the_axes_and_do_not_overlap(name, panels, layout):
    axes = np.ravel(Figure(figsize=(5.6 * panels, 3.6), layout=layout).subplots(1, panels))
    displays = [DRAWN[name](ax) for ax in axes]
    for ax, display in zip(axes, displays, strict=True):
        assert display.ax_ is ax and display.figure_ is ax.figure and overlaps(ax) == []
        for text in P.drawing.names_beside(ax).values():
            box = Text.get_window_extent(text)
            assert ax.get_window_extent().x1 < box.x0 and box.x1 <= right_of(ax) + 1
        assert ax.get_xlabel() and ax.get_ylabel()


@pytest.mark.parametrize("against", ["l1", "fraction", "step", "alpha", "deviance"])
@pytest.mark.parametrize("path", ["run", "exact", "grid"])
def test_profiles_are_the_coefficients(path, against):
    path = getattr(MADE, path)
    numbers, coefs = path.profile()
    # the norm of the path is that of unit columns
    units = "unit" if against in ("l1", "fraction") else "original"
    display = P.ProfileDisplay.from_path(
        path, against=against, units=units, ax=Figure().subplots(), n_labels=4
    )
    coefs = coefs if units == "original" else coefs * PROBLEM.standardization.norm
    lines = [line.get_ydata() for line in display.ax_.lines if len(line.get_ydata()) == len(coefs)]
    for column in coefs.T[coefs.any(axis=0)]:
        assert any(np.array_equal(column, line) for line in lines)
    if against != "alpha":
        np.testing.assert_array_equal(display.x_, numbers[against])
    unit = P.ProfileDisplay.from_path(path, ax=Figure().subplots())
    np.testing.assert_allclose(unit.coefs, path.profile()[1] * PROBLEM.standardization.norm)


def test_curves_are_the_numbers():
    error = DRAWN["error"](Figure().subplots())
    np.testing.assert_array_equal(error.train, -MADE.run.score_path(X, Y))
    np.testing.assert_array_equal(error.lines_[0].get_ydata(), error.train)
    seen = DRAWN["validation"](Figure().subplots()).ax_
    alphas = MADE.grid.alphas
    np.testing.assert_array_equal(seen.lines[0].get_ydata(), MADE.seen.mean)
    assert [line.get_xdata()[0] for line in seen.lines[1:]] == [
        alphas[MADE.seen.one_se],
        alphas[MADE.seen.best],
    ]
    counts = DRAWN["selection"](Figure().subplots())
    assert counts.counts.sum() == 300 and counts.ax_.patches[0].get_width() == counts.counts.max()
    gap = DRAWN["gap"](Figure().subplots())
    assert (
        gap.gaps[-1]
        == MADE.run.final.certificate(cb.certificates.L1Ball(10.0)).gap / PROBLEM.start_excess
    )
    scans = DRAWN["scans"](Figure().subplots())
    np.testing.assert_array_equal(scans.gaps, gap.gaps)
    assert (np.diff(scans.x) >= 0).all() and scans.x[-1] == max(MADE.run.n_scans, 1)
    bound = DRAWN["bound"](Figure().subplots()).ax_.lines
    np.testing.assert_array_equal(bound[0].get_ydata(), MADE.check.bound)
    np.testing.assert_array_equal(bound[1].get_ydata(), MADE.check.measured)


def test_fitted_estimators_are_drawn():
    lasso = cb.CertifiedLassoCV(cv=3, n_alphas=10).fit(X, Y)
    ax = P.ProfileDisplay.from_estimator(lasso, against="step", ax=Figure().subplots()).ax_
    assert any(np.array_equal(line.get_xdata(), [lasso.place_.step] * 2) for line in ax.lines)
    assert (
        "alpha"
        in P.CrossValidationDisplay.from_estimator(lasso, ax=Figure().subplots()).ax_.get_xlabel()
    )
    run = cb.ForwardStagewiseRegressorCV(n_steps=30, cv=3).fit(X, Y)
    P.CrossValidationDisplay.from_estimator(run, ax=Figure().subplots())
    P.SelectionDisplay.from_estimator(run, ax=Figure().subplots())
    assert P.ErrorDisplay.from_estimator(run, X, Y, ax=Figure().subplots()).test is None


def test_five_thousand_columns():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(50, 5000))
    run = cb.solve(
        cb.Problem(table, table[:, 7] + rng.normal(size=50)), cb.forward_stagewise(0.1), 300
    )
    ax = P.ProfileDisplay.from_run(run, ax=Figure(figsize=(5, 3)).subplots()).ax_
    assert len(ax.lines) < 300 and 0 < len(ax.texts) <= 12 and overlaps(ax) == []
    assert "others" in P.SelectionDisplay.from_run(run, ax=Figure().subplots()).ax_.get_xlabel()


test_what_is_refused = refusals(
    case(
        "against",
        lambda: P.ProfileDisplay.from_run(MADE.run, against="lambda"),
        "against must be one of 'l1', 'fraction'",
    ),
    case(
        "gap",
        lambda: P.GapDisplay.from_run(MADE.run, against="time"),
        "against must be 'step' or 'scans'",
    ),
    case(
        "units",
        lambda: P.ProfileDisplay.from_run(MADE.run, units="raw"),
        "units must be 'unit' or 'original', got 'raw'",
    ),
    case(
        "keyword",
        lambda: MADE.run.plot(standardized=True),
        "ProfileDisplay has no option 'standardized'",
    ),
    case(
        "variant",
        lambda: P.BoundDisplay.from_run(MADE.run, "Theorem 3.1 (iv)", variant="sharpened"),
        "variant of Theorem 3.1 (iv) must be 'printed', got 'sharpened'",
    ),
    case(
        "points",
        lambda: P.CrossValidationDisplay.from_cross_validation(MADE.seen, path=MADE.run),
        "path must have the 20 points of the validation, got one with 301",
    ),
    case(
        "bound",
        lambda: P.BoundDisplay.from_run(MADE.run, "Theorem 9"),
        "no statement is called 'Theorem 9'; those for this run",
    ),
    case(
        "bounds",
        lambda: P.BoundDisplay.from_run(MADE.run, "Theorem 3.1"),
        "statement must be one of 'Theorem 3.1 (i)'",
    ),
)


def test_a_point_of_a_path_is_marked():
    display = MADE.grid.plot(model=3, against="alpha", ax=Figure().subplots())
    line = next(line for line in display.ax_.lines if line.get_label() == "the model")
    assert line.get_xdata()[0] == MADE.grid.alphas[3]
    marked = MADE.run.plot(model=299, against="step", ax=Figure().subplots())
    assert abs(marked.x_[marked.model] - 299) <= 2
    for wrong in (20, -1, 1.5):
        with pytest.raises(ValueError, match="model must be"):
            MADE.grid.plot(model=wrong, ax=Figure().subplots())


def test_a_legend_that_would_cover_a_curve_is_above_it():
    ax = Figure(layout="constrained").subplots()
    everywhere = np.random.default_rng(0).uniform(size=1000)
    P.ErrorDisplay(everywhere, 1 - everywhere, words="step").plot(ax)
    assert ax.get_ylim()[1] > 1.1
    ax.figure.draw_without_rendering()
    box = ax.get_legend().get_window_extent()
    for line in ax.lines:
        assert not box.count_contains(ax.transData.transform(line.get_xydata()))
