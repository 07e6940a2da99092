"""Worst cases of random selection by enumeration of all draws: gradient boosting that draws one of
two groups in every step (Type 2).

The groups are all unit vectors of two orthogonal spaces, so the best fit in a group is the
projection of the residual on its space. A vector is a pair of parts, one in each space. In the norm
of the rule the angle of this dictionary is 1/2, because half the sum of the norms of the parts is
at least half the norm. Its second-moment angle is sqrt(1/2), because half the sum of the squares is
half the squared norm.
"""

from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np

import coordboost as cb
from coordboost.theory.performance import NULL, Form, Point, Vector, smooth_convex
from verification.worst_case.models import Model
from verification.worst_case.runs import Instance


class Pair(NamedTuple):
    """A vector as the pair of its parts in the two spaces."""

    first: Vector
    second: Vector

    def __add__(self, other):
        return Pair(self.first + other.first, self.second + other.second)

    def __sub__(self, other):
        return Pair(self.first - other.first, self.second - other.second)

    def __rmul__(self, factor):
        return Pair(factor * self.first, factor * self.second)

    def __matmul__(self, other):
        return self.first @ other.first + self.second @ other.second

    def part(self, group):
        """Return the vector with the other part set to 0."""
        return Pair(*(part if i == group else NULL for i, part in enumerate(self)))


ZERO = Pair(NULL, NULL)


def random_gbm(n, mu=0):
    """Model of E L(f_n) over all 2^n draws, RGBM with steps 1 / sigma, under ||f_k - f*|| <= 1 in
    all draws; for mu > 0 under L(0) <= 1.
    """
    model = Model(mu=Fraction(mu))
    programme = model.programme
    star = Point(Pair(programme.vector(), programme.vector()), ZERO, Form.of(0))
    reached = {}
    x = {(): ZERO}
    for draws in (draws for k in range(n + 1) for draws in product((0, 1), repeat=k)):
        if draws:
            before = reached[draws[:-1]]
            x[draws] = before.x - before.gradient.part(draws[-1])
        reached[draws] = Point(
            x[draws], Pair(programme.vector(), programme.vector()), programme.number()
        )
    model.points = [star, *reached.values()]
    smooth_convex(programme, model.points, mu)
    if mu:
        programme.require(1 - reached[()].value)
    else:
        programme.require(
            *(1 - (point.x - star.x) @ (point.x - star.x) for point in reached.values())
        )
    programme.objective = sum(
        (Fraction(1, 2**n) * reached[draws].value for draws in product((0, 1), repeat=n)),
        Form.of(0),
    )
    model.targets = [
        reached[draws].gradient for k in range(n) for draws in product((0, 1), repeat=k)
    ]
    return model


class Groups(Instance):
    """An instance whose learners are, in each group, the directions of the targets' parts in the
    space of this group.
    """

    def __init__(self, model, solution):
        group = np.arange(model.programme.n_vectors) % 2
        apart = np.where(group[:, None] == group, solution.gram, 0.0)
        super().__init__(model, type(solution)(solution.value, apart, solution.numbers, None))

    def at(self, vector):
        return sum(Instance.at(self, part) for part in vector)

    def problem(self):
        """Return the problem: the worst function, with the learners of both groups."""
        parts = [[self.at(target.part(g)) for target in self.model.targets] for g in (0, 1)]
        parts = [
            [column / np.linalg.norm(column) for column in group if np.linalg.norm(column) > 1e-9]
            for group in parts
        ]
        B = np.transpose([*parts[0], *parts[1]])
        groups = np.repeat([0, 1], [len(group) for group in parts])
        return cb.Problem(B, np.zeros(len(B)), self.loss, groups=groups, center=False, scale=False)


def play_random(instance, n):
    """Return the mean of L(f_n) over all draws, in units of the hypothesis.

    Seeds are tried until every sequence of draws has occurred.
    """
    problem = instance.problem()
    group = problem.groups
    results = {}
    far = 0.0
    seed = 0
    while len(results) < 2**n:
        run = cb.solve(problem, cb.rtgcd(select=cb.rules.Groups(1)), n, rng=seed)
        draws = tuple(int(group[j]) for j in run.path.learner)
        if draws not in results:
            results[draws] = run.final.loss
            far = max(
                far,
                *(
                    ((state.pred - problem.loss.center) ** 2).sum()
                    for state in run.replay(range(n + 1))
                ),
            )
        seed += 1
    return float(np.mean(list(results.values()))) / (
        problem.loss.above(0 * problem.y) if problem.loss.mu else far
    )
