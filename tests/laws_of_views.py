"""Laws of views: on every loss and method that a view fits, its steps are those on the data themselves."""

from typing import NamedTuple

import numpy as np

from coordboost.engine.choose import checked_view
from coordboost.engine.stepper import Stepper
from coordboost.engine.views.explicit import Explicit
from coordboost.laws.problems import Listed, methods_tried
from coordboost.laws.report import SKIPPED
from coordboost.pieces.losses import Huber, Logistic, Squared
from coordboost.problem import Problem
from coordboost.solving import solve

#: Steps of a run, and how far the coefficients of two runs may be rounded apart.
STEPS, NEAR = 30, 1e-9


class ViewCase(NamedTuple):
    """The class of a view."""

    view: type

    def problems(self):
        """Problems with as many learners as samples and more: (what it is, the problem for the view, the same with stored columns)."""
        rng = np.random.default_rng(0)
        for name, n, p in (("tall", 30, 12), ("wide", 12, 40), ("copies", 20, 16)):
            X = rng.normal(size=(n, p))
            if name == "copies":
                X[:, p // 2 :] = X[:, : p // 2] * rng.choice([-1.0, 1.0], p // 2)
            y = X[:, 0] - 2 * X[:, 5] + rng.normal(size=n)
            for loss, target in ((Squared(), y), (Huber(0.5), y), (Logistic(), np.where(y > y.mean(), 1.0, -1.0))):
                stored = Problem(X, target, loss)
                columns = stored.gather(np.arange(p))
                if self.view.countable:
                    yield f"{name}, {type(loss).__name__}", stored, stored
                else:
                    yield f"{name}, {type(loss).__name__}", Problem(Listed(columns), target, loss), stored

    def runs(self):
        """(where, problem, stored problem, method) for all that the view fits."""
        for name, problem, stored in self.problems():
            for method in methods_tried():
                try:
                    checked_view(problem, method, self.view)
                    method.bind(problem)
                except ValueError:
                    continue
                yield f"{method.name} ({name})", problem, stored, method


def some_problem_and_method_fits(at):
    """By what the view declares."""
    if not any(True for _ in at.runs()):
        return (
            "no problem and method that was tried fits what the view declares (carries, countable, quadratic, greedy)."
        )
    return None


def steps_are_those_on_the_data(at):
    """Against the explicit view, where that keeps the same coefficients."""
    compared = False
    for where, problem, stored, method in at.runs():
        if method.coefficients.plain:
            compared = True
            run = solve(problem, method, STEPS, view=at.view, compile=False)
            expected = solve(stored, method, STEPS, view=Explicit, compile=False)
            found = run.path.learner
            if not at.view.countable:
                found = np.array(run.problem.dictionary.learners)[found]
            if len(found) != len(expected.path.learner) or (found != expected.path.learner).any():
                step = (
                    int(np.argmax(found != expected.path.learner)) if len(found) == len(expected.path.learner) else len(found)
                )
                return f"{where}: step {step} takes another learner than on the data themselves."
            off = np.abs(run.path.theta - expected.path.theta).max(initial=0.0)
            if not off <= NEAR * (1 + np.abs(expected.path.theta).max(initial=0.0)):
                return f"{where}: steps are {off:.3g} off those on the data themselves."
    return None if compared else SKIPPED


def a_run_in_parts_is_the_run(at):
    """Bit for bit: what is not in the coefficients must be made again."""
    for where, problem, _, method in at.runs():
        whole = solve(problem, method, STEPS, view=at.view, compile=False)
        parts = solve(problem, method, 11, view=at.view, compile=False).resume(STEPS - 11)
        same = whole.n_steps == parts.n_steps and (whole.path.learner == parts.path.learner).all()
        if not (same and np.array_equal(whole.beta, parts.beta)):
            return f"{where}: 11 steps and the rest of them give another model than all at once."
    return None


def a_renewed_view_goes_on_as_before(at):
    """Runs recompute the state from the coefficients now and then, to stop rounding from piling up."""
    renewed = False
    for where, problem, _, method in at.runs():
        stepper, expected = (Stepper(problem, method, view=at.view, compile=False) for _ in range(2))
        for blocks in (stepper.blocks(11), expected.blocks(STEPS)):
            for _ in blocks:
                pass
        if at.view.renew is None or stepper.view.renew is None:
            continue
        renewed = True
        stepper.view.renew(stepper.beta)
        for _ in stepper.blocks(STEPS - 11):
            pass
        same = stepper.k == expected.k and (stepper.path.learner == expected.path.learner).all()
        if not same or not np.abs(stepper.beta - expected.beta).max() <= NEAR * (1 + np.abs(expected.beta).max()):
            return f"{where}: after renew(beta) at step 11 the run goes another way."
    return None if renewed else SKIPPED


def every_step_moves_the_model_it_says(at):
    """The loss along the path, replayed from the rows, is that of the coefficients; greedy steps with a line search never raise it."""
    for where, problem, _, method in at.runs():
        run = solve(problem, method, STEPS, view=at.view, compile=False)
        losses = [state.loss for state in run.replay(range(run.n_steps + 1))]
        if not np.isfinite(losses).all():
            return f"{where}: the loss is not finite."
        if method.name in ("gcd", "forward_stepwise") and (np.diff(losses) > 1e-12 * losses[0]).any():
            return (
                f"{where}: the loss rises at step {int(np.argmax(np.diff(losses)))}; the view's search must find the minimum."
            )
    return None


LAWS = (
    some_problem_and_method_fits, steps_are_those_on_the_data, a_run_in_parts_is_the_run, a_renewed_view_goes_on_as_before,
    every_step_moves_the_model_it_says,
)  # fmt: skip


def verdicts(view):
    """Name of each law to None where it holds, ``SKIPPED`` where it says nothing, else a sentence."""
    return {law: law(ViewCase(view)) for law in LAWS}
