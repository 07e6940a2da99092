"""Upper ends by ascent: the longest vector of the unit ball of h, reached by linear programs from many starts.

c_{k+1} maximises <c_k, c> over h(c) <= 1, so its length does not fall: |c_{k+1}| >= <c_{k+1}, c_k> / |c_k| >= |c_k|. The ends are local.
"""

import numpy as np

from coordboost.geometry.ball import ball

_STEPS = 60


def climb(learners, starts):
    """The best direction (rank,) reached from the rows of `starts` (N, rank). *Cost*: a few linear programs per start."""
    program = ball(learners)
    best = min(starts, key=learners.cosine)
    for start in starts:
        c = start / learners.value(start)
        for _ in range(_STEPS):
            length = float(np.linalg.norm(c))
            higher = program.maximiser(c / length, enough=length * (1 + 1e-6))
            higher = higher / learners.value(higher)
            if not np.linalg.norm(higher) > length * (1 + 1e-12):
                break
            c = higher
        best = min(best, c, key=learners.cosine)
    return best


def starts(learners, weights, n_random, rng):
    """Where to climb from, (N, rank): eigenvectors of the weighted learners, smallest first, and random directions.

    These are drawn where the learners are few: normal, with the inverse of C C' as covariance.
    """
    _, vectors = np.linalg.eigh((learners.columns * weights) @ learners.columns.T)
    few = vectors.T[: max(1, n_random // 4)]
    return np.concatenate([few, np.random.default_rng(rng).standard_normal((n_random, learners.rank)) @ learners.stretch])
