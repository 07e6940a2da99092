r"""Noise: the perturbation of stochastic gradient Langevin boosting.

A step selects its learner by correlation with :math:`r + \sigma \zeta'`, and fits it to
:math:`r + \sigma \zeta`, with :math:`\sigma = \sqrt{2 N / (\epsilon \beta)}` and independent
:math:`\zeta, \zeta' \sim N(0, I)`. The model before the step is multiplied by
:math:`1 - \gamma \epsilon`. The residual r holds one derivative for each sample, not divided by the
number N of samples. With sample weights the noise is multiplied by their square roots, and N is
their sum.

=========  ============================================  ========================================
structure  the learner is selected by                    limit distribution
=========  ============================================  ========================================
``OWN``    r and its own noise                           Gibbs (two copies, as in the paper)
``NONE``   r alone: noise in the fit only                not Gibbs, unless the choice ignores r
``SAME``   r and the noise of the fit                    not Gibbs
=========  ============================================  ========================================

Source: Ustimenko and Prokhorenkova, *SGLB: Stochastic Gradient Langevin Boosting*, Algorithms 1 and
2.
"""

import enum
from typing import NamedTuple

import numpy as np

from coordboost._utils.checks import (
    as_floats,
    not_negative,
    nothing_varies,
    number_of,
    positive,
    shown,
)
from coordboost.data.problem import Problem


class Structure(enum.IntEnum):
    """Noise in the selection of a learner: none, its own independent copy, or the noise of the fit.

    Examples
    --------
    >>> import coordboost as cb
    >>> cb.sglb(structure=cb.rules.Structure.SAME).noise.structure
    2
    """

    NONE = 0
    OWN = 1
    SAME = 2


def structure_of(value):
    """Return a ``Structure``, or its number, as an int."""
    number = number_of(value)
    if number not in tuple(Structure):
        raise ValueError(
            "structure must be Structure.OWN, Structure.NONE or Structure.SAME, got "
            f"{shown(value)}."
        )
    return int(number)


def inverse_temperatures(beta):
    """Return `beta` as a float64 vector, one value for each step.

    The last is used for all further steps; inf is no noise.
    """
    array = np.atleast_1d(as_floats(beta))
    if array.ndim != 1 or array.size == 0 or not (array > 0).all():
        raise ValueError(
            "beta must be a positive number (inf for no noise), or a sequence of them, got "
            f"{shown(beta)}."
        )
    return array


class Noise(NamedTuple):
    """Noise of Langevin boosting, and gradients from a subsample.

    The noise has the inverse temperature `beta` for steps of length `rate`.

    Parameters
    ----------
    rate : float
        Learning rate eps.
    beta : ndarray, (n,)
        Inverse temperature, one for each step; the last is used for all further steps; inf is no
        noise.
    structure : Structure, default ``Structure.OWN``
        Noise in the selection of a learner.
    subsample : float, default 1
        Fraction of the samples from which the gradient is estimated; each is drawn independently.
    ahead : float, default 0
        The gradient is taken at ``1 - ahead`` times the model.
    total : float, default 0
        Sum of the weights N, filled in from the problem.
    seed : int, default 0
        Filled in from the run.

    Examples
    --------
    >>> import numpy as np
    >>> import coordboost as cb
    >>> cb.rules.Noise(rate=0.1, beta=np.array([100.0]), total=4.0).sigma.round(4)
    array([0.8944])
    """

    rate: float
    beta: np.ndarray = np.full(1, np.inf)
    structure: int = int(Structure.OWN)
    subsample: float = 1.0
    ahead: float = 0.0
    total: float = 0.0
    seed: int = 0

    def bind(self, problem: Problem) -> "Noise":
        """Check the noise against the problem, and fill in the sum of the sample weights.

        Parameters
        ----------
        problem : Problem
            The problem to solve.

        Returns
        -------
        Noise
            A copy with the sum of the weights.
        """
        positive("rate", self.rate)
        beta = inverse_temperatures(self.beta)
        subsample = positive("subsample", self.subsample, 1 + 1e-15, "in (0, 1]")
        not_negative("ahead", self.ahead)
        has_noise = bool(np.isfinite(beta).any())
        if has_noise and not problem.dictionary.takes_noise:
            raise ValueError(
                "noise needs leaf values that are mean gradients, without second derivatives or "
                "bounds; use trees without newton and monotone."
            )
        one_column = problem.countable and problem.n_learners == 1
        if has_noise and one_column and not problem.gather([0]).any():
            raise nothing_varies("there are no coefficients to add noise to")
        return self._replace(
            beta=beta, subsample=float(subsample), total=float(problem.weight.sum())
        )

    def seeded(self, seed: int) -> "Noise":
        """Return the noise of one run.

        Parameters
        ----------
        seed : int
            Seed of the run.

        Returns
        -------
        Noise
            A copy with the seed.
        """
        return self._replace(seed=seed)

    @property
    def sigma(self) -> np.ndarray:
        r"""Standard deviations :math:`\sqrt{2 N / (\epsilon \beta)}`, one for each step."""
        return np.sqrt(2 * self.total / (self.rate * self.beta))
