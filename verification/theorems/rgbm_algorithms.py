r"""The selection rules of the package over all sets of learners that they may draw, and its angles,
distances, losses and learners.

Problem: a vector of six products, and learners in three groups; learners in the plane; small
tables.

Method: Types 0 to 3: all learners, t of them, one group, t groups.

Assumptions: sets are drawn uniformly, without replacement.

Claim: tight: the norm of a rule is the mean size of the learner that wins; its dual norm is the
largest ratio of inner product and norm, attained where all entries of some groups are equal and the
others 0; the weights are the probabilities to win by rank; every set is drawn equally often.
Angles, distances, values of losses and their constants, and learners of a table, are those of the
definitions.

Constants: none.

Measured: norms, dual norms, weights and probabilities of the package; means over all draws. For
the sets that are drawn, frequencies in 20,000 draws, within six standard deviations.

Reference: Lu, Mazumder, Types 0 to 3, Definitions 3.1 to 3.4, Proposition 3.1, (9) to (12).
"""

from dataclasses import dataclass
from itertools import combinations
from math import ceil, comb, log, sqrt
from typing import Any

import numpy as np

import coordboost as cb
from verification.algorithms import Algorithm, Feature, feature, unscaled
from verification.rgbm import LABELS, RULES, draws, law
from verification.spaces.draw import Draw, exact_draw
from verification.spaces.linear import exact

#: Sets drawn to count them.
DRAWN = 20_000


@dataclass(frozen=True, eq=False)
class Drawn:
    """A rule, the group of each learner, and two vectors (K,)."""

    rule: Any
    label: np.ndarray
    a: np.ndarray
    b: np.ndarray

    @property
    def bound(self):
        """The rule of the package for these learners."""
        K = len(self.label)
        return self.rule.bind(unscaled(np.eye(K), np.ones(K), groups=self.label))

    @property
    def places(self):
        """What is drawn, as arrays of learners: groups, for Types 0 and 1 single learners."""
        grouped = isinstance(self.rule, cb.rules.Groups)
        label = self.label if grouped else np.arange(len(self.label))
        return [np.flatnonzero(label == place) for place in np.unique(label)]

    def mean_size(self, a):
        """Return the mean over all draws of the size of the entry that wins."""
        return float(law(self.rule, self.label, a) @ np.abs(a))


def _package_norms(case):
    return [case.bound.norm(case.a), case.bound.dual_norm(case.b)]


def norms(case, of_place=np.sum):
    """The mean size of the winner, and the largest <b, a> / norm(a), where a is the sign of b on
    some places and 0 on the others.
    """
    ratios = []
    for count in range(1, len(case.places) + 1):
        for places in combinations(case.places, count):
            inside = np.isin(np.arange(len(case.b)), np.concatenate(places))
            inner = sum(of_place(np.abs(case.b[place])) for place in places)
            ratios.append(inner / case.mean_size(inside.astype(float)))
    return [case.mean_size(case.a), max(ratios)]


check_norms = Algorithm(
    "RGBM, norms of the rules",
    Drawn,
    "The norm of a rule is the mean size of the winner; its dual norm bounds inner products, and "
    "is attained.",
    _package_norms,
    norms,
)


def _package_weights(case):
    n = len(case.places)
    t = getattr(case.rule, "t", n)
    return [
        case.bound.weights(n),
        cb.rules.selection.subset_weights(t, n),
        case.bound.chances(case.a[None], None, None)[0],
    ]


def weights(case, less=0):
    """Probabilities to win by rank, comb(n - j, t - 1) / comb(n, t), and by learner."""
    n = len(case.places)
    t = getattr(case.rule, "t", n)
    by_rank = [comb(max(n - j - less, 0), t - 1) / comb(n, t) for j in range(1, n + 1)]
    return [by_rank, by_rank, law(case.rule, case.label, case.a)]


check_weights = Algorithm(
    "RGBM, chances of the winners",
    Drawn,
    "The best of t drawn places is the j-th of all with probability comb(n - j, t - 1) / comb(n, "
    "t).",
    _package_weights,
    weights,
)


def _package_sets(case):
    """The fraction of draws of each set of places that was drawn."""
    if case.rule == cb.rules.Greedy():
        return 1.0
    rows = case.bound.draw(np.random.default_rng(0), DRAWN, len(case.label))
    counts = np.unique(np.sort(rows, axis=1), axis=0, return_counts=True)[1]
    return counts / DRAWN


def even(case, factor=1.0):
    """The same for every set."""
    n_sets = len(draws(case.rule, case.label))
    return np.full(n_sets, factor / n_sets)


check_sets = Algorithm(
    "RGBM, sets that are drawn",
    Drawn,
    "Every set of t places is drawn equally often, within six standard deviations.",
    _package_sets,
    even,
    slack=6 * 0.5 / sqrt(DRAWN),
    level="sampled",
)


def _rule_of(case):
    """The rule of the package of an instance with a type from 0 to 3."""
    types = (
        cb.rules.Greedy(),
        cb.rules.RandomSubset(case.t),
        cb.rules.Groups(1),
        cb.rules.Groups(case.t),
    )
    return types[case.kind]


