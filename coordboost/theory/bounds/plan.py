r"""Plan a run from the bounds: the steps for a target, the best eps for a budget, the l1 norm of
the coefficients.

Also the guarantees of theorems for the named methods on least squares, or the reason why there is
none.

For random methods the guarantee is for the expected gap. Theorem 4.1 of Lu and Mazumder needs the
minimal cosine angle. Where no exact method is cheap, a lower end follows from the smallest
eigenvalue: the mean of the squared cosines is at least lambda_pmin / n, and no norm of a rule is
below the mean. A cosine is at least its square, and drawing more learners never lowers the angle.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from coordboost._utils.checks import positive, shown
from coordboost.data import validation
from coordboost.data.problem import Problem, checked_problem
from coordboost.methods import named as methods
from coordboost.rules.method import Method
from coordboost.rules.selection import Greedy
from coordboost.rules.steps import admissible
from coordboost.theory.bounds import (
    accelerated,
    frank_wolfe,
    ls_boost,
    randomized,
    regularized,
    stagewise,
)
from coordboost.theory.bounds.trail import Constants

MOST = 10**15
_EXPECTED = (
    "ls_boost, forward_stagewise, regularized_forward_stagewise or frank_wolfe, or a "
    "method made by one of them"
)


class Plan(NamedTuple):
    """A method and a number of steps that guarantee a gap.

    It is run with ``solve(problem, plan.method, plan.n_steps)``.

    Parameters
    ----------
    method : Method
        With its parameters.
    n_steps : int
        Number of steps.
    gap : float
        Guaranteed bound of L - L*, a sum over samples, at some step i <= n_steps: the last one for
        LS-Boost and Frank-Wolfe, the one whose largest abs correlation is smallest for FS, the one
        with the smallest omega for R-FS. For random methods, of the expectation.
    l1 : float
        Bound of the l1 norm of the coefficients of unit columns, inf where none is known.
    statement : str
        The theorem. The guarantee uses the constant of its proof where that is better than the
        printed one.

    Examples
    --------
    The best eps of forward stagewise for 100 steps, the gap that it guarantees, and the bound of
    the l1 norm:

    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> plan = cb.theory.bounds.plan(problem, cb.forward_stagewise, n_steps=100)
    >>> (
    ...     round(plan.method.parameters["eps"], 3),
    ...     round(plan.gap, 2),
    ...     round(plan.l1, 1),
    ...     plan.statement,
    ... )
    (0.308, 0.09, 30.8, 'FGM, Theorem 3.1 (i)')
    """

    method: Method
    n_steps: int
    gap: float
    l1: float
    statement: str

    def __repr__(self):
        text = ", ".join(f"{name}={shown(value)}" for name, value in self.method.parameters.items())
        bound = f", and an l1 norm of at most {self.l1:.6g}" if self.l1 < math.inf else ""
        return (
            f"<Plan: {self.n_steps:,} steps of {self.method.name}({text}) guarantee a gap of at "
            f"most {self.gap:.6g}{bound} "
            f"({self.statement})>"
        )


class Guarantee(NamedTuple):
    """The bounds of a theorem for a method after k steps: gap(k) and gap(k, variant) of L - L*,
    l1(k) of the l1 norm.
    """

    method: Method
    gap: Callable
    l1: Callable
    statement: str


def _ls_boost(constants, eps, delta):
    eps = 1.0 if eps is None else eps

    def gap(k, variant="sharpened"):
        return float(ls_boost.excess(constants, eps=eps, k=k, variant=variant))

    def l1(k):
        return float(ls_boost.l1(constants, eps, k, "sharpened"))

    return Guarantee(methods.ls_boost(eps), gap, l1, "FGM, Theorem 2.1 (i)")


def _stagewise(constants, eps, delta):
    def gap(k, variant="sharpened"):
        return stagewise.excess(constants, eps=eps, k=k, variant=variant)

    return Guarantee(methods.forward_stagewise(eps), gap, lambda k: k * eps, "FGM, Theorem 3.1 (i)")


def _regularized(constants, eps, delta):
    def gap(k, variant="sharpened"):
        return regularized.excess(constants, eps=eps, delta=delta, k=k)

    def l1(k):
        return float(regularized.l1(eps=eps, delta=delta, k=k))

    return Guarantee(
        methods.regularized_forward_stagewise(eps, delta), gap, l1, "FGM, Theorem 4.1 (i)"
    )


def _frank_wolfe(constants, eps, delta):
    start = constants.size**2 / 2

    def gap(k, variant="sharpened"):
        return float(frank_wolfe.excess(delta=delta, k=k)) if k else start

    return Guarantee(
        methods.frank_wolfe(delta), gap, lambda k: delta if k else 0.0, "Jaggi, Theorem 1"
    )


#: The bound for each greedy method: (constants, eps, delta) -> Guarantee.
GUARANTEES = {
    methods.ls_boost: _ls_boost,
    methods.forward_stagewise: _stagewise,
    methods.regularized_forward_stagewise: _regularized,
    methods.frank_wolfe: _frank_wolfe,
}


def plan(
    problem: Problem,
    method: Method | Callable,
    gap: float | None = None,
    *,
    n_steps: int | None = None,
    eps: float | None = None,
    delta: float | None = None,
) -> Plan:
    """Find the steps that guarantee a gap, or the gap that a number of steps guarantees.

    Without an eps the best one is taken.

    Parameters
    ----------
    problem : Problem
        With the squared loss.
    method : Method or function
        Of the functions ``ls_boost``, ``forward_stagewise``, ``regularized_forward_stagewise`` and
        ``frank_wolfe``. Random methods, such as ``rtgcd(4)``, and ``agbm(eta, gamma)`` and
        ``agbmr(eta, gamma, period)`` are planned for other smooth losses, too. For random methods
        the gap is an expectation. The accelerated ones need a certified gamma (``momentum_limit``);
        "auto" is certified where there are few learners.
    gap : float, optional
        Target for L - L*, a sum over samples. L* is the minimum of the loss, for R-FS and
        Frank-Wolfe over the l1 ball.
    n_steps : int, optional
        Budget; exactly one of `gap` and `n_steps` is needed.
    eps, delta : float, optional
        Parameters of the method, if `method` is a function.

    Returns
    -------
    Plan
        The method with its parameters, the number of steps, and the gap that they guarantee.

    Raises
    ------
    ValueError
        If no number of steps guarantees the gap with this eps, or the method has no bound.

    Notes
    -----
    *Cost*: one thin SVD. *Source*: Freund, Grigas, Mazumder, Theorems 2.1, 3.1, 4.1; the best steps
    are ours: eps = A / sqrt(k + 1) for FS, min(delta, A / (2 sqrt(k + 1))) for R-FS.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> plan = cb.theory.bounds.plan(problem, cb.ls_boost, gap=0.1)
    >>> plan.n_steps, round(plan.gap, 3), plan.statement
    (6, 0.075, 'FGM, Theorem 2.1 (i)')
    >>> cb.solve(problem, plan.method, plan.n_steps).certificate().gap < plan.gap
    True
    """
    checked_problem(problem)
    if (gap is None) == (n_steps is None):
        raise ValueError("plan needs either gap (a target) or n_steps (a budget), not both.")
    asked = validation.whole("n_steps", n_steps) if gap is None else positive("gap", gap)
    guarantees = _guarantees(problem, method, eps, delta)
    steps = asked if gap is None else least_steps(lambda k: guarantees(k).gap(k) <= asked)
    if steps is None:
        most = guarantees(MOST)
        advice = "; take a smaller eps" if "eps" in most.method.parameters else ""
        raise ValueError(
            f"no number of steps guarantees a gap of {asked:g} with {most.method.name}: 1e15 steps "
            f"guarantee {most.gap(MOST):.3g}{advice}."
        )
    guarantee = guarantees(steps)
    return Plan(
        guarantee.method,
        steps,
        float(guarantee.gap(steps)),
        guarantee.l1(steps),
        guarantee.statement,
    )


def _guarantees(problem, method, eps, delta):
    """Return a function that maps a number of steps to the ``Guarantee`` of a method, with the best
    eps if none is given.
    """
    if isinstance(method, Method) and (eps is not None or delta is not None):
        raise ValueError(
            "a method has its parameters already: to pass eps or delta, take a function such as "
            "ls_boost."
        )
    if isinstance(method, Method) and (_draws(method) or accelerated.is_accelerated(method)):
        smooth = _smooth(problem, method.bind(problem))
        return lambda k: smooth
    if not problem.loss.quadratic:
        raise ValueError(
            "plan needs a Problem with the squared loss: the bounds hold for no other loss."
        )
    maker, eps, delta = _parameters(method, eps, delta)
    constants = Constants.of(problem)
    return lambda k: GUARANTEES[maker](constants, _best_eps(maker, constants, eps, delta, k), delta)


def _draws(method):
    """Whether a method draws its candidates at random."""
    return method.select.width > 0


def _smooth(problem, method):
    """Return the ``Guarantee`` of a random or accelerated method, whose theorems hold for smooth
    losses.
    """
    if _draws(method):
        pace, name = randomized.expected(problem, method)
        return Guarantee(
            method, partial(randomized.gap_after, pace), partial(randomized.length, pace), name
        )
    method, gap, name = accelerated.promised(problem, method)
    return Guarantee(method, gap, lambda k: math.inf, name)


def least_steps(reached):
    """Return the smallest k with reached(k), for a condition that stays true for larger k.

    None if `MOST` steps are too few.
    """
    if reached(0):
        return 0
    low, high = 0, 1
    while not reached(high):
        if high == MOST:
            return None
        low = high
        high = min(2 * high, MOST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def _best_eps(maker, constants, eps, delta, n_steps):
    """Return `eps`, or if it is None the one with the smallest bound after n_steps."""
    if eps is not None or maker is methods.frank_wolfe:
        return eps
    best = constants.size / math.sqrt(n_steps + 1)
    if maker is methods.forward_stagewise:
        return best
    return min(delta, best / 2) if maker is methods.regularized_forward_stagewise else None


def _parameters(method, eps, delta):
    """Return (the function that makes the method, eps, delta)."""
    if isinstance(method, Method):
        rate = method.step.ls_boost_rate
        radius = method.step.frank_wolfe
        eps, delta = method.step.stagewise or (None, None)
        if method.greedy and rate is not None:
            return methods.ls_boost, rate, None
        if method.greedy and radius is not None:
            return methods.frank_wolfe, None, radius
        if method.greedy and eps is not None and np.ndim(eps) == np.ndim(delta) == 0:
            maker = (
                methods.forward_stagewise
                if delta == math.inf
                else methods.regularized_forward_stagewise
            )
            return maker, eps, None if delta == math.inf else delta
    if not callable(method) or method not in GUARANTEES:
        raise ValueError(f"method must be {_EXPECTED}, got {shown(method)}.")
    ball = method in (methods.regularized_forward_stagewise, methods.frank_wolfe)
    if ball != (delta is not None):
        raise ValueError(
            f"{method.__name__} "
            f"{'needs delta, the radius of its ball' if ball else 'has no delta'}."
        )
    if eps is not None and method is methods.frank_wolfe:
        raise ValueError("frank_wolfe has no eps.")
    return (
        method,
        None if eps is None else positive("eps", eps),
        None if delta is None else positive("delta", delta),
    )


#: Most estimated seconds for an exact angle.
QUICK = 0.1
#: Named methods for which no theorem shows convergence to least squares, and why.
SILENT = {
    "path_forward_stagewise": "Theorem 5.1 is about the Lasso at all radii of a path, not about "
    "one optimum",
    "ccd": "no theorem of the papers covers cyclic selection",
    "lasso_cd": "it converges to the Lasso with its penalty, not to least squares",
    "vagbm": "its rate is refuted by the ledger: it can diverge",
    "gbm": "on explicit learners it makes the steps of ls_boost",
    "sgb": "without noise, subsamples and shrinkage it makes the steps of ls_boost; with them no "
    "rate is stated",
    "sglb": "it converges to a distribution, not to least squares",
    "rgb": "it converges to the smallest regularised risk, not to least squares",
}


@dataclass(frozen=True)
class Promise:
    """A method, and the gap that a theorem guarantees after k steps, printed and sharpened.

    None where there is no guarantee.

    words : the name of the theorem, or why there is none
    """

    name: str
    method: Method | None = None
    printed: Callable | None = None
    sharpened: Callable | None = None
    words: str = ""


def promises(problem, spectrum, c, eps, delta):
    """Return the ``Promise`` of every named method; `c` : ``Constants``.

    `eps`, `delta` : as for ``plan``.
    """
    promises = [
        *_greedy(c, eps, delta, spectrum.rank == problem.n_learners),
        *_random(problem, c),
        *_accelerated(problem, c),
        Promise(
            "forward_stepwise",
            methods.forward_stepwise(),
            None,
            lambda k: 0.0 if k >= spectrum.rank else c.size**2 / 2,
            "ours: every step raises the rank by one",
        ),
    ]
    known = {promise.name for promise in promises}
    silent = [name for name in methods.METHODS if name not in known]
    return promises + [
        Promise(name, words=SILENT.get(name, "no theorem about it is known here"))
        for name in silent
    ]


def _greedy(c, eps, delta, independent):
    rate = 1 - c.lambda_pmin / (16 * c.n_learners)

    def away(k):
        return c.size**2 / 2 * rate ** (k / 2)

    makers = (
        (methods.ls_boost, 1.0, None),
        (methods.ls_boost, 0.1, None),
        (methods.forward_stagewise, eps, None),
        (methods.regularized_forward_stagewise, eps / 4, delta),
        (methods.frank_wolfe, None, delta),
    )
    guarantees = [GUARANTEES[maker](c, *numbers) for maker, *numbers in makers]
    gaps = [
        [partial(guarantee.gap, variant=v) for v in ("printed", "sharpened")]
        for guarantee in guarantees
    ]
    swaps = "its linear rate does not count swap steps, of which there may be very many"
    return [
        *(
            Promise(guarantee.method.name, guarantee.method, *both, guarantee.statement)
            for guarantee, both in zip(guarantees, gaps, strict=True)
        ),
        Promise(
            "frank_wolfe_away",
            methods.frank_wolfe_away(delta),
            away,
            away,
            "Lacoste-Julien, Jaggi, Theorem 1",
        )
        if independent
        else Promise(
            "frank_wolfe_away",
            methods.frank_wolfe_away(delta),
            words="its linear rate needs linearly independent columns",
        ),
        Promise("frank_wolfe_pairwise", methods.frank_wolfe_pairwise(delta), words=swaps),
    ]


def _random(problem, c):
    """Greedy, random and random-then-greedy coordinate descent: Theorem 4.1 of Lu and Mazumder,
    sharpened by the second moment.
    """
    t = max(1, round(math.sqrt(problem.n_learners)))
    mean = c.lambda_pmin / c.n_learners
    lower_angle = _angle(problem, methods.rcd().select, mean)
    guarantees = []
    for method, smallest in (
        (methods.gcd(), math.sqrt(mean)),
        (methods.rcd(), lower_angle),
        (methods.rtgcd(t), lower_angle),
    ):
        angle = _angle(problem, method.select, smallest)
        paces = (
            randomized.Pace(c.size**2 / 2, 1.0, 1.0, used**2)
            for used in (angle, max(angle, math.sqrt(mean)))
        )
        name = "RGBM, Theorem 4.1" + ("" if method.greedy else ", in expectation")
        guarantees.append(
            Promise(
                method.name, method, *(partial(randomized.gap_after, pace) for pace in paces), name
            )
        )
    return guarantees


def _angle(problem, rule, least):
    """Return a lower end of the minimal cosine angle of a rule, at least `least`."""
    from coordboost.angles.angle import exactly
    from coordboost.angles.learners import ReducedLearners

    interval = (
        exactly(ReducedLearners.of(problem, rule), QUICK)
        if problem.n_learners <= randomized.LEARNERS
        else None
    )
    return max(interval.lower if interval else 0.0, least)


def _accelerated(problem, c):
    """Accelerated boosting with the largest gamma that is proved; two steps a round."""
    gamma = float(admissible(_angle(problem, Greedy(), math.sqrt(c.lambda_pmin / c.n_learners))))
    rounds = accelerated.period(1.0, gamma, 1.0)
    return [
        Promise(
            "agbm",
            methods.agbm(1.0, gamma),
            None,
            lambda k: accelerated.excess(
                variant="corrected", radius2=c.size**2, eta=1.0, gamma=gamma, k=k // 2
            ),
            "AGBM, Theorem 4.1, corrected; the printed constant is refuted",
        ),
        Promise(
            "agbmr",
            methods.agbmr(1.0, gamma, rounds),
            None,
            lambda k: accelerated.halved(gap=c.size**2 / 2, length=rounds, k=k // 2),
            "AGBM, Theorem 4.2, corrected; the printed period is refuted",
        ),
    ]
