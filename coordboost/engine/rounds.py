"""Boosting of several classes at once: one run per class.

In every round all runs make a step from the same predictions.
"""

from dataclasses import replace
from functools import cached_property

import numpy as np

from coordboost._numba.threads import on_one_thread
from coordboost._utils.interrupt import heed
from coordboost.engine.loop import Solver
from coordboost.engine.result import Status
from coordboost.engine.run import at_zero
from coordboost.engine.states.class_state import RoundState
from coordboost.engine.states.on_parts import PartsState, RoundStateOnParts, joint_rows
from coordboost.engine.states.weak_learner_oracle import WeakLearnerState
from coordboost.engine.stopping import stop_tests


class Round:
    """The models of all classes after `k` rounds; stop rules are functions of it.

    solvers : one per class, each on its own problem, whose offset ``write_offsets`` fills
    rows : the ``JointRows`` of their predictions, or a ``JointRowsOnParts``
    """

    def __init__(self, k, solvers, rows):
        self.k = k
        self.solvers = solvers
        self.rows = rows
        self.is_finite = rows.look() == 0

    @cached_property
    def loss(self):
        """Sum of the multinomial losses."""
        return self.rows.loss()

    def write_offsets(self):
        """Set the offset of each problem so that its logistic gradient equals the multinomial
        gradient.
        """
        for solver, offset in zip(self.solvers, self.rows.offsets(), strict=True):
            solver.problem.offset[:] = offset
            np.add(solver.problem.constant, offset, out=solver.problem.base)


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


def step_together(now, careful):
    """Make a step of each class.

    careful : whether the joint loss must not rise: all steps are halved until it does not
    """
    before = now.loss if careful else None
    for solver in now.solvers:
        solver.reach(solver.k + 1)
    if not careful or now.rows.look():
        return
    share = 1.0
    while share > 0 and not now.rows.loss(share) <= before:
        share /= 2
    if share < 1:
        for solver in now.solvers:
            solver.path.theta[-1] *= share
            solver.restore(solver.k, solver.anchor)


@on_one_thread
def solve_rounds(problems, method, n_rounds, *, rng=0, stop=(), earlier=None):
    """Make `n_rounds` rounds with the multinomial loss of the classes 0, 1, ....

    Return a list of runs, one per class.

    The Hessian of the multinomial loss in all predictions is at most 1/2, twice the bound 1/4 for
    one class; so steps must be half as long as in a one-vs-rest run. The joint loss falls for
    ``FittedStep(rate)`` with rate <= 1 / sigma; with Newton leaves ``step_together`` sees to it.

    *Cost* of a round: one search per class, as in one-vs-rest runs, and one softmax.

    problems : logistic, over an implicit dictionary, one per class; earlier : the runs to resume,
    or None In each returned run the offset of the problem sums up the final predictions of the
    other classes, see ``write_offsets``.
    """
    in_parts = problems[0].dictionary.parts is not None
    kind, later = (RoundStateOnParts, PartsState) if in_parts else (RoundState, WeakLearnerState)
    solvers = []
    for run in earlier or [at_zero(problem, method, rng, kind) for problem in problems]:
        zeros = {name: np.zeros(run.problem.n_samples) for name in ("offset", "base")}
        if earlier is None:  # from the log odds to the log of the class frequency
            zeros["constant"] = -float(np.logaddexp(0.0, -run.problem.constant))
        problem = run.problem.replace(**zeros)
        solvers.append(Solver(replace(run, problem=problem, model_state=kind), n_rounds))
    class_index = np.argmax([problem.y for problem in problems], axis=0)
    rows = joint_rows(
        [solver.model_state for solver in solvers],
        [solver.problem.constant for solver in solvers],
        class_index,
        solvers[0].problem.weight,
    )
    start_loss = rows.loss(0.0)
    start = solvers[0].k
    end = start + n_rounds
    tests = stop_tests(stop, start)
    status = Status.COMPLETED
    message = None
    careful = may_rise(problems, method)
    for k in range(start, end + 1):
        heed()
        now = Round(k, solvers, rows)
        if not now.is_finite:
            for solver in solvers:
                solver.restore(k - 1, solver.anchor)
            now = Round(k - 1, solvers, rows)
            status = Status.DIVERGED
        elif holding := [
            test for test in tests if test.is_due(k, True, k == end) and test.holds(now)
        ]:
            status = Status.STOPPED
            message = holding[0].message(k)
        rows.write_residuals()
        if status is not Status.COMPLETED or k == end:
            break
        step_together(now, careful)
    now.write_offsets()
    losses = start_loss, now.loss
    return [
        replace(solver.result(status, message, losses), model_state=later) for solver in solvers
    ]
