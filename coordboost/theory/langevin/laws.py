r"""The probability distributions ("laws") that Langevin boosting approaches.

*The limit*: how a selection rule chooses when the noise dominates (its limit law), and the penalty
that this implies.

With unit columns (in the metric of the weights) and
:math:`p_j = P(j \text{ is chosen from pure noise})` the preconditioners of the paper are
:math:`\bar P = B\,\mathrm{diag}(p) B^T` and :math:`M = \mathrm{diag}(p)`. The penalty on
coefficients is :math:`\frac{\gamma}{2N} \sum_j \theta_j^2 / p_j`: rarely chosen learners are
penalised more. Where blocks S of columns are fitted at once,
:math:`M = \sum_S p_S J_S (B_S^T B_S)^+ J_S^T`, :math:`\bar P = B M B^T` and the penalty is
:math:`\frac{\gamma}{2N} \theta^T M^+ \theta`.

Source: Ustimenko and Prokhorenkova, *SGLB*, Section 5; the form for coefficients needs no
independence of the learners.

*Squared loss*: normal laws, or their means and covariances, in closed form.

In coefficients, with :math:`G = B^T W B`, M the preconditioner (``Limit``; for unit columns
diag(p)) and N the sum of the weights:

    Gibbs law (eps to 0)    mean (M G + gamma)^-1 M B'W y, covariance (N / beta) (M G + gamma)^-1 M
    at a given eps          the same mean; the covariance solves a linear equation, if the choice
                            does not use the residual
    after k steps           mean (I - (I - eps A)^k) mu; the covariance by that equation step by
                            step, under the same condition
    as eps to 0             mean (I - e^{-At}) mu, covariance S - e^{-At} S e^{-A't}, with A = gamma
                            + M G and t = eps * steps

Source: Ustimenko and Prokhorenkova, *SGLB*, Theorems 1 and 2; the closed forms follow from them,
the one at a given eps from the step.

*Other losses*, convex or not: the Gibbs law of one or two coefficients, by summation over a grid.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import scipy.linalg

from coordboost._utils.checks import few, positive, shown
from coordboost._utils.kinds import checked_piece
from coordboost.data import validation
from coordboost.data.problem import Problem, checked_problem
from coordboost.rules.base import SelectionRule
from coordboost.rules.method import Method, checked_method

#: Most learners for which the limit law is computed.
MOST = 4000


class Limit(NamedTuple):
    """The limit law: the probabilities of the choices in pure noise, and the learners.

    Parameters
    ----------
    p : ndarray, (n_choices,)
        Probabilities of the choices, of sum 1.
    error : ndarray, (n_choices,)
        Their standard errors, 0 where the probabilities are known exactly.
    columns : ndarray, (n_samples, n_columns)
        Unit columns, or those of blocks.
    weight : ndarray, (n_samples,)
        Sample weights.
    total : float
        Their sum, N.
    roots : ndarray, (n_choices, n_columns, n_columns)
        For each choice, the symmetric root of the matrix by which its fit multiplies the
        correlations: the pseudo-inverse of the Gram matrix of its columns. Of length 0 where choice
        j is the unit column j.

    Examples
    --------
    Two nearly equal columns share one half of the choices, so each is penalised more than the
    third, which gets the other half:

    >>> import coordboost as cb
    >>> problem = cb.Problem(
    ...     [[1.0, 1.1, 0], [0, 0, 1], [-1, -1.1, 0], [0, 0.1, -1]], [1.0, 2, 4, 5]
    ... )
    >>> p = cb.theory.langevin.limit_of(problem, cb.rules.Greedy()).p
    >>> round(float(p[0] + p[1]), 1), round(float(p[2]), 1)
    (0.5, 0.5)
    """

    p: np.ndarray
    error: np.ndarray
    columns: np.ndarray
    weight: np.ndarray
    total: float
    roots: np.ndarray = np.zeros((0, 0, 0))

    @property
    def preconditioner(self) -> np.ndarray:
        """M, the mean of the matrices by which the fits multiply the correlations.

        It is (n_columns, n_columns).
        """
        return (
            np.einsum("s,sab,sbc->ac", self.p, self.roots, self.roots)
            if len(self.roots)
            else np.diag(self.p)
        )

    @property
    def mean_projector(self) -> np.ndarray:
        r""":math:`\bar P`, the mean projector, in the metric of the weights.

        It is (n_samples, n_samples).
        """
        B = np.sqrt(self.weight)[:, None] * self.columns
        return B @ self.preconditioner @ B.T

    def fits(self) -> Iterator[tuple[float, np.ndarray]]:
        """Yield the choices: the probability of each, and the matrix of its fit.

        The fit multiplies the correlations by the matrix.

        Yields
        ------
        p : float
            The probability.
        fit : ndarray, (n_columns, n_columns)
            The step is eps times this matrix times the correlations.
        """
        n = self.columns.shape[1]
        for s, p in enumerate(self.p):
            unit = np.zeros((n, n))
            if len(self.roots):
                unit = self.roots[s] @ self.roots[s]
            else:
                unit[s, s] = 1.0
            yield p, unit

    def penalty(self, theta: np.ndarray, gamma: float) -> np.ndarray:
        r""":math:`\frac{\gamma}{2N} \theta^T M^+ \theta`: what shrinkage adds to the mean loss.

        Parameters
        ----------
        theta : ndarray, (..., n_columns)
            Coefficients of the columns.
        gamma : float
            The shrinkage of ``sglb``.

        Returns
        -------
        ndarray, (...)
            The penalties, in the units of the mean loss.

        Notes
        -----
        *Cost*: O(n_columns^3) once, then O(n_columns^2) for each row of `theta`. *Source*:
        Ustimenko and Prokhorenkova, *SGLB*, Section 5, for coefficients.
        """
        inverse = np.linalg.pinv(self.preconditioner, hermitian=True)
        return gamma / (2 * self.total) * np.einsum("...a,ab,...b->...", theta, inverse, theta)


def checked_limit(limit):
    """Return `limit`; raise ValueError unless it is a ``Limit``."""
    if not isinstance(limit, Limit):
        raise ValueError(
            f"limit must be a Limit, as limit_of(problem, select) gives it, got {shown(limit)}."
        )
    return limit


def limit_of(
    problem: Problem,
    select: SelectionRule,
    *,
    draws: int = 20_000,
    rng: int | np.random.Generator = 0,
) -> Limit:
    """Compute the limit law of a selection rule on a problem.

    It is exact, or from `draws` draws of noise.

    Parameters
    ----------
    problem : Problem
        With explicit learners, at most 4,000, or with blocks of columns.
    select : SelectionRule
        ``Greedy()``, ``RandomSubset(t)``, ``Weighted(p)`` or ``Softmax(kappa)``; for blocks
        ``Greedy()``, ``Groups(t)``, ``Weighted(p)``, ``Softmax(kappa)``, ``JointSubset(t)`` or
        ``RandomMask(q)``.
    draws : int, default 20000
        Number of noise vectors, where the law has no closed form.
    rng : int or Generator, default 0
        Seed of these vectors.

    Returns
    -------
    Limit
        Probabilities of the choices, with standard errors where they are estimated from draws.

    Raises
    ------
    ValueError
        For trees and other implicit dictionaries, more than 4,000 learners, and rules without a
        limit law.

    Notes
    -----
    *Cost*: draws times n_samples times n_columns. *Source*: Ustimenko and Prokhorenkova, *SGLB*,
    Lemma 2 and Statement 1.

    Examples
    --------
    The law of a rule that does not use the residual is known exactly; the law of the greedy rule is
    estimated from draws:

    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> cb.theory.langevin.limit_of(problem, cb.rules.RandomSubset(1)).p
    array([0.5, 0.5])
    >>> greedy = cb.theory.langevin.limit_of(problem, cb.rules.Greedy())
    >>> greedy.p.round(3), greedy.error.round(4)
    (array([0.503, 0.497]), array([0.0035, 0.0035]))
    """
    dictionary = checked_problem(problem).dictionary
    draws = few("draws", validation.whole("draws", draws, 1))
    rng = validation.generator(rng)
    blocks = dictionary.n_columns is not None
    n = problem.n_learners
    if not (problem.countable or blocks) or n > MOST:
        raise ValueError(
            f"the limit law needs an explicit dictionary of at most {MOST} learners; use "
            "diagnostics of runs for trees."
        )
    select = checked_piece(SelectionRule, "select", select).bind(problem)
    unions = select.unions
    law = select.chances
    if unions is not None:
        chosen, p = unions(draws, rng)
        return _of_blocks(problem, chosen, p, np.zeros(len(p)))
    if law is None:
        raise ValueError(
            "select must be Greedy, RandomSubset, Groups, Weighted or Softmax for a limit law, "
            f"got {shown(select)}."
        )
    if blocks:
        own = np.eye(dictionary.n_groups, dtype=bool)
        return _of_blocks(
            problem, own, *_chances(problem, select, dictionary.noise_lengths, draws, rng)
        )
    columns = problem.gather(np.arange(n))
    p, error = _chances(problem, select, lambda noise: noise @ columns, draws, rng)
    return Limit(p, error, columns, problem.weight, float(problem.weight.sum()))


def _chances(problem, select, look, draws, rng):
    """Return the mean probabilities of a rule over draws of noise, and standard errors.

    `look` maps noise to what the rule compares.
    """
    n_made = 0
    total = 0.0
    square = 0.0
    while n_made < draws:
        size = min(draws - n_made, max(1, (1 << 22) // max(problem.n_samples, problem.n_learners)))
        noise = rng.standard_normal((size, problem.n_samples)) * np.sqrt(problem.weight)
        chances, known = select.chances(look(noise), np.sum(noise**2 / problem.weight, axis=1), rng)
        total = total + chances.sum(axis=0)
        square = square + (chances**2).sum(axis=0)
        n_made = n_made + size
        if known:
            break
    p = total / n_made
    error = 0 * p if known else np.sqrt(np.maximum(square / n_made - p**2, 0) / n_made)
    return p / p.sum(), error


def _of_blocks(problem, chosen, p, error):
    """Return the limit law of a rule that fits blocks.

    It fits those of the mask ``chosen[s]`` with probability p[s].
    """
    dictionary = problem.dictionary
    weight = problem.weight
    if len(p) * dictionary.n_columns**2 > MOST**2:
        raise ValueError(
            f"the limit law of {len(p)} choices of {dictionary.n_columns} columns is too large to "
            "compute."
        )
    roots = np.stack([dictionary.root(np.flatnonzero(blocks)) for blocks in chosen])
    return Limit(p, error, dictionary.family.rows.T, weight, float(weight.sum()), roots)


#: Most columns for which the covariance at a given eps is solved: the linear equation has the
#: square of their number as unknowns.
DENSE = 60


class Normal(NamedTuple):
    """A normal law of coefficients or predictions.

    Parameters
    ----------
    mean : ndarray, (n_learners,)
        The mean.
    cov : ndarray, (n_learners, n_learners)
        The covariance.

    Examples
    --------
    >>> import numpy as np
    >>> from coordboost.theory.langevin import Normal
    >>> law = Normal(np.array([1.0, 2.0]), np.array([[4.0, 3.0], [3.0, 9.0]]))
    >>> # of the two coefficients, and of their sum
    >>> law.sd(), law.of_predictions(np.array([[1.0, 1.0]])).sd()
    (array([2., 3.]), array([4.35889894]))
    """

    mean: np.ndarray
    cov: np.ndarray

    def of_predictions(self, columns: np.ndarray) -> "Normal":
        """Return the law of the predictions B theta, without the constant.

        Parameters
        ----------
        columns : ndarray, (n_rows, n_learners)
            The unit columns B, on the training rows or on others.

        Returns
        -------
        Normal
            The law of n_rows numbers.
        """
        return Normal(columns @ self.mean, columns @ self.cov @ columns.T)

    def sd(self) -> np.ndarray:
        """Standard deviations.

        Returns
        -------
        ndarray, (n_learners,)
            Roots of the diagonal of the covariance.
        """
        return np.sqrt(np.diag(self.cov))

    def density(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return values of coefficient k and the marginal density there, for a plot.

        Parameters
        ----------
        k : int
            Which coefficient.

        Returns
        -------
        at : ndarray, (n_points,)
            400 points, up to four standard deviations from the mean.
        density : ndarray, (n_points,)
            The marginal density at these points.
        """
        sd = self.sd()[k]
        at = self.mean[k] + sd * np.linspace(-4, 4, 400)
        return at, np.exp(-0.5 * ((at - self.mean[k]) / sd) ** 2) / (sd * np.sqrt(2 * np.pi))


