"""Lower ends of the intervals: the solver's Gram matrix becomes learners and a loss, on which
``coordboost.solve`` runs.

The measured value alone is a lower bound of the worst case, whatever the solver's errors: the
function is smooth and convex by construction, and every hypothesis (angles, distances, lengths) is
checked on the run itself.
"""

import functools

import numpy as np

import coordboost as cb
from coordboost.theory.performance import Coordinates


class Interpolant(cb.losses.Loss):
    """An ``Envelope`` as a loss of the whole prediction vector: a coordinate for each sample.

    Further samples do not count.
    """

    value = residual = None
    sigma = 1.0

    def __init__(self, envelope):
        self.envelope = envelope
        self.mu = envelope.mu
        self.center = envelope.center

    def refresh_residual(self, y, weight, base, pred, resid):
        """Fill `resid` with minus the gradient at the predictions."""
        n = len(self.center)
        resid[:n], resid[n:] = -self.envelope.gradient(pred[:n]), 0.0

    def sum_of_losses(self, y, weight, base, pred):
        """Return a lower bound of the value at the predictions."""
        return self.envelope.below(pred[: len(self.center)])

    def above(self, pred):
        """Return an upper bound of the value at the predictions: the formula at one point of the
        polyhedron.
        """
        x = pred[: len(self.center)]
        of = self.envelope
        corners, weights = of.nearest(x)
        weights = np.maximum(weights, 0) / np.maximum(weights, 0).sum()
        point = weights @ corners
        away = x - self.center
        return of.smooth / 2 * point @ point + weights @ of.heights + self.mu / 2 * away @ away


class Instance(Coordinates):
    """A solution in coordinates (`at(vector)`), with unit columns B (n, n_learners).

    The learners that come from `inside` are last.
    """

    def __init__(self, model, solution):
        super().__init__(solution)
        self.model = model

    def at(self, vector):
        """Return the coordinates of a combination of the vectors and the functional."""
        known = type(vector)({i: value for i, value in vector.parts.items() if i >= 0})
        return super().at(known) + float(vector.parts.get(-1, 0)) * (
            self._slope if -1 in vector.parts else 0.0
        )

    @functools.cached_property
    def _slope(self):
        """The functional as a vector: the shortest one with the inner products of the solution."""
        n = self.root.shape[1]
        known = [i for i in range(n) if (-1, i) in self.solution.numbers]
        return np.linalg.lstsq(
            self.root[:, known].T,
            np.array([self.solution.numbers[-1, i] for i in known]),
            rcond=1e-9,
        )[0]

    @property
    def columns(self):
        """Unit columns: the planned ones, then z + w and z - w for each z of `inside`, each w along
        a coordinate of its own.
        """
        planned = [self.at(column) for column in self.model.columns]
        planned = [
            column / np.linalg.norm(column) for column in planned if np.linalg.norm(column) > 1e-9
        ]
        inside = [self.at(z) / self.model.radius for z in self.model.inside]
        B = np.zeros((len(self.root) + len(inside), len(planned) + 2 * len(inside)))
        B[: len(self.root), : len(planned)] = np.transpose(planned)
        for i, z in enumerate(inside):
            z = z / max(1.0, np.linalg.norm(z))
            for sign, j in ((1, -2), (-1, -1)):
                column = B[:, j - 2 * (len(inside) - 1 - i)]
                column[: len(z)], column[len(self.root) + i] = (
                    z,
                    sign * np.sqrt(max(0.0, 1 - z @ z)),
                )
        return B / np.linalg.norm(B, axis=0)

    @property
    def loss(self):
        """The function through the points."""
        return Interpolant(self.envelope(self.model.points, self.model.mu))

    def problem(self, y=None, also=()):
        """Return the problem: least squares if a target `y` is given, else the worst function.

        The directions of `also` become learners.
        """
        B = np.column_stack([self.columns, *(target / np.linalg.norm(target) for target in also)])
        target = np.zeros(len(B)) if y is None else np.append(y, np.zeros(len(B) - len(y)))
        return cb.Problem(
            B,
            target,
            cb.losses.Squared() if y is not None else self.loss,
            center=False,
            scale=False,
        )


