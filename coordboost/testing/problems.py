"""What rules, views, families and stores of coefficients are tried on."""

import numpy as np

from coordboost._numba import is_piece
from coordboost.data.block_learners import blocks
from coordboost.data.problem import Problem
from coordboost.engine.run import solve
from coordboost.engine.states.naive import NaiveState
from coordboost.learners.base import LearnerFamily
from coordboost.methods.named import (
    agbm,
    ccd,
    forward_stagewise,
    forward_stepwise,
    frank_wolfe,
    frank_wolfe_away,
    frank_wolfe_pairwise,
    gcd,
    lasso_cd,
    ls_boost,
    regularized_forward_stagewise,
    rtgcd,
    vagbm,
)
from coordboost.rules.selection import Greedy
from coordboost.rules.steps import LineSearch


def small():
    """30 samples, 12 learners in groups of three, squared loss."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 12))
    return Problem(X, X[:, 0] - 2 * X[:, 5] + rng.normal(size=30), groups=np.arange(12) % 4)


def small_blocks():
    """The same columns in blocks of three."""
    problem = small()
    return Problem(blocks(problem.gather(np.arange(12)), np.arange(12) % 4), problem.y)


def methods_tried():
    """A method for each way of choosing, of stepping, and of keeping coefficients."""
    return [
        ls_boost(0.3), forward_stagewise(0.05), regularized_forward_stagewise(0.05, 2.0), frank_wolfe(2.0), gcd(LineSearch()), rtgcd(4),
        ccd(), lasso_cd(0.1, Greedy()), forward_stepwise(), agbm(0.5, 0.1), vagbm(0.5), frank_wolfe_away(2.0),
        frank_wolfe_pairwise(2.0),
    ]  # fmt: skip


class Listed(LearnerFamily):
    """The columns of a matrix of unit columns (n_samples, n_learners) as a family: a search that is a proof."""

    def __init__(self, columns):
        self.columns, self.n_samples = columns, len(columns)

    def find(self, v, k, above):
        corr = v @ self.columns
        order = np.argsort(-np.abs(corr), kind="stable")
        found = [int(j) for j in order[:k] if abs(corr[j]) > above]
        return found, corr[found], max((abs(corr[j]) for j in order[len(found) :]), default=0.0)

    def build(self, learner):
        return self.columns[:, learner]


def runs_of(problem, method, n_steps):
    """The run twice in plain Python, and compiled where the rules are pieces; on the data themselves, where learners can be counted."""
    pieces = is_piece(method.select) and is_piece(method.step)
    ways = [False, False, True] if pieces else [False, False]
    view = NaiveState if problem.countable else None
    return [solve(problem, method, n_steps, view=view, compile=way) for way in ways]


def path_of(problem, method, n_steps):
    """The sentence where runs of one method differ, or leave the learners."""
    plain, *others = runs_of(problem, method, n_steps)
    known = plain.problem.n_learners
    if plain.n_steps and not (plain.path.learner.min() >= 0 and plain.path.learner.max() < known):
        return f"learner {plain.path.learner.max()} was picked, of {known}."
    for run, way in zip(others, ("again in plain Python", "compiled"), strict=False):
        same = run.n_steps == plain.n_steps and (run.path.learner == plain.path.learner).all()
        if not same or np.abs(run.beta - plain.beta).max() > 1e-9 * (1 + np.abs(plain.beta).max()):
            return f"a run made {way} goes another way than the first in plain Python; kernels must do the same in both, and keep no state."
    return None
