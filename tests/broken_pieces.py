"""A correct piece of each kind, and for every property of ``coordboost.testing`` a piece that
violates it.
"""

import math
from collections import namedtuple

import numpy as np

import coordboost as cb
from coordboost.rules import best_of
from coordboost.testing import learners, losses, rules

RNG = np.random.default_rng(0)
B = np.linalg.qr(RNG.normal(size=(20, 8)))[0] @ np.diag(np.sign(RNG.normal(size=8)))


class Table:
    """An oracle with all methods, all correct."""

    n_samples, n_learners = B.shape

    def scan(self, v):
        return B.T @ v

    def column(self, j):
        return B[:, j].copy()

    def dot(self, j, v):
        return B[:, j] @ v

    def correlations(self, v, index):
        return B[:, index].T @ v

    def add(self, j, a, v):
        v += a * B[:, j]

    def combine(self, beta):
        return B @ beta

    def gather(self, index):
        return B[:, index]

    def cross(self, a, b, weight):
        return (B[:, a].T * weight) @ B[:, b]

    def gram(self, weight):
        return (B.T * weight) @ B


class Good(cb.losses.Loss):
    """A loss that declares everything."""

    sigma = 1.0
    mu = 1.0
    infimum = 0.0
    location = True
    quadratic = True

    def value(self, y, f):
        return (y - f) * (y - f) / 2

    def residual(self, y, f):
        return y - f

    def curvature(self, y, f):
        return 1.0

    def line_search(self, y, weight, f, direction):
        along, length = 0.0, 0.0
        for i in range(len(y)):
            along += weight[i] * (y[i] - f[i]) * direction[i]
            length += weight[i] * direction[i] * direction[i]
        return along / length if length > 0 else 0.0

    def constant(self, y, weight):
        return float(np.average(y, weights=weight))


class Rule(cb.rules.StepRule):
    """A step rule that declares everything."""

    unit = 1.0

    def move(self, k, state, j, corr, beta_j):
        return 0.0, 0.5 * corr

    def score(self, j, corr, beta_j):
        return abs(corr)


class Choice(cb.rules.SelectionRule):
    """A selection rule that declares everything: the best of two learners that are drawn."""

    width, draws_below, greedy = 2, 12, False

    def draw(self, rng, n_rows, n_learners):
        return rng.integers(0, n_learners, (n_rows, 2))

    def pick(self, state, step, beta, drawn, k):
        return best_of(state, step, beta, drawn)

    def norm(self, a):
        return float(np.abs(a).max())

    def dual_norm(self, b):
        return float(np.abs(b).sum())

    def weights(self, n):
        return np.eye(1, n)[0]


class Compiled(namedtuple("Compiled", ""), cb.losses.Loss):
    """A base for pieces that are compiled."""


def broken(base, **changes):
    """An instance of `base` with some attributes replaced."""
    return type("Broken", (base,), changes)()


def drawn_by(draw):
    return broken(Choice, draw=draw)


class Counter:
    """A function that returns another number in every call."""

    def __init__(self):
        self.now = 0.0

    def __call__(self, *args):
        self.now += 1.0
        return self.now


COUNT = Counter()
UNSEEDED = np.random.default_rng(1)


def spoils(self, v):
    out = B.T @ v
    v[0] += 1.0
    return out


def asks_an_object(self, y, f):
    """Right in plain Python, but impossible to compile."""
    return (y - f) * (y - f) / 2 + 0 * COUNT()


def greedy_of_some(self, state, step, beta, drawn, k):
    return best_of(state, step, beta, np.arange(5))


