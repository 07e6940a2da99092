"""Losses along a run on any rows, after every step; each learner is evaluated once."""

import numpy as np

from coordboost.engine.following import Follower


def losses(run, data, steps=1, rows=None):
    """Return mean losses on the rows of `data` after 0, `steps`, 2 `steps`, ...

    steps of a run over stumps or trees.

    The loss is the one of the problem, including its regularisation. In accelerated boosting an
    iteration is two steps. `rows` : `data` in the bins of the problem, if already computed.
    """
    problem = run.problem
    rows = problem.binning.bin(data.X) if rows is None else rows
    dictionary = problem.dictionary
    weight = np.ones(len(data.y))
    follower = Follower(
        run.method, dictionary.at(rows) if problem.countable else dictionary.standing(rows)
    )
    start = sum(problem.loss.value(y, problem.constant) for y in data.y.tolist())
    n = run.n_steps - run.n_steps % steps
    after = follower.losses(run.path, n, problem.loss, data.y, weight, problem.constant)[
        steps - 1 :: steps
    ]
    return np.concatenate([[start], after]) / len(data.y)