def _states(problem, method, n_steps):
    return list(cb.solve(problem, method, n_steps).replay(range(n_steps + 1)))


def least_angle(problem, targets):
    """Return the smallest cosine between a target and its best learner."""
    return min(
        (float(np.abs(problem.scan(target)).max() / np.linalg.norm(target)) for target in targets),
        default=1.0,
    )


def play_descent(instance, method, n, momentum=None):
    """Return (L(f_n) in units of the hypothesis, the smallest angle met) of a run on the worst
    function.

    momentum : (gamma, sign of the correction) of an accelerated run, whose unit is ||f*||^2

    The unit of a plain run is the largest ||f_k - f*||^2, or L(0) where the function is strongly
    convex. With angle 1 every direction is a learner: the directions met in a run are appended to
    the learners, and the run is repeated.
    """
    problem = instance.problem()
    angle = -1.0
    for _ in range(4):
        run = cb.solve(problem, method, 2 * n - 1 if momentum and momentum[1] else n)
        states = list(run.replay(range(run.n_steps + 1)))
        met = (
            _met(problem, run.path, n, *momentum)
            if momentum
            else [problem.resid(state.pred) for state in states[:n]]
        )
        met = [target for target in met if np.linalg.norm(target) > 1e-9]
        angle = least_angle(problem, met)
        if instance.model.theta < 1 or angle >= 1 - 1e-15:
            break
        problem = instance.problem(also=met)
    loss = problem.loss
    star = problem.loss.center
    if loss.mu:
        return run.final.loss / loss.above(0 * problem.y), angle
    far = (
        (star @ star)
        if momentum
        else max(((state.pred[: len(star)] - star) ** 2).sum() for state in states)
    )
    return run.final.loss / far, angle


def _met(problem, path, n, gamma, sign):
    """Return the targets fitted by an accelerated run of n rounds (eta = 1): the residuals and,
    with a correction, the corrected ones.
    """
    columns = iter(problem.gather(path.learner).T)
    met = []
    f = h = left = problem.y * 0

    def fit(target):
        learner = next(columns)
        met.append(target)
        return learner @ target * learner

    for m in range(n):
        mix = 2 / (m + 2)
        g = (1 - mix) * f + mix * h
        resid = problem.resid(g)
        second = fit(resid)
        f = g + second
        if sign and m < n - 1:
            corrected = resid + sign * (m + 1) / (m + 2) * left
            second = fit(corrected)
            left = corrected - second
        h = h + gamma / mix * second
    return met


def play_ls_boost(instance, eps, n):
    """Return (||r_n||^2 / ||r_0||^2, the smallest angle met) of a run of LS-Boost."""
    problem = instance.problem(instance.at(instance.model.target))
    states = _states(problem, cb.ls_boost(eps), n)
    return states[-1].loss / states[0].loss, least_angle(
        problem, [problem.resid(state.pred) for state in states[:n]]
    )


def play_stagewise(instance, method, n, measure, delta=None):
    """Return the minimum of `measure` over the steps of a run, for ||y|| <= 1."""
    y = instance.at(instance.model.target)
    problem = instance.problem(y / max(1.0, np.linalg.norm(y)))
    states = _states(problem, method, n)
    resid = [problem.resid(state.pred) for state in states]
    corr = [float(np.abs(problem.scan(r)).max()) for r in resid]
    if measure == "corr":
        return min(corr)
    if measure == "omega":
        return min(
            c - r @ state.pred / delta for c, r, state in zip(corr, resid, states, strict=True)
        )
    # delta times the mean of the last two learners is in the ball: its loss is at least the optimum
    best = problem.value(delta * problem.gather(np.arange(problem.n_learners))[:, -2:].mean(axis=1))
    return min(state.loss for state in states) - best


def play_frank_wolfe(instance, n):
    """Return f(x_n) - f(x*) on the l1 ball of radius 1/2, where x* is half the mean of the last two
    learners.
    """
    problem = instance.problem()
    star = 0.5 * problem.gather(np.arange(problem.n_learners))[:, -2:].mean(axis=1)
    return cb.solve(problem, cb.methods.frank_wolfe(0.5), n).final.loss - problem.loss.above(star)
