r"""Samples from runs.

The models at evenly spaced steps after a burn-in, as coefficients or as predictions.

Diagnostics of Langevin boosting: effective sample sizes, agreement of chains, and whether the
theorems apply (their regime).

The theorems need two conditions: noise dominates the choice, :math:`\epsilon\beta g^2/2 \ll 1` with
g the root of the mean squared gradient, and the run is long, :math:`\gamma\epsilon\tau \gg 1` after
:math:`\tau` steps.

Source: Geyer (1992), *Practical Markov chain Monte Carlo*, Section 3.3; Vehtari, Gelman, Simpson,
Carpenter, Buerkner (2021), *Rank-normalization, folding, and localization: an improved R-hat*,
Section 2, without ranks. ArviZ has both.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from coordboost._utils.checks import checked_run, items_of
from coordboost.data import validation
from coordboost.engine.following import Follower
from coordboost.engine.run import Run

#: With a drive above SMALL the noise does not dominate the choice; below LONG time constants a run
#: still depends on its start.
SMALL, LONG = 0.1, 5.0


def _autocovariance(x):
    """Return the autocovariance of each row of x (n_chains, n_draws), at lags 0, 1, ..."""
    n = x.shape[1]
    away = x - x.mean(axis=1, keepdims=True)
    wide = np.fft.rfft(away, 2 * n, axis=1)
    return np.fft.irfft(wide * wide.conj(), 2 * n, axis=1)[:, :n] / n


def _split(x):
    """Cut chains (n_chains, n_draws) into halves."""
    x = np.atleast_2d(validation.numeric("x", x, 2 if getattr(x, "ndim", 1) == 2 else 1))
    if x.shape[1] < 4:
        raise ValueError(
            f"x must hold chains of at least 4 draws, (n_chains, n_draws), got shape {x.shape}."
        )
    half = x.shape[1] // 2
    return np.concatenate([x[:, :half], x[:, x.shape[1] - half :]])


def _variances(x):
    """Return the mean variance within chains, and the pooled estimate of the variance."""
    n = x.shape[1]
    within = x.var(axis=1, ddof=1).mean()
    return within, (n - 1) / n * within + x.mean(axis=1).var(ddof=1)


def split_rhat(x: np.ndarray) -> float:
    r"""Compute split R-hat of one quantity in some chains.

    It is about 1 if the halves of all chains agree, and above 1.01 if they do not.

    Parameters
    ----------
    x : ndarray, (n_chains, n_draws) or (n_draws,)
        Draws of one number, in the order of the steps; at least 4 in each chain.

    Returns
    -------
    float
        :math:`\sqrt{V / W}`, with W the mean variance within the halves and V the pooled estimate
        of the variance; 1 where W is 0.

    Raises
    ------
    ValueError
        For chains of fewer than 4 draws, and draws that are not finite numbers.

    Notes
    -----
    *Cost*: O(number of draws). *Source*: Vehtari, Gelman, Simpson, Carpenter, Buerkner (2021),
    Section 2, without ranks.

    Examples
    --------
    >>> import numpy as np
    >>> from coordboost.theory.langevin import split_rhat
    >>> agree = np.random.default_rng(0).normal(size=(2, 500))
    >>> apart = agree + [[0.0], [3.0]]  # the second chain sits elsewhere
    >>> round(split_rhat(agree), 2), round(split_rhat(apart), 2)
    (1.0, 2.01)
    """
    within, pooled = _variances(_split(x))
    return math.sqrt(pooled / within) if within > 0 else 1.0


def ess(x: np.ndarray) -> float:
    """Estimate the effective sample size for the mean of one quantity in some chains.

    By Geyer's initial monotone sequence.

    A mean of this many independent draws has the same accuracy.

    Parameters
    ----------
    x : ndarray, (n_chains, n_draws) or (n_draws,)
        Draws of one number, in the order of the steps; at least 4 in each chain.

    Returns
    -------
    float
        Above 0. It exceeds the number of draws if neighbouring draws are negatively correlated.

    Raises
    ------
    ValueError
        For chains of fewer than 4 draws, and draws that are not finite numbers.

    Notes
    -----
    *Cost*: one fast Fourier transform of each half chain. *Source*: Geyer (1992), Section 3.3, with
    the pooled variance over chains of Vehtari, Gelman, Simpson, Carpenter, Buerkner (2021), Section
    2.

    Examples
    --------
    A chain with autocorrelation 0.9 has an effective size of (1 - 0.9) / (1 + 0.9) times 20,000
    draws = 1,053. An estimate:

    >>> import numpy as np
    >>> from coordboost.theory.langevin import ess
    >>> x = np.random.default_rng(0).normal(size=20_000)
    >>> for k in range(1, 20_000):
    ...     x[k] += 0.9 * x[k - 1]
    >>> round(ess(x))
    944
    """
    x = _split(x)
    within, pooled = _variances(x)
    if not within > 0:
        return float(x.size)
    rho = 1 - (within - _autocovariance(x).mean(axis=0) * x.shape[1] / (x.shape[1] - 1)) / pooled
    rho[0] = 1.0
    pairs = rho[: len(rho) // 2 * 2].reshape(-1, 2).sum(axis=1)
    end = int(np.argmax(pairs <= 0)) if (pairs <= 0).any() else len(pairs)
    tau = -1 + 2 * np.minimum.accumulate(pairs[:end]).sum()
    return float(
        min(x.size / max(tau, 1 / math.log10(x.size + 10)), x.size * math.log10(x.size + 10))
    )


class Regime(NamedTuple):
    """Whether the theorems on Langevin boosting apply to a run.

    Parameters
    ----------
    drive : float
        eps beta g^2 / 2 at the end of the run, without unit. Noise dominates the choice of the
        learner where it is far below 1.
    time : float
        gamma eps n_steps, without unit: the length of the run in time constants of the shrinkage.
    noise : float
        Standard deviation of the noise added to a sample of weight 1, in the units of the residual.

    Examples
    --------
    >>> from coordboost.theory.langevin import Regime
    >>> print(Regime(drive=0.02, time=1.5, noise=3.0))  # doctest: +ELLIPSIS
    outside the regime of the theorems: the run depends on its start: gamma eps steps = 1.5, ...
    """

    drive: float
    time: float
    noise: float

    @property
    def inside(self) -> bool:
        """Whether drive <= 0.1 and time >= 5."""
        return self.drive <= SMALL and self.time >= LONG

    def __str__(self):
        reasons = []
        if self.drive > SMALL:
            reasons.append(
                f"the gradient affects the selection: eps beta g^2 / 2 = {self.drive:.3g}, but the "
                "theorems need it far below 1; take a smaller eps or beta"
            )
        if self.time < LONG:
            reasons.append(
                f"the run depends on its start: gamma eps steps = {self.time:.3g}, but the "
                "theorems need it far above 1; make more steps, or take a larger gamma"
            )
        if not reasons:
            return (
                f"in the regime of the theorems: eps beta g^2 / 2 = {self.drive:.3g} and gamma "
                f"eps steps = {self.time:.3g}"
            )
        return "outside the regime of the theorems: " + "; ".join(reasons)


def regime(run: Run) -> Regime:
    """Compute the regime of a run of ``sglb``: whether the theorems apply to it.

    The last model of the run is looked at.

    Parameters
    ----------
    run : Run
        A run of a method with noise.

    Returns
    -------
    Regime
        Its printed form is a sentence, with advice on what to change.

    Raises
    ------
    ValueError
        For a run without noise, or with beta = inf at its last step.

    Notes
    -----
    *Cost*: O(n_samples). *Source*: ours. Theorems 1 and 2 of Ustimenko and Prokhorenkova, *SGLB*,
    are limits for small eps and long runs; these numbers measure how far a run is from both limits.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> run = cb.solve(problem, cb.sglb(eps=0.001, beta=40.0, gamma=0.5), 20_000)
    >>> print(cb.theory.langevin.regime(run))
    in the regime of the theorems: eps beta g^2 / 2 = 0.00595 and gamma eps steps = 10
    """
    noise = checked_run(run).method.noise
    if noise is None or not np.isfinite(noise.beta[-1]):
        raise ValueError(
            f"{run.method.name} has no noise, so it samples no distribution: use sglb with a "
            "finite beta."
        )
    weight = run.problem.weight
    resid = run.final.resid
    square = float(
        np.sum(np.divide(resid**2, weight, out=np.zeros_like(resid), where=weight > 0))
        / weight.sum()
    )
    step = run.method.step
    return Regime(
        step.rate * float(noise.beta[-1]) * square / 2,
        step.shrink * run.n_steps,
        float(noise.sigma[-1]),
    )


class Chain(NamedTuple):
    """Draws from runs, with diagnostics of their quality.

    Parameters
    ----------
    values : ndarray, (n_chains, n_draws, n_quantities)
        Coefficients of the unit columns, or predictions.
    steps : ndarray of int, (n_draws,)
        The steps of the draws.

    Examples
    --------
    The effective size of two independent chains is nearly all of their draws; a mean of 1,000 draws
    has error 1 / sqrt(1,000) = 0.032:

    >>> import numpy as np
    >>> from coordboost.theory.langevin import Chain
    >>> sample = Chain(np.random.default_rng(0).normal(size=(2, 500, 1)), np.arange(500))
    >>> sample.ess.round(), sample.rhat.round(2), sample.error.round(3)
    (array([996.]), array([1.]), array([0.031]))
    """

    values: np.ndarray
    steps: np.ndarray

    @property
    def pooled(self) -> np.ndarray:
        """All draws, (n_chains * n_draws, n_quantities)."""
        return self.values.reshape(-1, self.values.shape[-1])

    @property
    def mean(self) -> np.ndarray:
        """Means of all draws, (n_quantities,)."""
        return self.pooled.mean(axis=0)

    @property
    def cov(self) -> np.ndarray:
        """Covariance of all draws, (n_quantities, n_quantities)."""
        return np.atleast_2d(np.cov(self.pooled.T))

    @property
    def ess(self) -> np.ndarray:
        """Effective sample sizes, (n_quantities,)."""
        return np.array([ess(self.values[:, :, k]) for k in range(self.values.shape[-1])])

    @property
    def rhat(self) -> np.ndarray:
        """Split R-hat, (n_quantities,)."""
        return np.array([split_rhat(self.values[:, :, k]) for k in range(self.values.shape[-1])])

    @property
    def error(self) -> np.ndarray:
        """Monte Carlo standard errors of the means, (n_quantities,)."""
        return self.pooled.std(axis=0, ddof=1) / np.sqrt(self.ess)


def chain(
    runs: Run | Sequence[Run], burn_in: int, *, every: int = 1, X: ArrayLike | None = None
) -> Chain:
    """Collect the models of runs from step `burn_in` on, one in `every`.

    Parameters
    ----------
    runs : Run or sequence of Run
        Runs of one method on one problem with different seeds. The shortest run determines the
        number of draws.
    burn_in : int
        The step of the first draw.
    every : int, default 1
        Steps from one draw to the next.
    X : array_like, (n_rows, n_features), optional
        Sample the predictions on these rows, the constant included. Default: sample the
        coefficients of the unit columns, for blocks those of their columns.

    Returns
    -------
    Chain
        One chain for each run, with (n_steps - burn_in) // every + 1 draws.

    Raises
    ------
    ValueError
        For no runs, for fewer than two draws, and for implicit dictionaries, such as trees, without
        X.

    Notes
    -----
    *Cost*: a copy of the sampled quantities for each draw; with X each step is evaluated once on
    each row.

    Examples
    --------
    >>> import coordboost as cb
    >>> problem = cb.Problem([[1.0, 0], [0, 1], [2, 1], [1, 3]], [1.0, 2, 4, 5])
    >>> method = cb.sglb(eps=0.05, beta=40.0, gamma=0.5, select=cb.rules.RandomSubset(1))
    >>> runs = [cb.solve(problem, method, 4_000, rng=seed) for seed in (1, 2)]
    >>> sample = cb.theory.langevin.chain(runs, burn_in=500, every=10)
    >>> sample.values.shape
    (2, 351, 2)
    >>> # the means of the sample are near those of the law
    >>> law = cb.theory.langevin.stationary(problem, method)
    >>> bool((abs(sample.mean - law.mean) < 3 * sample.error).all())
    True
    """
    runs = (
        [runs] if isinstance(runs, Run) else items_of("runs", runs, "a Run, or a sequence of them")
    )
    if not runs:
        raise ValueError("runs must be a Run, or a sequence of them, got none.")
    for run in runs:
        checked_run(run)
    n_steps = min(run.n_steps for run in runs)
    steps = np.arange(
        validation.whole("burn_in", burn_in), n_steps + 1, validation.whole("every", every, 1)
    )
    if len(steps) < 2:
        raise ValueError(
            f"burn_in = {burn_in} leaves {len(steps)} draw(s) of {n_steps} steps; make longer "
            "runs, or burn in less."
        )
    X = None if X is None else validation.collected("X", X)
    quantities = _coefficients if X is None else lambda run, at: _predictions(run, at, X)
    return Chain(np.stack([quantities(run, steps) for run in runs]), steps)


def _coefficients(run, steps):
    dictionary = run.problem.dictionary
    constant = run.problem.constant
    n = dictionary.n_columns
    # a coefficient is the prediction on a row where its column is 1 and the others are 0
    if n is not None:
        return np.stack(list(predictions_at(run, steps, dictionary.standing(np.eye(n))))) - constant
    if not run.problem.countable:
        raise ValueError(
            "learners found during the run have no coefficients to compare: sample predictions, "
            "with chain(..., X=rows)."
        )
    return np.stack([state.beta for state in run.replay(steps)])


def _predictions(run, steps, X):
    problem = run.problem
    if problem.dictionary.standing is None:
        return np.stack([problem.predict(state.beta, X) for state in run.replay(steps)])
    rows = X if problem.binning is None else problem.binning.bin(X)
    return np.stack(list(predictions_at(run, steps, problem.dictionary.standing(rows))))


def predictions_at(run, steps, rows):
    """Yield the predictions at `steps`, the constant included, from the fitted learners on `rows`.

    Each is evaluated once on each row.
    """
    follower = Follower(run.method, rows)
    for k in steps:
        follower.move(run.path, int(k))
        yield run.problem.constant + follower.pred
