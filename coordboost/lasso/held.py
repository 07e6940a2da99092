"""Some learners at hand without their Gram matrix: a small dictionary of the kind of the large one."""

import numpy as np
import scipy.sparse

from coordboost.dictionaries import Dense, Sparse
from coordboost.screening.scan import scan


class Held:
    """The learners of a working set, in the order of their arrival, as a small dictionary of their own."""

    def __init__(self, source):
        self.source, self.stored = source, source.problem.dictionary
        self.learner = np.zeros(0, dtype=np.int64)
        self.dictionary = Dense(np.empty((0, source.n_samples)))

    def add(self, learners):
        """Take in new learners. *Cost*: a copy of what is held."""
        self.learner = np.concatenate([self.learner, learners])
        if isinstance(self.stored, Sparse):
            self.dictionary = self._chosen(self.learner)
        else:
            new = np.empty((len(learners), self.source.n_samples))
            self.source.gather(learners, new)
            self.dictionary = Dense(np.concatenate([self.dictionary.rows, new]))

    def _chosen(self, index):
        """The sparse learners `index`."""
        data, row, start, scale, shift, n = self.stored
        part = scipy.sparse.csc_array((data, row, start), shape=(n, len(scale)))[:, index]
        by = np.ones(len(index)) if self.source.scale is None else self.source.scale[index]
        stored = part.data, part.indices.astype(row.dtype), part.indptr.astype(start.dtype)
        return Sparse(*stored, scale[index] * by, shift[index] * by, n)

    def scan(self, v):
        """Correlations of the learners held, (m,)."""
        return scan(self.dictionary, v)
