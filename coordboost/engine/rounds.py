"""Boosting of several classes at once: a run for each, all of which make a step from the same predictions in every round."""

from functools import cached_property

import numpy as np

from coordboost._numba.sums import residual_into
from coordboost._utils.interrupt import heed
from coordboost.engine.loop import Stepper
from coordboost.engine.result import Status
from coordboost.engine.run import Run
from coordboost.engine.run_loop import Course
from coordboost.losses.multinomial import multinomial_losses, offsets_beside


class Round:
    """All classes after `k` rounds: what stop rules are asked about.

    steppers : one for each class;  pred : their predictions, constants included, (n_classes, n_samples)
    """

    def __init__(self, k, steppers):
        self.k, self.steppers, self.problem = k, steppers, steppers[0].problem
        self.pred = np.array([stepper.problem.constant + stepper.view.pred for stepper in steppers])

    @cached_property
    def loss(self):
        """Sum of the multinomial losses."""
        number = np.argmax([stepper.problem.y for stepper in self.steppers], axis=0)
        return float(self.problem.weight @ multinomial_losses(self.pred, number))

    def begin(self):
        """Put each class beside the others as they are: its offset, and the residual there."""
        for stepper, offset in zip(self.steppers, offsets_beside(self.pred), strict=True):
            problem, view = stepper.problem, stepper.view
            problem.offset[:] = offset
            np.add(problem.constant, offset, out=problem.base)
            residual_into(problem.loss, problem.y, problem.weight, problem.base, view.pred, view.sought())


def solve_rounds(problems, method, n_rounds, *, rng=0, stop=(), earlier=None):
    """Make `n_rounds` rounds with logistic losses of the classes 0, 1, ...; a list of runs, one for each class.

    The Hessian of the multinomial loss in all predictions is at most 1/2, twice what that in one class is. So where steps of one class may
    be up to 2 / sigma long, those of a round may be half of that: they lower the joint loss for ``FittedStep(rate)``, rate < 1 / sigma.

    problems : over learners that are searched for;  earlier : the outcomes of runs to go on with, or None
    The problem of a run is the last one: the class beside the others as they are in the end, which are its offset.
    """
    outcomes = [None] * len(problems) if earlier is None else earlier
    steppers = []
    for problem, outcome in zip(problems, outcomes, strict=True):
        start = {name: np.zeros(problem.n_samples) for name in ("offset", "base")}
        if outcome is None:  # from the log odds to the log of the share
            start["constant"] = -float(np.logaddexp(0.0, -problem.constant))
        steppers.append(Stepper(problem.replace(**start), method, seed=rng))
        if outcome is not None:
            steppers[-1].restore(outcome.path, len(outcome.path), outcome.anchor)
            steppers[-1].recount(outcome.counts)
    courses = [Course(stepper, n_rounds) for stepper in steppers]
    first, status, words = steppers[0].k, Status.COMPLETED, None
    for k in range(first, first + n_rounds + 1):
        heed()
        now = Round(k, steppers)
        if not np.isfinite(now.pred).all():
            for stepper in steppers:
                stepper.restore(stepper.path, k - 1, stepper.anchor)
            now, status = Round(k - 1, steppers), Status.DIVERGED
        now.begin()
        held = [rule for rule in stop if k % getattr(rule, "every", 1) == 0 and rule(now)]
        if held:
            status, words = Status.STOPPED, f"{type(held[0]).__name__} ended the run at step {k:,}: {held[0]}"
        if status is not Status.COMPLETED or k == first + n_rounds:
            break
        for stepper in steppers:
            for _ in stepper.blocks(1):
                pass
    return [Run(course.outcome(status, words)) for course in courses]
