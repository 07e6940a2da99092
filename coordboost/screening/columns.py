"""Some learners at hand: their columns and their Gram matrix, kept and grown from scan to scan."""

import numpy as np

from coordboost._generic import kernel, reduction
from coordboost._protocol import DICTIONARY
from coordboost.screening.scan import LITTLE

#: Learners at a time, where many residuals are scanned: the products stay in the cache.
FEW = 512


def grown(array, shape):
    """A copy of `array` with the larger `shape`, the new entries not set."""
    out = np.empty(shape, array.dtype)
    out[tuple(slice(length) for length in array.shape)] = array
    return out


@reduction
def inner_product(a, b):
    """The inner product of two vectors of one length."""
    total = 0.0
    for q in range(len(a)):
        total += a[q] * b[q]
    return total


@kernel
def extend_gram(columns, gram, m, room, scratch):
    """Gram entries of the learners m to room with those before, and with each other."""
    new = scratch[: (room - m) * room].reshape(room - m, room)
    np.dot(columns[m:room], columns[:room].T, new)
    gram[m:room, :room] = new
    for i in range(m):
        gram[i, m:room] = new[:, i]


class ScaledColumns:
    """The columns ``scale_j W^{1/2} B_j`` of a problem, ``scale <= 1``: a Lasso on them penalises learner j by lam / scale_j.

    y, resid : (n_samples,), times the root of the weights;  gamma : (n_learners,), coefficients of the columns
    ridge : (n_learners,); the elastic net adds lam / 2 times the sum of ridge gamma^2: the Lasso with a row (lam ridge_j)^(1/2) more
    for each learner, whose correlation is then <b_j, resid> - lam ridge_j gamma_j
    weighted : False where the weights are in the terms of the loss, and the columns are ``scale_j B_j``
    """

    def __init__(self, problem, scale=None, ridge=None, weighted=True):
        self.problem, self.scale = problem, None if scale is None or (scale == 1).all() else scale
        self.ridge = np.zeros(problem.n_learners) if ridge is None else ridge
        self.n_samples, self.n_learners = problem.n_samples, problem.n_learners
        self.root = np.sqrt(problem.weight) if weighted and (problem.weight != 1).any() else None
        self.rows = DICTIONARY.of(problem.dictionary, "rows")
        self.y = self._weighted(problem.y)

    def _weighted(self, v):
        return v if self.root is None else self.root * v

    @property
    def plain(self):
        """Whether the columns are stored as they are."""
        return self.rows is not None and self.root is None and self.scale is None

    @property
    def in_memory(self):
        """The stored learners and what multiplies them, for compiled blocks; None where there are none or many."""
        if self.rows is None or self.rows.size > LITTLE:
            return None
        nothing = np.zeros(0)
        return self.rows, nothing if self.root is None else self.root, nothing if self.scale is None else self.scale

    def scan(self, resid):
        """All correlations, (n_learners,). *Cost*: one scan."""
        corr = self.problem.scan(self._weighted(resid))
        return corr if self.scale is None else self.scale * corr

    def levels(self, resids):
        """The largest abs correlation with each row of `resids` (k, n_samples), (k,). *Cost*: k scans, as products of matrices."""
        if self.rows is None:
            return np.array([np.abs(self.scan(resid)).max() for resid in resids])
        out, v, buffer = np.zeros(len(resids)), self._weighted(resids), np.empty(len(resids) * FEW)
        for k in range(0, self.n_learners, FEW):
            part = self.rows[k : k + FEW]
            corr = np.matmul(v, part.T, out=buffer[: len(v) * len(part)].reshape(len(v), len(part)))
            if self.scale is not None:
                corr *= self.scale[k : k + FEW]
            np.maximum(out, np.maximum(corr.max(axis=1), -corr.min(axis=1)), out=out)
        return out

    def combine(self, gamma):
        """The predictions of the coefficients `gamma`, (n_samples,)."""
        return self._weighted(self.problem.combine(gamma if self.scale is None else self.scale * gamma))

    def norm_bound(self, learners):
        """At least the norm of each column of a mask."""
        return 1.0 if self.scale is None else self.scale[learners]

    def gather(self, index, out):
        """Fill `out` (len(index), n_samples) with the columns `index`, one in a row."""
        if self.rows is None:
            out[:] = self.problem.gather(index).T
        else:
            np.take(self.rows, index, axis=0, out=out)
        if self.root is not None:
            out *= self.root
        if self.scale is not None:
            out *= self.scale[index, None]


class Block:
    """Learners in the order of their arrival.

    learner : (m,);  place : (n_learners,), -1 for those not here;  columns : (>= m, n_samples);  gram : (>= m, >= m)
    """

    def __init__(self, source):
        self.source = source
        self.place = np.full(source.n_learners, -1)
        self.learner = np.zeros(0, dtype=np.int64)
        self.columns, self.gram = np.empty((0, source.n_samples)), np.empty((0, 0))

    def __len__(self):
        return len(self.learner)

    def add(self, learners):
        """Columns and Gram entries of new learners. *Cost*: one product of matrices."""
        m, room = len(self), len(self) + len(learners)
        if room > len(self.columns):
            size = min(room + room // 2, len(self.place))
            self.columns, self.gram = grown(self.columns, (size, self.columns.shape[1])), grown(self.gram, (size, size))
        if len(learners) == len(self.place) and self.source.plain:
            self.columns = self.source.rows
        else:
            self.source.gather(learners, self.columns[m:room])
        extend_gram(self.columns, self.gram, m, room, np.empty((room - m) * room))
        self.learner = np.concatenate([self.learner, learners])
        self.place[learners] = np.arange(m, room)
