r"""A smooth convex function through given points: the Moreau envelope of a polyhedron, as a loss.

With w_i = x_i - g_i / s and v_i = f_i - ||g_i||^2 / (2 s) for gradients g_i and values f_i at points x_i,

    f(x) = min over weights l >= 0, sum l = 1, of s/2 ||x - sum l_i w_i||^2 + sum l_i v_i

is convex and s-smooth whatever the numbers are, and takes the values and gradients given where these are those of any such function. A
strongly convex function is this one with s = 1 - mu, and mu/2 ||x - x*||^2 on top. Source: Taylor, Hendrickx, Glineur, 2017; Drori, Taylor,
*Efficient first-order methods for convex minimization*, 2020.
"""

from itertools import chain, combinations

import numpy as np

import coordboost as cb


class Interpolant(cb.losses.Loss):
    """The function as a loss of all predictions together: one coordinate a sample, those behind the points' own count for nothing.

    x, gradients : (n_points, n);  values : (n_points,); the first point is the minimiser if its gradient is 0
    """

    value = residual = None
    sigma = 1.0

    def __init__(self, x, gradients, values, mu=0.0):
        self.mu, self.smooth, self.center = mu, 1 - mu, x[0]
        away = x - x[0]
        slopes = gradients - mu * away
        self.corners = x - slopes / self.smooth
        heights = values - mu / 2 * (away**2).sum(axis=1) - (slopes**2).sum(axis=1) / (2 * self.smooth)
        self.heights = (
            heights if gradients[0].any() else np.maximum(heights, heights[0])
        )  # so that the minimum is where it should be

    def _at(self, f):
        """Corners as seen from f, the weights of the nearest point, and what strong convexity adds."""
        x = f[: len(self.center)]
        corners, away = self.corners - x, x - self.center
        return corners, _nearest(corners, self.heights, self.smooth), self.mu / 2 * away @ away

    def refresh_residual(self, y, weight, base, pred, resid):
        """The opposite of the gradient at the predictions, in place."""
        corners, weights, _ = self._at(pred)
        n = len(self.center)
        resid[:n], resid[n:] = self.smooth * weights @ corners - self.mu * (pred[:n] - self.center), 0.0

    def sum_of_losses(self, y, weight, base, pred):
        """The value at the predictions from below: the best of the paraboloids with the slope that was found."""
        corners, weights, more = self._at(pred)
        point = weights @ corners
        return self.smooth * (corners @ point - point @ point / 2 + self.heights / self.smooth).min() + more

    def above(self, pred):
        """The value from above: that of a point of the polyhedron."""
        corners, weights, more = self._at(pred)
        weights = np.maximum(weights, 0) / np.maximum(weights, 0).sum()
        point = weights @ corners
        return self.smooth / 2 * point @ point + weights @ self.heights + more


def _nearest(corners, heights, smooth):
    """The best weights l (n_points,) at the point 0: of all sets of corners, those whose optimality conditions hold best."""
    n, best = len(corners), (-np.inf, None)
    gram = smooth * corners @ corners.T
    for chosen in map(list, chain.from_iterable(combinations(range(n), k) for k in range(1, n + 1))):
        k = len(chosen)
        system = np.zeros((k + 1, k + 1))
        system[:k, :k], system[k, :k], system[:k, k] = gram[np.ix_(chosen, chosen)], 1, 1
        if k > 1 and abs(np.linalg.det(system)) < 1e-30:
            continue
        solved = np.linalg.solve(system, np.append(-heights[chosen], 1.0))
        weights = np.zeros(n)
        weights[chosen] = solved[:k]
        margin = min(solved[:k].min(), (gram @ weights + heights + solved[k]).min())
        if margin > best[0]:
            best = margin, weights
        if margin >= -1e-13:
            break
    return best[1]
