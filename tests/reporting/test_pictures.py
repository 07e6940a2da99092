"""Plots: one style for each variable, labels once, axes that end where the path ends, and text that
names what is shown.
"""

import itertools
from functools import cached_property

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from refusal import refused

import coordboost as cb

plt.switch_backend("Agg")
RNG = np.random.default_rng(4)
X = RNG.normal(size=(60, 9)) * 10.0 ** np.arange(-4, 5)
Y = X / X.std(axis=0) @ np.linspace(2, -2, 9) + RNG.normal(size=60)
NAMES = [f"variable {j}" for j in range(9)]
PROBLEM = cb.Problem(X, Y, feature_names=NAMES)
P = cb.plots


class Made:
    """The objects that the plots show, computed on first use."""

    runs = cached_property(
        lambda self: [
            cb.solve(PROBLEM, cb.forward_stagewise(eps), int(60 / eps)) for eps in (4.0, 1.0, 0.1)
        ]
    )
    grid = cached_property(lambda self: cb.lasso_path(PROBLEM, n_alphas=12))
    raw = cached_property(lambda self: cb.lasso_path(X, Y, n_alphas=12, unit_columns=False))
    exact = cached_property(lambda self: cb.exact_path(PROBLEM))
    boost = cached_property(lambda self: cb.solve(PROBLEM, cb.ls_boost(0.1), 60))
    checks = cached_property(lambda self: cb.theory.check(self.boost))
    stable = cached_property(
        lambda self: cb.model_selection.stability_selection(
            lambda X, y, w: cb.exact_path(X, y), X, Y, n_pairs=3
        )
    )
    lasso_cv = cached_property(
        lambda self: cb.CertifiedLassoCV(cv=3, n_alphas=15, standardize=True).fit(X, Y)
    )
    boost_cv = cached_property(lambda self: cb.LSBoostRegressorCV(cv=3, n_steps=400).fit(X, Y))

    def paths(self):
        return [*self.runs, self.grid, self.raw, self.exact, self.boost]


MADE = Made()
DISPLAYS = {
    "profile": lambda **kw: P.ProfileDisplay.from_path(MADE.runs[1], **kw),
    "error": lambda **kw: P.ErrorDisplay.from_path(MADE.runs[1], X, Y, X[:20], Y[:20] + 1, **kw),
    "validation": lambda **kw: P.CrossValidationDisplay.from_estimator(MADE.lasso_cv, **kw),
    "gap": lambda **kw: P.GapDisplay.from_run(MADE.runs[1], **kw),
    "gaps": lambda **kw: P.GapDisplay.from_path(
        cb.lasso_path(PROBLEM, n_alphas=9, solver="cd"), **kw
    ),
    "bound": lambda **kw: P.BoundDisplay.from_run(MADE.boost, "Theorem 2.1 (i)", **kw),
    "selection": lambda **kw: P.SelectionDisplay.from_run(MADE.runs[1], **kw),
    "stability": lambda **kw: P.StabilityDisplay.from_stability(MADE.stable, 6, NAMES, **kw),
}
CURVES = [name for name in DISPLAYS if name != "selection"]


def colours(display):
    """The style of each variable, by column number."""
    return {
        int(j): (line.get_color(), line.get_linestyle())
        for j, line in zip(display.columns_, display.lines_, strict=True)
    }


def words(ax):
    """The texts in the legend of an Axes."""
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_a_variable_has_one_look_in_all_pictures():
    """The style belongs to the variable, not to its rank, which differs between units and in short
    runs.
    """
    seen = {}
    for path in MADE.paths():
        for options in ({}, {"units": "original"}, {"against": "step"}, {"n_labels": 3}):
            for name, look in colours(
                P.ProfileDisplay.from_path(path, ax=Figure().subplots(), **options)
            ).items():
                assert seen.setdefault(name, look) == look
    for name, look in colours(DISPLAYS["stability"](ax=Figure().subplots())).items():
        assert seen[name] == look
    assert len(seen) == len(set(seen.values())) == 9


