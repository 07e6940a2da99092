"""Displays of certified gaps along a run or path.

And of measured values with the bounds of theorems.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from coordboost._utils.checks import shown
from coordboost._utils.interrupt import uncut
from coordboost.certificates.objectives import L1Ball, L1Penalty, Unconstrained
from coordboost.engine.result import StepPath
from coordboost.engine.run import Run, solve
from coordboost.lasso.grid import GridPath
from coordboost.reporting import report
from coordboost.reporting.plots.drawing import (
    Display,
    drawn_from,
    figure_size,
    ink,
    name_axes,
    new_label,
)
from coordboost.theory.bounds import BoundCheck, check

#: Points of a curve of gaps.
POINTS = 40
#: Why a gap may be far above the error.
INFIMUM = "no lower end but the loss's infimum: the error may be far smaller"
#: Variants of a statement, in order of preference, and the line styles of their bounds.
STYLES = {"printed": "-", "corrected": (0, (6, 2)), "sharpened": (0, (2, 1))}


class GapDisplay(Display):
    """Certified gaps along a path, relative to the loss at 0, on two log axes.

    Parameters
    ----------
    x : array_like, (n_points,)
        Horizontal positions; points at 0 are left out.
    gaps : array_like, (n_points,)
        The gaps; zeros and unknown gaps (inf) are left out.
    words : str
        Label of the horizontal axis.
    name : str
        Legend entry of the curve if no ``label`` is given.
    title : str
        Title of the picture.
    falling : bool, default False
        Whether the horizontal axis falls from left to right, as for penalties.
    caution : str
        What to keep in mind about the gaps, the last line of the legend entry.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure of the picture
    lines_ : list of matplotlib Line2D, the curve

    Examples
    --------
    After 200 steps the gap of LS-Boost to least squares is 0.33 % of the loss at 0:

    >>> import coordboost as cb
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> run = cb.solve(cb.Problem(X, y), cb.ls_boost(0.1), 200)
    >>> display = cb.plots.GapDisplay.from_run(run, ax=Figure().subplots())
    >>> display.x[[0, -1]], display.gaps[[0, -1]].round(4)
    (array([  1, 201]), array([0.5177, 0.0033]))
    """

    def __init__(
        self,
        x: ArrayLike,
        gaps: ArrayLike,
        *,
        words: str = "step + 1",
        name: str = "",
        title: str = "",
        falling: bool = False,
        caution: str = "",
    ):
        self.x = np.asarray(x)
        self.gaps = np.asarray(gaps)
        self.words = words
        self.name = name
        self.title = title
        self.falling = falling
        self.caution = caution

    @classmethod
    @uncut()
    @drawn_from("a run, the result of solve", StepPath)
    def from_run(
        cls,
        run: Run,
        *,
        against: str = "step",
        target: Unconstrained | L1Ball | L1Penalty | None = None,
        title: str = "",
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the gap of a run to its target against the number of steps or of scans.

        Parameters
        ----------
        run : Run
            The run.
        against : {"step", "scans"}, default "step"
            The step number plus 1, or the scans of all learners so far: these compare methods whose
            steps differ in cost.
        target : Unconstrained, L1Ball or L1Penalty, optional
            The optimum that the gap refers to; default the target of the method.
        title : str
            Title of the picture.
        ax : matplotlib Axes, optional
            Default: the Axes of a new figure.
        **options
            As for ``plot``: ``legend``, and keywords of the line; its default ``label`` names the
            method and the target of the gap.

        Returns
        -------
        GapDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            For an unknown `against`.

        Notes
        -----
        *Cost*: a scan for each of some 40 points; against scans, the run is also repeated to count
        them.
        """
        if against not in ("step", "scans"):
            raise ValueError(f"against must be 'step' or 'scans', got {shown(against)}.")
        at = np.unique(
            np.round(np.concatenate([[0], np.geomspace(1, max(run.n_steps, 1), POINTS)])).astype(
                int
            )
        )
        at = at[at <= run.n_steps]
        found = [state.certificate(target) for state in run.replay(at.tolist())]
        gaps = [certificate.gap / (run.problem.start_excess or 1.0) for certificate in found]
        coarse = all(certificate.lower <= run.problem.infimum for certificate in found)
        caution = INFIMUM if coarse and found[-1].known and found[-1].gap > 0 else ""
        method = report.caption(run).replace("\n", ", ")
        to = run.final.target if target is None else target
        name = f"{method}\n(gap to: {report.refers(to)})"
        if against == "step":
            return cls(at + 1, gaps, name=name, title=title, caution=caution).plot(ax, **options)
        again = solve(run.problem, run.method, 0, rng=run.seed, model_state=run.model_state)
        scans = []
        for k in at.tolist():
            again = again.resume(k - again.n_steps)
            scans.append(max(again.n_scans, 1.0))
        words = "scans of all learners"
        return cls(scans, gaps, words=words, name=name, title=title, caution=caution).plot(
            ax, **options
        )

    @classmethod
    @drawn_from("a grid of penalties, such as the result of lasso_path", GridPath)
    def from_path(cls, path: GridPath, *, title: str = "", ax: Any = None, **options: Any) -> Self:
        """Draw the gaps of a grid of penalties against alpha.

        Parameters
        ----------
        path : LassoPath or MultinomialPath
            Result of ``lasso_path`` or ``multinomial_path``, which holds the gaps.
        title : str
            Title of the picture.
        ax : matplotlib Axes, optional
            Default: the Axes of a new figure.
        **options
            As for ``plot``: ``legend``, and keywords of the line; its default ``label`` is "Lasso
            path".

        Returns
        -------
        GapDisplay
            The display, drawn.
        """
        words = f"alpha (mean loss, {path.penalty_units})"
        return cls(
            path.alphas, path.gaps, words=words, name="Lasso path", title=title, falling=True
        ).plot(ax, **options)

    def _draw(self, ax, line_kw):
        known = np.isfinite(self.gaps) & (self.gaps > 0) & (self.x > 0)
        name = f"{self.name}\n({self.caution})" if self.caution else self.name
        label = new_label(ax, line_kw.pop("label", name)) or "_nolegend_"
        self.lines_ = ax.plot(
            self.x[known],
            self.gaps[known],
            **{"marker": ".", "markersize": 4, **line_kw},
            label=label,
        )
        if known.any():
            ax.set_xscale("log")
            ax.set_yscale("log")
        ax.xaxis.set_inverted(self.falling)
        ax.margins(x=0)
        name_axes(ax, self.words, "certified gap / loss at 0", self.title)


