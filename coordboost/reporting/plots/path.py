"""Plots of runs: coefficient profiles and training error against the l1 norm.

Matplotlib is imported when a plot is drawn.

A *trace* holds the numbers in a plot of a run: its models at some 200 steps, recomputed by
``replay``. All coefficients are those of columns of norm 1. ``figure`` returns a
matplotlib ``Figure``; nothing is shown.
"""

from typing import NamedTuple

import numpy as np

from coordboost.engine.result import spaced
from coordboost.reporting.plots.drawing import (
    COLOURS,
    REST,
    figure_size,
    ink,
    letter,
    looks,
    name_axes,
    spread,
)
from coordboost.reporting.report import caption


class Trace(NamedTuple):
    """l1 : (n_points,); beta : (n_points, n_learners).

    Error : (n_points,), training error relative to that of beta = 0.
    """

    l1: np.ndarray
    beta: np.ndarray
    error: np.ndarray


def relative(problem, loss):
    """Return losses minus the infimum, if that is known.

    They are relative to that difference at beta = 0.
    """
    return (loss - (problem.infimum if problem.infimum > -np.inf else 0.0)) / (
        problem.start_excess or 1.0
    )


def trace(states):
    """Return the trace of models of one problem. *Cost*: no scans.

    Parameters
    ----------
    states : iterable of State
        For a run: ``run.replay(spaced(run.n_steps))``.
    """
    states = list(states)
    error = relative(states[0].problem, np.array([state.loss for state in states]))
    return Trace(
        np.array([state.l1 for state in states]), np.array([state.beta for state in states]), error
    )


def traces_of(runs):
    """Return the trace of each run, a list."""
    return [trace(run.replay(spaced(run.n_steps).tolist())) for run in runs]


def figure(runs, lasso=None, title="", *, optimum=None, n_labels=12):
    """Draw coefficient profiles of runs of one problem side by side on one scale.

    Below them is their training error.

    Parameters
    ----------
    runs : sequence of Run
    lasso : Trace, optional
        Reference drawn in grey behind each run: the smallest error for each l1 norm.
    title : str
        Title above all panels.
    optimum : float, optional
        Smallest possible loss, a sum like ``State.loss`` (see ``report.optimum``); drawn as a
        dashed line.
    n_labels : int
        Number of learners, those with the largest coefficients, with a colour and a name; the
        others are grey.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If there are no runs, or runs with different learners.
    """
    from matplotlib.figure import Figure

    names = _common_names(runs)
    traces = traces_of(runs)
    fig = Figure(figsize=figure_size(max(0.8 + 3.6 * len(runs), 6.0), 7.6), layout="constrained")
    fig.suptitle(title)
    rows = fig.add_gridspec(2, len(runs), height_ratios=(4, 3))
    first = fig.add_subplot(rows[0, 0])
    axes = [
        first,
        *(fig.add_subplot(rows[0, i], sharex=first, sharey=first) for i in range(1, len(runs))),
    ]
    for ax in axes[1:]:
        ax.tick_params(labelleft=False)
    below = fig.add_subplot(rows[1, :], sharex=first if len(runs) == 1 else None)
    _draw_shrinkage(below, runs, traces, lasso, optimum)
    _draw_profiles(fig, axes, runs, traces, names, lasso, n_labels)
    return fig


def _common_names(runs):
    """Return the names of the learners; raise ValueError unless all runs have the same."""
    if not runs:
        raise ValueError("expected at least one run to draw, got none: pass a list of runs.")
    names = list(runs[0].problem.feature_names)
    if any(list(run.problem.feature_names) != names for run in runs):
        raise ValueError(
            "runs drawn together must have the same learners: draw runs of different problems "
            "one by one."
        )
    return names


def _draw_profiles(fig, axes, runs, traces, names, lasso, n_labels):
    """Draw one panel for each run; a learner has the same look in all panels."""
    everything = [*traces, *([] if lasso is None else [lasso])]
    size = np.max([np.abs(curve.beta).max(axis=0) for curve in traces], axis=0)
    named = [int(j) for j in np.argsort(-size, kind="stable")[:n_labels] if size[j] > 0]
    rest = np.setdiff1d(np.flatnonzero(size), named)
    problem = runs[0].problem
    # looks depend on the number of the column in X, as in every other plot
    own = looks(problem.standardization.kept[named] if problem.countable else named)
    for ax, run, curve in zip(axes, runs, traces, strict=True):
        if lasso is not None:
            ax.plot(
                lasso.l1,
                lasso.beta[:, named],
                color=REST,
                linewidth=2.8,
                solid_capstyle="round",
                zorder=1,
            )
        ax.plot(curve.l1, curve.beta[:, rest], color=REST, linewidth=0.6, zorder=1.5)
        for j, style in zip(named, own, strict=True):
            ax.plot(curve.l1, curve.beta[:, j], label=names[j], linewidth=1.4, zorder=2, **style)
        ax.axhline(0.0, color="#888888", linewidth=0.6, zorder=1)
        label = "coefficient, columns of norm 1" if ax is axes[0] else ""
        name_axes(ax, "l1 norm, columns of norm 1", label, caption(run), fontsize="medium")
    _scale(axes[0], everything)
    _label_ends(fig, axes, traces, names, named, own)


