"""The worst case of a method as an interval.

The lower end is from a run on the worst loss found, the upper end from a proof in fractions.
"""

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from coordboost._utils.checks import function, real, shown
from coordboost.theory.performance.instance import WorstLoss
from coordboost.theory.performance.proof import solve_and_prove, solve_programme
from coordboost.theory.performance.unknown import UnknownLoss

#: Tried in this order: by how much the best learner is better than the others, so that rounding
#: does not decide.
MARGINS = tuple(Fraction(1, 10**k) for k in (7, 6, 5, 8))
#: How far the smallest cosine in a run may be below the assumed angle: rounding of the gradient.
ANGLE = 1e-9
#: Relative rounding error of the error on the worst function: lower ends are reduced by it.
ROUNDED = 1e-8
#: A lower end this close to the upper end is good enough.
CLOSE = 2e-6


@dataclass(frozen=True)
class WorstCase:
    """The largest error of a method after some steps: ``lower <= worst case <= upper``.

    With a loss on which it is nearly attained.

    Parameters
    ----------
    lower, upper : float
        The lower end from a run, the upper end from a proof; -inf or inf where there is none.
    witness : WorstLoss, optional
        The loss and the learners of the run that gives the lower end.

    Examples
    --------
    >>> import coordboost as cb
    >>> print(cb.theory.WorstCase(lower=0.0999, upper=0.1))
    the worst case is in [0.0999, 0.1]
    """

    lower: float
    upper: float
    witness: WorstLoss | None = None

    def __str__(self):
        return f"the worst case is in [{self.lower:.6g}, {self.upper:.6g}]"


def raised(angle, margin):
    """Return a slightly larger angle.

    Then the angle in the run is at least `angle` in spite of rounding.
    """
    return angle if angle == 1 else min(angle + 2 * margin, (1 + angle) / 2)


def worst_case(method: Callable, n_steps: int, *, mu: float = 0.0, angle: float = 1.0) -> WorstCase:
    """Bound the worst-case error of a method of your own.

    The worst case is over all smooth convex losses and all learners.

    Parameters
    ----------
    method : function
        ``method(loss, n_steps)``, which returns the error to measure, such as ``loss(x)``. It
        begins at ``loss.start`` and may use ``loss(x)``, which is L(x) - L*; ``loss.gradient(x)``,
        minus the residual; ``loss.fit(target)``, the learner that fits a target best, times its
        coefficient; ``loss.line_search(x, direction)``, the lowest point of a line. Vectors can be
        added, multiplied by numbers known before the run, and have inner products ``g @ h``.
        ``loss.assume(form)`` assumes that this form, such as ``loss(loss.start)``, is at most 1.
        Default: the squared distance from ``loss.start`` to ``loss.minimiser`` is at most 1.
    n_steps : int
        Number of steps, passed to the method. Up to about 10 the proof is quick.
    mu : float
        Strong convexity in [0, 1], default 0; the smoothness is 1. With mu = 1 the loss is half of
        the squared distance from the minimiser: the squared loss of LS-Boost.
    angle : float
        Minimal cosine angle of the learners in (0, 1], default 1: then ``loss.fit`` returns its
        target.

    Returns
    -------
    WorstCase
        The interval, in the unit that is assumed to be at most 1, and the loss of the run that
        gives the lower end.

    Raises
    ------
    ValueError
        For a method that returns something else, a number of steps below 0, a mu or an angle out of
        range.

    Notes
    -----
    The method runs on vectors without coordinates, which gives a semidefinite programme, and then
    on numbers, on the worst loss found. The upper end is proved in fractions from the solver's
    multipliers. The lower end is the error of the method on a loss that is smooth and convex by
    construction; its other assumptions are checked in the run. Neither end trusts the solver. With
    a line search the programme uses only necessary conditions, so the interval may be wide.

    *Cost*: 0.1 to 10 s for up to 8 steps. *Source*: Drori and Teboulle, 2014; Taylor, Hendrickx and
    Glineur, 2017; the learners are ours (docs/worst-cases.md).

    Examples
    --------
    After n steps of size 1 / sigma the error of gradient descent is at most 1 / (4 n + 2) (Drori
    and Teboulle):

    >>> import coordboost as cb
    >>> def gradient_descent(loss, n_steps):
    ...     x = loss.start
    ...     for _ in range(n_steps):
    ...         x = x - loss.gradient(x)
    ...     return loss(x)
    >>> print(cb.theory.worst_case(gradient_descent, 2))
    the worst case is in [0.1, 0.1]
    """
    expected = "a function of a loss and a number of steps"
    try:
        inspect.signature(function("method", method, expected)).bind(None, 1)
    except TypeError:
        raise ValueError(f"method must be {expected}, got {shown(method)}.") from None
    n_steps = int(real("n_steps", n_steps, lambda n: n >= 0 and n == int(n), "a whole number >= 0"))
    of_mu = Fraction(real("mu", mu, lambda m: 0 <= m <= 1, "a number from 0 to 1"))
    theta = Fraction(real("angle", angle, lambda a: 0 < a <= 1, "a number in (0, 1]"))
    unknown = UnknownLoss(of_mu, theta)
    solution, bound = solve_and_prove(unknown.finished(method(unknown, n_steps)))
    upper = math.inf if bound is None else math.nextafter(float(bound), math.inf)
    lower = -math.inf
    witness = None
    for margin in MARGINS if theta < 1 and unknown.fits else (Fraction(0),):
        unknown = UnknownLoss(of_mu, raised(theta, margin), margin)
        solution = solve_programme(unknown.finished(method(unknown, n_steps)))
        if solution is None:
            continue
        loss = WorstLoss(unknown, solution)
        error = loss.error(method, n_steps) * (1 - ROUNDED)
        if error > lower and loss.least_angle >= theta - ANGLE:
            lower = error
            witness = loss
        if lower >= upper - CLOSE * max(1.0, upper):
            break
    return WorstCase(lower, upper, witness)
