"""Pictures of bounds: what was measured along a run against what the theorems promise."""

import numpy as np

from coordboost.plots.path import figure_size

COLUMNS = 3


def bounds(checks, title=""):
    """Measured values (solid) and bounds (dashed) over the step, one panel for each statement; printed and sharpened share a panel.

    Parameters
    ----------
    checks : sequence of BoundCheck
        From ``coordboost.check(run)``.
    title : str

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If no check has two points or more.
    """
    from matplotlib.figure import Figure

    panels = {}
    for one in checks:
        if len(one.at) > 1:
            panels.setdefault(one.name, []).append(one)
    if not panels:
        raise ValueError("expected at least one BoundCheck with two points or more to draw, got none: make more steps.")
    rows = -(-len(panels) // COLUMNS)
    fig = Figure(figsize=figure_size(3.6 * COLUMNS, 0.6 + 2.7 * rows), layout="constrained")
    fig.suptitle(title)
    axes = fig.subplots(rows, COLUMNS, squeeze=False).ravel()
    for ax, (name, variants) in zip(axes, panels.items(), strict=False):
        _panel(ax, name, variants)
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    return fig


def _panel(ax, name, variants):
    """One statement: its bounds by variant, and what was measured."""
    looks = {
        "printed": ("#D55E00", (0, (5, 2))),
        "corrected": ("#009E73", (0, (4, 1, 1, 1))),
        "sharpened": ("#009E73", (0, (1.5, 1.5))),
    }
    for one in variants:
        colour, style = looks[one.variant]
        ax.plot(*_positive(one.at, one.bound), color=colour, linestyle=style, linewidth=1.3, label=f"bound, {one.variant}")
    ax.plot(*_positive(variants[0].at, variants[0].measured), color="#0072B2", linewidth=1.3, label="measured")
    for one in variants:
        bad = np.isin(one.at, one.violations)
        ax.plot(one.at[bad] + 1, one.measured[bad], "x", color="#A33B00", markersize=5)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.margins(x=0)
    ax.set_title(name, fontsize="medium")
    ax.set_xlabel("step + 1", fontsize="small")
    ax.set_ylabel(variants[0].quantity or "measured, and its bound", fontsize="small")
    ax.tick_params(labelsize="small")
    ax.legend(fontsize="x-small", frameon=False)


def _positive(at, values):
    """Points that a logarithmic axis can show, at most a thousand."""
    values = np.asarray(values, dtype=float)
    chosen = np.unique(np.round(np.geomspace(1, len(values), 1000)).astype(int)) - 1
    chosen = chosen[values[chosen] > 0]
    return at[chosen] + 1, values[chosen]
