"""A run with trees as a model: its predictions after any iteration, and its losses along the way."""

import numpy as np

from coordboost._numba.threads import on_one_thread
from coordboost.engine.follow import Follower


class Model:
    """The model of `run` after its first `n_iter` iterations, each of `steps` steps.

    Coefficients are those at that step, never a part of later ones: momentum changes all of them in every iteration.
    """

    def __init__(self, run, n_iter, steps):
        self.run, self.n_iter, self.steps = run, n_iter, steps
        self.beta = next(run.replay([n_iter * steps])).beta

    def _follower(self, binned):
        return Follower(self.run.method, self.run.problem.dictionary.standing(binned))

    @on_one_thread
    def raw(self, binned):
        """offset + B beta, (n_samples,)."""
        problem = self.run.problem
        return problem.offset + problem.dictionary.at(binned).combine(self.beta)

    def staged(self, binned):
        """The same after 1, 2, ... iterations. *Cost*: each tree once."""
        follower = self._follower(binned)
        for k in range(self.steps, self.n_iter * self.steps + 1, self.steps):
            follower.move(self.run.path, k)
            yield self.run.problem.offset + follower.pred

    def losses(self):
        """Mean losses on the rows of the fit after 0, 1, ... iterations of the whole run."""
        run, problem = self.run, self.run.problem
        n = run.n_steps - run.n_steps % self.steps
        follower = self._follower(problem.dictionary.binned)
        after = follower.losses(run.path, n, problem.loss, problem.y, problem.weight, problem.base)[
            self.steps - 1 :: self.steps
        ]
        return np.concatenate([[problem.start_loss], after]) / problem.weight.sum()

    def gains(self):
        """What the splits by each feature gained, in the trees with a coefficient, (n_features,)."""
        bank = self.run.problem.dictionary
        used = np.flatnonzero(self.beta)
        feature, gain = bank.trees.feature[used], bank.trees.gain[used]
        return np.bincount(feature[feature >= 0], gain[feature >= 0], bank.n_groups)


def added_up(losses):
    """The losses of several runs added up, (longest,); one that is shorter stays where it ended."""
    longest = max(map(len, losses))
    return np.sum([np.pad(one, (0, longest - len(one)), mode="edge") for one in losses], axis=0)
