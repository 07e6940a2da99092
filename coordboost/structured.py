"""Regularised gradient boosting: the named method, and the objective that it approaches.

Source: Cortes, Mohri, Storcheus, *Regularized Gradient Boosting*.
"""

import math
from typing import NamedTuple

import numpy as np

from coordboost._checks import not_negative, real
from coordboost._numba.threads import on_one_thread
from coordboost.data.validation import flag
from coordboost.method import Method
from coordboost.pieces.structural import FamilyStep, Structural, labels_of, lengths, table_of
from coordboost.targets import interval, need_convexity, paid


class Structured(NamedTuple):
    r"""Structural risk: minimise :math:`L(\alpha) + m \beta \sum_j |\alpha_j|\, \Omega_{k(j)}`, beta the `penalty`, in sums over samples.

    alpha is the coefficient of a learner as its family k(j) has it: that of the unit column over its length. *Source*: Cortes, Mohri,
    Storcheus, eq. (7), times m. The lower end is that of ``Penalty``, with a penalty for each learner; of trees the infimum.
    """

    penalty: float
    families: object = None

    def charges(self, problem, beta):
        """What each learner adds to the objective, (n_learners,)."""
        table = table_of(self.families, problem, "Structured")
        member = labels_of(problem) if problem.countable else problem.dictionary.member
        if (member < 0).any():
            raise ValueError("Structured: a tree of this run was not grown for a family; take a run of rgb(penalty).")
        alpha = np.abs(beta) / lengths(problem)[: len(beta)]
        return self.penalty * problem.weight.sum() * alpha * table.complexity[member[: len(beta)]]

    @on_one_thread
    def certificate(self, problem, at):
        need_convexity(problem, repr(self))
        upper, scale = at.upper(problem) + float(self.charges(problem, at.beta).sum()), 0.0
        if problem.countable:
            price, size = self.charges(problem, np.ones(len(at.beta))), np.abs(at.corr) + at.doubt(problem)
            scale = min(1.0, float(np.divide(price, size, out=np.ones_like(size), where=size > 0).min()))
        lower = paid(problem, at, scale) if scale > 0 else -math.inf
        return interval(self, problem, at, lower, upper, {"loss": at.loss, "dual_scale": scale})


def rgb(penalty, n_candidates=4, step=None, families=None, sampling=2.0, revisit=False):
    r"""Regularised gradient boosting: of some families drawn, the learner that leads to the least risk (Cortes et al., Algorithm 1).

    Parameters
    ----------
    penalty : float
        beta, the price of complexity in units of the mean loss.
    n_candidates : int or None
        Families drawn for a step, S; None for all of them. The paper does not say how many.
    step : step rule, optional
        Default ``FamilyStep()``, the constant of the family; ``FamilyStep(power=1)`` is the paper's, which may increase the loss;
        ``Proportional()`` has the constant of the learner itself, ``Proportional(rate / sigma)`` a part of that step.
    families : Families, optional
        Of columns, whose labels are the `groups` of the problem. Trees have their own: ``Problem(tree_families(X), y)``.
    sampling : float
        Families are drawn with :math:`p_k \propto \lambda_k^{sampling}`: 2 for the constants of ``FamilyStep()``, 1 as the paper
        does, 0 for equal chances.
    revisit : bool
        Whether the trees of earlier steps compete again.
    """
    penalty, wanted = not_negative("penalty", penalty), "a whole number >= 1, or None for all families"
    if n_candidates is not None:
        n_candidates = int(real("n_candidates", n_candidates, lambda n: n >= 1 and n == int(n), wanted))
    revisit = flag("revisit", revisit)
    sampling = real("sampling", sampling, lambda power: 0 <= power < math.inf, "a finite number >= 0")
    parameters = {
        "penalty": penalty, "n_candidates": n_candidates, "step": step, "families": families, "sampling": sampling, "revisit": revisit,
    }  # fmt: skip
    drawn = 0 if n_candidates is None else n_candidates
    select = Structural(drawn, penalty, sampling, families, int(revisit))
    rule = FamilyStep(families=families) if step is None else step
    rule = rule._replace(families=families) if rule.by_family else rule
    source = "Cortes, Mohri, Storcheus, Regularized Gradient Boosting, Algorithm 1"
    return Method("rgb", select, rule, source, Structured(penalty, families), parameters)
