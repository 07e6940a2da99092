"""Pictures of runs: coefficient profiles and training error against the l1 norm. Matplotlib is imported when a picture is drawn.

A *trace* is what a picture shows of a run: its models at some 200 steps, recomputed by ``replay``. All coefficients are those of the
unit columns ("standardised"); every function returns a matplotlib ``Figure`` and shows nothing.
"""

from typing import NamedTuple

import numpy as np

from coordboost.engine.result import spaced
from coordboost.reporting.report import caption

#: Okabe and Ito's colours without yellow, which is lost on white: told apart with every common colour vision deficiency.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
STYLES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)))
REST = "#BBBBBB"


def figure_size(width, height):
    """The size of a figure, given for the 6.4 x 4.8 that matplotlib has by default, in proportion to what rcParams say."""
    from matplotlib import rcParams

    return width * rcParams["figure.figsize"][0] / 6.4, height * rcParams["figure.figsize"][1] / 4.8


def letter():
    """The size of the letters of names beside lines, in points."""
    from matplotlib.font_manager import FontProperties

    return FontProperties(size="small").get_size_in_points()


def ink():
    """The colour of words."""
    from matplotlib import rcParams

    return rcParams["text.color"]


class Trace(NamedTuple):
    """l1 : (n_points,);  beta : (n_points, n_learners);  error : (n_points,), training error relative to that of beta = 0."""

    l1: np.ndarray
    beta: np.ndarray
    error: np.ndarray


def relative(problem, loss):
    """Losses above the infimum, where it is known, in parts of that of beta = 0."""
    return (loss - (problem.infimum if problem.infimum > -np.inf else 0.0)) / (problem.start_excess or 1.0)


