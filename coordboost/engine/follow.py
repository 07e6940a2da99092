"""The model of a run on other rows, brought along the path: each step costs its one learner, and no step is made twice."""

import numpy as np

from coordboost._numba import compiled, interpreted, is_piece, verb
from coordboost._numba.sums import sum_of_losses
from coordboost.engine.loop import retrace, stretches

accumulate = verb("accumulate")


def follow_losses(model, loss, y, weight, offset, learner, shrink, theta, out):
    """Bring `model` through the recorded steps, and write the sum of the losses after each of them into `out`.

    offset : (n_steps,), the constant prediction beside the model after each step
    """
    for k in range(len(out)):
        accumulate(model, learner[k], shrink[k], theta[k])
        out[k] = sum_of_losses(loss, y, weight, offset[k], model.pred)


class Follower:
    """The model of a method after `k` steps of a path, on the samples of `dictionary`, a piece; from step 0.

    The dictionary may be put in the place of another one with more learners on the same samples.
    """

    def __init__(self, method, dictionary):
        self.k, self.model = 0, method.coefficients.follow(dictionary, method.unit)

    @property
    def pred(self):
        """B beta after k steps, (n_samples,): the array that moves."""
        return self.model.pred

    def knows(self, dictionary):
        """From now on steps name learners of this dictionary."""
        self.model = self.model._replace(dictionary=dictionary)

    def move(self, path, k):
        """Go on to step k >= self.k of the path."""
        retrace(self.model, path, self.k, k)
        self.k = k

    def losses(self, path, k, loss, y, weight, offset):
        """Go on to step k; the weighted sums of the losses after each of the steps, (k - self.k,).

        offset : the constant prediction, a number or one for each of the steps
        """
        part, out = path.cut(self.k, k), np.empty(k - self.k)
        pieces, offsets = (self.model, loss), np.full(len(out), offset, dtype=np.float64)
        run = compiled(follow_losses, pieces) if all(map(is_piece, pieces)) else interpreted(follow_losses)
        for first, last in stretches(0, len(out)):
            at = slice(first, last)
            run(*pieces, y, weight, offsets[at], part.learner[at], part.shrink[at], part.theta[at], out[at])
        self.k = k
        return out
