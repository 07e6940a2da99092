"""A run with trees as a model: its predictions after any iteration, its losses along the way, and early stopping.

A stop rule follows the model on rows held back, and remembers the loss after every iteration.
"""

import math

import numpy as np

from coordboost._numba.sums import total_of
from coordboost._numba.threads import on_one_thread
from coordboost.engine.follow import Follower
from coordboost.paths.scoring import least_mean


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


class HeldBack:
    """Stop once `patience` iterations in a row have not lowered the mean loss on the rows held back by more than `tol`.

    `tol` is a part of what the constant model loses there, above the least that the loss declares: so the unit of y does not count.
    Every new learner is added to the predictions on these rows once. So an answer depends on the path alone, and the losses of all
    iterations are there in the end. As a pause costs more than a small tree, the rule is asked every half of `patience`; iterations
    after the one where it begins to hold were made, and may be the best, too.

    binned, y, weight : the rows held back, in the bins of the fit;  problem, method : what is run
    per_iteration : steps of an iteration;  losses : mean losses after 0, 1, ... iterations
    """

    def __init__(self, binned, y, weight, problem, method, patience, tol, per_iteration):
        loss, offset = problem.loss, problem.offset
        self.method, self.follower, self.losses, self.end = method, None, [], None
        self.y = loss.labels(y) if loss.labels else y
        self.weight = np.ones(len(y)) if weight is None else weight
        self.binned, self.loss, self.offset = binned, loss, offset
        self.patience, self.tol, self.per_iteration = patience, tol, per_iteration
        self.total, self.least = float(self.weight.sum()), least_mean(loss, self.y, self.weight)
        self.every = per_iteration * max(1, patience // 2)

    def __call__(self, state):
        """Whether the rule holds at or before this step."""
        self._follow(state.problem, state.path, state.k)
        return self.end is not None and self.end * self.per_iteration <= state.k

    def finish(self, run):
        """Know the losses of all iterations of the run, and of no more."""
        self._follow(run.problem, run.path, run.n_steps)
        self.losses = self.losses[: run.n_steps // self.per_iteration + 1]

    def _follow(self, problem, path, k):
        standing = problem.dictionary.standing(self.binned)
        if self.follower is None or not self._same(path):  # the first question, or a run that went back
            self.follower, self.seen, self.losses, self.end = Follower(self.method, standing), path.cut(0, 0), [], None
            self._keep([total_of(self.loss, self.y, self.weight, self.offset, self.follower.pred) / self.total])
        k -= k % self.per_iteration
        if k > self.follower.k:
            self.follower.knows(standing)
            losses = self.follower.losses(path, k, self.loss, self.y, self.weight, self.offset)
            self._keep(losses[self.per_iteration - 1 :: self.per_iteration] / self.total)
            self.seen = path.cut(0, k)

    def _same(self, path):
        """Whether the path has the steps that were followed, as far as it goes."""
        ours, theirs = self.seen.cut(0, len(path)), path.cut(0, len(self.seen))
        return np.array_equal(ours.shrink, theirs.shrink) and np.array_equal(ours.theta, theirs.theta)

    def _keep(self, losses):
        for loss in losses:
            self.losses.append(float(loss) if loss == loss else math.inf)
            last = len(self.losses) - 1
            if self.end is None and last >= self.patience:
                before, recent = self.losses[last - self.patience], self.losses[last - self.patience + 1 :]
                if not min(recent) < before - self.tol * abs(self.losses[0] - self.least):
                    self.end = last

    @property
    def best(self):
        """The iteration with the smallest loss, the first of equals."""
        return int(np.argmin(self.losses))

    def __str__(self):
        return f"no better on the rows held back for {self.patience} iterations"


def agreed(rules):
    """The best iteration of each of the `rules`, and minus the mean losses after 0, 1, ... iterations, of all of them together.

    The sum is that of models which stay where they are best, where there are several; it is best at the last of their best iterations.
    """
    if len(rules) == 1:
        return [rules[0].best], -np.array(rules[0].losses)
    score = -added_up([rule.losses[: rule.best + 1] for rule in rules])
    return [min(rule.best, int(np.argmax(score))) for rule in rules], score
