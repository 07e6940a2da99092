"""Certificates recomputed from the data and the coefficients alone; they may be compared with an
independent solver.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from coordboost.certificates.objectives import (
    Certificate,
    Evaluation,
    L1Ball,
    L1Penalty,
    Unconstrained,
    known_target,
)
from coordboost.data import validation
from coordboost.data.problem import Problem, checked_problem

__all__ = ["Certificate", "L1Ball", "L1Penalty", "Unconstrained", "certify"]


class Judged(NamedTuple):
    """The interval of the package, and that of an independent solver, from the solver's primal and
    dual values.
    """

    own: Certificate
    independent: Certificate
    solver: str

    @property
    def agree(self):
        """True where the two intervals overlap, as both contain the optimum."""
        return bool(
            max(self.own.lower, self.independent.lower)
            <= min(self.own.upper, self.independent.upper)
        )


def judged(problem, own, target, free=False):
    """Compare an interval of the package with the interval of an independent solver.

    free : whether an intercept is fitted too

    Without a free intercept the package also certifies the solver's coefficients: at an optimum
    even a slightly wrong lower end shows.

    Raises
    ------
    ValueError
        If an interval of the package does not overlap the solver's.
    """
    from coordboost.certificates.independent import independent_solution

    beta, interval, solver = independent_solution(problem, target, free)
    judgement = Judged(own, interval, solver)
    comparisons = [judgement]
    if not free:
        at_solution = target.certificate(problem, Evaluation.point(problem, beta))
        comparisons.append(judgement._replace(own=at_solution))
    for comparison in comparisons:
        if not comparison.agree:
            raise ValueError(
                f"the optimum is in [{comparison.own.lower!r}, {comparison.own.upper!r}] by the "
                f"certificate and in [{interval.lower!r}, {interval.upper!r}] by {solver}, so one "
                "of them is wrong; please report this."
            )
    return judgement


def certify(
    problem: Problem, beta: ArrayLike, target: Any = None, *, independent: bool = False
) -> "Certificate | Judged":
    """Compute an interval that contains the optimum of `target`, from the problem and `beta` alone.

    Parameters
    ----------
    problem : Problem
        The data, the loss and the learners.
    beta : array_like, (n_learners,)
        Coefficients of the unit-norm columns. For coefficients on the scale of X, from glmnet say,
        use ``problem.unit(coef)``.
    target : Unconstrained(), L1Ball(radius) or L1Penalty(lam); default ``Unconstrained()``
        The objective: ``Unconstrained()`` is the sum of losses; ``L1Ball(radius)`` the same subject
        to sum_j abs(beta_j) <= radius; ``L1Penalty(lam)`` the sum of losses + lam * sum_j
        abs(beta_j). Also accepted: ``run.method.target`` of a run, and ``path.target(step)`` of
        ``lasso_path``.
    independent : bool, default False
        Also solve the problem with cvxpy, and raise ValueError if the two intervals for the optimum
        do not overlap.

    Returns
    -------
    Certificate, or Judged if `independent`
        ``lower``, ``upper`` and ``gap``, in sums over samples; ``lower`` is -inf where no lower
        bound is known, and ``reason`` says why. With `independent`: the certificates ``own`` and
        ``independent``, the name of the ``solver``, and ``agree``.

    Raises
    ------
    ValueError
        For coefficients of the wrong length or not finite; for ``L1Ball`` and ``L1Penalty`` if the
        loss is not convex, or the radius or lam negative; if the loss is below the infimum that it
        declares. With `independent` for a problem that is too large, and if the two intervals do
        not overlap.

    Notes
    -----
    *Cost*: one scan (the correlations of all columns with the residual); ``Unconstrained`` with a
    strongly convex loss also one thin SVD of B. *Source*: Freund, Grigas, Mazumder, Section 4 and
    Proposition A.6.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> print(cb.certify(problem, [0.0, 1.5], cb.certificates.L1Ball(2.0)))
    L1Ball(radius=2.0): optimum in [1.046572875, 1.995516791], gap 0.949
    """
    beta = validation.vector("beta", beta, checked_problem(problem).n_learners, "learner")
    target = Unconstrained() if target is None else target
    known_target(target)
    own = target.certificate(problem, Evaluation.point(problem, np.asarray(beta)))
    return judged(problem, own, target) if validation.flag("independent", independent) else own
