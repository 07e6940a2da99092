"""The model state of Langevin boosting.

An inner model state, with noise in the search for learners and noise in their fit.
"""

from typing import NamedTuple

import numpy as np

from coordboost._numba import kernel, verb
from coordboost._numba.noise import LEAVES, SHARE, STRUCTURE, add_noise, keep_some, key_of, normal
from coordboost._numba.sums import first_rows, refresh_residual
from coordboost.engine.states.base import ModelState
from coordboost.engine.states.naive import NaiveState
from coordboost.rules.noise import Structure
from coordboost.rules.steps import fitted

scan = verb("scan")
correlations = verb("correlations")
dot = verb("dot")
push = verb("push")
search = verb("search")
tie = verb("tie")
write_curvature = verb("write_curvature")

#: The kinds of structure noise, as numbers for kernels.
NONE, OWN, SAME = (int(kind) for kind in (Structure.NONE, Structure.OWN, Structure.SAME))


@kernel
def refit_unit(dictionary, j, v, scale, key):
    """The length of a unit learner fitted to v plus white noise.

    It is <B_j, v> plus noise of standard deviation `scale`.
    """
    return dot(dictionary, j, v) + scale * normal(key, 0)


refit = verb("refit", refit_unit)


@kernel
def look_ahead(state):
    """Write the residual at the shrunken model (1 - ahead) pred into the inner model state."""
    inner = state.inner
    shrunken = state.shrunken
    for i in range(len(shrunken)):
        shrunken[i] = (1 - state.ahead) * inner.pred[i]
    refresh_residual(inner.loss_function, inner.y, inner.weight, inner.base, shrunken, inner.resid)


class _PerturbedState(NamedTuple):
    inner: object
    dictionary: object
    gradient: np.ndarray
    looked: np.ndarray
    root: np.ndarray
    sigma: np.ndarray
    seed: int
    structure: int
    subsample: float
    ahead: float
    shrunken: np.ndarray
    starts: np.ndarray


class PerturbedState(_PerturbedState, ModelState):
    """The model state `inner`, with a perturbed residual.

    It is estimated from a subsample and perturbed by noise before learners are sought.

    gradient : the residual, or its estimate from the samples drawn; looked : `gradient` plus
    structure noise. Without such noise, and with all samples, both are the array of the inner state
    itself. *Cost* besides that of the inner state: a normal number per sample.

    root : roots of the weights, (n_samples,) or (1,)
    sigma : standard deviations, one per step, the last one for all later steps
    shrunken : work space for predictions times 1 - `ahead`, empty if `ahead` is 0; an array made in
        a step would slow the whole loop
    starts : the number of the first row of each block of rows, of which random numbers are drawn
    """

    perturbs = True
    from_data = True

    @classmethod
    def start(cls, problem, noise=None):
        """The model state at beta = 0."""
        return cls.around(NaiveState.start(problem), noise)

    @classmethod
    def around(cls, inner, noise, starts=None):
        """The model state `inner`, already started, with noise.

        Without noise if `noise` is None.

        starts : as in the state, for rows of a part
        """
        weight = inner.weight
        resid = inner.resid
        root = np.sqrt(weight[:1] if (weight == weight[:1]).all() else weight)
        starts = first_rows(len(resid)) if starts is None else starts
        if noise is None:
            return cls(
                inner,
                inner.dictionary,
                resid,
                resid,
                root,
                np.zeros(1),
                0,
                NONE,
                1.0,
                0.0,
                np.zeros(0),
                starts,
            )
        gradient = resid if noise.subsample == 1 else np.zeros(len(resid))
        sigma = noise.sigma
        structure = int(noise.structure) if np.isfinite(noise.beta).any() else NONE
        looked = gradient if structure == NONE else np.zeros(len(resid))
        rest = (
            noise.seed,
            structure,
            noise.subsample,
            noise.ahead,
            np.zeros(len(resid) if noise.ahead != 0 else 0),
            starts,
        )
        return cls(inner, inner.dictionary, gradient, looked, root, sigma, *rest)

    def renew(self, beta):
        """Recompute the state from the coefficients."""
        self.inner.renew(beta)
        if self.ahead != 0:
            look_ahead(self)

    @property
    def pred(self):
        """The prediction of the model."""
        return self.inner.pred

    def perturb(self, k):
        """Draw the samples and the structure noise of step k."""
        if self.subsample < 1:
            key = key_of(self.seed, SHARE, k)
            keep_some(key, self.subsample, self.inner.resid, self.gradient, self.starts)
        if self.structure != NONE:
            level = self.sigma[min(k, len(self.sigma) - 1)]
            key = key_of(self.seed, STRUCTURE, k)
            add_noise(key, level, self.root, self.gradient, self.looked, self.starts)

    def tempered(self, k, j, corr):
        """The length of learner j, fitted with the leaf noise of step k."""
        level = self.sigma[min(k, len(self.sigma) - 1)]
        if level == 0 or self.structure == SAME or corr != corr:
            return fitted(self.dictionary, corr)
        return refit(self.dictionary, j, self.gradient, level, key_of(self.seed, LEAVES, k))

    def sought(self):
        """The vector that is correlated with the learners."""
        return self.looked

    def write_curvature(self, out):
        write_curvature(self.inner, out)

    def scan(self):
        return scan(self.dictionary, self.looked)

    def correlations(self, index):
        return correlations(self.dictionary, self.looked, index)

    def tie(self):
        return tie(self.inner)

    def search(self, j, a, b):
        return search(self.inner, j, a, b)

    def push(self, j, shrink, theta):
        push(self.inner, j, shrink, theta)
        if self.ahead != 0:
            look_ahead(self)
