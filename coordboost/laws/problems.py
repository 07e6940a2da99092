"""What rules are tried on."""

import numpy as np

from coordboost._generic import is_piece
from coordboost.engine.views.explicit import Explicit
from coordboost.problem import Problem
from coordboost.solve import solve


def small():
    """30 samples, 12 learners in groups of three, squared loss."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 12))
    return Problem(X, X[:, 0] - 2 * X[:, 5] + rng.normal(size=30), groups=np.arange(12) % 4)


def runs_of(problem, method, n_steps):
    """The run twice in plain Python, and compiled where the rules are pieces; on the data themselves."""
    pieces = is_piece(method.select) and is_piece(method.step)
    ways = [False, False, True] if pieces else [False, False]
    return [solve(problem, method, n_steps, view=Explicit, compile=way) for way in ways]


def path_of(problem, method, n_steps):
    """The sentence where runs of one method differ, or leave the learners."""
    plain, *others = runs_of(problem, method, n_steps)
    if plain.n_steps and not (plain.path.learner.min() >= 0 and plain.path.learner.max() < problem.n_learners):
        return f"learner {plain.path.learner.max()} was picked, of {problem.n_learners}."
    for run, way in zip(others, ("again in plain Python", "compiled"), strict=False):
        same = run.n_steps == plain.n_steps and (run.path.learner == plain.path.learner).all()
        if not same or np.abs(run.beta - plain.beta).max() > 1e-9 * (1 + np.abs(plain.beta).max()):
            return f"a run made {way} goes another way than the first in plain Python; kernels must do the same in both, and keep no state."
    return None
