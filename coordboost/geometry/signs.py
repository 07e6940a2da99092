"""The exact minimal cosine angle of a basis under Type 0: the unit ball of h is a parallelotope with 2^rank vertices.

Its vertices solve C'c = s for a sign vector s, so 1 / Theta is the largest length of C^{-T} s.
"""

import math
from itertools import islice, product

import numpy as np

_BLOCK = 1 << 14


def cost(learners):
    """Estimated seconds; infinity unless the learners are a basis and the norm is the largest size."""
    applies = learners.norm is learners.greedy and len(learners.greedy.gamma) == 1 and learners.rank == learners.n_learners
    return 5e-8 * learners.rank * 2.0 ** (learners.rank - 1) if applies else math.inf


def direction(learners):
    """The longest vertex (rank,)."""
    inverse = np.linalg.inv(learners.columns)
    signs = product([1.0], *[[1.0, -1.0]] * (learners.rank - 1))
    best, at = -1.0, None
    while block := list(islice(signs, _BLOCK)):
        vertices = np.array(block) @ inverse
        lengths = np.einsum("ij,ij->i", vertices, vertices)
        if lengths.max() > best:
            best, at = lengths.max(), vertices[lengths.argmax()]
    return at
