"""The view of a search, stepped in plain Python: searches are tasks of several threads, all else is compiled."""

from coordboost._generic import compiled
from coordboost.engine.views.called import run_perturb, run_push, run_search, run_tempered
from coordboost.engine.views.explicit import stopped
from coordboost.engine.views.searched import measure, sifted, tempo, tie


def run_measure(view):
    """What a learner has to know before it is sought, to be compiled."""
    measure(view.inner.dictionary, view.inner)


def run_sifted(view, n_leaves, step, beta, drawn, select, k):
    """The winner of those that were grown, to be compiled."""
    return sifted(view.inner.dictionary, view, view.looked, n_leaves, step, beta, drawn, select, k)


class Tasked:
    """The same as `view`, a ``Searched``, whose learners are found by `finder`. *Cost* of a step beside the search: a few calls."""

    def __init__(self, view, finder):
        self.view, self.finder = view, finder

    def _prepared(self):
        """What learners are sought for."""
        compiled(run_measure, (self.view,))(self.view)
        return self.view.looked

    def best(self, step, beta):
        """The winner among all learners."""
        return self.finder.find(self._prepared())

    def best_in(self, step, beta, drawn, member, start):
        """The winner in the groups drawn."""
        return self.finder.find_in(self._prepared(), drawn)

    def perturb(self, k):
        compiled(run_perturb, (self.view,))(self.view, k)

    def tempered(self, k, j, corr):
        return compiled(run_tempered, (self.view,))(self.view, k, j, corr)

    def least_risk(self, step, beta, drawn, select, k):
        """The winner among the families drawn."""
        n_leaves = self.finder.grow_drawn(self._prepared(), drawn)
        return compiled(run_sifted, (self.view, step, beta.beta, select))(
            self.view, n_leaves, step, beta.beta, drawn, select, k
        )

    def reach(self, j):
        """The bound of the family of learner j, and the length of the learner."""
        return self.view.reach(j)

    def tempo(self):
        return tempo(self.view)

    def stopped(self):
        return stopped(self.view)

    def fitted(self, corr):
        """The length of the learner that was found."""
        return self.view.fitted(corr)

    def tie(self):
        return tie(self.view)

    def search(self, j, a, b):
        return compiled(run_search, (self.view,))(self.view, j, a, b)

    def push(self, j, shrink, theta):
        compiled(run_push, (self.view,))(self.view, j, shrink, theta)
