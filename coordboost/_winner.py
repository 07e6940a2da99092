"""Who wins: the kernels by which learners compete for a step.

A view may have verbs of its own for all three searches: ``best``, among all learners; ``best_among``, among some; ``best_in``, in groups.
"""

import numpy as np

from coordboost._numba import kernel, verb

scan = verb("scan")
correlations = verb("correlations")
tie = verb("tie")
coefficient = verb("coefficient")


@kernel
def size(step, j, corr, beta_j):
    """The default score of a learner: the size of its correlation with the residual."""
    return abs(corr)


score = verb("score", size)


@kernel
def best_of_all(view, step, beta):
    """The winner among all learners and its correlation.

    Scores within ``tie(view)`` of the largest tie (or above half of it, where all are that small), and the lowest index of them wins.
    """
    corr = scan(view)
    best, winner = -1 + 0 * abs(corr[0]), 0
    for j in range(len(corr)):
        s = score(step, j, corr[j], coefficient(beta, j))
        if s > best:
            best, winner = s, j
    limit = best - min(tie(view), best / 2)
    for j in range(winner):
        if score(step, j, corr[j], coefficient(beta, j)) >= limit:
            return j, corr[j]
    return winner, corr[winner]


@kernel
def best_of(view, step, beta, index):
    """The winner among the learners `index` (any order); ties as in ``best_of_all``."""
    corr = correlations(view, index)
    best = -1 + 0 * abs(corr[0])
    for i in range(len(index)):
        best = max(best, score(step, index[i], corr[i], coefficient(beta, index[i])))
    limit = best - min(tie(view), best / 2)
    at = -1
    for i in range(len(index)):
        if (at < 0 or index[i] < index[at]) and score(step, index[i], corr[i], coefficient(beta, index[i])) >= limit:
            at = i
    return index[at], corr[at]


best = verb("best", best_of_all)
best_among = verb("best_among", best_of)


@kernel
def best_of_groups(view, step, beta, drawn, member, start):
    """The winner among the learners of the groups `drawn`, group g being ``member[start[g]:start[g + 1]]``."""
    total = 0
    for g in drawn:
        total += start[g + 1] - start[g]
    index, filled = np.empty(total, dtype=np.int64), 0
    for g in drawn:
        for p in range(start[g], start[g + 1]):
            index[filled] = member[p]
            filled += 1
    return best_among(view, step, beta, index)


best_in = verb("best_in", best_of_groups)