def look(column):
    """Colour and line style of a column, the same in every picture: they hang on its number alone."""
    return {"color": COLOURS[column % len(COLOURS)], "linestyle": STYLES[(column // len(COLOURS)) % len(STYLES)]}


def looks(columns):
    """The look of each of several columns in one picture, a list; columns of one colour have different styles while there are any."""
    out = []
    for column in columns:
        own, taken = look(int(column)), [one["linestyle"] for one in out if one["color"] == look(int(column))["color"]]
        free = [style for style in STYLES if style not in taken]
        out.append({**own, "linestyle": free[0]} if own["linestyle"] in taken and free else own)
    return out


def trace(states):
    """The trace of models of one problem. *Cost*: no scans.

    Parameters
    ----------
    states : iterable of State
        For a run: ``run.replay(spaced(run.n_steps))``.
    """
    states = list(states)
    error = relative(states[0].problem, np.array([state.loss for state in states]))
    return Trace(np.array([state.l1 for state in states]), np.array([state.beta for state in states]), error)


def traces_of(runs):
    """The trace of each run, a list."""
    return [trace(run.replay(spaced(run.n_steps).tolist())) for run in runs]


def spread(heights, gap, low, high):
    """Heights moved as little as possible (in squares) so that neighbours are `gap` apart and all lie within [low, high].

    Where there is no room for that, `gap` is made smaller.
    """
    from scipy.optimize import isotonic_regression

    heights = np.asarray(heights, dtype=float)
    gap = min(gap, (high - low) / max(len(heights) - 1, 1))
    order = np.argsort(heights, kind="stable")
    shift = gap * np.arange(len(heights))
    moved = np.clip(isotonic_regression(heights[order] - shift).x, low, max(high - shift[-1:].sum(), low)) + shift
    out = np.empty(len(heights))
    out[order] = moved
    return out


def figure(runs, lasso=None, title="", *, optimum=None, n_labels=12):
    """Coefficient profiles of runs of one problem side by side on one scale, and below them their training error.

    Parameters
    ----------
    runs : sequence of Run
    lasso : Trace, optional
        Reference drawn thin and grey behind each run: no model of the same l1 norm has a smaller error.
    title : str
        Above all panels.
    optimum : float, optional
        Smallest possible loss, a sum as ``State.loss`` (``report.optimum``): the dashed line.
    n_labels : int
        So many learners with the largest coefficients get a colour and their name; the others are grey.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If there are no runs, or runs with different learners.
    """
    from matplotlib.figure import Figure

    names, traces = _common_names(runs), traces_of(runs)
    fig = Figure(figsize=figure_size(max(0.8 + 3.6 * len(runs), 6.0), 7.6), layout="constrained")
    fig.suptitle(title)
    rows = fig.add_gridspec(2, len(runs), height_ratios=(4, 3))
    first = fig.add_subplot(rows[0, 0])
    axes = [first, *(fig.add_subplot(rows[0, i], sharex=first, sharey=first) for i in range(1, len(runs)))]
    for ax in axes[1:]:
        ax.tick_params(labelleft=False)
    below = fig.add_subplot(rows[1, :], sharex=first if len(runs) == 1 else None)
    _draw_shrinkage(below, runs, traces, lasso, optimum)
    _draw_profiles(fig, axes, runs, traces, names, lasso, n_labels)
    return fig


def _common_names(runs):
    """Names of the learners, the same for all runs."""
    if not runs:
        raise ValueError("expected at least one run to draw, got none: pass a list of runs.")
    names = list(runs[0].problem.feature_names)
    if any(list(run.problem.feature_names) != names for run in runs):
        raise ValueError("runs drawn together must have the same learners: draw runs of different problems one by one.")
    return names


def _draw_profiles(fig, axes, runs, traces, names, lasso, n_labels):
    """One panel a run; the same learner has the same look everywhere."""
    everything = [*traces, *([] if lasso is None else [lasso])]
    size = np.max([np.abs(one.beta).max(axis=0) for one in traces], axis=0)
    named = [int(j) for j in np.argsort(-size, kind="stable")[:n_labels] if size[j] > 0]
    rest, problem = np.setdiff1d(np.flatnonzero(size), named), runs[0].problem
    # the numbers of the columns of X, as in every other picture
    own = looks(problem.standardization.kept[named] if problem.countable else named)
    for ax, run, one in zip(axes, runs, traces, strict=True):
        if lasso is not None:
            ax.plot(lasso.l1, lasso.beta[:, named], color=REST, linewidth=2.8, solid_capstyle="round", zorder=1)
        ax.plot(one.l1, one.beta[:, rest], color=REST, linewidth=0.6, zorder=1.5)
        for j, style in zip(named, own, strict=True):
            ax.plot(one.l1, one.beta[:, j], label=names[j], linewidth=1.4, zorder=2, **style)
        ax.axhline(0.0, color="#888888", linewidth=0.6, zorder=1)
        ax.set_title(caption(run), fontsize="medium")
        ax.set_xlabel("l1 norm, standardised")
    axes[0].set_ylabel("standardised coefficient")
    _scale(axes[0], everything)
    _label_ends(fig, axes, traces, names, named, own)


def _scale(ax, traces):
    """Limits that hold every trace, for all panels that share them."""
    right = max(float(one.l1.max()) for one in traces) or 1.0
    low, high = min(float(one.beta.min()) for one in traces), max(float(one.beta.max()) for one in traces)
    margin = 0.05 * (high - low) or 1.0
    ax.set_xlim(0.0, 1.02 * right)
    ax.set_ylim(low - margin, high + margin)


def _label_ends(fig, axes, traces, names, named, own):
    """Names at the right ends of the lines, nudged apart, each tied to its line by a leader."""
    from matplotlib.patheffects import withStroke

    fig.draw_without_rendering()  # the layout decides how high the panels are
    low, high = axes[0].get_ylim()
    gap = 1.25 * letter() * fig.dpi / 72 / axes[0].get_window_extent().height * (high - low)
    width = axes[0].get_xlim()[1]
    for ax, one in zip(axes, traces, strict=True):
        ends = one.beta[-1, named]
        start = float(one.l1.max()) + 0.01 * width
        for place, height in enumerate(spread(ends, gap, low + gap / 2, high - gap / 2)):
            style = {**own[place], "linestyle": "-"}
            along, heights = [one.l1[-1], start, start + 0.05 * width], [ends[place], ends[place], height]
            ax.plot(along, heights, lw=0.7, clip_on=False, **style)
            text = ax.text(start + 0.06 * width, height, names[named[place]], fontsize="small", va="center", parse_math=False)
            text.set_path_effects([withStroke(linewidth=2.5, foreground="white")])


def _draw_shrinkage(ax, runs, traces, lasso, optimum):
    """Training error of every run over the reference; with a reference also the end of the curves, enlarged."""
    least = None if optimum is None else relative(runs[0].problem, optimum)
    _error_curves(ax, runs, traces, lasso, least, 5.0)
    if lasso is not None:
        low = float(lasso.error.min())
        high = low + 0.01 * (1 - low)
        left, right = float(lasso.l1[lasso.error <= high][0]), 1.02 * float(lasso.l1[-1])
        inset = ax.inset_axes((0.26, 0.38, 0.36, 0.52), xlim=(left, right), ylim=(low - 0.1 * (high - low), high))
        _error_curves(inset, runs, traces, lasso, least, 2.5)
        inset.set_title("the last percent, enlarged", fontsize="small")
        inset.tick_params(labelsize="small")
        ax.indicate_inset((left, low - 0.005, right - left, high - low + 0.01), edgecolor="#888888")
    ax.set_xlim(left=0.0)
    ax.set_xlabel("l1 norm, standardised")
    ax.set_ylabel("training error, 1 = constant model")
    ax.legend(fontsize="small", frameon=False, loc="upper right")


def _error_curves(ax, runs, traces, lasso, least, width):
    if lasso is not None:
        ax.plot(lasso.l1, lasso.error, color=REST, linewidth=width, label="Lasso (grey in every panel)", zorder=1)
    for place, (run, one) in enumerate(zip(runs, traces, strict=True)):
        ax.plot(one.l1, one.error, linewidth=1.4, label=caption(run).replace("\n", ", "), zorder=2, **_ordered(place))
        ax.plot(one.l1[-1:], one.error[-1:], "o", markersize=5, color=_ordered(place)["color"], zorder=3)
    if least is not None:
        ax.axhline(least, color=ink(), linewidth=0.9, linestyle=(0, (6, 3)), label="smallest error", zorder=1.5)


def _ordered(place):
    """Looks of curves that may lie on top of each other: each later one has wider gaps."""
    return {"color": COLOURS[place % len(COLOURS)], "linestyle": ("-", (0, (6, 3)), (0, (2, 4)), (0, (1, 7)))[place % 4]}