class _Dynamics(NamedTuple):
    """The quantities from which the laws for the squared loss are computed."""

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
                f"closed-form laws need the squared loss, got {problem.loss!r}; use quadrature for "
                "1 or 2 learners."
            )
        noise = checked_method(method).bind(problem).noise
        limit = limit_of(problem, method.select) if limit is None else checked_limit(limit)
        if noise is None or len(noise.beta) != 1:
            raise ValueError(
                f"{method.name} has no limit law: it needs one finite beta, such as sglb(0.1, 1e4, "
                "gamma=1e-3)."
            )
        gamma = positive(
            "gamma",
            method.step.shrink / method.step.rate,
            expected="above 0: without shrinkage there is no limit law",
        )
        WB = limit.weight[:, None] * limit.columns
        gram = limit.columns.T @ WB
        target = WB.T @ (problem.y - problem.base)
        return cls(
            limit, gram, target, limit.preconditioner, method.step.rate, float(noise.beta[0]), gamma
        )

    @classmethod
    def exactly(cls, problem, method):
        """Return the parts of the exact laws at the eps of a method.

        Raises
        ------
        ValueError
            Where the exact law is not known.
        """
        if not (checked_method(method).select).blind:
            raise ValueError(
                "the exact law at a given eps is known for rules that ignore the residual: "
                "Weighted(p), RandomSubset(1)."
            )
        if method.noise is not None and (method.noise.subsample, method.noise.ahead) != (1, 0):
            raise ValueError(
                "the exact law at a given eps is known for gradients of all samples at the current "
                "model: subsample=1, shrink_first=False."
            )
        dynamics = cls.of(problem, method, None)
        if len(dynamics.M) > DENSE:
            raise ValueError(
                f"the exact law at a given eps is computed for {DENSE} columns at most, got "
                f"{len(dynamics.M)}."
            )
        return dynamics

    def step(self):
        """Return (forward, moved, source).

        A step maps the mean to ``forward(mean)``, vec(cov) to ``moved @ vec(cov) + source(mean)``.
        """
        G = self.gram
        eps = self.eps
        n = len(self.M)
        fits = list(self.limit.fits())
        keep = 1 - self.gamma * self.eps
        MG = self.M @ self.gram
        eye = np.eye(len(self.M))
        moved = (
            keep**2 * np.kron(eye, eye) - keep * eps * (np.kron(MG, eye) + np.kron(eye, MG))
        ).reshape(n, n, n * n)
        for p, fit in fits:
            at = np.flatnonzero(fit.any(axis=1))  # the coefficients that this choice changes
            moved[np.ix_(at, at)] += (
                eps**2 * p * np.kron(fit[at] @ G, fit[at] @ G).reshape(len(at), len(at), n * n)
            )

        def source(mean):
            # correlations at the mean: the random choice of learners adds variance
            left = self.target - G @ mean
            jumps = sum(p * np.outer(fit @ left, fit @ left) for p, fit in fits)
            return 2 * self.limit.total * eps / self.beta * self.M + eps**2 * (
                jumps - np.outer(self.M @ left, self.M @ left)
            )

        return (
            lambda mean: keep * mean + eps * self.M @ (self.target - G @ mean),
            moved.reshape(n * n, n * n),
            source,
        )

    @property
    def drift(self):
        """A = gamma + M G: for small eps the mean approaches its limit as e^(-A t)."""
        return self.gamma * np.eye(len(self.M)) + self.M @ self.gram

    def gibbs(self):
        shape = np.linalg.solve(self.drift, self.M)
        return shape @ self.target, self.limit.total / self.beta * (shape + shape.T) / 2


