"""Descent on the worst smooth convex function: gradient boosting, accelerated boosting, LS-Boost.

sigma = 1 and L* = 0 throughout, and the start is 0. Learners are fitted to gradients, so that models move by their opposites.
"""

from fractions import Fraction

from verification.worst_case.classes import Learners, Point, minimum, smooth_convex
from verification.worst_case.forms import NULL, Form
from verification.worst_case.models import Model


def _point(programme, x):
    return Point(x, programme.vector(), programme.number())


def _ended(model, objective, learners, points=()):
    """The programme of an objective, with the learners that were fitted and the points of the function, where one is looked for."""
    if points:
        smooth_convex(model.programme, points, model.mu)
    model.points, model.theta, model.programme.objective = points, learners.theta, objective
    model.columns, model.targets = [fit for _, fit in learners.fits], [target for target, _ in learners.fits]
    return model


def gbm(n, theta, mu=0, margin=0):
    """GBM with steps 1 / sigma: L(f_n), where ||f_k - f*|| <= 1 for all k; for mu > 0 where L(0) <= 1."""
    model = Model(mu=Fraction(mu))
    programme, learners = model.programme, Learners(model.programme, theta, margin)
    star, x = Point(programme.vector(), NULL, Form.of(0)), NULL
    points = [star]
    for k in range(n + 1):
        points.append(_point(programme, x))
        if k < n:
            x = x - learners.fit(points[-1].gradient)
    if mu:
        programme.require(1 - points[1].value)
    else:
        programme.require(*(1 - (point.x - star.x) @ (point.x - star.x) for point in points[1:]))
    return _ended(model, points[-1].value, learners, points)


def agbm(n, theta, gamma, sign=1, margin=0):
    """AGBM with eta = 1: L(f_n), where ||f*|| <= 1; `sign` of the correction, 0 for VAGBM."""
    gamma, model = Fraction(gamma), Model()
    programme, learners = model.programme, Learners(model.programme, theta, margin)
    points, f, h, left = [minimum(programme)], NULL, NULL, NULL
    for m in range(n):
        mix = Fraction(2, m + 2)
        g = (1 - mix) * f + mix * h
        points.append(_point(programme, g))
        looked = points[-1].gradient
        fit = learners.fit(looked)
        f = g - fit
        if m < n - 1:
            corrected = looked + Fraction(sign * (m + 1), m + 2) * left
            second = fit if m == 0 or sign == 0 else learners.fit(corrected)
            left = corrected - second
            h = h - gamma / mix * second
    points.append(_point(programme, f))
    return _ended(model, points[-1].value, learners, points)


def ls_boost(n, theta, eps, margin=0):
    """LS-Boost: ||r_n||^2, where ||r_0|| <= 1 and the least-squares residual is 0."""
    model, eps = Model(), Fraction(eps)
    programme, learners = model.programme, Learners(model.programme, theta, margin)
    resid = model.target = programme.vector()
    programme.require(1 - resid @ resid)
    for _ in range(n):
        resid = resid - eps * learners.fit(resid)
    return _ended(model, resid @ resid, learners)
