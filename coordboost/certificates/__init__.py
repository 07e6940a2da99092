"""Certificates re-derived from the data and the coefficients alone, and an independent judge."""

from typing import NamedTuple

import numpy as np

from coordboost._checks import instance
from coordboost.data import validation
from coordboost.problem import checked_problem
from coordboost.targets import At, Certificate, Unconstrained


class Judged(NamedTuple):
    """The interval of the given model and that of an independent solver's model, both by the same ruler."""

    own: Certificate
    independent: Certificate
    solver: str

    @property
    def agree(self):
        """True where the two intervals overlap, as both contain the optimum."""
        return bool(max(self.own.lower, self.independent.lower) <= min(self.own.upper, self.independent.upper))


def certify(problem, beta, target=None, *, independent=False):
    """The interval that contains the optimum of `target`, recomputed from the problem and `beta`.

    Parameters
    ----------
    problem : Problem
    beta : array_like, (n_learners,)
        Coefficients of the unit columns; ``problem.unit(coef)`` gives them from raw ones of any software.
    target : Unconstrained(), Ball(radius) or Penalty(lam); default ``Unconstrained()``
    independent : bool, default False
        Also solve the problem with a general convex solver through cvxpy, and judge its answer by the same certificate.

    Returns
    -------
    Certificate, or Judged if `independent`

    Raises
    ------
    ValueError
        For coefficients of the wrong length or not finite, and for an independent check of a problem that is too large.

    Notes
    -----
    *Cost*: one scan; ``Unconstrained`` one thin SVD. *Source*: Freund, Grigas, Mazumder, Section 4 and Proposition A.6.
    """
    beta = validation.vector("beta", beta, checked_problem(problem).n_learners, "learner")
    target = Unconstrained() if target is None else target
    instance("target", target, "certificate", "Unconstrained(), Ball(radius) or Penalty(lam)")
    own = target.certificate(problem, At.point(problem, np.asarray(beta)))
    if not independent:
        return own
    from coordboost.certificates.independent import independent_solution

    solution, solver = independent_solution(problem, target)
    return Judged(own, target.certificate(problem, At.point(problem, solution)), solver)
