"""Displays of a path: coefficient profiles, and the error on the rows of the fit and on others."""

import numpy as np

from coordboost._checks import shown
from coordboost.plots.drawing import COLOURS, REST, Display, beside, look, name_axes, room_for

#: What a path can be drawn against, in words.
AGAINST = {
    "l1": "l1 norm",
    "fraction": "l1 norm, part of the last",
    "step": "step",
    "alpha": "alpha (falling)",
    "deviance": "part of the deviance explained",
}


def checked_against(against):
    """`against`, one of the keys of AGAINST."""
    if against not in AGAINST:
        raise ValueError(f"against must be one of {', '.join(map(repr, AGAINST))}, got {shown(against)}.")
    return against


def places_on(ax, numbers, against):
    """The values to draw against, (n_points,); penalties on a log axis that falls, and 0 as half of the smallest."""
    x = np.asarray(numbers[against], dtype=float)
    if against != "alpha":
        return x
    positive = x[x > 0]
    if not len(positive):
        return x
    ax.set_xscale("log")
    return np.where(x > 1e-12 * positive.max(), x, positive[positive > 1e-12 * positive.max()].min() / 2)


class ProfileDisplay(Display):
    """Coefficients along a path; those with the largest have a colour and a name, the others are grey.

    Attributes
    ----------
    ax_, figure_ : what it was drawn on
    numbers : dict of (n_points,), the places;  coefs : (n_points, n_columns)
    """

    def __init__(self, numbers, coefs, names, *, against="l1", n_labels=12, corners=False, title=""):
        self.numbers, self.coefs, self.names = numbers, coefs, names
        self.against, self.n_labels, self.corners, self.title = checked_against(against), n_labels, corners, title

    @classmethod
    def from_path(cls, path, *, against="l1", n_labels=12, standardized=False, corners=None, title="", ax=None):
        """Draw a path.

        Parameters
        ----------
        path : Run, ExactPath or LassoPath
        against : {"l1", "fraction", "step", "alpha", "deviance"}, default "l1"
        n_labels : int, default 12
            So many columns have a name, fewer where there is no room.
        standardized : bool, default False
            Coefficients of unit columns, in the place of those of the columns of X: their sizes can be compared.
        corners : bool, optional
            Dots at the corners; default for exact paths with up to 60 of them.
        title : str
        ax : matplotlib Axes, optional

        Returns
        -------
        ProfileDisplay
        """
        numbers, coefs = path.profile()
        way = path.problem.standardization
        if standardized and path.problem.countable:
            coefs = coefs.copy()
            coefs[:, way.kept] *= way.norm
        few = path.cornered and len(coefs) <= 60
        return cls(
            numbers,
            coefs,
            path._names(),
            against=against,
            n_labels=n_labels,
            corners=few if corners is None else corners,
            title=title,
        ).plot(ax)

    #: A run is a path.
    from_run = from_path

    @classmethod
    def from_estimator(cls, estimator, *, ax=None, **options):
        """Draw the path of a fitted linear estimator, and where on it the model is."""
        display = cls.from_path(estimator.path_, ax=ax, **options)
        step = estimator.place_.step
        k = int(np.argmin(np.abs(np.asarray(display.numbers["step"]) - step)))
        display.ax_.axvline(display.x_[k], color="#222222", linewidth=0.9, linestyle=(0, (5, 3)), zorder=1)
        return display

    def _draw(self, ax):
        x = self.x_ = places_on(ax, self.numbers, self.against)
        size = np.abs(self.coefs).max(axis=0)
        order = np.argsort(-size, kind="stable")
        order = order[size[order] > 0]
        n = min(self.n_labels, room_for(ax))
        named, rest = order[:n], order[n:]
        ax.plot(x, self.coefs[:, rest], color=REST, linewidth=0.5, zorder=1)
        for place, j in enumerate(named):
            ax.plot(x, self.coefs[:, j], linewidth=1.3, zorder=2, **look(place))
        if self.corners:
            for place, j in enumerate(named):
                moves = np.flatnonzero(self.coefs[:, j])
                at = np.unique(np.concatenate([moves, np.maximum(moves - 1, 0)]))
                ax.plot(x[at], self.coefs[at, j], ".", markersize=4, color=look(place)["color"], zorder=3)
        ax.axhline(0.0, color="#888888", linewidth=0.6, zorder=1)
        if self.against == "alpha" and len(x) > 1 and x.max() > x.min():
            ax.set_xlim(x.max(), x.min())
        else:
            ax.set_xlim(x.min(), x.max() if x.max() > x.min() else x.min() + 1)
        ends = [(x[-1], self.coefs[-1, j]) for j in named]
        beside(ax, ends, [str(self.names[j]) for j in named], [look(place)["color"] for place in range(len(named))])
        name_axes(ax, AGAINST[self.against], "coefficient", self.title)


class ErrorDisplay(Display):
    """Mean losses along a path, on the rows of the fit and on others.

    Attributes
    ----------
    train, test : (n_points,), mean losses; test may be None
    """

    def __init__(self, train, test=None, *, title=""):
        self.train, self.test, self.title = train, test, title

    @classmethod
    def from_path(cls, path, X, y, X_test=None, y_test=None, *, title="", ax=None):
        """Draw the losses at every point: on the rows `X`, `y` of the fit, and on `X_test`, `y_test`."""
        test = None if X_test is None else -path.score_path(X_test, y_test)
        return cls(-path.score_path(X, y), test, title=title).plot(ax)

    #: A run is a path.
    from_run = from_path

    @classmethod
    def from_estimator(cls, estimator, X, y, X_test=None, y_test=None, *, title="", ax=None):
        """The same for the path of a fitted linear estimator."""
        return cls.from_path(estimator.path_, X, y, X_test, y_test, title=title, ax=ax)

    def _draw(self, ax):
        steps, ends, names, colours = np.arange(len(self.train)), [], [], []
        lines = [("fit", self.train, COLOURS[0], "-")]
        if self.test is not None:
            best = int(np.argmin(self.test))
            lines.append((f"other rows (best: {best:,})", self.test, COLOURS[1], (0, (6, 1.5))))
            ax.plot(best, self.test[best], "o", markersize=5, color=COLOURS[1])
        for name, values, colour, style in lines:
            ax.plot(steps, values, color=colour, linestyle=style, linewidth=1.4)
            ends.append((steps[-1], values[-1]))
            names.append(name)
            colours.append(colour)
        ax.set_xlim(0, max(len(steps) - 1, 1))
        ax.margins(y=0.08)
        beside(ax, ends, names, colours)
        name_axes(ax, "point of the path", "mean loss", self.title)
