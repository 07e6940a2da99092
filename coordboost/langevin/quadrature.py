"""The Gibbs law of one or two coefficients by summation over a grid: any loss, convex or not."""

from typing import NamedTuple

import numpy as np

from coordboost._checks import positive
from coordboost.data import validation
from coordboost.langevin.limit import checked_limit, limit_of
from coordboost.method import checked_method
from coordboost.problem import checked_problem


class GridLaw(NamedTuple):
    """A law on the points of a grid.

    points : (n_points, d), coefficients;  chance : (n_points,), probabilities;  loss : (n_points,), mean losses there
    cell : (d,), widths of a cell;  axes : the coordinates of the grid
    """

    points: np.ndarray
    chance: np.ndarray
    loss: np.ndarray
    cell: np.ndarray
    axes: tuple

    @property
    def mean(self):
        return self.chance @ self.points

    @property
    def cov(self):
        away = self.points - self.mean
        return (away * self.chance[:, None]).T @ away

    @property
    def mean_loss(self):
        """The expected mean loss."""
        return float(self.chance @ self.loss)

    def probability(self, event):
        """The probability of a set: `event` tells of points (n_points, d) which are in it."""
        return float(self.chance @ np.asarray(event(self.points), dtype=float))

    def marginal(self, k):
        """Coordinates and probabilities of coefficient k."""
        shape = [len(axis) for axis in self.axes]
        others = tuple(i for i in range(len(shape)) if i != k)
        return self.axes[k], self.chance.reshape(shape).sum(axis=others)

    def density(self, k):
        """Points of coefficient k and the density there, to be drawn."""
        at, chance = self.marginal(k)
        return at, chance / self.cell[k]

    def distance(self, sample, n_bins=20):
        """Total variation between the marginals of the law and of a sample (n, d), in `n_bins` bins of equal probability; (d,)."""
        out = []
        for k in range(self.points.shape[1]):
            at, chance = self.marginal(k)
            cuts = (
                at[np.minimum(np.searchsorted(np.cumsum(chance), np.arange(1, n_bins) / n_bins), len(at) - 1)]
                + self.cell[k] / 2
            )
            law = np.bincount(np.searchsorted(cuts, at), chance, n_bins)
            found = np.bincount(np.searchsorted(cuts, np.asarray(sample)[:, k]), minlength=n_bins) / len(sample)
            out.append(0.5 * np.abs(law - found).sum())
        return np.array(out)


def quadrature(problem, method, limit=None, *, width, n_points=401):
    """The Gibbs law that `method` (``sglb``) approaches on a problem with one or two learners, on a grid from -width to width.

    Parameters
    ----------
    problem, method : as for ``solve``
    limit : Limit, optional
        The limit law of the choice; default ``limit_of(problem, method.select)``.
    width : float
        Half the width of the grid, in coefficients of the unit columns; the law must be small at its edge.
    n_points : int
        Points in each direction.

    Returns
    -------
    GridLaw

    Raises
    ------
    ValueError
        For more than two learners, and where the grid is too narrow.
    """
    d = validation.countable("quadrature", checked_problem(problem)).n_learners
    if d > 2:
        raise ValueError(f"quadrature is for one or two learners, got {d}; closed laws of the squared loss are in gibbs().")
    noise = checked_method(method).bind(problem).noise
    limit = limit_of(problem, method.select) if limit is None else checked_limit(limit)
    axis = np.linspace(-positive("width", width), width, validation.whole("n_points", n_points, 2))
    points = np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)
    loss = np.array([problem.value(limit.columns @ point) for point in points]) / limit.total
    energy = loss + limit.penalty(points, method.step.shrink / method.step.rate)
    chance = np.exp(-float(noise.beta[-1]) * (energy - energy.min()))
    chance /= chance.sum()
    edge = (np.abs(points) >= width).any(axis=1)
    if chance[edge].sum() > 1e-6:
        raise ValueError(
            f"the law has probability {chance[edge].sum():.2g} at the edge of the grid: take a larger width than {width:g}."
        )
    return GridLaw(points, chance, loss, np.full(d, axis[1] - axis[0]), (axis,) * d)