def gibbs(problem: Problem, method: Method, limit: Limit | None = None) -> Normal:
    r"""Compute the Gibbs law of the coefficients for the squared loss.

    ``sglb`` approaches it as eps goes to 0.

    Parameters
    ----------
    problem : Problem
        With the squared loss and explicit learners, or blocks of columns.
    method : Method
        ``sglb`` with one finite beta and gamma above 0.
    limit : Limit, optional
        The limit law of the choice; default ``limit_of(problem, method.select)``.

    Returns
    -------
    Normal
        The law of the coefficients of the unit columns, without the constant.

    Raises
    ------
    ValueError
        For another loss, and a method without noise, with a sequence of beta or without shrinkage.

    Notes
    -----
    Mean :math:`(M G + \gamma)^{-1} M B^T W y`, covariance
    :math:`\frac{N}{\beta} (M G + \gamma)^{-1} M`. *Cost*: O(n_learners^3), and that of the limit
    law. *Source*: Ustimenko and Prokhorenkova, *SGLB*, Theorem 2; the closed form follows from it.

    Examples
    --------
    Two orthogonal columns, each chosen with p = 1/2: the mean is least squares times p / (p +
    gamma) = 1/2.

    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> method = cb.sglb(eps=0.05, beta=40.0, gamma=0.5, select=cb.rules.RandomSubset(1))
    >>> law = cb.theory.langevin.gibbs(problem, method)
    >>> least_squares = cb.solve(problem, cb.ls_boost(1.0), 2).beta
    >>> (law.mean / least_squares).round(6)
    array([0.5, 0.5])
    """
    return Normal(*_Dynamics.of(problem, method, limit).gibbs())


