r"""Samples from runs: the models at evenly spaced steps after a burn-in, as coefficients and as predictions.

How near a run of Langevin boosting is to its law: sizes of samples, agreement of chains, and the regime of the theorems in words.

Two conditions stand behind the theorems: noise rules the choice, :math:`\\epsilon\beta g^2/2 \\ll 1` with g the root of the mean squared
gradient, and the run is long, :math:`\\gamma\\epsilon\tau \\gg 1` after :math:`\tau` steps.

Source: Geyer (1992), *Practical Markov chain Monte Carlo*, Section 3.3; Vehtari, Gelman, Simpson, Carpenter, Buerkner (2021),
*Rank-normalization, folding, and localization: an improved R-hat*, Section 2, without ranks. ArviZ has both, and needs xarray for
forty lines.
"""

import math
from typing import NamedTuple

import numpy as np

from coordboost._utils.checks import checked_run, items_of
from coordboost.data import validation
from coordboost.engine.following import Follower

#: Above SMALL noise does not rule the choice; below LONG time constants a run remembers where it began.
SMALL, LONG = 0.1, 5.0


def _autocovariance(x):
    """Of each row of x (n_chains, n_draws), at lags 0, 1, ..."""
    n, away = x.shape[1], x - x.mean(axis=1, keepdims=True)
    wide = np.fft.rfft(away, 2 * n, axis=1)
    return np.fft.irfft(wide * wide.conj(), 2 * n, axis=1)[:, :n] / n


def _split(x):
    """Chains (n_chains, n_draws) cut into halves."""
    x = np.atleast_2d(validation.numeric("x", x, 2 if getattr(x, "ndim", 1) == 2 else 1))
    if x.shape[1] < 4:
        raise ValueError(f"x must hold chains of at least 4 draws, (n_chains, n_draws), got shape {x.shape}.")
    half = x.shape[1] // 2
    return np.concatenate([x[:, :half], x[:, x.shape[1] - half :]])


def _variances(x):
    """The mean variance within chains, and the pooled estimate."""
    n = x.shape[1]
    within = x.var(axis=1, ddof=1).mean()
    return within, (n - 1) / n * within + x.mean(axis=1).var(ddof=1)


def split_rhat(x):
    """Split R-hat of chains (n_chains, n_draws), or of one: 1 where the halves of all chains agree; from 1.01 on they do not."""
    within, pooled = _variances(_split(x))
    return math.sqrt(pooled / within) if within > 0 else 1.0


