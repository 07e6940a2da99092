"""The worst case as an interval: the lower end is a run on the worst instance found, the upper end
a proof in fractions.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from coordboost.theory.performance import solve_and_prove, solve_programme
from verification.worst_case.catalogue import CASES

#: By how much each chosen learner must beat the others, so that rounding does not decide ties;
#: tried in this order.
MARGINS = tuple(Fraction(1, 10**k) for k in (7, 6, 5, 8))
#: How far the smallest angle met may be below the hypothesis, for rounding errors of the function's
#: gradient.
ANGLE = 1e-9
#: Relative rounding error of the worst function's gradient; lower ends are reduced by it.
ROUNDED = 1e-8
#: Try no further margin once a run is this close to the upper end.
CLOSE = 2e-6


@dataclass(frozen=True)
class Interval:
    """``lower`` <= the worst case of `name` after n steps <= ``upper``.

    -inf or inf where there is no run or no proof.

    estimate : the solver's value, without a proof; bounds : bounds of the papers, variant -> number
    """

    name: str
    n: int
    theta: Fraction
    lower: float
    upper: float
    estimate: float
    bounds: dict

    @property
    def width(self):
        """The difference of both ends."""
        return self.upper - self.lower


def worst_case(name, n, theta=Fraction(1)):
    """Return the ``Interval`` of one of ``CASES`` after n >= 1 steps.

    Parameters
    ----------
    name : str
    n : int >= 1
    theta : Fraction in (0, 1]
        Minimal cosine angle of the dictionary, where the case depends on it.

    Notes
    -----
    *Cost*: three to six semidefinite programmes, 0.1 to 0.5 s for n <= 6. The upper end is an exact
    fraction that is rounded up to a float.
    """
    if name not in CASES:
        raise ValueError(f"name must be one of {', '.join(CASES)}, got {name!r}.")
    if n < 1 or not 0 < theta <= 1:
        raise ValueError(
            f"n must be at least 1 and theta lie in (0, 1], got n = {n} and theta = {theta}."
        )
    case = CASES[name]
    theta = Fraction(theta)
    solution, bound = solve_and_prove(case.model(n, theta, Fraction(0)).programme)
    upper = math.inf if bound is None else math.nextafter(float(bound), math.inf)
    lower = -math.inf if case.play is None else _best_run(case, n, theta, upper) * (1 - ROUNDED)
    promised = {variant: float(of(n, theta)) for variant, of in case.bounds.items()}
    return Interval(
        name, n, theta, lower, upper, math.nan if solution is None else solution.value, promised
    )


def _best_run(case, n, theta, upper):
    """Return the largest measured value over the runs on which all hypotheses hold.

    -inf if there is none.
    """
    best = -math.inf
    for margin in MARGINS:
        model = case.model(n, theta, margin)
        solution = solve_programme(model.programme)
        if solution is None:
            continue
        measured, angle = case.play(case.instance(model, solution), n, theta)
        if angle is None or angle >= float(theta) - ANGLE:
            best = max(best, float(measured))
        if best >= upper - CLOSE * max(1.0, upper):
            break
    return best