def test_a_path_over_another_prints_each_name_once():
    lasso = P.ProfileDisplay.from_path(
        MADE.grid, label="Lasso", ax=Figure(layout="constrained").subplots()
    )
    run = P.ProfileDisplay.from_run(
        MADE.runs[0], ax=lasso.ax_, label="FS", linestyle="--", legend=True
    )
    texts = [text.get_text() for text in lasso.ax_.texts]
    assert sorted(texts) == NAMES and words(lasso.ax_) == ["Lasso", "FS"]
    assert {line.get_linestyle() for line in run.lines_} == {"--"}
    both = colours(lasso)
    assert all(both[name][0] == colour for name, (colour, _) in colours(run).items())
    ends = max(line.get_xdata().max() for line in lasso.lines_ + run.lines_)
    assert lasso.ax_.get_xlim() == (0, ends)
    # a name is attached to the line that goes further
    assert all(
        text.xy[0] == ends for text in lasso.ax_.texts if MADE.grid.l1[-1] >= MADE.runs[0].final.l1
    )


@pytest.mark.parametrize("legend", [False, True])
def test_names_stand_beside_the_lines_or_in_a_legend(legend):
    ax = MADE.grid.plot(ax=Figure().subplots(), legend=legend).ax_
    assert (words(ax) if legend else sorted(text.get_text() for text in ax.texts)) == NAMES
    assert bool(ax.texts) != legend
    MADE.runs[0].plot(ax=ax, legend=legend)
    assert len(words(ax) if legend else ax.texts) == 9
    handles = MADE.exact.plot(ax=Figure().subplots()).ax_.get_legend_handles_labels()[1]
    assert handles == NAMES  # what the caller's own ax.legend() would show


@pytest.mark.parametrize("name", CURVES)
def test_keywords_of_lines_go_through(name):
    display = DISPLAYS[name](
        ax=Figure().subplots(), color="crimson", ls=":", lw=2.5, label="mine $", legend=True
    )
    line = display.lines_[0]
    assert (line.get_color(), line.get_linestyle(), line.get_linewidth()) == ("crimson", ":", 2.5)
    assert sum(word.startswith(r"mine \$") for word in words(display.ax_)) >= 1
    refused(lambda: DISPLAYS[name](ax=Figure().subplots(), colour="red"), "has no option 'colour'")


@pytest.mark.parametrize("name", DISPLAYS)
def test_axes_end_where_the_path_ends_and_have_names(name):
    display = DISPLAYS[name](ax=Figure(layout="constrained").subplots())
    ax = display.ax_
    display.figure_.draw_without_rendering()
    assert ax.get_xlabel() and ax.get_ylabel()
    if name != "selection":
        x = np.concatenate(
            [line.get_xdata()[np.isfinite(line.get_ydata())] for line in display.lines_]
        )
        # limits on a log axis are rounded
        np.testing.assert_allclose(sorted(ax.get_xlim()), [x.min(), x.max()], rtol=1e-12)
    display.plot(ax=ax)
    display.figure_.draw_without_rendering()
    assert len(set(words(ax) if ax.get_legend() else [])) == len(
        words(ax) if ax.get_legend() else []
    )
    texts = [text.get_text() for text in ax.texts]
    assert name == "selection" or len(texts) == len(set(texts))


@pytest.mark.parametrize("name, size", [(name, 6.0) for name in DISPLAYS] + [("profile", 17.0)])
def test_rcparams_are_respected(name, size):
    with plt.rc_context({"font.size": size, "figure.figsize": (7.5, 5.5)}):
        display = DISPLAYS[name]()
        display.figure_.draw_without_rendering()
    ax = display.ax_
    assert display.figure_.get_size_inches().tolist() == [7.5, 5.5]
    assert {
        ax.xaxis.label.get_fontsize(),
        ax.yaxis.label.get_fontsize(),
        ax.get_xticklabels()[0].get_fontsize(),
    } == {size}
    assert ax.title.get_fontsize() == pytest.approx(1.2 * size)
    assert all(text.get_fontsize() == pytest.approx(0.833 * size) for text in ax.texts)
    if ax.get_legend():
        assert all(text.get_fontsize() == size for text in ax.get_legend().get_texts())
    plt.close("all")


