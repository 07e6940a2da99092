"""Named methods with noise: stochastic gradient boosting, and Langevin boosting, which samples.

Source: Ustimenko, Prokhorenkova, *SGLB: Stochastic Gradient Langevin Boosting* (SGLB).
"""

import numpy as np

from coordboost._checks import not_negative, positive
from coordboost.data.validation import flag
from coordboost.method import Method
from coordboost.pieces.perturbation import Noise, Structure, inverse_temperatures, structure_of
from coordboost.pieces.selection import Full
from coordboost.pieces.steps import Langevin
from coordboost.targets import Unconstrained


def sgb(eps=0.1, gamma=0.0, share=1.0, select=None):
    """Stochastic gradient boosting: eps times the learner fitted to a gradient from a part of the samples (SGLB, Algorithm 1).

    `share` in (0, 1] is the part: each sample is drawn on its own, and counts 1 / share times. `gamma` shrinks all that was learned
    before by 1 - gamma eps in each step. `select` looks at all learners by default. ``sgb(eps)`` is ``gbm(eps)``.
    """
    eps, gamma, share = positive("eps", eps), not_negative("gamma", gamma), _share(share)
    noise = None if share == 1 else Noise(eps, share=share)
    parameters = {"eps": eps, "gamma": gamma, "share": share, "select": select}
    return _langevin("sgb", eps, gamma, select, noise, "Algorithm 1", parameters)


def sglb(eps=0.1, beta=1e4, gamma=1e-3, share=1.0, select=None, structure=Structure.OWN, shrink_first=False):
    r"""Stochastic gradient Langevin boosting: noise in the search, noise of its own in the fit, shrinkage (SGLB, Algorithm 2).

    As eps goes to 0, models are a sample from the Gibbs law proportional to exp(-beta (mean loss + gamma/2 ||Gamma F||^2)); see
    ``docs/langevin.md``. Noise has the standard deviation sqrt(2 N / (eps beta)) in each sample; CatBoost's diffusion_temperature is
    beta / N. `beta` may be a sequence, one for each step; ``beta=inf`` is ``sgb``. `structure` and `shrink_first` (the gradient is taken
    at the shrunken model) are variants: with another structure than OWN the limit is not that law. What a ``Problem`` centres, the mean
    of y for the squared loss, is kept apart and does not shrink: Algorithm 2 as printed takes ``center=False``.
    """
    eps, beta = positive("eps", eps), inverse_temperatures(beta)
    gamma, share = not_negative("gamma", gamma), _share(share)
    given = {"eps": eps, "beta": beta, "gamma": gamma, "share": share, "select": select}
    structure, shrink_first = structure_of(structure), flag("shrink_first", shrink_first)
    parameters = {**given, "structure": structure, "shrink_first": shrink_first}
    ahead = float(gamma * eps) if shrink_first else 0.0
    plain = np.isinf(beta).all() and share == 1 and ahead == 0
    noise = None if plain else Noise(float(eps), beta, structure, share, ahead)
    return _langevin("sglb", eps, gamma, select, noise, "Algorithm 2", parameters)


def _share(share):
    return positive("share", share, 1 + 1e-15, "above 0 and at most 1")


def _langevin(name, eps, gamma, select, noise, algorithm, parameters):
    rule = Langevin(eps, gamma * eps)
    source = f"Ustimenko, Prokhorenkova, SGLB, {algorithm}"
    return Method(name, Full() if select is None else select, rule, source, Unconstrained(), parameters, noise=noise)
