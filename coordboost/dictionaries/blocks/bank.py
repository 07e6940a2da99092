"""The bank of a run whose learners are fits of blocks of columns: they are kept as coefficients of the columns."""

import numpy as np

from coordboost._protocol import DICTIONARY
from coordboost.dictionaries.blocks.fits import Blocks, StandingFits, fill_root, of_one_run


class BlockBank:
    """Fits of blocks by number, in the order in which a run made them: a dictionary without end.

    Parameters
    ----------
    family : object with ``rows``, ``l2``, ``member``, ``start``, and ``at(X)``, ``saved(values)``
        What is fitted.
    weight : (n_samples,)
        The metric of the fits.
    values : (n_fits, n_columns), optional
        Those to begin with.
    blocks : Blocks, optional
        What another bank of the same family in the same metric works on: its Gram matrix and roots are used, its fits are not.
    """

    countable = False

    def __init__(self, family, weight, values=None, blocks=None):
        self.family, self.weight = family, weight
        values = np.zeros((0, len(family.rows))) if values is None else values
        whole = (family.rows, weight, family.l2, family.member, family.start, values)
        self.made = Blocks.of(*whole) if blocks is None else blocks._replace(**of_one_run(values))
        DICTIONARY.complete(self)

    @property
    def n_samples(self):
        return self.family.rows.shape[1]

    @property
    def n_learners(self):
        """Fits so far."""
        return int(self.made.state.n)

    @property
    def n_columns(self):
        """The columns that learners are combinations of."""
        return len(self.family.rows)

    @property
    def n_groups(self):
        """Blocks."""
        return len(self.family.start) - 1

    @property
    def values(self):
        """The fits so far as coefficients of the columns, (n_learners, n_columns)."""
        return self.made.values[: self.n_learners]

    def bank(self):
        """A bank of its own with the same fits."""
        return BlockBank(self.family, self.weight, self.values.copy(), self.made)

    def room(self, n):
        """The fits with room for `n` more: what a loop works on."""
        most = self.n_learners + n
        if most > len(self.made.values):
            self.made = self.made.with_room(max(most, len(self.made.values) * 3 // 2))
        return self.made

    def forget(self, n):
        """Know the first `n` fits only."""
        self.made.state.n = min(n, self.n_learners)

    def saved(self, n):
        """The first n fits, and the family, as plain arrays."""
        return self.family.saved(self.values[:n])

    def scan(self, v):
        """The roots of what the fits of all blocks gain, (n_blocks,)."""
        return self.made.scan(v)

    def noise_lengths(self, noise):
        """The same for many vectors (n, n_samples): (n, n_blocks)."""
        corr, family, out = noise @ self.family.rows.T, self.family, np.empty((len(noise), self.n_groups))
        for s, root in enumerate(self.made.roots):
            index = family.member[family.start[s] : family.start[s + 1]]
            out[:, s] = np.linalg.norm(corr[:, index] @ root[: len(index), : len(index)], axis=1)
        return out

    def root(self, groups):
        """The root of (G + l2)^+ for the columns of some blocks, zeros elsewhere: (n_columns, n_columns)."""
        family, out = self.family, np.zeros((self.n_columns, self.n_columns))
        parts = [family.member[family.start[s] : family.start[s + 1]] for s in groups]
        index = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *parts]))
        part = np.zeros((len(index), len(index)))
        fill_root(self.made.gram, family.l2, index, len(index), part)
        out[np.ix_(index, index)] = part
        return out

    def bound(self, v):
        """A bound of the correlation of every fit: the norm of v."""
        return float(np.linalg.norm(np.divide(v, np.sqrt(self.weight), out=np.zeros_like(v), where=self.weight > 0)))

    def column(self, j):
        return self.values[j] @ self.family.rows

    def correlations(self, v, index):
        return self.values[index] @ (self.family.rows @ v)

    def combine(self, beta):
        return self.made.combine(np.asarray(beta))

    def spread(self, beta):
        """The model as coefficients of the columns, (n_columns,)."""
        return np.asarray(beta) @ self.made.values[: len(beta)]

    def name(self, j):
        return f"fit {j}"

    def standing(self, X):
        """The fits so far on other rows, X (n_rows, n_columns): a piece, and a dictionary."""
        return StandingFits(self.family.at(X).rows, self.values)

    at = standing
