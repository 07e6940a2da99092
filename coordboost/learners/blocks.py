"""Learners that are least-squares fits of blocks of columns.

They are found by fitting, and stored as coefficients of the columns.

For a block S and a vector v, the learner is the unit vector along the fit
:math:`B_S (G_S + l_2)^+ B_S^T v`, with G the Gram matrix in the metric of the weights and
:math:`l_2` a ridge penalty. Without a penalty the fit is the projection of v, with the coefficients
of least norm, and its length is the correlation of the learner with v. Noise is multiplied by the
symmetric root of :math:`(G_S + l_2)^+`. Without a penalty this is projected white noise on the
samples; with one the limit is still a Gibbs distribution.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np

from coordboost._numba.noise import normal
from coordboost.learners.base import Learners

#: Eigenvalues of the Gram matrix of a block up to this fraction of the largest count as zero.
SMALL = 1e-10


def inverse_root(gram, l2):
    """Return the symmetric square root of the pseudo-inverse of ``gram + l2 I``."""
    if not len(gram):
        return gram
    size, axes = np.linalg.eigh(gram + l2 * np.eye(len(gram)))
    known = size > SMALL * size[-1]
    return (axes[:, known] / np.sqrt(size[known])) @ axes[:, known].T


class BlockBank(Learners):
    """Fits of blocks, numbered in the order in which a run made them: a dictionary that grows.

    Parameters
    ----------
    family : object with ``rows``, ``l2``, ``member``, ``start``, and ``at(X)``, ``saved(values)``
        The columns and their blocks.
    weight : (n_samples,)
        The metric of the fits.
    values : (n_fits, n_columns), optional
        The fits to begin with, as coefficients of the columns.
    gram, roots : optional
        The Gram matrix and the roots of another bank of the same family and metric, to be reused.
    """

    countable = False

    def __init__(self, family, weight, values=None, gram=None, roots=None):
        rows = family.rows
        member = family.member
        start = family.start
        self.family = family
        self.weight = weight
        self.length = 0.0
        self.last = None
        self.blocks = [member[a:b] for a, b in itertools.pairwise(start)]
        self.gram = (rows * weight) @ rows.T if gram is None else gram
        self.roots = (
            [inverse_root(self.gram[np.ix_(block, block)], family.l2) for block in self.blocks]
            if roots is None
            else roots
        )
        # perhaps with room for more
        self.held = np.zeros((0, len(rows))) if values is None else values
        self.n_learners = len(self.held)

    @property
    def n_samples(self):
        return self.family.rows.shape[1]

    @property
    def n_columns(self):
        """Number of columns that the fits combine."""
        return len(self.family.rows)

    @property
    def n_groups(self):
        """Number of blocks."""
        return len(self.blocks)

    @property
    def values(self):
        """The fits so far, as coefficients of the columns, (n_learners, n_columns)."""
        return self.held[: self.n_learners]

    def bank(self):
        """Return an independent bank with the same fits."""
        return BlockBank(self.family, self.weight, self.values.copy(), self.gram, self.roots)

    def room(self, n):
        """Allocate room for `n` more fits, and return the bank itself."""
        most = self.n_learners + n
        if most > len(self.held):
            more = np.zeros((max(most, len(self.held) * 3 // 2) - len(self.held), self.n_columns))
            self.held = np.concatenate([self.held, more])
        return self

    def forget(self, n):
        """Drop all but the first `n` fits."""
        self.n_learners = min(n, self.n_learners)

    def saved(self, n):
        """Return the first n fits and the family as plain arrays."""
        return self.family.saved(self.values[:n])

    def scan(self, v):
        """Return the square root of the gain of each block's fit, (n_blocks,).

        Without a penalty it is the length of the projection of v.
        """
        return self.noise_lengths(v[None])[0]

    def noise_lengths(self, noise):
        """Return `scan` of many vectors (n, n_samples): (n, n_blocks)."""
        corr = noise @ self.family.rows.T
        return np.stack(
            [
                np.linalg.norm(corr[:, block] @ root, axis=1)
                for block, root in zip(self.blocks, self.roots, strict=True)
            ],
            axis=1,
        )

    def find(self, v):
        """Fit the block with the largest gain: return (number, correlation)."""
        return self.find_in(v, range(self.n_groups))

    def find_in(self, v, groups):
        """Fit the block of `groups` with the largest gain: return (number, correlation).

        Ties go to the lowest block.
        """
        corr = self.family.rows @ v
        index = sorted(groups)
        lengths = np.array([np.linalg.norm(self.roots[s] @ corr[self.blocks[s]]) for s in index])
        slack = 1.0 + len(v) * 2.0**-50  # rounding of a length
        best = index[int(np.argmax(lengths * slack >= lengths.max()))]
        return self._kept(self.blocks[best], self.roots[best], corr)

    def fit_together(self, v, groups):
        """Fit the columns of all blocks `groups` together: return (number, correlation)."""
        index = self._columns_of(groups)
        return self._kept(
            index,
            inverse_root(self.gram[np.ix_(index, index)], self.family.l2),
            self.family.rows @ v,
        )

    def _columns_of(self, groups):
        return np.unique(
            np.concatenate([np.zeros(0, dtype=np.int64), *(self.blocks[s] for s in groups)])
        )

    def _kept(self, index, root, corr):
        """Add the fit of the columns `index` to the bank: return (number, correlation)."""
        j = self.n_learners
        self.last = (index, root)
        self.n_learners += 1
        self.length = self._fit(j, corr, 0.0)
        return j, float(self.held[j] @ corr)

    def _fit(self, j, corr, noise):
        """Store the fit of the columns of the last fit, plus noise, as learner j.

        Return its length.
        """
        index, root = self.last
        fit, self.held[j] = root @ (root @ corr[index] + noise), 0.0
        size = math.sqrt(max(fit @ self.gram[np.ix_(index, index)] @ fit, 0.0))
        self.held[j, index] = fit / size if size > 0 else fit
        return size

    def refit(self, j, v, scale, key):
        """Refit the columns of the last fit to `v` plus white noise.

        Return the length of the new fit.
        """
        noise = (
            scale * np.array([normal(key, a) for a in range(len(self.last[0]))])
            if scale > 0
            else 0.0
        )
        self.length = self._fit(j, self.family.rows @ v, noise)
        return self.length

    def fitted(self, corr):
        """Return the length of the last fit before normalisation."""
        return self.length

    def root(self, groups):
        """Return the root of (G + l2)^+ for the columns of some blocks.

        It is zero elsewhere: (n_columns, n_columns).
        """
        matrix = np.zeros((self.n_columns, self.n_columns))
        at = np.ix_(*2 * [self._columns_of(groups)])
        matrix[at] = inverse_root(self.gram[at], self.family.l2)
        return matrix

    def bound(self, v):
        """Return a bound on the correlation of every fit.

        It is the norm of v in the metric dual to the weights.
        """
        return float(
            np.linalg.norm(
                np.divide(v, np.sqrt(self.weight), out=np.zeros_like(v), where=self.weight > 0)
            )
        )

    def column(self, j):
        return self.held[j] @ self.family.rows

    def correlations(self, v, index):
        return self.values[index] @ (self.family.rows @ v)

    def combine(self, beta):
        """Return B beta, (n_samples,)."""
        return self.spread(beta) @ self.family.rows

    def spread(self, beta):
        """Return the model as coefficients of the columns, (n_columns,)."""
        return np.asarray(beta) @ self.held[: len(beta)]

    def name(self, j):
        return f"fit {j}"

    def standing(self, X):
        """Return the fits so far on other rows X (n_rows, n_columns), as a piece."""
        return StandingFits(self.family.at(X).rows, self.values)

    at = standing


class _StandingFits(NamedTuple):
    rows: np.ndarray
    values: np.ndarray


class StandingFits(_StandingFits, Learners):
    """The fits of a bank on other rows."""

    @property
    def n_samples(self):
        return self.rows.shape[1]

    def add(self, j, a, v):
        column = np.dot(self.values[j], self.rows)
        for i in range(len(v)):
            v[i] += a * column[i]

    def combine(self, beta):
        return (beta @ self.values[: len(beta)]) @ self.rows
