r"""The laws that Langevin boosting approaches.

*The limit*: What a selection rule becomes where noise rules: the limit law of the choice, and the penalty that it implies.

With unit columns (in the metric of the weights) and :math:`p_j = P(j \text{ is chosen from pure noise})` the preconditioners of the paper
are :math:`\bar P = B\,\mathrm{diag}(p) B^T` and :math:`M = \mathrm{diag}(p)`; the penalty on coefficients is
:math:`\frac{\gamma}{2N} \sum_j \theta_j^2 / p_j`: learners that are seldom chosen are penalised more. Where blocks S of columns are
fitted at once, :math:`M = \sum_S p_S J_S (B_S^T B_S)^+ J_S^T`, :math:`\bar P = B M B^T` and the penalty is
:math:`\frac{\gamma}{2N} \theta^T M^+ \theta`.

Source: Ustimenko and Prokhorenkova, *SGLB*, Section 5; the form for coefficients needs no independence of the learners.

*Squared loss*: Laws of Langevin boosting for the squared loss: all are normal, in closed form.

In coefficients, with :math:`G = B^T W B`, M the preconditioner (``Limit``; for unit columns diag(p)) and N the sum of the weights:

    Gibbs law (eps to 0)    mean (M G + gamma)^-1 M B'W y,    covariance (N / beta) (M G + gamma)^-1 M
    at a given eps          the same mean; the covariance solves a linear equation, for a choice that does not look at the residual
    after k steps           mean (I - (I - eps A)^k) mu; the covariance by that equation step by step, for such a choice
    as eps to 0             mean (I - e^{-At}) mu, covariance S - e^{-At} S e^{-A't}, with A = gamma + M G and t = eps * steps

Source: Ustimenko and Prokhorenkova, *SGLB*, Theorems 1 and 2; the closed forms follow from them, the one at a given eps from the step.

*Other losses*: The Gibbs law of one or two coefficients by summation over a grid: any loss, convex or not.
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg

from coordboost._utils.checks import positive, shown
from coordboost._utils.kinds import checked_piece
from coordboost.data import validation
from coordboost.data.problem import checked_problem
from coordboost.rules.base import SelectionRule
from coordboost.rules.method import checked_method

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
    select : Greedy(), RandomSubset(t), Weighted(p) or Softmax(kappa); of blocks Greedy(), Groups(t), Weighted(p), Softmax(kappa),
        JointSubset(t) or RandomMask(q)
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
    select = checked_piece(SelectionRule, "select", select).bind(problem)
    unions, law = select.unions, select.chances
    if unions is not None:
        chosen, p = unions(draws, rng)
        return _of_blocks(problem, chosen, p, np.zeros(len(p)))
    if law is None:
        raise ValueError(f"select must be Greedy, RandomSubset, Groups, Weighted or Softmax for a limit law, got {shown(select)}.")
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


#: Most learners for which the equation of the covariance at a given eps is solved: it has their square unknowns.
DENSE = 60


class Normal(NamedTuple):
    """A normal law of coefficients, (n_learners,) and (n_learners, n_learners)."""

    mean: np.ndarray
    cov: np.ndarray

    def of_predictions(self, columns):
        """The law of B theta, for unit columns (n_rows, n_learners): on the rows of the fit or others."""
        return Normal(columns @ self.mean, columns @ self.cov @ columns.T)

    def sd(self):
        """Standard deviations."""
        return np.sqrt(np.diag(self.cov))

    def density(self, k):
        """Points of coefficient k and the density there, to be drawn."""
        sd = self.sd()[k]
        at = self.mean[k] + sd * np.linspace(-4, 4, 400)
        return at, np.exp(-0.5 * ((at - self.mean[k]) / sd) ** 2) / (sd * np.sqrt(2 * np.pi))


class _Parts(NamedTuple):
    """What the three laws are made of."""

    limit: object
    gram: np.ndarray
    target: np.ndarray  # B'W y
    M: np.ndarray
    eps: float
    beta: float
    gamma: float

    @classmethod
    def of(cls, problem, method, limit):
        if not (checked_problem(problem).loss).quadratic:
            raise ValueError(
                f"closed laws are those of the squared loss, got {problem.loss!r}; use quadrature for 1 or 2 learners."
            )
        noise = checked_method(method).bind(problem).noise
        limit = limit_of(problem, method.select) if limit is None else checked_limit(limit)
        if noise is None or len(noise.beta) != 1:
            raise ValueError(
                f"{method.name} has no limit law: it needs one finite beta, such as sglb(0.1, beta=1e4, gamma=1e-3)."
            )
        gamma = positive(
            "gamma", method.step.shrink / method.step.rate, expected="above 0: without shrinkage there is no limit law"
        )
        WB = limit.weight[:, None] * limit.columns
        gram, target = limit.columns.T @ WB, WB.T @ (problem.y - problem.base)
        return cls(limit, gram, target, limit.preconditioner, method.step.rate, float(noise.beta[0]), gamma)

    @classmethod
    def exactly(cls, problem, method):
        """The parts of the laws at the eps of a method.

        Raises
        ------
        ValueError
            Where they are not known.
        """
        if not (checked_method(method).select).blind:
            raise ValueError(
                "the exact law at a given eps is known for rules that do not look at the residual: Weighted(p), RandomSubset(1)."
            )
        if method.noise is not None and (method.noise.subsample, method.noise.ahead) != (1, 0):
            raise ValueError(
                "the exact law at a given eps is known for gradients of all samples at the model: subsample=1, shrink_first=False."
            )
        parts = cls.of(problem, method, None)
        if len(parts.M) > DENSE:
            raise ValueError(f"the exact law at a given eps is solved for {DENSE} columns at most, got {len(parts.M)}.")
        return parts

    def step(self):
        """What a step makes of mean and covariance: ``forward(mean)``, and ``moved @ vec(cov) + source(mean)``; returned in this order."""
        G, eps, n, fits = self.gram, self.eps, len(self.M), list(self.limit.fits())
        keep, MG, eye = 1 - self.gamma * self.eps, self.M @ self.gram, np.eye(len(self.M))
        moved = (keep**2 * np.kron(eye, eye) - keep * eps * (np.kron(MG, eye) + np.kron(eye, MG))).reshape(n, n, n * n)
        for p, fit in fits:
            at = np.flatnonzero(fit.any(axis=1))  # the coefficients that this choice moves
            moved[np.ix_(at, at)] += eps**2 * p * np.kron(fit[at] @ G, fit[at] @ G).reshape(len(at), len(at), n * n)

        def source(mean):
            left = self.target - G @ mean  # correlations at the mean: the choice of the learner makes noise of its own
            jumps = sum(p * np.outer(fit @ left, fit @ left) for p, fit in fits)
            return 2 * self.limit.total * eps / self.beta * self.M + eps**2 * (jumps - np.outer(self.M @ left, self.M @ left))

        return lambda mean: keep * mean + eps * self.M @ (self.target - G @ mean), moved.reshape(n * n, n * n), source

    @property
    def drift(self):
        """A: what the mean of the chain goes to its limit by."""
        return self.gamma * np.eye(len(self.M)) + self.M @ self.gram

    def gibbs(self):
        shape = np.linalg.solve(self.drift, self.M)
        return shape @ self.target, self.limit.total / self.beta * (shape + shape.T) / 2


def gibbs(problem, method, limit=None):
    """The Gibbs law of the coefficients, which `method` (``sglb``) approaches as its eps goes to 0: a ``Normal``. Squared loss."""
    return Normal(*_Parts.of(problem, method, limit).gibbs())


def stationary(problem, method):
    """The exact law of the coefficients after many steps at the eps of `method`, where the choice does not look at the residual.

    Raises
    ------
    ValueError
        For rules that look, such as ``Greedy()``: take ``Weighted(p)`` or ``RandomSubset(1)``;
        on blocks ``JointSubset(t)`` or ``RandomMask(q)``, too.
    """
    parts = _Parts.exactly(problem, method)
    mean, n = parts.gibbs()[0], len(parts.M)
    _, moved, source = parts.step()
    cov = np.linalg.solve(np.eye(n * n) - moved, source(mean).ravel()).reshape(n, n)
    return Normal(mean, (cov + cov.T) / 2)


def after_steps(problem, method, steps):
    """Mean and covariance of the coefficients after each of `steps`, from 0, exactly: a list of ``Normal``; as ``stationary``.

    The law itself is a mixture of normal ones, one for each sequence of choices. *Cost*: n_learners^4 for each step.
    """
    forward, moved, source = (parts := _Parts.exactly(problem, method)).step()
    mean, cov, found = np.zeros(len(parts.M)), np.zeros_like(parts.M), {}
    for k in range(max(steps, default=0) + 1):
        found[k] = Normal(mean, cov) if k in steps else None
        mean, cov = forward(mean), (moved @ cov.ravel()).reshape(cov.shape) + source(mean)
    return [found[k] for k in steps]


def transient(problem, method, n_steps, limit=None):
    """The law of the coefficients after `n_steps` steps from 0, as eps goes to 0 with eps * n_steps kept: a ``Normal``."""
    parts = _Parts.of(problem, method, limit)
    mean, cov = parts.gibbs()
    n_steps = validation.whole("n_steps", n_steps)
    decay = scipy.linalg.expm(-parts.drift * parts.eps * n_steps)
    return Normal(mean - decay @ mean, cov - decay @ cov @ decay.T)


class GridLaw(NamedTuple):
    """A law on the points of a grid.

    points : (n_points, d), coefficients;  chance : (n_points,), probabilities;  loss : (n_points,), mean losses there
    cell : (d,), widths of a cell;  axes : the coordinates of the grid
    """

    points: np.ndarray
    chance: np.ndarray
    loss: np.ndarray
    cell: np.ndarray
    axes: tuple

    @property
    def mean(self):
        return self.chance @ self.points

    @property
    def cov(self):
        away = self.points - self.mean
        return (away * self.chance[:, None]).T @ away

    @property
    def mean_loss(self):
        """The expected mean loss."""
        return float(self.chance @ self.loss)

    def probability(self, event):
        """The probability of a set: `event` tells of points (n_points, d) which are in it."""
        return float(self.chance @ np.asarray(event(self.points), dtype=float))

    def marginal(self, k):
        """Coordinates and probabilities of coefficient k."""
        shape = [len(axis) for axis in self.axes]
        others = tuple(i for i in range(len(shape)) if i != k)
        return self.axes[k], self.chance.reshape(shape).sum(axis=others)

    def density(self, k):
        """Points of coefficient k and the density there, to be drawn."""
        at, chance = self.marginal(k)
        return at, chance / self.cell[k]

    def distance(self, sample, n_bins=20):
        """Total variation between the marginals of the law and of a sample (n, d), in `n_bins` bins of equal probability; (d,)."""
        out = []
        for k in range(self.points.shape[1]):
            at, chance = self.marginal(k)
            cuts = (
                at[np.minimum(np.searchsorted(np.cumsum(chance), np.arange(1, n_bins) / n_bins), len(at) - 1)]
                + self.cell[k] / 2
            )
            law = np.bincount(np.searchsorted(cuts, at), chance, n_bins)
            found = np.bincount(np.searchsorted(cuts, np.asarray(sample)[:, k]), minlength=n_bins) / len(sample)
            out.append(0.5 * np.abs(law - found).sum())
        return np.array(out)


def quadrature(problem, method, limit=None, *, width, n_points=401):
    """The Gibbs law that `method` (``sglb``) approaches on a problem with one or two learners, on a grid from -width to width.

    Parameters
    ----------
    problem, method : as for ``solve``
    limit : Limit, optional
        The limit law of the choice; default ``limit_of(problem, method.select)``.
    width : float
        Half the width of the grid, in coefficients of the unit columns; the law must be small at its edge.
    n_points : int
        Points in each direction.

    Returns
    -------
    GridLaw

    Raises
    ------
    ValueError
        For more than two learners, and where the grid is too narrow.
    """
    d = validation.countable("quadrature", checked_problem(problem)).n_learners
    if d > 2:
        raise ValueError(f"quadrature is for one or two learners, got {d}; closed laws of the squared loss are in gibbs().")
    noise = checked_method(method).bind(problem).noise
    limit = limit_of(problem, method.select) if limit is None else checked_limit(limit)
    axis = np.linspace(-positive("width", width), width, validation.whole("n_points", n_points, 2))
    points = np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)
    loss = np.array([problem.value(limit.columns @ point) for point in points]) / limit.total
    energy = loss + limit.penalty(points, method.step.shrink / method.step.rate)
    chance = np.exp(-float(noise.beta[-1]) * (energy - energy.min()))
    chance /= chance.sum()
    edge = (np.abs(points) >= width).any(axis=1)
    if chance[edge].sum() > 1e-6:
        raise ValueError(
            f"the law has probability {chance[edge].sum():.2g} at the edge of the grid: take a larger width than {width:g}."
        )
    return GridLaw(points, chance, loss, np.full(d, axis[1] - axis[0]), (axis,) * d)
