r"""What a selection rule becomes where noise rules: the limit law of the choice, and the penalty that it implies.

With unit columns (in the metric of the weights) and :math:`p_j = P(j \text{ is chosen from pure noise})` the preconditioners of the paper
are :math:`\bar P = B\,\mathrm{diag}(p) B^T` and :math:`M = \mathrm{diag}(p)`; the penalty on coefficients is
:math:`\frac{\gamma}{2N} \sum_j \theta_j^2 / p_j`: learners that are seldom chosen are penalised more. Where blocks S of columns are
fitted at once, :math:`M = \sum_S p_S J_S (B_S^T B_S)^+ J_S^T`, :math:`\bar P = B M B^T` and the penalty is
:math:`\frac{\gamma}{2N} \theta^T M^+ \theta`.

Source: Ustimenko and Prokhorenkova, *SGLB*, Section 5; the form for coefficients needs no independence of the learners.
"""

from typing import NamedTuple

import numpy as np

from coordboost._checks import shown
from coordboost.data import validation
from coordboost.problem import checked_problem

#: Most learners times learners of which closed laws are formed.
MOST = 4000


class Limit(NamedTuple):
    """The law of the choice in pure noise, and the learners.

    p : (n_choices,), probabilities;  error : (n_choices,), their standard errors, 0 where the law is known
    columns : (n_samples, n_columns), unit columns, or those of blocks;  weight : (n_samples,);  total : their sum, N
    roots : (n_choices, n_columns, n_columns), of each choice the symmetric root of what its fit multiplies correlations by: the
        pseudo-inverse of the Gram matrix of its columns; of length 0 where choice j is the unit column j
    """

    p: np.ndarray
    error: np.ndarray
    columns: np.ndarray
    weight: np.ndarray
    total: float
    roots: np.ndarray = np.zeros((0, 0, 0))

    @property
    def preconditioner(self):
        """M, the mean of what the fits multiply correlations by: (n_columns, n_columns)."""
        return np.einsum("s,sab,sbc->ac", self.p, self.roots, self.roots) if len(self.roots) else np.diag(self.p)

    @property
    def mean_projector(self):
        r""":math:`\bar P`, the mean projector, in the metric of the weights: (n_samples, n_samples)."""
        B = np.sqrt(self.weight)[:, None] * self.columns
        return B @ self.preconditioner @ B.T

    def fits(self):
        """Yield for each choice its probability, and what its fit multiplies correlations by, (n_columns, n_columns)."""
        n = self.columns.shape[1]
        for s, p in enumerate(self.p):
            unit = np.zeros((n, n))
            if len(self.roots):
                unit = self.roots[s] @ self.roots[s]
            else:
                unit[s, s] = 1.0
            yield p, unit

    def penalty(self, theta, gamma):
        r""":math:`\frac{\gamma}{2N} \theta^T M^+ \theta` for coefficients (..., n_columns)."""
        inverse = np.linalg.pinv(self.preconditioner, hermitian=True)
        return gamma / (2 * self.total) * np.einsum("...a,ab,...b->...", theta, inverse, theta)


def checked_limit(limit):
    """`limit`, refused where it is none."""
    if not isinstance(limit, Limit):
        raise ValueError(f"limit must be a Limit, as limit_of(problem, select) gives it, got {shown(limit)}.")
    return limit


def limit_of(problem, select, *, draws=20_000, rng=0):
    """The limit law of a selection rule on a problem, known or from `draws` draws of noise.

    Parameters
    ----------
    problem : Problem with learners that can be counted, or with blocks of columns
    select : Full(), Subset(t), Weighted(p) or Softmax(kappa); of blocks Full(), Groups(t), Weighted(p), Softmax(kappa), Together(t) or
        Mask(q)
    draws : int
        Vectors of noise, where the law is not known in closed form.
    rng : int

    Returns
    -------
    Limit

    Notes
    -----
    *Cost*: draws times n_samples times n_columns.
    """
    dictionary, draws = checked_problem(problem).dictionary, validation.whole("draws", draws, 1)
    rng = validation.generator(rng)
    blocks, n = dictionary.n_columns is not None, problem.n_learners
    if not (problem.countable or blocks) or n > MOST:
        raise ValueError(
            f"the limit law needs learners that can be counted, {MOST} at most; use diagnostics of runs for trees."
        )
    select = select.bind(problem)
    unions, law = select.unions, select.chances
    if unions is not None:
        chosen, p = unions(draws, rng)
        return _of_blocks(problem, chosen, p, np.zeros(len(p)))
    if law is None:
        raise ValueError(f"select must be Full, Subset, Groups, Weighted or Softmax for a limit law, got {shown(select)}.")
    if blocks:
        own = np.eye(dictionary.n_groups, dtype=bool)
        return _of_blocks(problem, own, *_chances(problem, select, dictionary.noise_lengths, draws, rng))
    columns = problem.gather(np.arange(n))
    p, error = _chances(problem, select, lambda noise: noise @ columns, draws, rng)
    return Limit(p, error, columns, problem.weight, float(problem.weight.sum()))


def _chances(problem, select, look, draws, rng):
    """The mean of the chances of a rule over draws of noise that it looks at by `look`, and its standard errors."""
    made, total, square = 0, 0.0, 0.0
    while made < draws:
        size = min(draws - made, max(1, (1 << 22) // max(problem.n_samples, problem.n_learners)))
        noise = rng.standard_normal((size, problem.n_samples)) * np.sqrt(problem.weight)
        chances, known = select.chances(look(noise), np.sum(noise**2 / problem.weight, axis=1), rng)
        total, square, made = total + chances.sum(axis=0), square + (chances**2).sum(axis=0), made + size
        if known:
            break
    p = total / made
    error = 0 * p if known else np.sqrt(np.maximum(square / made - p**2, 0) / made)
    return p / p.sum(), error


def _of_blocks(problem, chosen, p, error):
    """The limit of a choice that fits the columns of the blocks ``chosen[s]``, a mask, with probability p[s]."""
    dictionary, weight = problem.dictionary, problem.weight
    if len(p) * dictionary.n_columns**2 > MOST**2:
        raise ValueError(f"the limit law of {len(p)} choices of {dictionary.n_columns} columns is too large to be formed.")
    roots = np.stack([dictionary.root(np.flatnonzero(blocks)) for blocks in chosen])
    return Limit(p, error, dictionary.family.rows.T, weight, float(weight.sum()), roots)
