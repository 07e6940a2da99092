"""A store of gathered columns.

All code that works on a few learners keeps their columns in a ``HeldColumns``. A column is gathered
once and found by the number of its learner; a Gram matrix is kept if inner products are needed. The
columns are those of B, scaled or not, or those of B'B.
"""

import numpy as np


def grown(array, shape):
    """Return a copy of `array` with the larger `shape`; new entries are uninitialised."""
    out = np.empty(shape, array.dtype)
    out[tuple(slice(length) for length in array.shape)] = array
    return out


class HeldColumns:
    """Columns of some learners, in the order in which they were added.

    place : (n_learners,), the row of each learner, -1 if it is not held
    ids : (>= m,), the learners, m = ``len(self)``
    rows : (>= m, length), their columns, one in a row
    gram : (>= m, >= m), inner products of the columns, or None

    Parameters
    ----------
    fill : callable
        ``fill(learners, out)`` puts the columns of the learners into the rows of `out`,
        (len(learners), length).
    with_gram : bool
    stored : (n_learners, length), optional
        All columns, if they are stored in this layout: they are not copied if all learners are
        added at once.
    scale : (n_learners,), optional
        Factors of the stored columns. Then use `correlations` and `combine`, as `rows` may hold the
        columns unscaled.
    entries : callable, optional
        ``entries(a, b)`` computes Gram entries without columns; columns are then not kept, and
        `length` is 0.
    """

    def __init__(
        self, fill, n_learners, length, with_gram=False, stored=None, scale=None, entries=None
    ):
        self.fill = fill
        self.stored = stored
        self.scale = scale
        self.entries = entries
        self.m = 0
        self.place = np.full(n_learners, -1)
        self.ids = np.empty(0, dtype=np.int64)
        self.rows = np.empty((0, length))
        self.gram = np.empty((0, 0)) if with_gram else None

    def __len__(self):
        return self.m

    @property
    def learner(self):
        """The learners held, (m,)."""
        return self.ids[: self.m]

    def reserve(self, size):
        """Make room for at least `size` learners."""
        size = min(size, len(self.place))
        if size > len(self.ids):
            self.ids, self.rows = (
                grown(self.ids, (size,)),
                grown(self.rows, (size, self.rows.shape[1])),
            )
            self.gram = None if self.gram is None else grown(self.gram, (size, size))

    def add(self, learners):
        """Add new learners.

        *Cost*: gathering their columns; with a Gram matrix also their product with all columns
        held.
        """
        m = self.m
        room = self.m + len(learners)
        if room > len(self.ids):
            self.reserve(room + room // 2)
        if self.stored is not None and np.array_equal(learners, np.arange(len(self.place))):
            self.rows = self.stored
        elif self.entries is None:
            self.fill(learners, self.rows[m:room])
        self.ids[m:room] = learners
        if self.gram is not None:
            new = (
                self.entries(learners, self.ids[:room])
                if self.entries
                else np.dot(self.rows[m:room], self.rows[:room].T)
            )
            self.gram[m:room, :room], self.gram[:m, m:room] = new, new[:, :m].T
        if self.gram is not None and self._unscaled:
            self.gram[:room, :room] *= self.scale[:, None]
            self.gram[:room, :room] *= self.scale
        self.place[learners], self.m = np.arange(m, room), room

    @property
    def _unscaled(self):
        """Whether `rows` are the stored columns, not yet scaled."""
        return self.rows is self.stored and self.scale is not None

    def correlations(self, v):
        """The inner products of the columns with `v` (length,), (m,)."""
        out = self.rows[: self.m] @ v
        return self.scale * out if self._unscaled else out

    def combine(self, coefs):
        """The sum of the columns times `coefs` (m,), (length,).

        If few `coefs` are non-zero, only their columns are read.
        """
        used = np.flatnonzero(coefs)
        coefs = self.scale * coefs if self._unscaled else coefs
        return (
            coefs[used] @ self.rows[used] if 4 * len(used) < self.m else coefs @ self.rows[: self.m]
        )

    def at(self, learners):
        """The rows of the learners; those not held are added first."""
        fresh = learners[self.place[learners] < 0]
        if len(fresh):
            self.add(fresh)
        return self.place[learners]

    def keep(self, m):
        """Release all learners but the first `m`."""
        self.place[self.ids[m : self.m]] = -1
        self.m = min(m, self.m)
        if self.rows is self.stored:
            self.rows = self.scale[:, None] * self.rows if self._unscaled else self.rows.copy()