def ess(x):
    """Effective sample size of the mean of chains (n_chains, n_draws), by Geyer's initial monotone sequence."""
    x = _split(x)
    within, pooled = _variances(x)
    if not within > 0:
        return float(x.size)
    rho = 1 - (within - _autocovariance(x).mean(axis=0) * x.shape[1] / (x.shape[1] - 1)) / pooled
    rho[0] = 1.0
    pairs = rho[: len(rho) // 2 * 2].reshape(-1, 2).sum(axis=1)
    end = int(np.argmax(pairs <= 0)) if (pairs <= 0).any() else len(pairs)
    tau = -1 + 2 * np.minimum.accumulate(pairs[:end]).sum()
    return float(min(x.size / max(tau, 1 / math.log10(x.size + 10)), x.size * math.log10(x.size + 10)))


class Regime(NamedTuple):
    """Whether the theorems speak of a run.

    drive : eps beta g^2 / 2 at the end of the run;  time : gamma eps steps;  noise : standard deviation of the noise in a sample
    """

    drive: float
    time: float
    noise: float

    @property
    def inside(self):
        return self.drive <= SMALL and self.time >= LONG

    def __str__(self):
        words = []
        if self.drive > SMALL:
            words.append(
                f"the gradient steers the choice: eps beta g^2 / 2 = {self.drive:.3g}, and the theorems want it far below 1; take a "
                "smaller eps or beta"
            )
        if self.time < LONG:
            words.append(
                f"the run remembers where it began: gamma eps steps = {self.time:.3g}, and the theorems want it far above 1; make more "
                "steps, or take a larger gamma"
            )
        if not words:
            return f"in the regime of the theorems: eps beta g^2 / 2 = {self.drive:.3g} and gamma eps steps = {self.time:.3g}"
        return "outside the regime of the theorems: " + "; ".join(words)


def regime(run):
    """The regime of a run of ``sglb``, from its last model: a ``Regime``; print it.

    Raises
    ------
    ValueError
        For a run without noise.
    """
    noise = checked_run(run).method.noise
    if noise is None or not np.isfinite(noise.beta[-1]):
        raise ValueError(f"{run.method.name} has no noise: there is no law that it samples; use sglb with a finite beta.")
    weight, resid = run.problem.weight, run.final.resid
    square = float(np.sum(np.divide(resid**2, weight, out=np.zeros_like(resid), where=weight > 0)) / weight.sum())
    return Regime(
        run.method.step.rate * float(noise.beta[-1]) * square / 2, run.method.step.shrink * run.n_steps, float(noise.sigma[-1])
    )


class Chain(NamedTuple):
    """What was sampled: `values` (n_chains, n_draws, n_quantities), at `steps` (n_draws,)."""

    values: np.ndarray
    steps: np.ndarray

    @property
    def pooled(self):
        """All draws, (n_chains * n_draws, n_quantities)."""
        return self.values.reshape(-1, self.values.shape[-1])

    @property
    def mean(self):
        return self.pooled.mean(axis=0)

    @property
    def cov(self):
        return np.atleast_2d(np.cov(self.pooled.T))

    @property
    def ess(self):
        """Effective sample sizes, (n_quantities,)."""
        return np.array([ess(self.values[:, :, k]) for k in range(self.values.shape[-1])])

    @property
    def rhat(self):
        """Split R-hat, (n_quantities,)."""
        return np.array([split_rhat(self.values[:, :, k]) for k in range(self.values.shape[-1])])

    @property
    def error(self):
        """Monte Carlo standard errors of the means, (n_quantities,)."""
        return self.pooled.std(axis=0, ddof=1) / np.sqrt(self.ess)


def chain(runs, burn_in, *, every=1, X=None):
    """The models of runs after `burn_in` steps, one in `every`.

    Parameters
    ----------
    runs : Run, or a sequence of runs of the same length with other seeds
    burn_in, every : int
    X : rows, optional
        Sample the predictions there (offset included); default the coefficients of the unit columns, of blocks those of their columns.

    Returns
    -------
    Chain

    Notes
    -----
    *Cost*: for each draw a copy of what is sampled; with X each step once on each row.
    """
    runs = [runs] if hasattr(runs, "outcome") else items_of("runs", runs, "a Run, or a sequence of them")
    if not runs:
        raise ValueError("runs must be a Run, or a sequence of them, got none.")
    for run in runs:
        checked_run(run)
    n_steps = min(run.n_steps for run in runs)
    steps = np.arange(validation.whole("burn_in", burn_in), n_steps + 1, validation.whole("every", every, 1))
    if len(steps) < 2:
        raise ValueError(
            f"burn_in = {burn_in} leaves {len(steps)} draw(s) of {n_steps} steps; make longer runs, or a shorter burn-in."
        )
    X = None if X is None else validation.collected("X", X)
    one = _coefficients if X is None else lambda run, at: _predictions(run, at, X)
    return Chain(np.stack([one(run, steps) for run in runs]), steps)


def _coefficients(run, steps):
    dictionary, offset = run.problem.dictionary, run.problem.offset
    n = dictionary.n_columns
    if n is not None:  # coefficients of columns are predictions where one column is 1 and the others are 0
        return np.stack(list(predictions_at(run, steps, dictionary.standing(np.eye(n))))) - offset
    if not run.problem.countable:
        raise ValueError(
            "learners that are found one by one have no coefficients to compare: sample predictions, chain(..., X=rows)."
        )
    return np.stack([state.beta for state in run.replay(steps)])


def _predictions(run, steps, X):
    problem = run.problem
    if problem.dictionary.standing is None:
        return np.stack([problem.predict(state.beta, X) for state in run.replay(steps)])
    rows = X if problem.binning is None else problem.binning.bin(X)
    return np.stack(list(predictions_at(run, steps, problem.dictionary.standing(rows))))


def predictions_at(run, steps, rows):
    """Yield the predictions, offset included, at `steps`, on finished learners `rows`: each learner once on each row."""
    follower = Follower(run.method, rows)
    for k in steps:
        follower.move(run.path, int(k))
        yield run.problem.offset + follower.pred
