"""Running a method on a problem: one entry for every combination."""

import warnings

import numpy as np

from coordboost._checks import typed
from coordboost.data import validation
from coordboost.driver import begin, drive, states
from coordboost.method import checked_method
from coordboost.problem import checked_problem
from coordboost.run import Run


class LongStepWarning(UserWarning):
    """The steps of a run are so long that already the first one raises the loss."""


def too_long(run):
    """What is wrong with the steps of a stagewise run and what to try, in words; none where the first step does not raise the loss."""
    problem, eps = run.problem, run.method.parameters.get("eps")
    if not ("stagewise" in run.method.name and isinstance(eps, float) and run.n_steps):  # a sequence may begin with long ones
        return ""
    first = next(run.replay([1])).loss
    if not first > problem.start_loss + 1e-9 * abs(problem.start_loss):
        return ""
    best = problem.start_size / (problem.loss.sigma or 1.0) if problem.countable else 0.0
    what = "the first step raises the loss, and the path swings around"
    if problem.loss.quadratic and best:
        what = f"no step of that length lowers the loss, as no single coefficient is worth more than {best:.3g}; the path swings around"
    return f"eps = {eps:g} is too long: {what}. Try eps={typed(best / 100 or eps / 100)}."


def seed_of(rng):
    """A whole number from an int, a NumPy Generator or None."""
    if rng is None or isinstance(rng, np.random.Generator):
        return int(validation.generator(rng).integers(1 << 62))
    return validation.whole("rng", rng, below=None)


def _begin(problem, method, rng, view, compile):
    """A function that makes the stepper at step 0; refused where the arguments are not what they should be."""
    checked_problem(problem)
    checked_method(method)
    if method.coefficients.follow_angle:
        from coordboost.geometry.angle import settled

        method = settled(method, problem)
    return begin(problem, method, seed_of(rng), view, validation.flag("compile", compile))


def solve(problem, method, n_steps, *, rng=0, stop=(), watch=None, view=None, compile=True):
    """Run `method` on `problem` for `n_steps` steps.

    Parameters
    ----------
    problem : Problem
    method : Method
        A named method such as ``ls_boost(0.1)``, or any ``Method(name, select, step)``.
    n_steps : int >= 0
    rng : int, numpy Generator or None, default 0
        Seed of random selection rules. Same seed, same run; None draws a fresh one (kept in ``run.seed``).
    stop : stop rule or sequence of them, optional
        ``GapBelow``, ``NoProgress``, ``TimeLimit`` or any callable of a ``State``. The run ends at the first step that satisfies one,
        whatever the machine; see ``coordboost.asking`` for rules that do not go on holding.
    watch : callable, optional
        Called with a ``State`` about twenty times a second and at the end, for progress bars and logs; it cannot stop the run.
    view : class, optional
        The engine's view: ``Explicit`` works on the data in every step and is the reference; default: chosen by the size.
    compile : bool, default True
        False runs the same source in plain Python.

    Returns
    -------
    Run
        Also after Ctrl-C, with the steps made.

    Raises
    ------
    ValueError
        If the method does not fit the problem, or a sequence of steps is too short.

    Warns
    -----
    InterruptedWarning
        After Ctrl-C. A second Ctrl-C raises ``KeyboardInterrupt`` at once.
    LongStepWarning
        Where the steps of a stagewise method are so long that the first one raises the loss.
    """
    run = Run(drive(_begin(problem, method, rng, view, compile), n_steps, stop, watch))
    if words := too_long(run):
        warnings.warn(words, LongStepWarning, stacklevel=2)
    return run


def iterate(problem, method, n_steps, *, every=1, rng=0, view=None, compile=True):
    """Yield the ``State`` at step 0 and after every `every` steps, n_steps in all; ends early where the loss leaves float64."""
    yield from states(_begin(problem, method, rng, view, compile), n_steps, every)
