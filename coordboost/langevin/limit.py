r"""What a selection rule becomes where noise rules: the limit law of the choice, and the penalty that it implies.

With unit columns (in the metric of the weights) and :math:`p_j = P(j \text{ is chosen from pure noise})` the preconditioners of the paper
are :math:`\bar P = B\,\mathrm{diag}(p) B^T` and :math:`M = \mathrm{diag}(p)`; the penalty on coefficients is
:math:`\frac{\gamma}{2N} \sum_j \theta_j^2 / p_j`: learners that are seldom chosen are penalised more.

Source: Ustimenko and Prokhorenkova, *SGLB*, Section 5; the form for coefficients needs no independence of the learners.
"""

from typing import NamedTuple

import numpy as np

from coordboost._checks import shown
from coordboost._protocol import SELECTION
from coordboost.problem import checked_problem

#: Most learners times learners of which closed laws are formed.
MOST = 4000


class Limit(NamedTuple):
    """The law of the choice in pure noise, and the learners.

    p : (n_learners,), probabilities;  error : (n_learners,), their standard errors, 0 where the law is known
    columns : (n_samples, n_learners), unit columns;  weight : (n_samples,);  total : their sum, N
    """

    p: np.ndarray
    error: np.ndarray
    columns: np.ndarray
    weight: np.ndarray
    total: float

    @property
    def chosen(self):
        """Learners that are ever chosen; the coefficients of the others stay 0."""
        return np.flatnonzero(self.p > 0)

    @property
    def mean_projector(self):
        r""":math:`\bar P`, the mean projector, in the metric of the weights: (n_samples, n_samples)."""
        B = np.sqrt(self.weight)[:, None] * self.columns
        return (B * self.p) @ B.T

    def penalty(self, theta, gamma):
        r""":math:`\frac{\gamma}{2N} \sum_j \theta_j^2 / p_j` for coefficients (..., n_learners)."""
        j = self.chosen
        return gamma / (2 * self.total) * np.sum(np.asarray(theta)[..., j] ** 2 / self.p[j], axis=-1)


def limit_of(problem, select, *, draws=20_000, rng=0):
    """The limit law of a selection rule on a problem, known or from `draws` draws of noise.

    Parameters
    ----------
    problem : Problem with learners that can be counted
    select : Full(), Subset(t), Weighted(p) or Softmax(kappa)
    draws : int
        Vectors of noise, where the law is not known in closed form.
    rng : int

    Returns
    -------
    Limit

    Notes
    -----
    *Cost*: draws times n_samples times n_learners.
    """
    if not checked_problem(problem).countable or problem.n_learners > MOST:
        raise ValueError(
            f"the limit law needs learners that can be counted, {MOST} at most; use diagnostics of runs for trees."
        )
    n, law = problem.n_learners, SELECTION.of(select, "chances")
    select = select if SELECTION.of(select, "bind") is None else select.bind(problem)
    if law is None:
        raise ValueError(f"limit_of knows Full, Subset, Weighted and Softmax, got {shown(select)}.")
    columns, rng = problem.gather(np.arange(n)), np.random.default_rng(rng)
    total, square, made = np.zeros(n), np.zeros(n), 0
    while made < draws:
        size = min(draws - made, max(1, (1 << 22) // max(problem.n_samples, n)))
        noise = rng.standard_normal((size, problem.n_samples)) * np.sqrt(problem.weight)
        chances, known = select.chances(noise @ columns, np.sum(noise**2 / problem.weight, axis=1), rng)
        total, square, made = total + chances.sum(axis=0), square + (chances**2).sum(axis=0), made + size
        if known:
            break
    p = total / made
    error = 0 * p if known else np.sqrt(np.maximum(square / made - p**2, 0) / made)
    return Limit(p / p.sum(), error, columns, problem.weight, float(problem.weight.sum()))
