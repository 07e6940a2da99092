r"""A worst loss and its learners in numbers, constructed from the solution of a programme.

The loss is the Moreau envelope of a polyhedron. With w_i = x_i - g_i / s and v_i = f_i - ||g_i||^2
/ (2 s) for gradients g_i and values f_i at points x_i,

    f(x) = min over weights l >= 0, sum l = 1, of s/2 ||x - sum l_i w_i||^2 + sum l_i v_i

is convex and s-smooth for all numbers x_i, g_i, f_i. It has these values and gradients at the
points if any such function has them. A strongly convex function is this one with s = 1 - mu, plus
mu/2 ||x - x*||^2. Source: Taylor, Hendrickx, Glineur, 2017; Drori, Taylor, *Efficient first-order
methods for convex minimization*, 2020.
"""

import numpy as np

from coordboost._utils.root import falling_root


class Coordinates:
    """Vectors (n,) with the Gram matrix of a solution."""

    def __init__(self, solution):
        size, axes = np.linalg.eigh(solution.gram)
        keep = size > 1e-14 * size[-1]
        self.solution = solution
        self.root = np.sqrt(size[keep])[:, None] * axes[:, keep].T

    def at(self, vector):
        """Return the coordinates (n,) of a combination of the vectors."""
        return sum(
            (float(value) * self.root[:, i] for i, value in vector.parts.items()),
            np.zeros(len(self.root)),
        )

    def number(self, form):
        """Return the value of a form without inner products."""
        return float(form.constant) + sum(
            float(a) * self.solution.numbers[name] for name, a in form.numbers.items()
        )

    def envelope(self, points, mu):
        """Return the ``Envelope`` with the values and gradients of the points."""
        x, gradients = (np.array([self.at(point[i]) for point in points]) for i in (0, 1))
        return Envelope(
            x, gradients, np.array([self.number(point.value) for point in points]), float(mu)
        )


class Envelope:
    """The function of the module's formula, with given values and gradients at points.

    x, gradients : (n_points, n); values : (n_points,); the first point is the minimiser if its
    gradient is 0
    """

    def __init__(self, x, gradients, values, mu=0.0):
        self.mu = mu
        self.smooth = 1 - mu
        self.center = x[0]
        away = x - x[0]
        smooth = self.smooth or 1.0
        slopes = gradients - mu * away
        self.corners = x - slopes / smooth
        heights = values - mu / 2 * (away**2).sum(axis=1) - (slopes**2).sum(axis=1) / (2 * smooth)
        # keeps the minimum at the minimiser
        self.heights = heights if gradients[0].any() else np.maximum(heights, heights[0])

    def nearest(self, x):
        """Return the corners minus x, and the weights (n_points,) of the minimum in the formula."""
        corners = self.corners - x
        return corners, nearest_weights(self.smooth * corners @ corners.T, self.heights)

    def gradient(self, x):
        """Return the gradient (n,) at x, with an error of about 1e-9."""
        corners, weights = self.nearest(x)
        return self.mu * (x - self.center) - self.smooth * weights @ corners

    def below(self, x):
        """Return a lower bound of the value at x.

        It holds for weights that are optimal only up to rounding.
        """
        corners, weights = self.nearest(x)
        point = weights @ corners
        more = self.mu / 2 * (x - self.center) @ (x - self.center)
        return (self.smooth * (corners @ point - point @ point / 2) + self.heights).min() + more


def nearest_weights(gram, heights):
    """Return the weights l >= 0 with sum 1 that minimise l' gram l / 2 + heights' l.

    By an active-set method.

    *Source*: Wolfe, *Finding the nearest point in a polytope*, 1976, with heights.
    """
    n = len(heights)
    size = np.abs(gram).max() or 1.0
    weights = np.zeros(n)
    weights[np.argmin(np.diag(gram) / 2 + heights)] = 1.0
    for _ in range(50 * n):
        # move to the best weights of the corners in use, or as far towards them as all weights
        # stay >= 0
        while True:
            used = np.flatnonzero(weights)
            k = len(used)
            system = np.full((k + 1, k + 1), size)
            system[:k, :k] = gram[np.ix_(used, used)]
            system[k, k] = 0
            solved = np.linalg.lstsq(system, np.append(-heights[used], size), rcond=1e-14)[0]
            if solved[:k].min() >= 0:
                weights[used] = solved[:k]
                break
            away = weights[used] - solved[:k]
            lengths = np.where(solved[:k] < 0, weights[used] / np.where(away > 0, away, 1), np.inf)
            weights[used] -= min(1.0, lengths.min()) * away
            weights[used[np.argmin(lengths)]] = 0.0
        margin = gram @ weights + heights + size * solved[k]
        if margin.min() >= -1e-15 * size or weights[np.argmin(margin)] > 0:
            return weights
        weights[np.argmin(margin)] = 1e-300
    return weights


class WorstLoss:
    """A loss and its learners in numbers, on which a method has nearly its worst error.

    The method itself can run on it.

    Parameters
    ----------
    unknown : UnknownLoss
        The unknown loss after a run of the method.
    solution : GramSolution
        The solution of its programme.

    Attributes
    ----------
    start, minimiser : ndarray (n,)
        Where the method begins, and where the loss is 0.
    learners : ndarray (n, n_learners)
        Unit columns. Empty where the angle is 1: then every direction is a learner.
    envelope : Envelope
        The loss: a Moreau envelope, with its polyhedron.
    least_angle : float
        The smallest cosine so far between a target of the method and its best learner.
    """

    def __init__(self, unknown, solution):
        place = Coordinates(solution)
        self.angle = unknown.angle
        self.envelope = place.envelope(unknown.points, unknown.mu)
        self.start = np.zeros(len(place.root))
        self.minimiser = place.at(unknown.minimiser)
        fits = [place.at(fit) for _, fit in unknown.fits] if self.angle < 1 else []
        fits = [fit / np.linalg.norm(fit) for fit in fits if np.linalg.norm(fit) > 1e-9]
        self.learners = np.reshape(fits, (len(fits), len(place.root))).T
        self.least_angle = 1.0
        self._units = []

    def __call__(self, x):
        return float(self.envelope.below(x))

    def gradient(self, x):
        """Return the gradient at x (n,): minus the residual."""
        return self.envelope.gradient(x)

    def fit(self, target):
        """Return the learner that fits `target` best, times its coefficient.

        `target` itself where the angle is 1.
        """
        if self.angle == 1 or not target.any():
            return target
        corr = target @ self.learners
        best = np.argmax(np.abs(corr))
        self.least_angle = min(self.least_angle, abs(corr[best]) / np.linalg.norm(target))
        return corr[best] * self.learners[:, best]

    def line_search(self, x, direction):
        """Return the minimiser of the loss on the line from x along `direction`."""
        if not direction.any():
            return x
        length, _ = falling_root(lambda t: -self.gradient(x + t * direction) @ direction)
        return x if length is None else x + length * direction

    def assume(self, form):
        """Note a form; the largest of the noted forms is the unit of the error."""
        self._units.append(form)

    def error(self, method, n_steps):
        """Return what `method` returns on this loss after `n_steps` steps, divided by the unit."""
        self._units = []
        error = method(self, n_steps)
        unit = max(self._units, default=self.minimiser @ self.minimiser)
        return float(error / unit) if unit > 0 else 0.0