def _package_geometry(case):
    rule = _rule_of(case)
    B = case.B.astype(float)
    zero = np.zeros(case.K)
    angle = cb.theory.mca(B, rule, groups=case.label)
    squares = cb.angles.second_moment_mca(B, rule, groups=case.label, n_starts=4)
    far = cb.theory.distance(B, rule, case.other.astype(float), zero, groups=case.label)
    return [angle.lower, angle.upper, squares.lower, squares.upper, far]


def geometry(case, factor=1.0):
    """The least norm of the cosines over all edges of the cells where it is linear; the least norm
    of their squares over 100,000 directions of the plane; the largest <B b, c> over these edges.
    """
    turn = np.linspace(0, np.pi, 100_001)
    directions = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    norms = case.norm_of((directions @ case.B.astype(float)) ** 2)
    theta = factor * sqrt(case.angle2)
    squares = sqrt(float(norms.min()))
    return [theta, theta, squares, squares, float(case.distance)]


check_geometry = Algorithm(
    "RGBM, angles and distances",
    Draw,
    "The minimal cosine angle, that of the second moments, and Dist, for learners in the plane.",
    _package_geometry,
    geometry,
    slack=2e-5,
)


@dataclass(frozen=True, eq=False)
class Basis:
    """n orthonormal learners, t of them drawn."""

    n: int
    t: int


def _package_basis(case):
    gamma = cb.rules.selection.subset_weights(case.t, case.n)
    rule = cb.rules.RandomSubset(case.t)
    problem = unscaled(np.eye(case.n), np.arange(1.0, case.n + 1))
    gap = problem.start_loss / 25
    angle = cb.theory.mca(problem, rule)
    run = cb.solve(problem, cb.rtgcd(case.t), 6, compile=False, rng=0)
    checks = {check.name: check.bound[-1] for check in cb.theory.check(run, "RGBM")}
    names = ("RGBM, Theorem 4.1", "RGBM, Theorem 4.2", "RGBM, Theorem 4.2, simple")
    return [
        [checks[name] for name in names],
        cb.angles.exact.orthonormal(gamma),
        angle.lower,
        cb.theory.plan(problem, cb.rtgcd(case.t), gap).n_steps,
    ]


def basis(case, power=2):
    """The bounds of Theorems 4.1 and 4.2 after six steps, Dist_0 by Proposition 4.6; (18), the
    least (gamma_1 + ... + gamma_i) / sqrt(i); the least M with (1 - Theta^2)^M <= 1 / 25.
    """
    gamma = [comb(case.n - j, case.t - 1) / comb(case.n, case.t) for j in range(1, case.n + 1)]
    theta = min(sum(gamma[:i]) / sqrt(i) for i in range(1, case.n + 1))
    gap = sum(k**2 for k in range(1, case.n + 1)) / 2
    reach2 = 2 * gap / theta**2
    bounds = [
        (1 - theta**2) ** 6 * gap,
        1 / (1 / gap + 6 / (2 * reach2)),
        2 * reach2 / 6,
    ]
    return [bounds, theta, theta, ceil(log(1 / 25) / log(1 - theta**power))]


check_basis = Algorithm(
    "RGBM, orthonormal learners",
    Basis,
    "The bounds of Theorems 4.1 and 4.2, the angle by (18), and the steps that guarantee a 25th of "
    "the gap.",
    _package_basis,
    basis,
)


@dataclass(frozen=True, eq=False)
class Curve:
    """A loss of two arguments, its constants, and predictions f; y = 1."""

    loss: Any
    sigma: float
    mu: float
    f: np.ndarray
    value: Any


def _package_losses(case):
    values = [case.loss.value(1.0, f) for f in case.f]
    slopes = [-case.loss.residual(1.0, f) for f in case.f]
    return [values, slopes, case.loss.sigma, case.loss.mu or 0.0]


def losses(case, factor=1.0):
    """Values; differences for the slopes; the largest and the least curvature."""
    step = 1e-5
    slopes = (case.value(case.f + step) - case.value(case.f - step)) / (2 * step)
    return [case.value(case.f), slopes, factor * case.sigma, case.mu]


check_losses = Algorithm(
    "RGBM, losses",
    Curve,
    "Values, derivatives and the constants sigma and mu of the squared, Huber and logistic loss.",
    _package_losses,
    losses,
    slack=1e-8,
)


@dataclass(frozen=True, eq=False)
class Rows:
    """A table X (n, p) and y."""

    X: np.ndarray
    y: np.ndarray


def _package_learners(case):
    problem = cb.Problem(case.X, case.y)
    stumps = cb.Problem(cb.data.stumps(case.X), case.y, center=False)
    leaves = cb.Problem(cb.data.leaf_stumps(case.X), case.y)
    run = cb.solve(leaves, cb.rtgcd(select=cb.rules.Greedy()), 1, compile=False)
    columns = problem.gather(np.arange(case.X.shape[1]))
    halves = np.abs(stumps.gather(np.arange(stumps.n_learners)).T @ case.y)
    return [columns, problem.standardization.mean, np.sort(halves), run.predict(case.X)]


