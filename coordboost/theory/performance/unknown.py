"""An unknown loss of a known class, with learners of a known angle.

It records the conditions that arise while a method runs.

Source: Taylor, Hendrickx, Glineur, *Smooth strongly convex interpolation and exact worst-case
performance of first-order methods*, 2017, Theorem 4. The learners are ours: a greedy fit d of a
target r has <r, d> = ||d||^2 and ||d|| >= Theta ||r||, and no other learner of the dictionary fits
r better. All vectors that satisfy these conditions come from a dictionary with angle Theta: see
``docs/worst-cases.md``.
"""

from fractions import Fraction
from typing import Any, NamedTuple

from coordboost.theory.performance.forms import NULL, Form, Programme


class Point(NamedTuple):
    """A point, with the gradient and the value of the function there."""

    x: Any
    gradient: Any
    value: Any


def smooth_convex(programme, points, mu=0):
    """Require that values and gradients are those of one smooth convex function.

    It is 1-smooth and `mu`-strongly convex, mu < 1.
    """
    mu = Fraction(mu)
    for p in points:
        for q in points:
            if p is not q:
                g = p.gradient - q.gradient
                x = p.x - q.x
                squares = g @ g + mu * (x @ x) - 2 * mu * (g @ x)
                programme.require(p.value - q.value - q.gradient @ x - 1 / (2 * (1 - mu)) * squares)


class UnknownLoss:
    """Stands in for a loss and its learners when the worst case of a method is sought.

    A call returns L - L*.

    Parameters
    ----------
    mu : number in [0, 1]
        Strong convexity; the smoothness is 1. With mu = 1 the loss is half of the squared distance
        from the minimiser: least squares.
    angle : number in (0, 1]
        Minimal cosine angle of the learners.
    margin : number
        By which fraction each fit is better for its target than the other learners; 0 allows ties.

    Attributes
    ----------
    start, minimiser : Vector
        Where the method begins, and where L is L*.
    points : list of Point
        Where the loss was evaluated, the minimiser first.
    fits : list of (target, fit)
        The targets that were fitted, and the fitted learners times their coefficients.
    """

    def __init__(self, mu=0, angle=1, margin=0):
        self.mu = Fraction(mu)
        self.angle = Fraction(angle)
        self.margin = Fraction(margin)
        self.programme = Programme()
        self.start = NULL
        self.minimiser = self.programme.vector()
        self.points = [Point(self.minimiser, NULL, Form())]
        self.fits = []
        self._units = []

    def _at(self, x):
        away = NULL + x - self.minimiser  # NULL + x refuses x if it is not a vector; the same below
        if self.mu == 1:
            return Point(x, away, away @ away / 2)
        known = next((point for point in self.points if point.x == x), None)
        if known is None:
            known = Point(x, self.programme.vector(), self.programme.number())
            self.points.append(known)
        return known

    def __call__(self, x):
        return self._at(x).value

    def gradient(self, x):
        """Return the gradient at x: minus the residual."""
        return self._at(x).gradient

    def fit(self, target):
        """Return the learner that fits `target` best, times its coefficient.

        `target` itself where the angle is 1.
        """
        target = NULL + target
        if self.angle == 1:
            self.fits.append((target, target))
            return target
        fit = self.programme.vector()
        self.programme.require_equal(target @ fit, fit @ fit)
        self.programme.require(fit @ fit - self.angle**2 * (target @ target))
        for earlier_target, earlier in self.fits:
            for r, d, e in ((target, fit, earlier), (earlier_target, earlier, fit)):
                self.programme.require_square(d @ d, (1 + self.margin) * (r @ e), e @ e)
        self.fits.append((target, fit))
        return fit

    def line_search(self, x, direction):
        """Return the lowest point of the line from x along `direction`.

        Only its two slopes are required, not that it is on the line.
        """
        lowest = NULL + x + self.programme.vector()
        direction = NULL + direction
        slope = self.gradient(lowest)
        self.programme.require_equal(slope @ direction, 0)
        self.programme.require_equal(slope @ (lowest - x), 0)
        return lowest

    def assume(self, form):
        """Assume that `form` is at most 1: the unit of the error.

        Default: the squared distance from start to minimiser.
        """
        self._units.append(_squared("assume", form))

    def finished(self, error):
        """Return the programme that maximises `error`."""
        self.programme.objective = _squared("what a method returns", error)
        for unit in self._units or [self.minimiser @ self.minimiser]:
            self.programme.require(1 - unit)
        smooth_convex(self.programme, self.points, self.mu)
        return self.programme


def _squared(name, form):
    """Return `form` if it is made of losses and inner products without a constant.

    Else raise ValueError.
    """
    if not isinstance(form, Form) or form.constant:
        raise ValueError(
            f"{name} must be made of losses and inner products, such as loss(x), g @ g or their "
            f"sums, without a constant; got {form!r:.80}."
        )
    return form
