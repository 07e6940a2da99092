"""Running a method on a problem: one entry for every combination."""

import math
import time

import numpy as np

from coordboost._checks import shown
from coordboost.data import validation
from coordboost.engine.walk import Walk
from coordboost.methods import Method
from coordboost.problem import Problem
from coordboost.run import check_horizon, drive
from coordboost.state import State


def seed_of(rng):
    """A whole number from an int, a NumPy Generator or None."""
    if rng is None or isinstance(rng, np.random.Generator):
        return int(np.random.default_rng(rng).integers(1 << 62))
    return validation.whole("rng", rng)


def _begin(problem, method, rng, view, compile):
    """The walk at step 0, refused where the arguments are not what they should be."""
    if not isinstance(problem, Problem):
        raise ValueError(f"problem must be a Problem(X, y, ...), got {shown(problem)}.")
    if not isinstance(method, Method):
        raise ValueError(f"method must be a Method such as ls_boost(0.1), got {shown(method)}.")
    return Walk(problem, method, view=view, seed=seed_of(rng), compile=compile)


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
        Asked with a ``State`` at the end of every block: ``GapBelow``, ``NoProgress``, ``TimeLimit`` or any callable.
    watch : callable, optional
        Called with a ``State`` at the end of every block, for progress bars and logs; it cannot stop the run.
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
    """
    return drive(lambda: _begin(problem, method, rng, view, compile), n_steps, stop, watch)


def iterate(problem, method, n_steps, *, every=1, rng=0, view=None, compile=True):
    """Yield the ``State`` at step 0 and after every `every` steps, n_steps in all; ends early where the loss leaves float64."""
    walk = _begin(problem, method, rng, view, compile)
    n_steps, every = validation.whole("n_steps", n_steps), validation.whole("every", every, 1)
    check_horizon(walk, n_steps)
    began = time.perf_counter()
    yield State(problem, method.target_at(0), 0, walk.beta)
    while walk.k < n_steps:
        for _ in walk.blocks(min(every, n_steps - walk.k)):
            pass
        state = State(problem, method.target_at(walk.k), walk.k, walk.beta, time.perf_counter() - began)
        if not math.isfinite(state.loss):
            return
        yield state
