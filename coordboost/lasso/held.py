"""Some learners at hand without their Gram matrix: a small dictionary of the kind of the large one."""

import numpy as np

from coordboost._protocol import DICTIONARY
from coordboost.dictionaries import Dense
from coordboost.screening.scan import scan


class Held:
    """The learners of a working set, in the order of their arrival, as a small dictionary of their own."""

    def __init__(self, source):
        self.source, self.part = source, DICTIONARY.of(source.problem.dictionary, "part")
        self.learner = np.zeros(0, dtype=np.int64)
        self.dictionary = Dense(np.empty((0, source.n_samples)))

    def add(self, learners):
        """Take in new learners. *Cost*: a copy of what is held."""
        self.learner = np.concatenate([self.learner, learners])
        if self.part is not None:
            by = np.ones(len(self.learner)) if self.source.scale is None else self.source.scale[self.learner]
            self.dictionary = self.part(self.learner, by)
        else:
            new = np.empty((len(learners), self.source.n_samples))
            self.source.gather(learners, new)
            self.dictionary = Dense(np.concatenate([self.dictionary.rows, new]))

    def scan(self, v):
        """Correlations of the learners held, (m,)."""
        return scan(self.dictionary, v)
