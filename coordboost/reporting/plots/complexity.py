"""Plot of a path over complexity penalties: losses, and the sizes of the trees."""

import numpy as np

from coordboost.reporting.plots.drawing import figure_size, name_axes


def complexity(path, title=""):
    """Draw mean losses against the penalty and, below, the share of steps for each tree size.

    Parameters
    ----------
    path : PenaltyPath
    title : str

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.figure import Figure

    fig = Figure(figsize=figure_size(6.4, 5.6), layout="constrained")
    upper, lower = fig.subplots(2, 1, sharex=True, height_ratios=(1.1, 1))
    at = np.arange(len(path.penalties))
    for values, words, colour in (
        (path.loss, "training", "#0072B2"),
        (path.validation, "validation", "#D55E00"),
    ):
        if np.isfinite(values).all():
            upper.plot(at, values, "o-", color=colour, linewidth=1.3, markersize=3.5, label=words)
    name_axes(upper, y="mean loss")
    upper.legend()
    _sizes(lower, at, path.summaries)
    lower.set_xticks(at, [f"{penalty:.3g}" for penalty in path.penalties])
    name_axes(lower, "penalty", "share of the steps")
    fig.suptitle(title)
    return fig


def _sizes(ax, at, summaries):
    """Draw bars: the share of steps whose tree has a given number of splits."""
    from matplotlib import colormaps

    nodes = np.unique(summaries[0].nodes)
    colours = colormaps["viridis"](np.linspace(0.95, 0.1, len(nodes)))
    base = np.zeros(len(at))
    for n, colour in zip(nodes, colours, strict=True):
        part = np.array(
            [
                summary.steps[summary.nodes == n].sum() / max(1, summary.steps.sum())
                for summary in summaries
            ]
        )
        ax.bar(at, part, 0.75, base, color=colour, label=str(n))
        base += part
    ax.set_ylim(0, 1)
    ax.legend(
        title="splits", fontsize="small", frameon=False, loc="center left", bbox_to_anchor=(1, 0.5)
    )