class BoundDisplay(Display):
    """A bound of a theorem and the measured values. Both lines are visible where they coincide.

    The legend names the variant of the statement, the vertical axis the measured quantity. If the
    Axes already has the same measured values, from another variant of the statement, they are not
    drawn again.

    Parameters
    ----------
    check : BoundCheck
        Measured values and bound.
    title : str, optional
        Title of the picture; default the name of the statement.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure of the picture
    lines_ : list of matplotlib Line2D
        The bound and, unless `ax` had them already, the measured values.

    Examples
    --------
    >>> import coordboost as cb
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> run = cb.solve(cb.Problem(X, y), cb.ls_boost(0.1), 200)
    >>> display = cb.plots.BoundDisplay.from_run(
    ...     run, "Theorem 2.1 (i)", variant="sharpened", ax=Figure().subplots()
    ... )
    >>> display.ax_.get_ylabel(), len(display.lines_), display.check.holds
    ('L(beta_k) - L*', 2, True)
    """

    def __init__(self, check: BoundCheck, *, title: str | None = None):
        self.check = check
        self.title = check.name if title is None else title

    @classmethod
    @drawn_from("a BoundCheck, one of those of theory.check(run)", BoundCheck)
    def from_check(
        cls, check: BoundCheck, *, title: str | None = None, ax: Any = None, **options: Any
    ) -> Self:
        """Draw one of the checks of ``check(run)``.

        Parameters
        ----------
        check : BoundCheck
            Measured values and bound.
        title : str, optional
            Title of the picture; default the name of the statement.
        ax : matplotlib Axes, optional
            Default: the Axes of a new figure.
        **options
            As for ``plot``: keywords of the line of the bound, and ``legend``.

        Returns
        -------
        BoundDisplay
            The display, drawn.
        """
        return cls(check, title=title).plot(ax, **options)

    @classmethod
    @drawn_from("a run, the result of solve", StepPath)
    def from_run(
        cls,
        run: Run,
        statement: str,
        *,
        variant: str | None = None,
        title: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Check `statement` on a run, and draw the result.

        Parameters
        ----------
        run : Run
            A run that the statement applies to.
        statement : str
            Name of the statement, with its number in the paper: "Theorem 2.1 (i)".
        variant : {"printed", "corrected", "sharpened"}, optional
            Default: the first of these that applies to the run.
        title : str, optional
            Title of the picture; default the name of the statement.
        ax : matplotlib Axes, optional
            Default: the Axes of a new figure.
        **options
            As for ``plot``: keywords of the line of the bound, and ``legend``.

        Returns
        -------
        BoundDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If no statement of this name applies to the run, or more than one, or none in this
            variant.

        Notes
        -----
        *Cost*: as ``check(run, statement)``.
        """
        checks = check(run, statement)
        found = {claim.variant: claim for claim in checks}
        names = dict.fromkeys(claim.name for claim in checks)
        if len(names) > 1:
            raise ValueError(
                f"statement must be one of {', '.join(map(repr, names))}, got {shown(statement)}."
            )
        if variant is None:
            variant = next(name for name in STYLES if name in found)
        if variant not in found:
            raise ValueError(
                f"variant of {checks[0].name} must be {' or '.join(map(repr, found))}, got "
                f"{shown(variant)}."
            )
        return cls(found[variant], title=title).plot(ax, **options)

    def _draw(self, ax, line_kw):
        along = np.asarray(self.check.at, float)
        steps = self.check.along == "k"
        at = along + 1 if steps else along
        both = (np.asarray(self.check.measured, float), np.asarray(self.check.bound, float))
        measured, bound = (np.where(values > 0, values, np.nan) for values in both)
        label = new_label(ax, line_kw.pop("label", f"bound, {self.check.variant}"))
        style = {"linestyle": STYLES[self.check.variant], "linewidth": 3.0, "alpha": 0.8}
        self.lines_ = ax.plot(at, bound, **{**style, **line_kw}, label=label)
        there = [line.get_ydata() for line in ax.lines if line.get_gid() == "measured"]
        if not any(np.array_equal(values, measured, equal_nan=True) for values in there):
            look = {"color": ink(), "linewidth": 1.2, "zorder": 3, "gid": "measured"}
            self.lines_ += ax.plot(at, measured, **look, label=new_label(ax, "measured"))
        if steps:
            ax.set_xscale("log")
        if (np.concatenate([measured, bound]) > 0).any():
            ax.set_yscale("log")
        ax.margins(x=0)
        name_axes(
            ax,
            "step + 1" if steps else self.check.along,
            self.check.quantity or "measured value and bound",
            self.title,
        )


COLUMNS = 3


def bounds(checks, title=""):
    """Draw measured values and bounds like ``BoundDisplay``, one panel for each statement.

    Its variants share a panel.

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
    for claim in checks:
        if len(claim.at) > 1:
            panels.setdefault(claim.name, []).append(claim)
    if not panels:
        raise ValueError(
            "expected at least one BoundCheck with two points or more to draw, got none: make "
            "more steps."
        )
    rows = -(-len(panels) // COLUMNS)
    fig = Figure(figsize=figure_size(3.6 * COLUMNS, 0.6 + 2.7 * rows), layout="constrained")
    fig.suptitle(title)
    axes = fig.subplots(rows, COLUMNS, squeeze=False).ravel()
    for ax, variants in zip(axes, panels.values(), strict=False):
        for claim in variants:
            BoundDisplay(claim).plot(ax, legend=False, linewidth=2.0)
            bad = np.isin(claim.at, claim.violations)
            ax.plot(
                claim.at[bad] + (claim.along == "k"),
                claim.measured[bad],
                "x",
                color="#A33B00",
                markersize=5,
            )
        for words in (ax.xaxis.label, ax.yaxis.label):
            words.set_fontsize("small")
        ax.title.set_fontsize("medium")
        ax.tick_params(labelsize="small")
        ax.legend(fontsize="x-small", frameon=False)
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    return fig
