r"""Noise: the perturbation of stochastic gradient Langevin boosting.

A step looks for its learner in :math:`r + \sigma \zeta'`, and fits that learner to :math:`r + \sigma \zeta`, with
:math:`\sigma = \sqrt{2 N / (\epsilon \beta)}`, two independent copies of :math:`N(0, I)`, and all that was learned before shrunken by
:math:`1 - \gamma \epsilon`. The residual r holds one derivative for each sample, not divided by their number N. With sample weights the
noise is multiplied by their roots, and N is their sum.

=========  ============================================  ========================================
structure  the learner is sought in                      law of the limit
=========  ============================================  ========================================
``OWN``    r and noise of its own                        Gibbs: both copies, as the paper has it
``NONE``   r alone: noise in the fit only                not Gibbs, unless the choice ignores r
``SAME``   r and the noise of the fit                    not Gibbs
=========  ============================================  ========================================

Source: Ustimenko and Prokhorenkova, *SGLB: Stochastic Gradient Langevin Boosting*, Algorithms 1 and 2.
"""

import enum
from typing import NamedTuple

import numpy as np

from coordboost._utils.checks import as_floats, not_negative, nothing_varies, number_of, positive, shown
from coordboost.data.problem import Problem


class Structure(enum.IntEnum):
    """The noise in which a learner is sought: none, a copy of its own, or the same as that of the fit.

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
    """The number of a ``Structure``, or of a number that stands for one."""
    number = number_of(value)
    if number not in tuple(Structure):
        raise ValueError(f"structure must be Structure.OWN, Structure.NONE or Structure.SAME, got {shown(value)}.")
    return int(number)


def inverse_temperatures(beta):
    """`beta` as a float64 vector: one number, or one for each step, the last from there on; inf for no noise."""
    array = np.atleast_1d(as_floats(beta))
    if array.ndim != 1 or array.size == 0 or not (array > 0).all():
        raise ValueError(f"beta must be a positive number (inf for no noise), or a sequence of them, got {shown(beta)}.")
    return array


class Noise(NamedTuple):
    """Noise at inverse temperature `beta` for steps of length `rate`, and gradients from a part of the samples.

    Parameters
    ----------
    rate : float
        Learning rate eps.
    beta : ndarray, (n,)
        Inverse temperature, one for each step, the last of them from there on; inf is no noise.
    structure : Structure, default ``Structure.OWN``
        The noise in which a learner is sought.
    subsample : float, default 1
        The part of the samples that a gradient is estimated from, each drawn on its own.
    ahead : float, default 0
        The model is shrunken by ``1 - ahead`` before the gradient is taken.
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
        """The noise checked against the problem and filled in from it.

        Parameters
        ----------
        problem : Problem
            What is boosted.

        Returns
        -------
        Noise
            With the sum of the weights.
        """
        positive("rate", self.rate)
        beta, subsample = inverse_temperatures(self.beta), positive("subsample", self.subsample, 1 + 1e-15, "in (0, 1]")
        not_negative("ahead", self.ahead)
        if np.isfinite(beta).any() and not problem.dictionary.takes_noise:
            raise ValueError(
                "noise needs leaf values that are means of the gradient: these learners have second derivatives as weights, or bounds; "
                "take trees without newton and monotone."
            )
        if np.isfinite(beta).any() and problem.n_learners == 1 and problem.countable and not problem.gather([0]).any():
            raise nothing_varies("noise draws coefficients, and there are none")
        return self._replace(beta=beta, subsample=float(subsample), total=float(problem.weight.sum()))

    def seeded(self, seed: int) -> "Noise":
        """The noise of one run.

        Parameters
        ----------
        seed : int
            That of the run.

        Returns
        -------
        Noise
            With the seed.
        """
        return self._replace(seed=seed)

    @property
    def sigma(self) -> np.ndarray:
        r"""Standard deviations :math:`\sqrt{2 N / (\epsilon \beta)}`, one for each step."""
        return np.sqrt(2 * self.total / (self.rate * self.beta))