def stationary(problem: Problem, method: Method) -> Normal:
    """Compute mean and covariance of the coefficients after many steps.

    At the eps of `method`, for rules that do not use the residual.

    Parameters
    ----------
    problem : Problem
        With the squared loss and at most 60 explicit learners or columns of blocks.
    method : Method
        ``sglb`` with one finite beta and gamma above 0, and a rule that does not look at the
        residual, such as ``RandomSubset(1)``; subsample=1 and shrink_first=False.

    Returns
    -------
    Normal
        Exact mean and covariance. The mean is that of ``gibbs``, the covariance differs from that
        of ``gibbs`` by O(eps).

    Raises
    ------
    ValueError
        For another loss, and a method without noise, with a sequence of beta or without shrinkage.
        Where the law is not known: for rules that use the residual, such as ``Greedy()`` (take
        ``Weighted(p)`` or ``RandomSubset(1)``; on blocks ``JointSubset(t)`` or ``RandomMask(q)``,
        too), for subsamples, for shrink_first=True, and for more than 60 columns.

    Notes
    -----
    *Cost*: O(n_learners^6), one linear system with n_learners^2 unknowns. *Source*: ours, from the
    step of Ustimenko and Prokhorenkova, *SGLB*, Algorithm 2.

    Examples
    --------
    The variances are 10 % and 28 % larger than in the limit of small eps:

    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> method = cb.sglb(eps=0.05, beta=40.0, gamma=0.5, select=cb.rules.RandomSubset(1))
    >>> exact = cb.theory.langevin.stationary(problem, method)
    >>> limit = cb.theory.langevin.gibbs(problem, method)
    >>> (exact.cov / limit.cov).diagonal().round(2)
    array([1.1 , 1.28])
    """
    dynamics = _Dynamics.exactly(problem, method)
    mean = dynamics.gibbs()[0]
    n = len(dynamics.M)
    _, moved, source = dynamics.step()
    cov = np.linalg.solve(np.eye(n * n) - moved, source(mean).ravel()).reshape(n, n)
    return Normal(mean, (cov + cov.T) / 2)