def learners(case, power=2):
    """Columns of mean 0 and norm 1; the products of the splits, +-1 / sqrt(n), with y; the means of
    y on both sides of the best split.
    """
    mean = case.X.mean(axis=0)
    away = case.X - mean
    columns = away / (np.abs(away) ** power).sum(axis=0) ** (1 / power)
    sides = {tuple(x <= cut) for x in case.X.T for cut in np.unique(x)[:-1]}
    sides = [np.array(side) for side in sides]
    fits = [np.where(side, case.y[side].mean(), case.y[~side].mean()) for side in sides]
    products = [abs((2 * side - 1) @ case.y) / sqrt(len(case.y)) for side in sides]
    best = min(fits, key=lambda fit: ((case.y - fit) ** 2).sum())
    return [columns, mean, sorted(products), best]


check_learners = Algorithm(
    "RGBM, learners of a table",
    Rows,
    "Standardised columns; the splits of the features with values -1 and 1; the best split with "
    "two leaf values.",
    _package_learners,
    learners,
)


def _package_estimators(case):
    options = {**case.options(), "max_depth": 1, "max_features": 1.0}
    regressor = cb.RandomizedGBMRegressor(**options).fit(case.X, case.y)
    classifier = cb.RandomizedGBMClassifier(newton=False, **options).fit(case.X, case.label)
    return [regressor.predict(case.X), classifier.decision_function(case.X)]


check_estimators = Algorithm(
    "RGBM, estimators",
    Feature,
    "Boosting on one feature, one split a tree, in steps of rate / sigma.",
    _package_estimators,
    lambda case: [path[-1] for path in case.boosted()],
)


def vectors(rule, seed):
    """Return a rule with two random vectors."""
    rng = np.random.default_rng(seed)
    return Drawn(rule, np.array(LABELS), rng.normal(size=6), rng.normal(size=6))


#: Unit learners in the plane.
PLANE = exact([["3/5", "-4/5", "4/5"], ["-4/5", "-3/5", "3/5"]])
#: Predictions at which losses are compared.
F = np.linspace(-3, 3, 14)

CASES = {
    **{
        f"{name}, {seed}": (lambda rule=rule, seed=seed: vectors(rule, seed))
        for name, rule in RULES.items()
        for seed in (1, 2)
    },
    "Type 0 in the plane": lambda: exact_draw(
        B=PLANE, y=(1, 2), other=(1, -1, 2), label=(0, 1, 2), kind=0, t=1
    ),
    "Type 1 in the plane": lambda: exact_draw(
        B=PLANE, y=(1, 2), other=(1, -1, 2), label=(0, 1, 2), kind=1, t=2
    ),
    "Type 3 in the plane": lambda: exact_draw(
        B=np.column_stack([PLANE, ["-3/5", "4/5"]]),
        y=(1, 2),
        other=(1, -1, 2, "1/2"),
        label=(0, 0, 1, 2),
        kind=3,
        t=2,
    ),
    **{
        f"{t} of {n} coordinates": (lambda n=n, t=t: Basis(n, t))
        for n, t in ((4, 1), (4, 2), (9, 3))
    },
    "squared loss": lambda: Curve(cb.losses.Squared(), 1, 1, F, lambda f: (1 - f) ** 2 / 2),
    "Huber loss": lambda: Curve(
        cb.losses.Huber(0.5),
        1,
        0,
        F,
        lambda f: np.where(abs(1 - f) <= 0.5, (1 - f) ** 2 / 2, abs(1 - f) / 2 - 1 / 8),
    ),
    "logistic loss": lambda: Curve(
        cb.losses.Logistic(0.1), 0.35, 0.1, F, lambda f: np.log(1 + np.exp(-f)) + 0.05 * f**2
    ),
    "four rows": lambda: Rows(
        np.array([[3.0, 1], [1, 2], [2, 2], [2, 5]]), np.array([1.0, 3, 2, 7])
    ),
    "a feature": feature,
}
QUICK = [name for name in CASES if not name.endswith(", 2")]

SABOTAGE = {
    check_norms: {
        "the largest of a group in the place of its sum": check_norms.instead(
            lambda case: norms(case, np.max)
        )
    },
    check_weights: {"a rank too late": check_weights.instead(lambda case: weights(case, 1))},
    check_sets: {"a fifth more often": check_sets.instead(lambda case: even(case, 1.2))},
    check_geometry: {
        "the angle a thousandth larger": check_geometry.instead(lambda case: geometry(case, 1.001))
    },
    check_basis: {"Theta for its square": check_basis.instead(lambda case: basis(case, power=1))},
    check_losses: {"sigma a tenth larger": check_losses.instead(lambda case: losses(case, 1.1))},
    check_learners: {
        "columns of l1 norm 1": check_learners.instead(lambda case: learners(case, power=1))
    },
    check_estimators: {
        "a tenth faster": check_estimators.instead(
            lambda case: [path[-1] for path in case.boosted(1.1 * case.rate)]
        )
    },
}
