"""The view for learners that cannot be counted: as `Explicit`, but the winner comes from a search."""

from coordboost._protocol import VIEW
from coordboost.engine.views.explicit import Explicit


@VIEW.own
class Searched:
    """The explicit view over a bank, to which every step may add the learner that was found. Plain Python. *Cost* of a step: one search."""

    searches = 1

    def __init__(self, inner):
        self.inner = inner
        self.renew, self.tie, self.search, self.push = inner.renew, inner.tie, inner.search, inner.push

    @classmethod
    def start(cls, problem):
        """The view at beta = 0."""
        return cls(Explicit.start(problem))

    def best(self, step, beta):
        """The learner with the largest correlation that the search finds, and this."""
        found, corr, _ = self.inner.dictionary.best(self.inner.resid, 1, -1.0)
        if not len(found):
            raise ValueError(f"{type(self.inner.dictionary.family).__name__}.find gave no learner at all above the level -1.")
        return int(found[0]), float(corr[0])
