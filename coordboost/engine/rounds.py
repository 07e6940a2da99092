"""Boosting of several classes at once: one run per class.

In every round all runs make a step from the same predictions.
"""

from dataclasses import replace
from functools import cached_property

import numpy as np

from coordboost._numba.threads import on_one_thread
from coordboost._utils.interrupt import heed
from coordboost.engine.loop import Stepper
from coordboost.engine.result import Status
from coordboost.engine.run import Run
from coordboost.engine.run_loop import Course
from coordboost.engine.states.class_state import RoundState
from coordboost.engine.states.weak_learner_oracle import WeakLearnerState
from coordboost.losses.multinomial import multinomial_losses, multinomial_residuals, offsets_beside


class Round:
    """The models of all classes after `k` rounds; stop rules are functions of it.

    steppers : one per class, each on its own problem, whose offset ``write_offsets`` fills;
    class_index : the class of each row pred : predictions, constants included, (n_classes,
    n_samples)
    """

    def __init__(self, k, steppers, class_index):
        self.k = k
        self.steppers = steppers
        self.problem = steppers[0].problem
        self.pred = np.array(
            [stepper.problem.constant + stepper.model_state.pred for stepper in steppers]
        )
        self.class_index = class_index

    @cached_property
    def loss(self):
        """Sum of the multinomial losses."""
        return self.loss_at(self.pred)

    def loss_at(self, pred):
        """Sum of the multinomial losses at other predictions."""
        return float(self.problem.weight @ multinomial_losses(pred, self.class_index))

    def write_residuals(self):
        """Write the multinomial residuals into the model state of each class."""
        for stepper, resid in zip(
            self.steppers,
            multinomial_residuals(self.pred, self.class_index, self.problem.weight),
            strict=True,
        ):
            stepper.model_state.target[:] = resid

    def write_offsets(self):
        """Set the offset of each problem so that its logistic gradient equals the multinomial
        gradient.
        """
        for stepper, offset in zip(self.steppers, offsets_beside(self.pred), strict=True):
            stepper.problem.offset[:] = offset
            np.add(stepper.problem.constant, offset, out=stepper.problem.base)


def may_rise(problems, method):
    """Return whether a round could raise the joint loss: with Newton leaves, at a rate above 1 /
    (number of classes).

    The damped step of one class alone does not raise it, and the loss is convex: so the K-th part
    of all K steps does not, either.
    """
    family = problems[0].dictionary.family
    damped = problems[0].loss.self_concordance is not None
    return (
        family.newton
        and family.growth.subsample == 1
        and not (damped and method.step.rate * len(problems) <= 1)
    )


def step_together(steppers, before):
    """Make a step of each class from the round `before`.

    If the joint loss has risen, halve all steps until it has not.
    """
    for stepper in steppers:
        for _ in stepper.blocks(1):
            pass
    if before is None:
        return
    after = Round(before.k + 1, steppers, before.class_index)
    change = after.pred - before.pred
    share = 1.0
    if not np.isfinite(change).all():
        return
    while share > 0 and not before.loss_at(before.pred + share * change) <= before.loss:
        share /= 2
    if share < 1:
        for stepper in steppers:
            path = stepper.path
            theta = path.theta.copy()
            theta[-1] *= share
            stepper.restore(replace(path, theta=theta), stepper.k, stepper.anchor)


@on_one_thread
def solve_rounds(problems, method, n_rounds, *, rng=0, stop=(), earlier=None):
    """Make `n_rounds` rounds with the multinomial loss of the classes 0, 1, ....

    Return a list of runs, one per class.

    The Hessian of the multinomial loss in all predictions is at most 1/2, twice the bound 1/4 for
    one class; so steps must be half as long as in a one-vs-rest run. The joint loss falls for
    ``FittedStep(rate)`` with rate <= 1 / sigma; with Newton leaves ``step_together`` sees to it.

    *Cost* of a round: one search per class, as in one-vs-rest runs, and one softmax.

    problems : logistic, over an implicit dictionary, one per class; earlier : the outcomes of runs
    to resume, or None In each returned run the offset of the problem sums up the final predictions
    of the other classes, see ``write_offsets``.
    """
    outcomes = [None] * len(problems) if earlier is None else earlier
    steppers = []
    for problem, outcome in zip(problems, outcomes, strict=True):
        start = {name: np.zeros(problem.n_samples) for name in ("offset", "base")}
        if outcome is None:  # from the log odds to the log of the class frequency
            start["constant"] = -float(np.logaddexp(0.0, -problem.constant))
        steppers.append(Stepper(problem.replace(**start), method, model_state=RoundState, seed=rng))
        if outcome is not None:
            steppers[-1].restore(outcome.path, len(outcome.path), outcome.anchor)
            steppers[-1].recount(outcome.counts)
    courses = [Course(stepper, n_rounds) for stepper in steppers]
    class_index = np.argmax([problem.y for problem in problems], axis=0)
    first = steppers[0].k
    status = Status.COMPLETED
    words = None
    careful = may_rise(problems, method)
    for k in range(first, first + n_rounds + 1):
        heed()
        now = Round(k, steppers, class_index)
        if not np.isfinite(now.pred).all():
            for stepper in steppers:
                stepper.restore(stepper.path, k - 1, stepper.anchor)
            now = Round(k - 1, steppers, class_index)
            status = Status.DIVERGED
        now.write_residuals()
        held = [
            rule
            for rule in stop
            if status is Status.COMPLETED and k % getattr(rule, "every", 1) == 0 and rule(now)
        ]
        if held:
            status = Status.STOPPED
            words = f"{type(held[0]).__name__} ended the run at step {k:,}: {held[0]}"
        if status is not Status.COMPLETED or k == first + n_rounds:
            break
        step_together(steppers, now if careful else None)
    now.write_offsets()
    constants = np.array(
        [np.full(len(class_index), stepper.problem.constant) for stepper in steppers]
    )
    losses = now.loss_at(constants), now.loss
    return [
        Run(replace(course.outcome(status, words, losses), model_state=WeakLearnerState))
        for course in courses
    ]
