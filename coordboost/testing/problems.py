"""Small problems and runs with which step, selection and coefficient rules are tested."""

import numpy as np

from coordboost._numba import is_piece
from coordboost.data.block_learners import blocks
from coordboost.data.problem import Problem
from coordboost.engine.run import solve
from coordboost.engine.states.naive import NaiveState


def small():
    """Return a problem with 30 samples, 12 learners in groups of three, squared loss."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 12))
    return Problem(X, X[:, 0] - 2 * X[:, 5] + rng.normal(size=30), groups=np.arange(12) % 4)


def small_blocks():
    """Return a problem whose learners are fits of blocks of three of the same columns."""
    problem = small()
    return Problem(blocks(problem.gather(np.arange(12)), np.arange(12) % 4), problem.y)


def runs_of(problem, method, n_steps):
    """Return two runs in plain Python, and a compiled one if the rules are pieces.

    On ``NaiveState``, if learners are countable.
    """
    pieces = is_piece(method.select) and is_piece(method.step)
    choices = [False, False, True] if pieces else [False, False]
    state = NaiveState if problem.countable else None
    return [
        solve(problem, method, n_steps, model_state=state, compile=compiled) for compiled in choices
    ]


def path_of(problem, method, n_steps):
    """Yield sentences if runs of one method differ, or pick a learner out of range."""
    plain, *repeats = runs_of(problem, method, n_steps)
    known = plain.problem.n_learners
    learner = plain.path.learner
    if plain.n_steps and not (learner.min() >= 0 and learner.max() < known):
        yield (
            f"an index out of range was selected; the largest is {learner.max()}, of {known} "
            "learners."
        )
    names = ("a second run in plain Python", "a compiled run")
    for run, name in zip(repeats, names, strict=False):
        same = np.array_equal(run.path.learner, learner)
        if not same or np.abs(run.beta - plain.beta).max() > 1e-9 * (1 + np.abs(plain.beta).max()):
            yield (
                f"{name} differs from the first run in plain Python; kernels must do the same, "
                "compiled or not, and keep no state."
            )
