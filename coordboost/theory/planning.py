"""Number of steps to a gap, in three ways: guaranteed by a theorem, proved by a run, and predicted
by the exact path.

A theorem uses only constants of the columns, and on real data its bound is often vacuous. A run has
more information: with any least-squares solution b, the error is at most half of the largest
correlation times ||beta - b||_1 (``bounds.a_posteriori``). Forward stagewise with small steps
follows the path FS_0, whose knots are known exactly: the length of the path predicts the number of
steps.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from coordboost._utils.checks import positive
from coordboost._utils.interrupt import uncut
from coordboost.data.problem import Problem, checked_problem
from coordboost.data.spectrum import Spectrum
from coordboost.engine.run import solve
from coordboost.lasso.homotopy.homotopy import exact_path
from coordboost.rules.method import Method
from coordboost.theory.bounds import a_posteriori
from coordboost.theory.bounds.plan import Plan, least_steps, promises
from coordboost.theory.bounds.plan import plan as plan_method
from coordboost.theory.bounds.trail import Constants, Trail


@dataclass(frozen=True)
class IterationEstimate:
    """Numbers of steps of one method to a gap.

    Inf where nothing is known, or where the run did not reach the gap.

    Parameters
    ----------
    name : str
        Name of the method.
    method : Method, optional
        The method with its parameters; None, and no run, where no theorem shows that it converges
        to least squares.
    printed, sharpened : float
        Steps after which a theorem guarantees the gap, as printed in the paper and with the
        constants of its proof.
    a_posteriori : float
        Steps after which the run itself proves the gap.
    predicted : float
        Steps that the exact path FS_0 predicts, not a guarantee.
    needed : float
        Steps after which the run reached the gap.
    words : str
        The name of the theorem, or why there is none.

    Examples
    --------
    The row of one method in ``plan(problem, gap=...)``: the theorem guarantees the gap after 6
    steps, and 2 were enough.

    >>> from coordboost.theory import IterationEstimate
    >>> print(
    ...     IterationEstimate(
    ...         "ls_boost",
    ...         printed=29,
    ...         sharpened=6,
    ...         a_posteriori=2,
    ...         needed=2,
    ...         words="FGM, Theorem 2.1 (i)",
    ...     )
    ... )
    ls_boost: printed 29, sharpened 6, a_posteriori 2, needed 2 (FGM, Theorem 2.1 (i))
    """

    name: str
    method: Method | None = None
    printed: float = math.inf
    sharpened: float = math.inf
    a_posteriori: float = math.inf
    predicted: float = math.inf
    needed: float = math.inf
    words: str = ""

    def __str__(self):
        names = ("printed", "sharpened", "a_posteriori", "predicted", "needed")
        steps = {name: getattr(self, name) for name in names}
        known = [f"{name} {n:,.0f}" for name, n in steps.items() if math.isfinite(n)]
        return f"{self.name}: {', '.join(known) or 'no number'} ({self.words})"


def plan(
    problem: Problem,
    method: Method | Callable | None = None,
    gap: float | None = None,
    *,
    n_steps: int | None = None,
    eps: float | None = None,
    delta: float | None = None,
) -> Plan | list[IterationEstimate]:
    """Find the steps that guarantee a gap, for one method or for every named one.

    With one method as ``bounds.plan``; without, an ``IterationEstimate`` for every named one.

    Parameters
    ----------
    problem : Problem
        With the squared loss.
    method : Method or function, optional
        As for ``bounds.plan``, which then returns a ``Plan``.
    gap : float
        Target for L - L*, a sum over samples.
    n_steps : int, optional
        With a method: a budget instead of a gap. Without: the most steps of each run, default
        20,000.
    eps, delta : float, optional
        Without a method. Step size of stagewise methods, default gap / ||b||_1 with the
        least-squares solution b of smallest norm: forward stagewise then settles at about a quarter
        of the gap. R-FS uses a quarter of eps. Radius of the methods in a ball, default ||b||_1, so
        that their optimum is least squares, too. With a method: its parameters, as for
        ``bounds.plan``.

    Returns
    -------
    Plan, or list of IterationEstimate
        Numbers of steps, inf where no theorem gives one.

    Raises
    ------
    ValueError
        For another loss, a gap that is not positive, or what ``bounds.plan`` refuses.

    Notes
    -----
    *Cost* without a method: a thin SVD, the path FS_0, and one run of each method up to the gap.
    For random methods the theorem bounds the expected gap, and the run has seed 0. Accelerated
    boosting makes two steps a round.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> cb.theory.plan(problem, cb.ls_boost(1.0), gap=0.1).n_steps
    6
    """
    if method is not None:
        return plan_method(problem, method, gap, n_steps=n_steps, eps=eps, delta=delta)
    checked_problem(problem)
    if not (problem.loss.quadratic and problem.countable):
        raise ValueError(
            "plan needs a Problem with the squared loss and an explicit dictionary: the bounds "
            "hold for no others."
        )
    gap = positive(
        "gap", gap, expected="a positive number: the L - L* to reach, a sum over samples"
    )
    return forecasts(problem, gap, eps, delta, 20_000 if n_steps is None else n_steps)


@uncut()
def forecasts(problem, gap, eps, delta, n_steps):
    """Return the ``IterationEstimate`` of each named method: numbers from its theorem and its run,
    or the reason why there are none.
    """
    spectrum = Spectrum.of(problem)
    constants = Constants.of(problem, spectrum)
    least_squares = spectrum.least_squares(problem)
    l1 = float(np.abs(least_squares).sum())
    eps = gap / l1 if eps is None else positive("eps", eps)
    delta = max(l1, eps) if delta is None else positive("delta", delta)
    knots, excess = _stagewise_path(problem, constants)
    estimates = []
    for promise in promises(problem, spectrum, constants, eps, delta):
        method = promise.method
        steps = {
            "printed": _guaranteed(promise.printed, gap),
            "sharpened": _guaranteed(promise.sharpened, gap),
        }
        if method is not None:
            run = solve(problem, method, n_steps, stop=_Proved(gap, least_squares))
            steps |= _of_run(Trail.of(run, spectrum), gap)
            steps["predicted"] = _predicted(knots, excess, gap, method)
        estimates.append(IterationEstimate(promise.name, method, **steps, words=promise.words))
    return estimates


class _Proved:
    """Stop rule: the run has proved the gap. A single run is then enough, in one model state."""

    every = 256

    def __init__(self, gap, least_squares):
        # smaller by a factor of 1 - 1e-9: the trail computes the same numbers in other coordinates
        self.gap = gap * (1 - 1e-9)
        self.least_squares = least_squares

    def __call__(self, state):
        corr = float(np.abs(state.corr).max())
        distance = float(np.abs(state.beta - self.least_squares).sum())
        return a_posteriori.excess(corr=corr, to_least=distance) <= self.gap


def _of_run(trail, gap):
    """The first step at which the run has reached the gap, and the first at which it has proved
    it.
    """
    bounds = a_posteriori.excess(trail)
    return {
        "needed": _first_step(trail.excess <= gap),
        "a_posteriori": _first_step(bounds <= gap),
    }


def _guaranteed(bound, gap):
    """The smallest k with bound(k) <= gap, for a decreasing bound.

    Inf where there is no bound, or k is too large (see ``least_steps``).
    """
    k = None if bound is None else least_steps(lambda k: bound(k) <= gap)
    return math.inf if k is None else k


def _first_step(holds):
    return float(np.argmax(holds)) if holds.any() else math.inf


@uncut()
def _stagewise_path(problem, constants):
    """Knots (length of the path, largest correlation) of FS_0, and the error at each."""
    path = exact_path(problem, kind="stagewise")
    beta = path.beta  # sparse: a wide problem has thousands of knots
    length = np.r_[0.0, np.cumsum(np.asarray(abs(beta[1:] - beta[:-1]).sum(axis=1)).ravel())]
    losses = np.array(
        [problem.value(problem.combine(beta[[k]].toarray()[0])) for k in range(beta.shape[0])]
    )
    return np.column_stack([length, path.lam]), losses - constants.optimum


def _predicted(knots, excess, gap, method):
    """Steps along FS_0 to the gap.

    A step of FS has length eps; of LS-Boost, rate times correlation; R-FS also shrinks the model.
    """
    if not (excess <= gap).any() or "eps" not in method.parameters:
        return math.inf
    end = int(np.argmax(excess <= gap))
    length, size = knots[: end + 1].T.copy()
    # cut the last piece where it reaches the gap
    share = (
        _share(excess[end - 1], excess[end], gap, size[end - 1] * (length[end] - length[end - 1]))
        if end
        else 0.0
    )
    if end:
        length[end] = length[end - 1] + share * (length[end] - length[end - 1])
        size[end] = size[end - 1] + share * (size[end] - size[end - 1])
    eps = method.parameters["eps"]
    delta = method.parameters.get("delta", math.inf)
    if method.name == "ls_boost":
        return float(np.sum(_logarithmic(length, size))) / eps
    if delta < math.inf:
        return (
            math.log1p(-length[end] / delta) / math.log1p(-eps / delta)
            if length[end] < delta
            else math.inf
        )
    return length[end] / eps


def _share(before, after, gap, slope):
    """The fraction of a piece of the path at which its parabola, with this initial slope, reaches
    the gap.
    """
    bend = after - before + slope
    root = math.sqrt(max(slope**2 - 4 * bend * (before - gap), 0.0))
    return min(1.0, 2 * (before - gap) / (slope + root)) if slope + root > 0 else 1.0


def _logarithmic(length, size):
    """The integrals of 1 / size over the pieces, size being linear on each."""
    before = size[:-1]
    after = size[1:]
    ratio = np.maximum(np.log(before / np.maximum(after, 1e-300)), 1e-300)
    return np.diff(length) / np.where(
        before - after > 1e-12 * before, (before - after) / ratio, before
    )