def test_axes_say_in_which_units():
    def said(path, **options):
        ax = path.plot(ax=Figure().subplots(), **options).ax_
        return ax.get_xlabel(), ax.get_ylabel()

    assert said(MADE.runs[0]) == (
        "l1 norm, columns of norm 1",
        "coefficient, columns of norm 1",
    )
    assert said(MADE.raw, units="original") == (
        "l1 norm, original units",
        "coefficient, original units",
    )
    assert said(MADE.raw, against="alpha")[0] == "alpha (mean loss, original units)"
    assert (
        said(MADE.grid, against="alpha")[0]
        == said(MADE.exact, against="alpha")[0]
        == "alpha (mean loss, unit columns)"
    )
    assert said(MADE.lasso_cv.path_, against="alpha")[0] == "alpha (mean loss, columns of sd 1)"
    factors = cb.lasso_path(X, Y, n_alphas=3, penalty_factor=np.linspace(1, 2, 9))
    assert said(factors, against="alpha")[0] == "alpha (mean loss, times its factors)"
    assert [said(path, against="step")[0] for path in (MADE.boost, MADE.exact)] == ["step", "knot"]
    stumps = cb.solve(cb.Problem(cb.data.trees(X, max_depth=1), Y), cb.gbm(rate=0.1), 5)
    assert said(stumps) == ("l1 norm, unit learners", "coefficient, unit learners")


def test_an_estimator_marks_its_model_whenever_it_is_drawn():
    display = P.ProfileDisplay.from_estimator(
        MADE.lasso_cv, against="alpha", ax=Figure().subplots()
    )
    for ax in (display.ax_, display.plot(ax=Figure().subplots()).ax_):
        assert any(
            np.allclose(line.get_xdata(), MADE.lasso_cv.alpha_)
            for line in ax.lines
            if len(line.get_xdata()) == 2
        )


def test_gaps_on_one_axis_have_colours_and_names():
    ax = Figure().subplots()
    gaps = [P.GapDisplay.from_run(run, ax=ax) for run in MADE.runs]
    gaps.append(P.GapDisplay.from_run(MADE.runs[2], ax=ax, target=cb.certificates.L1Ball(10.0)))
    drawn = [gap.lines_[0].get_color() for gap in gaps]
    assert drawn == plt.rcParams["axes.prop_cycle"].by_key()["color"][:4]
    assert words(ax) == [
        *(f"forward_stagewise, eps = {eps}\n(gap to: optimum)" for eps in ("4", "1", "0.1")),
        "forward_stagewise, eps = 0.1\n(gap to: Lasso, l1 <= 10)",
    ]
    assert words(P.GapDisplay.from_run(MADE.runs[0], ax=Figure().subplots(), label="mine").ax_) == [
        "mine"
    ]


def test_a_bound_says_its_variant_and_its_quantity():
    ax = Figure().subplots()
    printed = P.BoundDisplay.from_run(MADE.boost, "Theorem 2.1 (i)", ax=ax)
    sharpened = P.BoundDisplay.from_run(MADE.boost, "Theorem 2.1 (i)", variant="sharpened", ax=ax)
    assert (printed.check.variant, sharpened.check.variant) == ("printed", "sharpened")
    assert words(ax) == ["bound, printed", "measured", "bound, sharpened"]
    assert (ax.get_title(), ax.get_xlabel(), ax.get_ylabel()) == (
        "Theorem 2.1 (i)",
        "step + 1",
        "L(beta_k) - L*",
    )
    assert printed.lines_[0].get_color() != sharpened.lines_[0].get_color()
    np.testing.assert_array_equal(printed.lines_[0].get_ydata(), printed.check.bound)
    assert sum(line.get_gid() == "measured" for line in ax.lines) == 1


def test_cross_validation_says_what_it_shows():
    display = P.CrossValidationDisplay.from_estimator(
        MADE.lasso_cv, ax=Figure(layout="constrained").subplots()
    )
    display.figure_.draw_without_rendering()
    ax = display.ax_
    seen = MADE.lasso_cv.cross_validation_
    path = MADE.lasso_cv.path_
    assert (
        ax.get_xlabel() == "alpha (mean loss, columns of sd 1), log scale"
        and ax.get_xscale() == "log"
    )
    assert ax.get_ylabel() == "mean loss on rows held out (validation)" and ax.xaxis.get_inverted()
    assert words(ax)[:2] == ["mean of 3 folds", "one standard error to either side"]
    assert f"best: {path.alphas[seen.best]:.3g}" in words(ax)[3]
    counts = dict(zip(display.top_.get_xticks(), display.top_.get_xticklabels(), strict=True))
    known = dict(zip(path.alphas, (path.coefs != 0).sum(axis=0), strict=True))
    assert len(counts) > 3 and all(
        int(text.get_text()) == known[alpha] for alpha, text in counts.items()
    )
    assert display.top_.get_xlabel() == "non-zero coefficients"
    boxes = [Text.get_window_extent(text) for text in display.top_.get_xticklabels()]
    assert not any(a.overlaps(b) for a, b in itertools.pairwise(boxes))


