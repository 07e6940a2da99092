"""Some learners at hand: their columns and their Gram matrix, kept and grown from scan to scan."""

import numpy as np

from coordboost.engine.scan import BLOCK


def grown(array, shape):
    """A copy of `array` with the larger `shape`, the new entries not set."""
    out = np.empty(shape, array.dtype)
    out[tuple(slice(length) for length in array.shape)] = array
    return out


class Columns:
    """The columns ``scale_j W^{1/2} B_j`` of a problem, ``scale <= 1``: a Lasso on them penalises learner j by lam / scale_j.

    y, resid : (n_samples,), times the root of the weights;  gamma : (n_learners,), coefficients of the columns
    """

    def __init__(self, problem, scale=None):
        self.problem, self.scale = problem, None if scale is None or (scale == 1).all() else scale
        self.n_samples, self.n_learners = problem.n_samples, problem.n_learners
        self.root = None if (problem.weight == 1).all() else np.sqrt(problem.weight)
        self.rows = getattr(problem.dictionary, "rows", None)
        self.y = self._weighted(problem.y)

    def _weighted(self, v):
        return v if self.root is None else self.root * v

    def scan(self, resid):
        """All correlations, (n_learners,). *Cost*: one scan; a small one is not worth a hand-over to other threads."""
        v = self._weighted(resid)
        if self.rows is None or self.rows.size > 1 << 22:
            corr = self.problem.scan(v)
        else:
            corr = np.concatenate([np.dot(self.rows[k : k + BLOCK], v) for k in range(0, self.n_learners, BLOCK)])
        return corr if self.scale is None else self.scale * corr

    def scan_many(self, resids):
        """The scans of the rows of `resids` (k, n_samples), one product of matrices where the learners are stored; (k, n_learners)."""
        if self.rows is None:
            return np.array([self.scan(resid) for resid in resids])
        corr = self._weighted(resids) @ self.rows.T
        return corr if self.scale is None else self.scale * corr

    def combine(self, gamma):
        """The predictions of the coefficients `gamma`, (n_samples,)."""
        return self._weighted(self.problem.combine(gamma if self.scale is None else self.scale * gamma))

    def reach(self, rho, learners):
        """How much correlations with the columns of a mask can change where the residual moves by `rho`."""
        return rho if self.scale is None else rho * self.scale[learners]

    def gather(self, index, out):
        """Fill `out` (len(index), n_samples) with the columns `index`, one in a row."""
        if self.rows is None:
            out[:] = self.problem.dictionary.gather(index).T
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
        self.source.gather(learners, self.columns[m:room])
        cross = self.columns[m:room] @ self.columns[:m].T
        self.gram[m:room, :m], self.gram[:m, m:room] = cross, cross.T
        self.gram[m:room, m:room] = self.columns[m:room] @ self.columns[m:room].T
        self.learner = np.concatenate([self.learner, learners])
        self.place[learners] = np.arange(m, room)

    def keep(self, here):
        """Let go of all learners but those at the places `here`, increasing."""
        self.place[:] = -1
        self.learner = self.learner[here]
        self.place[self.learner] = np.arange(len(here))
        self.columns, self.gram = self.columns[here], self.gram[np.ix_(here, here)]