def after_steps(problem: Problem, method: Method, steps: Sequence[int]) -> list[Normal]:
    """Compute the exact mean and covariance of the coefficients after some steps.

    The chain starts at 0, and each of `steps` is a number of steps.

    Parameters
    ----------
    problem : Problem
        With the squared loss and at most 60 explicit learners or columns of blocks.
    method : Method
        ``sglb`` with one finite beta and gamma above 0, and a rule that does not look at the
        residual, such as ``RandomSubset(1)``; subsample=1 and shrink_first=False.
    steps : sequence of int
        Numbers of steps, in any order.

    Returns
    -------
    list of Normal
        One mean and covariance for each of `steps`. The law itself is a mixture of normal laws, one
        for each sequence of choices.

    Raises
    ------
    ValueError
        As for ``stationary``.

    Notes
    -----
    *Cost*: O(n_learners^4) for each step up to the largest. *Source*: ours, from the step of
    Ustimenko and Prokhorenkova, *SGLB*, Algorithm 2.

    Examples
    --------
    How much of its mean the chain has reached after 20 and 200 steps:

    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> method = cb.sglb(eps=0.05, beta=40.0, gamma=0.5, select=cb.rules.RandomSubset(1))
    >>> early, late = cb.theory.langevin.after_steps(problem, method, [20, 200])
    >>> end = cb.theory.langevin.stationary(problem, method)
    >>> (early.mean / end.mean).round(2), (late.mean / end.mean).round(2)
    (array([0.64, 0.64]), array([1., 1.]))
    """
    dynamics = _Dynamics.exactly(problem, method)
    forward, moved, source = dynamics.step()
    mean = np.zeros(len(dynamics.M))
    cov = np.zeros_like(dynamics.M)
    laws: dict[int, Normal] = {}
    for k in range(max(steps, default=0) + 1):
        if k in steps:
            laws[k] = Normal(mean, cov)
        cov = (moved @ cov.ravel()).reshape(cov.shape) + source(mean)
        mean = forward(mean)
    return [laws[k] for k in steps]