def losses(best, n=101):
    """A cross-validation whose best point is number `best`."""
    return cb.model_selection.CrossValidation(
        np.array([[1 + abs(k - best) / n for k in range(n)]] * 2), np.ones(2), ()
    )


@pytest.mark.parametrize(
    ("best", "scale"), [(7, "symlog"), (3, "symlog"), (40, "linear"), (100, "linear")]
)
def test_a_best_point_far_left_uses_a_log_axis(best, scale):
    ax = P.CrossValidationDisplay.from_cross_validation(
        losses(best), words="step", ax=Figure().subplots()
    ).ax_
    assert ax.get_xscale() == scale and ("log scale" in ax.get_xlabel()) == (scale == "symlog")
    forced = P.CrossValidationDisplay.from_cross_validation(
        losses(best), log=False, ax=Figure().subplots()
    ).ax_
    assert forced.get_xscale() == "linear" and "log" not in forced.get_xlabel()


@pytest.mark.parametrize(
    ("best", "said"),
    [
        (100, "the end of the path: try a longer one"),
        (0, "the first point: nothing beats the start"),
        (50, ""),
    ],
)
@pytest.mark.parametrize("at", [None, np.geomspace(1, 1e-3, 101)])
def test_a_best_point_at_an_end_is_reported(best, said, at):
    ax = P.CrossValidationDisplay.from_cross_validation(
        losses(best), at, ax=Figure().subplots()
    ).ax_
    (line,) = (word for word in words(ax) if word.startswith("best"))
    assert said in line and ("(" in line) == bool(said)


def test_training_and_validation_are_called_so():
    assert [
        word.split(" (")[0] for word in words(DISPLAYS["error"](ax=Figure().subplots()).ax_)
    ] == ["training", "validation"]
    ax = DISPLAYS["error"](ax=Figure().subplots(), label="FS").ax_
    assert words(ax)[0] == "FS, training" and words(ax)[1].startswith(
        "FS, validation (smallest at "
    )
    classes = cb.ForwardStagewiseClassifierCV(n_steps=5, cv=2).fit(X, np.arange(60) % 3)
    refused(
        lambda: P.CrossValidationDisplay.from_estimator(classes),
        "this estimator has 3 cross-validations, one for each class",
    )


@pytest.mark.parametrize("n_steps", [0, 1])
def test_a_path_of_one_or_two_points(n_steps):
    run = cb.solve(PROBLEM, cb.forward_stagewise(1.0), n_steps)
    for against in ("l1", "fraction", "step", "alpha", "deviance"):
        display = run.plot(against=against, ax=Figure(layout="constrained").subplots())
        display.figure_.draw_without_rendering()
        assert (
            len(display.lines_) == n_steps
            and np.ptp(display.ax_.get_xlim()) > 0
            and display.ax_.get_ylabel()
        )


def test_names_follow_limits_that_change_later():
    """Panels with a shared axis: a later plot changes the heights in the earlier one."""
    axes = Figure(layout="constrained").subplots(1, 2, sharey=True)
    display = MADE.runs[1].plot(ax=axes[0])
    axes[1].plot([0, 1], [-300, 300])
    display.figure_.draw_without_rendering()
    ends = {name: display.coefs[-1, j] for j, name in enumerate(NAMES)}
    texts = sorted(axes[0].texts, key=lambda text: Text.get_window_extent(text).y0)
    assert [ends[text.get_text()] for text in texts] == sorted(
        ends[text.get_text()] for text in texts
    )
    boxes = [Text.get_window_extent(text) for text in texts]
    middle = axes[0].transData.transform([(0, np.mean([*ends.values()]))])[0, 1]
    assert boxes[0].y0 < middle < boxes[-1].y1 and all(
        a.y1 <= b.y0 + 4 for a, b in itertools.pairwise(boxes)
    )


def test_names_with_dollars_and_many_letters():
    names = [f"price $ of {'x' * j}$" for j in range(9)]
    run = cb.solve(cb.Problem(X, Y, feature_names=names), cb.forward_stagewise(1.0), 60)
    for options in ({}, {"legend": True}):
        run.plot(
            ax=Figure(layout="constrained").subplots(), **options
        ).figure_.draw_without_rendering()
    P.SelectionDisplay.from_run(run, ax=Figure().subplots()).figure_.draw_without_rendering()
