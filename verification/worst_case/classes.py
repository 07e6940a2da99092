"""What is known: of smooth convex functions at some points, and of learners fitted with an angle of at least Theta.

Source: Taylor, Hendrickx, Glineur, *Smooth strongly convex interpolation and exact worst-case performance of first-order methods*, 2017,
Theorem 4. The learners are ours: a greedy fit d of a target r has <r, d> = ||d||^2 and ||d|| >= Theta ||r||, and no other learner of the
dictionary fits r better. Every choice of vectors that satisfies this is one of a dictionary with angle Theta: see ``docs/worst-cases.md``.
"""

from fractions import Fraction
from typing import NamedTuple

from verification.worst_case.forms import NULL, Form, Vector


class Point(NamedTuple):
    """A point, the gradient and the value of the function there."""

    x: Vector
    gradient: Vector
    value: Form


def minimum(programme):
    """The minimiser, with value 0; its distance from the start 0 is at most 1."""
    star = Point(programme.vector(), NULL, Form.of(0))
    programme.require(1 - star.x @ star.x)
    return star


def smooth_convex(programme, points, mu=0):
    """The values and gradients are those of a convex function, 1-smooth and `mu`-strongly convex with mu < 1."""
    mu = Fraction(mu)
    for one in points:
        for other in points:
            if one is not other:
                g, x = one.gradient - other.gradient, one.x - other.x
                rest = g @ g + mu * (x @ x) - 2 * mu * (g @ x)
                programme.require(one.value - other.value - other.gradient @ x - 1 / (2 * (1 - mu)) * rest)


class Learners:
    """The fits of one greedy dictionary with minimal cosine angle `theta`.

    `margin`: so much better, relatively, is each fit than those of other targets; 0 for ties.
    """

    def __init__(self, programme, theta, margin=0):
        self.programme, self.theta, self.margin = programme, Fraction(theta), Fraction(margin)
        self.fits = []

    def fit(self, target):
        """The learner that fits `target` best, as long as it should be; `target` itself where the angle is 1."""
        if self.theta == 1:
            self.fits.append((target, target))
            return target
        fit = self.programme.vector()
        self.programme.require_equal(target @ fit, fit @ fit)
        self.programme.require(fit @ fit - self.theta**2 * (target @ target))
        for other_target, other in self.fits:
            for r, d, e in ((target, fit, other), (other_target, other, fit)):
                self.programme.require_square(d @ d, (1 + self.margin) * (r @ e), e @ e)
        self.fits.append((target, fit))
        return fit
