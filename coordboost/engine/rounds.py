"""Boosting of several classes at once: a run for each, all of which make a step from the same predictions in every round."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from coordboost._numba import verb
from coordboost._numba.threads import on_one_thread
from coordboost._utils.interrupt import heed
from coordboost.engine.loop import Stepper
from coordboost.engine.result import Status
from coordboost.engine.run import Run
from coordboost.engine.run_loop import Course
from coordboost.engine.states.naive import NaiveState
from coordboost.engine.states.weak_learner_oracle import WeakLearnerState
from coordboost.losses.multinomial import multinomial_losses, multinomial_residuals, offsets_beside

add = verb("add")


class ClassState(NaiveState):
    """The state of one class: a step moves its prediction alone, and the residual waits for the other classes."""

    def renew(self, beta):
        """Recompute the prediction from the coefficients."""
        self.pred[:] = self.dictionary.combine(beta)

    def weigh(self, out):
        """The second derivatives w p (1 - p) of the weighted losses, from the residual, w p or w (1 - p) in size."""
        for i in range(len(out)):
            size = abs(self.resid[i])
            out[i] = size * (1 - size / self.weight[i]) if self.weight[i] > 0 else 0.0

    def push(self, j, shrink, theta):
        """pred += theta B_j."""
        add(self.dictionary, j, theta, self.pred)


class RoundState(WeakLearnerState):
    """The same over learners that are searched for."""

    @classmethod
    def start(cls, problem, coefficients, noise=None):
        """The state at beta = 0."""
        return cls(ClassState.start(problem))


class Round:
    """All classes after `k` rounds: what stop rules are asked about.

    steppers : one for each class;  number : the classes of the rows;  pred : predictions, constants included, (n_classes, n_samples)
    """

    def __init__(self, k, steppers, number):
        self.k, self.steppers, self.problem = k, steppers, steppers[0].problem
        self.pred, self.number = np.array([stepper.problem.constant + stepper.view.pred for stepper in steppers]), number

    @cached_property
    def loss(self):
        """Sum of the multinomial losses."""
        return float(self.problem.weight @ multinomial_losses(self.pred, self.number))

    def begin(self):
        """The residuals of all classes there."""
        for stepper, resid in zip(self.steppers, multinomial_residuals(self.pred, self.number, self.problem.weight), strict=True):
            stepper.view.sought()[:] = resid

    def end(self):
        """Put each class beside the others as they are: its offset."""
        for stepper, offset in zip(self.steppers, offsets_beside(self.pred), strict=True):
            stepper.problem.offset[:] = offset
            np.add(stepper.problem.constant, offset, out=stepper.problem.base)


@on_one_thread
def solve_rounds(problems, method, n_rounds, *, rng=0, stop=(), earlier=None):
    """Make `n_rounds` rounds with logistic losses of the classes 0, 1, ...; a list of runs, one for each class.

    The Hessian of the multinomial loss in all predictions is at most 1/2, twice what that in one class is. So where steps of one class may
    be up to 2 / sigma long, those of a round may be half of that: they lower the joint loss for ``FittedStep(rate)``, rate < 1 / sigma.

    *Cost* of a round: a search for each class, as of a run for each against the rest, and one softmax.

    problems : over learners that are searched for;  earlier : the outcomes of runs to go on with, or None
    The problem of a run is the last one: the class beside the others as they are in the end, which are its offset.
    """
    outcomes = [None] * len(problems) if earlier is None else earlier
    steppers = []
    for problem, outcome in zip(problems, outcomes, strict=True):
        start = {name: np.zeros(problem.n_samples) for name in ("offset", "base")}
        if outcome is None:  # from the log odds to the log of the share
            start["constant"] = -float(np.logaddexp(0.0, -problem.constant))
        steppers.append(Stepper(problem.replace(**start), method, view=RoundState, seed=rng))
        if outcome is not None:
            steppers[-1].restore(outcome.path, len(outcome.path), outcome.anchor)
            steppers[-1].recount(outcome.counts)
    courses = [Course(stepper, n_rounds) for stepper in steppers]
    number = np.argmax([problem.y for problem in problems], axis=0)
    first, status, words = steppers[0].k, Status.COMPLETED, None
    for k in range(first, first + n_rounds + 1):
        heed()
        now = Round(k, steppers, number)
        if not np.isfinite(now.pred).all():
            for stepper in steppers:
                stepper.restore(stepper.path, k - 1, stepper.anchor)
            now, status = Round(k - 1, steppers, number), Status.DIVERGED
        now.begin()
        held = [rule for rule in stop if status is Status.COMPLETED and k % getattr(rule, "every", 1) == 0 and rule(now)]
        if held:
            status, words = Status.STOPPED, f"{type(held[0]).__name__} ended the run at step {k:,}: {held[0]}"
        if status is not Status.COMPLETED or k == first + n_rounds:
            break
        for stepper in steppers:
            for _ in stepper.blocks(1):
                pass
    now.end()
    return [Run(replace(course.outcome(status, words), view=WeakLearnerState)) for course in courses]