def _scale(ax, traces):
    """Set limits that contain every trace; all panels share them."""
    right = max(float(curve.l1.max()) for curve in traces) or 1.0
    low = min(float(curve.beta.min()) for curve in traces)
    high = max(float(curve.beta.max()) for curve in traces)
    margin = 0.05 * (high - low) or 1.0
    ax.set_xlim(0.0, 1.02 * right)
    ax.set_ylim(low - margin, high + margin)


def _label_ends(fig, axes, traces, names, named, own):
    """Write names at the right ends of the lines, each linked to its line.

    They are spread so that they do not overlap.
    """
    from matplotlib.patheffects import withStroke

    fig.draw_without_rendering()  # the layout decides how high the panels are
    low, high = axes[0].get_ylim()
    gap = 1.25 * letter() * fig.dpi / 72 / axes[0].get_window_extent().height * (high - low)
    width = axes[0].get_xlim()[1]
    for ax, curve in zip(axes, traces, strict=True):
        ends = curve.beta[-1, named]
        start = float(curve.l1.max()) + 0.01 * width
        for place, height in enumerate(spread(ends, gap, low + gap / 2, high - gap / 2)):
            style = {**own[place], "linestyle": "-"}
            along = [curve.l1[-1], start, start + 0.05 * width]
            heights = [ends[place], ends[place], height]
            ax.plot(along, heights, lw=0.7, clip_on=False, **style)
            text = ax.text(
                start + 0.06 * width,
                height,
                names[named[place]],
                fontsize="small",
                va="center",
                parse_math=False,
            )
            text.set_path_effects([withStroke(linewidth=2.5, foreground="white")])


def _draw_shrinkage(ax, runs, traces, lasso, optimum):
    """Draw the training error of every run.

    With a Lasso reference also an inset that enlarges the end of the curves.
    """
    least = None if optimum is None else relative(runs[0].problem, optimum)
    _error_curves(ax, runs, traces, lasso, least, 5.0)
    if lasso is not None:
        low = float(lasso.error.min())
        high = low + 0.01 * (1 - low)
        left = float(lasso.l1[lasso.error <= high][0])
        right = 1.02 * float(lasso.l1[-1])
        inset = ax.inset_axes(
            (0.26, 0.38, 0.36, 0.52), xlim=(left, right), ylim=(low - 0.1 * (high - low), high)
        )
        _error_curves(inset, runs, traces, lasso, least, 2.5)
        name_axes(inset, title="the last percent, enlarged", fontsize="small")
        inset.tick_params(labelsize="small")
        ax.indicate_inset((left, low - 0.005, right - left, high - low + 0.01), edgecolor="#888888")
    ax.set_xlim(left=0.0)
    name_axes(ax, "l1 norm, columns of norm 1", "training error, 1 = constant model")
    ax.legend(fontsize="small", frameon=False, loc="upper right")


def _error_curves(ax, runs, traces, lasso, least, width):
    if lasso is not None:
        ax.plot(
            lasso.l1,
            lasso.error,
            color=REST,
            linewidth=width,
            label="Lasso (grey in every panel)",
            zorder=1,
        )
    for place, (run, curve) in enumerate(zip(runs, traces, strict=True)):
        ax.plot(
            curve.l1,
            curve.error,
            linewidth=1.4,
            label=caption(run).replace("\n", ", "),
            zorder=2,
            **_ordered(place),
        )
        ax.plot(
            curve.l1[-1:],
            curve.error[-1:],
            "o",
            markersize=5,
            color=_ordered(place)["color"],
            zorder=3,
        )
    if least is not None:
        ax.axhline(
            least,
            color=ink(),
            linewidth=0.9,
            linestyle=(0, (6, 3)),
            label="smallest error",
            zorder=1.5,
        )


def _ordered(place):
    """Return the look of a curve.

    Later curves have wider gaps, so that curves below them stay visible.
    """
    return {
        "color": COLOURS[place % len(COLOURS)],
        "linestyle": ("-", (0, (6, 3)), (0, (2, 4)), (0, (1, 7)))[place % 4],
    }
