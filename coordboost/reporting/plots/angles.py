"""Displays of minimal cosine angles.

Learners in the plane or in space, and the angle against the number of learners.
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from coordboost._utils.checks import items_of
from coordboost.angles import Interval, mca
from coordboost.angles.learners import ReducedLearners, as_problem
from coordboost.reporting.plots.drawing import COLOURS, Display, axes, ink, name_axes, new_label
from coordboost.rules.selection import Greedy

#: Number of directions in which the boundary is computed, in two and three dimensions; points to
#: draw a circle; rows to draw a sphere.
DIRECTIONS, ROUND, SPHERE = 2000, 200, 30


class AngleDisplay(Display):
    """Learners in two or three dimensions, with the ball that measures their angle.

    The picture has the learners and their opposites, the convex hull of both, the largest ball in
    it, and the worst direction.

    The worst direction is the one that the learners fit worst. The radius of the ball is the
    minimal cosine angle Theta; the ball touches the hull in the worst direction. For rules other
    than ``Greedy()`` the hull is the set of B x over all x with dual norm at most 1.

    Parameters
    ----------
    learners : array_like, (rank, n_learners)
        Unit columns, of rank 2 or 3.
    hull : array_like, (n_points, rank)
        Points of the boundary of the hull, including all corners.
    direction : array_like, (rank,)
        The worst direction.
    angle : Interval
        The minimal cosine angle.
    title : str
        Title of the picture.
    words : str
        Label of the axes, followed by their number.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure of the picture
    lines_ : list of matplotlib Line2D: the worst direction and, in the plane, the hull and the ball

    Examples
    --------
    Three lines in the plane, 60 degrees apart: the hull is a hexagon.

    >>> import numpy as np
    >>> import coordboost as cb
    >>> from matplotlib.figure import Figure
    >>> lines = np.deg2rad([0, 60, 120])
    >>> display = cb.plots.AngleDisplay.from_learners(
    ...     [np.cos(lines), np.sin(lines)], ax=Figure().subplots()
    ... )
    >>> round(display.angle.upper, 4), len(display.hull)
    (0.866, 6)
    """

    def __init__(
        self,
        learners: ArrayLike,
        hull: ArrayLike,
        direction: ArrayLike,
        angle: Interval,
        *,
        title: str = "",
        words: str = "coordinate",
    ):
        self.learners = np.asarray(learners)
        self.hull = np.asarray(hull)
        self.direction = np.asarray(direction)
        self.angle = angle
        self.title = title
        self.words = words

    @classmethod
    def from_learners(
        cls,
        B: Any,
        rule: Any = None,
        *,
        groups: ArrayLike | None = None,
        title: str = "",
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw learners whose range has two or three dimensions.

        Parameters
        ----------
        B : Problem, or array_like (n_samples, n_learners)
            The weak learners; columns of a matrix are scaled to unit length.
        rule : Greedy(), RandomSubset(t) or Groups(t); default ``Greedy()``
            The selection rule, whose norm measures the cosines.
        groups : array_like, (n_learners,), optional
            Labels for ``Groups``, if B is a matrix.
        title : str
            Title of the picture.
        ax : matplotlib Axes, optional
            Default: the Axes of a new figure; in three dimensions one with ``projection="3d"``.
        **options
            As for ``plot``: keywords of the line of the worst direction, and ``legend``.

        Returns
        -------
        AngleDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If the rank of the learners is not 2 or 3, if `ax` has another dimension, or where
            ``mca`` raises.
        """
        rule = Greedy() if rule is None else rule
        reduced = ReducedLearners.of(B, rule, groups)
        angle = mca(B, rule, groups=groups)
        if reduced.rank not in (2, 3):
            raise ValueError(
                f"the learners must span 2 or 3 dimensions to be drawn, they span {reduced.rank}."
            )
        # then the samples are the coordinates, and no other basis is needed
        own = len(reduced.basis) == reduced.rank
        turn = reduced.basis if own else np.eye(reduced.rank)
        hull = corners(
            reduced.slopes(
                np.vstack([_directions(reduced.rank), reduced.columns.T, -reduced.columns.T])
            )
        )
        direction = turn @ reduced.basis.T @ angle.witness["direction"]
        words = "sample" if own else "coordinate in the range of B"
        return cls(
            turn @ reduced.columns, hull @ turn.T, direction, angle, title=title, words=words
        ).plot(ax, **options)

    def plot(self, ax=None, *, legend=None, **options):
        """Draw the picture, learners in three dimensions on a 3d Axes."""
        solid = len(self.learners) == 3
        if ax is None and solid:
            import matplotlib.pyplot as plt

            ax = plt.figure(layout="constrained").add_subplot(projection="3d")
        ax = axes(ax)
        if hasattr(ax, "get_zlim") != solid:
            raise ValueError(
                f"ax must be an Axes of {len(self.learners)} dimensions"
                + (': projection="3d".' if solid else ".")
            )
        super().plot(ax, legend=False, **options)
        if legend is None or legend:  # below the picture, which has no room for it
            ax.legend(
                loc="upper center",
                bbox_to_anchor=(0.5, -0.05 if solid else -0.15),
                ncols=3,
                fontsize="small",
                frameon=False,
            )
        return self

    def _draw(self, ax, line_kw):
        theta = self.angle.upper
        touching = np.transpose(
            [0 * self.direction, self.direction / np.linalg.norm(self.direction)]
        )
        label = line_kw.pop("label", "worst direction")
        style = {"color": COLOURS[1], "linewidth": 1.8, "zorder": 5, **line_kw}
        self.lines_ = ax.plot(*touching, **style, label=new_label(ax, label))
        ax.plot(*(theta * touching[:, 1:]), "o", color=style["color"], markersize=5, zorder=6)
        (self._draw_solid if len(self.learners) == 3 else self._draw_flat)(ax, theta)
        for columns, look, name in (
            (self.learners, ink(), "learners"),
            (-self.learners, "none", "their opposites"),
        ):
            ax.plot(
                *columns,
                "o",
                markersize=6,
                color=ink(),
                markerfacecolor=look,
                label=new_label(ax, name),
                zorder=4,
            )
        for axis in (ax.xaxis, ax.yaxis, *([ax.zaxis] if len(self.learners) == 3 else [])):
            axis.set_ticks([-1, -0.5, 0, 0.5, 1])
            axis.set_view_interval(-1.1, 1.1, ignore=True)
        ax.set_aspect("equal")
        name_axes(
            ax,
            f"{self.words} 0",
            f"{self.words} 1",
            self.title or f"minimal cosine angle {theta:.4g}",
        )

    def _draw_flat(self, ax, theta):
        """Draw the hull, the ball and the unit circle in two dimensions."""
        around = np.linspace(0, 2 * np.pi, ROUND)
        circle = np.array([np.cos(around), np.sin(around)])
        closed = self.hull[np.r_[: len(self.hull), 0]].T
        ax.plot(
            *circle, color=ink(), linewidth=0.6, linestyle=":", label=new_label(ax, "unit circle")
        )
        ax.fill(*closed, color=COLOURS[0], alpha=0.12, linewidth=0)
        self.lines_ += ax.plot(
            *closed, color=COLOURS[0], linewidth=1.4, label=new_label(ax, "hull")
        )
        ax.fill(*(theta * circle), color=COLOURS[2], alpha=0.2, linewidth=0)
        self.lines_ += ax.plot(
            *(theta * circle),
            color=COLOURS[2],
            linewidth=1.4,
            label=new_label(ax, "largest ball, of radius Theta"),
        )

    def _draw_solid(self, ax, theta):
        """Draw the facets of the hull and the ball in three dimensions."""
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection
        from scipy.spatial import ConvexHull

        facets = self.hull[ConvexHull(self.hull).simplices]
        ax.add_collection3d(
            Poly3DCollection(
                facets, facecolor=COLOURS[0], alpha=0.1, edgecolor=COLOURS[0], linewidth=0.5
            )
        )
        up, around = np.meshgrid(
            np.linspace(0, np.pi, SPHERE), np.linspace(0, 2 * np.pi, 2 * SPHERE)
        )
        ball = theta * np.array(
            [np.sin(up) * np.cos(around), np.sin(up) * np.sin(around), np.cos(up)]
        )
        ax.plot_surface(*ball, color=COLOURS[2], alpha=0.45, linewidth=0)
        for colour, name in ((COLOURS[0], "hull"), (COLOURS[2], "largest ball, of radius Theta")):
            ax.plot([], [], [], "s", color=colour, alpha=0.5, label=new_label(ax, name))
        ax.set_zlabel(f"{self.words} 2")


