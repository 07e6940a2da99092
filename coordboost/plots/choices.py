"""Displays of choices: the point that cross-validation takes, how often a learner is taken, how stably a column is."""

import numpy as np

from coordboost.plots.drawing import COLOURS, REST, SMALL, Display, beside, look, name_axes, room_for


class CrossValidationDisplay(Display):
    """Mean losses on rows held out, one standard error to either side, and both choices.

    Losses fall on a log axis where the smallest is less than a tenth of the largest: the choices are made among small ones.

    Attributes
    ----------
    validation : CrossValidation;  at : (n_points,), what the points are drawn against;  log : whether it falls on a log axis
    """

    def __init__(self, validation, at=None, *, words="point of the path", log=False, title=""):
        self.validation, self.words, self.log, self.title = validation, words, log, title
        self.at = np.arange(validation.losses.shape[1]) if at is None else np.asarray(at)

    @classmethod
    def from_cross_validation(cls, validation, at=None, *, words="point of the path", log=False, title="", ax=None):
        """Draw the result of ``cross_validate``; `at` (n_points,), say the alphas of a grid, with `log` for those."""
        return cls(validation, at, words=words, log=log, title=title).plot(ax)

    @classmethod
    def from_estimator(cls, estimator, *, title="", ax=None):
        """Draw what a fitted ``...CV`` estimator has seen: against alpha for a grid, else against the points of all paths."""
        seen = estimator.cross_validation_
        alphas = getattr(estimator.path_, "alphas", ())
        if len(alphas) == seen.losses.shape[1]:
            return cls(seen, alphas, words="alpha (falling)", log=True, title=title).plot(ax)
        return cls(seen, title=title).plot(ax)

    def _draw(self, ax):
        mean, error, x = self.validation.mean, self.validation.error, self.at
        if self.log and (x > 0).all():
            ax.set_xscale("log")
            ax.invert_xaxis()
        known = np.isfinite(mean)
        low, high = mean[known].min(initial=np.inf), mean[known].max(initial=0.0)
        if (mean - error)[known].min(initial=np.inf) > 0 and 10 * low < high:
            ax.set_yscale("log")
        ax.fill_between(x[known], (mean - error)[known], (mean + error)[known], color=COLOURS[4], alpha=0.3, linewidth=0)
        ax.plot(x[known], mean[known], color=COLOURS[0], linewidth=1.4)
        for name, k, style in (
            ("one standard error", self.validation.one_se, (0, (5, 3))),
            ("best", self.validation.best, "-"),
        ):
            ax.axvline(x[k], color="#222222", linewidth=0.8, linestyle=style, label=f"{name}: {x[k]:.3g}")
        ax.legend(fontsize=SMALL, edgecolor="none", loc="best")  # its frame keeps the lines of the choices off the words
        name_axes(ax, self.words, "mean loss on rows held out", self.title)


class SelectionDisplay(Display):
    """How often each learner was chosen.

    Attributes
    ----------
    counts : (n_learners,);  names : their names
    """

    def __init__(self, counts, names, *, n_bars=20, title=""):
        self.counts, self.names, self.n_bars, self.title = counts, names, n_bars, title

    @classmethod
    def from_run(cls, run, *, n_bars=20, title="", ax=None):
        """Draw the steps of a run by learner, the most frequent first."""
        names = run.problem.feature_names
        return cls(np.bincount(run.path.learner, minlength=len(names)), names, n_bars=n_bars, title=title).plot(ax)

    @classmethod
    def from_estimator(cls, estimator, *, n_bars=20, title="", ax=None):
        """The same for the run of a fitted estimator."""
        return cls.from_run(estimator.run_, n_bars=n_bars, title=title, ax=ax)

    def _draw(self, ax):
        order = np.argsort(-self.counts, kind="stable")
        n = min(self.n_bars, room_for(ax, 1.6), np.count_nonzero(self.counts))
        top, rest = order[:n], int(self.counts[order[n:]].sum())
        ax.barh(np.arange(n), self.counts[top], color=COLOURS[0], height=0.7)
        ax.set_yticks(np.arange(n), [str(self.names[j]) for j in top])
        ax.invert_yaxis()
        for k, j in enumerate(top):
            ax.annotate(
                f"{self.counts[j]:,}", (self.counts[j], k), (2, 0), textcoords="offset points", fontsize=SMALL, va="center"
            )
        ax.margins(x=0.12)
        others = np.count_nonzero(self.counts) - n
        name_axes(ax, f"steps; {rest:,} more by {others:,} others" if others else "steps", "", self.title)
        ax.grid(False)


class StabilityDisplay(Display):
    """Shares of draws in which a column is among the first q to enter, against q.

    Attributes
    ----------
    frequencies : (q, n_features);  names : of the columns
    """

    def __init__(self, frequencies, names, *, threshold=None, n_labels=12, title=""):
        self.frequencies, self.names, self.threshold = frequencies, names, threshold
        self.n_labels, self.title = n_labels, title

    @classmethod
    def from_stability(cls, stability, q, names=None, *, threshold=None, n_labels=12, title="", ax=None):
        """Draw the result of ``stability_selection`` or ``bootstrap_frequencies`` for 1, ..., `q`; `threshold` as a line."""
        names = [f"x{j}" for j in range(stability.n_features)] if names is None else list(names)
        return cls(stability.paths(q), names, threshold=threshold, n_labels=n_labels, title=title).plot(ax)

    def _draw(self, ax):
        last, x = self.frequencies[-1], np.arange(1, len(self.frequencies) + 1)
        order = np.argsort(-last, kind="stable")
        order = order[last[order] > 0]
        n = min(self.n_labels, room_for(ax))
        if self.threshold is not None:
            n = min(n, max(1, np.count_nonzero(last >= self.threshold)))
            ax.axhline(self.threshold, color="#222222", linewidth=0.8, linestyle=(0, (5, 3)))
        ax.plot(x, self.frequencies[:, order[n:]], color=REST, linewidth=0.5)
        for place, j in enumerate(order[:n]):
            ax.plot(x, self.frequencies[:, j], linewidth=1.3, **look(place))
        ax.set_ylim(0, 1.02)
        ax.set_xlim(1, max(len(x), 2))
        ends = [(x[-1], last[j]) for j in order[:n]]
        beside(ax, ends, [str(self.names[j]) for j in order[:n]], [look(place)["color"] for place in range(n)])
        name_axes(ax, "first columns to enter", "share of draws", self.title)