def transient(problem: Problem, method: Method, n_steps: int, limit: Limit | None = None) -> Normal:
    r"""Compute the law of the coefficients after `n_steps` steps from 0.

    In the limit eps to 0 with eps * n_steps fixed.

    Parameters
    ----------
    problem : Problem
        With the squared loss and explicit learners, or blocks of columns.
    method : Method
        ``sglb`` with one finite beta and gamma above 0.
    n_steps : int
        Number of steps at the eps of the method.
    limit : Limit, optional
        The limit law of the choice; default ``limit_of(problem, method.select)``.

    Returns
    -------
    Normal
        The law of the coefficients of the unit columns. For many steps it approaches that of
        ``gibbs``.

    Raises
    ------
    ValueError
        For another loss, and a method without noise, with a sequence of beta or without shrinkage.

    Notes
    -----
    With :math:`A = \gamma + M G` and :math:`t = \epsilon` n_steps, the mean is :math:`I - e^{-At}`
    times its limit. *Cost*: O(n_learners^3), and that of the limit law. *Source*: Ustimenko and
    Prokhorenkova, *SGLB*, Theorem 1.

    Examples
    --------
    Here A is the identity, so after 20 steps of 0.05 the mean is 1 - 1/e times its limit:

    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> method = cb.sglb(eps=0.05, beta=40.0, gamma=0.5, select=cb.rules.RandomSubset(1))
    >>> law = cb.theory.langevin.transient(problem, method, 20)
    >>> limit = cb.theory.langevin.gibbs(problem, method)
    >>> (law.mean / limit.mean).round(3)
    array([0.632, 0.632])
    """
    dynamics = _Dynamics.of(problem, method, limit)
    mean, cov = dynamics.gibbs()
    n_steps = validation.whole("n_steps", n_steps)
    decay = scipy.linalg.expm(-dynamics.drift * dynamics.eps * n_steps)
    return Normal(mean - decay @ mean, cov - decay @ cov @ decay.T)