def _directions(rank):
    """Return directions spread evenly over the circle, or over the sphere on a spiral.

    They are (DIRECTIONS, rank).
    """
    turn = np.arange(DIRECTIONS) + 0.5
    if rank == 2:
        angles = 2 * np.pi * turn / DIRECTIONS
        return np.column_stack([np.cos(angles), np.sin(angles)])
    height = 1 - 2 * turn / DIRECTIONS
    angles = np.pi * (1 + 5**0.5) * turn
    return np.column_stack(
        [np.sqrt(1 - height**2) * np.cos(angles), np.sqrt(1 - height**2) * np.sin(angles), height]
    )


def corners(points):
    """Return the corners of the convex hull of points (n, rank).

    In two dimensions in their order around it.
    """
    from scipy.spatial import ConvexHull

    points = np.unique(points.round(12), axis=0)
    return points[ConvexHull(points).vertices]


class AngleCurveDisplay(Display):
    """Minimal cosine angles against the number of learners, on log axes.

    A line of upper ends, with a band where only an interval is known.

    Parameters
    ----------
    n_learners : array_like, (n_points,)
        Numbers of learners.
    angles : sequence of Interval, (n_points,)
        The angles.
    title : str
        Title of the picture.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure of the picture
    lines_ : list of matplotlib Line2D, the line of upper ends

    Examples
    --------
    The angle of K stumps of one feature is about 1 / K:

    >>> import numpy as np
    >>> import coordboost as cb
    >>> from matplotlib.figure import Figure
    >>> stumps = [
    ...     cb.Problem(cb.data.stumps(np.arange(n)[:, None]), np.arange(n)) for n in (3, 5, 9)
    ... ]
    >>> display = cb.plots.AngleCurveDisplay.from_learners(stumps, ax=Figure().subplots())
    >>> display.n_learners, [round(angle.upper, 4) for angle in display.angles]
    (array([2, 4, 8]), [0.5774, 0.2582, 0.126])
    """

    def __init__(self, n_learners: ArrayLike, angles: Sequence[Interval], *, title: str = ""):
        self.n_learners = np.asarray(n_learners)
        self.angles = list(angles)
        self.title = title

    @classmethod
    def from_learners(
        cls,
        many: Sequence[Any],
        rule: Any = None,
        *,
        title: str = "",
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the angles of several sets of learners.

        Parameters
        ----------
        many : sequence of Problem, or of array_like (n_samples, n_learners)
            The learners of each point, in any order.
        rule : Greedy() or RandomSubset(t); default ``Greedy()``
            The selection rule, whose norm measures the cosines.
        title : str
            Title of the picture.
        ax : matplotlib Axes, optional
            Default: the Axes of a new figure.
        **options
            As for ``plot``: ``legend``, and keywords of the line; its default ``label`` is "minimal
            cosine angle".

        Returns
        -------
        AngleCurveDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If `many` is empty, or where ``mca`` raises.

        Notes
        -----
        *Cost*: a call of ``mca`` for each set: seconds where no exact method is cheap.
        """
        many = items_of("many", many, "a list of problems or of matrices of learners")
        if not many:
            raise ValueError(
                "many must be a list of at least one problem or matrix of learners, got none."
            )
        problems = sorted(map(as_problem, many), key=lambda problem: problem.n_learners)
        angles = [mca(problem, rule) for problem in problems]
        return cls([problem.n_learners for problem in problems], angles, title=title).plot(
            ax, **options
        )

    def _draw(self, ax, line_kw):
        from matplotlib.ticker import LogLocator, NullFormatter

        lower, upper = (
            np.array([getattr(angle, end) for angle in self.angles]) for end in ("lower", "upper")
        )
        label = new_label(ax, line_kw.pop("label", "minimal cosine angle"))
        self.lines_ = ax.plot(
            self.n_learners, upper, **{"marker": ".", "linewidth": 1.4, **line_kw}, label=label
        )
        wide = lower < upper * (1 - 1e-6)
        if wide.any():
            colour = self.lines_[0].get_color()
            band = {
                "color": colour,
                "alpha": 0.2,
                "linewidth": 0,
                "label": new_label(ax, "certified interval"),
            }
            ax.fill_between(self.n_learners, lower, upper, **band)
        ax.set_xscale("log")
        ax.set_yscale("log")
        # plain numbers, as there is often no power of 10 in the range
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter(NullFormatter())
        name_axes(ax, "number of learners", "minimal cosine angle", self.title)
