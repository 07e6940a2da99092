"""Some learners at hand as a dictionary of their own, of the kind of the large one."""

import numpy as np

from coordboost._protocol import DICTIONARY
from coordboost.dictionaries import Dense
from coordboost.lasso.entries import few_stored, weighted
from coordboost.screening.scan import scan


class Part:
    """The learners of a working set, in the order of their arrival, as a small dictionary.

    Their columns are gathered, unless few of their entries are stored: then it is of the same kind.
    """

    def __init__(self, source):
        self.held, self.scale = source.hold(), source.factors[1]
        whole = source.problem.dictionary
        self.part = DICTIONARY.of(whole, "part") if few_stored(whole) else None
        self.learner, self.dictionary = self.held.learner, Dense(self.held.rows)

    def add(self, learners):
        """Take in new learners. *Cost*: their columns, or a copy of all entries at hand."""
        self.learner = np.concatenate([self.learner, learners])
        if self.part is not None:
            by = self.scale[self.learner] if len(self.scale) else np.ones(len(self.learner))
            self.dictionary = self.part(self.learner, by)
        else:
            self.held.add(learners)
            self.dictionary = Dense(self.held.rows[: len(self.held)])

    @property
    def n_entries(self):
        """Stored entries; infinite where the columns are not stored sparsely."""
        return np.inf if self.part is None else len(self.dictionary.data)

    def entries(self, curved, means=0.0):
        """``Entries`` of the learners at hand less `means` (m,), the rows times the roots of `curved`; for sparse columns."""
        return weighted(self.dictionary, means, np.sqrt(curved))

    def scan(self, v):
        """Correlations of the learners at hand, (m,)."""
        return scan(self.dictionary, v)
