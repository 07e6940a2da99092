"""A table in blocks, two of which share a column, and every rule that chooses among blocks."""

import numpy as np

import coordboost as cb

N, P = 24, 6
_RNG = np.random.default_rng(5)
X = _RNG.normal(size=(N, P))
X[:, 5] = X[:, 4]  # a copy within a block
Y = X[:, 0] - X[:, 3] + _RNG.normal(size=N)
BLOCKS = [[0, 1], [2, 3], [4, 5], [1, 2]]
BETA, GAMMA = 40.0, 0.05
RULES = {
    "greedy": cb.rules.Greedy(),
    "fixed": cb.rules.Weighted([0.4, 0.3, 0.2, 0.1]),
    "candidates": cb.rules.Groups(2),
    "softmax": cb.rules.Softmax(2.0),
    "subsets": cb.rules.JointSubset(2),
    "mask": cb.rules.RandomMask(0.3),
}
