"""Shared drawing functions: lines with bands over repeated splits, names of axes, a legend below
the panels.
"""

import itertools

import numpy as np

from coordboost.reporting.plots.drawing import COLOURS, STYLES

#: A colour and a style for each line of a panel; they differ also in grey, and with the common
#: colour vision deficiencies.
LINES = [(colour, STYLES[k % len(STYLES)]) for k, colour in enumerate(COLOURS)]


def lines(axis, table, x, y, by, *, label="{}"):
    """Draw a line for each entry of the column `by`: the mean of `y` over the splits at each `x`,
    and their range as a band.
    """
    for one, (colour, style) in zip(table.values(by), itertools.cycle(LINES)):
        subset = table.where(**{by: one})
        at = sorted(subset.values(x))
        heights = [subset.where(**{x: spot})[y].astype(float) for spot in at]
        middle = [np.mean(h) for h in heights]
        axis.plot(at, middle, color=colour, linestyle=style, linewidth=1.6, label=label.format(one))
        if len(subset.values("seed")) > 1:
            axis.fill_between(
                at,
                [h.min() for h in heights],
                [h.max() for h in heights],
                color=colour,
                alpha=0.15,
                linewidth=0,
            )


def name_axes(axis, x, y, title="", *, log_x=False, log_y=False):
    """Set labels, title and scales of an axis, and draw a light grid."""
    axis.set(xlabel=x, ylabel=y, title=title)
    if log_x:
        axis.set_xscale("log")
    if log_y:
        axis.set_yscale("log")
    axis.grid(color="#e4e4e4", linewidth=0.6)
    axis.set_axisbelow(True)


def legend_below(figure, axis, columns=4):
    """Draw one legend for all panels, below them, so that it hides no line."""
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=min(columns, len(labels)), frameon=False
    )
