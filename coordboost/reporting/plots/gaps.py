"""Displays of certificates, and of bounds: what was measured along a run against what the theorems promise."""

import numpy as np

from coordboost._utils.checks import shown
from coordboost._utils.interrupt import uncut
from coordboost.engine.run import solve
from coordboost.reporting import report
from coordboost.reporting.plots.displays import penalty_units
from coordboost.reporting.plots.drawing import Display, ink, name_axes, new_label
from coordboost.reporting.plots.path import figure_size
from coordboost.theory.bounds.check import check

#: Points of a curve of gaps.
POINTS = 40
#: The variants of a statement, the one that is drawn where nobody says first; and the style of their bounds.
STYLES = {"printed": "-", "corrected": (0, (6, 2)), "sharpened": (0, (2, 1))}


class GapDisplay(Display):
    """Certified gaps along a path, relative to the loss at 0.

    Attributes
    ----------
    x : (n_points,);  gaps : (n_points,);  name : what a legend calls them where nobody says
    """

    def __init__(self, x, gaps, *, words="step + 1", name="", title="", falling=False):
        self.x, self.gaps, self.words, self.name, self.title = np.asarray(x), np.asarray(gaps), words, name, title
        self.falling = falling

    @classmethod
    @uncut()
    def from_run(cls, run, *, against="step", target=None, title="", ax=None, **options):
        """Draw the gap of a run to its target against steps, or against the scans that they took.

        `options` are those of ``plot``; the default ``label`` is the method, and what the gap refers to.

        *Cost*: a scan for each of 40 points; against scans the run is made again, to count them.
        """
        if against not in ("step", "scans"):
            raise ValueError(f"against must be 'step' or 'scans', got {shown(against)}.")
        at = np.unique(np.round(np.concatenate([[0], np.geomspace(1, max(run.n_steps, 1), POINTS)])).astype(int))
        at = at[at <= run.n_steps]
        gaps = [state.certificate(target).gap / (run.problem.start_excess or 1.0) for state in run.replay(at.tolist())]
        method, to = report.caption(run).replace("\n", ", "), run.final.target if target is None else target
        name = f"{method}\n(gap to: {report.refers(to)})"
        if against == "step":
            return cls(at + 1, gaps, name=name, title=title).plot(ax, **options)
        again, scans = solve(run.problem, run.method, 0, rng=run.seed, view=run.view), []
        for k in at.tolist():
            again = again.resume(k - again.n_steps)
            scans.append(max(again.n_scans, 1.0))
        return cls(scans, gaps, words="scans of all learners", name=name, title=title).plot(ax, **options)

    @classmethod
    def from_path(cls, path, *, title="", ax=None, **options):
        """Draw the gaps of a grid of penalties."""
        words = f"alpha (mean loss, {penalty_units(path)})"
        return cls(path.alphas, path.gaps, words=words, name="Lasso path", title=title, falling=True).plot(ax, **options)

    def _draw(self, ax, line_kw):
        known = np.isfinite(self.gaps) & (self.gaps > 0) & (self.x > 0)
        label = new_label(ax, line_kw.pop("label", self.name)) or "_nolegend_"
        self.lines_ = ax.plot(self.x[known], self.gaps[known], **{"marker": ".", "markersize": 4, **line_kw}, label=label)
        if known.any():
            ax.set_xscale("log")
            ax.set_yscale("log")
        ax.xaxis.set_inverted(self.falling)
        ax.margins(x=0)
        name_axes(ax, self.words, "certified gap / loss at 0", self.title)


class BoundDisplay(Display):
    """A bound of a theorem and what was measured; where they are equal, both lines are seen.

    The legend says which variant of the statement the bound is, the vertical axis what was measured. On an Axes that has the same
    measured values already, from another variant of the statement, they are not drawn again.

    Attributes
    ----------
    check : BoundCheck
    lines_ : the bound and, where it was not there, what was measured
    """

    def __init__(self, check, *, title=None):
        self.check, self.title = check, check.name if title is None else title

    @classmethod
    def from_check(cls, check, *, title=None, ax=None, **options):
        """Draw one of the checks of ``check(run)``; `options` are those of ``plot``, for the line of the bound."""
        return cls(check, title=title).plot(ax, **options)

    @classmethod
    def from_run(cls, run, statement, *, variant=None, title=None, ax=None, **options):
        """Draw the check of a run whose name is `statement`.

        Parameters
        ----------
        run : Run
        statement : str
            As the paper numbers it: "Theorem 2.1 (i)".
        variant : {"printed", "corrected", "sharpened"}, optional
            Default: as printed; where that does not speak about the run, the other.
        title, ax, options
            As for ``from_check``.
        """
        checks = check(run, statement)
        found, names = {one.variant: one for one in checks}, dict.fromkeys(one.name for one in checks)
        if len(names) > 1:
            raise ValueError(f"statement must be one of {', '.join(map(repr, names))}, got {shown(statement)}.")
        if variant is None:
            variant = next(one for one in STYLES if one in found)
        if variant not in found:
            raise ValueError(f"variant of {checks[0].name} must be {' or '.join(map(repr, found))}, got {shown(variant)}.")
        return cls(found[variant], title=title).plot(ax, **options)

    def _draw(self, ax, line_kw):
        along = np.asarray(self.check.at, float)
        steps = self.check.along == "k"
        at = along + 1 if steps else along
        measured, bound = (
            np.where(values > 0, values, np.nan)
            for values in (np.asarray(self.check.measured, float), np.asarray(self.check.bound, float))
        )
        label = new_label(ax, line_kw.pop("label", f"bound, {self.check.variant}"))
        style = {"linestyle": STYLES[self.check.variant], "linewidth": 3.0, "alpha": 0.8}
        self.lines_ = ax.plot(at, bound, **{**style, **line_kw}, label=label)
        if not any(
            line.get_gid() == "measured" and np.array_equal(line.get_ydata(), measured, equal_nan=True) for line in ax.lines
        ):
            self.lines_ += ax.plot(
                at, measured, color=ink(), linewidth=1.2, zorder=3, gid="measured", label=new_label(ax, "measured")
            )
        if steps:
            ax.set_xscale("log")
        if (np.concatenate([measured, bound]) > 0).any():
            ax.set_yscale("log")
        ax.margins(x=0)
        name_axes(ax, "step + 1" if steps else self.check.along, self.check.quantity or "measured, and its bound", self.title)


COLUMNS = 3


def bounds(checks, title=""):
    """Measured values (solid) and bounds (dashed) over the step, one panel for each statement; printed and sharpened share a panel.

    Parameters
    ----------
    checks : sequence of BoundCheck
        From ``coordboost.theory.check(run)``.
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