class GridLaw(NamedTuple):
    """A law on the points of a grid.

    Parameters
    ----------
    points : ndarray, (n_points, d)
        Coefficients of the unit columns.
    chance : ndarray, (n_points,)
        Probabilities, of sum 1.
    loss : ndarray, (n_points,)
        Mean losses at the points.
    cell : ndarray, (d,)
        Widths of a grid cell.
    axes : tuple of ndarray
        The d coordinates of the grid.

    Examples
    --------
    >>> import numpy as np
    >>> from coordboost.theory.langevin import GridLaw
    >>> at = np.array([0.0, 1.0, 2.0])
    >>> law = GridLaw(at[:, None], np.array([0.2, 0.5, 0.3]), at**2, np.array([1.0]), (at,))
    >>> law.mean, law.cov, law.mean_loss
    (array([1.1]), array([[0.49]]), 1.7)
    """

    points: np.ndarray
    chance: np.ndarray
    loss: np.ndarray
    cell: np.ndarray
    axes: tuple

    @property
    def mean(self) -> np.ndarray:
        """The mean, (d,)."""
        return self.chance @ self.points

    @property
    def cov(self) -> np.ndarray:
        """The covariance, (d, d)."""
        away = self.points - self.mean
        return (away * self.chance[:, None]).T @ away

    @property
    def mean_loss(self) -> float:
        """The expected mean loss."""
        return float(self.chance @ self.loss)

    def probability(self, event: Callable[[np.ndarray], np.ndarray]) -> float:
        """Return the probability of a set.

        Parameters
        ----------
        event : callable
            ``event(points)``, (n_points,): which of the points (n_points, d) are in the set.

        Returns
        -------
        float
            The sum of the probabilities of these points.
        """
        return float(self.chance @ np.asarray(event(self.points), dtype=float))

    def marginal(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the marginal law of coefficient k.

        Parameters
        ----------
        k : int
            Which coefficient.

        Returns
        -------
        at : ndarray, (n_axis,)
            Its values on the grid.
        chance : ndarray, (n_axis,)
            Their probabilities.
        """
        shape = [len(axis) for axis in self.axes]
        summed = tuple(i for i in range(len(shape)) if i != k)
        return self.axes[k], self.chance.reshape(shape).sum(axis=summed)

    def density(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return values of coefficient k and the marginal density there, for a plot.

        Parameters
        ----------
        k : int
            Which coefficient.

        Returns
        -------
        at : ndarray, (n_points,)
            The values of the grid.
        density : ndarray, (n_points,)
            The marginal density at these points.
        """
        at, chance = self.marginal(k)
        return at, chance / self.cell[k]

    def distance(self, sample: np.ndarray, n_bins: int = 20) -> np.ndarray:
        """Compute the distance between the marginals of the law and those of a sample.

        The distance is in total variation.

        Parameters
        ----------
        sample : ndarray, (n, d)
            Coefficients of the unit columns, such as ``chain(...).pooled``.
        n_bins : int, default 20
            Number of bins for the comparison, of equal probability as far as the grid allows.

        Returns
        -------
        ndarray, (d,)
            From 0 to 1, one for each coefficient. Even for a sample from the law itself it is not
            0, because the sample is finite.
        """
        distances = []
        for k in range(self.points.shape[1]):
            at, chance = self.marginal(k)
            place = np.searchsorted(np.cumsum(chance), np.arange(1, n_bins) / n_bins)
            cuts = at[np.minimum(place, len(at) - 1)] + self.cell[k] / 2
            law = np.bincount(np.searchsorted(cuts, at), chance, n_bins)
            counts = np.bincount(
                np.searchsorted(cuts, np.asarray(sample)[:, k]), minlength=n_bins
            ) / len(sample)
            distances.append(0.5 * np.abs(law - counts).sum())
        return np.array(distances)


def quadrature(
    problem: Problem,
    method: Method,
    limit: Limit | None = None,
    *,
    width: float,
    n_points: int = 401,
) -> GridLaw:
    r"""Compute the Gibbs law that ``sglb`` approaches with one or two learners.

    The law is on a grid from -width to width.

    Parameters
    ----------
    problem : Problem
        Any loss, convex or not; one or two explicit learners.
    method : Method
        ``sglb`` with a finite beta. If beta is a sequence, the last value is used.
    limit : Limit, optional
        The limit law of the choice; default ``limit_of(problem, method.select)``.
    width : float
        Half the width of the grid, in coefficients of the unit columns. The probability at the edge
        must be small.
    n_points : int, default 401
        Points in each direction.

    Returns
    -------
    GridLaw
        Probabilities of the points of the grid.

    Raises
    ------
    ValueError
        For more than two learners, a method without noise, and where the grid is too narrow.

    Notes
    -----
    The density is proportional to :math:`e^{-\beta E}`, with E the mean loss plus the penalty of
    the limit law, at the grid points. *Cost*: n_points^d losses. *Source*: Ustimenko and
    Prokhorenkova, *SGLB*, Theorem 2.

    Examples
    --------
    For the squared loss the grid law has the mean and the variances of the closed form, here both
    variances are 0.05:

    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> method = cb.sglb(eps=0.05, beta=40.0, gamma=0.5, select=cb.rules.RandomSubset(1))
    >>> law = cb.theory.langevin.quadrature(problem, method, width=4.0, n_points=81)
    >>> gibbs = cb.theory.langevin.gibbs(problem, method)
    >>> bool(abs(law.mean - gibbs.mean).max() < 1e-9), law.cov.diagonal().round(6)
    (True, array([0.05, 0.05]))
    """
    d = validation.countable("quadrature", checked_problem(problem)).n_learners
    if d > 2:
        raise ValueError(
            f"quadrature is for one or two learners, got {d}; for the squared loss use gibbs()."
        )
    noise = checked_method(method).bind(problem).noise
    if noise is None or not np.isfinite(noise.beta[-1]):
        raise ValueError(
            f"{method.name} has no limit law: it needs a finite beta, such as sglb(0.1, 1e4, "
            "gamma=1e-3)."
        )
    limit = limit_of(problem, method.select) if limit is None else checked_limit(limit)
    axis = np.linspace(
        -positive("width", width), width, few("n_points", validation.whole("n_points", n_points, 2))
    )
    points = np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)
    loss = np.array([problem.value(limit.columns @ point) for point in points]) / limit.total
    energy = loss + limit.penalty(points, method.step.shrink / method.step.rate)
    chance = np.exp(-float(noise.beta[-1]) * (energy - energy.min()))
    chance /= chance.sum()
    edge = chance[(np.abs(points) >= width).any(axis=1)].sum()
    if edge > 1e-6:
        raise ValueError(
            f"the law has probability {edge:.2g} at the edge of the grid: take a larger width than "
            f"{width:g}."
        )
    return GridLaw(points, chance, loss, np.full(d, axis[1] - axis[0]), (axis,) * d)
