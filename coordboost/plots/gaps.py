"""Displays of certificates and of bounds."""

import numpy as np

from coordboost._checks import shown
from coordboost.bounds.check import check
from coordboost.interrupt import uncut
from coordboost.plots.drawing import COLOURS, Display, beside, name_axes
from coordboost.solving import solve

#: Points of a curve of gaps.
POINTS = 40


class GapDisplay(Display):
    """Certified gaps along a path, relative to the loss at 0.

    Attributes
    ----------
    x : (n_points,);  gaps : (n_points,)
    """

    def __init__(self, x, gaps, *, words="step", title=""):
        self.x, self.gaps, self.words, self.title = np.asarray(x), np.asarray(gaps), words, title

    @classmethod
    @uncut()
    def from_run(cls, run, *, against="step", target=None, title="", ax=None):
        """Draw the gap of a run to its target against steps, or against the scans that they took.

        *Cost*: a scan for each of 40 points; against scans the run is made again, to count them.
        """
        if against not in ("step", "scans"):
            raise ValueError(f"against must be 'step' or 'scans', got {shown(against)}.")
        at = np.unique(np.round(np.concatenate([[0], np.geomspace(1, max(run.n_steps, 1), POINTS)])).astype(int))
        at = at[at <= run.n_steps]
        gaps = [state.certificate(target).gap / (run.problem.start_excess or 1.0) for state in run.replay(at.tolist())]
        if against == "step":
            return cls(at + 1, gaps, words="step + 1", title=title).plot(ax)
        again, scans = solve(run.problem, run.method, 0, rng=run.seed, view=run.view), []
        for k in at.tolist():
            again = again.resume(k - again.n_steps)
            scans.append(max(again.n_scans, 1.0))
        return cls(scans, gaps, words="scans of all learners", title=title).plot(ax)

    @classmethod
    def from_path(cls, path, *, title="", ax=None):
        """Draw the gaps of a grid of penalties."""
        return cls(path.alphas, path.gaps, words="alpha (falling)", title=title).plot(ax)

    def _draw(self, ax):
        known = np.isfinite(self.gaps) & (self.gaps > 0)
        ax.plot(self.x[known], self.gaps[known], color=COLOURS[0], linewidth=1.4, marker=".", markersize=4)
        ax.set_xscale("log")
        ax.set_yscale("log")
        if self.words.startswith("alpha"):
            ax.invert_xaxis()
        name_axes(ax, self.words, "certified gap, loss at 0 = 1", self.title)


class BoundDisplay(Display):
    """A bound of a theorem and what was measured; where they are equal, both lines are seen.

    Attributes
    ----------
    check : BoundCheck
    """

    def __init__(self, check, *, title=None):
        self.check, self.title = check, check.name if title is None else title

    @classmethod
    def from_check(cls, check, *, title=None, ax=None):
        """Draw one of the checks of ``check(run)``."""
        return cls(check, title=title).plot(ax)

    @classmethod
    def from_run(cls, run, statement, *, title=None, ax=None):
        """Draw the check of a run whose name is `statement`."""
        checks = {one.name: one for one in check(run)}
        if statement not in checks:
            raise ValueError(f"statement must be one of {', '.join(map(repr, checks))}, got {shown(statement)}.")
        return cls(checks[statement], title=title).plot(ax)

    def _draw(self, ax):
        at = np.asarray(self.check.at) + 1
        measured, bound = np.asarray(self.check.measured, float), np.asarray(self.check.bound, float)
        ax.plot(at, np.where(bound > 0, bound, np.nan), color=COLOURS[5], linewidth=3.6, alpha=0.8)
        ax.plot(at, np.where(measured > 0, measured, np.nan), color=COLOURS[0], linewidth=1.2)
        ax.set_xscale("log")
        if (np.concatenate([measured, bound]) > 0).any():
            ax.set_yscale("log")
        ax.set_xlim(at[0], max(at[-1], at[0] + 1))
        lines = (("bound", bound, COLOURS[5]), ("measured", measured, COLOURS[0]))
        kept = [(name, np.flatnonzero(line > 0), line, colour) for name, line, colour in lines if (line > 0).any()]
        beside(ax, [(at[k[-1]], line[k[-1]]) for _, k, line, _ in kept], [one[0] for one in kept], [one[3] for one in kept])
        name_axes(ax, "step + 1", "", self.title)