SABOTAGE = {
    losses.numbers_are_finite: broken(Good, value=lambda self, y, f: math.exp(f * f)),
    losses.residual_is_minus_the_derivative: broken(
        Good, residual=lambda self, y, f: 1.001 * (y - f)
    ),
    losses.value_is_convex: broken(  # log(1 + r^2) is not
        Good,
        value=lambda self, y, f: math.log1p((y - f) ** 2),
        residual=lambda self, y, f: 2 * (y - f) / (1 + (y - f) ** 2),
    ),
    losses.curvature_is_the_second_derivative: broken(Good, curvature=lambda self, y, f: 1.001),
    losses.sigma_is_a_smoothness_constant: broken(Good, sigma=0.999),
    losses.mu_is_a_constant_of_strong_convexity: broken(Good, mu=1.001),
    losses.self_concordance_bounds_the_curvature: broken(cb.losses.Poisson, self_concordance=0.99),
    losses.infimum_is_a_lower_bound: broken(Good, infimum=lambda self, y: 1e-6 + 0 * y),
    losses.location_is_true: broken(cb.losses.Logistic, location=True),
    losses.quadratic_is_true: broken(cb.losses.Huber, quadratic=True),
    losses.level_radius_is_a_bound: broken(
        Good, level_radius=lambda self, total: 0.999 * math.sqrt(2 * total)
    ),
    losses.line_search_finds_the_minimum: broken(
        Good, line_search=lambda self, *args: 1.001 * Good().line_search(*args)
    ),
    losses.constant_is_the_best: broken(Good, constant=lambda self, y, weight: float(np.mean(y))),
    losses.inverse_link_leaves_no_residual: broken(Good, inverse_link=lambda self, f: f + 1e-4),
    losses.kernels_are_functions: broken(Good, value=COUNT),
    losses.compiled_kernels_are_the_same: broken(
        Compiled, value=asks_an_object, residual=Good.residual
    ),
    learners.sizes_are_whole_numbers: broken(Table, n_learners=8.0),
    learners.columns_are_finite_and_of_the_right_shape: broken(
        Table, column=lambda self, j: B[:, [j]]
    ),
    learners.columns_have_unit_norm: broken(
        Table, column=lambda self, j: B[:, j] * (1 + 1e-6 * (j == 7))
    ),
    learners.scan_agrees_with_the_columns: broken(Table, scan=lambda self, v: -B.T @ v),
    learners.scan_is_linear: broken(Table, scan=lambda self, v: abs(B.T @ v)),
    learners.dot_agrees_with_the_columns: broken(Table, dot=lambda self, j, v: B[:, j - 1] @ v),
    learners.correlations_agree_with_the_columns: broken(
        Table, correlations=lambda self, v, index: B[:, np.sort(index)].T @ v
    ),
    learners.add_agrees_with_the_columns: broken(Table, add=lambda self, j, a, v: v + a * B[:, j]),
    learners.combine_agrees_with_the_columns: broken(
        Table, combine=lambda self, beta: B @ abs(beta - 0.1)
    ),
    learners.gather_agrees_with_the_columns: broken(
        Table, gather=lambda self, index: B[:, np.sort(index)]
    ),
    learners.cross_agrees_with_the_columns: broken(
        Table, cross=lambda self, a, b, weight: B[:, a].T @ B[:, b]
    ),
    learners.gram_agrees_with_the_columns: broken(Table, gram=lambda self, weight: B.T @ B),
    learners.arguments_are_left_alone: broken(Table, scan=spoils),
    learners.verbs_are_functions: broken(Table, column=lambda self, j: B[:, j] + 1e-15 * COUNT()),
    rules.moves_are_finite_and_shrink_lies_in_0_to_1: broken(
        Rule, move=lambda self, k, state, j, corr, beta_j: (1.5, corr)
    ),
    rules.moves_are_functions: broken(
        Rule, move=lambda self, k, state, j, corr, beta_j: (0.0, COUNT())
    ),
    rules.score_changes_no_more_than_the_correlation: broken(
        Rule, score=lambda self, j, corr, beta_j: 1.01 * abs(corr)
    ),
    rules.score_does_not_fall_below_0: broken(
        Rule, score=lambda self, j, corr, beta_j: abs(corr) - 1.0
    ),
    rules.unit_is_positive: broken(Rule, unit=0.0),
    rules.compiled_moves_are_the_same: broken(
        Rule, move=lambda self, k, state, j, corr, beta_j: (0.0, 0.1 * COUNT())
    ),
    rules.width_is_a_whole_number: broken(Choice, width=2.0),
    rules.draws_have_their_shape_and_bounds: drawn_by(
        lambda self, rng, n_rows, n: rng.integers(0, n + 1, (n_rows, 2))
    ),
    rules.draws_come_from_the_generator: drawn_by(
        lambda self, rng, n_rows, n: UNSEEDED.integers(0, n, (n_rows, 2))
    ),
    rules.compiled_picks_are_the_same: broken(
        Choice, pick=lambda self, *args: (int(COUNT()) % 12, 1.0)
    ),
    rules.a_greedy_rule_takes_the_largest_correlation: broken(
        Choice, greedy=True, pick=greedy_of_some
    ),
    rules.norm_is_a_norm_and_dual_norm_its_dual: broken(
        Choice, dual_norm=lambda self, b: float(np.abs(b).max())
    ),
    rules.weights_are_a_law: broken(Choice, weights=lambda self, n: np.ones(n)),
}
