"""Samples from runs: the models at evenly spaced steps after a burn-in, as coefficients and as predictions."""

from typing import NamedTuple

import numpy as np

from coordboost._checks import checked_run, items_of
from coordboost.data import validation
from coordboost.engine.follow import Follower
from coordboost.langevin.diagnose import ess, split_rhat


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
